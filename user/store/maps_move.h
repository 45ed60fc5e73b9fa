/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the entries of a map of an older layout into one of today's, while programs use both. */
#ifndef TSW_MAPS_MOVE_H
#define TSW_MAPS_MOVE_H

#include "store/migrate.h"

struct map_move {
	const struct migration *table;
	__u32 abi; /* whose layout `from` has */
	enum map map;
	int from; /* fds */
	int to;
	/* Only for the connections of policies: the key of the hash, and the map of policies. */
	const struct tsw_config *config;
	int policies;
};

/*
 * Entries that TO has already stay as they are, so a second call brings those that programs added
 * to FROM meanwhile. Counters start as zeros.
 */
int map_move_entries(const struct map_move *move);

/*
 * Adds the counters of FROM to those of TO, and leaves zeros in FROM. It is exact while programs
 * count in TO, and if it is killed and repeated. No program may count in FROM any more.
 */
int map_move_counts(const struct map_move *move);

#endif
