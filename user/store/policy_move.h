/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections that policies follow: ABI 7 has them in other buckets than versions before it. */
#ifndef TSW_POLICY_MOVE_H
#define TSW_POLICY_MOVE_H

#include <tsw/abi.h>

struct policy_move {
	int from, to; /* maps of connections */
	int policies; /* the map of policies */
	__u32 most;   /* buckets that FROM has room for */
	const struct tsw_config *config;
};

/*
 * Each connection of FROM that is not over is written into the bucket of TO that its hash chooses.
 * The second time, while programs use TO, it brings what was begun or answered in FROM meanwhile.
 * Where both buckets are full the connection is left out, and judged by the rules again.
 * 0, or -errno.
 */
int policy_conns_move(const struct policy_move *move);

#endif
