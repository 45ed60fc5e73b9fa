// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/text.h"
#include "store/attach.h"
#include "store/early.h"
#include "store/pinned_link.h"
#include "store/pins.h"

enum { LOOPBACK = 1, TCX_MOST = 64, FREE_TRIES = 30 };

#define XDP_PIN "xdp-"
#define PREFIX "tsw_" /* begins the names of all programs of tsw */

static const struct {
	const char *name;
	const char *pin; /* the name of its link's pin; %u: the device's index */
} about[PROG_COUNT] = {
	[PROG_FROM_PORT] = {"tsw_from_port", "port-%u-in"},
	[PROG_TO_PORT] = {"tsw_to_port", "port-%u-out"},
	[PROG_FROM_WIRE] = {"tsw_from_wire", "from_wire-%u"},
	[PROG_TO_WIRE] = {"tsw_to_wire", "to_wire-%u"},
	[PROG_FROM_TUNNEL] = {"tsw_from_tunnel", "from_tunnel-%u"},
	[PROG_FROM_GATEWAY] = {"tsw_from_gateway", "from_gateway-%u"},
	[PROG_TO_GATEWAY] = {"tsw_to_gateway", "to_gateway-%u"},
	[PROG_FROM_WORLD] = {"tsw_from_world", "from_world-%u"},
	[PROG_TO_WORLD] = {"tsw_to_world", "to_world-%u"},
	[PROG_LEAVE_GATEWAY] = {"tsw_leave_gateway", "leave_gateway-%u"},
	[PROG_FAST_GATEWAY] = {"tsw_fast_gateway", "fast_gateway-%u"},
	[PROG_ENTER_WORLD] = {"tsw_enter_world", "enter_world-%u"},
	[PROG_LEAVE_WORLD] = {"tsw_leave_world", "leave_world-%u"},
	/* A device has only one of these two. */
	[PROG_XDP_NATIVE] = {"tsw_xdp_native", XDP_PIN "%u"},
	[PROG_XDP_GENERIC] = {"tsw_xdp_generic", XDP_PIN "%u"},
	[PROG_XDP_PASS] = {"tsw_xdp_pass", "port-%u-xdp"},
};

bool attach_has_tcx(void)
{
	__u32 count = 0;

	return !bpf_prog_query(LOOPBACK, TCX_INGRESS, 0, NULL, NULL, &count);
}

int prog_fd(struct tsw *t, enum prog prog)
{
	char path[PINS_PATH];

	if (t->prog[prog] >= 0)
		return t->prog[prog];
	pin_path(path, t->instance, "progs", about[prog].name);
	t->prog[prog] = pin_open_at(path, t->will_write);
	if (t->prog[prog] < 0)
		return fail(errno, "cannot open %s: %s", path, strerror(errno));
	return t->prog[prog];
}

void progs_close(struct tsw *t)
{
	int i;

	for (i = 0; i < PROG_COUNT; i++) {
		if (t->prog[i] >= 0)
			close(t->prog[i]);
		t->prog[i] = -1;
	}
}

const char *prog_name(enum prog prog)
{
	return about[prog].name;
}

static int info_of(int fd, enum prog prog, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	if (bpf_obj_get_info_by_fd(fd, info, &len))
		return fail(errno, "program %s: %s", about[prog].name, strerror(errno));
	return 0;
}

/* The kernel's id of the program FD, or -errno with a message. */
static int id_of(int fd, enum prog prog)
{
	struct bpf_prog_info info;
	int err = info_of(fd, prog, &info);

	return err ?: (int)info.id;
}

int prog_id(struct tsw *t, enum prog prog)
{
	int fd = prog_fd(t, prog);

	return fd < 0 ? fd : id_of(fd, prog);
}

int prog_runs(struct tsw *t, enum prog prog, __u64 *runs, __u64 *ns)
{
	struct bpf_prog_info info = {};
	int fd = prog_fd(t, prog), err = fd < 0 ? fd : info_of(fd, prog, &info);

	*runs = info.run_cnt;
	*ns = info.run_time_ns;
	return err;
}

