// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/hosts.h"
#include "record/fields.h"

enum { CLAIMS = 16 }; /* of one host: one of each family, and old ones */

struct claim {
	char key[CHANGE_TEXT];
	__s64 modified;
	enum claim_word word;
	__u32 mtu;
};

/* The record and the claims of a host, as they were read. */
struct there {
	const struct records *r;
	const char *name;
	char record[CHANGE_TEXT];
	__s64 modified; /* revision of the record; 0: it does not exist */
	struct claim claim[CLAIMS];
	size_t n_claims;
	struct claim left[CLAIMS]; /* by other hosts */
	size_t n_left;
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
	const bool own = claim_is_of(entry->value, there->name);
	const enum claim_word word = claim_word(entry->value);
	size_t *n = own ? &there->n_claims : &there->n_left;
	struct claim *to = own ? there->claim : there->left;

	if ((!own && word != CLAIM_LEFT) || *n == CLAIMS)
		return 0;
	to += (*n)++;
	snprintf(to->key, sizeof(to->key), "%s", entry->key);
	to->modified = entry->modified;
	to->word = word;
	to->mtu = claim_mtu(entry->value);
	return 0;
}

/*
 * Reads record and claims at one revision, so that they belong together. Finds the claims by their
 * owner, because the record may have been deleted by hand.
 */
static int look(const struct records *r, const char *name, struct there *there)
{
	char key[MEMBER_KEY];
	const struct etcd_range range = {key};
	__s64 revision = 0;
	int err;

	*there = (struct there){.r = r, .name = name};
	record_key(r, key, "host/%s", name);
	err = etcd_read(r->e, &range, &revision, take_record, there);
	return err ?: records_each(r, &revision, take_claim, there, "vtep/");
}

static const struct claim *find(const struct claim *all, size_t n, const char *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(all[i].key, key))
			return &all[i];
	return NULL;
}

/*
 * Adds to C claims on the addresses IP, and deletes the host's others. IP NULL: deletes all. WORD
 * is the host's own, or that of an operator, who leaves claims as they are. A claim that another
 * host has left is taken over. MTU is what the host tells; 0: what its claims have. Returns whether
 * other addresses are claimed than before.
 */
static bool add_claims(struct change *c, const struct there *there, const struct tsw_addr_pair *ip,
		       enum claim_word word, __u32 mtu)
{
	bool keep[CLAIMS] = {}, changes = false, anew;
	const struct claim *is, *left;
	char key[MEMBER_KEY];
	int family;
	size_t i;

	for (family = 0; ip && family < TSW_FAMILIES; family++) {
		if (addr_is_none(&ip->of[family]))
			continue;
		record_key(there->r, key, "vtep/%s", addr_text(&ip->of[family]));
		is = find(there->claim, there->n_claims, key);
		left = find(there->left, there->n_left, key);
		changes |= !is;
		if (is)
			keep[is - there->claim] = true;
		anew = !is || is->word == CLAIM_LEFT ||
		       (word == CLAIM_OWN && is->word != CLAIM_OWN);
		if (anew || (mtu && mtu != is->mtu))
			change_claim_mtu(c, key, there->name,
					 is	? is->modified
					 : left ? left->modified
						: 0,
					 anew ? word : is->word, !mtu && is ? is->mtu : mtu);
	}
	for (i = 0; i < there->n_claims; i++)
		if (!keep[i]) {
			change_del(c, there->claim[i].key, there->claim[i].modified);
			changes = true;
		}
	return changes;
}

static int refuse_claim(const struct records *r, void *context, const struct change *c)
{
	(void)context;
	if (!*c->owner)
		return -EAGAIN; /* the host's record: the next try reads it */
	return fail(EEXIST, "%s is already host %s of cluster %s", record_name(c->key),
		    quoted(c->owner), quoted(r->m.cluster.s));
}

/* ---- adding and changing ---------------------------------------------------------- */

