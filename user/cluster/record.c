// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/record.h"
#include "record/fields.h"
#include "record/policy_spec.h"

enum {
	TRIES = 16,	/* of a change */
	PAUSE_MS = 100, /* between two tries, at most */
	REST_S = 60,	/* the lease of an address that was given up */
	REST_NEW_S = 1, /* after that a lease is too old for more addresses */
};

int records_open(const char *instance, unsigned int wait_ms, struct records **opened)
{
	struct records *r = calloc(1, sizeof(*r));
	int err = r ? member_read(instance, &r->m) : fail_memory();

	err = err ?: member_open(&r->m, wait_ms, &r->e);
	if (err)
		records_close(r);
	*opened = err ? NULL : r;
	return err;
}

void records_wait(struct records *r, unsigned int wait_ms)
{
	etcd_renew(r->e, wait_ms);
}

void records_close(struct records *r)
{
	if (r)
		etcd_close(r->e);
	free(r);
}

/* ---- keys ------------------------------------------------------------------------- */

static void make_key(const struct records *r, char key[MEMBER_KEY], const char *format,
		     va_list words)
{
	char text[MEMBER_KEY], *name;

	vsnprintf(text, sizeof(text), format, words);
	name = strchr(text, '/');
	if (name)
		*name++ = '\0';
	member_key(&r->m, text, name ? name : "", key);
}

/* KEY of the words behind FORMAT, which is the caller's last named parameter. */
#define MAKE_KEY(r, key, format)                       \
	do {                                           \
		va_list words;                         \
		va_start(words, format);               \
		make_key((r), (key), (format), words); \
		va_end(words);                         \
	} while (0)

void record_key(const struct records *r, char key[MEMBER_KEY], const char *format, ...)
{
	MAKE_KEY(r, key, format);
}

bool record_is_at(const struct records *r, const char *key, const char *format, ...)
{
	char its[MEMBER_KEY];

	MAKE_KEY(r, its, format);
	return !strcmp(key, its);
}

/* The prefix in KEY becomes the range of all keys below it. */
static void end_range(struct record_range *range)
{
	etcd_prefix_end(range->key, range->end, sizeof(range->end));
	/* No name begins with a lower octet, see parse_name(). */
	strncat(range->key, "!", sizeof(range->key) - strlen(range->key) - 1);
}

struct record_range record_range(const struct records *r, const char *format, ...)
{
	struct record_range range = {};

	MAKE_KEY(r, range.key, format);
	end_range(&range);
	return range;
}

const char *record_name(const char *key)
{
	const char *last = strrchr(key, '/');

	return last ? last + 1 : key;
}

/* ---- values ----------------------------------------------------------------------- */

const char *const record_prefixes[OBJECT_KINDS] = {
	[OBJECT_HOST] = "host/",  [OBJECT_TENANT] = "tenant/",	 [OBJECT_GROUP] = "policy/",
	[OBJECT_ENDPOINT] = "e/", [OBJECT_GATEWAY] = "gateway/", [OBJECT_PUBLISH] = "publish/",
	[OBJECT_PEER] = "peer/",  [OBJECT_POLICY] = "policy/",
};

#define F FIELD

static const struct json_keys kinds[] = {
	[OBJECT_HOST] = {host_fields, F(HOST_NAME) | HOST_TOLD, F(HOST_NAME) | F(HOST_IP)},
	[OBJECT_TENANT] = {tenant_fields, ~TENANT_PARTS, F(TENANT_NAME) | F(TENANT_ID)},
	[OBJECT_GROUP] = {group_fields, ~0ULL, F(GROUP_NAME)},
	[OBJECT_ENDPOINT] = {endpoint_fields, ~F(ENDPOINT_TENANT),
			     F(ENDPOINT_NAME) | F(ENDPOINT_MAC) | F(ENDPOINT_HOST)},
	[OBJECT_GATEWAY] = {gateway_fields, GATEWAY_IN_FILE, F(GATEWAY_IP)},
	[OBJECT_PUBLISH] = {publish_fields, ~0ULL,
			    F(PUBLISH_PROTO) | F(PUBLISH_PORT) | F(PUBLISH_TO)},
	[OBJECT_PEER] = {peer_fields, ~0ULL, F(PEER_TENANT) | F(PEER_WITH)},
	[OBJECT_POLICY] = {policy_fields, ~0ULL, F(POLICY_NAME) | F(POLICY_FROM) | F(POLICY_TO)},
};

