/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts entries of maps of an older ABI. A new ABI adds a step for each map that it changes, and
 * leaves older steps as they are. An entry passes all steps from its own version on.
 */
#ifndef TSW_MIGRATE_H
#define TSW_MIGRATE_H

#include "maps.h"

enum { MIGRATE_MOST = 1024 }; /* octets of a key or a value, of any version */

struct migration {
	__u32 from; /* ABI version; the step leads to the next */
	enum map map;
	__u32 key; /* octets in version FROM */
	__u32 value;
	/*
	 * Converts key and value in place. Both have MIGRATE_MOST octets; those behind the
	 * layout of FROM are zero. NULL: the only change is new members at the end, which start as
	 * zero. Counters have zeros here, because map_move_counts() adds the counts later.
	 */
	void (*convert)(void *key, void *value);
};

/* Sorted by `from`; ends with a row whose `from` is 0. */
extern const struct migration migrations[];

/* The first step for a map of ABI version FROM; NULL: its layout is today's. */
const struct migration *migrate_first(const struct migration *table, __u32 from, enum map map);

/* Converts an entry in place by all steps. KEY and VALUE have room for MIGRATE_MOST octets. */
void migrate_entry(const struct migration *table, __u32 from, enum map map, void *key, void *value);

#endif
