// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/parse.h"
#include "base/text.h"
#include "check/check.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "record/fields.h"
#include "switch/session.h"
#include "switch/switch.h"
#include "upgrade/upgrade.h"

/*
 * libbpf prints the kernel's message of each failing call, also of expected ones: no clsact program
 * yet, or a qdisc that exists. This runs before main(), so a program may turn messages on again.
 */
__attribute__((constructor)) static void silence_libbpf(void)
{
	libbpf_set_print(NULL);
}

/* In another network namespace there would be other devices and routes. */
int lib_check_netns(const struct tsw *t)
{
	__u32 inode;
	int err = netns_inode(&inode);

	if (err || inode == t->inode)
		return err;
	return fail(EINVAL,
		    "the thread is not in the network namespace where it opened the switch %s",
		    quoted(t->instance));
}

/* Without the lock the present state is read, and the lock is not taken. */
static void settle_mode(struct tsw *t)
{
	if (t->lock >= 0)
		return;
	session_leave(t);
	t->will_write = false;
}

int lib_read(struct tsw *t)
{
	int err = lib_check_netns(t);

	if (err)
		return err;
	settle_mode(t);
	err = session_open(t);
	return err ?: session_flush(t);
}

int lib_write_counted(struct tsw *t)
{
	int err = lib_check_netns(t);

	if (err)
		return err;
	if (t->lock < 0)
		session_leave(t);
	t->will_write = true;
	return session_open(t);
}

int lib_write(struct tsw *t)
{
	int err = lib_write_counted(t);

	return err ?: session_flush(t);
}

/* Calls WHAT, which opens the switch itself, or makes or removes it. */
static int whole(struct tsw *t, int (*what)(struct tsw *t))
{
	int err = lib_check_netns(t);

	if (err)
		return err;
	session_leave(t);
	t->will_write = true;
	return what(t);
}

int lib_name(const char *text, struct tsw_name *name)
{
	return parse_known_name(text ?: "", name);
}

/* ---- handles ---------------------------------------------------------------------- */

static int enter(struct tsw *t)
{
	int err;

	if (t->netns) {
		t->home = netns_own();
		if (t->home < 0)
			return t->home;
	}
	err = session_enter(t);
	return err ?: netns_inode(&t->inode);
}

int tsw_open(const struct tsw_options *options, struct tsw **handle)
{
	struct tsw *t = malloc(sizeof(*t));
	int err;

	*handle = NULL;
	if (!t)
		return fail_memory();
	*t = (struct tsw)TSW_CLOSED;
	if (options) {
		t->netns = options->netns;
		t->instance = options->instance;
		t->named = options->instance;
		t->wait_ms = options->wait_ms == TSW_WAIT_NONE ? 0
							       : options->wait_ms ?: LOCK_WAIT_MS;
		t->force = options->force;
		t->log = (struct log){options->log, options->context, true, true};
	}
	err = enter(t);
	if (err)
		tsw_close(t);
	else
		*handle = t;
	return err;
}

void tsw_release(struct tsw *t)
{
	session_close(t);
	t->will_write = false;
}

void tsw_close(struct tsw *t)
{
	struct failure why;

	if (!t)
		return;
	why = *failure();
	tsw_release(t);
	netns_router(-1);
	netlink_close();
	if (t->home >= 0) {
		netns_return(t->home);
		close(t->home);
	}
	free(t);
	fail_again(&why);
}

const char *tsw_error(void)
{
	return failure()->text;
}

int tsw_error_status(void)
{
	return failure()->status;
}

const char *tsw_version(void)
{
	return TSW_VERSION;
}

/* ---- the switch itself ------------------------------------------------------------ */

/* The fields that are given: those that the caller names, or all that are not zero. */
static __u64 given(const struct tsw_switch_spec *spec)
{
	static const struct tsw_switch_spec nothing;
	__u64 mask = 0;
	size_t i;

	if (spec->given)
		return spec->given;
	for (i = 0; switch_fields[i].key; i++)
		if (!fields_equal(switch_fields, FIELD(i), spec, &nothing))
			mask |= FIELD(i);
	return mask;
}

int tsw_switch_up(struct tsw *t, const struct tsw_switch_spec *spec)
{
	struct tsw_switch_spec up = {.given = given(spec)};
	const struct json_keys keys = {switch_fields, up.given, FIELD(SWITCH_DEV)};
	int err = fields_clean(keys, spec, &up);

	if (!err && !up.dev.n)
		err = misuse("a switch needs a device");
	err = err ?: lib_check_netns(t);
	if (err)
		return err;
	session_leave(t);
	t->will_write = true;
	return switch_up(t, &up);
}

int tsw_switch_set(struct tsw *t, const struct tsw_switch_spec *spec)
{
	struct tsw_switch_spec set = {.given = given(spec)};
	int err;

	if (!set.given || set.given & ~SWITCH_CHANGES)
		return misuse("only these can be set while the switch is up: dev, local, xdp, "
			      "zone, encrypt, wg_port, nat_ports, closed");
	err = fields_clean((struct json_keys){switch_fields, set.given, 0}, spec, &set);
	if (!err && set.given & FIELD(SWITCH_DEV) && !set.dev.n)
		err = misuse("a switch needs a device");
	err = err ?: lib_write(t);
	return err ?: switch_set(t, &set);
}

int tsw_switch_down(struct tsw *t)
{
	return whole(t, switch_down);
}

/* switch_check() takes the lock, so that a command at work is not reported as a problem. */
static int check(struct tsw *t, json_t *problems, json_t *warnings)
{
	const bool had_lock = t->lock >= 0;
	struct failure why;
	int err = lib_check_netns(t);

	if (err)
		return err;
	settle_mode(t);
	err = switch_check(t, problems, warnings);
	if (!err)
		upgrade_warn(t, warnings);
	why = *failure();
	if (!had_lock)
		tsw_release(t);
	return err ? fail_again(&why) : 0;
}

int tsw_switch_check(struct tsw *t, bool *ok, FILE *report)
{
	json_t *problems = json_array(), *warnings = json_array(), *all;
	int err = check(t, problems, warnings);

	*ok = !err && !json_array_size(problems);
	all = json_pack("{s:b, s:o, s:o}", "ok", *ok, "problems", problems, "warnings", warnings);
	if (!err && report && json_dumpf(all, report, JSON_COMPACT))
		err = fail(EIO, "cannot write the report");
	json_decref(all);
	return err;
}

int tsw_switch_repair(struct tsw *t)
{
	return whole(t, switch_repair);
}

int tsw_switch_upgrade(struct tsw *t)
{
	return whole(t, switch_upgrade);
}
