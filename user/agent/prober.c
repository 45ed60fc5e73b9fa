// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "agent/announcer.h"
#include "agent/ask.h"
#include "agent/asking.h"
#include "agent/flip.h"
#include "agent/internet.h"
#include "agent/prober.h"
#include "agent/unknown.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/netlink.h"
#include "switch/session.h"

enum {
	LOOK_MS = 1000,
	QUIET_SECONDS = 15, /* a dead agent does not count as alive any more then: see alive.h */
	SLOW_MS = 2000,	    /* between two questions to a host that is not ranked */
	SLOW_EACH_MS = 10,  /* so all of these together get a hundred questions a second */
	HOSTS = TSW_MAX_HOSTS + 1,
};

struct peer {
	struct asked who; /* mine 0: not asked */
	__u64 asked;	  /* CLOCK_MONOTONIC, ns; 0: not yet */
	struct asking asking;
	bool wanted;
	__u64 next; /* of a host that is not ranked: when to ask again */
};

struct prober {
	pthread_t thread;
	int end;      /* an eventfd */
	struct tsw t; /* to read, open while there is a switch */
	struct prober_asks asks;
	struct asker asker;
	__u64 pass; /* the switch's when ASKER was opened */
	__u64 next_look;
	struct peer peer[HOSTS];     /* by host index, from 1 on */
	__u32 n;		     /* from this index on none is in use */
	__u64 every;		     /* ns between two turns: longer while no host is ranked */
	struct life_of life[HOSTS];  /* 0: this host */
	bool ranked;		     /* this host is ranked for some gateway */
	bool complained;	     /* a problem was logged */
	__u64 slow;		     /* ns between two questions to the others */
	struct quiet *_Atomic quiet; /* not taken yet */
	struct unknown unknown;
	_Atomic __u64 lost, flips;
	_Atomic __u32 silent;
};

/* ---- which hosts to ask --------------------------------------------------------------- */

/* Forgets all hosts: the switch is gone, or is another one. */
static void forget_all(struct prober *p)
{
	p->n = 0;
	memset(p->peer, 0, sizeof(p->peer));
	memset(p->life, 0, sizeof(p->life));
	p->life[0].life = LIFE_ALIVE;
	asker_close(&p->asker);
	session_close(&p->t);
}

static bool is_same_switch(const struct prober *p)
{
	static const enum map maps[] = {MAP_CONFIG, MAP_GATEWAYS, MAP_HOSTS, MAP_TENANTS,
					MAP_PROBES};

	return session_holds(&p->t, maps, sizeof(maps) / sizeof(maps[0]));
}

/* Opens the sockets anew if the switch has other addresses or another pass. */
static int fit_asker(struct prober *p)
{
	struct tsw_config *c = &p->t.config;
	int err = map_get(&p->t.maps, MAP_CONFIG, &(__u32){0}, c);

	if (!err && p->pass == c->pass && p->asker.port == c->port &&
	    !memcmp(p->asker.local, c->local, sizeof(c->local)))
		return 0;
	asker_close(&p->asker);
	p->pass = 0;
	err = err ?: asker_open(&p->asker, c, p->asks.ms);
	if (!err)
		p->pass = c->pass;
	return err;
}

static void want(struct prober *p, __u32 host)
{
	p->peer[host].wanted = true;
	if (p->n <= host)
		p->n = host + 1;
}

static void want_ranked(struct prober *p, __u32 host, enum tsw_encap encap)
{
	asking_rank(&p->peer[host].asking, encap);
	p->every = p->asks.ms * MS_NS;
	want(p, host);
}

/* Hosts that are not ranked are asked by the encapsulation that they answered last. */
static int want_all(struct prober *p)
{
	cleanup_rows struct rows rows = {};
	int err = map_row_keys(&p->t.maps, MAP_HOSTS, &rows);
	__u64 ms = SLOW_MS;
	size_t i;

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 host = *(const __u32 *)row_key(&rows, i);

		if (host < HOSTS)
			want(p, host);
	}
	if (rows.n * SLOW_EACH_MS > ms)
		ms = rows.n * SLOW_EACH_MS;
	p->slow = ms * MS_NS;
	return err;
}

static void want_ranks(struct prober *p, __u32 tenant, const struct tsw_gateway *gw)
{
	struct tsw_tenant its;
	__u32 i;

	if (!gw->n_ranks || map_get(&p->t.maps, MAP_TENANTS, &tenant, &its))
		return;
	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		p->ranked |= !gw->rank[i];
		if (gw->rank[i] && gw->rank[i] < HOSTS)
			want_ranked(p, gw->rank[i], (enum tsw_encap)its.encap);
	}
}

static int begin(struct prober *p, __u32 host)
{
	struct peer *peer = &p->peer[host];
	struct tsw_probe probe = {};
	int err;

	if (getrandom(&probe.mine, sizeof(probe.mine), 0) != sizeof(probe.mine))
		return fail(errno, "no random numbers: %s", strerror(errno));
	probe.mine |= 1;
	err = map_put(&p->t.maps, MAP_PROBES, &host, &probe);
	peer->who.mine = err ? 0 : probe.mine;
	peer->asked = peer->asking.lost = 0;
	p->life[host] = (struct life_of){};
	return err;
}

