/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an entry of a map of an older ABI is today. A change of ABI adds a step for each map that it
 * changes, and steps are never changed: an entry goes through all those behind its own version.
 */
#ifndef TSW_MIGRATE_H
#define TSW_MIGRATE_H

#include "maps.h"

enum { MIGRATE_MOST = 1024 }; /* octets of a key or a value, of any version */

struct migration {
	__u32 from; /* ABI version; the step leads to the next */
	enum map map;
	__u32 key; /* octets, as FROM has them */
	__u32 value;
	/*
	 * In place: of MIGRATE_MOST octets each, zero behind what FROM has. NULL: what is
	 * new comes last, and is zero to begin with. The value of a counter is for what is added
	 * up later: zeros.
	 */
	void (*convert)(void *key, void *value);
};

/* Ascending by `from`; an entry whose `from` is 0 ends it. */
extern const struct migration migrations[];

/* The first step of a map that ABI version FROM has; NULL: it is today's. */
const struct migration *migrate_first(const struct migration *table, __u32 from, enum map map);

/* KEY and VALUE have room for MIGRATE_MOST octets. */
void migrate_entry(const struct migration *table, __u32 from, enum map map, void *key, void *value);

#endif
