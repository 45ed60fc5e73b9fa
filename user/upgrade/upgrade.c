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

/* Pinned beside the new programs: who made them, in case another binary completes the upgrade. */
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

/* Can this switch be upgraded, and is it not of a newer tsw? */
static int check_version(const struct tsw *t)
{
	const __u32 ours = version_number(TSW_VERSION), abi = t->config.abi;

	if (abi < TSW_ABI_OLDEST || abi > TSW_ABI_VERSION)
		return config_check_abi(t);
	if (t->config.version <= ours || t->force)
		return 0;
	return fail(EPERM,
		    "switch %s has programs of tsw %s, which is newer than this tsw " TSW_VERSION
		    "; with -f it gets the older ones",
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
 * Makes everything before any of it is used. With a new layout the configuration's pin is replaced
 * first, so that from then on an older tsw refuses to touch the switch.
 */
static int make_ready(struct tsw *t)
{
	char dir[PINS_PATH], fresh[PINS_PATH], from[PINS_PATH], to[PINS_PATH];
	int err = pins_make_fresh(t->instance);

	pins_dir(dir, t->instance);
	pins_path(fresh, t->instance, PINS_FRESH);
	err = err ?: programs_renew(dir, fresh, t->config.abi, &t->config, NULL);
	err = err ?: note_made(t);
	err = err ?: pins_fresh_to_next(t->instance);
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
 * Also renews the router's rules and the map of routed networks. At the end the configuration gets
 * the version of the programs.
 */
static int finish(struct tsw *t)
{
	struct made made;
	int err = read_made(t, &made);

	err = err ?: host_choose_all(t);
	if (!err && t->config.gateway) {
		err = door_open(t);
		err = err ?: door_rebuild(t, gateways_fill);
		err = err ?: routed_mend(t);
		if (!err) /* an older version has no such entries */
			err = snats_settle(t);
	}
	err = err ?: settle_shares(t);
	if (!err) /* adds this version's defaults */
		err = closed_mend(t);
	/* Adds new programs and devices; with them all frames have a pass. */
	err = err ?: slowpath_mend(t);
	err = err ?: underlay_mend(t, false);
	if (err)
		return err;
	t->config.flags &= ~TSW_CFG_OLD_WAY;
	t->config.version = made.version;
	t->config.build = made.build;
	return config_put(t);
}

/* Undoes a swap that failed, or leaves it for the next try. */
static int give_up(struct tsw *t)
{
	const struct failure why = *failure();
	bool undone = !pins_has(t->instance, PINS_NEXT);

	if (!undone)
		undone = !lock_take(t) && !swap_undo(t);
	fail_again(&why);
	if (!undone)
		fail_more("; the upgrade is half done, complete it with: tsw switch upgrade");
	return -why.code;
}

/*
 * session_open() swaps in what is ready. As long as `next` exists, the next command completes a
 * killed upgrade, so it is dropped last, after the totals are written.
 */
static int take(struct tsw *t)
{
	const bool will_write = t->will_write;
	int err;

	t->will_write = true;
	err = session_open(t);
	err = err ?: finish(t);
	if (err)
		err = give_up(t);
	session_leave(t);
	t->will_write = will_write;
	return err ?: pins_drop_next(t->instance);
}

/* Completes a killed upgrade that had begun to swap; otherwise drops what it had made. */
static int complete(struct tsw *t)
{
	int err;

	if (!pins_has(t->instance, PINS_NEXT))
		return 0;
	if (pins_has(t->instance, PINS_NEXT_CONFIG))
		return pins_drop_next(t->instance);
	detail(&t->log, "completing an upgrade that was interrupted");
	err = take(t);
	return err ?: config_read(t);
}

/* Without this a switch that lacks pins would be reported as up to date. */
static int check_pins(struct tsw *t)
{
	char dir[PINS_PATH];
	int err;

	pins_dir(dir, t->instance);
	err = maps_open(&t->maps, dir, true);
	maps_close(&t->maps);
	return err == -ENOENT ? config_lacks_pins(t) : err;
}

static bool is_current(const struct tsw *t)
{
	return t->config.abi == TSW_ABI_VERSION && !switch_is_outdated(t);
}

/* Has the switch these programs already, so that nothing is to be done? Then says so. */
static bool is_done(const struct tsw *t)
{
	const bool done = is_current(t) && !t->force;

	if (done)
		note(&t->log, "the switch has these programs already");
	return done;
}

static int upgrade(struct tsw *t)
{
	int err = check_version(t);

	err = err ?: config_check_netns(t);
	err = err ?: complete(t);
	err = err ?: check_version(t);
	if (!err && is_current(t))
		err = check_pins(t);
	if (err)
		return err;
	if (is_done(t))
		return pins_drop_fresh(t->instance);
	err = make_ready(t);
	err = err ?: take(t);
	if (!err)
		note(&t->log, "the switch has the programs of tsw " TSW_VERSION " now");
	return err;
}

int switch_upgrade(struct tsw *t)
{
	int err;

	session_leave(t);
	err = session_find(t, true);
	err = err ?: config_read(t);
	return err ?: upgrade(t);
}

int switch_upgrade_look(struct tsw *t, bool *needed, bool made[MAP_COUNT])
{
	char dir[PINS_PATH];
	int err;

	*needed = false;
	session_leave(t);
	err = session_find(t, false);
	err = err ?: config_read(t);
	err = err ?: check_version(t);
	err = err ?: config_check_netns(t);
	if (!err && pins_has(t->instance, PINS_NEXT))
		err = fail(EBUSY, "an upgrade was interrupted: the next command that changes the "
				  "switch completes it first");
	if (!err && is_current(t))
		err = check_pins(t);
	if (err || is_done(t))
		return err;
	*needed = true;
	pins_dir(dir, t->instance);
	return programs_renew(dir, NULL, t->config.abi, &t->config, made);
}

void upgrade_warn(const struct tsw *t, json_t *warnings)
{
	if (t->config.abi && switch_is_outdated(t))
		problem(warnings, "outdated", t->instance,
			"the programs are from another version of tsw; replace them with: switch "
			"upgrade");
}
