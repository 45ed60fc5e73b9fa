// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "agent/want.h"
#include "agent/want_key.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/host_index.h"
#include "cluster/publish.h"
#include "cluster/record.h"
#include "state/state_read.h"

enum { PART = 256 };

/* ---- sets of ids ------------------------------------------------------------------ */

void interest_free(struct interest *i)
{
	free(i->id);
	*i = (struct interest){};
}

/* The first that is not below ID. */
static size_t place_of(const struct interest *i, __u32 id)
{
	size_t low = 0, high = i->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (i->id[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool interest_has(const struct interest *i, __u32 id)
{
	const size_t at = place_of(i, id);

	return at < i->n && i->id[at] == id;
}

static int interest_add(struct interest *i, __u32 id)
{
	const size_t at = place_of(i, id), room = i->room ? i->room * 2 : 64;
	__u32 *grown;

	if (at < i->n && i->id[at] == id)
		return 0;
	if (i->n == i->room) {
		grown = reallocarray(i->id, room, sizeof(*grown));
		if (!grown)
			return fail_memory();
		i->id = grown;
		i->room = room;
	}
	memmove(&i->id[at + 1], &i->id[at], (i->n - at) * sizeof(*i->id));
	i->id[at] = id;
	i->n++;
	return 0;
}

/* ---- who concerns us -------------------------------------------------------------- */

__u32 want_tenant_id(const struct record *tenant)
{
	json_t *value = tenant ? json_loads(tenant->value, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const json_int_t id = json_integer_value(json_object_get(value, "id"));

	json_decref(value);
	return id > 0 && id <= 0xffffffffLL ? (__u32)id : 0;
}

static __u32 id_of(const struct mirror *r, const char *tenant)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "tenant/%s", tenant);
	return want_tenant_id(mirror_find(r, key));
}

/* A tenant without a record has nothing that could be wanted. */
static int add_by_name(const struct mirror *r, const char *tenant, struct interest *to)
{
	const __u32 id = id_of(r, tenant);

	return id ? interest_add(to, id) : 0;
}

static bool is_vni(const struct mirror *r, unsigned long id)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "vni/%lu", id);
	return mirror_find(r, key);
}

/* `at/HOST/ID/NAME` */
static int add_endpoints(const struct mirror *r, const char *host, struct interest *to)
{
	char prefix[MEMBER_KEY];
	size_t i;
	int err = 0;

	snprintf(prefix, sizeof(prefix), "at/%s/", host);
	for (i = mirror_first(r, prefix); !err && mirror_is_in(r, i, prefix); i++) {
		const unsigned long id = strtoul(r->all[i].key + strlen(prefix), NULL, 10);

		/* One that nobody claims is none. */
		if (id && id <= 0xffffffffUL && is_vni(r, id))
			err = interest_add(to, (__u32)id);
	}
	return err;
}

static bool is_name(const json_t *value, const char *name)
{
	const char *text = json_string_value(value);

	return text && !strcmp(text, name);
}

/* Now, or as a backup. A gateway without a host is each host's where the tenant has endpoints. */
static bool is_served(const struct record *gateway, const char *host)
{
	json_t *value = json_loads(gateway->value, JSON_REJECT_DUPLICATES, NULL);
	const json_t *backups = json_object_get(value, "backup"), *backup;
	bool served = is_name(json_object_get(value, "host"), host);
	size_t i;

	json_array_foreach(backups, i, backup)
		served |= is_name(backup, host);
	json_decref(value);
	return served;
}

static int add_gateways(const struct mirror *r, const char *host, struct interest *to)
{
	static const char prefix[] = "gateway/";
	size_t i;
	int err = 0;

	for (i = mirror_first(r, prefix); !err && mirror_is_in(r, i, prefix); i++)
		if (is_served(&r->all[i], host))
			err = add_by_name(r, r->all[i].key + strlen(prefix), to);
	return err;
}

/* `peer/A/B`: neither name has a slash. */
static bool split(const char *key, char tenant[PART], char with[PART])
{
	const char *a = strchr(key, '/'), *b = a ? strchr(a + 1, '/') : NULL;

	if (!b || b == a + 1 || !b[1])
		return false;
	if (b - a > PART || strlen(b + 1) >= PART)
		return false;
	snprintf(tenant, PART, "%.*s", (int)(b - a - 1), a + 1);
	snprintf(with, PART, "%s", b + 1);
	return true;
}

/* Peers of those that are wanted for themselves; theirs in turn are not. */
static int add_peers(const struct mirror *r, const struct interest *own, struct interest *to)
{
	static const char prefix[] = "peer/";
	char tenant[PART], with[PART];
	size_t i;
	int err = 0;

	for (i = mirror_first(r, prefix); !err && mirror_is_in(r, i, prefix); i++) {
		if (!split(r->all[i].key, tenant, with))
			continue;
		if (interest_has(own, id_of(r, tenant)))
			err = add_by_name(r, with, to);
		if (!err && interest_has(own, id_of(r, with)))
			err = add_by_name(r, tenant, to);
	}
	return err;
}

