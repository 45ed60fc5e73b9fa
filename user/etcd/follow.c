// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/follow.h"

int follows_add(struct follows *f, __u64 id, const struct etcd_range *range, __s64 revision)
{
	struct follow new = {.id = id, .next = revision};
	size_t i;

	if (revision < 1)
		return fail(EINVAL, "a watch begins at revision 1 at the earliest");
	for (i = 0; i < f->n; i++)
		if (f->at[i].id == id)
			return fail(EEXIST, "range %llu is followed already", id);
	if (f->n == f->room) {
		const size_t room = f->room ? 2 * f->room : 16;
		struct follow *at = realloc(f->at, room * sizeof(*at));

		if (!at)
			return fail_memory();
		f->at = at;
		f->room = room;
	}
	new.key = strdup(range->key);
	new.end = range->end ? strdup(range->end) : NULL;
	if (!new.key || (range->end && !new.end)) {
		free(new.key);
		return fail_memory();
	}
	f->at[f->n++] = new;
	f->changes++;
	if (revision - 1 > f->seen.revision)
		f->seen.revision = revision - 1;
	return 0;
}

static void drop(struct follows *f, struct follow *old)
{
	free(old->key);
	free(old->end);
	*old = f->at[--f->n];
	f->changes++;
}

__s64 follows_del(struct follows *f, __u64 id)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->at[i].id == id) {
			const __s64 wire = f->at[i].wire;

			drop(f, &f->at[i]);
			return wire;
		}
	}
	return 0;
}

void follows_free(struct follows *f)
{
	while (f->n)
		drop(f, f->at);
	free(f->at);
	*f = (struct follows){};
}

static struct follow *by_wire(struct follows *f, __s64 wire)
{
	size_t i;

	for (i = 0; wire > 0 && i < f->n; i++)
		if (f->at[i].wire == wire)
			return &f->at[i];
	return NULL;
}

/* The message is set: the range goes before its owner is told, who may add it again. */
static void lose(struct follows *f, struct follow *old, int err)
{
	const __u64 id = old->id;

	drop(f, old);
	f->told = true;
	f->watcher->lost(f->watcher->context, id, err);
}

void follows_lose_all(struct follows *f)
{
	size_t i;

	f->seen = (struct etcd_seen){};
	for (i = 0; i < f->n; i++)
		f->at[i].old = true;
	/* Their owners may add and delete meanwhile: what is moved down is met later. */
	for (i = f->n; i--;)
		if (i < f->n && f->at[i].old)
			lose(f, &f->at[i],
			     fail(ESTALE, "etcd has another store than before, or an older one"));
}

bool follows_is_same(struct follows *f, const struct etcd_seen *now)
{
	f->doubt = false;
	f->sure = true;
	return now->cluster == f->seen.cluster && now->term >= f->seen.term &&
	       now->revision >= f->seen.revision;
}

/*
 * Another cluster's id is another store. One that is older, from a backup, may have the same: it
 * has a lower term or revision. So has a member that is behind, for a while: ask them all.
 */
static int look_back(struct follows *f, const EtcdPb__Header *header)
{
	if (f->seen.cluster && header->cluster_id != f->seen.cluster) {
		follows_lose_all(f);
		return -ESTALE;
	}
	f->seen.cluster = header->cluster_id;
	/* Some of etcd's answers, as to a watch that it ends, have no revision. */
	if (header->raft_term < f->seen.term ||
	    (header->revision && header->revision < f->seen.revision))
		f->doubt = !f->sure;
	else
		f->seen.term = header->raft_term;
	return 0;
}

/*
 * A value with a NUL inside is not written by tsw: it counts as deleted. A key outside of the range
 * that is followed is ignored.
 */