/* Is it `policy/ID/rule/NAME`? */
static bool is_rule(const char *key)
{
	static const char part[] = "/rule";
	const char *end = strrchr(key, '/');

	return end && end - key > (int)strlen(part) &&
	       !strncmp(end - strlen(part), part, strlen(part));
}

bool record_is_kind(enum object_kind kind, const char *key)
{
	return (kind != OBJECT_GROUP && kind != OBJECT_POLICY) ||
	       is_rule(key) == (kind == OBJECT_POLICY);
}

/* Checks what the fields alone do not say. */
static int check(enum object_kind kind, const void *spec)
{
	const struct tsw_name *group = spec;
	struct tsw_name unused;

	if (kind == OBJECT_POLICY)
		return policy_spec_check(spec);
	return kind == OBJECT_GROUP ? parse_group(group->s, &unused) : 0;
}

int record_read(enum object_kind kind, const char *text, void *spec)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int err = json ? fields_read(json, NULL, kinds[kind], spec, NULL)
		       : fail(EINVAL, "%s is no JSON", quoted(text));

	json_decref(json);
	return err ?: check(kind, spec);
}

int record_read_at(enum object_kind kind, const char *key, const char *text, void *spec)
{
	static const bool is_named[OBJECT_KINDS] = {[OBJECT_HOST] = true,
						    [OBJECT_TENANT] = true,
						    [OBJECT_GROUP] = true,
						    [OBJECT_ENDPOINT] = true,
						    [OBJECT_POLICY] = true};
	const struct tsw_name *name = spec; /* the first member of all of these */
	int err = record_read(kind, text, spec);

	if (!err && is_named[kind] && strcmp(name->s, record_name(key)))
		err = fail(EINVAL, "its value has the name %s", quoted(name->s));
	if (err)
		fail_more("; in the record %s", key);
	return err;
}

char *record_text(enum object_kind kind, const void *spec)
{
	const struct tsw_peer_spec *peer = spec;
	__u64 mask = kinds[kind].may;
	json_t *json;
	char *text;

	if (kind == OBJECT_PEER && !peer->port)
		mask &= ~PEER_SERVICE;
	json = fields_json(kinds[kind].fields, mask, spec);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	if (!text)
		fail_memory();
	return text;
}

/* ---- looking ---------------------------------------------------------------------- */

static size_t add(struct look *l, const char *key, const char *end)
{
	struct seen *next = list_grow(&l->at, &l->n, sizeof(*next));

	if (!next) {
		l->err = -ENOMEM;
		return 0;
	}
	*next = (struct seen){.key = strdup(key), .end = end ? strdup(end) : NULL};
	if (!next->key || (end && !next->end))
		l->err = fail_memory();
	return l->n - 1;
}

size_t look_at_key(struct look *l, const char *key)
{
	return add(l, key, NULL);
}

size_t look_at(struct look *l, const struct records *r, const char *format, ...)
{
	char key[MEMBER_KEY];

	MAKE_KEY(r, key, format);
	return add(l, key, NULL);
}

size_t look_count(struct look *l, const struct records *r, const char *format, ...)
{
	struct record_range range = {};

	MAKE_KEY(r, range.key, format);
	end_range(&range);
	return add(l, range.key, range.end);
}

struct looking {
	struct look *l;
	size_t next, end;
	int err;
};

/* Entries come in the order of the requests, without keys that do not exist. */
static int take(void *context, const struct etcd_entry *entry)
{
	struct looking *looking = context;
	struct seen *seen;

	while (looking->next < looking->end) {
		seen = &looking->l->at[looking->next++];
		if (strcmp(seen->key, entry->key))
			continue;
		seen->modified = entry->modified;
		seen->value = strdup(entry->value);
		if (!seen->value)
			looking->err = fail_memory();
		break;
	}
	return 0;
}

static int read_some(const struct records *r, struct look *l, size_t from, size_t n)
{
	struct looking looking = {l, from, from + n, 0};
	struct etcd_op get[ETCD_OPS] = {};
	const struct etcd_txn txn = {.then = get, .n_then = n, .each = take, .context = &looking};
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		get[i].kind = ETCD_GET;
		get[i].range = (struct etcd_range){l->at[from + i].key, l->at[from + i].end};
		get[i].count = l->at[from + i].end ? &l->at[from + i].count : NULL;
	}
	err = etcd_commit(r->e, &txn, NULL);
	return err < 0 ? err : looking.err;
}

