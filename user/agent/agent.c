// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <libmnl/libmnl.h>

#include "agent/adopt.h"
#include "agent/agent.h"
#include "agent/alive.h"
#include "agent/collect.h"
#include "agent/flows.h"
#include "agent/keys.h"
#include "agent/mender.h"
#include "agent/notify.h"
#include "agent/own_host.h"
#include "agent/reconcile_keys.h"
#include "agent/status.h"
#include "base/clock.h"
#include "base/err.h"
#include "object/policy_sweep.h"
#include "switch/session.h"

enum {
	TIMEOUT_MS = 5000,    /* of a call of etcd */
	TURN_MS = 1000,	      /* longest turn of the loop while nothing happens */
	LINKS_MS = 50,	      /* devices come and go many at a time: wait for the others */
	GATHER_MS = 2,	      /* events that come together are applied together */
	SOON_MS = 20,	      /* turn of the loop while work waits for its time */
	AGAIN_LEAST_MS = 100, /* before all records are read again */
	AGAIN_MOST_MS = 30000,
	CHECK_MS = 2000,     /* between two tries to identify the store */
	FAILED_SECONDS = 10, /* until failed changes are tried again */
	LOOK_SECONDS = 300,  /* between comparisons while nothing has changed */
	SWEEP_SECONDS = 60,  /* between sweeps of the connections of policies */
};

struct agent {
	struct tsw *t;
	struct replica replica;
	struct complaints complaints, adopting;
	struct suspects suspects;
	struct alive alive;
	struct reconciler reconcile;
	struct keys keys;
	struct own_host own;
	struct quiet *quiet;
	struct unreached unreached;
	struct complaints unreached_hosts;
	struct collector collector;
	struct prober *prober;
	struct flows *flows;
	struct mender *mender;
	int signals, status; /* fds */
	struct mnl_socket *links;
	bool end;
	bool look;	 /* compare the switch, though no record has changed */
	bool ready;	 /* the service manager was told so */
	__u64 ready_by;	 /* when it is told in any case, ns of CLOCK_MONOTONIC */
	__s64 history;	 /* revision of the saved pulse */
	__u64 next_look; /* ns of CLOCK_MONOTONIC */
	__u64 next_settle;
	__u64 next_sweep;
	size_t odd;    /* invalid entries of etcd that were logged */
	__u64 look_at; /* when to compare for devices that came or went; 0: none did */
	__u64 next_read;
	unsigned int again_ms;
};

static void begin(struct agent *a, reconcile_report *tell, void *context)
{
	a->complaints.log = a->adopting.log = a->unreached_hosts.log = &a->t->log;
	own_host_begin(&a->own, &a->t->log);
	suspects_load(&a->suspects, a->t->instance);
	a->reconcile = (struct reconciler){.t = a->t,
					   .records = &a->replica.records,
					   .interest = &a->replica.interest,
					   .host = a->replica.m->host.s,
					   .complaints = &a->complaints,
					   .suspects = &a->suspects,
					   .tell = tell,
					   .context = context};
}

static int reconcile(struct agent *a)
{
	int err;

	a->reconcile.trusted = a->replica.trusted && !a->replica.check;
	a->reconcile.accepted = record_set_find(&a->replica.records, "call/accept");
	err = reconcile_run(&a->reconcile);
	keys_reconciled(&a->keys, &a->reconcile);
	if (own_host_compared(&a->own, a->t)) { /* connections from the old address are dead */
		etcd_drop(a->replica.e);
		a->replica.reread = true;
		a->next_read = 0;
	}
	if (!err && a->reconcile.adopted.n && (a->replica.connected || !a->replica.w))
		adopt_write(&a->adopting, &a->replica, &a->reconcile.adopted);
	return err;
}

static void stop(struct agent *a)
{
	replica_close(&a->replica);
	reconcile_end(&a->reconcile);
	complaints_free(&a->complaints);
	complaints_free(&a->adopting);
	complaints_free(&a->unreached_hosts);
	free(a->quiet);
	own_host_end(&a->own);
	collect_end(&a->collector);
	suspects_free(&a->suspects);
}

/* ---- once ------------------------------------------------------------------------- */

