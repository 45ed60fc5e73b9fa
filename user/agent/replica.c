// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/replica.h"
#include "base/clock.h"
#include "base/err.h"

enum { TRIES = 5, PREFIX = 128 };

/*
 * Ranges by number. Those of a tenant add its id: its endpoints to RANGE_ENDPOINTS, its groups and
 * rules to RANGE_POLICIES.
 */
enum {
	RANGE_HOST,
	RANGE_TENANT,
	RANGE_GATEWAY,
	RANGE_PUBLISH,
	RANGE_PEER,
	RANGE_AT,
	RANGE_CALL,
	RANGE_VNI,
	RANGE_VTEP,
	RANGE_ALIVE,
	RANGES
};
#define RANGE_ENDPOINTS (1ULL << 32)
#define RANGE_POLICIES (2ULL << 32)
enum { OF_TENANT = 2 }; /* ranges */

static const char *const prefixes[RANGES] = {
	[RANGE_HOST] = "host/",	      [RANGE_TENANT] = "tenant/", [RANGE_GATEWAY] = "gateway/",
	[RANGE_PUBLISH] = "publish/", [RANGE_PEER] = "peer/",	  [RANGE_AT] = "at/%s/",
	[RANGE_CALL] = "call/",	      [RANGE_VNI] = "vni/",	  [RANGE_VTEP] = "vtep/",
	[RANGE_ALIVE] = "alive/"};

/* The prefix of range ID, behind the cluster's. */
static void prefix_of(const struct replica *rp, __u64 id, char prefix[PREFIX])
{
	if (id >= RANGE_POLICIES)
		snprintf(prefix, PREFIX, "policy/%u/", (__u32)id);
	else if (id >= RANGE_ENDPOINTS)
		snprintf(prefix, PREFIX, "e/%u/", (__u32)id);
	else if (id == RANGE_AT)
		snprintf(prefix, PREFIX, "at/%s/", rp->m->host.s);
	else
		snprintf(prefix, PREFIX, "%s", prefixes[id]);
}

static void ranges_of(__u32 tenant, __u64 id[OF_TENANT])
{
	id[0] = RANGE_ENDPOINTS + tenant;
	id[1] = RANGE_POLICIES + tenant;
}

struct range {
	char key[MEMBER_KEY], end[MEMBER_KEY];
	struct etcd_range range;
};

static int range_of(const struct replica *rp, __u64 id, struct range *r)
{
	char prefix[PREFIX];

	prefix_of(rp, id, prefix);
	snprintf(r->key, sizeof(r->key), "/tsw/1/%s/%s", rp->m->cluster.s, prefix);
	r->range = (struct etcd_range){r->key, r->end};
	return etcd_prefix_end(r->key, r->end, sizeof(r->end));
}

/* ---- reading ---------------------------------------------------------------------- */

static int put(void *context, const struct etcd_entry *entry)
{
	struct replica *rp = context;
	const struct record record = {.key = (char *)entry->key + rp->prefix,
				      .value = entry->value,
				      .modified = entry->modified,
				      .lease = entry->lease};

	/* Pulses of a new connection may be of another history: they wait for the check. */
	if (!rp->w || (rp->connected && !rp->check))
		history_take(&rp->history, entry);
	return record_set_put(&rp->records, &record);
}

/* Reads N ranges, of which no record is known yet. */
static int read_ranges(struct replica *rp, const __u64 *id, size_t n, __s64 *revision)
{
	struct etcd_range *all = calloc(n + 1, sizeof(*all));
	struct range *range = calloc(n + 1, sizeof(*range));
	int err = all && range ? 0 : fail_memory();
	size_t i;

	for (i = 0; !err && i < n; i++) {
		err = range_of(rp, id[i], &range[i]);
		all[i] = range[i].range;
	}
	err = err ?: etcd_read_all(rp->e, all, n, revision, put, rp);
	free(all);
	free(range);
	return err;
}

