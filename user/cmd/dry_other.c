// SPDX-License-Identifier: GPL-2.0-only
/* Dry runs of commands that are not about objects. */
#include "cmd/cmd.h"
#include "cmd/dry_run.h"
#include "switch/session.h"

typedef int command_run_fn(struct cli *cli, const struct words *w);

/* INSTEAD looks at what RUN would do. It may be RUN itself, with `dry-run on` or no `--apply`. */
static const struct {
	command_run_fn *run, *instead;
} looks[] = {
	{cmd_apply, cmd_diff},
	{cmd_whole_apply, cmd_whole_diff},
	{cmd_cluster_import, cmd_cluster_import_dry},
	{cmd_switch_repair, cmd_switch_check},
	{cmd_switch_gc, cmd_switch_gc},
	{cmd_whole_gc, cmd_whole_gc},
	{cmd_gateway_place, cmd_gateway_place},
};

int dry_run_other(struct cli *cli, const struct command *c, const struct words *w)
{
	command_run_fn *const run = cli->cluster ? c->cluster : c->run;
	const bool bad = cli->bad;
	struct words look = *w;
	size_t i;
	int err;

	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		if (looks[i].run != run)
			continue;
		if (c->words == &option_words) {
			look.option.dry_run = true;
			look.given &= ~(c->takes & FIELD(OPTION_APPLY));
		}
		err = c->flags & COMMAND_OPEN ? session_open(&cli->tsw) : 0;
		err = err ?: looks[i].instead(cli, &look);
		cli->bad = bad; /* to find changes is no failure here */
		return err;
	}
	return 1;
}