int agent_once(struct tsw *t, const struct member *m, unsigned int ms, reconcile_report *tell,
	       etcd_told *dry, void *context)
{
	struct agent a = {.t = t};
	const int lock = dry ? status_look(t->instance) : status_wait(t->instance, ms);
	int err = lock < 0
			  ? lock
			  : replica_open(&a.replica, m, &t->log, ms < TIMEOUT_MS ? ms : TIMEOUT_MS);

	if (lock < 0)
		return err;
	begin(&a, tell, context);
	a.reconcile.dry = a.own.dry = dry;
	if (!err && dry)
		etcd_dry(a.replica.e, dry, context);
	if (!err)
		history_load(&a.replica.history, t->instance, m);
	err = err ?: replica_read(&a.replica);
	err = err ?: reconcile(&a);
	if (!err && !dry) {
		history_save(&a.replica.history, t->instance, m);
		keys_once(&a.keys, t);
	}
	err = err ?: own_host_once(&a.own, t, &a.replica);
	if (!err && (a.reconcile.failed || a.reconcile.refused || a.reconcile.held))
		err = fail(EIO,
			   "this host is not in step: %zu changes failed, %zu records are refused, "
			   "%zu deletions wait",
			   a.reconcile.failed, a.reconcile.refused, a.reconcile.held);
	stop(&a);
	if (!dry)
		close(lock);
	return err;
}

/* ---- events ----------------------------------------------------------------------- */

static int listen_to(struct agent *a)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	a->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	a->links = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (a->signals < 0 || !a->links ||
	    mnl_socket_bind(a->links, RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
			    MNL_SOCKET_AUTOPID) < 0)
		return fail(errno, "cannot listen for signals and devices: %s", strerror(errno));
	return 0;
}

/* Devices or addresses came or went. The comparison looks them up: the messages are drained. */
static void hear_links(struct agent *a)
{
	char buffer[16384];
	ssize_t len;

	do
		len = recv(mnl_socket_get_fd(a->links), buffer, sizeof(buffer), MSG_DONTWAIT);
	while (len > 0 || (len < 0 && errno == ENOBUFS));
	if (!a->look_at) /* later, together with those that follow */
		a->look_at = clock_ns(CLOCK_MONOTONIC) + LINKS_MS * MS_NS;
}

static void turn(struct agent *a, int ms)
{
	struct pollfd fds[] = {{.fd = a->signals, .events = POLLIN},
			       {.fd = mnl_socket_get_fd(a->links), .events = POLLIN}};

	if (a->replica.w)
		etcd_watch_run(a->replica.w, fds, 2, ms);
	else
		poll(fds, 2, ms);
	a->end |= fds[0].revents & POLLIN;
	if (fds[1].revents)
		hear_links(a);
}

/* ---- work ------------------------------------------------------------------------- */

static void tell_manager(const char *status)
{
	char text[256];

	snprintf(text, sizeof(text), "STATUS=%.200s\nWATCHDOG=1", status);
	notify_manager(text);
}

/*
 * Runtimes of containers begin when this unit is ready: so not before the switch has the records,
 * because they do not try again what fails. Without etcd that is not awaited for ever.
 */
static void tell_ready(struct agent *a, bool has_records)
{
	if (a->ready || (!has_records && clock_ns(CLOCK_MONOTONIC) < a->ready_by))
		return;
	notify_manager("READY=1");
	a->ready = true;
}

static void tell_step(struct agent *a)
{
	const struct reconciler *c = &a->reconcile;
	char text[160] = "in step with the cluster";

	if (c->failed || c->refused || c->held)
		snprintf(text, sizeof(text),
			 "%zu changes failed, %zu records are refused, %zu deletions wait",
			 c->failed, c->refused, c->held);
	tell_manager(text);
	tell_ready(a, true);
}

/*
 * Reads all records again. While this fails, the pause between tries doubles; it ends early when a
 * certificate, key or password is replaced.
 */