static int read_all(struct replica *rp, __s64 *revision)
{
	__u64 fixed[RANGES], *id = NULL;
	size_t i;
	int err;

	for (i = 0; i < RANGES; i++)
		fixed[i] = i;
	err = read_ranges(rp, fixed, RANGES, revision);
	interest_free(&rp->interest);
	err = err ?: interest_find(&rp->records, rp->m->host.s, &rp->interest);
	if (!err && rp->interest.n) {
		id = calloc(rp->interest.n, OF_TENANT * sizeof(*id));
		err = id ? 0 : fail_memory();
	}
	for (i = 0; !err && i < rp->interest.n; i++)
		ranges_of(rp->interest.id[i], id + OF_TENANT * i);
	if (!err && rp->interest.n)
		err = read_ranges(rp, id, OF_TENANT * rp->interest.n, revision);
	free(id);
	return err;
}

/* 1: the store is older than before, not the joined one, or has another history. Else an error. */
static int is_another(struct replica *rp, const struct history *was)
{
	const struct etcd_seen *now = etcd_seen(rp->e);
	char id[sizeof(rp->m->store)];
	int is;

	snprintf(id, sizeof(id), "%llx", now->cluster);
	if (strcmp(id, rp->m->store) != 0 || now->revision < rp->revision)
		return 1;
	is = history_is_same(rp->e, was);
	return is < 0 ? is : !is;
}

static void distrust(struct replica *rp)
{
	rp->trusted = false;
	note(rp->log, "etcd's store was replaced or restored: reading all records again; this "
		      "host keeps for now what is gone there");
}

/* Takes the pulses that came before the check. */
static void take_pulses(struct replica *rp)
{
	char key[MEMBER_KEY];
	size_t i;

	for (i = 0; i < rp->records.n; i++) {
		const struct record *record = &rp->records.all[i];
		const struct etcd_entry entry = {
			.key = key, .value = record->value, .modified = record->modified};

		if (record->key[strlen(record->key) - 1] != '/')
			continue;
		snprintf(key, sizeof(key), "/tsw/1/%s/%s", rp->m->cluster.s, record->key);
		history_take(&rp->history, &entry);
	}
}

/* Reads one key, so that a majority of etcd's members confirms it: one alone may be behind. */
static int ask_revision(struct replica *rp)
{
	char key[MEMBER_KEY];
	const struct etcd_range own = {key};
	__s64 revision = 0;

	member_key(rp->m, "host", rp->m->host.s, key);
	return etcd_read(rp->e, &own, &revision, NULL, NULL);
}

int replica_check_store(struct replica *rp)
{
	int is = ask_revision(rp);

	is = is ? is : is_another(rp, &rp->history);
	if (is < 0)
		return is;
	rp->check = false;
	if (is) {
		distrust(rp);
		rp->reread = true;
	} else {
		take_pulses(rp);
	}
	return 0;
}

int replica_read(struct replica *rp)
{
	const struct history was = rp->history;
	__s64 revision;
	int tries = 0, err, another;

	if (rp->w)
		etcd_watch_close(rp->w);
	rp->w = NULL;
	do { /* the revision may be compacted while records are read */
		revision = 0;
		rp->history = (struct history){};
		record_set_free(&rp->records);
		err = read_all(rp, &revision);
	} while (err == -ESTALE && ++tries < TRIES);
	another = err ?: is_another(rp, &was);
	if (another < 0) {
		rp->history = was;
		return another;
	}
	if (another && rp->trusted)
		distrust(rp);
	rp->check = false;
	replica_forget_fresh(rp);
	rp->revision = revision;
	rp->reread = false;
	rp->changed = true;
	return 0;
}

/* ---- following -------------------------------------------------------------------- */

