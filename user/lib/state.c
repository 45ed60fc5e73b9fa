// SPDX-License-Identifier: GPL-2.0-only
#include <tsw/state.h>

#include <stdlib.h>

#include "lib/lib.h"
#include "state/now.h"
#include "state/read.h"
#include "state/run.h"
#include "state/save.h"

int tsw_state_save(struct tsw *t, FILE *file)
{
	cleanup_state struct state s = {};
	int err = lib_read(t);

	err = err ?: state_now(t, NULL, &s);
	return err ?: state_save(file, &s, false);
}

static int read_state(struct tsw *t, FILE *file, const struct tsw_apply *apply,
		      struct tsw_name *name, struct state_run *r)
{
	int err = apply && apply->host ? lib_name(apply->host, name) : 0;

	*r = (struct state_run){.t = t};
	tsw_release(t); /* the run waits without the lock, and opens the switch itself */
	if (apply) {
		r->name = apply->host ? name : NULL;
		r->wait = apply->wait;
		r->skip_missing = apply->skip_missing;
	}
	return err ?: state_read_stream(file, "the state", &r->want);
}

static void report_changes(const struct tsw_apply *apply, const struct state_run *r, bool done)
{
	json_t *all, *one;
	char *text;
	size_t i;

	if (!apply || !apply->change)
		return;
	all = state_run_json(r, done);
	json_array_foreach(all, i, one) {
		text = json_dumps(one, JSON_COMPACT);
		if (text)
			apply->change(apply->context, text);
		free(text);
	}
	json_decref(all);
}

int tsw_state_apply(struct tsw *t, FILE *file, const struct tsw_apply *apply)
{
	cleanup_state_run struct state_run r;
	struct tsw_name name;
	bool failed = false;
	int err = read_state(t, file, apply, &name, &r);

	err = err ?: lib_check_netns(t);
	err = err ?: state_run_apply(&r, &failed);
	if (!err) {
		err = state_run_await(&r);
		failed = err;
	}
	if (!err || failed)
		report_changes(apply, &r, true);
	return err;
}

int tsw_state_diff(struct tsw *t, FILE *file, const struct tsw_apply *apply, size_t *n)
{
	cleanup_state_run struct state_run r;
	struct tsw_name name;
	int err = read_state(t, file, apply, &name, &r);

	err = err ?: lib_check_netns(t);
	err = err ?: state_run_diff(&r);
	if (err)
		return err;
	if (n)
		*n = r.changes.n;
	report_changes(apply, &r, false);
	return 0;
}
