// SPDX-License-Identifier: GPL-2.0-only
/* Names, types and sizes of the maps. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "maps_about.h"

const struct map_about map_about[MAP_COUNT] = {
#define ONE false
#define EACH_CPU true
#define X(NAME, name, key, value, cpus) \
	[MAP_##NAME] = {"tsw_" #name, sizeof(key), sizeof(value), cpus},
	TSW_MAPS(X)
#undef X
#undef EACH_CPU
#undef ONE
};

const char *map_name(enum map map)
{
	return map_about[map].name;
}

static __u64 map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

__u64 maps_bytes(const struct maps *maps)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < MAP_COUNT; i++)
		sum += map_bytes(maps->fd[i]);
	return sum;
}

int map_usage(const struct maps *maps, enum map map, struct map_usage *usage)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(maps->fd[map], &info, &len))
		return fail(errno, "map %s: %s", map_about[map].name, strerror(errno));
	*usage = (struct map_usage){.name = map_about[map].name,
				    .capacity = info.max_entries,
				    .bytes = map_bytes(maps->fd[map])};
	return 0;
}

int map_cannot(const char *what, enum map map)
{
	return fail(errno, "cannot %s map %s: %s", what, map_about[map].name, strerror(errno));
}

bool map_is_of_devices(enum map map)
{
	return map == MAP_DEVICES || map == MAP_CRYPT_DEVICES;
}

/* Leaves out counters, which are summed, and devices, which may disappear at any time. */
bool map_is_in_snapshot(const struct maps *maps, enum map map)
{
	return maps->snapshot && !map_about[map].per_cpu && !map_is_of_devices(map);
}

/* A per-CPU map has a value for each possible CPU, each padded to eight octets. */
size_t map_value_len(enum map map)
{
	size_t len = (map_about[map].value + 7) / 8 * 8;

	return map_about[map].per_cpu ? len * (size_t)libbpf_num_possible_cpus()
				      : map_about[map].value;
}

void map_add_up(const __u64 *value, size_t value_size, size_t len, __u64 *sum)
{
	size_t words = value_size / sizeof(__u64), i;

	memset(sum, 0, value_size);
	for (i = 0; i < len / sizeof(__u64); i++)
		sum[i % words] += value[i];
}