static void add_fresh(struct replica *rp, const char *key)
{
	char *copy = rp->n_fresh < REPLICA_FRESH ? strdup(key) : NULL;

	if (copy)
		rp->fresh[rp->n_fresh++] = copy;
	else
		rp->changed = true;
}

/*
 * `at/HOST/ID/NAME` makes `e/ID/NAME` an endpoint of this host. If that record does not exist
 * (yet), its key is not added, because then it would count as deleted.
 */
static void add_endpoint(struct replica *rp, const char *at)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "e/%s", strchr(at + strlen("at/"), '/') + 1);
	if (record_set_find(&rp->records, key))
		add_fresh(rp, key);
}

void replica_forget_fresh(struct replica *rp)
{
	while (rp->n_fresh)
		free(rp->fresh[--rp->n_fresh]);
}

/* Was the change made by tsw? Then the pulse came before it, with the same revision. */
static bool is_by_tsw(const struct replica *rp, __u64 id, __s64 modified)
{
	const struct record *history;
	char prefix[PREFIX];

	prefix_of(rp, id, prefix);
	history = record_set_find(&rp->records, prefix);
	return history && history->modified == modified;
}

/* Is KEY, `at/HOST/ID/NAME`, of a tenant that concerns this host with or without it? */
static bool is_known(const struct replica *rp, const char *key)
{
	const char *id = strchr(key + strlen("at/"), '/') + 1, *end = strchr(id, '/');
	char prefix[PREFIX];
	size_t i;

	if (!end || !interest_has(&rp->interest, (__u32)strtoul(id, NULL, 10)))
		return false;
	snprintf(prefix, sizeof(prefix), "%.*s", (int)(end + 1 - key), key);
	for (i = record_set_first(&rp->records, prefix); record_set_is_in(&rp->records, i, prefix);
	     i++)
		if (strcmp(rp->records.all[i].key, key))
			return true;
	return false;
}

/* Decides what a change affects: nothing, one key, or perhaps everything. */
static void consider(struct replica *rp, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	const char *key = entry->key + rp->prefix;

	if (key[strlen(key) - 1] == '/')
		return; /* a pulse */
	if (id == RANGE_ALIVE || (id == RANGE_CALL && strcmp(key, "call/accept")))
		return;
	if (id == RANGE_AT && is_known(rp, key)) {
		if (!deleted)
			add_endpoint(rp, key);
		return;
	}
	if (id >= RANGE_ENDPOINTS && (!deleted || is_by_tsw(rp, id, entry->modified)))
		add_fresh(rp, key);
	else
		rp->changed = true;
}

/* After a broken connection etcd may repeat events. */
static bool is_old(const struct replica *rp, const struct etcd_entry *entry)
{
	const struct record *record = record_set_find(&rp->records, entry->key + rp->prefix);

	return record && record->modified >= entry->modified;
}

static void event(void *context, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	struct replica *rp = context;
	int err = 0;

	if (!deleted && is_old(rp, entry))
		return;
	rp->last_event = clock_ns(CLOCK_MONOTONIC);
	if (entry->modified > rp->revision)
		rp->revision = entry->modified;
	if (deleted && !record_set_del(&rp->records, entry->key + rp->prefix, entry->modified))
		return;
	if (!deleted)
		err = put(rp, entry);
	if (err)
		rp->reread = true; /* memory is short, or there are too many records */
	else
		consider(rp, id, entry, deleted);
}

static void lost(void *context, __u64 id, int err)
{
	struct replica *rp = context;

	(void)id, (void)err;
	if (!rp->reread)
		note(rp->log, "reading all records again: %s", failure()->text);
	rp->reread = true;
	rp->resyncs++;
}

/* Logs each reason once. */
void replica_complain(struct replica *rp, int err)
{
	if (err != -EINTR)
		complaints_add_line(&rp->complaints, "%s: %s; this host keeps its present state",
				    etcd_is_away(err) ? "etcd does not answer"
						      : "cannot read the records",
				    failure()->text);
}