/* Whether ID is the program that an unfinished `switch upgrade` puts in its place. */
static bool is_next(const struct tsw *t, enum prog prog, __u32 id)
{
	cleanup_close int fd = pin_open(t->instance, PINS_NEXT "/progs", about[prog].name);

	return fd >= 0 && id_of(fd, prog) == (int)id;
}

static void link_path(const struct tsw *t, enum prog prog, __u32 ifindex, char path[PINS_PATH])
{
	char pin[32];

	snprintf(pin, sizeof(pin), about[prog].pin, ifindex);
	pin_path(path, t->instance, "links", pin);
}

static bool is_xdp(enum prog prog)
{
	return prog >= PROG_XDP_NATIVE && prog <= PROG_XDP_PASS;
}

bool prog_is_egress(enum prog prog)
{
	return prog == PROG_TO_PORT || prog == PROG_TO_WIRE || prog == PROG_LEAVE_GATEWAY ||
	       prog == PROG_FAST_GATEWAY || prog == PROG_LEAVE_WORLD;
}

static enum bpf_attach_type attach_type(enum prog prog)
{
	if (is_xdp(prog))
		return BPF_XDP;
	return prog_is_egress(prog) ? TCX_EGRESS : TCX_INGRESS;
}

/* Sets IDS to those of the programs attached there; returns how many, 0 if the query fails. */
static __u32 query_at(__u32 ifindex, enum bpf_attach_type type, __u32 ids[TCX_MOST])
{
	__u32 n = TCX_MOST;

	return bpf_prog_query((int)ifindex, type, 0, NULL, ids, &n) ? 0 : n;
}

bool tcx_has(__u32 ifindex, enum bpf_attach_type type, int id)
{
	__u32 ids[TCX_MOST], n = query_at(ifindex, type, ids), i;

	for (i = 0; i < n; i++)
		if (ids[i] == (__u32)id)
			return true;
	return false;
}

/*
 * Asks the device, not the link. A link follows its device to another namespace, where it keeps its
 * index, while another device may get that index here.
 */
bool prog_runs_at(struct tsw *t, enum prog prog, __u32 ifindex, enum bpf_attach_type type)
{
	__u32 ids[TCX_MOST], n = 1, i;
	int ours = prog_id(t, prog);

	if (ours < 0)
		return false;
	if (type != BPF_XDP)
		n = query_at(ifindex, type, ids);
	else if (bpf_xdp_query_id((int)ifindex, 0, ids))
		return false;
	for (i = 0; i < n; i++)
		if (ids[i] == (__u32)ours || is_next(t, prog, ids[i]))
			return true;
	return false;
}

static bool link_works(struct tsw *t, enum prog prog, __u32 ifindex)
{
	char path[PINS_PATH];

	link_path(t, prog, ifindex, path);
	return pinned_link_is_on(path, ifindex) &&
	       prog_runs_at(t, prog, ifindex, attach_type(prog));
}

/* Makes the link and pins it, in place of one without a device. -errno without message. */
static int pin_link(struct tsw *t, enum prog prog, __u32 ifindex, __u32 flags)
{
	const struct link_target target = {ifindex, attach_type(prog), flags};
	char path[PINS_PATH];
	int early;

	if (link_works(t, prog, ifindex))
		return 0;
	link_path(t, prog, ifindex, path);
	early = early_take(t, ifindex, target.type);
	return early < 0 ? pinned_link_make(path, prog_fd(t, prog), &target)
			 : pinned_link_adopt(path, prog_fd(t, prog), early);
}

/* Detaches links whose pins begin with PREFIX. */
static void detach_pinned(const struct tsw *t, const char *prefix)
{
	char path[PINS_PATH + 264], dir[PINS_PATH], links[PINS_PATH + 8];
	struct dirent *entry;
	DIR *d;

	pins_dir(dir, t->instance);
	snprintf(links, sizeof(links), "%s/links", dir);
	d = opendir(links);
	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", links, entry->d_name);
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			pinned_link_detach(path);
	}
	if (d)
		closedir(d);
}

void wait_for_programs(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); /* an RCU grace period */
}

