/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ip auto` gets: a random address of a net that nobody has and that does not rest. */
#ifndef TSW_CLUSTER_PICK_H
#define TSW_CLUSTER_PICK_H

#include <tsw/object.h>

#include "cluster/record.h"

/*
 * One of NET, but none of OTHERS. Some are tried first, which takes as long whatever the size of
 * the net; only where all of these are taken all claims of the tenant are read. It is free when it
 * is looked for: who claims it may find that somebody else did. -ENOSPC: none is.
 */
int pick_address(const struct records *r, __u32 id, const struct tsw_prefix *net,
		 const struct tsw_addr_list *others, struct tsw_addr *addr);

/*
 * The same without looking, which saves a call and is right for all but full nets: who claims it
 * finds out, and pick_check() puts into that change that it does not rest.
 */
int pick_unseen(const struct tsw_prefix *net, const struct tsw_addr_list *others,
		struct tsw_addr *addr);
void pick_check(const struct records *r, __u32 id, const struct tsw_addr *addr, struct change *c);

#endif
