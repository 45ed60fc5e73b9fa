// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "cluster/whole.h"

struct whole {
	const struct records *r;
	json_t *all;
	json_t *hosts, *tenants, *ids; /* of `all`: by name, by name, by id */
	size_t prefix;		       /* octets of a key up to the slash behind its kind */
	size_t refused;
	enum object_kind kind;
};

json_t *whole_list(json_t *object, const char *key)
{
	json_t *list = json_object_get(object, key);

	if (list)
		return list;
	json_object_set_new(object, key, json_array());
	return json_object_get(object, key);
}

/* Looks up the part of KEY behind its kind. */
static json_t *of_first_part(const struct whole *w, const json_t *in, const char *key)
{
	char part[MEMBER_KEY];

	key += w->prefix;
	snprintf(part, sizeof(part), "%.*s", (int)strcspn(key, "/"), key);
	return json_object_get(in, part);
}

static bool knows_host(const struct whole *w, const json_t *value)
{
	const char *host = json_string_value(json_object_get(value, "host"));
	const char *to = json_string_value(json_object_get(value, "to_host"));

	return (!host || json_object_get(w->hosts, host)) && (!to || json_object_get(w->hosts, to));
}

static bool add_tenant(struct whole *w, const char *key, json_t *value)
{
	const json_int_t id = json_integer_value(json_object_get(value, "id"));
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)id);
	if (json_object_get(w->ids, text))
		return false;
	json_array_append(whole_list(w->all, "tenants"), value);
	json_object_set(w->tenants, record_name(key), value);
	json_object_set(w->ids, text, value);
	return true;
}

static bool add_to_tenant(struct whole *w, json_t *tenant, const char *list, json_t *value)
{
	if (!tenant || !knows_host(w, value))
		return false;
	json_array_append(whole_list(tenant, list), value);
	return true;
}

static bool add_gateway(struct whole *w, const char *key, json_t *value)
{
	json_t *tenant = of_first_part(w, w->tenants, key);

	if (!tenant || !knows_host(w, value))
		return false;
	json_object_set(tenant, "gateway", value);
	return true;
}

static bool add_peer(struct whole *w, json_t *value)
{
	const char *of = json_string_value(json_object_get(value, "tenant"));
	const char *with = json_string_value(json_object_get(value, "with"));

	if (!json_object_get(w->tenants, of) || !json_object_get(w->tenants, with))
		return false;
	json_array_append(whole_list(w->all, "peers"), value);
	return true;
}

static bool add(struct whole *w, const char *key, json_t *value)
{
	json_t *by_id = of_first_part(w, w->ids, key);

	switch (w->kind) {
	case OBJECT_HOST:
		json_array_append(whole_list(w->all, "hosts"), value);
		json_object_set(w->hosts, record_name(key), value);
		return true;
	case OBJECT_TENANT:
		return add_tenant(w, key, value);
	case OBJECT_GROUP: /* in a state file only its name */
		return add_to_tenant(w, by_id, "groups", json_object_get(value, "name"));
	case OBJECT_POLICY:
		return add_to_tenant(w, by_id, "policies", value);
	case OBJECT_ENDPOINT:
		return add_to_tenant(w, by_id, "endpoints", value);
	case OBJECT_GATEWAY:
		return add_gateway(w, key, value);
	case OBJECT_PUBLISH:
		return add_to_tenant(w, of_first_part(w, w->tenants, key), "publish", value);
	default:
		return add_peer(w, value);
	}
}

/* Adds a record that is valid. */
static int take(void *context, const struct etcd_entry *entry)
{
	union record_spec spec = {};
	struct whole *w = context;
	json_t *value;

	if (!record_is_kind(w->kind, entry->key))
		return 0;
	value = record_read_at(w->kind, entry->key, entry->value, &spec)
			? NULL
			: json_loads(entry->value, 0, NULL);
	w->refused += !value || !add(w, entry->key, value);
	json_decref(value);
	return 0;
}

