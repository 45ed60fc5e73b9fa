/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps' entries, each map read once, to be compared with each other. */
#ifndef TSW_SNAPSHOT_H
#define TSW_SNAPSHOT_H

#include "store/tsw.h"

struct snapshot {
	struct rows rows[MAP_COUNT];
	size_t *order[MAP_COUNT]; /* of the rows, by key */
};

/* Without the maps that only programs know: counters, flows, devices. */
int snapshot_read(const struct tsw *t, struct snapshot *s);
void snapshot_free(struct snapshot *s);

/* The value of KEY; NULL: there is none. */
const void *snapshot_get(const struct snapshot *s, enum map map, const void *key);

/* What an operator calls it: the name, or in its absence the number. One buffer, used again. */
const char *snapshot_tenant(const struct snapshot *s, __u32 tenant);

#define cleanup_snapshot __attribute__((cleanup(snapshot_free)))

#endif
