// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/flow_shared.h"
#include "agent/flow_take.h"
#include "agent/flow_wire.h"
#include "agent/flows.h"
#include "base/clock.h"
#include "base/err.h"
#include "door/router.h"
#include "kernel/conntrack_flow.h"
#include "kernel/netlink.h"
#include "record/gateway_find.h"
#include "switch/session.h"

enum {
	LOOK_MS = 200,	  /* between looks at the switch's generation, if flows are shared */
	LOOKS = 5,	  /* after so many, the ranks are read again even without a change */
	ROUND_MS = 10000, /* in which all flows are sent once */
	STEP_MS = 5,	  /* between parts of a round, at least */
	STEP_MOST_MS = 500,
	TURN = 64, /* messages of one source before the next one's turn */
	MESSAGES = 32768,
};

struct flows {
	pthread_t thread;
	int end;      /* an eventfd */
	struct tsw t; /* to read, open while there is a switch */
	struct flow_wire wire;
	struct mnl_socket *events, *all; /* conntrack's events; its whole table */
	struct shared_all shared;
	struct flow_taker taker;
	unsigned int looks;
	__u64 next_look, next_round, next_step, step;
	bool telling;	     /* a round is under way: ALL is being read */
	size_t steps;	     /* of this round so far */
	bool complained;     /* that flows cannot be sent */
	bool complained_why; /* that the kernel refuses flows of others */
	_Atomic __u64 sent, received, refused;
};

/* ---- sending ---------------------------------------------------------------------------- */

static void send_to(struct flows *f, struct flow_peer *peer)
{
	if (peer->next.len && flow_wire_send(&f->wire, &peer->is, &peer->next))
		atomic_fetch_add(&f->sent, peer->n);
	peer->next.len = peer->n = 0;
}

static void send_all(struct flows *f)
{
	size_t i;

	for (i = 0; i < f->shared.n_peers; i++)
		send_to(f, &f->shared.peer[i]);
}

static void tell_peer(struct flows *f, __u32 host, const struct flow_report *report)
{
	struct flow_peer *peer = shared_peer(&f->shared, host);

	if (!peer)
		return;
	if (!flow_write(&peer->next, report)) {
		send_to(f, peer);
		flow_write(&peer->next, report);
	}
	peer->n++;
}

enum what { TELL_NOTHING, TELL_THERE, TELL_GONE };

/*
 * What to send about ENTRY. AGAIN: it comes from the whole table, not from an event. The steps by
 * which TCP ends are sent in the next round, not with each event.
 */
static enum what what_of(const struct conntrack_entry *entry, bool again)
{
	const __u8 state = entry->flow.state;

	if (!entry->assured)
		return TELL_NOTHING;
	if (entry->gone || state == TCP_CONNTRACK_TIME_WAIT || state == TCP_CONNTRACK_CLOSE)
		return again ? TELL_NOTHING : TELL_GONE;
	if (entry->flow.proto != IPPROTO_TCP || state == TCP_CONNTRACK_ESTABLISHED)
		return TELL_THERE;
	return again && state > TCP_CONNTRACK_ESTABLISHED && state <= TCP_CONNTRACK_LAST_ACK
		       ? TELL_THERE
		       : TELL_NOTHING;
}

/* Sends ENTRY to the other hosts of its gateway, if this host serves that. */
static void tell(struct flows *f, const struct conntrack_entry *entry, bool again)
{
	const struct shared *s = shared_of(&f->shared, entry->index);
	const enum what what = what_of(entry, again);
	struct flow_report report = {.gone = what == TELL_GONE, .flow = entry->flow};
	__u32 i;

	if (!s || !what || !gateway_is_served(&s->gw) || !flow_is_shared(&s->gw, &entry->flow))
		return;
	report.tenant = s->tenant;
	for (i = 0; i < s->gw.n_ranks && i < TSW_GATEWAY_RANKS; i++)
		tell_peer(f, s->gw.rank[i], &report);
}

/* ---- events of this host ---------------------------------------------------------------- */

static int on_event(const struct nlmsghdr *message, void *data)
{
	struct conntrack_entry entry;
	const struct shared *s;
	struct flows *f = data;

	if (!conntrack_read(message, &entry))
		return MNL_CB_OK;
	s = shared_of(&f->shared, entry.index);
	if (entry.gone && s)
		take_end(&f->taker, s->tenant, &entry.flow);
	tell(f, &entry, false);
	return MNL_CB_OK;
}

static int on_one_of_all(const struct nlmsghdr *message, void *data)
{
	struct conntrack_entry entry;

	if (conntrack_read(message, &entry))
		tell(data, &entry, true);
	return MNL_CB_OK;
}

