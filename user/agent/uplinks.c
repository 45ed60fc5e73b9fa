// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>

#include "agent/uplinks.h"
#include "base/clock.h"
#include "base/err.h"
#include "door/nat_ports.h"
#include "door/router.h"
#include "door/settings.h"
#include "door/tracking.h"
#include "door/uplink.h"
#include "store/attach.h"
#include "switch/session.h"

enum {
	LOCK_MS = 2000,	  /* longest wait for another command; then it is tried again */
	WAIT_MOST_S = 60, /* longest wait after a repair that did not help */
};

static void keep(int err, struct failure *why)
{
	if (err && !why->code)
		*why = *failure();
}

/* Repairs each part even if another one fails. Returns the first error. */
static int mend_all(struct tsw *t)
{
	struct failure why = {};

	keep(uplinks_mend(t, false), &why);
	keep(nat_ports_put(t, false), &why);
	keep(settings_follow(), &why);
	keep(tracking_follow(t), &why);
	return why.code ? fail_again(&why) : 0;
}

static int mend(const struct tsw *ro)
{
	struct tsw t = TSW_CLOSED;
	int err;

	t.instance = ro->instance;
	t.log = ro->log;
	t.will_write = true;
	t.wait_ms = LOCK_MS;
	err = session_open(&t);
	/* A command may have removed the last gateway meanwhile. */
	if (!err && t.config.gateway)
		err = mend_all(&t);
	session_close(&t);
	return err;
}

/* Closes the programs first, because an upgrade may have replaced them. */
static int look(struct tsw *ro, json_t *problems)
{
	int err;

	progs_close(ro);
	err = settings_check(ro, problems);
	err = err ?: uplinks_check(ro, problems);
	return err < 0 ? err : 0;
}

/* A repair ends all leases, so the wait after one that did not help doubles. */
static int mend_in_time(const struct tsw *ro, struct uplinks_wait *wait)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (now < wait->until)
		return 0;
	wait->seconds = wait->seconds < WAIT_MOST_S / 2 ? 2 * wait->seconds + 1 : WAIT_MOST_S;
	wait->until = now + wait->seconds * SECOND_NS;
	return mend(ro);
}

int uplinks_look(struct tsw *ro, struct uplinks_wait *wait)
{
	json_t *problems;
	int err;

	router_register(ro);
	if (!ro->config.gateway)
		return 0;
	problems = json_array();
	err = look(ro, problems);
	if (!err && (json_array_size(problems) || nat_ports_are_old(ro)))
		err = mend_in_time(ro, wait);
	else if (!err)
		*wait = (struct uplinks_wait){};
	json_decref(problems);
	return err;
}