/* Waits at the end: tsw_from_wire must stay attached for frames that XDP has decapsulated. */
void detach_all_xdp(const struct tsw *t)
{
	detach_pinned(t, XDP_PIN);
	wait_for_programs();
}

void detach_links(const struct tsw *t)
{
	detach_pinned(t, "");
}

__u32 attach_handle(enum prog prog)
{
	return prog == PROG_FROM_WORLD ? FILTER_HANDLE_WORLD : FILTER_HANDLE;
}

struct bpf_tc_hook attach_hook(__u32 ifindex, bool egress)
{
	return (struct bpf_tc_hook){.sz = sizeof(struct bpf_tc_hook),
				    .ifindex = (int)ifindex,
				    .attach_point = egress ? BPF_TC_EGRESS : BPF_TC_INGRESS};
}

/* Who has the filter of our priority and handle: 1: this switch, 0: nobody, -EEXIST: another. */
static int filter_owner(struct tsw *t, enum prog prog, __u32 ifindex)
{
	struct bpf_tc_hook hook = attach_hook(ifindex, prog_is_egress(prog));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = attach_handle(prog));
	int id;

	if (bpf_tc_query(&hook, &opts))
		return 0;
	id = prog_id(t, prog);
	if (id < 0)
		return id;
	return (int)opts.prog_id == id || is_next(t, prog, opts.prog_id) ? 1 : -EEXIST;
}

static int attach_filter(struct tsw *t, enum prog prog, __u32 ifindex)
{
	struct bpf_tc_hook hook = attach_hook(ifindex, prog_is_egress(prog));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = attach_handle(prog));
	int owner = filter_owner(t, prog, ifindex);

	/* Without REPLACE, so a filter of another owner stays and the attachment fails. */
	if (owner)
		return owner < 0 ? owner : 0;
	opts.prog_fd = prog_fd(t, prog);
	return opts.prog_fd < 0 ? opts.prog_fd : bpf_tc_attach(&hook, &opts);
}

static int detach_filter(struct tsw *t, enum prog prog, __u32 ifindex)
{
	struct bpf_tc_hook hook = attach_hook(ifindex, prog_is_egress(prog));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = attach_handle(prog));
	int owner = filter_owner(t, prog, ifindex), err;

	/* -ENOENT: our program's pin is missing, so the owner of the filter is unknown. */
	if (owner <= 0)
		return owner == -EEXIST || owner == -ENOENT ? 0 : owner;
	err = bpf_tc_detach(&hook, &opts);
	return err == -ENOENT || err == -ENODEV ? 0 : err;
}

bool attach_needs_qdisc(const struct tsw *t, __u32 ifindex)
{
	return t->config.attach != TSW_ATTACH_TCX && !link_has_clsact(ifindex);
}

int attach_qdisc(const struct tsw *t, __u32 ifindex)
{
	struct bpf_tc_hook hook = {.sz = sizeof(hook),
				   .ifindex = (int)ifindex,
				   .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS};
	int err = t->config.attach == TSW_ATTACH_TCX ? 0 : bpf_tc_hook_create(&hook);

	if (!err || err == -EEXIST)
		return 0;
	return fail(err, "cannot put a clsact qdisc on device %u: %s", ifindex, strerror(-err));
}

int attach_tc(struct tsw *t, enum prog prog, __u32 ifindex)
{
	int fd = prog_fd(t, prog), err;

	if (fd < 0)
		return fd;
	if (t->config.attach == TSW_ATTACH_TCX)
		err = pin_link(t, prog, ifindex, 0);
	else
		err = attach_filter(t, prog, ifindex);
	if (err)
		return fail(err, "cannot attach %s to device %u: %s", about[prog].name, ifindex,
			    err != -EEXIST ? strerror(-err)
			    : t->config.attach == TSW_ATTACH_TCX
				    ? "it is attached already, by a link that is not pinned here"
				    : "another program's filter has its priority and handle");
	detail(&t->log, "attached %s to device %u", about[prog].name, ifindex);
	return 0;
}

