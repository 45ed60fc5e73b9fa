// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "kernel/netns.h"
#include "kernel/tunnel.h"
#include "loader.h"
#include "store/attach.h"
#include "store/config.h"
#include "store/maps_held.h"
#include "store/pins.h"
#include "tsw.skel.h"

/* A program has all maps of the switch, see hold_maps(), and some of its own. */
enum { MAPS_MOST = 2 * MAP_COUNT, KERNEL_NAME = BPF_OBJ_NAME_LEN - 1 };

/* The kernel's ids of the switch's programs and maps; 0: not found. */
struct held {
	__u32 prog[PROG_COUNT];
	__u32 map[MAP_COUNT];
};

static bool has_map(const struct tsw *t, enum map map)
{
	return pin_exists(t->instance, "maps", map_name(map));
}

/* The id of the map that is pinned under this name, or 0. */
static __u32 pinned_map(const struct tsw *t, enum map map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = pin_open(t->instance, "maps", map_name(map));

	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.id = 0;
	close(fd);
	return info.id;
}

/* Which map ID is, by the 15 characters of its name that the kernel keeps. MAP_COUNT: unknown. */
static enum map kind_of(__u32 id)
{
	int fd = bpf_map_get_fd_by_id(id);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	enum map map = 0;

	if (fd < 0)
		return MAP_COUNT;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.name[0] = '\0';
	close(fd);
	while (map < MAP_COUNT && strncmp(info.name, map_name(map), KERNEL_NAME))
		map++;
	return map;
}

/* Whether the configuration map ID names this switch's tunnel device, in this namespace. */
static bool is_of_instance(const struct tsw *t, __u32 id)
{
	struct maps maps = MAPS_CLOSED;
	struct tsw_config config = {};
	const __u32 zero = 0;
	__u32 here = 0;

	maps.fd[MAP_CONFIG] = bpf_map_get_fd_by_id(id);
	if (maps.fd[MAP_CONFIG] < 0)
		return false;
	if (map_get(&maps, MAP_CONFIG, &zero, &config))
		config.netns = 0;
	maps_close(&maps);
	return config.abi == TSW_ABI_VERSION && !netns_inode(&here) && config.netns == here &&
	       tunnel_is_of(config.tunnel, t->instance);
}

/* Whether the maps FOUND belong to this switch. KNOWN are those with a pin. */
static bool is_ours(const struct tsw *t, const struct held *known, const struct held *found)
{
	bool any = false;
	int i;

	for (i = 0; i < MAP_COUNT; i++) {
		if (known->map[i] && known->map[i] == found->map[i])
			return true;
		any |= known->map[i];
	}
	return !any && found->map[MAP_CONFIG] && is_of_instance(t, found->map[MAP_CONFIG]);
}

static void look_at(const struct tsw *t, __u32 id, const struct held *known, struct held *held)
{
	__u32 ids[MAPS_MOST] = {}, len, i;
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MOST, .map_ids = (__u64)(unsigned long)ids};
	struct held found = {};
	enum prog prog = 0;
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return;
	len = sizeof(info);
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	while (prog < PROG_COUNT && strncmp(info.name, prog_name(prog), KERNEL_NAME))
		prog++;
	if (err || prog == PROG_COUNT)
		return;
	for (i = 0; i < info.nr_map_ids && i < MAPS_MOST; i++) {
		enum map map = kind_of(ids[i]);

		if (map < MAP_COUNT)
			found.map[map] = ids[i];
	}
	if (!is_ours(t, known, &found))
		return;
	held->prog[prog] = id;
	for (i = 0; i < MAP_COUNT; i++)
		if (found.map[i])
			held->map[i] = found.map[i];
}

static int find(const struct tsw *t, struct held *held)
{
	struct held known = {};
	__u32 id = 0;
	int i;

	memset(held, 0, sizeof(*held));
	for (i = 0; i < MAP_COUNT; i++)
		known.map[i] = pinned_map(t, i);
	while (!bpf_prog_get_next_id(id, &id))
		look_at(t, id, &known, held);
	if (errno == ENOENT)
		return 0;
	return fail(errno, "cannot look for the switch's programs in the kernel: %s%s",
		    strerror(errno), errno == EPERM ? " (CAP_SYS_ADMIN is needed for it)" : "");
}