static int take_event(struct follows *f, const struct follow *range, const EtcdPb__Event *event)
{
	const struct etcd_range keys = {range->key, range->end};
	EtcdPb__KeyValue kv = *event->kv;
	bool deleted = event->type == ETCD_PB__EVENT__TYPE__DELETE;
	struct etcd_entry entry;
	int err;

	/* Told before the connection broke. */
	if (kv.mod_revision < range->next)
		return 0;
	err = etcd_entry(f->e, &keys, &kv, &entry);
	if (err == -EINVAL && etcd_is_in(&keys, &kv.key)) {
		deleted = true;
		kv.value = (ProtobufCBinaryData){};
		err = etcd_entry(f->e, &keys, &kv, &entry);
	}
	if (err)
		return err == -EINVAL ? 0 : err;
	f->told = true;
	f->watcher->event(f->watcher->context, range->id, &entry, deleted);
	etcd_entry_free(&entry);
	return 0;
}

/* All up to REVISION is told. */
static void move(struct follows *f, struct follow *range, __s64 revision)
{
	if (revision < range->next)
		return;
	range->next = revision + 1;
	if (revision > f->seen.revision)
		f->seen.revision = revision;
	f->told = true;
	f->watcher->mark(f->watcher->context, range->id, revision);
}

/*
 * What one revision changed may come in several parts. Without events it tells that there were
 * none up to its own revision; etcd sends that behind all that it has.
 */
static int take_events(struct follows *f, __s64 wire, const EtcdPb__WatchResponse *response)
{
	struct follow *range = by_wire(f, wire);
	unsigned int changes = f->changes;
	__s64 last = 0;
	size_t i;
	int err;

	for (i = 0; range && i < response->n_events; i++) {
		const EtcdPb__Event *event = response->events[i];

		if (!event->kv || event->kv->mod_revision < last || event->kv->mod_revision < 1 ||
		    event->kv->mod_revision == INT64_MAX)
			return -EPROTO;
		last = event->kv->mod_revision;
		err = take_event(f, range, event);
		if (err)
			return err;
		if (f->changes != changes)
			range = by_wire(f, wire);
		changes = f->changes;
	}
	if (!response->n_events && !response->created && response->header)
		last = response->header->revision < INT64_MAX ? response->header->revision : 0;
	if (range && last && !response->fragment)
		move(f, range, last);
	return 0;
}

static int take_end(struct follows *f, struct follow *range, const EtcdPb__WatchResponse *response)
{
	const char *why = response->cancel_reason;

	/* Not this range's end: another token, and all is as before. */
	if (strstr(why, "invalid auth token") || strstr(why, "revision of auth store is old"))
		return -EKEYEXPIRED;
	if (response->compact_revision)
		lose(f, range, fail(ESTALE, "etcd has compacted what was to come"));
	else if (strstr(why, "permission denied"))
		lose(f, range, fail(EACCES, "etcd: %s", quoted(why)));
	else
		lose(f, range, fail(EIO, "etcd ended a watch: %s", quoted(why)));
	return 0;
}

void follows_again(struct follows *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		f->at[i].wire = 0;
	f->created = f->wires;
	f->stray = 0;
	f->doubt = f->sure = false;
}

/* Who may not follow is told so without which range is meant: that whose turn it is. */
static __s64 wire_of(struct follows *f, const EtcdPb__WatchResponse *response)
{
	if (response->created)
		f->created++;
	return response->created && response->watch_id < 0 ? f->created : response->watch_id;
}

int follows_take(struct follows *f, const uint8_t *message, size_t len)
{
	EtcdPb__WatchResponse *response = etcd_pb__watch_response__unpack(NULL, len, message);
	struct follow *range;
	__s64 wire;
	int err = 0;

	if (!response)
		return -EPROTO;
	wire = wire_of(f, response);
	if (response->header)
		err = look_back(f, response->header);
	range = err ? NULL : by_wire(f, wire);
	if (range && response->canceled)
		err = take_end(f, range, response);
	else if (range)
		err = take_events(f, wire, response);
	else if (response->created && !response->canceled)
		f->stray = wire;
	etcd_pb__watch_response__free_unpacked(response, NULL);
	return err;
}
