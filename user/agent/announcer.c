// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "agent/announcer.h"
#include "base/clock.h"
#include "base/text.h"
#include "door/snat_proxy.h"
#include "object/snat.h"
#include "switch/session.h"

enum {
	AGAIN_SECONDS = 3, /* RFC 5227 section 2.3: an announcement may be lost */
	HEARD_SECONDS = 2, /* another host that has the address announces it each second */
	LOCK_MS = 2000,
};

/*
 * May this host be cut off? Yes, if for the time of HOLD it has heard at most half of the gateway's
 * hosts, itself included: the others may be together without it.
 */
static bool is_in_doubt(const struct tsw_gateway *gw, const struct lives *lives)
{
	__u32 heard = 1, i; /* 1: this host */

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		const struct life_of *of = &lives->of[gw->rank[i]];

		if (gw->rank[i] && (of->life == LIFE_ALIVE || of->life == LIFE_LAME) &&
		    lives->now - of->since >= lives->hold)
			heard++;
	}
	return gw->n_ranks > 1 && heard * 2 <= gw->n_ranks;
}

static bool is_within(__u64 when, __u64 now, __u64 seconds)
{
	return when && when + seconds * SECOND_NS > now;
}

/* Also counts what the program heard shortly before this host was in doubt. */
static __u32 state_of(const struct tsw_gateway *gw, const struct tsw_snat *snat,
		      const struct lives *lives)
{
	if (!is_in_doubt(gw, lives))
		return 0;
	return snat->heard && lives->now < snat->heard + TSW_SNAT_FORGET
		       ? TSW_SNAT_DOUBT | TSW_SNAT_LEFT
		       : TSW_SNAT_DOUBT;
}

/* A host that serves in place of the first rank announces always, since that one may not know. */
static bool is_to_say(const struct tsw_gateway *gw, const struct tsw_snat *snat, __u64 now)
{
	return gw->flip != TSW_FLIP_NONE || is_within(snat->since, now, AGAIN_SECONDS) ||
	       is_within(snat->heard, now, HEARD_SECONDS);
}

static void say(const struct tsw *t, const struct tsw_addr *addr)
{
	struct link link;

	if (!snat_proxy_device(addr, &link))
		snat_proxy_announce(t, addr, &link);
}

/* Reads the entry again, because a command may have changed it. */
static int put_state(struct tsw *t, const struct tsw_addr *addr, __u32 state)
{
	struct tsw_snat snat;
	int err = map_get(&t->maps, MAP_SNATS, addr, &snat);

	if (err)
		return err == -ENOENT ? 0 : err;
	snat.state = state;
	return map_put(&t->maps, MAP_SNATS, addr, &snat);
}

static int open_to_write(const struct tsw *ro, struct tsw *t)
{
	if (t->open)
		return 0;
	*t = (struct tsw)TSW_CLOSED;
	t->instance = ro->instance;
	t->log = ro->log;
	t->will_write = true;
	t->wait_ms = LOCK_MS;
	return session_open(t);
}

static int look_at(const struct tsw *ro, struct tsw *t, const struct tsw_gateway *gw,
		   const struct lives *lives, const struct tsw_addr *addr)
{
	struct tsw_snat snat;
	int err = map_get(&ro->maps, MAP_SNATS, addr, &snat);
	__u32 state;

	if (err)
		return err == -ENOENT ? 0 : err;
	state = state_of(gw, &snat, lives);
	if (state != snat.state) {
		err = open_to_write(ro, t);
		err = err ?: put_state(t, addr, state);
	}
	if (!err && (snat.state & ~state) & TSW_SNAT_LEFT)
		note(&ro->log, "this host answers for %s again", addr_text(addr));
	if (!err && !(state & TSW_SNAT_LEFT) &&
	    (snat.state & TSW_SNAT_LEFT || is_to_say(gw, &snat, lives->now)))
		say(ro, addr);
	return err;
}

static int look_at_all(const struct tsw *ro, struct tsw *t, const struct lives *lives)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&ro->maps, MAP_GATEWAYS, &rows), family;

	for (i = 0; !err && i < rows.n; i++) {
		for (family = 0; !err && family < TSW_FAMILIES; family++) {
			const struct tsw_gateway *gw = row_value(&rows, i);
			const struct tsw_addr *addr = snat_answered(gw, family);

			err = addr ? look_at(ro, t, gw, lives, addr) : 0;
		}
	}
	return err;
}

int announcer_look(const struct tsw *ro, const struct lives *lives)
{
	json_t *problems = json_array();
	struct tsw t = TSW_CLOSED;
	int err = 0;

	if (ro->config.gateway && !map_is_empty(&ro->maps, MAP_SNATS)) {
		err = look_at_all(ro, &t, lives);
		err = err ?: snat_proxy_check(ro, problems);
		if (!err && json_array_size(problems))
			err = open_to_write(ro, &t) ?: snat_proxy_mend(&t);
	}
	session_close(&t);
	json_decref(problems);
	return err;
}
