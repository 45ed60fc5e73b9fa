// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "store/attach.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "door/door_link.h"
#include "door/router.h"
#include "kernel/netns.h"
#include "store/maps_move.h"
#include "store/pins.h"
#include "switch/swap.h"
#include "switch/swap_door.h"

enum { NAME_LEN = 64, KERNEL_NAME = BPF_OBJ_NAME_LEN - 1, STEP = 256 };

/*
 * Who receives before who sends: what an old program stamps, marks or puts into metadata, a new one
 * understands; the other way round nothing is promised.
 */
static const enum prog order[PROG_COUNT] = {
	PROG_TO_PORT,	   PROG_TO_WIRE,       PROG_TO_WORLD,	PROG_LEAVE_WORLD, PROG_FROM_GATEWAY,
	PROG_FAST_GATEWAY, PROG_LEAVE_GATEWAY, PROG_TO_GATEWAY, PROG_ENTER_WORLD, PROG_FROM_TUNNEL,
	PROG_FROM_PORT,	   PROG_FROM_WIRE,     PROG_FROM_WORLD, PROG_XDP_NATIVE,  PROG_XDP_GENERIC};

/* Where a program of ours is. */
struct place {
	enum prog prog;
	__u32 ifindex;	     /* of a filter */
	bool inner;	     /* that device is in the router's namespace */
	char link[NAME_LEN]; /* its pin; else empty */
};

struct swap {
	struct tsw *t;
	int to[PROG_COUNT];	/* fds */
	__u32 from[PROG_COUNT]; /* numbers of those that make way */
	__u32 old_door;		/* ifindex of tsw-gw of ABI 7, or 0: it keeps its programs */
	struct place *place;
	size_t n, room;
};

static int prog_info(int fd, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(fd, info, &len) ? -errno : 0;
}

static int open_prog(const struct tsw *t, const char *part, enum prog prog)
{
	return pin_open(t->instance, part, prog_name(prog));
}

/* A program of `next` that is not there any more has its place in `progs` already. */
static int open_programs(struct swap *s, const char *to, const char *from)
{
	struct bpf_prog_info info;
	int i;

	for (i = 0; i < PROG_COUNT; i++) {
		cleanup_close int before = open_prog(s->t, from, i);

		if (before >= 0 && !prog_info(before, &info))
			s->from[i] = info.id;
		s->to[i] = open_prog(s->t, to, i);
		if (s->to[i] < 0 && errno == ENOENT)
			s->to[i] = open_prog(s->t, from, i);
		if (s->to[i] < 0)
			return fail(EIO, "cannot open the pinned program %s: %s", prog_name(i),
				    strerror(errno));
	}
	return 0;
}

static int add_place(struct swap *s, const struct place *place)
{
	struct place *grown;

	if (s->n == s->room) {
		grown = realloc(s->place, (s->room + STEP) * sizeof(*grown));
		if (!grown)
			return fail_memory();
		s->place = grown;
		s->room += STEP;
	}
	s->place[s->n++] = *place;
	return 0;
}

/* Gateways of ABI 7 had programs of these names where those of today do not belong. */
static bool is_old_place(const struct swap *s, enum prog prog, __u32 ifindex)
{
	return s->t->config.flags & TSW_CFG_OLD_DOOR &&
	       (ifindex == s->old_door ||
		(prog == PROG_TO_WORLD && ifindex != s->t->config.uplink));
}

/* By its name, whatever build it is of; PROG_COUNT: none of a switch's; or -errno. */
static int which_prog(int link)
{
	struct bpf_link_info info = {};
	struct bpf_prog_info prog;
	__u32 len = sizeof(info);
	cleanup_close int fd = -1;
	int i, err;

	if (bpf_obj_get_info_by_fd(link, &info, &len))
		return -errno;
	fd = bpf_prog_get_fd_by_id(info.prog_id);
	err = fd < 0 ? -errno : prog_info(fd, &prog);
	if (err)
		return err;
	for (i = 0; i < PROG_COUNT; i++)
		if (!strncmp(prog.name, prog_name(i), KERNEL_NAME))
			break;
	return i;
}

