/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places gateways on hosts, so that loads are in proportion to the hosts' weights, with few moves.
 * Numbers in, numbers out: no maps and no output here.
 *
 * A move *helps* if the receiving host is then less full (load by weight) than the giving host was
 * before. A placement is *level* if no move helps.
 *
 * - Tenants whose host is not in the list go first, the largest first, each to the host that is
 *   then least full.
 * - If the load of each host is then within a tenth of its share, nothing else moves.
 * - Else moves are made until the placement is level, and no move could be left out without
 *   another one helping. If all loads are equal, no solution has fewer moves; if not, finding the
 *   fewest is NP-hard.
 *
 * So the result as input causes no move. The order of tenants and hosts does not matter: ties are
 * decided by tenant id and host name.
 */
#ifndef TSW_TOOLS_PLACE_FIRST_H
#define TSW_TOOLS_PLACE_FIRST_H

#include <stddef.h>

#include <linux/types.h>

#define PLACE_WEIGHT_MAX 1000000U
#define PLACE_NOWHERE (~0U)

struct place_host {
	const char *name; /* unique */
	__u32 weight;	  /* 1..PLACE_WEIGHT_MAX */
};

struct place_tenant {
	__u32 id;    /* unique */
	__u32 host;  /* where it is: index of a host, or PLACE_NOWHERE */
	__u32 to;    /* the result */
	__u64 bytes; /* measured */
};

/*
 * A tenant counts as at least a tenth of the mean of all. So silent tenants are equal and small, at
 * most a tenth of the whole together, and hosts are not made level by many tiny moves. Needs at
 * least one host. Returns 0 or -ENOMEM, without message.
 */
int place_spread(const struct place_host *hosts, __u32 n_hosts, struct place_tenant *tenants,
		 __u32 n_tenants);

#endif
