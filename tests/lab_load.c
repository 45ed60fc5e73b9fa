// SPDX-License-Identifier: GPL-2.0-only
/*
 * The maps of the bench, and its programs, each loaded when it is asked for: to verify all of them
 * would take most of a test's time where the machine is emulated. There even one takes longer than
 * most tests. So the first test pins maps and programs in TSW_LAB, a directory of a bpffs, for the
 * other tests, which empty the maps first.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "kernel/system.h"
#include "lab.h"
#include "lab_load.h"

#define MAP_SIZE 256
#define LARGE_SIZE 65536
#define KEY_MAX 128
#define PROGRAMS_MAX 16
#define PATH_SIZE 256

static struct tsw_bpf *maps;
static struct {
	char name[64];
	int fd;
} programs[PROGRAMS_MAX];

/* Of the programs as they are compiled: what another build left there is not taken (FNV-1a). */
static __u32 digest(void)
{
	static __u32 hash;
	const __u8 *octets;
	size_t size, i;

	if (hash)
		return hash;
	octets = tsw_bpf__elf_bytes(&size);
	for (hash = 2166136261U, i = 0; i < size; i++)
		hash = (hash ^ octets[i]) * 16777619U;
	return hash;
}

/* False: nothing is shared. A bpffs takes no dot in a name. */
static bool pin_of(const char *name, char path[PATH_SIZE])
{
	const char *lab = getenv("TSW_LAB");
	char *dot = path + snprintf(path, PATH_SIZE, "%s/", lab ?: "");

	snprintf(dot, path + PATH_SIZE - dot, "%08x_%s", digest(), name);
	while ((dot = strchr(dot, '.')))
		*dot = '_';
	return lab;
}

static int pinned(const char *name)
{
	char path[PATH_SIZE];

	return pin_of(name, path) ? bpf_obj_get(path) : -1;
}

static int pin(const char *name, int fd)
{
	char path[PATH_SIZE];

	if (!pin_of(name, path) || !bpf_obj_pin(fd, path))
		return 0;
	fprintf(stderr, "# %s cannot be pinned: %s\n", path, strerror(errno));
	return -1;
}

/* What packet_policy_model fills; memory is taken as entries come. */
static bool is_large(const struct bpf_map *map)
{
	return !strncmp(bpf_map__name(map), "tsw_policy_", sizeof("tsw_policy_") - 1) ||
	       !strcmp(bpf_map__name(map), "tsw_conns");
}

/* What is behind a dot tells how it is loaded: `blind`, as where conntrack cannot be read. */
static bool is_named(const struct bpf_program *program, const char *name)
{
	const char *its = bpf_program__name(program);
	const size_t len = strcspn(name, ".");

	return strlen(its) == len && !strncmp(its, name, len);
}

static bool is_blind(const char *name)
{
	return name && strstr(name, ".blind");
}

/* Of its programs that one alone is to be loaded, or none. */
static struct tsw_bpf *open_object(const char *name)
{
	struct tsw_bpf *object = tsw_bpf__open();
	struct bpf_program *program;
	struct bpf_map *map;

	if (!object)
		return NULL;
	object->rodata->tsw_has_kern_ctx = system_has_kfunc("bpf_cast_to_kern_ctx");
	object->rodata->tsw_has_conntrack = system_has_conntrack() && !is_blind(name);
	object->rodata->tsw_has_fast = object->rodata->tsw_has_conntrack;
	object->rodata->tsw_jiffy = system_jiffy();
	bpf_object__for_each_program(program, object->obj) {
		bpf_program__set_autoload(program, name && is_named(program, name));
	}
	bpf_object__for_each_map(map, object->obj) {
		/* What has a size of its own keeps it. */
		if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY && bpf_map__max_entries(map) == 1)
			bpf_map__set_max_entries(map, is_large(map) ? LARGE_SIZE : MAP_SIZE);
	}
	return object;
}

