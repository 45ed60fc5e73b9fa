// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "door/door.h"
#include "kernel/system.h"
#include "state/apply.h"
#include "state/check.h"
#include "state/load.h"
#include "state/missing.h"
#include "state/report.h"
#include "state/run.h"
#include "store/config.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settings.h"
#include "switch/switch.h"

void state_run_free(struct state_run *r)
{
	state_free(&r->have);
	state_free(&r->want);
	changes_free(&r->changes);
}

/* Opens the switch without the lock. A half-made one counts as absent: `switch up` removes it. */
static int look(struct state_run *r)
{
	int err = system_check_capabilities();

	err = err ?: pins_check_fs();
	if (err)
		return err;
	session_leave(r->t);
	r->t->will_write = false;
	err = pins_exist(r->t->instance) ? session_open(r->t) : config_no_switch(r->t);
	r->up = !err;
	/* Somebody removed pins of a switch that was up: it must not be made anew. */
	if (err == -ENOENT && pins_exist(r->t->instance) && r->t->config.abi == TSW_ABI_VERSION)
		return err;
	if (!r->up)
		return err == -ENOENT ? 0 : err;
	return config_check_netns(r->t);
}

static int own_name(struct state_run *r, struct tsw_name *name)
{
	const struct tsw_switch_spec asked = {.given = r->name ? FIELD(SWITCH_NAME) : 0,
					      .name = r->name ? *r->name : (struct tsw_name){}};

	if (!r->up)
		return settings_name(r->t, &asked, name->s);
	memcpy(name->s, r->t->config.name, sizeof(name->s));
	if (!r->name || !strcmp(name->s, r->name->s))
		return 0;
	return fail(EEXIST, "the switch %s is up as host %s, not as %s", quoted(r->t->instance),
		    quoted(name->s), quoted(r->name->s));
}

/* Checks the wanted state alone, without the maps. */
static int prepare(struct state_run *r)
{
	struct tsw_name name;
	int err = state_check(&r->want);

	err = err ?: look(r);
	err = err ?: own_name(r, &name);
	err = err ?: state_take_own(&r->want, name.s);
	if (err || r->up || r->want.host[r->want.own].up.dev.n)
		return err;
	config_no_switch(r->t);
	fail_more(", or give this host a switch with dev in the file");
	return -ENOENT;
}

/* Waits with nothing open or locked, so other commands can work meanwhile. */
static int wait_for_devices(struct state_run *r)
{
	size_t missing;

	session_leave(r->t);
	return state_wait_devices(&r->want, !r->up, r->wait, &missing);
}

static int find_devices(struct state_run *r)
{
	cleanup_devices struct devices devices = {};
	size_t missing;
	int err = devices_read(&devices);

	missing = err ? 0 : state_find_devices(&r->want, &devices);
	if (!missing)
		return err;
	if (r->skip_missing)
		return state_leave_out_missing(r->t, &r->want);
	return state_refuse_missing(&r->want, missing);
}

static int bring_up(struct state_run *r)
{
	const struct tsw_switch_spec up = state_up(&r->want);
	const char *name = r->want.host[r->want.own].spec.name.s;
	int err = 0;

	session_leave(r->t);
	r->t->will_write = true;
	if (!r->up) {
		err = switch_up(r->t, &up);
		r->made = !err;
	}
	err = err ?: session_open(r->t);
	if (!err && strcmp(r->t->config.name, name))
		err = fail(EAGAIN, "meanwhile the switch became host %s",
			   quoted(r->t->config.name));
	return err;
}

/* Without a switch the state has only this host's name. */
static int load_nothing(struct state_run *r)
{
	struct state_host *own;

	r->have = (struct state){.own = 0};
	own = list_grow(&r->have.host, &r->have.n_hosts, sizeof(*own));
	if (!own)
		return -ENOMEM;
	own->spec.name = r->want.host[r->want.own].spec.name;
	return 0;
}

static int compare(struct state_run *r)
{
	cleanup_devices struct devices devices = {};
	int err = devices_read(&devices);

	if (!err)
		state_find_devices(&r->want, &devices);
	err = err ?: r->t->open ? state_load(r->t, &devices, &r->have) : load_nothing(r);
	return err ?: state_diff(&r->have, &r->want, &r->changes);
}

/* A refused apply must not change anything, so takes down a switch that this run made. */
static int refuse(struct state_run *r)
{
	const struct failure why = *failure();

	session_leave(r->t);
	if (r->made)
		switch_down(r->t);
	fail_again(&why);
	fail_more("; nothing was done");
	return -why.code;
}

int state_run_apply(struct state_run *r, bool *failed)
{
	int err = prepare(r);

	*failed = false;
	if (!err && r->wait)
		err = wait_for_devices(r);
	err = err ?: find_devices(r);
	err = err ?: bring_up(r);
	err = err ?: compare(r);
	if (err)
		return err;
	if (state_refuse(r->t, &r->have, &r->want, &r->changes))
		return refuse(r);
	err = state_apply(r->t, &r->have, &r->want, &r->changes, &r->done);
	*failed = err;
	/* The host's devices and addresses may have changed since. */
	if (!err && r->t->config.gateway && door_open(r->t)) {
		*failed = true;
		fail_more("; all changes of the file are done");
		return -failure()->code;
	}
	return err ? state_failed(&r->have, &r->want, &r->changes, r->done) : 0;
}

int state_run_diff(struct state_run *r)
{
	int err = prepare(r);

	err = err ?: compare(r);
	if (!err && r->t->open && state_refuse(r->t, &r->have, &r->want, &r->changes))
		note(&r->t->log, "apply would refuse this: %s", failure()->text);
	return err;
}

json_t *state_run_json(const struct state_run *r, bool done)
{
	const struct change made = {CHANGE_ADD, OBJECT_SWITCH, STATE_NONE, r->want.own};
	const size_t end = done ? r->done : r->changes.n;
	json_t *list = json_array();
	size_t i;

	if (done && r->made)
		json_array_append_new(list, state_change_json(&r->have, &r->want, &made));
	for (i = done ? 0 : r->done; i < end; i++)
		json_array_append_new(list,
				      state_change_json(&r->have, &r->want, &r->changes.all[i]));
	return list;
}
