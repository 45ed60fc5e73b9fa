// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "agent/collect.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "switch/session.h"

enum {
	LOOK_SECONDS = 5,
	GRACE_SECONDS = 30,
	AT_ONCE = 50, /* deleted at one look, so that the agent has time for the rest */
};

/* Since when is NEW, which is as it was, an orphan? */
static void take_since(const struct collector *c, struct orphan *new, __u64 now)
{
	const struct orphan *old;
	size_t i;

	new->since = now;
	for (i = 0; i < c->seen.n; i++) {
		old = &c->seen.all[i];
		if (old->modified == new->modified && !strcmp(old->name.s, new->name.s) &&
		    !strcmp(old->id, new->id))
			new->since = old->since;
	}
}

void collect_later(struct collector *c)
{
	if (!c->sweep)
		c->sweep = clock_ns(CLOCK_MONOTONIC) + GRACE_SECONDS * SECOND_NS;
}

static bool is_sweep_due(const struct collector *c, __u64 now)
{
	return c->sweep && now >= c->sweep;
}

static int look(struct collector *c, struct tsw *t, const struct records *r)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct orphans found = {};
	size_t i;
	int err = session_open(t);

	err = err ?: orphans_find(r, t, &found);
	if (!err && is_sweep_due(c, now)) {
		orphans_sweep(t, &found);
		c->sweep = 0;
	}
	session_close(t);
	for (i = 0; i < found.n; i++)
		take_since(c, &found.all[i], now);
	orphans_free(&c->seen);
	if (err)
		orphans_free(&found);
	c->seen = found;
	return err;
}

static void tell(struct collector *c, const struct log *log, const struct orphan *o,
		 bool ports_stay)
{
	c->taken++;
	note(log, "endpoint %s: deleted its record, as its device %s, which %s made, is gone%s",
	     escaped(orphan_name(o)), escaped(o->dev), o->plugin,
	     ports_stay ? "; this host may not withdraw its published ports" : "");
}

/* 0: it is deleted. Otherwise says why not; it may be tried again. */
static int take_one(struct collector *c, const struct log *log, struct records *r,
		    const struct orphan *o)
{
	bool ports_stay;
	int err = orphan_take(r, &c->seen, o, &ports_stay);

	if (!err)
		tell(c, log, o, ports_stay);
	else if (err != -ECANCELED && !etcd_is_away(err))
		complaints_add_line(&c->complaints, "cannot delete the record of endpoint %s: %s",
				    escaped(orphan_name(o)), failure()->text);
	return err;
}

static void take(struct collector *c, const struct log *log, struct records *r)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	size_t i, n = 0, kept = 0;
	bool away = false;
	int err;

	for (i = 0; i < c->seen.n; i++) {
		struct orphan o = c->seen.all[i];

		if (now - o.since >= GRACE_SECONDS * SECOND_NS && n < AT_ONCE && !away) {
			n++;
			err = take_one(c, log, r, &o);
			if (!err)
				continue;
			away = etcd_is_away(err);
			if (!away)
				o.since = now; /* others come first: they may succeed */
		}
		c->seen.all[kept++] = o;
	}
	c->seen.n = kept;
}

void collect(struct collector *c, struct tsw *t, struct replica *rp, size_t missing)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct records r = {.e = rp->e, .m = *rp->m};
	int err;

	if (!rp->connected || rp->reread || rp->check || !rp->trusted ||
	    (!missing && !is_sweep_due(c, now))) {
		orphans_free(&c->seen);
		return;
	}
	if (now < c->next)
		return;
	c->complaints.log = rp->log;
	err = look(c, t, &r);
	if (!err)
		take(c, rp->log, &r);
	else if (!etcd_is_away(err)) /* which is logged otherwise */
		complaints_add_line(&c->complaints, "cannot look for containers that are gone: %s",
				    failure()->text);
	if (!err && !c->seen.n)
		complaints_clear(&c->complaints);
	c->next = clock_ns(CLOCK_MONOTONIC) + LOOK_SECONDS * SECOND_NS;
}

void collect_end(struct collector *c)
{
	complaints_free(&c->complaints);
	orphans_free(&c->seen);
}
