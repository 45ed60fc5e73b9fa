// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/door.h"
#include "door/routed.h"
#include "kernel/system.h"
#include "loader.h"
#include "object/gateway_follow.h"
#include "object/host.h"
#include "object/snat.h"
#include "store/closed.h"
#include "store/config.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settle.h"
#include "switch/swap.h"
#include "upgrade/upgrade.h"
#include "wire/slowpath.h"
#include "wire/underlay.h"

static const __u32 zero;

/* Pinned beside what is to take its place: whose work it is, should another have to complete it. */
struct made {
	__u32 version;
	__u32 pad;
	__u64 build;
};

#define MADE "/made"

bool switch_is_outdated(const struct tsw *t)
{
	return t->config.build != programs_build();
}

static int open_pinned(struct tsw *t)
{
	int err = system_check_capabilities();

	if (!err)
		err = pins_check_fs();
	if (!err && !pins_exist(t->instance))
		err = config_no_switch(t);
	if (!err)
		err = lock_take(t);
	if (!err && !pins_exist(t->instance)) /* while we waited for the lock */
		err = config_no_switch(t);
	return err ?: config_read(t);
}

/* What can be upgraded, and is none of a newer tsw's. */
static int check_version(const struct tsw *t)
{
	const __u32 here = version_number(TSW_VERSION), abi = t->config.abi;

	if (abi < TSW_ABI_OLDEST || abi > TSW_ABI_VERSION)
		return config_check_abi(t);
	if (t->config.version <= here || t->force)
		return 0;
	return fail(EPERM,
		    "the programs of the switch %s are of tsw %s and this is tsw " TSW_VERSION
		    ": that is no upgrade; -f does it nevertheless",
		    quoted(t->instance), version_text(t->config.version));
}

static int note_made(const struct tsw *t)
{
	const struct made made = {.version = version_number(TSW_VERSION),
				  .build = programs_build()};
	char path[PINS_PATH];
	cleanup_close int fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "tsw_made", sizeof(zero), sizeof(made), 1, NULL);

	pins_path(path, t->instance, PINS_FRESH MADE);
	if (fd < 0 || bpf_map_update_elem(fd, &zero, &made, BPF_ANY) || bpf_obj_pin(fd, path))
		return fail(errno, "cannot make %s: %s", escaped(path), strerror(errno));
	return 0;
}

static int read_made(const struct tsw *t, struct made *made)
{
	char path[PINS_PATH];
	cleanup_close int fd = -1;

	pins_path(path, t->instance, PINS_NEXT MADE);
	fd = bpf_obj_get(path);
	if (fd < 0 || bpf_map_lookup_elem(fd, &zero, made))
		return fail(errno, "cannot read %s: %s", escaped(path), strerror(errno));
	return 0;
}

/*
 * All of it is there before anything of it is used. Where there is a new layout, the
 * configuration's pin goes first: from here on an older tsw refuses to touch the switch.
 */
static int make_ready(struct tsw *t)
{
	char dir[PINS_PATH], fresh[PINS_PATH], from[PINS_PATH], to[PINS_PATH];
	int err = pins_make_fresh(t->instance);

	pins_dir(dir, t->instance);
	pins_path(fresh, t->instance, PINS_FRESH);
	if (!err)
		err = programs_renew(dir, fresh, t->config.abi, &t->config);
	if (!err)
		err = note_made(t);
	if (!err)
		err = pins_fresh_to_next(t->instance);
	if (err) {
		pins_drop_fresh(t->instance);
		return err;
	}
	pins_path(from, t->instance, PINS_NEXT_CONFIG);
	pins_path(to, t->instance, "maps/tsw_config");
	if (rename(from, to) && errno != ENOENT)
		return fail(errno, "cannot rename %s: %s", escaped(from), strerror(errno));
	return 0;
}

/*
 * The router's rules of this version, too, and what it reads of the routes; at last it is noted
 * whose programs run.
 */
static int finish(struct tsw *t)
{
	struct made made;
	int err = read_made(t, &made);

	if (!err)
		err = host_choose_all(t);
	if (!err && t->config.gateway) {
		err = door_open(t);
		if (!err)
			err = door_rebuild(t, gateways_fill);
		if (!err)
			err = routed_mend(t);
		if (!err) /* an older version has none */
			err = snats_settle(t);
	}
	if (!err)
		err = settle_shares(t);
	if (!err) /* this version's defaults */
		err = closed_mend(t);
	/* Programs and devices that it did not have before; with them all frames have a pass. */
	if (!err)
		err = slowpath_mend(t);
	if (!err)
		err = underlay_mend(t, false);
	if (err)
		return err;
	t->config.flags &= ~TSW_CFG_OLD_WAY;
	t->config.version = made.version;
	t->config.build = made.build;
	return config_put(t);
}

/* What could not be put in place is taken back, or is left for the next try. */
static int give_up(struct tsw *t)
{
	const struct failure why = *failure();
	bool undone = !pins_has(t->instance, PINS_NEXT);

	if (!undone)
		undone = !lock_take(t) && !swap_undo(t);
	fail_again(&why);
	if (!undone)
		fail_more("; the upgrade is half done, switch upgrade goes on with it");
	return -why.code;
}

/*
 * session_open() puts in place what is ready. While `next` is there a killed one goes on with it,
 * so that is dropped when all is done and the totals are written.
 */
static int take(struct tsw *t)
{
	const bool will_write = t->will_write;
	int err;

	t->will_write = true;
	err = session_open(t);
	if (!err)
		err = finish(t);
	if (err)
		err = give_up(t);
	session_leave(t);
	t->will_write = will_write;
	return err ?: pins_drop_next(t->instance);
}

/* A killed one that had begun to swap is completed; else what it had made is of no use. */
static int complete(struct tsw *t)
{
	int err;

	if (!pins_has(t->instance, PINS_NEXT))
		return 0;
	if (pins_has(t->instance, PINS_NEXT_CONFIG))
		return pins_drop_next(t->instance);
	detail(&t->log, "completing an upgrade that did not come to its end");
	err = take(t);
	return err ?: config_read(t);
}

/* Else it would be said to be in order. */
static int check_pins(struct tsw *t)
{
	char dir[PINS_PATH];
	int err;

	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir, true);
	maps_close(&t->maps);
	return err == -ENOENT ? config_lacks_pins(t) : err;
}

static int upgrade(struct tsw *t)
{
	int err = check_version(t);

	if (!err)
		err = config_check_netns(t);
	if (!err)
		err = complete(t);
	if (!err)
		err = check_version(t);
	if (!err && t->config.abi == TSW_ABI_VERSION && !switch_is_outdated(t))
		err = check_pins(t);
	if (err)
		return err;
	if (t->config.abi == TSW_ABI_VERSION && !switch_is_outdated(t) && !t->force) {
		note(&t->log, "the switch has these programs already");
		return pins_drop_fresh(t->instance);
	}
	err = make_ready(t);
	if (!err)
		err = take(t);
	if (!err)
		note(&t->log, "the switch has the programs of tsw " TSW_VERSION " now");
	return err;
}

int switch_upgrade(struct tsw *t)
{
	int err;

	session_leave(t);
	err = open_pinned(t);
	return err ?: upgrade(t);
}

void upgrade_warn(const struct tsw *t, json_t *warnings)
{
	if (t->config.abi && switch_is_outdated(t))
		problem(warnings, "outdated", t->instance,
			"the programs are another tsw's: switch upgrade puts this one's in place");
}