struct put {
	struct tsw_host_spec spec;
	__u64 given; /* FIELD() of host_fields; the others stay as they are */
	enum spec_how how;
	bool join; /* the host itself joins */
	enum claim_word word;
	__u32 mtu; /* what the host tells; 0: nothing new */
};

static int refuse(const struct records *r, const struct put *p, const struct there *there)
{
	const char *name = p->spec.name.s;
	struct tsw_host_spec old = {};

	if (!there->modified)
		return rule_missing("host", name);
	if (p->join)
		return fail(EEXIST,
			    "cluster %s already has a host %s: give this switch another name, or "
			    "run on that host: tsw cluster leave",
			    quoted(r->m.cluster.s), quoted(name));
	if (record_read(OBJECT_HOST, there->record, &old))
		return -EINVAL;
	return rule_host_exists(name, &old.ip.of[old.ip.preferred]);
}

/* Makes SPEC of the given fields, and of the record's other ones. */
static int merge(const struct put *p, const struct there *there, struct tsw_host_spec *spec)
{
	struct tsw_host_spec old = {};
	int err = 0;

	*spec = p->spec;
	if (there->modified && (p->how == SPEC_SET || p->join))
		err = record_read(OBJECT_HOST, there->record, &old);
	/* A host that joins replaces an invalid record. */
	if (err && !p->join)
		return err;
	fields_copy(host_fields, ~p->given & HOST_TOLD, &old, spec);
	return 0;
}

static int put_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct put *p = context;
	char key[MEMBER_KEY], *text = NULL;
	struct tsw_host_spec spec;
	struct there there;
	bool same;
	int err = look(r, p->spec.name.s, &there);

	err = err ?: merge(p, &there, &spec);
	if (!err)
		text = record_text(OBJECT_HOST, &spec);
	if (!text)
		return err ?: -ENOMEM;
	same = !add_claims(c, &there, &spec.ip, p->word, p->mtu);
	same = same && there.modified && !strcmp(there.record, text);
	record_key(r, key, "host/%s", p->spec.name.s);
	if (same && !c->n_steps && (p->join || again || p->how != SPEC_ADD)) {
		err = 0; /* it is as asked already */
	} else if (there.modified ? p->how == SPEC_ADD && !(same && p->join) : p->how == SPEC_SET) {
		err = refuse(r, p, &there);
	} else {
		change_put(c, key, text, there.modified);
		record_pulse(r, c, "host/");
	}
	free(text);
	return err;
}

int cluster_host_make(struct records *r, const struct tsw_host_spec *spec, __u64 given,
		      enum spec_how how)
{
	struct put p = {.spec = *spec, .given = given, .how = how};

	return record_change(r, put_once, refuse_claim, &p);
}

int cluster_host_put(struct etcd *e, const struct member *m, const struct tsw_host_spec *spec,
		     bool again)
{
	const __u64 given =
		FIELD(HOST_IP) | FIELD(HOST_KEY) | (*spec->zone.s ? FIELD(HOST_ZONE) : 0);
	struct records r = {.e = e, .m = *m};
	struct put p = {*spec, given, again ? SPEC_PUT : SPEC_ADD, true, CLAIM_OWN, spec->mtu};

	return record_change(&r, put_once, refuse_claim, &p);
}

int cluster_host_own(struct records *r, const struct tsw_host_spec *spec, __u64 given)
{
	const bool ip = given & FIELD(HOST_IP); /* otherwise the claims stay as they are */
	struct put p = {.spec = *spec,
			.given = given & ~FIELD(HOST_MTU),
			.how = SPEC_SET,
			.word = ip ? CLAIM_OWN : CLAIM_GIVEN,
			.mtu = given & FIELD(HOST_MTU) ? spec->mtu : 0};

	return record_change(r, put_once, refuse_claim, &p);
}

