/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the entries of a map with an older layout to a new map, while programs use both. */
#ifndef TSW_MAPS_MOVE_H
#define TSW_MAPS_MOVE_H

#include "store/migrate.h"

struct map_move {
	const struct migration *table;
	__u32 abi; /* the version whose layout `from` has */
	enum map map;
	int from; /* fds */
	int to;
	/* For MAP_POLICY_CONNS only: `config` has the hash's secret; fd of the map of policies. */
	const struct tsw_config *config;
	int policies;
};

/*
 * Copies the entries. Entries that TO has already stay, so a second call only adds those that
 * programs added to FROM meanwhile. Counters start as zeros.
 */
int map_move_entries(const struct map_move *move);

/*
 * Adds the counters of FROM to those of TO, and sets FROM to zeros. The sums are exact even while
 * programs count in TO, or if a killed call is repeated. No program may still count in FROM.
 */
int map_move_counts(const struct map_move *move);

#endif
