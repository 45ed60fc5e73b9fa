// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "door/liberal.h"
#include "kernel/system.h"
#include "store/config.h"

#define SETTING "/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal"

int liberal_is_on(void)
{
	return system_setting(SETTING);
}

static int turn(int on)
{
	int err = system_set(SETTING, on);

	return err ? fail(err, "cannot turn TCP's liberal tracking %s: %s: %s", on ? "on" : "off",
			  SETTING, strerror(-err))
		   : 0;
}

/* Noted before it is done: a kill in between leaves nothing that is not put back. */
static int open(struct tsw *t)
{
	int err = 0;

	if (liberal_is_on() > 0)
		return 0;
	if (!(t->config.flags & TSW_CFG_LIBERAL_OURS)) {
		t->config.flags |= TSW_CFG_LIBERAL_OURS;
		err = config_put(t);
	}
	return err ? err : turn(1);
}

int liberal_mend(struct tsw *t)
{
	return t->config.flags & TSW_CFG_LIBERAL ? open(t) : liberal_close(t);
}

int liberal_close(struct tsw *t)
{
	int err;

	if (!(t->config.flags & TSW_CFG_LIBERAL_OURS))
		return 0;
	err = liberal_is_on() > 0 ? turn(0) : 0;
	if (err)
		return err;
	t->config.flags &= ~TSW_CFG_LIBERAL_OURS;
	return config_put(t);
}

void liberal_check(const struct tsw *t, json_t *problems)
{
	if (t->config.flags & TSW_CFG_LIBERAL && !liberal_is_on())
		problem(problems, "tcp_liberal", "tcp_liberal",
			"somebody turned it off: no TCP of a gateway goes the fast way");
}
