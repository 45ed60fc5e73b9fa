// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "door/door.h"
#include "kernel/address.h"
#include "kernel/system.h"
#include "object/endpoint.h"
#include "state/apply.h"
#include "state/check.h"
#include "state/keep.h"
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

/* Could the switch come up as this host of the file? */
static bool can_be(const struct state *s, __u32 host)
{
	return host != STATE_NONE && s->host[host].up.dev.n;
}

static bool has_local(const struct tsw_host_spec *host)
{
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&host->ip.of[family]) && address_is_local(&host->ip.of[family]))
			return true;
	return false;
}

/* The machine may have been renamed since the file was saved: its address tells who it is. */
static void take_by_address(const struct state_run *r, struct tsw_name *name)
{
	const struct state_host *own = NULL;
	size_t i;

	for (i = 0; i < r->want.n_hosts; i++) {
		if (!can_be(&r->want, (__u32)i) || !has_local(&r->want.host[i].spec))
			continue;
		if (own)
			return;
		own = &r->want.host[i];
	}
	if (!own)
		return;
	note(&r->t->log, "this machine is host %s of the file by its address, not %s",
	     quoted(own->spec.name.s), quoted(name->s));
	*name = own->spec.name;
}

static int own_name(struct state_run *r, struct tsw_name *name)
{
	const struct tsw_switch_spec asked = {.given = r->name ? FIELD(SWITCH_NAME) : 0,
					      .name = r->name ? *r->name : (struct tsw_name){}};

	if (!r->up) {
		int err = settings_name(r->t, &asked, name->s);

		if (!err && !r->name && !can_be(&r->want, state_find_host(&r->want, name->s)))
			take_by_address(r, name);
		return err;
	}
	memcpy(name->s, r->t->config.name, sizeof(name->s));
	if (!r->name || !strcmp(name->s, r->name->s))
		return 0;
	return fail(EEXIST, "the switch %s is up as host %s, not as %s", quoted(r->t->instance),
		    quoted(name->s), quoted(r->name->s));
}