static void end(struct prober *p, __u32 host)
{
	p->peer[host] = (struct peer){};
	p->life[host] = (struct life_of){};
	map_del(&p->t.maps, MAP_PROBES, &host);
}

/* Begins anew with a host whose address has changed, and ends with a host that is gone. */
static int fit_peer(struct prober *p, __u32 host)
{
	struct peer *peer = &p->peer[host];
	struct tsw_host is;
	int err = peer->wanted ? map_get(&p->t.maps, MAP_HOSTS, &host, &is) : -ENOENT;

	if (err) {
		if (peer->who.mine)
			end(p, host);
		return err == -ENOENT ? 0 : err;
	}
	if (peer->who.mine && peer->who.family == is.family &&
	    !memcmp(&peer->who.addr, &is.addr[is.family], sizeof(peer->who.addr)))
		return 0;
	peer->who.family = (enum tsw_family)is.family;
	peer->who.addr = is.addr[is.family];
	return begin(p, host);
}

/* Finds out which hosts are ranked now. */
static int look(struct prober *p)
{
	cleanup_rows struct rows rows = {};
	__u32 host;
	size_t i;
	int err = 0;

	if (!is_same_switch(p)) {
		forget_all(p);
		err = session_open(&p->t);
	}
	err = err ?: fit_asker(p);
	err = err ?: map_rows(&p->t.maps, MAP_GATEWAYS, &rows);
	for (host = 1; !err && host < p->n; host++) {
		p->peer[host].wanted = false;
		asking_begin(&p->peer[host].asking);
	}
	if (!err)
		p->ranked = false;
	p->every = LOOK_MS * MS_NS;
	for (i = 0; !err && i < rows.n; i++)
		want_ranks(p, *(const __u32 *)row_key(&rows, i), row_value(&rows, i));
	err = err ?: want_all(p);
	for (host = 1; !err && host < p->n; host++) {
		asking_end(&p->peer[host].asking);
		if (p->peer[host].wanted || p->peer[host].who.mine)
			err = fit_peer(p, host);
	}
	return err;
}

/* ---- asking ----------------------------------------------------------------------------- */

static void tell(const struct prober *p, __u32 host, const char *what)
{
	struct tsw_host is;

	if (p->peer[host].asking.ranked && !map_get(&p->t.maps, MAP_HOSTS, &host, &is))
		note(&p->t.log, "host %s %s", quoted(is.name), what);
}

static void hear(struct prober *p, __u32 host, __u32 diagnostic, __u64 now)
{
	const enum life is = diagnostic == TSW_BFD_PATH_DOWN ? LIFE_LAME : LIFE_ALIVE;
	struct life_of *life = &p->life[host];

	p->peer[host].asking.lost = 0;
	if (life->life == is)
		return;
	if (life->life == LIFE_SILENT)
		tell(p, host, "answers again");
	if (is == LIFE_LAME)
		tell(p, host, "has no route to the internet");
	else if (life->life == LIFE_LAME)
		tell(p, host, "has a route to the internet again");
	*life = (struct life_of){.life = is, .since = now};
}

static void miss(struct prober *p, __u32 host, __u64 now)
{
	struct life_of *life = &p->life[host];
	struct asking *asking = &p->peer[host].asking;

	if (asking->ranked && life->life != LIFE_UNKNOWN)
		atomic_fetch_add(&p->lost, 1);
	if (!asking_missed(asking, life->life, p->asks.ms))
		return;
	*life = (struct life_of){.life = LIFE_SILENT, .since = now};
	tell(p, host, "does not answer");
}

/*
 * Takes the answer to the last question and asks the next one. Counts questions, not time: if this
 * thread sleeps too long, no host counts as silent. True: the host's life has changed.
 */
static bool step(struct prober *p, __u32 host)
{
	struct peer *peer = &p->peer[host];
	const enum life was = p->life[host].life;
	const __u64 now = clock_kernel_ns();
	struct tsw_probe probe;

	if (map_get(&p->t.maps, MAP_PROBES, &host, &probe) || probe.mine != peer->who.mine) {
		begin(p, host); /* an older agent ended meanwhile, and removed the entry */
		return false;
	}
	if (peer->asked && probe.answered >= peer->asked)
		hear(p, host, probe.diagnostic, now);
	else if (peer->asked)
		miss(p, host, now);
	peer->asked = now;
	peer->who.encap = peer->asking.encap;
	ask(&p->asker, &peer->who);
	return p->life[host].life != was;
}

/* ---- which host serves ------------------------------------------------------------------ */

static struct lives lives_now(const struct prober *p)
{
	return (struct lives){
		.of = p->life, .now = clock_kernel_ns(), .hold = p->asks.hold * SECOND_NS};
}

/* ---- the thread ------------------------------------------------------------------------- */

static bool is_due(struct prober *p, __u32 host, __u64 now)
{
	struct peer *peer = &p->peer[host];

	if (peer->asking.ranked)
		return true;
	if (now + p->every / 2 < peer->next)
		return false;
	peer->next = now + p->slow;
	return true;
}

