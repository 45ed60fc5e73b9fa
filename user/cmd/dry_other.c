// SPDX-License-Identifier: GPL-2.0-only
/* Dry runs of commands that are not about objects. */
#include "cmd/cmd.h"
#include "cmd/dry_run.h"
#include "switch/session.h"

typedef int command_run_fn(struct cli *cli, const struct words *w);

/*
 * INSTEAD looks at what RUN would do, and prints it. It may be RUN itself, with `dry-run on` or no
 * `--apply`. NULL: RUN lists it in cli->plan.
 */
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
	{cmd_switch_up},
	{cmd_switch_set},
	{cmd_switch_down},
	{cmd_switch_upgrade},
	{cmd_switch_rekey},
	{cmd_cluster_join},
	{cmd_cluster_leave},
	{cmd_cluster_accept},
	{cmd_agent},
};

/*
 * Prints the changes that RUN lists. After an error these are what it found before. It sees the
 * present switch, and not what other lines of a batch would make of it.
 */
static int plan(struct cli *cli, command_run_fn *run, const struct words *w)
{
	json_t *item;
	size_t i;
	int err;

	if (cli->dry)
		return dry_alone();
	cli->planned = true;
	cli->plan = json_array();
	err = run(cli, w);
	if (!err || json_array_size(cli->plan))
		out_list_begin(&cli->out);
	json_array_foreach(cli->plan, i, item)
		out_item(&cli->out, json_incref(item));
	if (!err)
		out_list_end(&cli->out);
	json_decref(cli->plan);
	cli->plan = NULL;
	return err;
}

static int run_look(struct cli *cli, const struct command *c, const struct words *w, size_t i)
{
	const bool bad = cli->bad;
	struct words look = *w;
	int err = c->flags & COMMAND_OPEN ? session_open(&cli->tsw) : 0;

	if (!err && !looks[i].instead)
		return plan(cli, looks[i].run, w);
	if (c->words == &option_words) {
		look.option.dry_run = true;
		look.given &= ~(c->takes & FIELD(OPTION_APPLY));
	}
	err = err ?: looks[i].instead(cli, &look);
	cli->bad = bad; /* changes are no failure here */
	return err;
}

int dry_run_other(struct cli *cli, const struct command *c, const struct words *w)
{
	command_run_fn *const run = cli->cluster ? c->cluster : c->run;
	size_t i;

	if (cli->planned)
		return dry_alone();
	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (looks[i].run == run)
			return run_look(cli, c, w, i);
	return 1;
}
