// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "err.h"
#include "maps.h"
#include "system.h"
#include "tsw.skel.h"

enum { PATH_LEN = 256, CHUNK = 1024, CURSOR_LEN = 128, UPDATE_TRIES = 200 };

enum { DROPS_PER_TENANT = 32, DROPS_MAX = 1 << 22 };

/* Each port of both protocols in both families. */
enum { PUBLISH_MAX = 1 << 18, FLOWS_MAX = 1 << 16 };

static const struct {
	const char *name;
	size_t key;
	size_t value;
	bool per_cpu;
} about[MAP_COUNT] = {
	[MAP_CONFIG] = {"tsw_config", sizeof(__u32), sizeof(struct tsw_config), false},
	[MAP_TOTALS] = {"tsw_totals", sizeof(__u32), sizeof(struct tsw_totals), false},
	[MAP_TENANTS] = {"tsw_tenants", sizeof(__u32), sizeof(struct tsw_tenant), false},
	[MAP_TENANT_IDS] = {"tsw_tenant_ids", sizeof(struct tsw_name), sizeof(__u32), false},
	[MAP_HOSTS] = {"tsw_hosts", sizeof(__u32), sizeof(struct tsw_host), false},
	[MAP_HOST_IDS] = {"tsw_host_ids", sizeof(struct tsw_name), sizeof(__u32), false},
	[MAP_VTEPS] = {"tsw_vteps", sizeof(struct tsw_addr), sizeof(__u32), false},
	[MAP_PORTS] = {"tsw_ports", sizeof(__u32), sizeof(struct tsw_port), false},
	[MAP_DEVICES] = {"tsw_devices", sizeof(__u32), sizeof(__u32), false},
	[MAP_FDB] = {"tsw_fdb", sizeof(struct tsw_fdb_key), sizeof(struct tsw_fdb), false},
	[MAP_ADDRS] = {"tsw_addrs", sizeof(struct tsw_addr_key), sizeof(struct tsw_addr_owner),
		       false},
	[MAP_ENDPOINTS] = {"tsw_endpoints", sizeof(struct tsw_endpoint_key),
			   sizeof(struct tsw_endpoint), false},
	[MAP_GROUPS] = {"tsw_groups", sizeof(struct tsw_group_key), sizeof(struct tsw_group),
			false},
	[MAP_STATS] = {"tsw_stats", sizeof(__u32), sizeof(struct tsw_stats), true},
	[MAP_HOST_STATS] = {"tsw_host_stats", sizeof(__u32), sizeof(struct tsw_host_stats), true},
	[MAP_DROPS] = {"tsw_drops", sizeof(struct tsw_drop_key), sizeof(struct tsw_counter), true},
	[MAP_GATEWAYS] = {"tsw_gateways", sizeof(__u32), sizeof(struct tsw_gateway), false},
	[MAP_MARKS] = {"tsw_marks", sizeof(__u32), sizeof(struct tsw_mark), false},
	[MAP_PEERS] = {"tsw_peers", sizeof(struct tsw_peer_key), sizeof(struct tsw_peer), false},
	[MAP_PEER_ROUTES] = {"tsw_peer_routes", sizeof(struct tsw_peer_route_key),
			     sizeof(struct tsw_peer_route), false},
	[MAP_PUBLISH] = {"tsw_publish", sizeof(struct tsw_publish_key), sizeof(struct tsw_publish),
			 false},
	[MAP_FLOWS] = {"tsw_flows", sizeof(struct tsw_flow_key), sizeof(struct tsw_flow), false},
	[MAP_UPLINKS] = {"tsw_uplinks", sizeof(__u32), sizeof(struct tsw_uplink), false},
	[MAP_LIMITS] = {"tsw_limits", sizeof(struct tsw_limit_key), sizeof(struct tsw_limit),
			false},
};

__u32 maps_addrs(__u32 max_tenants, __u32 max_endpoints)
{
	return max_endpoints * TSW_ADDRS_PER_ENDPOINT + max_tenants * TSW_ADDRS_PER_GATEWAY;
}

