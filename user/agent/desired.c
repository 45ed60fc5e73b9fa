// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "agent/desired.h"
#include "agent/desired_keys.h"
#include "agent/own_device.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/host_index.h"
#include "cluster/publish.h"
#include "cluster/record.h"
#include "state/read.h"

/* ---- one record ------------------------------------------------------------------- */

struct making {
	const struct desired *w;
	const struct record_set *r;
	struct state *s;
};

/* The key that a published port's value belongs to; the tenant is the one of RECORD's key. */
static int publish_key(const struct record *record, char key[MEMBER_KEY])
{
	const char *name = strchr(record->key, '/') + 1;
	struct tsw_publish_spec spec = {};
	char tenant[INTEREST_NAME];
	int err = record_read(OBJECT_PUBLISH, record->value, &spec);

	snprintf(tenant, sizeof(tenant), "%.*s", (int)strcspn(name, "/"), name);
	if (!err)
		cluster_publish_name(tenant, &spec, key);
	return err;
}

/*
 * Does the record's value describe the object of its key? Rights at etcd and claims go by the key.
 * NAME: the name in the key, or NULL.
 */
static bool is_keyed(enum state_part part, const struct record *record, const char *name,
		     const json_t *value)
{
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "%s", record->key);
	if (part == PART_PEER)
		snprintf(key, sizeof(key), "peer/%s/%s", json_text_in(value, "tenant"),
			 json_text_in(value, "with"));
	else if (part == PART_PUBLISH && publish_key(record, key))
		return false;
	if (!strcmp(key, record->key) && (!name || !strcmp(json_text_in(value, "name"), name)))
		return true;
	misuse("the record's value does not match its key");
	return false;
}

/* Does NAME own the claim KEY? Without a claim two objects might have the same id or address. */
static bool is_claimed(const struct record_set *r, const char *key, const char *name)
{
	const struct record *claim = record_set_find(r, key);

	return claim && claim_is_of(claim->value, name);
}

static bool host_is_claimed(const struct record_set *r, const char *name, const json_t *value)
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

/* Adds what the host's claims tell, unless an operator wrote an MTU into its record. */
static void add_mtu(const struct record_set *r, json_t *value)
{
	const json_t *all = json_object_get(value, "ip"), *ip;
	const struct record *claim;
	char key[MEMBER_KEY];
	__u32 mtu = 0;
	size_t i;

	json_array_foreach(all, i, ip) {
		snprintf(key, sizeof(key), "vtep/%s", json_string_value(ip));
		claim = record_set_find(r, key);
		mtu = mtu ?: claim ? claim_mtu(claim->value) : 0;
	}
	if (mtu && !json_object_get(value, "mtu"))
		json_object_set_new(value, "mtu", json_integer(mtu));
}

/* Hosts own their addresses by claims, and tenants their ids. */
static bool is_entitled(const struct making *m, enum state_part part, json_t *value)
{
	const char *name = json_text_in(value, "name");
	char key[MEMBER_KEY];
	bool is = true;

	snprintf(key, sizeof(key), "vni/%lld",
		 (long long)json_integer_value(json_object_get(value, "id")));
	if (part == PART_HOST)
		is = host_is_claimed(m->r, name, value);
	else if (part == PART_TENANT)
		is = is_claimed(m->r, key, name);
	if (!is)
		misuse("the record has no matching claim");
	else if (part == PART_HOST)
		add_mtu(m->r, value);
	return is;
}

/* ---- endpoints of this host ------------------------------------------------------- */

const struct state_endpoint *desired_find(const struct state *s, const char *tenant,
					  const char *name)
{
	const __u32 found = state_find_tenant(s, tenant);
	const struct state_tenant *its = found == STATE_NONE ? NULL : &s->tenant[found];
	size_t i;

	for (i = its ? its->first : 0; its && i < its->first + its->n; i++)
		if (!strcmp(s->endpoint[i].name.s, name))
			return &s->endpoint[i];
	return NULL;
}

