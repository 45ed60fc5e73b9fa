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
#include "base/parse.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/record.h"
#include "record/fields.h"
#include "record/policy_spec.h"

enum {
	TRIES = 16,	/* of a change that others' came before */
	PAUSE_MS = 100, /* at most, between them */
	REST_S = 60,	/* so long nobody gets by `auto` what was given up */
	REST_NEW_S = 1, /* so old a lease may be when something more is put under it */
	ROOM = 16,
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

void record_key(const struct records *r, char key[MEMBER_KEY], const char *format, ...)
{
	va_list words;

	va_start(words, format);
	make_key(r, key, format, words);
	va_end(words);
}

struct record_range record_range(const struct records *r, const char *format, ...)
{
	struct record_range range = {};
	va_list words;

	va_start(words, format);
	make_key(r, range.key, format, words);
	va_end(words);
	etcd_prefix_end(range.key, range.end, sizeof(range.end)); /* it ends in a slash */
	/* No name begins with less, see parse_name(). */
	strncat(range.key, "!", sizeof(range.key) - strlen(range.key) - 1);
	return range;
}

const char *record_name(const char *key)
{
	const char *last = strrchr(key, '/');

	return last ? last + 1 : key;
}

void record_pulse(const struct records *r, struct change *c, const char *format, ...)
{
	char key[MEMBER_KEY];
	va_list words;

	va_start(words, format);
	make_key(r, key, format, words);
	va_end(words);
	change_pulse(c, key, r->m.host.s);
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
	[OBJECT_TENANT] = {tenant_fields, F(TENANT_GATEWAY) - 1, F(TENANT_NAME) | F(TENANT_ID)},
	[OBJECT_GROUP] = {group_fields, ~0ULL, F(GROUP_NAME)},
	[OBJECT_ENDPOINT] = {endpoint_fields, ~F(ENDPOINT_TENANT),
			     F(ENDPOINT_NAME) | F(ENDPOINT_MAC) | F(ENDPOINT_HOST)},
	[OBJECT_GATEWAY] = {gateway_fields, GATEWAY_IN_FILE, F(GATEWAY_IP)},
	[OBJECT_PUBLISH] = {publish_fields, ~0ULL,
			    F(PUBLISH_PROTO) | F(PUBLISH_PORT) | F(PUBLISH_TO)},
	[OBJECT_PEER] = {peer_fields, ~0ULL, F(PEER_TENANT) | F(PEER_WITH)},
	[OBJECT_POLICY] = {policy_fields, ~0ULL, F(POLICY_NAME) | F(POLICY_FROM) | F(POLICY_TO)},
};

/* `policy/ID/rule/NAME` */
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

/* What the fields alone do not tell. */
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

int record_read_at(enum object_kind kind, const char *key, const char *text, void *spec,
		   const struct tsw_name *name)
{
	int err = record_read(kind, text, spec);

	if (!err && name && strcmp(name->s, record_name(key)))
		err = fail(EINVAL, "it is that of %s", quoted(name->s));
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

/* ---- looking ---------------------------------------------------------------------- */

static size_t add(struct look *l, const char *key, const char *end)
{
	struct seen *grown;

	if (l->n % ROOM == 0) {
		grown = reallocarray(l->at, l->n + ROOM, sizeof(*grown));
		if (!grown) {
			l->err = fail_memory();
			return 0;
		}
		l->at = grown;
	}
	l->at[l->n] = (struct seen){.key = strdup(key), .end = end ? strdup(end) : NULL};
	if (!l->at[l->n].key || (end && !l->at[l->n].end))
		l->err = fail_memory();
	return l->n++;
}

size_t look_at(struct look *l, const char *key)
{
	return add(l, key, NULL);
}

size_t look_count(struct look *l, const struct record_range *range)
{
	return add(l, range->key, range->end);
}

struct looking {
	struct look *l;
	size_t next, end;
	int err;
};

/* They come in the order in which they were asked for, without those that are not there. */
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

int record_get(const struct records *r, const char *key, char **value, __s64 *modified)
{
	struct look look = {};
	int err;

	*value = NULL;
	*modified = 0;
	look_at(&look, key);
	err = look_read(r, &look);
	if (!err) {
		*value = look.at[0].value;
		*modified = look.at[0].modified;
		look.at[0].value = NULL;
	}
	look_end(&look);
	return err;
}

int records_each(const struct records *r, const struct record_range *range, __s64 *revision,
		 etcd_each *each, void *context)
{
	const struct etcd_range all = {range->key, range->end};

	return etcd_read(r->e, &all, revision, each, context);
}

struct reading {
	etcd_each *each;
	void *context;
	__s64 pulse; /* 0: the record has none */
};

static int read_one(void *context, const struct etcd_entry *entry)
{
	struct reading *reading = context;

	if (*record_name(entry->key))
		return reading->each(reading->context, entry);
	reading->pulse = entry->modified;
	return 0;
}

int records_read(const struct records *r, struct change *c, etcd_each *each, void *context,
		 const char *format, ...)
{
	struct reading reading = {each, context, 0};
	char key[MEMBER_KEY], end[MEMBER_KEY];
	const struct etcd_range all = {key, end};
	__s64 revision = 0;
	va_list words;
	int err;

	va_start(words, format);
	make_key(r, key, format, words);
	va_end(words);
	err = etcd_prefix_end(key, end, sizeof(end));
	err = err ?: etcd_read(r->e, &all, &revision, read_one, &reading);
	if (!err && c)
		change_check(c, key, reading.pulse);
	return err;
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
		/* Those who change the same need not meet again. */
		if (tries)
			poll(NULL, 0, (int)etcd_jitter(PAUSE_MS));
		err = try_once(r, once, refuse, context, tries > 0);
	} while (err == -EAGAIN && ++tries < TRIES);
	return err == -EAGAIN ? fail(EAGAIN, "others change the same all the time: try it again")
			      : err;
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