static void state(void *context, int err)
{
	struct replica *rp = context;

	if (err) {
		replica_complain(rp, err);
	} else {
		complaints_clear(&rp->complaints);
		if (!rp->connected)
			note(rp->log, "etcd answers");
		rp->check = true;
	}
	rp->connected = !err;
}

static int watch_range(struct replica *rp, __u64 id, __s64 revision)
{
	struct range r;
	int err = range_of(rp, id, &r);

	err = err ?: etcd_watch_add(rp->w, id, &r.range, revision + 1);
	return err == -EEXIST ? 0 : err;
}

static int watch_tenant(struct replica *rp, __u32 tenant)
{
	__u64 id[OF_TENANT];
	int err;

	ranges_of(tenant, id);
	err = watch_range(rp, id[0], rp->revision);
	return err ?: watch_range(rp, id[1], rp->revision);
}

int replica_watch(struct replica *rp)
{
	__u64 id;
	size_t i;
	int err;

	rp->watcher =
		(struct etcd_watcher){.event = event, .lost = lost, .state = state, .context = rp};
	err = etcd_watch_open(rp->e, &rp->watcher, &rp->w);
	for (id = 0; !err && id < RANGES; id++)
		err = watch_range(rp, id, rp->revision);
	for (i = 0; !err && i < rp->interest.n; i++)
		err = watch_tenant(rp, rp->interest.id[i]);
	return err;
}

/* Reads the tenants that concern this host from now on, and follows them. */
static int begin_tenants(struct replica *rp, const struct interest *now)
{
	__u64 *id = calloc(now->n + 1, OF_TENANT * sizeof(*id));
	__s64 revision = 0;
	size_t n = 0, i;
	int err = id ? 0 : fail_memory();

	for (i = 0; !err && i < now->n; i++)
		if (!interest_has(&rp->interest, now->id[i])) {
			ranges_of(now->id[i], id + n);
			n += OF_TENANT;
		}
	if (n)
		err = read_ranges(rp, id, n, &revision);
	for (i = 0; !err && rp->w && i < n; i++)
		err = watch_range(rp, id[i], revision);
	free(id);
	return err;
}

static void end_tenant(struct replica *rp, __u32 id)
{
	__u64 range[OF_TENANT];
	char prefix[PREFIX];
	size_t i;

	ranges_of(id, range);
	for (i = 0; i < OF_TENANT; i++) {
		prefix_of(rp, range[i], prefix);
		if (rp->w)
			etcd_watch_del(rp->w, range[i]);
		record_set_del_prefix(&rp->records, prefix);
	}
}

int replica_update_interest(struct replica *rp)
{
	struct interest now;
	size_t i;
	int err = interest_find(&rp->records, rp->m->host.s, &now);

	err = err ?: begin_tenants(rp, &now);
	if (err) {
		interest_free(&now);
		rp->reread = true;
		return err;
	}
	for (i = 0; i < rp->interest.n; i++)
		if (!interest_has(&now, rp->interest.id[i]))
			end_tenant(rp, rp->interest.id[i]);
	interest_free(&rp->interest);
	rp->interest = now;
	return 0;
}

int replica_open(struct replica *rp, const struct member *m, const struct log *log,
		 unsigned int timeout_ms)
{
	struct member any = *m;

	*any.store = '\0'; /* follows another store, too, but does not trust it: is_another() */
	*rp = (struct replica){.m = m, .log = log, .complaints.log = log, .trusted = true};
	rp->prefix = strlen("/tsw/1//") + strlen(m->cluster.s);
	return member_connect(&any, timeout_ms, &rp->e);
}

void replica_close(struct replica *rp)
{
	if (rp->w)
		etcd_watch_close(rp->w);
	etcd_close(rp->e);
	replica_forget_fresh(rp);
	record_set_free(&rp->records);
	interest_free(&rp->interest);
	complaints_free(&rp->complaints);
}