int cluster_whole(const struct records *r, json_t **all, size_t *refused)
{
	struct whole w = {.r = r,
			  .all = json_pack("{s:i, s:[], s:[], s:[]}", "format", 1, "hosts",
					   "tenants", "peers"),
			  .hosts = json_object(),
			  .tenants = json_object(),
			  .ids = json_object()};
	char key[MEMBER_KEY];
	__s64 revision = 0;
	int err = 0;

	for (w.kind = OBJECT_HOST; !err && w.kind < OBJECT_KINDS; w.kind++) {
		record_key(r, key, "%s", record_prefixes[w.kind]);
		w.prefix = strlen(key);
		err = records_each(r, &revision, take, &w, "%s", record_prefixes[w.kind]);
	}
	json_decref(w.hosts);
	json_decref(w.tenants);
	json_decref(w.ids);
	*refused = w.refused;
	*all = err ? NULL : w.all;
	if (err)
		json_decref(w.all);
	return err;
}

/* ---- merging ---------------------------------------------------------------------- */

/* TEXT: what tells an item of a list from the others, such as its name. */
static void identity(const json_t *item, char text[MEMBER_KEY])
{
	static const char *const keys[] = {"name", "tenant", "with", "proto", "host"};
	const char *to = json_string_value(json_object_get(item, "to"));
	const bool is_publish = to && !json_object_get(item, "name"); /* a rule has one */
	const char *part = json_string_value(item);
	size_t used = 0, i;

	snprintf(text, MEMBER_KEY, "%s", part ? part : ""); /* a group */
	if (part)
		return;
	for (i = 0; i < sizeof(keys) / sizeof(*keys) && used < MEMBER_KEY; i++) {
		/* The host of an endpoint and the protocol of a peering do not count. */
		if (i >= 3 && !is_publish)
			break;
		part = json_string_value(json_object_get(item, keys[i]));
		used += (size_t)snprintf(text + used, MEMBER_KEY - used, "%s/", part ? part : "");
	}
	if (is_publish && used < MEMBER_KEY)
		snprintf(text + used, MEMBER_KEY - used, "%lld/%d",
			 (long long)json_integer_value(json_object_get(item, "port")), *to == '[');
}

/* The items of a list by their identity(). */
static json_t *index_of(const json_t *list)
{
	json_t *index = json_object(), *item;
	char text[MEMBER_KEY];
	size_t i;

	json_array_foreach(list, i, item) {
		identity(item, text);
		json_object_set(index, text, item);
	}
	return index;
}

static size_t merge_list(json_t *into, const json_t *from, const char *key)
{
	const json_t *list = json_object_get(from, key);
	json_t *index = index_of(json_object_get(into, key)), *item;
	char text[MEMBER_KEY];
	size_t i, n = 0;

	json_array_foreach(list, i, item) {
		identity(item, text);
		if (json_object_get(index, text))
			continue;
		json_array_append(whole_list(into, key), item);
		n++;
	}
	json_decref(index);
	return n;
}

static void merge_tenants(json_t *into, const json_t *whole)
{
	const json_t *list = json_object_get(whole, "tenants");
	json_t *index = index_of(json_object_get(into, "tenants")), *item, *its;
	char text[MEMBER_KEY];
	size_t i;

	json_array_foreach(list, i, item) {
		identity(item, text);
		its = json_object_get(index, text);
		if (!its) {
			json_array_append(whole_list(into, "tenants"), item);
			continue;
		}
		merge_list(its, item, "groups");
		merge_list(its, item, "policies");
		merge_list(its, item, "endpoints");
		merge_list(its, item, "publish");
		if (!json_object_get(its, "gateway") && json_object_get(item, "gateway"))
			json_object_set(its, "gateway", json_object_get(item, "gateway"));
	}
	json_decref(index);
}

size_t cluster_merge(json_t *into, const json_t *whole, bool hosts_alone)
{
	const size_t hosts = merge_list(into, whole, "hosts");

	if (hosts_alone)
		return hosts;
	merge_tenants(into, whole);
	merge_list(into, whole, "peers");
	return hosts;
}
