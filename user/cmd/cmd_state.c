// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "base/err.h"
#include "base/hidden.h"
#include "store/lock.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settings.h"
#include "state/state_apply.h"
#include "state/state_check.h"
#include "state/state_load.h"
#include "state/state_missing.h"
#include "state/state_read.h"
#include "state/state_report.h"
#include "state/state_save.h"
#include "switch/switch.h"
#include "kernel/system.h"
#include "base/text.h"
#include "base/log.h"
#include "store/config.h"
#include "store/tsw.h"

/* What `missing` may be. */
enum { MISSING_FAIL, MISSING_SKIP };

/* ---- save ------------------------------------------------------------------------- */

static int know_devices(const struct words *w, struct state *s)
{
	cleanup_state struct state known = {};
	int err = state_read_file(w->option.known, &known);

	if (!err)
		state_know_devices(s, &known);
	return err;
}

/* A device that is gone has no name: it is known only from a file of before. */
static void tell_unknown(const struct tsw *t, const struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_endpoints; i++)
		if (state_is_own(s, &s->endpoint[i]) && !s->endpoint[i].dev[0])
			note(&t->log,
			     "the device of endpoint %s of tenant %s is gone: its name is not "
			     "known",
			     quoted(s->endpoint[i].name.s),
			     quoted(s->tenant[s->endpoint[i].tenant].name.s));
}

static void add_hidden(const struct tsw_name *name, const char **first, size_t *n)
{
	if (!hidden_in(name->s))
		return;
	if (!*n)
		*first = name->s;
	++*n;
}

/* What an older version took: the file will be refused as it is. */
static void tell_hidden(const struct tsw *t, const struct state *s)
{
	const char *first = NULL;
	size_t i, n = 0;

	for (i = 0; i < s->n_hosts; i++)
		add_hidden(&s->host[i].name, &first, &n);
	for (i = 0; i < s->n_tenants; i++)
		add_hidden(&s->tenant[i].name, &first, &n);
	for (i = 0; i < s->n_endpoints; i++)
		add_hidden(&s->endpoint[i].name, &first, &n);
	if (n)
		note(&t->log,
		     "%zu names have characters that nobody sees, as %s: apply refuses this state "
		     "until they are others",
		     n, quoted(first));
}

/* The maps are read one after the other: what changes meanwhile would be in one and not another. */
static int load_locked(struct tsw *t, const struct devices *devices, struct state *s)
{
	int err;

	if (t->will_write) /* a batch has the lock, and keeps it */
		return state_load(t, devices, s);
	session_leave(t);
	err = lock_take(t);
	if (!err)
		err = session_open(t);
	if (!err)
		err = state_load(t, devices, s);
	lock_drop(t);
	return err;
}

int cmd_save(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_devices struct devices devices = {};
	cleanup_state struct state s = {};
	int err = config_check_netns(t);

	if (!err)
		err = devices_read(&devices);
	if (!err)
		err = load_locked(t, &devices, &s);
	if (!err && w->given & FIELD(OPTION_KNOWN))
		err = know_devices(w, &s);
	if (err)
		return err;
	tell_unknown(t, &s);
	tell_hidden(t, &s);
	return state_save(stdout, &s, cli->out.pretty);
}

/* ---- apply and diff --------------------------------------------------------------- */

struct run {
	struct cli *cli;
	struct tsw *t;
	const struct words *w;
	bool up;   /* a switch was, when we came */
	bool made; /* we made one */
	struct state have;
	struct state want;
	struct changes changes;
	size_t done;
};

static void run_free(struct run *r)
{
	state_free(&r->have);
	state_free(&r->want);
	changes_free(&r->changes);
}

#define cleanup_run __attribute__((cleanup(run_free)))

/* Looks without the lock; one that is only half up is none, which `switch up` takes away. */
static int look(struct run *r)
{
	int err = system_check_capabilities();

	if (!err)
		err = pins_check_fs();
	if (err)
		return err;
	session_leave(r->t);
	r->t->will_write = false;
	err = pins_exist(r->t->instance) ? session_open(r->t) : config_no_switch(r->t);
	r->up = !err;
	if (!r->up)
		return err == -ENOENT ? 0 : err;
	return config_check_netns(r->t);
}

static int own_name(struct run *r, struct tsw_name *name)
{
	const bool given = r->w->given & FIELD(OPTION_NAME);
	const struct switch_want asked = {.given = given ? FIELD(SWITCH_NAME) : 0,
					  .name = r->w->option.name};

	if (!r->up)
		return settings_name(r->t, &asked, name->s);
	memcpy(name->s, r->t->config.name, sizeof(name->s));
	if (!given || !strcmp(name->s, r->w->option.name.s))
		return 0;
	return fail(EEXIST, "the switch %s is up as host %s, not as %s", quoted(r->t->instance),
		    quoted(name->s), quoted(r->w->option.name.s));
}

/* All that can be said of the file without the maps. */
static int prepare(struct run *r)
{
	struct tsw_name name;
	int err = state_read_file(r->w->file, &r->want);

	if (!err)
		err = state_check(&r->want);
	if (!err)
		err = look(r);
	if (!err)
		err = own_name(r, &name);
	if (!err)
		err = state_take_own(&r->want, name.s);
	if (err || r->up || r->want.host[r->want.own].up.dev.n)
		return err;
	config_no_switch(r->t);
	fail_more(", or give this host a switch with dev in the file");
	return -ENOENT;
}