static void note_quiet(struct prober *p)
{
	const __u64 until = clock_kernel_ns() - QUIET_SECONDS * SECOND_NS;
	struct quiet_host *next;
	struct tsw_host is;
	struct quiet *q;
	size_t n = 0;
	__u32 host;

	for (host = 1; host < p->n; host++)
		n += p->life[host].life == LIFE_SILENT;
	q = calloc(1, sizeof(*q) + n * sizeof(*q->all));
	for (host = 1; q && p->t.open && host < p->n; host++) {
		if (p->life[host].life != LIFE_SILENT || p->life[host].since > until ||
		    map_get(&p->t.maps, MAP_HOSTS, &host, &is))
			continue;
		next = &q->all[q->n++];
		memcpy(next->name.s, is.name, sizeof(next->name.s));
		next->addr = is.addr[is.family & 1];
	}
	free(atomic_exchange(&p->quiet, q));
}

static void turn(struct prober *p)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	const bool looks = now + p->every / 2 >= p->next_look; /* the turn that is nearest */
	bool changed = looks;
	struct lives lives;
	size_t moves = 0;
	__u32 host;
	int err = 0;

	if (looks) {
		p->next_look = now + LOOK_MS * MS_NS;
		err = look(p);
	}
	if (!err && p->t.open && p->ranked)
		changed |= internet_step(&p->t, &p->life[0]);
	for (host = 1; !err && p->t.open && host < p->n; host++)
		if (p->peer[host].who.mine && is_due(p, host, now))
			changed |= step(p, host);
	if (looks) {
		note_quiet(p);
		unknown_count(&p->unknown, &p->t, now);
	}
	lives = lives_now(p);
	if (!err && p->t.open && changed)
		err = flip_all(&p->t, &lives, &moves);
	atomic_fetch_add(&p->flips, moves);
	if (!err && p->t.open && changed)
		err = announcer_look(&p->t, &lives);
	if (err && !p->complained && p->t.open)
		note(&p->t.log, "gateways: %s", failure()->text);
	if (looks)
		p->complained = err;
}

static void count(struct prober *p)
{
	__u32 silent = 0, host;

	for (host = 1; host < p->n; host++)
		silent += p->peer[host].asking.ranked && p->life[host].life == LIFE_SILENT;
	atomic_store(&p->silent, silent);
}

/* Waits until UNTIL. True: the thread is to end. */
static bool is_over(const struct prober *p, __u64 until)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	struct pollfd fd = {.fd = p->end, .events = POLLIN};

	return poll(&fd, 1, until > now ? (int)((until - now) / MS_NS) + 1 : 0) > 0;
}

static void *run(void *context)
{
	struct prober *p = context;
	__u64 next = clock_ns(CLOCK_MONOTONIC), now;
	__u32 host;

	while (!is_over(p, next)) {
		turn(p);
		count(p);
		now = clock_ns(CLOCK_MONOTONIC);
		next += p->every;
		if (next < now)
			next = now + p->every;
	}
	for (host = 1; p->t.open && host < p->n; host++)
		if (p->peer[host].who.mine)
			end(p, host);
	forget_all(p);
	netlink_close();
	return NULL;
}

int prober_start(struct prober **prober, const struct tsw *t, const struct prober_asks *asks)
{
	struct prober *p = asks->ms ? calloc(1, sizeof(*p)) : NULL;
	int err;

	*prober = NULL;
	if (!p)
		return asks->ms ? fail_memory() : 0;
	p->t = (struct tsw)TSW_CLOSED;
	p->t.instance = t->instance;
	p->t.log = t->log;
	p->asks = *asks;
	p->every = asks->ms * MS_NS;
	p->asker = (struct asker)ASKER_CLOSED;
	p->life[0].life = LIFE_ALIVE;
	p->end = eventfd(0, EFD_CLOEXEC);
	err = p->end < 0 ? errno : pthread_create(&p->thread, NULL, run, p);
	if (!err) {
		*prober = p;
		return 0;
	}
	if (p->end >= 0)
		close(p->end);
	free(p);
	return fail(err, "cannot ask hosts whether they are alive: %s", strerror(err));
}

void prober_counts(struct prober *p, struct prober_counts *counts)
{
	*counts = (struct prober_counts){};
	if (!p)
		return;
	counts->lost = atomic_load(&p->lost);
	counts->flips = atomic_load(&p->flips);
	counts->silent = atomic_load(&p->silent);
}

__u32 prober_unknown(struct prober *p)
{
	return p ? atomic_load(&p->unknown.frames) : 0;
}

struct quiet *prober_quiet(struct prober *p)
{
	return p ? atomic_exchange(&p->quiet, NULL) : NULL;
}

void prober_stop(struct prober *p)
{
	const __u64 one = 1;

	if (!p)
		return;
	(void)!write(p->end, &one, sizeof(one));
	pthread_join(p->thread, NULL);
	close(p->end);
	free(p->quiet);
	free(p);
}
