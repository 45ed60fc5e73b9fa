// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/follow.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

enum { TRIES = 5, PREFIX = 128 };

/* Ranges by number; a tenant's endpoints, and its groups and rules, have its id above. */
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
	RANGES
};
#define RANGE_ENDPOINTS (1ULL << 32)
#define RANGE_POLICIES (2ULL << 32)
enum { OF_TENANT = 2 }; /* these two */

static const char *const prefixes[RANGES] = {"host/",  "tenant/", "gateway/", "publish/", "peer/",
					     "at/%s/", "call/",	  "vni/",     "vtep/"};

/* What range ID is, behind the cluster's prefix. */
static void prefix_of(const struct follow *f, __u64 id, char prefix[PREFIX])
{
	if (id >= RANGE_POLICIES)
		snprintf(prefix, PREFIX, "policy/%u/", (__u32)id);
	else if (id >= RANGE_ENDPOINTS)
		snprintf(prefix, PREFIX, "e/%u/", (__u32)id);
	else if (id == RANGE_AT)
		snprintf(prefix, PREFIX, "at/%s/", f->m->host.s);
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

static int range_of(const struct follow *f, __u64 id, struct range *r)
{
	char prefix[PREFIX];

	prefix_of(f, id, prefix);
	snprintf(r->key, sizeof(r->key), "/tsw/1/%s/%s", f->m->cluster.s, prefix);
	r->range = (struct etcd_range){r->key, r->end};
	return etcd_prefix_end(r->key, r->end, sizeof(r->end));
}

/* ---- reading ---------------------------------------------------------------------- */

static int put(void *context, const struct etcd_entry *entry)
{
	struct follow *f = context;
	const struct record record = {(char *)entry->key + f->prefix, entry->value, entry->modified,
				      entry->lease};

	/* Those of a new connection may be of another history. */
	if (!f->w || (f->connected && !f->check))
		pulse_take(&f->pulse, entry);
	return mirror_put(&f->records, &record);
}

/* Those N ranges, by their numbers; of none of them anything is known yet. */
static int read_ranges(struct follow *f, const __u64 *id, size_t n, __s64 *revision)
{
	struct etcd_range *all = calloc(n + 1, sizeof(*all));
	struct range *range = calloc(n + 1, sizeof(*range));
	int err = all && range ? 0 : fail_memory();
	size_t i;

	for (i = 0; !err && i < n; i++) {
		err = range_of(f, id[i], &range[i]);
		all[i] = range[i].range;
	}
	err = err ?: etcd_read_all(f->e, all, n, revision, put, f);
	free(all);
	free(range);
	return err;
}

static int read_all(struct follow *f, __s64 *revision)
{
	static const __u64 fixed[] = {RANGE_HOST,    RANGE_TENANT, RANGE_GATEWAY,
				      RANGE_PUBLISH, RANGE_PEER,   RANGE_AT,
				      RANGE_CALL,    RANGE_VNI,	   RANGE_VTEP};
	__u64 *id = NULL;
	size_t i;
	int err = read_ranges(f, fixed, RANGES, revision);

	interest_free(&f->interest);
	err = err ?: want_interest(&f->records, f->m->host.s, &f->interest);
	if (!err && f->interest.n) {
		id = calloc(f->interest.n, OF_TENANT * sizeof(*id));
		err = id ? 0 : fail_memory();
	}
	for (i = 0; !err && i < f->interest.n; i++)
		ranges_of(f->interest.id[i], id + OF_TENANT * i);
	if (!err && f->interest.n)
		err = read_ranges(f, id, OF_TENANT * f->interest.n, revision);
	free(id);
	return err;
}

/* 1: the store is behind what it was, another than was joined, or of another history; errors. */
static int is_another(struct follow *f, const struct pulse *was)
{
	const struct etcd_seen *now = etcd_seen(f->e);
	char id[sizeof(f->m->store)];
	int is;

	snprintf(id, sizeof(id), "%llx", now->cluster);
	if (strcmp(id, f->m->store) != 0 || now->revision < f->revision)
		return 1;
	is = pulse_is_there(f->e, was);
	return is < 0 ? is : !is;
}

static void distrust(struct follow *f)
{
	f->trusted = false;
	note(f->log, "etcd's store is another than it was: all is read again, and what is gone "
		     "there stays here for now");
}

/* Those that came before the check was done. */
static void take_pulses(struct follow *f)
{
	char key[MEMBER_KEY];
	size_t i;

	for (i = 0; i < f->records.n; i++) {
		const struct record *record = &f->records.all[i];
		const struct etcd_entry entry = {
			.key = key, .value = record->value, .modified = record->modified};

		if (record->key[strlen(record->key) - 1] != '/')
			continue;
		snprintf(key, sizeof(key), "/tsw/1/%s/%s", f->m->cluster.s, record->key);
		pulse_take(&f->pulse, &entry);
	}
}

/* By one key, which all members of etcd have to agree about: others may be behind. */
static int ask_revision(struct follow *f)
{
	char key[MEMBER_KEY];
	const struct etcd_range own = {key};
	__s64 revision = 0;

	member_key(f->m, "host", f->m->host.s, key);
	return etcd_read(f->e, &own, &revision, NULL, NULL);
}

int follow_check(struct follow *f)
{
	int is = ask_revision(f);

	is = is ? is : is_another(f, &f->pulse);
	if (is < 0)
		return is;
	f->check = false;
	if (is) {
		distrust(f);
		f->again = true;
	} else {
		take_pulses(f);
	}
	return 0;
}

int follow_read(struct follow *f)
{
	const struct pulse was = f->pulse;
	__s64 revision;
	int tries = 0, err, another;

	if (f->w)
		etcd_watch_close(f->w);
	f->w = NULL;
	do { /* what is read for long may be compacted meanwhile */
		revision = 0;
		f->pulse = (struct pulse){};
		mirror_free(&f->records);
		err = read_all(f, &revision);
	} while (err == -ESTALE && ++tries < TRIES);
	another = err ?: is_another(f, &was);
	if (another < 0) {
		f->pulse = was;
		return another;
	}
	if (another && f->trusted)
		distrust(f);
	f->check = false;
	follow_seen(f);
	f->revision = revision;
	f->again = false;
	f->changed = true;
	return 0;
}

/* ---- following -------------------------------------------------------------------- */

static void add_fresh(struct follow *f, const char *key)
{
	char *copy = f->n_fresh < FOLLOW_FRESH ? strdup(key) : NULL;

	if (copy)
		f->fresh[f->n_fresh++] = copy;
	else
		f->changed = true;
}

/*
 * `at/HOST/ID/NAME` makes `e/ID/NAME` this host's own. Where that is not there (yet), nothing
 * follows from it: a missing record would be taken for one that is deleted.
 */
static void add_endpoint(struct follow *f, const char *at)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "e/%s", strchr(at + strlen("at/"), '/') + 1);
	if (mirror_find(&f->records, key))
		add_fresh(f, key);
}