/* + 1: a change makes the new before it takes away the old. */
static int set_sizes(struct bpf_object *object, __u32 max_tenants, __u32 max_endpoints)
{
	__u64 drops = (__u64)max_tenants * DROPS_PER_TENANT;
	const __u32 size[MAP_COUNT] = {
		[MAP_CONFIG] = 1,
		[MAP_TOTALS] = 1,
		[MAP_TENANTS] = max_tenants + 1,
		[MAP_TENANT_IDS] = max_tenants,
		[MAP_HOSTS] = TSW_MAX_HOSTS,
		[MAP_HOST_IDS] = TSW_MAX_HOSTS,
		[MAP_VTEPS] = TSW_FAMILIES * (TSW_MAX_HOSTS + 1),
		[MAP_PORTS] = max_endpoints + 1,
		[MAP_DEVICES] = max_endpoints + 2,		 /* tsw-gw too */
		[MAP_FDB] = max_endpoints + 1 + max_tenants + 1, /* gateways too */
		[MAP_ADDRS] = maps_addrs(max_tenants, max_endpoints),
		[MAP_ENDPOINTS] = max_endpoints + 1,
		/* Two heads a tenant; an endpoint is in one ring, in two while it moves. */
		[MAP_GROUPS] = 2 * (max_tenants + 1) + 2 * max_endpoints,
		[MAP_STATS] = max_tenants + 1,
		[MAP_HOST_STATS] = TSW_MAX_HOSTS,
		[MAP_DROPS] = drops > DROPS_MAX ? DROPS_MAX : (__u32)drops,
		[MAP_GATEWAYS] = max_tenants,
		[MAP_MARKS] = TSW_GATEWAY_MAX,
		[MAP_PEERS] = TSW_GATEWAY_MAX,
		[MAP_PEER_ROUTES] = TSW_GATEWAY_MAX * TSW_GATEWAY_ADDRS,
		[MAP_PUBLISH] = PUBLISH_MAX,
		[MAP_FLOWS] = FLOWS_MAX,
		[MAP_UPLINKS] = TSW_MAX_UPLINKS,
		[MAP_LIMITS] = max_tenants + 1 + max_endpoints + 1,
	};
	struct bpf_map *map;
	int i, err;

	for (i = 0; i < MAP_COUNT; i++) {
		map = bpf_object__find_map_by_name(object, about[i].name);
		err = map ? bpf_map__set_max_entries(map, size[i]) : -ENOENT;
		if (err)
			return fail(err, "map %s: %s", about[i].name, strerror(-err));
	}
	return 0;
}

static int pin_all(struct bpf_object *object, const char *dir)
{
	struct bpf_program *prog;
	char path[PATH_LEN];
	int i, err;

	for (i = 0; i < MAP_COUNT; i++) {
		snprintf(path, sizeof(path), "%s/maps/%s", dir, about[i].name);
		err = bpf_map__pin(bpf_object__find_map_by_name(object, about[i].name), path);
		if (err)
			return fail(err, "cannot pin %s: %s", path, strerror(-err));
	}
	bpf_object__for_each_program(prog, object)
	{
		snprintf(path, sizeof(path), "%s/progs/%s", dir, bpf_program__name(prog));
		err = bpf_program__pin(prog, path);
		if (err)
			return fail(err, "cannot pin %s: %s", path, strerror(-err));
	}
	return 0;
}

int maps_make(const char *dir, __u32 max_tenants, __u32 max_endpoints)
{
	struct tsw_bpf *skel = tsw_bpf__open();
	int err;

	if (!skel)
		return fail(errno, "cannot read the programs: %s", strerror(errno));
	skel->rodata->tsw_has_kern_ctx = system_has_kfunc("bpf_cast_to_kern_ctx");
	err = set_sizes(skel->obj, max_tenants, max_endpoints);
	if (!err) {
		err = tsw_bpf__load(skel);
		if (err)
			fail(err, "the kernel refused the programs: %s (-vv shows its words)",
			     strerror(-err));
	}
	if (!err)
		err = pin_all(skel->obj, dir);
	tsw_bpf__destroy(skel);
	return err;
}

/* The kernel copies as much as the map has, whatever room we offer. */
static int check_layout(int fd, int map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return fail(errno, "map %s: %s", about[map].name, strerror(errno));
	if (info.key_size == about[map].key && info.value_size == about[map].value)
		return 0;
	return fail(EPROTO,
		    "another version of tsw made this switch, map %s differs: use that one, or "
		    "take it down with switch down",
		    about[map].name);
}

static int open_map(const char *dir, int map)
{
	char path[PATH_LEN];
	int fd, err;

	snprintf(path, sizeof(path), "%s/maps/%s", dir, about[map].name);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT
				       : fail(errno, "cannot open %s: %s", path, strerror(errno));
	err = check_layout(fd, map);
	if (err)
		close(fd);
	return err ? err : fd;
}

int maps_open(struct maps *maps, const char *dir)
{
	int i, fd;

	*maps = (struct maps)MAPS_CLOSED;
	for (i = 0; i < MAP_COUNT; i++) {
		fd = open_map(dir, i);
		if (fd < 0) {
			maps_close(maps);
			return fd;
		}
		maps->fd[i] = fd;
	}
	return 0;
}

void maps_close(struct maps *maps)
{
	int i;

	for (i = 0; i < MAP_COUNT; i++) {
		if (maps->fd[i] >= 0)
			close(maps->fd[i]);
		maps->fd[i] = -1;
	}
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

int map_get(const struct maps *maps, enum map map, const void *key, void *value)
{
	if (!bpf_map_lookup_elem(maps->fd[map], key, value))
		return 0;
	if (errno == ENOENT)
		return -ENOENT;
	return fail(errno, "cannot read map %s: %s", about[map].name, strerror(errno));
}

/*
 * The kernel takes memory for an entry from a reserve that it fills up by and by: entries that
 * come faster, as those of a batch, find it empty for a moment.
 */
static int update(int fd, const void *key, const void *value)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int tries, err = -1;

	for (tries = 0; err && tries < UPDATE_TRIES; tries++) {
		err = bpf_map_update_elem(fd, key, value, BPF_ANY);
		if (!err || errno != ENOMEM)
			break;
		nanosleep(&moment, NULL);
	}
	return err;
}

