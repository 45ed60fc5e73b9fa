/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned maps: the only way to them. All functions return 0 or a negative
 * errno with the message set; where absence is an answer, -ENOENT comes without.
 */
#ifndef TSW_MAPS_H
#define TSW_MAPS_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

enum map {
	MAP_CONFIG,
	MAP_TOTALS,
	MAP_TENANTS,
	MAP_TENANT_IDS,
	MAP_HOSTS,
	MAP_HOST_IDS,
	MAP_VTEPS,
	MAP_PORTS,
	MAP_DEVICES,
	MAP_FDB,
	MAP_ADDRS,
	MAP_ENDPOINTS,
	MAP_GROUPS,
	MAP_STATS,
	MAP_HOST_STATS,
	MAP_DROPS,
	MAP_GATEWAYS,
	MAP_MARKS,
	MAP_PEERS,
	MAP_PEER_ROUTES,
	MAP_PUBLISH,
	MAP_FLOWS,
	MAP_UPLINKS,
	MAP_LIMITS,
	MAP_WATCH,
	MAP_WATCHERS,
	MAP_WATCH_METERS,
	MAP_WATCH_EVENTS,
	MAP_FAIR,
	MAP_FAIR_SEEN,
	MAP_CONNS,
	MAP_COUNT
};

struct maps {
	int fd[MAP_COUNT];
};

#define MAPS_CLOSED                                  \
	{                                            \
		.fd = { [0 ... MAP_COUNT - 1] = -1 } \
	}

/* How many addresses such maps have room for. */
__u32 maps_addrs(__u32 max_tenants, __u32 max_endpoints);

/* Opens what is pinned below DIR; -ENOENT without message where a map is missing. */
int maps_open(struct maps *maps, const char *dir);
/* OBJECT, which is not loaded yet, gets these maps for its own. */
struct bpf_object;
int maps_reuse(struct bpf_object *object, const struct maps *maps);
void maps_close(struct maps *maps);

/* Those that are there in today's layout; the others stay closed. No error, maybe a message. */
void maps_open_known(struct maps *maps, const char *dir);

/* The configuration as its ABI version has it, zero behind it; -ENOENT without message. */
int maps_read_config(const char *dir, void *config, size_t room);

const char *map_name(enum map map);

/* What is pinned below DIR under its name is this map, and not another. */
bool maps_pinned(const struct maps *maps, enum map map, const char *dir);

__u64 maps_bytes(const struct maps *maps);

struct map_usage {
	const char *name;
	__u32 capacity;
	__u64 bytes; /* of memory, as the kernel accounts for it */
};

int map_usage(const struct maps *maps, enum map map, struct map_usage *usage);

int map_get(const struct maps *maps, enum map map, const void *key, void *value);
int map_put(const struct maps *maps, enum map map, const void *key, const void *value);
int map_del(const struct maps *maps, enum map map, const void *key); /* absent: done */

/* Per-CPU maps: the sum over all CPUs of a value made of __u64; and an entry of zeros. */
int map_sum(const struct maps *maps, enum map map, const void *key, void *sum);
int map_zero(const struct maps *maps, enum map map, const void *key);

/* What one CPU has of it. */
int map_of_cpu(const struct maps *maps, enum map map, const void *key, int cpu, void *value);

bool map_is_empty(const struct maps *maps, enum map map);

/* All entries at one moment, or nearly so; per-CPU values are summed. */
struct rows {
	char *keys;
	char *values;
	size_t n;
	size_t key_size;
	size_t value_size;
	bool counting; /* nothing is kept of them */
};

int map_rows(const struct maps *maps, enum map map, struct rows *rows);

/* How many entries there are. */
int map_count(const struct maps *maps, enum map map, size_t *n);
void rows_free(struct rows *rows);

#define cleanup_rows __attribute__((cleanup(rows_free)))
#define row_key(rows, i) ((const void *)((rows)->keys + (i) * (rows)->key_size))
#define row_value(rows, i) ((const void *)((rows)->values + (i) * (rows)->value_size))

#endif