/* Pins and closes FD. */
static int pin(const struct tsw *t, int fd, const char *part, const char *name)
{
	char path[PINS_PATH];
	int err;

	pin_path(path, t->instance, part, name);
	if (fd < 0 && errno == ENOENT)
		return fail(
			ENOENT,
			"the kernel no longer has the object of %s: take the switch down and up, "
			"and apply a saved state",
			path);
	if (fd < 0)
		return fail(errno, "cannot open the object of %s: %s", path, strerror(errno));
	err = bpf_obj_pin(fd, path) ? fail(errno, "cannot pin %s: %s", path, strerror(errno)) : 0;
	close(fd);
	if (!err)
		detail(&t->log, "pinned %s again", path);
	return err;
}

static int pin_maps(const struct tsw *t, const struct held *held)
{
	int err = 0, i;

	for (i = 0; !err && i < MAP_COUNT; i++) {
		if (has_map(t, i))
			continue;
		if (!held->map[i])
			return fail(ENOENT,
				    "map %s of switch %s is lost: take the switch down and up, and "
				    "apply a saved state",
				    map_name(i), quoted(t->instance));
		err = pin(t, bpf_map_get_fd_by_id(held->map[i]), "maps", map_name(i));
	}
	return err;
}

static int pin_progs(const struct tsw *t, const struct held *held)
{
	int err = 0, i;

	for (i = 0; !err && i < PROG_COUNT; i++)
		if (held->prog[i] && !prog_is_pinned(t, i))
			err = pin(t, bpf_prog_get_fd_by_id(held->prog[i]), "progs", prog_name(i));
	return err;
}

static unsigned int lacking_progs(const struct tsw *t)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < PROG_COUNT; i++)
		n += !prog_is_pinned(t, i);
	return n;
}

/* Loads the programs again that were not attached, and so were lost with their pins. */
static int load_lacking(const struct tsw *t)
{
	struct bpf_program *prog;
	struct tsw_bpf *skel;
	int err, i;

	if (!lacking_progs(t))
		return 0;
	err = programs_open(&skel);
	if (err)
		return err;
	err = maps_reuse(skel->obj, &t->maps);
	for (i = 0; i < PROG_COUNT; i++) {
		prog = bpf_object__find_program_by_name(skel->obj, prog_name(i));
		bpf_program__set_autoload(prog, !prog_is_pinned(t, i));
	}
	err = err ?: programs_load(skel);
	for (i = 0; !err && i < PROG_COUNT; i++) {
		prog = bpf_object__find_program_by_name(skel->obj, prog_name(i));
		if (!prog_is_pinned(t, i))
			err = pin(t, dup(bpf_program__fd(prog)), "progs", prog_name(i));
	}
	tsw_bpf__destroy(skel);
	return err;
}

/* Whether a killed `switch upgrade` made the map but had not put it in place. */
static bool has_next_map(const struct tsw *t, enum map map)
{
	return pin_exists(t->instance, PINS_NEXT "/maps", map_name(map));
}

int held_check(const struct tsw *t, json_t *problems, unsigned int *maps)
{
	char object[64];
	int i;

	*maps = 0;
	for (i = 0; i < MAP_COUNT; i++) {
		if (has_map(t, i))
			continue;
		++*maps;
		if (has_next_map(t, i))
			continue;
		snprintf(object, sizeof(object), "maps/%s", map_name(i));
		problem(problems, "pin", object,
			"the pin is gone: frames are forwarded as before, but no other command "
			"works until switch repair");
	}
	for (i = 0; i < PROG_COUNT; i++) {
		/* An unfinished upgrade brings programs that the older switch did not have. */
		if (prog_is_pinned(t, i) ||
		    pin_exists(t->instance, PINS_NEXT "/progs", prog_name(i)))
			continue;
		snprintf(object, sizeof(object), "progs/%s", prog_name(i));
		problem(problems, "pin", object,
			"the pin is gone: the program runs where it is attached, but cannot be "
			"attached to other devices until switch repair");
	}
	return 0;
}

static unsigned int lacking_maps(const struct tsw *t)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < MAP_COUNT; i++)
		n += !has_map(t, i);
	return n;
}

int held_pin(struct tsw *t)
{
	bool had_pins = pins_exist(t->instance);
	struct held held;
	int err;

	if (had_pins && pins_are_whole(t->instance) && !lacking_maps(t) && !lacking_progs(t))
		return 0;
	err = find(t, &held);
	if (!err && !had_pins && !held.map[MAP_CONFIG])
		return config_no_switch(t);
	err = err ?: pins_mend(t->instance);
	err = err ?: pin_progs(t, &held);
	return err ?: pin_maps(t, &held);
}

int held_mend(struct tsw *t)
{
	char dir[PINS_PATH];
	int err = held_pin(t);

	if (err || !lacking_progs(t))
		return err;
	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir, true);
	err = err ?: load_lacking(t);
	maps_close(&t->maps);
	return err;
}
