// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "agent/notify.h"
#include "cmd/cmd.h"
#include "state/now.h"
#include "state/read.h"
#include "state/run.h"
#include "state/save.h"
#include "switch/session.h"

/* The choices of `missing`. */
enum { MISSING_FAIL, MISSING_SKIP };

/* The choices of `containers`. */
enum { CONTAINERS_CHANGE, CONTAINERS_KEEP };

/* ---- save ------------------------------------------------------------------------- */

int cmd_save(struct cli *cli, const struct words *w)
{
	cleanup_state struct state s = {};
	int err = state_now(&cli->tsw, w->given & FIELD(OPTION_KNOWN) ? w->option.known : NULL, &s);

	return err ?: state_save(stdout, &s, cli->out.pretty);
}

/* ---- apply and diff --------------------------------------------------------------- */

/* Prints the changes that were made; JSON has them, and those that were not, in the error. */
static void tell_failure(struct cli *cli, const struct state_run *r)
{
	if (!cli->out.json)
		out_list(&cli->out, state_run_json(r, true));
	else
		cli->out.aside = json_pack("{s:o, s:o}", "done", state_run_json(r, true),
					   "not_done", state_run_json(r, false));
}

/* The switch is up. JSON is one list, so it has these changes at the end. */
static void tell_begun(struct cli *cli, struct state_run *r)
{
	notify_manager("READY=1");
	if (cli->out.json || !r->late.endpoints)
		return;
	out_list(&cli->out, state_run_json(r, true));
	fflush(stdout);
	r->told = r->done;
}

static int begin(struct cli *cli, const struct words *w, struct state_run *r)
{
	int err;

	*r = (struct state_run){.t = &cli->tsw,
				.name = w->given & FIELD(OPTION_NAME) ? &w->option.name : NULL,
				.wait = w->option.wait,
				.skip_missing = w->option.missing == MISSING_SKIP,
				.keep_containers = w->option.containers == CONTAINERS_KEEP};
	err = state_read_file(w->file, &r->want);
	if (!err && r->want.liberal)
		note(&cli->tsw.log,
		     "tcp_liberal has no meaning any more: all TCP of gateways goes the fast way");
	return err;
}

static int apply(struct cli *cli, const struct words *w)
{
	cleanup_state_run struct state_run r;
	bool failed = false;
	int err = begin(cli, w, &r);

	err = err ?: state_run_apply(&r, &failed);
	if (!err) {
		tell_begun(cli, &r);
		err = state_run_await(&r);
		failed = err;
	}
	if (!err)
		out_list(&cli->out, state_run_json(&r, true));
	else if (failed)
		tell_failure(cli, &r);
	return err;
}

static int diff(struct cli *cli, const struct words *w)
{
	cleanup_state_run struct state_run r;
	int err = begin(cli, w, &r);

	err = err ?: state_run_diff(&r);
	if (err)
		return err;
	out_list(&cli->out, state_run_json(&r, false));
	cli->bad |= r.changes.n > 0;
	return 0;
}

int cmd_apply(struct cli *cli, const struct words *w)
{
	const bool will_write = cli->tsw.will_write;
	int err = apply(cli, w);

	session_restore(&cli->tsw, will_write);
	return err;
}

int cmd_diff(struct cli *cli, const struct words *w)
{
	const bool will_write = cli->tsw.will_write;
	int err = diff(cli, w);

	session_restore(&cli->tsw, will_write);
	return err;
}
