/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's subnets, and addresses that rest after their endpoint gave them up. */
#ifndef TSW_RECORD_NETS_H
#define TSW_RECORD_NETS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Empty: it has none. */
int nets_load(const struct tsw *t, __u32 tenant, struct tsw_nets *nets);
struct tsw_prefix_list nets_list(const struct tsw_nets *nets);
bool nets_have(const struct tsw_nets *nets, const struct tsw_addr *addr);

/* -EINVAL: one of the N addresses is there twice. */
int addrs_check(const struct tsw_addr *ip, unsigned int n);

/* -EINVAL: ADDR is the network's or the broadcast address of NET. */
int net_check(const struct tsw_prefix *net, const struct tsw_addr *addr);

/* The same for each net that contains ADDR. */
int nets_check(const struct tsw_prefix_list *nets, const struct tsw_addr *addr);

/* The same for each wanted address that is not an old one: old ones may be older than the net. */
int nets_check_new(const struct tsw_prefix_list *nets, const struct tsw_addr *old,
		   unsigned int n_old, const struct tsw_addr *want, unsigned int n);

/* A net that stays keeps the place where the search for free addresses goes on. */
int nets_put(const struct tsw *t, __u32 tenant, const struct tsw_prefix_list *list);

/* From now on the address rests; with address zero, the tenant's id. */
int addr_give_up(const struct tsw *t, const struct tsw_addr_key *key);

/* *LEFT: for so many ns it still rests; 0: it does not. */
int addr_rests(const struct tsw *t, const struct tsw_addr_key *key, __u64 *left);

#endif