static void read_again(struct agent *a)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err;

	if (etcd_files_changed(a->replica.e))
		a->again_ms = AGAIN_LEAST_MS;
	else if (now < a->next_read)
		return;
	err = replica_read(&a->replica);
	err = err ?: replica_watch(&a->replica);
	if (!err) {
		a->again_ms = AGAIN_LEAST_MS;
		a->replica.connected = true;
		complaints_clear(&a->replica.complaints);
		if (!a->replica.trusted)
			a->alive.answered = 0; /* revisions of another store */
	} else {
		replica_complain(&a->replica, err);
		a->replica.connected = false;
		a->again_ms = a->again_ms * 2 < AGAIN_MOST_MS ? a->again_ms * 2 : AGAIN_MOST_MS;
		a->replica.reread = true;
		tell_manager(failure()->text);
	}
	a->next_read = clock_ns(CLOCK_MONOTONIC) + etcd_jitter(a->again_ms) * MS_NS;
}

/*
 * Did only a few known keys change? If something failed or waits, one of these keys may be what it
 * waits for: then everything is compared.
 */
static bool is_only_keys(const struct agent *a)
{
	return !a->replica.check && !a->replica.changed && !a->look && a->replica.n_fresh &&
	       !a->reconcile.failed && !a->reconcile.refused && !a->reconcile.held;
}

static void settle_all(struct agent *a)
{
	const __u64 began = clock_ns(CLOCK_MONOTONIC);
	__u64 end;
	int err;

	if (began < a->next_settle || replica_update_interest(&a->replica))
		return; /* too early, or all records must be read again */
	if (a->replica.changed || a->look_at || a->replica.n_fresh)
		collect_later(&a->collector);
	a->replica.changed = a->look = false;
	a->look_at = 0;
	replica_forget_fresh(&a->replica);
	err = reconcile(a);
	end = clock_ns(CLOCK_MONOTONIC);
	a->next_look = end + (err		    ? 1
			      : a->reconcile.failed ? FAILED_SECONDS
						    : LOOK_SECONDS) *
				     SECOND_NS;
	a->next_settle = end + (end - began) * 2;
	a->replica.trusted |= !err; /* suspect deletions are known now */
	if (err)
		tell_manager(failure()->text);
	else
		tell_step(a);
}

/* Full comparisons take at most a third of one processor, see next_settle. */
static void settle(struct agent *a)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (is_only_keys(a) && reconcile_keys(a->t, &a->replica))
		a->replica.changed = true;
	if (now >= a->next_look || (a->look_at && now >= a->look_at))
		a->look = true;
	if (a->replica.changed || a->look || a->replica.n_fresh)
		settle_all(a);
}

/* Only a server that lies sends such keys, so one line each time it begins is enough. */
static void tell_odd(struct agent *a)
{
	const size_t odd = etcd_odd(a->replica.e);

	if (odd && !a->odd)
		note(&a->t->log,
		     "etcd sent keys outside of the requested ranges, or with a NUL: ignored");
	a->odd = odd;
}

/* For `metrics`. */
static void tell_status(const struct agent *a)
{
	const __u64 ago = clock_ns(CLOCK_MONOTONIC) - a->replica.last_event;
	struct agent_status status = {
		.connected = a->replica.connected,
		.revision = a->replica.revision,
		.last_event = a->replica.last_event ? clock_ns(CLOCK_REALTIME) - ago : 0,
		.resyncs = a->replica.resyncs,
		.failed = a->reconcile.failed + a->reconcile.refused + a->alive.twin,
		.held = a->reconcile.held,
		.missing = a->reconcile.missing,
		.orphans = a->collector.seen.n,
		.collected = a->collector.taken,
		.odd = a->odd,
		.elsewhere = a->own.elsewhere,
		.unreached = a->unreached,
	};

	memcpy(status.own, a->own.why, sizeof(status.own));
	status.unknown = prober_unknown(a->prober);
	prober_counts(a->prober, &status.probes);
	flows_counts(a->flows, &status.flows);
	mender_counts(a->mender, &status.mender);
	status_write(a->status, &status);
}

/* Saves the last pulse that was applied, for the next agent; not that of a distrusted store. */
static void save_history(struct agent *a)
{
	if (!a->replica.trusted || a->history == a->replica.history.modified)
		return;
	history_save(&a->replica.history, a->t->instance, a->replica.m);
	a->history = a->replica.history.modified;
}

