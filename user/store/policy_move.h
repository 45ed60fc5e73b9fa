/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the connections that policies follow: ABI 7 chooses other buckets than older versions. */
#ifndef TSW_POLICY_MOVE_H
#define TSW_POLICY_MOVE_H

#include <tsw/abi.h>

struct policy_move {
	int from, to; /* maps of connections */
	int policies; /* the map of policies */
	__u32 most;   /* buckets that fit into FROM */
	const struct tsw_config *config;
};

/*
 * Writes each open connection of FROM into the bucket of TO that its hash chooses. A second call,
 * while programs use TO, brings what began or was answered in FROM meanwhile. If both buckets are
 * full, the connection is left out and judged by the rules again. Returns 0 or -errno.
 */
int policy_conns_move(const struct policy_move *move);

#endif
