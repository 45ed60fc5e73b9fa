// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/parse.h"
#include "cluster/change.h"
#include "cluster/sweep.h"

enum { HOSTS = 50 }; /* in one transaction, two steps for each */

/* ---- hosts ------------------------------------------------------------------------ */

struct names {
	struct tsw_name *all;
	size_t n;
};

static int take_name(void *context, const struct etcd_entry *entry)
{
	struct names *names = context;
	struct tsw_name name = {};

	if ((size_t)snprintf(name.s, sizeof(name.s), "%s", record_name(entry->key)) >=
	    sizeof(name.s))
		return 0;
	return list_append(&names->all, &names->n, &name, sizeof(name));
}

/* ---- one id ----------------------------------------------------------------------- */

/* Also groups and rules. */
static void clear_claims(const struct records *r, struct change *c, __u32 id)
{
	record_clear(r, c, "policy/%u/", id);
	record_clear(r, c, "ip/%u/", id);
	record_clear(r, c, "mac/%u/", id);
	record_clear(r, c, "net/%u/", id);
	record_clear(r, c, "rest/%u/", id);
}

/* For the last step, in which the claim on the id is deleted, too. */
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
	record_clear(r, c, "e/%u/", id);
	clear_claims(r, c, id);
}

/* Deletes the id's entries in the indices of N hosts. Looks first which hosts have any. */
static int sweep_hosts(const struct records *r, __u32 id, __s64 modified,
		       const struct tsw_name *host, size_t n)
{
	cleanup_look struct look look = {};
	struct change c;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		look_count(&look, r, "at/%s/%u/", host[i].s, id);
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
	record_check(r, &c, modified, "vni/%u", id);
	if (c.n_steps)
		err = change_commit(r->e, &c, NULL);
	change_end(&c);
	return err;
}

static int del_claim(const struct records *r, __u32 id, __s64 modified)
{
	const struct record_range endpoints = record_range(r, "e/%u/", id);
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
 * Deletes the id's own records, on condition that the claim is still an orphan. Writes the claim
 * anew, so that changes by others, who have read the old one, are refused.
 */
static int clear(const struct records *r, const struct orphan *orphan, __s64 *modified)
{
	char key[MEMBER_KEY];
	struct change c;
	int err;

	change_begin(&c);
	if (*orphan->owner)
		record_check(r, &c, orphan->tenant, "tenant/%s", orphan->owner);
	sweep_add(r, &c, orphan->id);
	record_key(r, key, "vni/%u", orphan->id);
	change_claim(&c, key, orphan->owner, orphan->modified, CLAIM_GIVEN);
	err = change_commit(r->e, &c, modified);
	change_end(&c);
	return err == -EEXIST ? -EAGAIN : err;
}

int sweep_rest(const struct records *r, __u32 id, __s64 modified)
{
	struct names hosts = {};
	size_t i, n;
	int err = records_read(r, NULL, take_name, &hosts, "host/");

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

/* ---- all orphans of an owner ------------------------------------------------------ */

struct orphans {
	const char *owner;
	struct orphan *all;
	size_t n;
};

static int take_orphan(void *context, const struct etcd_entry *entry)
{
	struct orphans *orphans = context;
	struct orphan one = {.owner = orphans->owner, .modified = entry->modified};

	if (!claim_is_of(entry->value, orphans->owner) ||
	    parse_number(record_name(entry->key), 1, ~0U, &one.id))
		return 0;
	return list_append(&orphans->all, &orphans->n, &one, sizeof(one));
}

int sweep_orphans(const struct records *r, const char *owner, size_t *found)
{
	struct orphans orphans = {.owner = owner};
	size_t i;
	int err = records_read(r, NULL, take_orphan, &orphans, "vni/");

	for (i = 0; !err && i < orphans.n; i++)
		err = sweep(r, &orphans.all[i]);
	*found = orphans.n;
	free(orphans.all);
	return err;
}