void follow_seen(struct follow *f)
{
	while (f->n_fresh)
		free(f->fresh[--f->n_fresh]);
}

/* The pulse of a prefix is put before all else of its transaction. */
static bool is_by_tsw(const struct follow *f, __u64 id, __s64 modified)
{
	const struct record *pulse;
	char prefix[PREFIX];

	prefix_of(f, id, prefix);
	pulse = mirror_find(&f->records, prefix);
	return pulse && pulse->modified == modified;
}

/* `at/HOST/ID/NAME` of a tenant that concerns this host and goes on to. */
static bool is_known(const struct follow *f, const char *key)
{
	const char *id = strchr(key + strlen("at/"), '/') + 1, *end = strchr(id, '/');
	char prefix[PREFIX];
	size_t i;

	if (!end || !interest_has(&f->interest, (__u32)strtoul(id, NULL, 10)))
		return false;
	snprintf(prefix, sizeof(prefix), "%.*s", (int)(end + 1 - key), key);
	for (i = mirror_first(&f->records, prefix); mirror_is_in(&f->records, i, prefix); i++)
		if (strcmp(f->records.all[i].key, key))
			return true;
	return false;
}

/* What follows from it: nothing, one endpoint, group or rule, or perhaps anything. */
static void consider(struct follow *f, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	const char *key = entry->key + f->prefix;

	if (key[strlen(key) - 1] == '/')
		return; /* a pulse */
	if (id == RANGE_CALL && strcmp(key, "call/accept"))
		return;
	if (id == RANGE_AT && is_known(f, key)) {
		if (!deleted)
			add_endpoint(f, key);
		return;
	}
	if (id >= RANGE_ENDPOINTS && (!deleted || is_by_tsw(f, id, entry->modified)))
		add_fresh(f, key);
	else
		f->changed = true;
}

/* Behind a connection that broke some are told again. */
static bool is_known_already(const struct follow *f, const struct etcd_entry *entry)
{
	const struct record *record = mirror_find(&f->records, entry->key + f->prefix);

	return record && record->modified >= entry->modified;
}

static void event(void *context, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	struct follow *f = context;
	int err = 0;

	if (!deleted && is_known_already(f, entry))
		return;
	f->last_event = clock_ns(CLOCK_MONOTONIC);
	if (entry->modified > f->revision)
		f->revision = entry->modified;
	if (deleted && !mirror_del(&f->records, entry->key + f->prefix, entry->modified))
		return;
	if (!deleted)
		err = put(f, entry);
	if (err)
		f->again = true; /* no memory, or too much */
	else
		consider(f, id, entry, deleted);
}