/* CONTEXT: the host. Marks its claims on other addresses than its own. */
static int leave_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct tsw_host_spec *spec = context;
	char key[MEMBER_KEY];
	struct there there;
	int err = look(r, spec->name.s, &there), family;
	size_t i;

	(void)again;
	for (i = 0; !err && i < there.n_claims; i++) {
		const struct claim *claim = &there.claim[i];
		bool has = claim->word == CLAIM_LEFT;

		for (family = 0; !has && family < TSW_FAMILIES; family++) {
			record_key(r, key, "vtep/%s", addr_text(&spec->ip.of[family]));
			has = !strcmp(key, claim->key);
		}
		if (!has)
			change_claim(c, claim->key, there.name, claim->modified, CLAIM_LEFT);
	}
	return err;
}

int cluster_host_leave(struct records *r, const struct tsw_host_spec *spec)
{
	struct tsw_host_spec copy = *spec;

	return record_change(r, leave_once, NULL, &copy);
}

int cluster_need_seen_host(const struct records *r, struct change *c, const struct seen *seen)
{
	const char *name = record_name(seen->key);

	if (!seen->value)
		return fail(ENOENT,
			    "%s is no host of cluster %s: run tsw cluster join there, or add it "
			    "by: tsw -c host add %s ip IP",
			    quoted(name), quoted(r->m.cluster.s), escaped(name));
	change_check(c, seen->key, seen->modified);
	return 0;
}

int cluster_need_host(const struct records *r, struct change *c, const char *name)
{
	cleanup_look struct look look = {};
	int err;

	look_at(&look, r, "host/%s", name);
	err = look_read(r, &look);
	return err ?: cluster_need_seen_host(r, c, &look.at[0]);
}

/* ---- deleting --------------------------------------------------------------------- */

struct served {
	const char *host;
	enum object_kind kind;
	char key[MEMBER_KEY]; /* the record that was found first; "": none yet */
	bool first;	      /* HOST is the gateway's first host, not a backup */
};

static bool serves(const struct tsw_gateway_spec *gateway, const char *host)
{
	__u32 i;

	for (i = 0; i < gateway->backup.n; i++)
		if (!strcmp(gateway->backup.at[i].s, host))
			return true;
	return !strcmp(gateway->host.s, host);
}

static int take_served(void *context, const struct etcd_entry *entry)
{
	struct served *served = context;
	struct tsw_gateway_spec gateway = {};
	struct tsw_publish_spec publish = {};
	const bool is_gateway = served->kind == OBJECT_GATEWAY;
	void *spec = is_gateway ? (void *)&gateway : &publish;

	if (*served->key || record_read(served->kind, entry->value, spec) ||
	    !(is_gateway ? serves(&gateway, served->host) : !strcmp(publish.host.s, served->host)))
		return 0;
	snprintf(served->key, sizeof(served->key), "%s", entry->key);
	served->first = !strcmp(gateway.host.s, served->host);
	return 0;
}

/* Checks that no record of a kind names the host. With C none may change until the commit. */
static int check_served(const struct records *r, struct change *c, struct served *served)
{
	int err = records_read(r, c, take_served, served, "%s", record_prefixes[served->kind]);

	if (err || !*served->key)
		return err;
	if (served->kind == OBJECT_GATEWAY)
		return rule_host_serves(record_name(served->key), served->first);
	return fail(EBUSY, "a port is published only on this host: delete the record %s",
		    served->key);
}

static int check_serves_none(const struct records *r, struct change *c, const char *name)
{
	struct served gateway = {.host = name, .kind = OBJECT_GATEWAY};
	struct served publish = {.host = name, .kind = OBJECT_PUBLISH};
	int err = check_served(r, c, &gateway);

	return err ?: check_served(r, c, &publish);
}

int cluster_host_serves_none(const struct records *r, const struct tsw_name *name)
{
	return check_serves_none(r, NULL, name->s);
}

