// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/agent.h"
#include "agent/local_wait.h"
#include "agent/status.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "object/spec.h"
#include "store/pins.h"
#include "switch/session.h"

enum { FIRST_US = 500, LAST_US = 20000 }; /* between looks */
/*
 * A command has just reached etcd, so the agent is woken and mostly reaches it, too. It notices
 * within a second, or after a try at a silent member, which takes five.
 */
enum { CUT_OFF_MS = 7000 };

/* Compares the places as this host has them; only the record has the devices of both hosts. */
static bool is_placed(const struct tsw *t, const struct tsw_endpoint_spec *is,
		      const struct tsw_endpoint_spec *want)
{
	const bool comes = !strcmp(want->to_host.s, t->config.name);

	if (comes)
		return !strcmp(is->host.s, want->host.s) && !strcmp(is->to_dev, want->to_dev);
	return !strcmp(is->dev, want->dev) && !strcmp(is->to_host.s, want->to_host.s);
}

static bool is_same(const struct tsw *t, const struct tsw_endpoint_spec *is,
		    const struct tsw_endpoint_spec *want)
{
	return mac_equal(&is->mac, &want->mac) && is_placed(t, is, want) &&
	       fields_equal(endpoint_fields, FIELDS(ENDPOINT_GROUP, ENDPOINT_END), is, want) &&
	       is->ip.n == want->ip.n &&
	       !memcmp(is->ip.at, want->ip.at, want->ip.n * sizeof(want->ip.at[0]));
}

/* 1: the endpoint is as wanted. LOCKED: first waits for the command or agent that writes now. */
static int look_once(struct tsw *t, const struct tsw_endpoint_spec *want, bool gone, bool locked)
{
	struct tsw_endpoint_spec is;
	struct endpoint ep;
	int err;

	session_close(t);
	t->will_write = locked;
	err = session_open(t);
	if (!err) {
		err = endpoint_find(t, &want->tenant, &want->name, &ep);
		if (err == -ENOENT)
			err = gone;
		else if (!err && !ep.pending && !spec_get_endpoint(t, &ep, &is))
			err = !gone && is_same(t, &is, want);
	}
	session_close(t);
	t->will_write = false;
	return err;
}

/*
 * Takes the lock only if the endpoint seems to be as wanted. Otherwise this loop would keep the
 * agent from getting the lock on a busy machine.
 */
static int look(struct tsw *t, const struct tsw_endpoint_spec *want, bool gone)
{
	return look_once(t, want, gone, false) ? look_once(t, want, gone, true) : 0;
}

static bool is_cut_off(const struct tsw *t)
{
	struct agent_status status;

	return status_read(t->instance, &status) && !status.connected;
}

/* An agent that etcd does not answer will not apply the record soon. */
static bool is_hopeless(const struct tsw *t, __u64 began)
{
	return clock_ns(CLOCK_MONOTONIC) - began > CUT_OFF_MS * MS_NS && is_cut_off(t);
}

static int wait_for(struct tsw *t, const struct tsw_endpoint_spec *want, bool gone, __u64 end)
{
	const __u64 began = clock_ns(CLOCK_MONOTONIC);
	struct timespec pause = {0, FIRST_US * 1000};
	int is;

	if (is_cut_off(t))
		status_wake(t->instance);
	while (!(is = look(t, want, gone)) && clock_ns(CLOCK_MONOTONIC) < end &&
	       !is_hopeless(t, began)) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LAST_US * 1000 / 2)
			pause.tv_nsec *= 2;
	}
	if (is)
		return is < 0 ? is : 0;
	return fail(ETIMEDOUT,
		    "the record is written, but this host's agent has not applied it: see the "
		    "agent's log");
}

int local_wait_endpoint(struct tsw *t, const struct member *m, const struct tsw_endpoint_spec *want,
			bool gone, unsigned int ms)
{
	const __u64 end = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	struct agent_status unused;
	int err, is;

	if (!pins_exist(t->instance))
		return 0; /* the agent applies it when the switch is up */
	if (status_read(t->instance, &unused))
		return wait_for(t, want, gone, end);
	err = agent_once(t, m, ms, NULL, NULL, NULL);
	if (err == -EBUSY) /* an agent began just now */
		return wait_for(t, want, gone, end);
	is = look(t, want, gone);
	if (is > 0)
		return 0; /* other failures were logged */
	if (!err && !is)
		err = fail(EIO, "this host could not apply it");
	fail_more("; the record is written");
	return err ?: is;
}
