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

#include "base/cleanup.h"
#include "base/err.h"
#include "base/list.h"
#include "door/door_link.h"
#include "door/router.h"
#include "kernel/netns.h"
#include "store/attach.h"
#include "store/maps_move.h"
#include "store/pins.h"
#include "switch/swap.h"
#include "switch/swap_door.h"

enum { NAME_LEN = 64, KERNEL_NAME = BPF_OBJ_NAME_LEN - 1 };

/*
 * Receiving programs are replaced before sending ones. A new program understands stamps, marks and
 * metadata of an old one, but not necessarily the other way round. PROG_FROM_WORLD leaves flows
 * that the router does not know to the host, so it comes before the programs that use the router.
 */
static const enum prog order[PROG_COUNT] = {
	PROG_TO_PORT,	   PROG_TO_WIRE,      PROG_TO_WORLD,	  PROG_LEAVE_WORLD,
	PROG_FROM_GATEWAY, PROG_FAST_GATEWAY, PROG_LEAVE_GATEWAY, PROG_TO_GATEWAY,
	PROG_ENTER_WORLD,  PROG_FROM_TUNNEL,  PROG_FROM_WORLD,	  PROG_FROM_PORT,
	PROG_FROM_WIRE,	   PROG_XDP_NATIVE,   PROG_XDP_GENERIC,	  PROG_XDP_PASS};

/* A hook that has one of our programs. */
struct hook {
	enum prog prog;
	__u32 ifindex;	     /* of a filter */
	bool inner;	     /* that device is in the router's namespace */
	char link[NAME_LEN]; /* the name of its pin; empty: a filter */
};

struct swap {
	struct tsw *t;
	int to[PROG_COUNT];	/* fds */
	__u32 from[PROG_COUNT]; /* ids of the programs to be replaced */
	__u32 old_door;		/* ifindex of tsw-gw of ABI 7, which keeps its programs; or 0 */
	struct hook *hook;
	size_t n;
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

/* A program that is missing in `next` was moved to `progs` already. */
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

static int add_hook(struct swap *s, const struct hook *hook)
{
	struct hook *added = list_grow(&s->hook, &s->n, sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = *hook;
	return 0;
}

/* Gateways of ABI 7 had programs of these names at other hooks than those of today. */
static bool is_old_hook(const struct swap *s, enum prog prog, __u32 ifindex)
{
	return s->t->config.flags & TSW_CFG_OLD_DOOR &&
	       (ifindex == s->old_door ||
		(prog == PROG_TO_WORLD && ifindex != s->t->config.uplink));
}

/* The link's program, by its name, of any build; PROG_COUNT: not a switch's; or -errno. */
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
	struct hook hook = {};
	__u32 ifindex;
	int prog = fd < 0 ? -errno : which_prog(fd);

	if (prog < 0)
		return fail(prog, "cannot read link %s: %s", name, strerror(-prog));
	if (sscanf(name, "%*[a-z_]-%u", &ifindex) == 1 && is_old_hook(s, prog, ifindex))
		return 0;
	hook.prog = (enum prog)prog;
	snprintf(hook.link, sizeof(hook.link), "%.*s", NAME_LEN - 1, name);
	return prog == PROG_COUNT ? 0 : add_hook(s, &hook);
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

/* Finds a filter of ours. Only the programs to be replaced count; others are not ours. */
static int find_filter(struct swap *s, __u32 ifindex, bool egress, __u32 handle, bool inner)
{
	struct bpf_tc_hook at = attach_hook(ifindex, egress);
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = handle);
	struct hook hook = {.ifindex = ifindex, .inner = inner};
	int err = bpf_tc_query(&at, &opts);

	if (err == -ENOENT || err == -EINVAL || err == -ENODEV) /* EINVAL: no clsact qdisc */
		return 0;
	if (err)
		return fail(err, "cannot read the filters of device %u: %s", ifindex,
			    strerror(-err));
	for (hook.prog = 0; hook.prog < PROG_COUNT; hook.prog++)
		if (opts.prog_id == s->from[hook.prog])
			return is_old_hook(s, hook.prog, ifindex) ? 0 : add_hook(s, &hook);
	return 0;
}

/* Finds the filters on all devices of the thread's namespace. */
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

/* A link that was lost with its device needs no program. */
static int change_link(const struct swap *s, const struct hook *hook)
{
	cleanup_close int fd = pin_open(s->t->instance, "links", hook->link);
	int err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = bpf_link_update(fd, s->to[hook->prog], NULL) ? -errno : 0;
	return err == -ENOLINK ? 0 : err;
}

static int change_filter(const struct swap *s, const struct hook *hook)
{
	struct bpf_tc_hook at = attach_hook(hook->ifindex, prog_is_egress(hook->prog));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY,
		    .handle = attach_handle(hook->prog), .prog_fd = s->to[hook->prog],
		    .flags = BPF_TC_F_REPLACE);
	int err = hook->inner ? netns_visit() : 0;

	err = err ?: bpf_tc_attach(&at, &opts);
	if (hook->inner && netns_is_visit())
		err = netns_leave(err);
	return err == -ENODEV ? 0 : err;
}

static int change_all(const struct swap *s, enum prog prog)
{
	const struct hook *hook;
	int err = 0;

	for (hook = s->hook; !err && hook < s->hook + s->n; hook++)
		if (hook->prog == prog)
			err = *hook->link ? change_link(s, hook) : change_filter(s, hook);
	return err ? fail(err, "cannot replace program %s: %s", prog_name(prog), strerror(-err))
		   : 0;
}

static void swap_end(struct swap *s)
{
	int i;

	for (i = 0; i < PROG_COUNT; i++)
		if (s->to[i] >= 0)
			close(s->to[i]);
	free(s->hook);
}

/* Each hook that has a program of FROM gets the program of the same name of TO. */
static int swap(struct tsw *t, const char *to, const char *from, bool back)
{
	struct swap s = {.t = t, .to = {[0 ... PROG_COUNT - 1] = -1}};
	struct link old;
	int i, err = open_programs(&s, to, from);

	if (!err && t->config.flags & TSW_CFG_OLD_DOOR && !door_link_old(t->instance, &old))
		s.old_door = old.ifindex;
	err = err ?: find_links(&s);
	if (!err && t->config.attach != TSW_ATTACH_TCX)
		err = find_filters(&s);
	for (i = 0; !err && i < PROG_COUNT; i++)
		err = change_all(&s, order[back ? PROG_COUNT - 1 - i : i]);
	if (!err)
		detail(&t->log, "%zu links and filters have new programs", s.n);
	swap_end(&s);
	return err;
}

static int open_map(const struct tsw *t, const char *part, enum map map)
{
	return pin_open(t->instance, part, map_name(map));
}

/* Then removes the pin of the old map, so that its counts are not added again. */
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
	err = err ?: map_move_counts(&move);
	pin_path(path, t->instance, PINS_NEXT "/old", map_name(map));
	if (!err && unlink(path))
		err = fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return err;
}

/* The configuration is last, because it says which layout the other maps had. */
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
	err = err ?: swap_door_begin(t);
	err = err ?: swap(t, PINS_NEXT "/progs", "progs", false);
	if (err)
		return err;
	wait_for_programs();
	err = move_all(t);
	err = err ?: swap_door_end(t);
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