static void mark(void *context, __u64 id, __s64 revision)
{
	(void)context, (void)id, (void)revision;
}

static void lost(void *context, __u64 id, int err)
{
	struct follow *f = context;

	(void)id, (void)err;
	if (!f->again)
		note(f->log, "all records are read again: %s", failure()->text);
	f->again = true;
	f->resyncs++;
}

/* Each reason once. One that answers, and refuses, is there. */
bool follow_fails(struct follow *f, int err)
{
	const bool silent = err == -EHOSTUNREACH || err == -ETIMEDOUT;
	char text[1100];

	if (err == -EINTR)
		return false;
	snprintf(text, sizeof(text), "%s: %s; this host goes on with what it has",
		 silent ? "etcd does not answer" : "the records cannot be read", failure()->text);
	told_line(&f->told, text);
	return silent;
}

static void state(void *context, int err)
{
	struct follow *f = context;

	if (err) {
		follow_fails(f, err);
	} else {
		told_over(&f->told);
		if (!f->connected)
			note(f->log, "etcd answers");
		f->check = true;
	}
	f->connected = !err;
}

static int watch_range(struct follow *f, __u64 id, __s64 revision)
{
	struct range r;
	int err = range_of(f, id, &r);

	err = err ?: etcd_watch_add(f->w, id, &r.range, revision + 1);
	return err == -EEXIST ? 0 : err;
}

static int watch_tenant(struct follow *f, __u32 tenant)
{
	__u64 id[OF_TENANT];
	int err;

	ranges_of(tenant, id);
	err = watch_range(f, id[0], f->revision);
	return err ?: watch_range(f, id[1], f->revision);
}

int follow_watch(struct follow *f)
{
	__u64 id;
	size_t i;
	int err;

	f->watcher = (struct etcd_watcher){event, mark, lost, state, f};
	err = etcd_watch_open(f->e, &f->watcher, &f->w);
	for (id = 0; !err && id < RANGES; id++)
		err = watch_range(f, id, f->revision);
	for (i = 0; !err && i < f->interest.n; i++)
		err = watch_tenant(f, f->interest.id[i]);
	return err;
}

/* What begins to concern us is read now, and followed from there on. */
static int begin_tenants(struct follow *f, const struct interest *now)
{
	__u64 *id = calloc(now->n + 1, OF_TENANT * sizeof(*id));
	__s64 revision = 0;
	size_t n = 0, i;
	int err = id ? 0 : fail_memory();

	for (i = 0; !err && i < now->n; i++)
		if (!interest_has(&f->interest, now->id[i])) {
			ranges_of(now->id[i], id + n);
			n += OF_TENANT;
		}
	if (n)
		err = read_ranges(f, id, n, &revision);
	for (i = 0; !err && f->w && i < n; i++)
		err = watch_range(f, id[i], revision);
	free(id);
	return err;
}

static void end_tenant(struct follow *f, __u32 id)
{
	__u64 range[OF_TENANT];
	char prefix[PREFIX];
	size_t i;

	ranges_of(id, range);
	for (i = 0; i < OF_TENANT; i++) {
		prefix_of(f, range[i], prefix);
		if (f->w)
			etcd_watch_del(f->w, range[i]);
		mirror_del_prefix(&f->records, prefix);
	}
}

int follow_interest(struct follow *f)
{
	struct interest now;
	size_t i;
	int err = want_interest(&f->records, f->m->host.s, &now);

	err = err ?: begin_tenants(f, &now);
	if (err) {
		interest_free(&now);
		f->again = true;
		return err;
	}
	for (i = 0; i < f->interest.n; i++)
		if (!interest_has(&now, f->interest.id[i]))
			end_tenant(f, f->interest.id[i]);
	interest_free(&f->interest);
	f->interest = now;
	return 0;
}

int follow_open(struct follow *f, const struct member *m, const struct log *log,
		unsigned int timeout_ms)
{
	struct member any = *m;

	*any.store = '\0'; /* another store is followed, too, and not trusted: is_another() */
	*f = (struct follow){.m = m, .log = log, .told.log = log, .trusted = true};
	f->prefix = strlen("/tsw/1//") + strlen(m->cluster.s);
	return member_connect(&any, timeout_ms, &f->e);
}

void follow_close(struct follow *f)
{
	if (f->w)
		etcd_watch_close(f->w);
	etcd_close(f->e);
	follow_seen(f);
	mirror_free(&f->records);
	interest_free(&f->interest);
	told_free(&f->told);
}