int look_read(const struct records *r, struct look *l)
{
	size_t i, n;
	int err = l->err;

	for (i = 0; !err && i < l->n; i += n) {
		n = l->n - i < ETCD_OPS ? l->n - i : ETCD_OPS;
		err = read_some(r, l, i, n);
	}
	return err;
}

void look_end(struct look *l)
{
	while (l->n) {
		l->n--;
		free(l->at[l->n].key);
		free(l->at[l->n].end);
		free(l->at[l->n].value);
	}
	free(l->at);
	*l = (struct look){};
}

struct reading {
	etcd_each *each;
	void *context;
	__s64 pulse; /* revision of the last pulse that was left out; 0: none */
};

static int read_one(void *context, const struct etcd_entry *entry)
{
	struct reading *reading = context;

	if (*record_name(entry->key))
		return reading->each(reading->context, entry);
	reading->pulse = entry->modified;
	return 0;
}

static int read_prefix(const struct records *r, const char *key, __s64 *revision,
		       struct reading *reading)
{
	char end[MEMBER_KEY];
	const struct etcd_range all = {key, end};
	int err = etcd_prefix_end(key, end, sizeof(end));

	return err ?: etcd_read(r->e, &all, revision, read_one, reading);
}

int records_read(const struct records *r, struct change *c, etcd_each *each, void *context,
		 const char *format, ...)
{
	struct reading reading = {each, context, 0};
	char key[MEMBER_KEY];
	__s64 revision = 0;
	int err;

	MAKE_KEY(r, key, format);
	err = read_prefix(r, key, &revision, &reading);
	if (!err && c)
		change_check(c, key, reading.pulse);
	return err;
}

int records_each(const struct records *r, __s64 *revision, etcd_each *each, void *context,
		 const char *format, ...)
{
	struct reading reading = {each, context, 0};
	char key[MEMBER_KEY];

	MAKE_KEY(r, key, format);
	return read_prefix(r, key, revision, &reading);
}

/* ---- changing --------------------------------------------------------------------- */

static int try_once(struct records *r, record_try *once, record_refusal *refuse, void *context,
		    bool again)
{
	struct change c;
	int err;

	change_begin(&c);
	err = once(r, context, again, &c);
	if (!err && c.n_steps) {
		err = change_commit(r->e, &c, NULL);
		if (err == -EEXIST && *c.key)
			err = refuse ? refuse(r, context, &c) : -EAGAIN;
	}
	change_end(&c);
	return err;
}

int record_change(struct records *r, record_try *once, record_refusal *refuse, void *context)
{
	int err, tries = 0;

	do {
		/* A random pause, so that two changes of the same records do not meet again. */
		if (tries)
			poll(NULL, 0, (int)etcd_jitter(PAUSE_MS));
		err = try_once(r, once, refuse, context, tries > 0);
	} while (err == -EAGAIN && ++tries < TRIES);
	return err == -EAGAIN ? fail(EAGAIN,
				     "others change the same records all the time: try again later")
			      : err;
}

void record_pulse(const struct records *r, struct change *c, const char *format, ...)
{
	char key[MEMBER_KEY];

	MAKE_KEY(r, key, format);
	change_pulse(c, key, r->m.host.s);
}

int record_put(struct change *c, enum object_kind kind, const char *key, const void *spec,
	       __s64 modified)
{
	char *text = record_text(kind, spec);

	if (!text)
		return -ENOMEM;
	change_put(c, key, text, modified);
	free(text);
	return 0;
}

void record_check(const struct records *r, struct change *c, __s64 modified, const char *format,
		  ...)
{
	char key[MEMBER_KEY];

	MAKE_KEY(r, key, format);
	change_check(c, key, modified);
}

void record_clear(const struct records *r, struct change *c, const char *format, ...)
{
	struct record_range range = {};

	MAKE_KEY(r, range.key, format);
	end_range(&range);
	change_clear(c, range.key, range.end);
}

int record_rest(struct records *r, __s64 *lease)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);
	int err = 0;

	if (!r->lease || now >= r->lease_old) {
		r->lease_old = now + REST_NEW_S * SECOND_NS;
		err = etcd_lease(r->e, REST_S, &r->lease);
	}
	if (err)
		r->lease = 0;
	*lease = r->lease;
	return err;
}
