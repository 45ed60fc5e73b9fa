// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/hosts.h"
#include "record/fields.h"

enum {
	TRIES = 8,	/* of a change that somebody else's came before */
	PAUSE_MS = 100, /* at most, between them */
	CLAIMS = 16,	/* of one host: one a family, and what was left behind */
};

static int spec_of(const char *text, struct tsw_host_spec *spec)
{
	const struct json_keys keys = {host_fields, FIELD(HOST_NAME) | FIELD(HOST_IP),
				       FIELD(HOST_NAME) | FIELD(HOST_IP)};
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	int err;

	memset(spec, 0, sizeof(*spec));
	err = json ? fields_read(json, NULL, keys, spec, NULL)
		   : fail(EINVAL, "%s is no record of a host", quoted(text));
	json_decref(json);
	return err;
}

static char *text_of(const struct member *m, const struct tsw_addr_pair *ip)
{
	const struct tsw_host_spec spec = {m->host, *ip};
	json_t *json = fields_json(host_fields, FIELD(HOST_NAME) | FIELD(HOST_IP), &spec);
	char *text = json_dumps(json, JSON_COMPACT);

	json_decref(json);
	return text;
}

/* What is there of a host: its record, and all claims that are its own. */
struct there {
	const struct member *m;
	char record[CHANGE_TEXT];
	__s64 modified; /* 0: it has no record */
	struct {
		char key[CHANGE_TEXT];
		__s64 modified;
	} claim[CLAIMS];
	size_t n_claims;
};

static int take_record(void *context, const struct etcd_entry *entry)
{
	struct there *there = context;

	snprintf(there->record, sizeof(there->record), "%s", entry->value);
	there->modified = entry->modified;
	return 0;
}

static int take_claim(void *context, const struct etcd_entry *entry)
{
	struct there *there = context;
	char owner[CHANGE_TEXT];

	claim_read(entry->value, owner, NULL);
	if (strcmp(owner, there->m->host.s) || there->n_claims == CLAIMS)
		return 0;
	snprintf(there->claim[there->n_claims].key, CHANGE_TEXT, "%s", entry->key);
	there->claim[there->n_claims++].modified = entry->modified;
	return 0;
}

/*
 * Of one revision, so that record and claims belong together. Claims are looked for by their owner:
 * somebody may have deleted the record.
 */
static int look(struct etcd *e, const struct member *m, struct there *there)
{
	char key[MEMBER_KEY], end[MEMBER_KEY];
	struct etcd_range range = {key};
	__s64 revision = 0;
	int err;

	*there = (struct there){.m = m};
	member_key(m, "host", m->host.s, key);
	err = etcd_read(e, &range, &revision, take_record, there);
	member_key(m, "vtep", "", key);
	range.end = end;
	err = err ?: etcd_prefix_end(key, end, sizeof(end));
	return err ?: etcd_read(e, &range, &revision, take_claim, there);
}

/* Its claims are to be those of IP and no others; NULL: none. */
static void add_claims(struct change *c, const struct there *there, const struct tsw_addr_pair *ip)
{
	bool has[TSW_FAMILIES] = {};
	char key[MEMBER_KEY];
	int family;
	size_t i;

	for (i = 0; i < there->n_claims; i++) {
		bool wanted = false;

		for (family = 0; ip && family < TSW_FAMILIES; family++) {
			member_key(there->m, "vtep", addr_text(&ip->of[family]), key);
			if (addr_is_none(&ip->of[family]) || strcmp(key, there->claim[i].key))
				continue;
			wanted = has[family] = true;
		}
		if (!wanted)
			change_del(c, there->claim[i].key, there->claim[i].modified);
	}
	for (family = 0; ip && family < TSW_FAMILIES; family++) {
		if (addr_is_none(&ip->of[family]) || has[family])
			continue;
		member_key(there->m, "vtep", addr_text(&ip->of[family]), key);
		change_claim(c, key, there->m->host.s);
	}
}