static int find_link(struct swap *s, const char *name)
{
	cleanup_close int fd = pin_open(s->t->instance, "links", name);
	struct place place = {};
	__u32 ifindex;
	int prog = fd < 0 ? -errno : which_prog(fd);

	if (prog < 0)
		return fail(prog, "cannot read link %s: %s", name, strerror(-prog));
	if (sscanf(name, "%*[a-z_]-%u", &ifindex) == 1 && is_old_place(s, prog, ifindex))
		return 0;
	place.prog = (enum prog)prog;
	snprintf(place.link, sizeof(place.link), "%.*s", NAME_LEN - 1, name);
	return prog == PROG_COUNT ? 0 : add_place(s, &place);
}

static int find_links(struct swap *s)
{
	char path[PINS_PATH];
	struct dirent *entry;
	int err = 0;
	DIR *d;

	pins_path(path, s->t->instance, "links");
	d = opendir(path);
	if (!d)
		return fail(errno, "cannot read %s: %s", path, strerror(errno));
	while (!err && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			err = find_link(s, entry->d_name);
	closedir(d);
	return err;
}

/* In a place of ours on one hook there is what makes way; anything else is somebody's. */
static int find_filter(struct swap *s, __u32 ifindex, bool egress, __u32 handle, bool inner)
{
	struct bpf_tc_hook hook = attach_hook(ifindex, egress);
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = handle);
	struct place place = {.ifindex = ifindex, .inner = inner};
	int err = bpf_tc_query(&hook, &opts);

	if (err == -ENOENT || err == -EINVAL || err == -ENODEV) /* EINVAL: no clsact qdisc */
		return 0;
	if (err)
		return fail(err, "cannot read the filters of device %u: %s", ifindex,
			    strerror(-err));
	for (place.prog = 0; place.prog < PROG_COUNT; place.prog++)
		if (opts.prog_id == s->from[place.prog])
			return is_old_place(s, place.prog, ifindex) ? 0 : add_place(s, &place);
	return 0;
}

/* Of all devices of the namespace that the thread is in. */
static int find_filters_here(struct swap *s, bool inner)
{
	struct if_nameindex *all = if_nameindex(), *dev;
	int err = 0, i;

	for (dev = all; dev && dev->if_index && !err; dev++)
		for (i = 0; i < 4 && !err; i++)
			err = find_filter(s, dev->if_index, i & 1,
					  i & 2 ? FILTER_HANDLE_WORLD : FILTER_HANDLE, inner);
	if (all)
		if_freenameindex(all);
	return err;
}

static int find_filters(struct swap *s)
{
	int err = find_filters_here(s, false);

	router_register(s->t);
	if (err || !netns_has_router())
		return err;
	err = netns_visit();
	return err ?: netns_leave(find_filters_here(s, true));
}

/* What went with its device needs no program any more. */
static int change_link(const struct swap *s, const struct place *place)
{
	cleanup_close int fd = pin_open(s->t->instance, "links", place->link);
	int err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = bpf_link_update(fd, s->to[place->prog], NULL) ? -errno : 0;
	return err == -ENOLINK ? 0 : err;
}

static int change_filter(const struct swap *s, const struct place *place)
{
	struct bpf_tc_hook hook = attach_hook(place->ifindex, prog_is_egress(place->prog));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY,
		    .handle = attach_handle(place->prog), .prog_fd = s->to[place->prog],
		    .flags = BPF_TC_F_REPLACE);
	int err = place->inner ? netns_visit() : 0;

	if (!err)
		err = bpf_tc_attach(&hook, &opts);
	if (place->inner && netns_is_visit())
		err = netns_leave(err);
	return err == -ENODEV ? 0 : err;
}

static int change_all(const struct swap *s, enum prog prog)
{
	const struct place *place;
	int err = 0;

	for (place = s->place; !err && place < s->place + s->n; place++)
		if (place->prog == prog)
			err = *place->link ? change_link(s, place) : change_filter(s, place);
	return err ? fail(err, "cannot put the other %s in place: %s", prog_name(prog),
			  strerror(-err))
		   : 0;
}