/* After a new connection: is it the same store? If etcd cannot answer, asks again soon. */
static void check_store(struct agent *a)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err;

	if (!a->replica.check || !a->replica.connected || a->replica.reread || now < a->next_read)
		return;
	err = replica_check_store(&a->replica);
	if (err)
		replica_complain(&a->replica, err);
	else if (!a->replica.reread)
		complaints_clear(&a->replica.complaints);
	a->next_read = err ? now + etcd_jitter(CHECK_MS) * MS_NS : 0;
}

/* Needs no lock of the switch, so no command waits for it. Errors are tried again next time. */
static void sweep(struct agent *a)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	size_t n;

	if (now < a->next_sweep)
		return;
	a->next_sweep = now + SWEEP_SECONDS * SECOND_NS;
	if (session_open(a->t) || policy_sweep(a->t, false, &n))
		detail(&a->t->log, "cannot free old connections of policies: %s", failure()->text);
	session_close(a->t);
}

/* What keeps this host from being in step. */
static size_t wrong(const struct agent *a)
{
	return a->reconcile.failed + a->reconcile.refused + a->reconcile.held + !!*a->own.why;
}

static bool is_settled(const struct agent *a)
{
	return !a->replica.reread && !(a->replica.check && a->replica.connected) &&
	       !a->replica.changed && !a->look && !a->look_at && !a->replica.n_fresh;
}

static void loop(struct agent *a)
{
	bool more;

	while (!a->end) {
		check_store(a);
		if (a->replica.reread)
			read_again(a);
		if (!a->replica.reread && !(a->replica.check && a->replica.connected))
			settle(a);
		if (is_settled(a))
			save_history(a);
		unreached_find(&a->unreached, a->prober, &a->quiet, &a->replica,
			       &a->unreached_hosts);
		more = is_settled(a) &&
		       alive_answer(&a->alive, &a->replica, wrong(a), &a->unreached);
		a->alive.elsewhere = a->own.elsewhere;
		alive_keep(&a->alive, &a->replica, a->t->instance);
		if (keys_turn(&a->keys, a->t))
			a->own.changed = true;
		a->look |= own_host_has_changed(&a->own, a->t);
		if (!a->alive.other) /* a copy of a machine must not take its traffic */
			own_host_turn(&a->own, a->t, &a->replica);
		if (is_settled(a))
			collect(&a->collector, a->t, &a->replica, a->reconcile.missing);
		sweep(a);
		tell_odd(a);
		tell_status(a);
		tell_ready(a, false);
		notify_manager("WATCHDOG=1");
		turn(a, a->replica.reread || a->replica.check ? AGAIN_LEAST_MS
			: is_settled(a) && !more	      ? keys_due(&a->keys, TURN_MS)
							      : SOON_MS);
		if (a->replica.changed)
			turn(a, GATHER_MS);
	}
}

int agent_run(struct tsw *t, const struct member *m, const struct prober_asks *asks, bool sync,
	      __u32 wait)
{
	char wake[STATUS_WAKE_PATH];
	struct agent a = {.t = t,
			  .signals = -1,
			  .again_ms = AGAIN_LEAST_MS,
			  .ready_by = clock_ns(CLOCK_MONOTONIC) + wait * SECOND_NS};
	int err;

	a.status = status_take(t->instance);
	err = a.status < 0 ? a.status : listen_to(&a);

	err = err ?: replica_open(&a.replica, m, &t->log, TIMEOUT_MS);
	err = err ?: prober_start(&a.prober, t, asks);
	err = err ?: mender_start(&a.mender, t);
	if (!err && sync)
		err = flows_start(&a.flows, t);
	if (!err) {
		history_load(&a.replica.history, t->instance, m);
		begin(&a, NULL, NULL);
		alive_begin(&a.alive, &t->log);
		a.replica.reread = true;
		etcd_stop_by(a.replica.e, a.signals);
		status_wake_path(t->instance, wake);
		etcd_wake_by(a.replica.e, wake);
		loop(&a);
		etcd_stop_by(a.replica.e, -1);
		notify_manager("STOPPING=1");
		alive_end(&a.alive, &a.replica);
		stop(&a);
	}
	flows_stop(a.flows);
	mender_stop(a.mender);
	prober_stop(a.prober);
	if (a.links)
		mnl_socket_close(a.links);
	if (a.signals >= 0)
		close(a.signals);
	if (a.status >= 0)
		close(a.status);
	return err;
}