static int check_empty(const struct records *r, struct change *c, const char *name)
{
	cleanup_look struct look look = {};
	char pulse[MEMBER_KEY];
	int err;

	look_count(&look, r, "at/%s/", name);
	err = look_read(r, &look);
	err = err ?: rule_host_del(&(struct rule_names){.n = (__u64)look.at[0].count});
	if (err)
		return err;
	change_empty(c, look.at[0].key, look.at[0].end);
	record_key(r, pulse, "at/%s/", name);
	change_clear(c, pulse, NULL);
	return check_serves_none(r, c, name);
}

/* CONTEXT: the host's name. */
static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	const char *name = context;
	char key[MEMBER_KEY];
	struct there there;
	int err = look(r, name, &there);

	if (err)
		return err;
	if (!there.modified && !there.n_claims)
		return again ? 0 : rule_missing("host", name);
	record_key(r, key, "host/%s", name);
	add_claims(c, &there, NULL, CLAIM_GIVEN, 0);
	if (there.modified)
		change_del(c, key, there.modified);
	record_pulse(r, c, "host/");
	return check_empty(r, c, name);
}

int cluster_host_remove(struct records *r, const struct tsw_name *name)
{
	struct tsw_name copy = *name;

	return record_change(r, del_once, NULL, copy.s);
}

int cluster_host_del(struct etcd *e, const struct member *m)
{
	struct records r = {.e = e, .m = *m};
	int err = cluster_host_remove(&r, &m->host);

	return err == -ENOENT ? 0 : err;
}

/* ---- all of them ------------------------------------------------------------------ */

struct listing {
	cluster_each_host *each;
	void *context;
	size_t *refused;
	const struct records *r;
	json_t *mtus; /* key and owner of a claim -> the MTU in it */
};

#define MTU_AT (MEMBER_KEY + CHANGE_TEXT)

static int take_mtu(void *context, const struct etcd_entry *entry)
{
	const struct listing *listing = context;
	const __u32 mtu = claim_mtu(entry->value);
	char owner[CHANGE_TEXT], at[MTU_AT];

	claim_read(entry->value, owner, NULL);
	snprintf(at, sizeof(at), "%s %s", entry->key, owner);
	if (mtu && *owner)
		json_object_set_new(listing->mtus, at, json_integer(mtu));
	return 0;
}

/*
 * The MTU that the host tells: in claims on its recorded addresses, which no other host may write.
 * Any host may name another in the claim on its own address.
 */
static __u32 told_mtu(const struct listing *listing, const struct tsw_host_spec *spec)
{
	char key[MEMBER_KEY], at[MTU_AT];
	__u32 least = 0, mtu;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&spec->ip.of[family]))
			continue;
		record_key(listing->r, key, "vtep/%s", addr_text(&spec->ip.of[family]));
		snprintf(at, sizeof(at), "%s %s", key, spec->name.s);
		mtu = (__u32)json_integer_value(json_object_get(listing->mtus, at));
		if (mtu && (!least || mtu < least))
			least = mtu;
	}
	return least;
}

static int list(void *context, const struct etcd_entry *entry)
{
	const struct listing *listing = context;
	struct tsw_host_spec spec = {};

	if (!record_read(OBJECT_HOST, entry->value, &spec) &&
	    record_is_at(listing->r, entry->key, "host/%s", spec.name.s)) {
		spec.mtu = spec.mtu ?: told_mtu(listing, &spec);
		return listing->each(listing->context, &spec);
	}
	++*listing->refused;
	return 0;
}

int cluster_hosts(struct etcd *e, const struct member *m, __s64 *revision, size_t *refused,
		  cluster_each_host *each, void *context)
{
	const struct records r = {.e = e, .m = *m};
	struct listing listing = {each, context, refused, &r, json_object()};
	size_t others;
	int err;

	*revision = 0;
	*refused = 0;
	err = records_each(&r, revision, take_mtu, &listing, "vtep/");
	others = etcd_odd(e);
	err = err ?: records_each(&r, revision, list, &listing, "host/");
	*refused += etcd_odd(e) - others;
	json_decref(listing.mtus);
	return err;
}