/* Events were lost, so the table may be wrong: forgets it, and begins a new round. */
static void begin_anew(struct flows *f)
{
	table_free(&f->taker.table);
	f->telling = false;
	f->next_round = 0;
}

static void hear_events(struct flows *f)
{
	char buffer[MESSAGES];
	ssize_t len;
	int i;

	for (i = 0; i < TURN; i++) {
		len = mnl_socket_recvfrom(f->events, buffer, sizeof(buffer));
		if (len < 0 && errno == ENOBUFS)
			begin_anew(f);
		if (len < 0)
			return;
		mnl_cb_run(buffer, (size_t)len, 0, 0, on_event, f);
	}
}

/* ---- rounds: the whole table ------------------------------------------------------------ */

/* Spreads the next round over half of its time, since the table may have doubled by then. */
static void end_round(struct flows *f)
{
	const __u64 step = ROUND_MS / 2 / (f->steps + 1);
	size_t i;

	f->telling = false;
	f->step = (step < STEP_MS ? STEP_MS : step > STEP_MOST_MS ? STEP_MOST_MS : step) * MS_NS;
	for (i = 0; i < f->shared.n_peers; i++)
		flow_write_end(&f->shared.peer[i].next);
	send_all(f);
}

/* Opens a new socket, because the old one may hold the rest of an unfinished list. */
static int begin_round(struct flows *f, __u64 now)
{
	if (f->all)
		mnl_socket_close(f->all);
	f->all = netlink_open(NETLINK_NETFILTER, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!f->all || mnl_socket_bind(f->all, 0, MNL_SOCKET_AUTOPID) < 0)
		return fail(errno, "no netlink socket: %s", strerror(errno));
	f->telling = !conntrack_dump(f->all);
	f->next_round = now + ROUND_MS * MS_NS;
	f->next_step = now;
	f->steps = 0;
	return 0;
}

/* Sends a part of the table, as much as the kernel returns at once. */
static int tell_all(struct flows *f, __u64 now)
{
	char buffer[MESSAGES];
	ssize_t len;
	int more;

	if (now >= f->next_round && !f->telling)
		return begin_round(f, now);
	if (!f->telling || now < f->next_step)
		return 0;
	f->next_step = now + (now < f->next_round ? f->step : STEP_MS * MS_NS);
	f->steps++;
	len = mnl_socket_recvfrom(f->all, buffer, sizeof(buffer));
	more = len < 0 ? -1
		       : mnl_cb_run(buffer, (size_t)len, 0, mnl_socket_get_portid(f->all),
				    on_one_of_all, f);
	if (more == MNL_CB_STOP)
		end_round(f);
	else if (more < 0)
		f->telling = false; /* an unfinished round has no end mark */
	return 0;
}

/* ---- receiving -------------------------------------------------------------------------- */

static void hear_others(struct flows *f, enum tsw_family family)
{
	__u8 octets[FLOW_DATAGRAM];
	struct tsw_addr from;
	ssize_t len;
	__u32 host;
	int i;

	for (i = 0; f->wire.fd[family] >= 0 && i < TURN; i++) {
		len = flow_wire_receive(&f->wire, family, octets, &from);
		if (len == -EAGAIN)
			return;
		if (len > 0 && !map_get(&f->t.maps, MAP_VTEPS, &from, &host))
			take_datagram(&f->taker, &f->t, host, octets, (size_t)len);
		else
			f->taker.refused++;
	}
}

/* ---- the thread ------------------------------------------------------------------------- */

/* The sockets are in the router's namespace, which would exist as long as they are open. */
static void close_sockets(struct flows *f)
{
	struct mnl_socket **socket[] = {&f->events, &f->all};
	size_t i;

	for (i = 0; i < sizeof(socket) / sizeof(socket[0]); i++) {
		if (*socket[i])
			mnl_socket_close(*socket[i]);
		*socket[i] = NULL;
	}
	table_free(&f->taker.table);
	f->telling = false;
}

static void close_all(struct flows *f)
{
	close_sockets(f);
	flow_wire_close(&f->wire);
	shared_forget(&f->shared);
	session_close(&f->t);
}

static bool is_same_switch(const struct flows *f)
{
	static const enum map maps[] = {MAP_CONFIG, MAP_GATEWAYS, MAP_HOSTS,
					MAP_VTEPS,  MAP_ADDRS,	  MAP_FAIR};

	return session_holds(&f->t, maps, sizeof(maps) / sizeof(maps[0]));
}