/* Closes the switch, and drops the lock unless the caller had it. */
static void release(struct state_run *r)
{
	if (r->locked)
		session_leave(r->t);
	else
		session_close(r->t);
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

/*
 * Takes the lock of a switch that is not up, so that others see it is coming. A command that had
 * the lock may have brought it up.
 */
static int hold(struct state_run *r)
{
	int err = r->up ? 0 : lock_take(r->t);

	if (err || r->up)
		return err;
	err = look(r);
	if (r->up)
		release(r);
	return err;
}

/* Before a switch comes up it needs its underlay; with `missing fail` all endpoints' devices. */
static int wait_before(struct state_run *r)
{
	cleanup_devices struct devices devices = {};
	int err;

	r->until = clock_ns(CLOCK_MONOTONIC) / MS_NS + r->wait * 1000ULL;
	session_leave(r->t);
	if (!r->wait)
		return 0;
	err = devices_read(&devices);
	if (err || (state_find_devices(&r->want, &devices) && !r->skip_missing &&
		    state_lacks_remade(&r->want)))
		return err; /* refused below */
	err = hold(r);
	session_leave(r->t);
	if (err)
		return err;
	return state_wait(&r->want, !r->up, 0, r->skip_missing ? 0 : r->want.n_endpoints, 0,
			  r->until);
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
		return state_leave_out_missing(r->t, &r->want, r->wait ? &r->late : NULL);
	return state_refuse_missing(&r->want, missing);
}

static int open_to_write(struct state_run *r)
{
	const char *name = r->want.host[r->want.own].spec.name.s;
	int err;

	r->t->will_write = true;
	err = session_open(r->t);
	if (!err && strcmp(r->t->config.name, name))
		err = fail(EAGAIN, "meanwhile the switch became host %s",
			   quoted(r->t->config.name));
	return err;
}

static int bring_up(struct state_run *r)
{
	const struct tsw_switch_spec up = state_up(&r->want);
	int err = 0;

	session_leave(r->t);
	if (!r->up) {
		r->t->will_write = true;
		err = switch_up(r->t, &up);
		r->made = !err;
	}
	return err ?: open_to_write(r);
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

static int keep_containers(struct state_run *r)
{
	size_t n;
	int err = state_keep_containers(&r->have, &r->want, &r->late, &n);

	if (!err && n)
		note(&r->t->log, "endpoints of running containers, which stay as they are: %zu", n);
	return err;
}

static int compare(struct state_run *r)
{
	cleanup_devices struct devices devices = {};
	int err = devices_read(&devices);

	if (!err)
		state_find_devices(&r->want, &devices);
	err = err ?: r->t->open ? state_load(r->t, &devices, &r->have) : load_nothing(r);
	if (!err && r->keep_containers)
		err = keep_containers(r);
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

static int run_apply(struct state_run *r, bool *failed)
{
	int err = prepare(r);

	err = err ?: wait_before(r);
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

int state_run_apply(struct state_run *r, bool *failed)
{
	int err;

	*failed = false;
	r->locked = r->t->lock >= 0;
	err = run_apply(r, failed);
	if (err && !pins_exist(r->t->instance))
		lock_remove(r->t);
	return err;
}

/* ---- endpoints that come later ---------------------------------------------------- */

static void done_late(void *context, const struct change *c, int err)
{
	struct state_run *r = context;

	if (err)
		note(&r->t->log, "left out: %s: %s", state_change_text(&r->have, &r->want, c),
		     failure()->text);
	else if (!list_append(&r->changes.all, &r->changes.n, c, sizeof(*c)))
		r->done = r->changes.n;
}

/* Whatever started the container may have added its endpoint: it stays as that made it. */
static bool is_added(struct state_run *r, size_t i)
{
	const struct state_endpoint *want = &r->want.endpoint[i];
	const struct tsw_endpoint_key key = {.tenant = r->want.tenant[want->tenant].spec.id,
					     .name = want->name};
	struct endpoint unused;

	return !endpoint_load(r->t, &key, &unused);
}

static int add_change(struct changes *c, enum object_kind object, size_t i)
{
	const struct change change = {CHANGE_ADD, object, STATE_NONE, (__u32)i};

	return list_append(&c->all, &c->n, &change, sizeof(change));
}

/* Adds the endpoints from index FIRST on, then the ports from index PORT on. */
static int add_late(struct state_run *r, size_t first, size_t port)
{
	struct changes changes = {};
	size_t i;
	int err = open_to_write(r);

	for (i = first; !err && i < r->want.n_endpoints; i++)
		if (!is_added(r, i))
			err = add_change(&changes, OBJECT_ENDPOINT, i);
	for (i = port; !err && i < r->want.n_publishes; i++)
		err = add_change(&changes, OBJECT_PUBLISH, i);
	err = err ?: state_apply_each(r->t, &r->have, &r->want, &changes, done_late, r);
	changes_free(&changes);
	return err;
}

int state_run_await(struct state_run *r)
{
	size_t first, port;
	int err = 0;

	while (!err && r->late.endpoints && clock_ns(CLOCK_MONOTONIC) / MS_NS < r->until) {
		release(r);
		first = r->want.n_endpoints;
		err = state_wait(&r->want, false, first, first + r->late.endpoints,
				 r->late.endpoints - 1, r->until);
		port = r->want.n_publishes;
		err = err ?: state_take_late(&r->want, &r->late);
		if (!err && r->want.n_endpoints > first)
			err = add_late(r, first, port);
	}
	state_give_up_late(r->t, &r->want, &r->late);
	return err;
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

	if (done && r->made && !r->told)
		json_array_append_new(list, state_change_json(&r->have, &r->want, &made));
	for (i = done ? r->told : r->done; i < end; i++)
		json_array_append_new(list,
				      state_change_json(&r->have, &r->want, &r->changes.all[i]));
	return list;
}
