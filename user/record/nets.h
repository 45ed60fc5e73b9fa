/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's subnets. Addresses that an endpoint gave up rest for a while: `auto` does not choose
 * them again for TSW_REST nanoseconds.
 */
#ifndef TSW_RECORD_NETS_H
#define TSW_RECORD_NETS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Reads the tenant's subnets; empty: without an entry. */
int nets_load(const struct tsw *t, __u32 tenant, struct tsw_nets *nets);
struct tsw_prefix_list nets_list(const struct tsw_nets *nets);
bool nets_have(const struct tsw_nets *nets, const struct tsw_addr *addr);

/* -EINVAL: one of the N addresses is given twice. */
int addrs_check(const struct tsw_addr *ip, unsigned int n);

/* -EINVAL: a host cannot have ADDR in NET, for example its broadcast address. */
int net_check(const struct tsw_prefix *net, const struct tsw_addr *addr);

/* Does net_check() for each net that contains ADDR. */
int nets_check(const struct tsw_prefix_list *nets, const struct tsw_addr *addr);

/* Does nets_check() for each address of WANT that is not in OLD, as those may precede the net. */
int nets_check_new(const struct tsw_prefix_list *nets, const struct tsw_addr *old,
		   unsigned int n_old, const struct tsw_addr *want, unsigned int n);

/* Writes the subnets. A net that stays keeps the place where the next search begins. */
int nets_put(const struct tsw *t, __u32 tenant, const struct tsw_prefix_list *list);

/* Makes the address rest from now on. The address zero stands for the tenant's id itself. */
int addr_give_up(const struct tsw *t, const struct tsw_addr_key *key);

/* Sets *LEFT to the nanoseconds that the address still rests; 0: it is free to use. */
int addr_rests(const struct tsw *t, const struct tsw_addr_key *key, __u64 *left);

#endif