int detach_tc(struct tsw *t, enum prog prog, __u32 ifindex)
{
	char path[PINS_PATH];
	int err = 0;

	link_path(t, prog, ifindex, path);
	if (pinned_link_remove(path))
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	if (t->config.attach != TSW_ATTACH_TCX)
		err = detach_filter(t, prog, ifindex);
	if (err)
		return fail(err, "cannot detach %s from device %u: %s", about[prog].name, ifindex,
			    strerror(-err));
	return 0;
}

bool attached_tc(struct tsw *t, enum prog prog, __u32 ifindex)
{
	if (t->config.attach != TSW_ATTACH_TCX)
		return filter_owner(t, prog, ifindex) == 1;
	return link_works(t, prog, ifindex);
}

bool prog_is_pinned(const struct tsw *t, enum prog prog)
{
	return pin_exists(t->instance, "progs", about[prog].name);
}

bool attached_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode)
{
	return link_works(t, mode == TSW_XDP_NATIVE ? PROG_XDP_NATIVE : PROG_XDP_GENERIC, ifindex);
}

bool attach_is_stale(struct tsw *t, enum prog prog, __u32 ifindex)
{
	char path[PINS_PATH];

	link_path(t, prog, ifindex, path);
	return prog_is_pinned(t, prog) && !access(path, F_OK) && !link_works(t, prog, ifindex);
}

/* Whether the program is for uplink devices, which several switches may share. */
static bool is_of_world(const char *name)
{
	return !strcmp(name, about[PROG_FROM_WORLD].name);
}

/* Whether ID is another switch's program, so the device belongs to that switch. */
static bool is_foreign(struct tsw *t, __u32 id)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), err, i;

	if (fd < 0)
		return false;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	if (err || strncmp(info.name, PREFIX, strlen(PREFIX)) || is_of_world(info.name))
		return false;
	for (i = 0; i < PROG_COUNT; i++)
		if (prog_id(t, i) == (int)id || is_next(t, i, id))
			return false;
	return true;
}

static bool has_foreign(struct tsw *t, enum prog prog, __u32 ifindex)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = FILTER_PRIORITY, .handle = attach_handle(prog));
	struct bpf_tc_hook hook = attach_hook(ifindex, prog_is_egress(prog));
	__u32 ids[TCX_MOST], n = query_at(ifindex, attach_type(prog), ids), i;

	for (i = 0; i < n; i++)
		if (is_foreign(t, ids[i]))
			return true;
	return link_has_clsact(ifindex) && !bpf_tc_query(&hook, &opts) &&
	       is_foreign(t, opts.prog_id);
}

/* Tries again for a while, because the kernel detaches a link only after its pin is removed. */
int attach_check_free(struct tsw *t, const struct link *link)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	int tries;

	for (tries = 0; tries < FREE_TRIES; tries++) {
		if (!has_foreign(t, PROG_FROM_PORT, link->ifindex) &&
		    !has_foreign(t, PROG_TO_PORT, link->ifindex))
			return 0;
		nanosleep(&moment, NULL);
	}
	return fail(EBUSY, "device %s has programs of another switch: it belongs to that switch",
		    quoted(link->name));
}

static int detach_xdp(struct tsw *t, __u32 ifindex)
{
	char path[PINS_PATH];

	link_path(t, PROG_XDP_NATIVE, ifindex, path);
	if (access(path, F_OK))
		return 0;
	pinned_link_detach(path);
	wait_for_programs();
	if (unlink(path) && errno != ENOENT)
		return fail(errno, "cannot remove %s: %s", path, strerror(errno));
	return 0;
}

int attach_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode)
{
	bool native = mode == TSW_XDP_NATIVE;
	enum prog prog = native ? PROG_XDP_NATIVE : PROG_XDP_GENERIC;
	int fd, err = 0;

	/* A link keeps its mode and its program. */
	if (mode == TSW_XDP_OFF || !link_works(t, prog, ifindex))
		err = detach_xdp(t, ifindex);
	if (err || mode == TSW_XDP_OFF)
		return err;
	fd = prog_fd(t, prog);
	if (fd < 0)
		return fd;
	err = pin_link(t, prog, ifindex, native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);
	if (err)
		return fail(err, "cannot attach %s to device %u: %s", about[prog].name, ifindex,
			    strerror(-err));
	return 0;
}
