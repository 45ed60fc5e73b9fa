// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/parse.h"
#include "cluster/change.h"
#include "cluster/sweep.h"

enum { HOSTS = 50 }; /* in one transaction, of two records each */

/* ---- names, as they are read ------------------------------------------------------ */

struct names {
	struct tsw_name *all;
	size_t n;
};

static int take_name(void *context, const struct etcd_entry *entry)
{
	struct names *names = context;
	const char *name = record_name(entry->key);
	struct tsw_name *next;

	if (strlen(name) >= sizeof(next->s))
		return 0;
	next = list_grow(&names->all, &names->n, sizeof(*next));
	if (!next)
		return -ENOMEM;
	snprintf(next->s, sizeof(next->s), "%s", name);
	return 0;
}

static int read_hosts(const struct records *r, struct names *names)
{
	const struct record_range all = record_range(r, "host/");
	__s64 revision = 0;

	return records_each(r, &all, &revision, take_name, names);
}

/* ---- one id ----------------------------------------------------------------------- */

static void clear_kind(const struct records *r, struct change *c, const char *kind, __u32 id)
{
	const struct record_range range = record_range(r, "%s/%u/", kind, id);

	change_clear(c, range.key, range.end);
}

/* Groups and rules go with them. */
static void clear_claims(const struct records *r, struct change *c, __u32 id)
{
	clear_kind(r, c, "policy", id);
	clear_kind(r, c, "ip", id);
	clear_kind(r, c, "mac", id);
	clear_kind(r, c, "rest", id);
}

/* With the claim on the id there is nothing left of it. */
static void clear_pulses(const struct records *r, struct change *c, __u32 id)
{
	char pulse[MEMBER_KEY];

	record_key(r, pulse, "e/%u/", id);
	change_clear(c, pulse, NULL);
	record_key(r, pulse, "policy/%u/", id);
	change_clear(c, pulse, NULL);
}

void sweep_claims(const struct records *r, struct change *c, __u32 id)
{
	clear_claims(r, c, id);
	clear_pulses(r, c, id);
}

void sweep_add(const struct records *r, struct change *c, __u32 id)
{
	record_pulse(r, c, "e/%u/", id);
	record_pulse(r, c, "policy/%u/", id);
	clear_kind(r, c, "e", id);
	clear_claims(r, c, id);
}

/* The indices at these hosts; those that have any are found first. */
static int sweep_hosts(const struct records *r, __u32 id, __s64 modified,
		       const struct tsw_name *host, size_t n)
{
	cleanup_look struct look look = {};
	struct record_range range;
	char vni[MEMBER_KEY];
	struct change c;
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		range = record_range(r, "at/%s/%u/", host[i].s, id);
		look_count(&look, &range);
	}
	err = look_read(r, &look);
	if (err)
		return err;
	change_begin(&c);
	for (i = 0; i < n; i++) {
		if (!look.at[i].count)
			continue;
		record_pulse(r, &c, "at/%s/", host[i].s);
		change_clear(&c, look.at[i].key, look.at[i].end);
	}
	record_key(r, vni, "vni/%u", id);
	change_check(&c, vni, modified);
	if (c.n_steps)
		err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err;
}

static int del_claim(const struct records *r, __u32 id, __s64 modified)
{
	struct record_range endpoints = record_range(r, "e/%u/", id);
	char vni[MEMBER_KEY];
	struct change c;
	int err;

	record_key(r, vni, "vni/%u", id);
	change_begin(&c);
	change_empty(&c, endpoints.key, endpoints.end);
	change_del(&c, vni, modified);
	clear_pulses(r, &c, id);
	err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err;
}

/*
 * What it has itself. The claim is written anew, so that nobody adds to it by what he has read, and
 * on condition that it is an orphan still.
 */
static int clear(const struct records *r, const struct orphan *orphan, __s64 *modified)
{
	char key[MEMBER_KEY];
	struct change c;
	int err;

	change_begin(&c);
	record_key(r, key, "tenant/%s", orphan->owner);
	if (*orphan->owner)
		change_check(&c, key, orphan->tenant);
	sweep_add(r, &c, orphan->id);
	record_key(r, key, "vni/%u", orphan->id);
	change_take_over(&c, key, orphan->owner, orphan->modified);
	err = change_commit(r->e, &c, modified);
	change_end(&c);
	return err == -EEXIST ? -EAGAIN : err;
}

int sweep_rest(const struct records *r, __u32 id, __s64 modified)
{
	struct names hosts = {};
	size_t i, n;
	int err = read_hosts(r, &hosts);

	for (i = 0; !err && i < hosts.n; i += n) {
		n = hosts.n - i < HOSTS ? hosts.n - i : HOSTS;
		err = sweep_hosts(r, id, modified, hosts.all + i, n);
	}
	free(hosts.all);
	return err ?: del_claim(r, id, modified);
}

int sweep(const struct records *r, const struct orphan *orphan)
{
	__s64 modified;
	int err = clear(r, orphan, &modified);

	return err ?: sweep_rest(r, orphan->id, modified);
}

/* ---- all of a name ---------------------------------------------------------------- */

struct orphans {
	const char *owner;
	struct orphan *all;
	size_t n;
};

static int take_orphan(void *context, const struct etcd_entry *entry)
{
	struct orphans *orphans = context;
	char owner[CHANGE_TEXT];
	struct orphan *next;
	__u32 id;

	claim_read(entry->value, owner, NULL);
	if (strcmp(owner, orphans->owner) || parse_number(record_name(entry->key), 1, ~0U, &id))
		return 0;
	next = list_grow(&orphans->all, &orphans->n, sizeof(*next));
	if (!next)
		return -ENOMEM;
	*next = (struct orphan){id, orphans->owner, entry->modified, 0};
	return 0;
}

int sweep_orphans(const struct records *r, const char *owner, size_t *found)
{
	const struct record_range all = record_range(r, "vni/");
	struct orphans orphans = {.owner = owner};
	__s64 revision = 0;
	size_t i;
	int err = records_each(r, &all, &revision, take_orphan, &orphans);

	for (i = 0; !err && i < orphans.n; i++)
		err = sweep(r, &orphans.all[i]);
	*found = orphans.n;
	free(orphans.all);
	return err;
}
