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
#include "base/version.h"

enum {
	KEEP_SECONDS = ALIVE_SECONDS / 3,
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

static int write_alive(struct alive *a, struct replica *rp)
{
	char key[MEMBER_KEY];
	json_t *value =
		json_pack("{s:s, s:I}", "version", TSW_VERSION, "since", (json_int_t)a->since);

	if (a->elsewhere)
		json_object_set_new(value, "elsewhere", json_true());
	a->told = a->elsewhere;
	member_key(rp->m, "alive", rp->m->host.s, key);
	return put(rp, key, value, a->lease);
}

static int begin(struct alive *a, struct replica *rp)
{
	int err = etcd_lease(rp->e, ALIVE_SECONDS, &a->lease);

	err = err ?: write_alive(a, rp);
	if (err)
		a->lease = 0; /* next time with another one; this one expires */
	return err;
}

/* Logs a refusal once, such as a right that is missing. That etcd is gone is known otherwise. */
static void tell(struct alive *a, int err)
{
	if (err == -EHOSTUNREACH || err == -ETIMEDOUT || err == -EINTR)
		detail(a->complaints.log, "cannot tell the cluster that this host is alive: %s",
		       failure()->text);
	else if (err)
		complaints_add_line(&a->complaints,
				    "cannot tell the cluster that this host is alive: %s",
				    failure()->text);
	else
		complaints_clear(&a->complaints);
}

void alive_keep(struct alive *a, struct replica *rp)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err = 0;

	if ((now < a->next && a->told == a->elsewhere) || !rp->connected)
		return;
	if (a->lease)
		err = etcd_lease_keep(rp->e, a->lease);
	if (err == -ENOENT)
		a->lease = 0;
	if (!a->lease)
		err = begin(a, rp);
	else if (!err && a->told != a->elsewhere)
		err = write_alive(a, rp);
	tell(a, err);
	a->next = clock_ns(CLOCK_MONOTONIC) + KEEP_SECONDS * SECOND_NS;
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
