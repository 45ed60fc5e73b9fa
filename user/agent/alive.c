// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "agent/alive.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "kernel/netns.h"

enum {
	KEEP_SECONDS = ALIVE_SECONDS / 3,
	TWIN_SECONDS = ALIVE_SECONDS + 5,
	PLACE_LEN = 128,
	NAME_MOST = 128,   /* of an answer's key */
	ANSWERS_MOST = 16, /* in a turn, so that other work does not wait for long */
};

void alive_begin(struct alive *a, const struct log *log)
{
	*a = (struct alive){.complaints.log = log, .since = (__s64)time(NULL)};
}

static int put(struct replica *rp, const char *key, json_t *value, __s64 lease)
{
	char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
	const struct etcd_op put = {
		.kind = ETCD_PUT, .range = {key}, .value = text, .lease = lease};
	const struct etcd_txn txn = {.then = &put, .n_then = 1};
	int err = text ? etcd_commit(rp->e, &txn, NULL) : fail_memory();

	json_decref(value);
	free(text);
	return err < 0 ? err : 0;
}

/* Where this agent runs: it differs on each boot, in each namespace and for each instance. */
static int place_of(const char *instance, char place[PLACE_LEN])
{
	char boot[40] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	__u32 netns;
	int err = netns_inode(&netns);

	if (file && !fgets(boot, sizeof(boot), file))
		boot[0] = '\0';
	if (file)
		fclose(file);
	boot[strcspn(boot, "\n")] = '\0';
	snprintf(place, PLACE_LEN, "%s %u %s", boot, netns, instance);
	return err;
}

struct holder {
	const char *place; /* ours */
	bool own;
};

static int look_at_holder(void *context, const struct etcd_entry *entry)
{
	struct holder *h = context;
	json_t *value = json_loads(entry->value, 0, NULL);
	const char *place = json_string_value(json_object_get(value, "place"));

	/* An agent of an earlier version does not say where it runs. */
	h->own = !place || !strcmp(place, h->place);
	json_decref(value);
	return 0;
}

/* 1: written; 0: another machine's agent holds the record. */
static int take(struct replica *rp, const char *key, const char *value, struct holder *h,
		__s64 lease)
{
	const struct etcd_range range = {key};
	struct etcd_if absent = {key, 0};
	const struct etcd_op put = {.kind = ETCD_PUT,
				    .range = range,
				    .value = value,
				    .lease = lease},
			     get = {.kind = ETCD_GET, .range = range};
	struct etcd_txn txn = {.conditions = &absent,
			       .n_conditions = 1,
			       .then = &put,
			       .n_then = 1,
			       .otherwise = &get,
			       .n_otherwise = 1,
			       .each = look_at_holder,
			       .context = h};
	int done = etcd_commit(rp->e, &txn, NULL);

	if (done || !h->own)
		return done;
	txn.n_conditions = 0;
	return etcd_commit(rp->e, &txn, NULL);
}

/* After a boot the record of the earlier agent lasts as long as its lease. */
static int wait_for_other(struct alive *a)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (!a->other)
		a->other = now;
	if (now < a->other + TWIN_SECONDS * SECOND_NS)
		return -EAGAIN;
	return fail(EEXIST, "another machine runs an agent under this host's name");
}

static int put_alive(struct alive *a, struct replica *rp, const char *instance)
{
	char key[MEMBER_KEY], place[PLACE_LEN];
	struct holder h = {.place = place};
	json_t *value;
	char *text;
	int err = place_of(instance, place);

	if (err)
		return err;
	value = json_pack("{s:s, s:I, s:s}", "version", TSW_VERSION, "since", (json_int_t)a->since,
			  "place", place);
	if (a->elsewhere)
		json_object_set_new(value, "elsewhere", json_true());
	a->told = a->elsewhere;
	text = value ? json_dumps(value, JSON_COMPACT) : NULL;
	json_decref(value);
	member_key(rp->m, "alive", rp->m->host.s, key);
	err = text ? take(rp, key, text, &h, a->lease) : fail_memory();
	free(text);
	if (err == 1)
		a->other = 0;
	return err < 0 ? err : err == 1 ? 0 : wait_for_other(a);
}