/* Does this switch have the endpoint already, with that device, in the tenant taken last? */
static bool switch_has(const struct making *m, const char *name, const char *device)
{
	const struct tsw_tenant_spec *tenant = &m->s->tenant[m->s->n_tenants - 1].spec;
	const struct state *have = m->w->have;
	const struct state_endpoint *ep = have ? desired_find(have, tenant->name.s, name) : NULL;

	return ep && have->tenant[ep->tenant].spec.id == tenant->id && state_is_own(have, ep) &&
	       !strcmp(ep->dev, device);
}

static void adopt(const struct making *m, json_t *value, const struct own_device *own)
{
	char *text = host_index_text(own->claimed);

	if (text)
		m->w->adopted(m->w->context, own->index, text);
	free(text);
	json_object_set(value, own->field, own->claimed);
}

/* Puts the device of this host's index into VALUE. False: there is no index. */
static bool settle_own(const struct making *m, const struct record *record, json_t *value)
{
	const char *claimed;
	struct own_device own;

	if (!own_device_read(m->r, m->w->host, record->key, value, &own))
		return false;
	claimed = json_string_value(own.claimed);
	if (claimed && !own.named && switch_has(m, json_text_in(value, "name"), claimed)) {
		adopt(m, value, &own);
	} else if (own.claimed) {
		misuse("its device %s is ignored, because %s does not name it: set dev on this "
		       "host",
		       claimed ? quoted(claimed) : "?", escaped(own.index->key));
		m->w->untrue(m->w->context, record->key);
	}
	own_device_end(&own);
	return true;
}

/* ---- all records ------------------------------------------------------------------ */

/*
 * NAME: the name in the key, or NULL. False: the record is left out, also if memory is short; then
 * it is tried again with the next comparison.
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

/* Takes all records below a prefix, except its pulse, whose key is the prefix. */
static void take_all(struct making *m, enum state_part part, const char *prefix, bool named)
{
	const size_t len = strlen(prefix);
	size_t i;

	for (i = record_set_first(m->r, prefix); record_set_is_in(m->r, i, prefix); i++)
		if (m->r->all[i].key[len])
			take(m, part, &m->r->all[i], named ? m->r->all[i].key + len : NULL);
}

static void take_parts(struct making *m, const char *name, __u32 id)
{
	const struct record *gateway;
	char key[MEMBER_KEY];

	snprintf(key, sizeof(key), "gateway/%s", name);
	gateway = record_set_find(m->r, key);
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

	for (i = record_set_first(m->r, prefix); record_set_is_in(m->r, i, prefix); i++) {
		const struct record *record = &m->r->all[i];
		const __u32 id = interest_tenant_id(record);

		if (!record->key[strlen(prefix)] || !interest_has(interest, id))
			continue;
		if (take(m, PART_TENANT, record, record->key + strlen(prefix)))
			take_parts(m, record->key + strlen(prefix), id);
	}
}

/* Takes peerings whose tenants were both taken. */
static void take_peers(struct making *m)
{
	static const char prefix[] = "peer/";
	char tenant[INTEREST_NAME], with[INTEREST_NAME];
	size_t i;

	for (i = record_set_first(m->r, prefix); record_set_is_in(m->r, i, prefix); i++)
		if (interest_peers(m->r->all[i].key, tenant, with) &&
		    state_find_tenant(m->s, tenant) != STATE_NONE &&
		    state_find_tenant(m->s, with) != STATE_NONE)
			take(m, PART_PEER, &m->r->all[i], NULL);
}

int desired_state(const struct desired *w, struct state *s)
{
	struct making m = {w, w->records, s};
	int err;

	*s = (struct state){.own = STATE_NONE};
	take_all(&m, PART_HOST, "host/", true);
	state_sort_hosts(s);
	err = desired_keys(w, s);
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
