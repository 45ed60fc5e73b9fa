// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "etcd/watch_ranges.h"

int watch_ranges_add(struct watch_ranges *r, __u64 id, const struct etcd_range *range,
		     __s64 revision)
{
	struct watch_range new = {.id = id, .next = revision}, *next;
	size_t i;

	if (revision < 1)
		return fail(EINVAL, "a watch cannot begin before revision 1");
	for (i = 0; i < r->n; i++)
		if (r->at[i].id == id)
			return fail(EEXIST, "range %llu is already watched", id);
	new.key = strdup(range->key);
	new.end = range->end ? strdup(range->end) : NULL;
	if (!new.key || (range->end && !new.end)) {
		free(new.key);
		return fail_memory();
	}
	next = list_grow(&r->at, &r->n, sizeof(*next));
	if (!next) {
		free(new.key);
		free(new.end);
		return -ENOMEM;
	}
	*next = new;
	r->changes++;
	if (revision - 1 > r->seen.revision)
		r->seen.revision = revision - 1;
	return 0;
}

static void drop(struct watch_ranges *r, struct watch_range *old)
{
	free(old->key);
	free(old->end);
	*old = r->at[--r->n];
	r->changes++;
}

__s64 watch_ranges_del(struct watch_ranges *r, __u64 id)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->at[i].id == id) {
			const __s64 watch_id = r->at[i].watch_id;

			drop(r, &r->at[i]);
			return watch_id;
		}
	}
	return 0;
}

void watch_ranges_free(struct watch_ranges *r)
{
	while (r->n)
		drop(r, r->at);
	free(r->at);
	*r = (struct watch_ranges){};
}

static struct watch_range *by_watch_id(struct watch_ranges *r, __s64 watch_id)
{
	size_t i;

	for (i = 0; watch_id > 0 && i < r->n; i++)
		if (r->at[i].watch_id == watch_id)
			return &r->at[i];
	return NULL;
}

/* failure() is set. Drops the range before it tells its owner, who may add it again. */
static void lose(struct watch_ranges *r, struct watch_range *old, int err)
{
	const __u64 id = old->id;

	drop(r, old);
	r->reported = true;
	r->watcher->lost(r->watcher->context, id, err);
}

void watch_ranges_lose_all(struct watch_ranges *r)
{
	size_t i;

	r->seen = (struct etcd_seen){};
	for (i = 0; i < r->n; i++)
		r->at[i].old = true;
	/* Owners may add and delete ranges meanwhile. Those that move down are met later. */
	for (i = r->n; i--;)
		if (i < r->n && r->at[i].old)
			lose(r, &r->at[i],
			     fail(ESTALE, "etcd has another store than before, or an older one"));
}

bool watch_ranges_is_same_store(struct watch_ranges *r, const struct etcd_seen *now)
{
	r->suspect = false;
	r->confirmed = true;
	return now->cluster == r->seen.cluster && now->term >= r->seen.term &&
	       now->revision >= r->seen.revision;
}

/*
 * Another cluster id means another store. A store restored from a backup may have the same id, but
 * a lower term or revision. So may a member that lags behind, so all members must be asked.
 */
static int look_back(struct watch_ranges *r, const EtcdPb__Header *header)
{
	if (r->seen.cluster && header->cluster_id != r->seen.cluster) {
		watch_ranges_lose_all(r);
		return -ESTALE;
	}
	r->seen.cluster = header->cluster_id;
	/* Some answers have no revision, for example about a watch that etcd ends. */
	if (header->raft_term < r->seen.term ||
	    (header->revision && header->revision < r->seen.revision))
		r->suspect = !r->confirmed;
	else
		r->seen.term = header->raft_term;
	return 0;
}

/*
 * tsw writes no value with a NUL: such an entry counts as deleted. Ignores a key outside of the
 * range.
 */
