// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>

#include "agent/uplinks.h"
#include "door/inherit.h"
#include "door/nat_ports.h"
#include "door/router.h"
#include "door/timeouts.h"
#include "door/tracking.h"
#include "door/uplink.h"
#include "switch/session.h"

enum { LOCK_MS = 2000 }; /* so long for another command, and it is tried again */

static int mend(const struct tsw *here)
{
	struct tsw t = TSW_CLOSED;
	int err;

	t.instance = here->instance;
	t.log = here->log;
	t.will_write = true;
	t.wait_ms = LOCK_MS;
	err = session_open(&t);
	/* A command may have taken the last gateway away meanwhile. */
	if (!err && t.config.gateway)
		err = tracking_follow(&t);
	if (!err && t.config.gateway)
		err = uplinks_mend(&t, false);
	if (!err && t.config.gateway)
		err = nat_ports_put(&t, false);
	if (!err && t.config.gateway)
		err = inherit_settings();
	session_close(&t);
	return err;
}

int uplinks_look(struct tsw *here)
{
	json_t *problems;
	int err;

	router_register(here);
	if (!here->config.gateway)
		return 0;
	problems = json_array();
	err = timeouts_check(here, problems);
	if (!err)
		err = uplinks_check(here, problems);
	if (err >= 0)
		err = inherit_check("", problems);
	if (!err && (json_array_size(problems) || nat_ports_are_old(here)))
		err = mend(here);
	json_decref(problems);
	return err;
}
