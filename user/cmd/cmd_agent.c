// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "agent/agent.h"
#include "base/err.h"
#include "cmd/cmd.h"

/* Whoever follows for long keeps nobody from the switch. */
static int check_alone(const struct cli *cli)
{
	return cli->tsw.lock < 0
		       ? 0
		       : fail(EBUSY, "in a batch it stands before all that changes the switch");
}

static void tell(void *context, json_t *change)
{
	struct cli *cli = context;

	out_item(&cli->out, change);
}

static int once(struct cli *cli, const struct member *m)
{
	int err;

	out_list_begin(&cli->out);
	err = agent_once(&cli->tsw, m, cli->tsw.wait_ms, tell, cli);
	if (!err)
		out_list_end(&cli->out);
	return err;
}

int cmd_agent(struct cli *cli, const struct words *w)
{
	struct member m;
	int err = check_alone(cli);

	err = err ?: member_read(cli->tsw.instance, &m);
	if (err)
		return err;
	return w->option.once ? once(cli, &m) : agent_run(&cli->tsw, &m);
}