int want_interest(const struct mirror *r, const char *host, struct interest *interest)
{
	struct interest own = {};
	size_t i;
	int err = add_endpoints(r, host, &own);

	*interest = (struct interest){};
	err = err ?: add_gateways(r, host, &own);
	for (i = 0; !err && i < own.n; i++)
		err = interest_add(interest, own.id[i]);
	err = err ?: add_peers(r, &own, interest);
	interest_free(&own);
	if (err)
		interest_free(interest);
	return err;
}

/* ---- the state -------------------------------------------------------------------- */

struct making {
	const struct wanted *w;
	const struct mirror *r;
	struct state *s;
};

static const char *text_in(const json_t *value, const char *key)
{
	const char *text = json_string_value(json_object_get(value, key));

	return text ? text : "";
}

/* Of that tenant, by its key. */
static int publish_key(const struct record *record, char key[MEMBER_KEY])
{
	const char *name = strchr(record->key, '/') + 1;
	struct tsw_publish_spec spec = {};
	char tenant[PART];
	int err = record_read(OBJECT_PUBLISH, record->value, &spec);

	snprintf(tenant, sizeof(tenant), "%.*s", (int)strcspn(name, "/"), name);
	if (!err)
		cluster_publish_name(tenant, &spec, key);
	return err;
}

/*
 * A record's value is the object that its key says: rights at etcd, and claims, are by the key.
 * NAME: what the key says of one that has a name.
 */
static bool is_keyed(enum state_part part, const struct record *record, const char *name,
		     const json_t *value)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "%s", record->key);
	if (part == PART_PEER)
		snprintf(key, sizeof(key), "peer/%s/%s", text_in(value, "tenant"),
			 text_in(value, "with"));
	else if (part == PART_PUBLISH && publish_key(record, key))
		return false;
	if (!strcmp(key, record->key) && (!name || !strcmp(text_in(value, "name"), name)))
		return true;
	misuse("the record says something else than its key");
	return false;
}

/* The claim KEY is NAME's: without it two might have the same. */
static bool is_claimed(const struct mirror *r, const char *key, const char *name)
{
	const struct record *claim = mirror_find(r, key);
	char owner[CHANGE_TEXT];

	claim_read(claim ? claim->value : "", owner, NULL);
	return *owner && !strcmp(owner, name);
}

static bool host_is_claimed(const struct mirror *r, const char *name, const json_t *value)
{
	const json_t *all = json_object_get(value, "ip"), *ip;
	char key[MEMBER_KEY];
	size_t i;

	json_array_foreach(all, i, ip) {
		snprintf(key, sizeof(key), "vtep/%s",
			 json_string_value(ip) ? json_string_value(ip) : "");
		if (!is_claimed(r, key, name))
			return false;
	}
	return true;
}

/* Who has what only one can have says so by claims. */
static bool is_entitled(const struct making *m, enum state_part part, const json_t *value)
{
	const char *name = text_in(value, "name");
	char key[MEMBER_KEY];
	bool is = true;

	snprintf(key, sizeof(key), "vni/%lld",
		 (long long)json_integer_value(json_object_get(value, "id")));
	if (part == PART_HOST)
		is = host_is_claimed(m->r, name, value);
	else if (part == PART_TENANT)
		is = is_claimed(m->r, key, name);
	if (!is)
		misuse("the claim that goes with it is not there");
	return is;
}

/* ---- endpoints of this host ------------------------------------------------------- */

void want_own_end(struct want_own *own)
{
	json_decref(own->claimed);
	own->claimed = NULL;
}

bool want_own(const struct mirror *r, const char *host, const char *key, json_t *value,
	      struct want_own *own)
{
	const bool comes = !strcmp(text_in(value, "to_host"), host);
	char index[MEMBER_KEY];
	json_t *device, *claimed;

	*own = (struct want_own){.field = comes ? "to_dev" : "dev"};
	if (!comes && strcmp(text_in(value, "host"), host) != 0)
		return true;
	snprintf(index, sizeof(index), "at/%s/%s", host, key + strlen("e/"));
	own->index = mirror_find(r, index);
	if (!own->index) {
		misuse("the index that goes with it, %s, is not there", escaped(index));
		return false;
	}
	device = host_index_device(own->index->value);
	own->named = device;
	claimed = json_object_get(value, own->field);
	if (claimed && !json_equal(claimed, device))
		own->claimed = json_incref(claimed);
	if (device)
		json_object_set_new(value, own->field, device);
	else
		json_object_del(value, own->field);
	return true;
}

/* The tenant that was taken last has that endpoint here already, and that is its device. */
static bool is_here(const struct making *m, const char *name, const char *device)
{
	const struct tsw_tenant_spec *tenant = &m->s->tenant[m->s->n_tenants - 1].spec;
	const struct state *have = m->w->have;
	const __u32 found = have ? state_find_tenant(have, tenant->name.s) : STATE_NONE;
	const struct state_tenant *its = found == STATE_NONE ? NULL : &have->tenant[found];
	size_t i;

	if (!its || its->spec.id != tenant->id)
		return false;
	for (i = its->first; i < its->first + its->n; i++)
		if (!strcmp(have->endpoint[i].name.s, name))
			return state_is_own(have, &have->endpoint[i]) &&
			       !strcmp(have->endpoint[i].dev, device);
	return false;
}

