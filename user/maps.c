// SPDX-License-Identifier: GPL-2.0-only
/* Opens the pinned maps, and reads and writes their entries. Whole maps: map_rows.c. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/map_update.h"
#include "maps_about.h"
#include "store/pins.h"

enum { PATH_LEN = 256 };

/* Compares the sizes, because the kernel copies a whole value into our buffer, however small. */
static int check_layout(int fd, int map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return fail(errno, "map %s: %s", map_about[map].name, strerror(errno));
	if (info.key_size == map_about[map].key && info.value_size == map_about[map].value)
		return 0;
	return fail(EPROTO,
		    "map %s has another version's layout: run switch upgrade, or take the switch "
		    "down with switch down",
		    map_about[map].name);
}

static int open_map(const char *dir, int map, bool writes)
{
	char path[PATH_LEN];
	int fd, err;

	snprintf(path, sizeof(path), "%s/maps/%s", dir, map_about[map].name);
	fd = pin_open_at(path, writes);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT
				       : fail(errno, "cannot open %s: %s", path, strerror(errno));
	err = check_layout(fd, map);
	if (err)
		close(fd);
	return err ?: fd;
}

int maps_open(struct maps *maps, const char *dir, bool writes)
{
	int i, fd;

	*maps = (struct maps)MAPS_CLOSED;
	for (i = 0; i < MAP_COUNT; i++) {
		fd = open_map(dir, i, writes);
		if (fd < 0) {
			maps_close(maps);
			return fd;
		}
		maps->fd[i] = fd;
	}
	return 0;
}

void maps_open_known(struct maps *maps, const char *dir)
{
	int i, fd;

	for (i = 0; i < MAP_COUNT; i++) {
		fd = open_map(dir, i, true);
		maps->fd[i] = fd < 0 ? -1 : fd;
	}
}

int maps_read_config(const char *dir, void *config, size_t room)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), zero = 0;
	char path[PATH_LEN];
	cleanup_close int fd = -1;

	snprintf(path, sizeof(path), "%s/maps/%s", dir, map_about[MAP_CONFIG].name);
	fd = pin_open_at(path, false);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return fail(errno, "cannot open %s: %s", path, strerror(errno));
	if (info.key_size != sizeof(zero) || info.value_size > room)
		return fail(EPROTO, "%s is not a configuration that this tsw knows", path);
	memset(config, 0, room);
	if (bpf_map_lookup_elem(fd, &zero, config))
		return fail(errno, "cannot read %s: %s", path, strerror(errno));
	return 0;
}

int maps_reuse(struct bpf_object *object, const struct maps *maps)
{
	int i, err;

	for (i = 0; i < MAP_COUNT; i++) {
		err = bpf_map__reuse_fd(bpf_object__find_map_by_name(object, map_about[i].name),
					maps->fd[i]);
		if (err)
			return fail(err, "map %s: %s", map_about[i].name, strerror(-err));
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

/* The kernel's id of a map; 0: no such map. */
static __u32 map_id(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	return fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

bool maps_pinned(const struct maps *maps, enum map map, const char *dir)
{
	cleanup_close int fd = -1;
	char path[PATH_LEN];
	__u32 id;

	snprintf(path, sizeof(path), "%s/maps/%s", dir, map_about[map].name);
	fd = pin_open_at(path, false);
	id = map_id(fd);
	return id && id == map_id(maps->fd[map]);
}

bool map_is_empty(const struct maps *maps, enum map map)
{
	char key[MAP_KEY_MAX];

	return bpf_map_get_next_key(maps->fd[map], NULL, key) && errno == ENOENT;
}

static int get(const struct maps *maps, enum map map, const void *key, void *value, __u64 flags)
{
	if (!bpf_map_lookup_elem_flags(maps->fd[map], key, value, flags))
		return 0;
	return errno == ENOENT ? -ENOENT : map_cannot("read", map);
}

int map_get_any(const struct maps *maps, enum map map, const void *key, void *value)
{
	const void *found;
	int err;

	if (!map_is_in_snapshot(maps, map))
		return get(maps, map, key, value, 0);
	err = snapshot_index(maps, map, maps->snapshot);
	found = err ? NULL : snapshot_get(maps->snapshot, map, key);
	if (!found)
		return err ?: -ENOENT;
	memcpy(value, found, map_about[map].value);
	return 0;
}

int map_get_or_zero_any(const struct maps *maps, enum map map, const void *key, void *value)
{
	int err = map_get_any(maps, map, key, value);

	if (err)
		memset(value, 0, map_about[map].value);
	return err == -ENOENT ? 0 : err;
}

int map_get_locked(const struct maps *maps, enum map map, const void *key, void *value)
{
	return get(maps, map, key, value, BPF_F_LOCK);
}

/*
 * Keeps an existing entry of a map of devices. To replace it, the kernel would first remove it, and
 * a frame in between would find no device. The entry is the same anyway: key and value are the
 * device's index, and the kernel removes the entry with its device.
 */
int map_put_any(const struct maps *maps, enum map map, const void *key, const void *value)
{
	const bool device = map_is_of_devices(map);

	if (!map_update(maps->fd[map], key, value, device ? BPF_NOEXIST : BPF_ANY) ||
	    (device && errno == EEXIST))
		return 0;
	if (errno == E2BIG)
		return fail(ENOSPC, "map %s is full", map_about[map].name);
	return map_cannot("write", map);
}

int map_del_any(const struct maps *maps, enum map map, const void *key)
{
	if (!bpf_map_delete_elem(maps->fd[map], key) || errno == ENOENT)
		return 0;
	return map_cannot("delete from", map);
}

int map_store_any(const struct maps *maps, enum map map, const void *key, const void *value,
		  void *old)
{
	int err = map_get_or_zero_any(maps, map, key, old);

	if (err || !memcmp(old, value, map_about[map].value))
		return err;
	memset(old, 0, map_about[map].value);
	return memcmp(old, value, map_about[map].value) ? map_put_any(maps, map, key, value)
							: map_del_any(maps, map, key);
}

int map_take_locked(const struct maps *maps, enum map map, const void *key, void *value)
{
	if (!bpf_map_lookup_and_delete_elem_flags(maps->fd[map], key, value, BPF_F_LOCK))
		return 0;
	return errno == ENOENT ? -ENOENT : map_cannot("take from", map);
}

int map_put_back(const struct maps *maps, enum map map, const void *key, const void *value)
{
	if (!map_update(maps->fd[map], key, value, BPF_NOEXIST))
		return 0;
	return errno == EEXIST ? -EEXIST : map_cannot("write", map);
}

int map_sum_any(const struct maps *maps, enum map map, const void *key, void *sum)
{
	cleanup_free __u64 *value = calloc(1, map_value_len(map));
	int err;

	if (!value)
		return fail_memory();
	err = map_get_any(maps, map, key, value);
	if (!err)
		map_add_up(value, map_about[map].value, map_value_len(map), sum);
	return err;
}

int map_of_cpu(const struct maps *maps, enum map map, const void *key, int cpu, void *value)
{
	cleanup_free char *values = calloc(1, map_value_len(map));
	size_t each = map_value_len(map) / (size_t)libbpf_num_possible_cpus();
	int err;

	if (!values)
		return fail_memory();
	err = map_get_any(maps, map, key, values);
	if (!err)
		memcpy(value, values + (size_t)cpu * each, map_about[map].value);
	return err;
}

int map_zero_any(const struct maps *maps, enum map map, const void *key)
{
	cleanup_free void *value = calloc(1, map_value_len(map));

	return value ? map_put_any(maps, map, key, value) : fail_memory();
}
