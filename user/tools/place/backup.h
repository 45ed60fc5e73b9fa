/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the backups of gateways whose first hosts are decided (first.h), in different zones.
 * Numbers in, numbers out.
 *
 * Each gateway keeps its number of hosts. For the next backup these rules apply, in this order:
 *
 * - Prefer a host that is not left out.
 * - Prefer a host whose zone none of the earlier ones has, then one where a zone is not known, then
 *   the others.
 * - Prefer a host that is not full: that backs less than twice its share of all, by weight.
 * - Prefer a host that it has already, in their order.
 * - Prefer the host that backs the fewest by weight, then by name.
 *
 * So the result as input changes nothing. Gateways are decided in the order given.
 */
#ifndef TSW_TOOLS_PLACE_BACKUP_H
#define TSW_TOOLS_PLACE_BACKUP_H

#include <stdbool.h>

#include <tsw/abi.h>

struct place_backer {
	const char *name; /* unique */
	const char *zone; /* "": unknown */
	__u32 weight;	  /* 1..PLACE_WEIGHT_MAX */
	bool left_out;
	__u32 backs; /* the result: of how many gateways it is a backup */
};

/* Hosts of a gateway, by their index in the list. */
struct place_ranks {
	__u32 n_was;
	__u32 was[TSW_GATEWAY_RANKS]; /* in order, or PLACE_NOWHERE */
	__u32 n;		      /* at least 1: how many it gets */
	__u32 at[TSW_GATEWAY_RANKS];  /* the first is given, the others are the result */
	bool same_zone;		      /* the result: two of them are in one zone */
};

void place_backups(struct place_backer *hosts, __u32 n_hosts, struct place_ranks *ranks,
		   __u32 n_ranks);

#endif
