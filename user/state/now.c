// SPDX-License-Identifier: GPL-2.0-only
#include "base/hidden.h"
#include "base/text.h"
#include "state/load.h"
#include "state/missing.h"
#include "state/now.h"
#include "state/read.h"
#include "store/config.h"
#include "switch/session.h"

static int know_devices(const char *file, struct state *s)
{
	cleanup_state struct state known = {};
	int err = state_read_file(file, &known);

	if (!err)
		state_know_devices(s, &known);
	return err;
}

/* Reports devices that no longer exist and whose name no older file has. */
static void tell_unknown(const struct tsw *t, const struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_endpoints; i++)
		if (state_is_own(s, &s->endpoint[i]) && !s->endpoint[i].dev[0])
			note(&t->log,
			     "the device of endpoint %s of tenant %s is gone: its name is not "
			     "known",
			     quoted(s->endpoint[i].name.s),
			     quoted(s->tenant[s->endpoint[i].tenant].spec.name.s));
}

static void add_hidden(const struct tsw_name *name, const char **first, size_t *n)
{
	if (!hidden_in(name->s))
		return;
	if (!*n)
		*first = name->s;
	++*n;
}

/* Reports names that an older version accepted, and that apply refuses. */
static void tell_hidden(const struct tsw *t, const struct state *s)
{
	const char *first = NULL;
	size_t i, n = 0;

	for (i = 0; i < s->n_hosts; i++)
		add_hidden(&s->host[i].spec.name, &first, &n);
	for (i = 0; i < s->n_tenants; i++)
		add_hidden(&s->tenant[i].spec.name, &first, &n);
	for (i = 0; i < s->n_endpoints; i++)
		add_hidden(&s->endpoint[i].name, &first, &n);
	if (n)
		note(&t->log,
		     "%zu names have invisible characters, for example %s: apply refuses this "
		     "state until they are renamed",
		     n, quoted(first));
}

/* Takes the lock, because a change between the reads of two maps would be in one of them only. */
static int load_locked(struct tsw *t, const struct devices *devices, struct state *s)
{
	int err;

	if (t->will_write) /* a batch has the lock already, and keeps it */
		return state_load(t, devices, s);
	session_leave(t);
	err = lock_read(t);
	err = err ?: session_open(t);
	err = err ?: state_load(t, devices, s);
	lock_drop(t);
	return err;
}

int state_now(struct tsw *t, const char *known, struct state *s)
{
	cleanup_devices struct devices devices = {};
	int err = config_check_netns(t);

	*s = (struct state){.own = STATE_NONE};
	err = err ?: devices_read(&devices);
	err = err ?: load_locked(t, &devices, s);
	if (!err && known)
		err = know_devices(known, s);
	if (err)
		return err;
	tell_unknown(t, s);
	tell_hidden(t, s);
	return 0;
}
