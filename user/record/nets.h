/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's subnets, and addresses of them that rest. */
#ifndef TSW_RECORD_NETS_H
#define TSW_RECORD_NETS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Empty where there are none. */
int nets_load(const struct tsw *t, __u32 tenant, struct tsw_nets *nets);
struct tsw_prefix_list nets_list(const struct tsw_nets *nets);
bool nets_have(const struct tsw_nets *nets, const struct tsw_addr *addr);

/* An endpoint has each of its N addresses once. */
int addrs_check(const struct tsw_addr *ip, unsigned int n);

/* ADDR is one that a host can have in NET: not the network's or its broadcast address. */
int net_check(const struct tsw_prefix *net, const struct tsw_addr *addr);

/* The same of each net that has it. */
int nets_check(const struct tsw_prefix_list *nets, const struct tsw_addr *addr);

/* The same of each that an endpoint is to have and has not: the others may be older than a net. */
int nets_check_new(const struct tsw_prefix_list *nets, const struct tsw_addr *old,
		   unsigned int n_old, const struct tsw_addr *want, unsigned int n);

/* One that stays goes on behind the address that was taken last. */
int nets_put(const struct tsw *t, __u32 tenant, const struct tsw_prefix_list *list);

/* From now on the address rests; of address zero, the tenant's id. */
int addr_give_up(const struct tsw *t, const struct tsw_addr_key *key);

/* *LEFT: ns that it still rests; 0: it does not. */
int addr_rests(const struct tsw *t, const struct tsw_addr_key *key, __u64 *left);

#endif
