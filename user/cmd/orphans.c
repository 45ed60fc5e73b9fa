// SPDX-License-Identifier: GPL-2.0-only
/* Records of this host's containers that are gone: -c gc, and a part of -c check. */
#include <errno.h>

#include "base/err.h"
#include "base/problem.h"
#include "cluster/orphans.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "store/pins.h"
#include "switch/session.h"

/* Opens the switch only to read it. SWEEP: also removes files that belong to nothing. */
static int find(struct cli *cli, const struct records *r, bool sweep, struct orphans *found)
{
	struct tsw *t = &cli->tsw;
	const bool will_write = t->will_write;
	int err;

	t->will_write = false;
	err = session_open(t);
	err = err ?: orphans_find(r, t, found);
	if (!err && sweep)
		orphans_sweep(t, found);
	session_close(t);
	t->will_write = will_write;
	return err;
}

int orphans_check(struct cli *cli, const struct records *r, json_t *problems)
{
	cleanup_orphans struct orphans found = {};
	size_t i;
	int err;

	if (!pins_exist(cli->tsw.instance))
		return 0;
	err = find(cli, r, false, &found);
	for (i = 0; i < found.n; i++)
		orphan_tell(problems, &found.all[i]);
	if (!err || err == -EHOSTUNREACH)
		return err;
	/* Of another namespace or version; the records can be checked all the same. */
	note(&cli->tsw.log, "records of containers that are gone were not looked for: %s",
	     failure()->text);
	return 0;
}

/* Goes on after a record that this host may not delete. */
static int take(struct records *r, const struct orphans *all, const struct orphan *o,
		json_t *removed, json_t *left)
{
	bool ports_stay;
	int err = orphan_take(r, all, o, &ports_stay);

	if (!err)
		orphan_tell(removed, o);
	if (err == -EACCES || ports_stay)
		problem(left, "orphan_endpoint", orphan_name(o), "%s",
			err ? failure()->text : "this host may not withdraw its published ports");
	return err == -EACCES || err == -ECANCELED ? 0 : err;
}

int cmd_whole_gc(struct cli *cli, const struct words *w)
{
	json_t *removed = json_array(), *left = json_array();
	cleanup_orphans struct orphans found = {};
	struct records *r;
	size_t i;
	int err = w->given & FIELD(OPTION_ENDPOINTS)
			  ? misuse("endpoints is about the switch: not available with -c")
			  : records_begin(cli, &r);

	err = err ?: find(cli, r, !w->option.dry_run, &found);
	for (i = 0; !err && i < found.n; i++) {
		records_wait(r, records_wait_ms(cli));
		if (w->option.dry_run)
			orphan_tell(removed, &found.all[i]);
		else
			err = take(r, &found, &found.all[i], removed, left);
	}
	if (!err) {
		cli->bad |= json_array_size(left) > 0;
		out_object(&cli->out, json_pack("{s:b, s:O, s:O}", "dry_run", w->option.dry_run,
						"removed", removed, "left", left));
	}
	json_decref(removed);
	json_decref(left);
	return err;
}
