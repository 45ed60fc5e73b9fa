/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the connections of policies to the buckets that ABI 7 chooses by another hash. */
#ifndef TSW_POLICY_MOVE_H
#define TSW_POLICY_MOVE_H

#include <tsw/abi.h>

struct policy_move {
	int from, to; /* maps of connections */
	int policies; /* the map of policies */
	__u32 most;   /* the most buckets that FROM has */
	const struct tsw_config *config;
};

/*
 * Writes each open connection of FROM into one of the two buckets of TO that its hash chooses. A
 * second call, while programs use TO, adds connections that began or were answered in FROM
 * meanwhile. A connection is left out if both buckets are full; then the rules judge it again.
 * Returns 0 or -errno.
 */
int policy_conns_move(const struct policy_move *move);

#endif
