/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who stands behind whom: the backups of gateways whose first hosts are decided (place.h), in zones
 * apart. Numbers in, numbers out.
 *
 * Each gateway keeps as many hosts as it has. Of those that could be the next one it takes, in this
 * order of weight:
 *
 * - one that is not left out;
 * - one whose zone none before it has, then one whose zone is not known, or beside such ones, then
 *   the others;
 * - one that is not full: the backup of less than twice its share, by weight, of all;
 * - one that it has already, in the order in which it has them;
 * - the backup of the fewest, by weight; by name at last.
 *
 * So what came out goes in again without a change. Gateways are taken in the order given.
 */
#ifndef TSW_PLACE_BACKUP_H
#define TSW_PLACE_BACKUP_H

#include <stdbool.h>

#include <tsw/abi.h>

struct place_backer {
	const char *name; /* each once */
	const char *zone; /* "": not known */
	__u32 weight;	  /* 1..PLACE_WEIGHT_MAX */
	bool left_out;
	__u32 backs; /* the answer: of how many gateways it is a backup */
};

/* Places in the list of hosts. */
struct place_ranks {
	__u32 n_was;
	__u32 was[TSW_GATEWAY_RANKS]; /* in order, or PLACE_NOWHERE */
	__u32 n;		      /* at least 1; how many it is to have, and then has */
	__u32 at[TSW_GATEWAY_RANKS];  /* the first is given */
	bool same_zone;		      /* the answer: two of them are in one zone */
};

void place_backups(struct place_backer *hosts, __u32 n_hosts, struct place_ranks *ranks,
		   __u32 n_ranks);

#endif