/* Others may work meanwhile: nothing is open, and no lock held. */
static int wait_for_devices(struct run *r)
{
	size_t missing;

	session_leave(r->t);
	return state_wait_devices(&r->want, !r->up, r->w->option.wait, &missing);
}

static int find_devices(struct run *r)
{
	cleanup_devices struct devices devices = {};
	size_t missing;
	int err = devices_read(&devices);

	missing = err ? 0 : state_find_devices(&r->want, &devices);
	if (!missing)
		return err;
	if (r->w->option.missing == MISSING_SKIP)
		return state_leave_out_missing(r->t, &r->want);
	return state_refuse_missing(&r->want, missing);
}

static int bring_up(struct run *r)
{
	const struct switch_want up = state_up(&r->want);
	const char *name = r->want.host[r->want.own].name.s;
	int err = 0;

	session_leave(r->t);
	r->t->will_write = true;
	if (!r->up) {
		err = switch_up(r->t, &up);
		r->made = !err;
	}
	if (!err)
		err = session_open(r->t);
	if (!err && strcmp(r->t->config.name, name))
		err = fail(EAGAIN, "meanwhile the switch became host %s",
			   quoted(r->t->config.name));
	return err;
}

/* No switch is up: there is nothing but this host's name. */
static int load_nothing(struct run *r)
{
	struct state_host *own;

	r->have = (struct state){.own = 0};
	own = state_grow(&r->have.host, &r->have.n_hosts, sizeof(*own));
	if (!own)
		return -ENOMEM;
	own->name = r->want.host[r->want.own].name;
	return 0;
}

static int compare(struct run *r)
{
	cleanup_devices struct devices devices = {};
	int err = devices_read(&devices);

	if (!err)
		state_find_devices(&r->want, &devices);
	if (!err)
		err = r->t->open ? state_load(r->t, &devices, &r->have) : load_nothing(r);
	return err ? err : state_diff(&r->have, &r->want, &r->changes);
}

/* ---- telling ---------------------------------------------------------------------- */

static json_t *item(const struct run *r, size_t i)
{
	return state_change_json(&r->have, &r->want, &r->changes.all[i]);
}

static json_t *made_item(const struct run *r)
{
	const struct change made = {CHANGE_ADD, OBJECT_SWITCH, STATE_NONE, r->want.own};

	return state_change_json(&r->have, &r->want, &made);
}

static void print_items(struct run *r, size_t n)
{
	size_t i;

	out_list_begin(&r->cli->out);
	if (r->made)
		out_item(&r->cli->out, made_item(r));
	for (i = 0; i < n; i++)
		out_item(&r->cli->out, item(r, i));
	out_list_end(&r->cli->out);
}

/* One object has the error, what was done, and what was not. */
static void tell_failure(struct run *r)
{
	json_t *done, *rest;
	size_t i;

	fail_where("%s: ",
		   escaped(state_change_text(&r->have, &r->want, &r->changes.all[r->done])));
	fail_more("; changes that are done: %zu of %zu; apply it again to do the rest", r->done,
		  r->changes.n);
	if (!r->cli->out.json) {
		print_items(r, r->done);
		return;
	}
	done = json_array();
	rest = json_array();
	if (r->made)
		json_array_append_new(done, made_item(r));
	for (i = 0; i < r->changes.n; i++)
		json_array_append_new(i < r->done ? done : rest, item(r, i));
	r->cli->out.aside = json_pack("{s:o, s:o}", "done", done, "not_done", rest);
}

/* A refused apply has changed nothing: a switch that it made goes again. */
static int refuse(struct run *r)
{
	const struct failure why = *failure();

	session_leave(r->t);
	if (r->made)
		switch_down(r->t);
	fail_again(&why);
	fail_more("; nothing was done");
	return -why.code;
}

static int carry_out(struct run *r)
{
	int err;

	if (state_refuse(r->t, &r->have, &r->want, &r->changes))
		return refuse(r);
	err = state_apply(r->t, &r->have, &r->want, &r->changes, &r->done);
	if (!err)
		print_items(r, r->changes.n);
	else
		tell_failure(r);
	return err;
}

static int apply(struct run *r)
{
	int err = prepare(r);

	if (!err && r->w->option.wait)
		err = wait_for_devices(r);
	if (!err)
		err = find_devices(r);
	if (!err)
		err = bring_up(r);
	if (!err)
		err = compare(r);
	return err ? err : carry_out(r);
}

static int diff(struct run *r)
{
	int err = prepare(r);

	if (!err)
		err = compare(r);
	if (err)
		return err;
	print_items(r, r->changes.n);
	r->cli->bad |= r->changes.n > 0;
	return 0;
}

int cmd_apply(struct cli *cli, const struct words *w)
{
	const bool will_write = cli->tsw.will_write;
	cleanup_run struct run r = {.cli = cli, .t = &cli->tsw, .w = w};
	int err = apply(&r);

	session_restore(&cli->tsw, will_write);
	return err;
}

int cmd_diff(struct cli *cli, const struct words *w)
{
	const bool will_write = cli->tsw.will_write;
	cleanup_run struct run r = {.cli = cli, .t = &cli->tsw, .w = w};
	int err = diff(&r);

	session_restore(&cli->tsw, will_write);
	return err;
}
