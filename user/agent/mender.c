// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "agent/hearing.h"
#include "agent/mender.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "check/check.h"
#include "kernel/netlink.h"
#include "switch/session.h"

/*
 * A look needs as much of a processor as there are ports and gateways. The pause after it depends
 * on that: the looks of an idle host take at most a thousandth, and all looks a hundredth.
 */
enum { IDLE_SHARE = 1000, BUSY_SHARE = 100 };

enum {
	IDLE_LEAST_MS = 7000, /* ends and repairs within ten seconds */
	BUSY_LEAST_MS = 1000,
	GATHER_MS = 200, /* after the first change: others mostly follow */
	LOCK_MS = 2000,	 /* longest wait for a command; then it looks again later */
	CALM_S = 60,	 /* without a problem: then all is forgotten */
	WAIT_MOST_S = 300,
};

struct mender {
	pthread_t thread;
	int end; /* an eventfd */
	struct tsw t;
	struct hearing hearing;
	json_t *repaired; /* a set of what was repaired since the last calm */
	json_t *unable;	  /* of what could not be, and was told */
	bool fight;	  /* somebody undoes repairs; it was told */
	__u64 cost;	  /* ns of a processor that the last look took */
	__u64 looked;	  /* when it ended; times are of CLOCK_MONOTONIC, ns */
	__u64 until;	  /* no repair of the same again before */
	__u64 wait_s;
	__u64 bad; /* when there was a problem; 0: not since the last calm */
	_Atomic __u64 repairs, left;
};

/* ---- the log -------------------------------------------------------------------------- */

enum { SET_MOST = 1000, KEY = 600 };

static void key_of(const json_t *problem, char key[KEY])
{
	snprintf(key, KEY, "%s %s", json_string_value(json_object_get(problem, "object")),
		 json_string_value(json_object_get(problem, "detail")));
}

/* The first problem that is not in SET, or NULL. A full set counts as complete. */
static const json_t *first_new(const json_t *set, const json_t *problems)
{
	char key[KEY];
	json_t *one;
	size_t i;

	if (json_object_size(set) >= SET_MOST)
		return NULL;
	json_array_foreach(problems, i, one) {
		key_of(one, key);
		if (!json_object_get(set, key))
			return one;
	}
	return NULL;
}

static void add_all(json_t *set, const json_t *problems)
{
	char key[KEY];
	json_t *one;
	size_t i;

	json_array_foreach(problems, i, one) {
		if (json_object_size(set) >= SET_MOST)
			return;
		key_of(one, key);
		json_object_set_new(set, key, json_true());
	}
}

/* One line for all of them, because a foreign hand mostly breaks many parts at once. */
static void tell(const struct mender *m, const char *word, const json_t *one,
		 const json_t *problems, const char *why)
{
	const size_t n = json_array_size(problems);
	char more[32] = "";

	if (n > 1)
		snprintf(more, sizeof(more), ", and %zu more", n - 1);
	note(&m->t.log, "%s: %s: %s%s%s", word,
	     escaped(json_string_value(json_object_get(one, "object"))),
	     json_string_value(json_object_get(one, "detail")), more, why);
}

static void tell_repaired(struct mender *m, const json_t *found)
{
	const json_t *one = first_new(m->repaired, found);

	if (!json_array_size(found))
		return;
	atomic_fetch_add(&m->repairs, 1);
	if (one)
		tell(m, "repaired", one, found, "");
	else if (!m->fight)
		tell(m, "broken again after its repair", json_array_get(found, 0), found,
		     "; from now on repairs wait longer");
	m->fight |= !one;
}

static void tell_unable(struct mender *m, const json_t *left, const char *why)
{
	const json_t *one = first_new(m->unable, left);

	if (one)
		tell(m, "cannot repair", one, left, why);
	add_all(m->unable, left);
	atomic_store(&m->left, json_array_size(left));
}

/* ---- repairs --------------------------------------------------------------------------- */

/* The problems of ALL that are not in SOME. */
static json_t *without(const json_t *all, const json_t *some)
{
	json_t *rest = json_array(), *set = json_object(), *one;
	char key[KEY];
	size_t i;

	add_all(set, some);
	json_array_foreach(all, i, one) {
		key_of(one, key);
		if (!json_object_get(set, key))
			json_array_append(rest, one);
	}
	json_decref(set);
	return rest;
}

/* Is there a problem that was neither repaired nor tried in vain since the last calm? */
static bool is_fresh(const struct mender *m, const json_t *found)
{
	char key[KEY];
	json_t *one;
	size_t i;

	json_array_foreach(found, i, one) {
		key_of(one, key);
		if (!json_object_get(m->repaired, key) && !json_object_get(m->unable, key))
			return json_object_size(m->repaired) < SET_MOST &&
			       json_object_size(m->unable) < SET_MOST;
	}
	return false;
}

/* Repairs that do not help, or are undone at once, become rare. */
static void wait_longer(struct mender *m, const json_t *found)
{
	m->wait_s = is_fresh(m, found)		  ? 1
		    : m->wait_s * 2 < WAIT_MOST_S ? m->wait_s * 2
						  : WAIT_MOST_S;
	m->until = clock_ns(CLOCK_MONOTONIC) + m->wait_s * SECOND_NS;
}

