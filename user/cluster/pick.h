/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses addresses for `ip auto`: random ones of a net, which are neither claimed nor at rest. */
#ifndef TSW_CLUSTER_PICK_H
#define TSW_CLUSTER_PICK_H

#include <tsw/object.h>

#include "cluster/prefixes.h"

/* Candidates of a net, read together with the keys that the caller needs, which saves a call. */
enum { PICK_CANDIDATES = 6 };
struct pick {
	struct tsw_addr candidate[PICK_CANDIDATES];
	size_t first; /* index of their first key in the look */
};
int pick_ask(struct pick *p, const struct records *r, __u32 id, const struct tsw_prefix *net,
	     struct look *look);

/* Finds a free candidate that is neither in OTHERS nor in BEHIND. False: no candidate is free. */
bool pick_found(const struct pick *p, const struct look *look, const struct tsw_addr_list *others,
		const struct prefixes *behind, struct tsw_addr *addr);

/*
 * Chooses a free address of NET that is neither in OTHERS nor in BEHIND. Tries some candidates
 * first, which takes the same time for every size of NET. If all of them are taken, reads the
 * claims of 256 addresses at a time. Another host may claim the address before the caller does.
 * -ENOSPC: no address is free.
 */
int pick_address(const struct records *r, __u32 id, const struct tsw_prefix *net,
		 const struct tsw_addr_list *others, const struct prefixes *behind,
		 struct tsw_addr *addr);

/*
 * Chooses a free address of NET, or takes ADDR if that is not zero. The address then rests, by
 * `rest/ID/ADDRESS`, as if it had just been given up. Until that lease ends `auto` chooses it on no
 * host, but a command that names it gets it. Two hosts never choose the same address. -EEXIST: an
 * endpoint or the gateway has it.
 */
int cluster_reserve(struct records *r, const struct tsw_name *tenant, const struct tsw_prefix *net,
		    struct tsw_addr *addr);

#endif
