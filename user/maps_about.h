/* SPDX-License-Identifier: GPL-2.0-only */
/* What the functions on maps share: nothing else includes it. */
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

/* Fails with errno. */
int map_cannot(const char *what, enum map map);

/* The kernel removes entries when their devices go, and cannot read all at once. */
bool map_is_of_devices(enum map map);
bool map_is_in_snapshot(const struct maps *maps, enum map map);

/* Octets that the kernel gives for a value: of a per-CPU map one value for each CPU. */
size_t map_value_len(enum map map);
void map_add_up(const __u64 *value, size_t value_size, size_t len, __u64 *sum);

#endif