/* Writes the record. The host gets a new lease if it has none, or if the last write failed. */
static int write_alive(struct alive *a, struct replica *rp, const char *instance)
{
	int err = a->lease ? 0 : etcd_lease(rp->e, ALIVE_SECONDS, &a->lease);

	err = err ?: put_alive(a, rp, instance);
	if (err == -EAGAIN || err == -EEXIST) {
		const struct failure why = *failure();

		etcd_lease_end(rp->e, a->lease);
		fail_again(&why);
	}
	if (err)
		a->lease = 0; /* next time with another one; this one expires */
	return err;
}

/* A copied disk: two hosts that carry out the same records, each with the other's endpoints. */
static void tell_twin(struct alive *a, const struct replica *rp, bool twin)
{
	if (twin && !a->twin)
		note(rp->log,
		     "another machine runs an agent as host %s, too: is this one a copy of it? "
		     "See docs/cluster.md, `Copies of a machine`",
		     quoted(rp->m->host.s));
	else if (!twin && a->twin)
		note(rp->log, "no other machine runs an agent as host %s any more",
		     quoted(rp->m->host.s));
	a->twin = twin;
}

/* Logs a refusal once, such as a right that is missing. That etcd is gone is known otherwise. */
static void tell(struct alive *a, int err)
{
	if (etcd_is_away(err) || err == -EINTR)
		detail(a->complaints.log, "cannot tell the cluster that this host is alive: %s",
		       failure()->text);
	else if (err)
		complaints_add_line(&a->complaints,
				    "cannot tell the cluster that this host is alive: %s",
				    failure()->text);
	else
		complaints_clear(&a->complaints);
}

void alive_keep(struct alive *a, struct replica *rp, const char *instance)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err = 0;

	if ((now < a->next && a->told == a->elsewhere) || !rp->connected)
		return;
	if (a->lease)
		err = etcd_lease_keep(rp->e, a->lease);
	if (err == -ENOENT)
		a->lease = 0;
	if (!a->lease || (!err && a->told != a->elsewhere))
		err = write_alive(a, rp, instance);
	if (!err || err == -EEXIST)
		tell_twin(a, rp, err);
	if (err != -EEXIST && err != -EAGAIN)
		tell(a, err);
	a->next = clock_ns(CLOCK_MONOTONIC) + (err == -EAGAIN ? 1 : KEEP_SECONDS) * SECOND_NS;
}

#define CALLS "call/wait/"

/* Answers `call/wait/NUMBER`. The answer has the call's lease, so etcd removes both together. */
static int answer(struct replica *rp, const struct record *call, size_t failed,
		  const struct unreached *u)
{
	const char *number = call->key + strlen(CALLS);
	json_t *value;
	char name[MEMBER_KEY], key[MEMBER_KEY];

	if ((size_t)snprintf(name, sizeof(name), "%s/%s", number, rp->m->host.s) >= NAME_MOST)
		return 0;
	member_key(rp->m, "answer", name, key);
	value = json_pack("{s:I}", "failed", (json_int_t)failed);
	if (u->n)
		json_object_set_new(value, "unreached", unreached_json(u));
	return put(rp, key, value, call->lease);
}

/* The oldest call that is not answered yet. tsw makes no call without a lease: ignored. */
static const struct record *next_call(const struct alive *a, const struct replica *rp,
				      const char *prefix)
{
	const struct record *next = NULL;
	size_t i;

	for (i = record_set_first(&rp->records, prefix); record_set_is_in(&rp->records, i, prefix);
	     i++) {
		const struct record *call = &rp->records.all[i];

		if (call->lease && call->modified > a->answered &&
		    (!next || call->modified < next->modified))
			next = call;
	}
	return next;
}

bool alive_answer(struct alive *a, struct replica *rp, size_t failed, const struct unreached *u)
{
	const struct record *call;
	int n;

	for (n = 0; (call = next_call(a, rp, CALLS)); n++) {
		if (n == ANSWERS_MOST)
			return true;
		if (answer(rp, call, failed, u)) {
			detail(rp->log, "cannot answer `cluster wait`: %s", failure()->text);
			return false; /* tries again in the next turn */
		}
		a->answered = call->modified;
	}
	return false;
}

void alive_end(struct alive *a, struct replica *rp)
{
	if (a->lease && rp->connected)
		etcd_lease_end(rp->e, a->lease);
	a->lease = 0;
	complaints_free(&a->complaints);
}