int map_put(const struct maps *maps, enum map map, const void *key, const void *value)
{
	if (!update(maps->fd[map], key, value))
		return 0;
	if (errno == E2BIG)
		return fail(ENOSPC, "map %s is full", about[map].name);
	return fail(errno, "cannot write map %s: %s", about[map].name, strerror(errno));
}

int map_del(const struct maps *maps, enum map map, const void *key)
{
	if (!bpf_map_delete_elem(maps->fd[map], key) || errno == ENOENT)
		return 0;
	return fail(errno, "cannot delete from map %s: %s", about[map].name, strerror(errno));
}

/* Values of per-CPU maps come one for each CPU that may ever be, eight octets aligned. */
static size_t value_len(enum map map)
{
	size_t len = (about[map].value + 7) / 8 * 8;

	return about[map].per_cpu ? len * (size_t)libbpf_num_possible_cpus() : about[map].value;
}

static void add_up(const __u64 *value, size_t value_size, size_t len, __u64 *sum)
{
	size_t words = value_size / sizeof(__u64), i;

	memset(sum, 0, value_size);
	for (i = 0; i < len / sizeof(__u64); i++)
		sum[i % words] += value[i];
}

static void free_pointer(void *p)
{
	free(*(void **)p);
}

#define cleanup_free __attribute__((cleanup(free_pointer)))

int map_sum(const struct maps *maps, enum map map, const void *key, void *sum)
{
	cleanup_free __u64 *value = calloc(1, value_len(map));
	int err;

	if (!value)
		return fail(ENOMEM, "out of memory");
	err = map_get(maps, map, key, value);
	if (!err)
		add_up(value, about[map].value, value_len(map), sum);
	return err;
}

int map_zero(const struct maps *maps, enum map map, const void *key)
{
	cleanup_free void *value = calloc(1, value_len(map));

	return value ? map_put(maps, map, key, value) : fail(ENOMEM, "out of memory");
}

void rows_free(struct rows *rows)
{
	free(rows->keys);
	free(rows->values);
	rows->keys = rows->values = NULL;
	rows->n = 0;
}

static int rows_add(struct rows *rows, enum map map, const char *keys, const char *values, size_t n)
{
	size_t len = value_len(map), i;
	char *grown;

	grown = realloc(rows->keys, (rows->n + n) * rows->key_size);
	if (!grown)
		return fail(ENOMEM, "out of memory");
	rows->keys = grown;
	grown = realloc(rows->values, (rows->n + n) * rows->value_size);
	if (!grown)
		return fail(ENOMEM, "out of memory");
	rows->values = grown;
	memcpy(rows->keys + rows->n * rows->key_size, keys, n * rows->key_size);
	for (i = 0; i < n; i++, rows->n++) {
		char *to = rows->values + rows->n * rows->value_size;

		if (about[map].per_cpu)
			add_up((const void *)(values + i * len), rows->value_size, len, (void *)to);
		else
			memcpy(to, values + i * len, len);
	}
	return 0;
}

/* Reads on until the kernel says -ENOENT; -ENOSPC: a bucket has more than fits. */
static int read_chunks(const struct maps *maps, enum map map, __u32 room, struct rows *rows)
{
	cleanup_free char *keys = calloc(room, rows->key_size);
	cleanup_free char *values = calloc(room, value_len(map));
	char cursor[CURSOR_LEN];
	bool first = true;
	__u32 n;
	int err = 0, end = 0;

	if (!keys || !values)
		return fail(ENOMEM, "out of memory");
	while (!end && !err) {
		n = room;
		if (bpf_map_lookup_batch(maps->fd[map], first ? NULL : cursor, cursor, keys, values,
					 &n, NULL))
			end = errno;
		first = false;
		if (end == ENOSPC)
			return -ENOSPC;
		if (end && end != ENOENT)
			return fail(end, "cannot read map %s: %s", about[map].name, strerror(end));
		if (n)
			err = rows_add(rows, map, keys, values, n);
	}
	return err;
}

int map_rows(const struct maps *maps, enum map map, struct rows *rows)
{
	__u32 room = CHUNK;
	int err;

	*rows = (struct rows){.key_size = about[map].key, .value_size = about[map].value};
	for (;;) {
		err = read_chunks(maps, map, room, rows);
		if (err != -ENOSPC)
			break;
		rows_free(rows);
		room *= 4;
	}
	if (err)
		rows_free(rows);
	return err;
}