static void swap_end(struct swap *s)
{
	int i;

	for (i = 0; i < PROG_COUNT; i++)
		if (s->to[i] >= 0)
			close(s->to[i]);
	free(s->place);
}

/* Each place gets the program of TO that is called as the one of FROM that it has. */
static int swap(struct tsw *t, const char *to, const char *from, bool back)
{
	struct swap s = {.t = t, .to = {[0 ... PROG_COUNT - 1] = -1}};
	struct link old;
	int i, err = open_programs(&s, to, from);

	if (!err && t->config.flags & TSW_CFG_OLD_DOOR && !door_link_old(t->instance, &old))
		s.old_door = old.ifindex;
	if (!err)
		err = find_links(&s);
	if (!err && t->config.attach != TSW_ATTACH_TCX)
		err = find_filters(&s);
	for (i = 0; !err && i < PROG_COUNT; i++)
		err = change_all(&s, order[back ? PROG_COUNT - 1 - i : i]);
	if (!err)
		detail(&t->log, "%zu links and filters have other programs", s.n);
	swap_end(&s);
	return err;
}

static int open_map(const struct tsw *t, const char *part, enum map map)
{
	return pin_open(t->instance, part, map_name(map));
}

/* The pin of the old map is gone behind it: its counts are not added again. */
static int move_rest(const struct tsw *t, enum map map, __u32 abi)
{
	struct map_move move = {.table = migrations, .abi = abi, .map = map, .config = &t->config};
	char path[PINS_PATH];
	cleanup_close int from = open_map(t, PINS_NEXT "/old", map);
	cleanup_close int to = -1;
	cleanup_close int policies = -1;
	int err;

	if (from < 0)
		return errno == ENOENT ? 0
				       : fail(errno, "map %s: %s", map_name(map), strerror(errno));
	to = open_map(t, "maps", map);
	policies = open_map(t, "maps", MAP_POLICIES);
	if (to < 0 || policies < 0)
		return fail(errno, "map %s: %s", map_name(map), strerror(errno));
	move.from = from;
	move.to = to;
	move.policies = policies;
	err = map == MAP_CONFIG ? 0 : map_move_entries(&move);
	if (!err)
		err = map_move_counts(&move);
	pin_path(path, t->instance, PINS_NEXT "/old", map_name(map));
	if (!err && unlink(path))
		err = fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return err;
}

/* The configuration last: it tells which layout the others had. */
static int move_all(const struct tsw *t)
{
	cleanup_close int fd = open_map(t, PINS_NEXT "/old", MAP_CONFIG);
	__u8 config[MIGRATE_MOST] = {};
	__u32 abi = t->config.abi;
	const __u32 zero = 0;
	int i, err = 0;

	if (fd >= 0 && !bpf_map_lookup_elem(fd, &zero, config))
		abi = ((const struct tsw_config *)config)->abi;
	for (i = MAP_COUNT - 1; !err && i >= 0; i--)
		err = move_rest(t, i, abi);
	return err;
}

int swap_finish(struct tsw *t)
{
	const char *instance = t->instance;
	int err;

	if (!pins_count(instance, PINS_NEXT "/progs") || pins_has(instance, PINS_NEXT_CONFIG))
		return 0;
	err = pins_move(instance, PINS_NEXT "/maps", "maps");
	if (!err)
		err = swap_door_begin(t);
	if (!err)
		err = swap(t, PINS_NEXT "/progs", "progs", false);
	if (err)
		return err;
	wait_for_programs();
	err = move_all(t);
	if (!err)
		err = swap_door_end(t);
	return err ?: pins_move(instance, PINS_NEXT "/progs", "progs");
}

int swap_undo(struct tsw *t)
{
	int err;

	if (pins_count(t->instance, PINS_NEXT "/old") ||
	    pins_count(t->instance, PINS_NEXT "/progs") != PROG_COUNT)
		return -EBUSY;
	err = swap(t, "progs", PINS_NEXT "/progs", true);
	return err ?: pins_drop_next(t->instance);
}
