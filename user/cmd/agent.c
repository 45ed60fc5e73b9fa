// SPDX-License-Identifier: GPL-2.0-only
#include "agent/agent.h"
#include "cmd/cluster.h"
#include "cmd/cmd.h"
#include "cmd/plan.h"
#include "cmd/records.h"

static void tell(void *context, json_t *change)
{
	struct cli *cli = context;

	out_item(&cli->out, change);
}

static void list(void *plan, json_t *change)
{
	json_array_append_new(plan, change);
}

static int once(struct cli *cli, const struct member *m)
{
	int err;

	out_list_begin(&cli->out);
	err = agent_once(&cli->tsw, m, records_wait_ms(cli), tell, NULL, cli);
	if (!err)
		out_list_end(&cli->out);
	return err;
}

/* The value of a word, or OTHERWISE if the word was not given. */
static __u32 given(const struct words *w, enum option_field field, __u32 value, __u32 otherwise)
{
	return w->given & FIELD(field) ? value : otherwise;
}

int cmd_agent(struct cli *cli, const struct words *w)
{
	const struct prober_asks asks = {given(w, OPTION_PROBE, w->option.probe, PROBE_MS),
					 given(w, OPTION_HOLD, w->option.hold, PROBE_HOLD)};
	const bool sync = !(w->given & FIELD(OPTION_SYNC)) || w->option.sync;
	struct member m;
	int err = cluster_check_lock(cli);

	err = err ?: member_read(cli->tsw.instance, &m);
	if (err)
		return err;
	if (cli->plan) /* what the agent would change at first */
		return agent_once(&cli->tsw, &m, records_wait_ms(cli), list, plan_record,
				  cli->plan);
	if (w->option.once)
		return once(cli, &m);
	return agent_run(&cli->tsw, &m, &asks, sync,
			 given(w, OPTION_WAIT, w->option.wait, AGENT_READY_SECONDS));
}
