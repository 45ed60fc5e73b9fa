/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a map of an older layout goes into one of today's, while programs use both. */
#ifndef TSW_MAPS_MOVE_H
#define TSW_MAPS_MOVE_H

#include "store/migrate.h"

struct map_move {
	const struct migration *table;
	__u32 abi; /* whose layout `from` has */
	enum map map;
	int from; /* fds */
	int to;
	/* For the connections of policies alone: the hash's key, and the map of policies. */
	const struct tsw_config *config;
	int policies;
};

/*
 * Entries that TO has stay as they are: so the second time brings what programs added to FROM
 * meanwhile. Counters come as zeros.
 */
int map_move_entries(const struct map_move *move);

/*
 * Adds what was counted in FROM to TO, and leaves zeros. Exact while programs count in TO, and
 * where it is killed and done again; no program may count in FROM any more.
 */
int map_move_counts(const struct map_move *move);

#endif
