// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/follow.h"

int follows_add(struct follows *f, __u64 id, const struct etcd_range *range, __s64 revision)
{
	struct follow new = {.id = id, .next = revision};

	if (f->n == f->room) {
		const size_t room = f->room ? 2 * f->room : 16;
		struct follow *at = realloc(f->at, room * sizeof(*at));

		if (!at)
			return fail(ENOMEM, "no memory");
		f->at = at;
		f->room = room;
	}
	new.key = strdup(range->key);
	new.end = range->end ? strdup(range->end) : NULL;
	if (!new.key || (range->end && !new.end)) {
		free(new.key);
		return fail(ENOMEM, "no memory");
	}
	f->at[f->n++] = new;
	return 0;
}

static void drop(struct follows *f, struct follow *old)
{
	free(old->key);
	free(old->end);
	*old = f->at[--f->n];
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

/*
 * Another store than before, or an older state of it: a backup that was restored. A revision alone
 * tells nothing: that of a member that is behind is lower for a while.
 */
static void look_back(struct follows *f, const EtcdPb__Header *header)
{
	const struct etcd_seen before = f->seen;
	size_t i;

	f->seen = (struct etcd_seen){header->cluster_id, header->raft_term, header->revision};
	if (!before.cluster || (before.cluster == f->seen.cluster && before.term <= f->seen.term))
		return;
	for (i = 0; i < f->n; i++)
		f->at[i].old = true;
	/* Their owners may add and delete meanwhile: what is moved down is met later. */
	for (i = f->n; i--;)
		if (i < f->n && f->at[i].old)
			lose(f, &f->at[i],
			     fail(ESTALE, "etcd has another store than before, or an older one"));
}

static void take_event(struct follows *f, struct follow *range, const EtcdPb__Event *event)
{
	const bool deleted = event->type == ETCD_PB__EVENT__TYPE__DELETE;
	struct etcd_entry entry;

	/* Told before the connection broke. */
	if (!event->kv || event->kv->mod_revision < range->next)
		return;
	if (!etcd_entry(f->e, event->kv, &entry))
		return;
	f->watcher->event(f->watcher->context, range->id, &entry, deleted);
	etcd_entry_free(&entry);
}

/* A callback may delete the range, or move it: it is looked up again each time. */
static void take_events(struct follows *f, const EtcdPb__WatchResponse *response)
{
	struct follow *range;
	__s64 last = 0;
	size_t i;

	for (i = 0; i < response->n_events; i++) {
		range = by_wire(f, response->watch_id);
		if (!range)
			return;
		f->told = true;
		take_event(f, range, response->events[i]);
		if (response->events[i]->kv)
			last = response->events[i]->kv->mod_revision;
	}
	range = by_wire(f, response->watch_id);
	if (!range || !last || last < range->next)
		return;
	range->next = last + 1;
	f->watcher->mark(f->watcher->context, range->id, last);
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
		look_back(f, response->header);
	range = by_wire(f, wire);
	if (range && response->canceled)
		err = take_end(f, range, response);
	else if (range)
		take_events(f, response);
	etcd_pb__watch_response__free_unpacked(response, NULL);
	return err;
}