/* Opens sockets if a gateway is shared; otherwise closes them. */
static int fit_sockets(struct flows *f)
{
	if (!f->shared.n || !flow_wire_fits(&f->wire, &f->t.config))
		flow_wire_close(&f->wire);
	if (!f->shared.n && f->events) {
		mnl_socket_close(f->events);
		f->events = NULL;
		table_free(&f->taker.table);
	}
	if (!f->shared.n)
		return 0;
	if (!f->events) {
		f->events = conntrack_listen();
		if (!f->events)
			return fail(errno, "cannot listen for events of connections: %s",
				    strerror(errno));
		begin_anew(f);
	}
	if (flow_wire_fits(&f->wire, &f->t.config))
		return 0;
	return flow_wire_open(&f->wire, &f->t.config);
}

static int look(struct flows *f)
{
	const __u32 was = f->t.config.generation, router = f->t.config.router;
	const bool whole = !(f->looks++ % LOOKS) || !f->shared.n;
	int err = 0;

	if (whole && !is_same_switch(f)) {
		close_all(f);
		err = session_open(&f->t);
	}
	err = err ?: map_get(&f->t.maps, MAP_CONFIG, &(__u32){0}, &f->t.config);
	if (!err && f->t.config.router != router) {
		close_sockets(f);
		router_register(&f->t);
	}
	if (err || (!whole && was == f->t.config.generation))
		return err;
	send_all(f);
	err = shared_find(&f->shared, &f->t);
	return err ?: fit_sockets(f);
}

static void complain(struct flows *f, int err)
{
	if (err && f->t.open && !f->complained)
		note(&f->t.log, "cannot send flows to the other hosts of gateways: %s",
		     failure()->text);
	if (f->taker.why && !f->complained_why)
		note(&f->t.log, "the kernel refused flows of other hosts: %s",
		     strerror(f->taker.why));
	f->complained = err;
	f->complained_why |= f->taker.why;
}

static void turn(struct flows *f)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err = 0;

	if (now >= f->next_look) {
		err = look(f);
		f->next_look = now + (f->shared.n ? LOOK_MS : LOOKS * LOOK_MS) * MS_NS;
		if (f->looks % LOOKS == 1 || !f->shared.n)
			complain(f, err);
		if (err)
			flow_wire_close(&f->wire); /* until the next look */
	}
	if (!f->events || !f->shared.n)
		return;
	hear_events(f);
	tell_all(f, now);
	hear_others(f, TSW_IPV4);
	hear_others(f, TSW_IPV6);
	send_all(f);
	atomic_store(&f->received, f->taker.taken);
	atomic_store(&f->refused, f->taker.refused);
}

/* Waits for an event or for the next step. True: the thread is to end. */
static bool is_end(const struct flows *f)
{
	struct pollfd fds[] = {{.fd = f->end, .events = POLLIN},
			       {.fd = f->events ? mnl_socket_get_fd(f->events) : -1,
				.events = POLLIN},
			       {.fd = f->wire.fd[TSW_IPV4], .events = POLLIN},
			       {.fd = f->wire.fd[TSW_IPV6], .events = POLLIN}};
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	__u64 next = f->next_look;

	if (f->telling && f->next_step < next)
		next = f->next_step;
	poll(fds, sizeof(fds) / sizeof(fds[0]), next > now ? (int)((next - now) / MS_NS) + 1 : 0);
	return fds[0].revents;
}

static void *run(void *context)
{
	struct flows *f = context;

	while (!is_end(f))
		turn(f);
	close_all(f);
	netlink_close();
	return NULL;
}

int flows_start(struct flows **flows, const struct tsw *t)
{
	struct flows *f = calloc(1, sizeof(*f));
	int err;

	*flows = NULL;
	if (!f)
		return fail_memory();
	f->t = (struct tsw)TSW_CLOSED;
	f->t.instance = t->instance;
	f->t.log = t->log;
	f->wire = (struct flow_wire)FLOW_WIRE_CLOSED;
	f->step = STEP_MS * MS_NS;
	table_init(&f->taker.table);
	f->end = eventfd(0, EFD_CLOEXEC);
	err = f->end < 0 ? errno : pthread_create(&f->thread, NULL, run, f);
	if (!err) {
		*flows = f;
		return 0;
	}
	if (f->end >= 0)
		close(f->end);
	free(f);
	return fail(err, "cannot start sending flows to other hosts: %s", strerror(err));
}

void flows_counts(struct flows *f, struct flows_counts *counts)
{
	*counts = (struct flows_counts){};
	if (!f)
		return;
	counts->sent = atomic_load(&f->sent);
	counts->received = atomic_load(&f->received);
	counts->refused = atomic_load(&f->refused);
}

void flows_stop(struct flows *f)
{
	const __u64 one = 1;

	if (!f)
		return;
	(void)!write(f->end, &one, sizeof(one));
	pthread_join(f->thread, NULL);
	close(f->end);
	free(f);
}