static int take_event(struct watch_ranges *r, const struct watch_range *range,
		      const EtcdPb__Event *event)
{
	const struct etcd_range keys = {range->key, range->end};
	EtcdPb__KeyValue kv = *event->kv;
	bool deleted = event->type == ETCD_PB__EVENT__TYPE__DELETE;
	struct etcd_entry entry;
	int err;

	/* Reported before the connection broke. */
	if (kv.mod_revision < range->next)
		return 0;
	err = etcd_entry(r->e, &keys, &kv, &entry);
	if (err == -EINVAL && etcd_is_in(&keys, &kv.key)) {
		deleted = true;
		kv.value = (ProtobufCBinaryData){};
		err = etcd_entry(r->e, &keys, &kv, &entry);
	}
	if (err)
		return err == -EINVAL ? 0 : err;
	r->reported = true;
	r->watcher->event(r->watcher->context, range->id, &entry, deleted);
	etcd_entry_free(&entry);
	return 0;
}

/* All changes up to REVISION were reported. */
static void move(struct watch_ranges *r, struct watch_range *range, __s64 revision)
{
	if (revision < range->next)
		return;
	range->next = revision + 1;
	if (revision > r->seen.revision)
		r->seen.revision = revision;
	r->reported = true;
	if (r->watcher->mark)
		r->watcher->mark(r->watcher->context, range->id, revision);
}

/*
 * The changes of a revision may come in several parts. A response without events says
 * that nothing else has changed up to its revision; etcd sends it after all changes.
 */
static int take_events(struct watch_ranges *r, __s64 watch_id,
		       const EtcdPb__WatchResponse *response)
{
	struct watch_range *range = by_watch_id(r, watch_id);
	unsigned int changes = r->changes;
	__s64 last = 0;
	size_t i;
	int err;

	for (i = 0; range && i < response->n_events; i++) {
		const EtcdPb__Event *event = response->events[i];

		if (!event->kv || event->kv->mod_revision < last || event->kv->mod_revision < 1 ||
		    event->kv->mod_revision == INT64_MAX)
			return -EPROTO;
		last = event->kv->mod_revision;
		err = take_event(r, range, event);
		if (err)
			return err;
		if (r->changes != changes)
			range = by_watch_id(r, watch_id);
		changes = r->changes;
	}
	if (!response->n_events && !response->created && response->header)
		last = response->header->revision < INT64_MAX ? response->header->revision : 0;
	if (range && last && !response->fragment)
		move(r, range, last);
	return 0;
}

static int take_end(struct watch_ranges *r, struct watch_range *range,
		    const EtcdPb__WatchResponse *response)
{
	const char *why = response->cancel_reason;

	/* Not the end of this range: with another token it goes on. */
	if (strstr(why, "invalid auth token") || strstr(why, "revision of auth store is old"))
		return -EKEYEXPIRED;
	if (response->compact_revision)
		lose(r, range, fail(ESTALE, "etcd has compacted the next changes"));
	else if (strstr(why, "permission denied"))
		lose(r, range, fail(EACCES, "etcd: %s", quoted(why)));
	else
		lose(r, range, fail(EIO, "etcd ended a watch: %s", quoted(why)));
	return 0;
}

void watch_ranges_restart(struct watch_ranges *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		r->at[i].watch_id = 0;
	r->created = r->watch_ids;
	r->stray = 0;
	r->suspect = r->confirmed = false;
}

/* A refusal names no range. etcd answers in order, so it is for the next one. */
static __s64 watch_id_of(struct watch_ranges *r, const EtcdPb__WatchResponse *response)
{
	if (response->created)
		r->created++;
	return response->created && response->watch_id < 0 ? r->created : response->watch_id;
}

int watch_ranges_take(struct watch_ranges *r, const uint8_t *message, size_t len)
{
	EtcdPb__WatchResponse *response = etcd_pb__watch_response__unpack(NULL, len, message);
	struct watch_range *range;
	__s64 watch_id;
	int err = 0;

	if (!response)
		return -EPROTO;
	watch_id = watch_id_of(r, response);
	if (response->header)
		err = look_back(r, response->header);
	range = err ? NULL : by_watch_id(r, watch_id);
	if (range && response->canceled)
		err = take_end(r, range, response);
	else if (range)
		err = take_events(r, watch_id, response);
	else if (response->created && !response->canceled)
		r->stray = watch_id;
	etcd_pb__watch_response__free_unpacked(response, NULL);
	return err;
}