static void adopt(const struct making *m, json_t *value, const struct want_own *own)
{
	char *text = host_index_text(own->claimed);

	if (text)
		m->w->adopted(m->w->context, own->index, text);
	free(text);
	json_object_set(value, own->field, own->claimed);
}

/* False: with a message, as is the record's part that is left out. */
static bool settle_own(const struct making *m, const struct record *record, json_t *value)
{
	const char *claimed;
	struct want_own own;

	if (!want_own(m->r, m->w->host, record->key, value, &own))
		return false;
	claimed = json_string_value(own.claimed);
	if (claimed && !own.named && is_here(m, text_in(value, "name"), claimed)) {
		adopt(m, value, &own);
	} else if (own.claimed) {
		misuse("its device %s is not what %s says, and is not taken: give it one here, "
		       "with dev",
		       claimed ? quoted(claimed) : "?", escaped(own.index->key));
		m->w->untrue(m->w->context, record->key);
	}
	want_own_end(&own);
	return true;
}

/* ---- all of them ------------------------------------------------------------------ */

/*
 * NAME: what its key says, or NULL. False: it is left out. Of memory there may be none, too: the
 * next time there is.
 */
static bool take(struct making *m, enum state_part part, const struct record *record,
		 const char *name)
{
	const struct json_at at = {.key = record->key, .index = m->s->n_tenants};
	json_error_t error;
	json_t *value = json_loads(record->value, JSON_REJECT_DUPLICATES, &error);
	bool took = false;

	if (!value)
		misuse("%s: %s", escaped(record->key), escaped(error.text));
	else if (is_keyed(part, record, name, value) && is_entitled(m, part, value) &&
		 (part != PART_ENDPOINT || settle_own(m, record, value)))
		took = !state_read_part(m->s, part, value, &at);
	json_decref(value);
	if (!took)
		m->w->refused(m->w->context, record->key);
	return took;
}

/* All of a prefix but its pulse, which is the prefix itself. */
static void take_all(struct making *m, enum state_part part, const char *prefix, bool named)
{
	const size_t len = strlen(prefix);
	size_t i;

	for (i = mirror_first(m->r, prefix); mirror_is_in(m->r, i, prefix); i++)
		if (m->r->all[i].key[len])
			take(m, part, &m->r->all[i], named ? m->r->all[i].key + len : NULL);
}

static void take_parts(struct making *m, const char *name, __u32 id)
{
	const struct record *gateway;
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "gateway/%s", name);
	gateway = mirror_find(m->r, key);
	if (gateway)
		take(m, PART_GATEWAY, gateway, NULL);
	snprintf(key, sizeof(key), "policy/%u/group/", id);
	take_all(m, PART_GROUP, key, true);
	snprintf(key, sizeof(key), "policy/%u/rule/", id);
	take_all(m, PART_POLICY, key, true);
	snprintf(key, sizeof(key), "e/%u/", id);
	take_all(m, PART_ENDPOINT, key, true);
	snprintf(key, sizeof(key), "publish/%s/", name);
	take_all(m, PART_PUBLISH, key, false);
}

static void take_tenants(struct making *m, const struct interest *interest)
{
	static const char prefix[] = "tenant/";
	size_t i;

	for (i = mirror_first(m->r, prefix); mirror_is_in(m->r, i, prefix); i++) {
		const struct record *record = &m->r->all[i];
		const __u32 id = want_tenant_id(record);

		if (!record->key[strlen(prefix)] || !interest_has(interest, id))
			continue;
		if (take(m, PART_TENANT, record, record->key + strlen(prefix)))
			take_parts(m, record->key + strlen(prefix), id);
	}
}

/* Those of which both tenants are wanted. */
static void take_peers(struct making *m)
{
	static const char prefix[] = "peer/";
	char tenant[PART], with[PART];
	size_t i;

	for (i = mirror_first(m->r, prefix); mirror_is_in(m->r, i, prefix); i++)
		if (split(m->r->all[i].key, tenant, with) &&
		    state_find_tenant(m->s, tenant) != STATE_NONE &&
		    state_find_tenant(m->s, with) != STATE_NONE)
			take(m, PART_PEER, &m->r->all[i], NULL);
}

int want_state(const struct wanted *w, struct state *s)
{
	struct making m = {w, w->records, s};
	int err;

	*s = (struct state){.own = STATE_NONE};
	take_all(&m, PART_HOST, "host/", true);
	state_sort_hosts(s);
	err = want_keys(w, s);
	if (err)
		return err;
	take_tenants(&m, w->interest);
	err = state_settle_tenants(s);
	if (err)
		return err;
	take_peers(&m);
	state_sort_rest(s);
	return 0;
}