static void repair(struct mender *m)
{
	json_t *found = json_array(), *left = json_array(), *mended;
	int err = switch_restore(&m->t, found, left);
	char why[KEY] = "";

	if (err)
		snprintf(why, sizeof(why), ": %.500s", failure()->text);
	session_close(&m->t);
	/* Without a problem a command was at work, or still is. */
	if (json_array_size(found)) {
		wait_longer(m, found);
		tell_unable(m, err ? found : left, why);
		mended = err ? json_array() : without(found, left);
		tell_repaired(m, mended);
		add_all(m->repaired, mended);
		json_decref(mended);
	}
	json_decref(found);
	json_decref(left);
}

/* Forgets what was told when nobody has broken anything for a while. */
static void calm(struct mender *m, __u64 now)
{
	const __u64 calm = (m->wait_s > CALM_S ? m->wait_s : CALM_S) * SECOND_NS;

	if (atomic_load(&m->left))
		note(&m->t.log, "what could not be repaired is no problem any more");
	atomic_store(&m->left, 0);
	json_object_clear(m->unable);
	if (!m->bad || now < m->bad + calm)
		return;
	json_object_clear(m->repaired);
	m->wait_s = m->until = m->bad = 0;
	m->fight = false;
}

/* HEARD: after a change was heard. */
static void look(struct mender *m, bool heard)
{
	const __u64 before = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = clock_ns(CLOCK_MONOTONIC);
	json_t *found = json_array();
	int err = session_open(&m->t);

	hearing_open(&m->hearing, &m->t); /* before the look, so that no change is missed */
	err = switch_look(&m->t, heard, found);
	session_close(&m->t);
	m->cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	if (!err && json_array_size(found))
		m->bad = now;
	if (!err && !json_array_size(found))
		calm(m, now);
	else if (!err && (now >= m->until || is_fresh(m, found)))
		repair(m);
	json_decref(found);
	m->looked = clock_ns(CLOCK_MONOTONIC);
}

/* ---- the thread ------------------------------------------------------------------------- */

/* When to look again: EARLY if something has changed. */
static __u64 due(const struct mender *m, bool early)
{
	const __u64 share = early ? BUSY_SHARE : IDLE_SHARE;
	const __u64 least = (early ? BUSY_LEAST_MS : IDLE_LEAST_MS) * MS_NS;
	const __u64 pause = m->cost * share;

	return m->looked + (pause < least ? least : pause);
}

/* Waits until UNTIL or, with LISTEN, for a change. True: the thread is to end. */
static bool rest(struct mender *m, __u64 until, bool listen)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct pollfd fds[1 + HEARING_FDS];

	fds[0] = (struct pollfd){.fd = m->end, .events = POLLIN};
	hearing_poll(&m->hearing, fds + 1);
	poll(fds, listen ? 1 + HEARING_FDS : 1, until > now ? (int)((until - now) / MS_NS) + 1 : 0);
	return fds[0].revents;
}

static bool is_over(struct mender *m, bool *heard)
{
	const __u64 idle = due(m, false);
	__u64 early;

	if (rest(m, idle, true))
		return true;
	*heard = clock_ns(CLOCK_MONOTONIC) < idle;
	/* An open socket would keep the namespace of a removed router. */
	hearing_close(&m->hearing);
	early = clock_ns(CLOCK_MONOTONIC) + GATHER_MS * MS_NS;
	if (early < due(m, true))
		early = due(m, true);
	return rest(m, early < idle ? early : idle, false);
}

static void end(struct mender *m)
{
	if (m->end >= 0)
		close(m->end);
	json_decref(m->repaired);
	json_decref(m->unable);
	free(m);
}

static void *run(void *context)
{
	struct mender *m = context;
	bool heard = true;

	do
		look(m, heard);
	while (!is_over(m, &heard));
	hearing_close(&m->hearing);
	netlink_close();
	return NULL;
}

int mender_start(struct mender **mender, const struct tsw *t)
{
	struct mender *m = calloc(1, sizeof(*m));
	int err;

	*mender = NULL;
	if (!m)
		return fail_memory();
	m->t = (struct tsw)TSW_CLOSED;
	m->t.instance = t->instance;
	m->t.log = t->log;
	m->t.wait_ms = LOCK_MS;
	m->hearing = (struct hearing)HEARING_CLOSED;
	m->repaired = json_object();
	m->unable = json_object();
	m->end = eventfd(0, EFD_CLOEXEC);
	err = m->end < 0 ? errno : pthread_create(&m->thread, NULL, run, m);
	if (!err) {
		*mender = m;
		return 0;
	}
	end(m);
	return fail(err, "cannot start the thread that repairs the switch: %s", strerror(err));
}

void mender_counts(struct mender *m, struct mender_counts *counts)
{
	*counts = (struct mender_counts){};
	if (!m)
		return;
	counts->repairs = atomic_load(&m->repairs);
	counts->left = atomic_load(&m->left);
}

void mender_stop(struct mender *m)
{
	const __u64 one = 1;

	if (!m)
		return;
	(void)!write(m->end, &one, sizeof(one));
	pthread_join(m->thread, NULL);
	end(m);
}