static void add_pulse(struct change *c, const struct member *m)
{
	char key[MEMBER_KEY];

	member_key(m, "host", "", key);
	change_pulse(c, key, m->host.s);
}

static int in_the_way(const struct member *m, const struct change *c)
{
	const char *name = strrchr(c->key, '/');

	if (!*c->owner)
		return -EAGAIN; /* a record came meanwhile: look at it */
	return fail(EEXIST, "%s is host %s's, in cluster %s", name ? name + 1 : c->key,
		    quoted(c->owner), quoted(m->cluster.s));
}

/* A try: -EAGAIN where what was read is not so any more. */
static int put(struct etcd *e, const struct member *m, const struct tsw_addr_pair *ip, bool again)
{
	char key[MEMBER_KEY], *text;
	struct there there;
	struct change c;
	int err = look(e, m, &there);

	if (err)
		return err;
	text = text_of(m, ip);
	if (!text)
		return fail(ENOMEM, "no memory");
	member_key(m, "host", m->host.s, key);
	change_begin(&c);
	add_claims(&c, &there, ip);
	if (there.modified && !strcmp(there.record, text) && !c.n_steps)
		goto out; /* it is so already */
	if (there.modified && !again) {
		err = fail(EEXIST,
			   "cluster %s has a host %s already: give this switch another name, or "
			   "there: tsw cluster leave",
			   quoted(m->cluster.s), quoted(m->host.s));
		goto out;
	}
	change_put(&c, key, text, there.modified);
	add_pulse(&c, m);
	err = change_commit(e, &c, NULL);
	if (err == -EEXIST)
		err = in_the_way(m, &c);
out:
	change_end(&c);
	free(text);
	return err;
}

/* Two who change the same need not meet again. */
static int pause_once(void)
{
	return poll(NULL, 0, (int)etcd_jitter(PAUSE_MS));
}

int cluster_host_put(struct etcd *e, const struct member *m, const struct tsw_addr_pair *ip,
		     bool again)
{
	int err, tries = TRIES;

	do
		err = put(e, m, ip, again);
	while (err == -EAGAIN && --tries && !pause_once());
	return err;
}

static int del(struct etcd *e, const struct member *m)
{
	char key[MEMBER_KEY];
	struct there there;
	struct change c;
	int err = look(e, m, &there);

	if (err || (!there.modified && !there.n_claims))
		return err;
	member_key(m, "host", m->host.s, key);
	change_begin(&c);
	add_claims(&c, &there, NULL);
	if (there.modified)
		change_del(&c, key, there.modified);
	add_pulse(&c, m);
	err = change_commit(e, &c, NULL);
	change_end(&c);
	return err;
}

int cluster_host_del(struct etcd *e, const struct member *m)
{
	int err, tries = TRIES;

	do
		err = del(e, m);
	while (err == -EAGAIN && --tries && !pause_once());
	return err;
}

struct listing {
	cluster_each_host *each;
	void *context;
	size_t *refused;
	size_t prefix; /* octets of keys */
};

/* The name in the record is that of its key, or whoever may write one record could hide another. */
static int list(void *context, const struct etcd_entry *entry)
{
	const struct listing *listing = context;
	struct tsw_host_spec spec;

	if (!entry->key[listing->prefix])
		return 0; /* the pulse */
	if (!spec_of(entry->value, &spec) && !strcmp(entry->key + listing->prefix, spec.name.s))
		return listing->each(listing->context, &spec);
	++*listing->refused;
	return 0;
}

int cluster_hosts(struct etcd *e, const struct member *m, __s64 *revision, size_t *refused,
		  cluster_each_host *each, void *context)
{
	struct listing listing = {each, context, refused, 0};
	char key[MEMBER_KEY], end[MEMBER_KEY];
	const struct etcd_range all = {key, end};
	int err;

	*revision = 0;
	*refused = 0;
	member_key(m, "host", "", key);
	listing.prefix = strlen(key);
	err = etcd_prefix_end(key, end, sizeof(end));
	err = err ?: etcd_read(e, &all, revision, list, &listing);
	*refused += etcd_odd(e);
	return err;
}
