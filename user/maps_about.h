/* SPDX-License-Identifier: GPL-2.0-only */
/* What maps.c, map_rows.c and maps_about.c share. Other files do not include it. */
#ifndef TSW_MAPS_ABOUT_H
#define TSW_MAPS_ABOUT_H

#include "maps.h"

enum { MAP_KEY_MAX = 128 }; /* octets of any key, and of the kernel's cursor */

struct map_about {
	const char *name;
	size_t key;
	size_t value;
	bool per_cpu;
};
extern const struct map_about map_about[MAP_COUNT];

/* Fails with errno: "cannot WHAT map NAME". */
int map_cannot(const char *what, enum map map);

/* Whether it is a map of devices. The kernel deletes entries with devices and reads no batches. */
bool map_is_of_devices(enum map map);
bool map_is_in_snapshot(const struct maps *maps, enum map map);

/* The octets that the kernel copies for one value; for a per-CPU map the values of all CPUs. */
size_t map_value_len(enum map map);
/* Adds up the __u64 of all CPUs' values, which have LEN octets together. */
void map_add_up(const __u64 *value, size_t value_size, size_t len, __u64 *sum);

#endif
