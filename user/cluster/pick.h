/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ip auto` gets: a random address of a net that nobody has and that does not rest. */
#ifndef TSW_CLUSTER_PICK_H
#define TSW_CLUSTER_PICK_H

#include <tsw/object.h>

#include "cluster/record.h"

/* Some of a net, which are looked at together with what else is asked for: that saves a call. */
enum { PICK_CANDIDATES = 6 };
struct pick {
	struct tsw_addr candidate[PICK_CANDIDATES];
	size_t first; /* in the look */
};
int pick_ask(struct pick *p, const struct records *r, __u32 id, const struct tsw_prefix *net,
	     struct look *look);

/* One that is free, and none of OTHERS. False: somebody has each of them. */
bool pick_found(const struct pick *p, const struct look *look, const struct tsw_addr_list *others,
		struct tsw_addr *addr);

/*
 * One of NET, but none of OTHERS. Some are tried first, which takes as long whatever the size of
 * the net; only where all of these are taken claims are read, of 256 addresses at a time. It is
 * free when it is looked for: who claims it may find that somebody else did. -ENOSPC: none is.
 */
int pick_address(const struct records *r, __u32 id, const struct tsw_prefix *net,
		 const struct tsw_addr_list *others, struct tsw_addr *addr);

#endif
