// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/parse.h"
#include "check/check.h"
#include "kernel/netlink.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "base/text.h"
#include "record/fields.h"
#include "switch/session.h"
#include "switch/switch.h"
#include "upgrade/upgrade.h"

/*
 * libbpf prints what the kernel says of each call that fails, also where we expect it: clsact has
 * no program yet, a qdisc is there already. Before main(), so that a program's own choice is last.
 */
__attribute__((constructor)) static void be_quiet(void)
{
	libbpf_set_print(NULL);
}

/* Devices and routes would be another namespace's. */
int lib_place(const struct tsw *t)
{
	__u32 inode;
	int err = netns_inode(&inode);

	if (err || inode == t->inode)
		return err;
	return fail(EINVAL,
		    "the thread is in another network namespace than when it opened the "
		    "switch %s",
		    quoted(t->instance));
}

/* Who has not the lock reads what is there now, and does not ask for the lock. */
static void settle_mode(struct tsw *t)
{
	if (t->lock >= 0)
		return;
	session_leave(t);
	t->will_write = false;
}

int lib_read(struct tsw *t)
{
	int err = lib_place(t);

	if (err)
		return err;
	settle_mode(t);
	err = session_open(t);
	return err ?: session_flush(t);
}

int lib_write_counted(struct tsw *t)
{
	int err = lib_place(t);

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

/* What opens the switch itself, or makes and removes it. */
static int whole(struct tsw *t, int (*what)(struct tsw *t))
{
	int err = lib_place(t);

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

static int place(struct tsw *t)
{
	int err;

	if (t->netns) {
		t->home = netns_own();
		if (t->home < 0)
			return t->home;
	}
	err = session_place(t);
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
	err = place(t);
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

/* Where nothing is said: what is not zero. */
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
	if (!err)
		err = lib_place(t);
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
		return misuse("what can be set of a switch that is up: dev, local, xdp, zone, "
			      "encrypt, wg_port, nat_ports, closed");
	err = fields_clean((struct json_keys){switch_fields, set.given, 0}, spec, &set);
	if (!err && set.given & FIELD(SWITCH_DEV) && !set.dev.n)
		err = misuse("a switch needs a device");
	if (!err)
		err = lib_write(t);
	return err ?: switch_set(t, &set);
}

int tsw_switch_down(struct tsw *t)
{
	return whole(t, switch_down);
}

/* It takes the lock: what another command is half-way through is no fault. */
static int check(struct tsw *t, json_t *problems, json_t *warnings)
{
	const bool had_lock = t->lock >= 0;
	struct failure why;
	int err = lib_place(t);

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
		err = fail(EIO, "the report cannot be written");
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
