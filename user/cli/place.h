/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose gateway goes where, so that the hosts carry loads as their weights are, with few moves.
 * Numbers in, numbers out: no maps and no output here.
 *
 * A move *helps* where the host that gets the tenant is then less full (load by weight) than
 * the one that gave it was before. A placement is *level* where no move helps.
 *
 * - Tenants whose host is none of the given ones go first, the largest first, each to where it
 *   makes least full.
 * - If each host then has its share of the load within a tenth, nothing else moves.
 * - Else moves are made until the placement is level, and none of them could be left out
 *   without another move helping again. Where all loads are equal there is no way with fewer moves;
 *   where they are not, to find the fewest is NP-hard.
 *
 * So what came out goes in again without a move. The order of tenants and hosts does not matter:
 * ties go by tenant id and host name.
 */
#ifndef TSW_PLACE_H
#define TSW_PLACE_H

#include <stddef.h>

#include <linux/types.h>

#define PLACE_WEIGHT_MAX 1000000U
#define PLACE_NOWHERE (~0U)

struct place_host {
	const char *name; /* each once */
	__u32 weight;	  /* 1..PLACE_WEIGHT_MAX */
};

struct place_tenant {
	__u32 id;    /* each once */
	__u32 host;  /* where it is: a host's place in the list, or PLACE_NOWHERE */
	__u32 to;    /* the answer */
	__u64 bytes; /* measured */
};

/*
 * A tenant counts as at least a tenth of the mean of all: the silent ones are equal and small,
 * together at most a tenth of the whole, and no host is made level with many moves of next to
 * nothing. At least one host. 0 or -ENOMEM, without message.
 */
int place_spread(const struct place_host *hosts, __u32 n_hosts, struct place_tenant *tenants,
		 __u32 n_tenants);

#endif