static bool is_array(const struct bpf_map *map)
{
	return bpf_map__type(map) == BPF_MAP_TYPE_ARRAY ||
	       bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/* Constants are frozen, and stay. */
static int clear_array(const struct bpf_map *map)
{
	void *zero = calloc((size_t)libbpf_num_possible_cpus(), bpf_map__value_size(map) + 8);
	int err = zero ? 0 : -1;

	for (__u32 i = 0; !err && i < bpf_map__max_entries(map); i++)
		err = map_update(bpf_map__fd(map), &i, zero, BPF_ANY);
	free(zero);
	return err && errno != EPERM ? -1 : 0;
}

/* A device's entry may go by itself meanwhile. */
static void clear_hash(const struct bpf_map *map)
{
	int fd = bpf_map__fd(map);
	__u8 key[KEY_MAX];

	for (__u32 i = 0; i < bpf_map__max_entries(map); i++) {
		if (bpf_map_get_next_key(fd, NULL, key))
			return;
		bpf_map_delete_elem(fd, key);
	}
}

static int clear(const struct bpf_map *map)
{
	if (!is_array(map)) {
		clear_hash(map);
		return 0;
	}
	if (!clear_array(map))
		return 0;
	fprintf(stderr, "# map %s cannot be emptied: %s\n", bpf_map__name(map), strerror(errno));
	return -1;
}

static bool is_pinned(const char *name)
{
	char path[PATH_SIZE];

	return pin_of(name, path) && !access(path, F_OK);
}

static void unpin(const char *name)
{
	char path[PATH_SIZE];

	if (pin_of(name, path))
		unlink(path);
}

/* Maps that are there already. If some are missing, none is taken: their maker was ended. */
static int take_pinned(bool *all)
{
	struct bpf_program *program;
	struct bpf_map *map;
	int fd, err = 0;

	*all = true;
	bpf_object__for_each_map(map, maps->obj)
		*all = *all && is_pinned(bpf_map__name(map));
	bpf_object__for_each_map(map, maps->obj) {
		fd = *all ? pinned(bpf_map__name(map)) : -1;
		if (!*all)
			unpin(bpf_map__name(map));
		else if (!err)
			err = fd < 0 ? -1 : bpf_map__reuse_fd(map, fd);
		if (fd >= 0)
			close(fd);
	}
	bpf_object__for_each_program(program, maps->obj) {
		if (!*all)
			unpin(bpf_program__name(program));
	}
	return err;
}

struct tsw_bpf *lab_load_maps(void)
{
	struct bpf_map *map;
	bool shared = false;

	maps = open_object(NULL);
	if (!maps)
		return NULL;
	if (getenv("TSW_LAB")) {
		mkdir(getenv("TSW_LAB"), 0700); /* what fails here fails at the pins, and is told */
		if (take_pinned(&shared))
			goto failed;
	}
	if (tsw_bpf__load(maps))
		goto failed;
	bpf_object__for_each_map(map, maps->obj) {
		if (shared ? clear(map) : pin(bpf_map__name(map), bpf_map__fd(map)))
			goto failed;
	}
	return maps;
failed:
	lab_unload();
	return NULL;
}

void lab_unload(void)
{
	for (int i = 0; i < PROGRAMS_MAX && programs[i].fd; i++)
		close(programs[i].fd);
	memset(programs, 0, sizeof(programs));
	tsw_bpf__destroy(maps);
	maps = NULL;
}

/* With these maps; NULL if it cannot be loaded; libbpf has told why. */
static struct tsw_bpf *load(const char *name)
{
	struct tsw_bpf *object = open_object(name);
	struct bpf_map *map, *shared;

	if (!object)
		return NULL;
	bpf_object__for_each_map(map, object->obj) {
		if (is_blind(name) && strstr(bpf_map__name(map), ".rodata"))
			continue; /* its constants are others */
		shared = bpf_object__find_map_by_name(maps->obj, bpf_map__name(map));
		if (!shared || bpf_map__reuse_fd(map, bpf_map__fd(shared)))
			goto failed;
	}
	if (!tsw_bpf__load(object))
		return object;
failed:
	tsw_bpf__destroy(object);
	return NULL;
}

/* The descriptor alone: objects of all programs have more maps than a process may have open. */
static int program_of(const char *name)
{
	struct bpf_program *program = NULL, *each;
	struct tsw_bpf *object;
	int fd = pinned(name);

	if (fd >= 0)
		return fd;
	object = load(name);
	if (!object)
		return -1;
	bpf_object__for_each_program(each, object->obj) {
		if (is_named(each, name))
			program = each;
	}
	fd = program ? fcntl(bpf_program__fd(program), F_DUPFD_CLOEXEC, 0) : -1;
	tsw_bpf__destroy(object);
	return fd < 0 || pin(name, fd) ? -1 : fd;
}

int lab_program_named(const char *name)
{
	int i = 0;

	while (i < PROGRAMS_MAX && programs[i].fd && strcmp(programs[i].name, name) != 0)
		i++;
	if (i < PROGRAMS_MAX && !programs[i].fd) {
		snprintf(programs[i].name, sizeof(programs[i].name), "%s", name);
		programs[i].fd = program_of(name);
	}
	if (i == PROGRAMS_MAX || programs[i].fd < 0) {
		fprintf(stderr, "# program %s cannot be loaded\n", name);
		abort();
	}
	return programs[i].fd;
}
