// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/field_json.h"
#include "cmd/dry_edit.h"
#include "cmd/dry_find.h"
#include "record/fields.h"

#define PLACE (FIELD(ENDPOINT_DEV) | FIELD(ENDPOINT_HOST))

/* Writes the given fields. Other fields of the item are kept. */
static void put_fields(json_t *item, const struct field *fields, __u64 given, const void *spec)
{
	json_t *new = fields_json(fields, given, spec);
	size_t i;

	for (i = 0; fields[i].key; i++)
		if (given & FIELD(i))
			json_object_del(item, fields[i].key);
	json_object_update_new(item, new);
}

static void set_text(json_t *item, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(item, key, json_string(text));
	else
		json_object_del(item, key);
}

/* `dev` is a device of this host. A new place ends a move. */
static void put_place(const struct dry_edit *e, json_t *item)
{
	const char *own = e->own ? e->own : "";

	if (e->given & PLACE && !(e->given & ENDPOINT_TO)) {
		json_object_del(item, "to_dev");
		json_object_del(item, "to_host");
	}
	if (e->given & FIELD(ENDPOINT_DEV) && !(e->given & FIELD(ENDPOINT_HOST)))
		set_text(item, "host", own);
	else if (e->given & FIELD(ENDPOINT_HOST) && !(e->given & FIELD(ENDPOINT_DEV)))
		json_object_del(item, "dev");
	if (e->given & FIELD(ENDPOINT_TO_DEV) && !(e->given & FIELD(ENDPOINT_TO_HOST)))
		set_text(item, "to_host", own);
	else if (e->given & FIELD(ENDPOINT_TO_HOST) && !(e->given & FIELD(ENDPOINT_TO_DEV)))
		json_object_del(item, "to_dev");
}

/* The item to write into: the one that is there, or a new one in its place. */
static json_t *item_of(const struct dry_edit *e, struct dry_found *found)
{
	if (!found->item) {
		found->item = json_object();
		json_array_append_new(found->list, found->item);
	} else if (e->how == SPEC_PUT) {
		json_object_clear(found->item);
	}
	return found->item;
}

/* ---- what exists, and what does not --------------------------------------------------- */

/* The message names some of the item's present values. */
static int refuse_existing(const struct object *o, const json_t *item, const struct field *fields)
{
	const struct json_at at = {.key = "item"};
	union record_spec its = {};

	if (fields)
		fields_read(item, &at, (struct json_keys){fields, ~0ULL, 0}, &its, NULL);
	switch (o->kind) {
	case OBJECT_HOST:
		return rule_host_exists(its.host.name.s, &its.host.ip.of[its.host.ip.preferred]);
	case OBJECT_TENANT:
		return rule_tenant_exists(o->spec.tenant.name.s,
					  (__u32)json_integer_value(json_object_get(item, "id")));
	case OBJECT_ENDPOINT:
		return rule_has(o->spec.endpoint.tenant.s, "an endpoint", o->spec.endpoint.name.s);
	case OBJECT_GATEWAY:
		return rule_has_gateway(o->tenant.s, &its.gateway.ip.at[0]);
	case OBJECT_PUBLISH:
		return rule_is_published(o->tenant.s, &its.publish);
	case OBJECT_PEER:
		return rule_is_peer(o->spec.peer.tenant.s, o->spec.peer.with.s);
	default:
		return rule_has(o->tenant.s, "a policy", o->spec.policy.name.s);
	}
}

static int refuse_missing(const struct dry_edit *e, const struct object *o)
{
	const struct tsw_endpoint_spec *endpoint = &o->spec.endpoint;

	switch (o->kind) {
	case OBJECT_HOST:
		return e->own ? rule_no_host(o->spec.host.name.s, e->own)
			      : rule_missing("host", o->spec.host.name.s);
	case OBJECT_TENANT:
		return rule_missing("tenant", o->spec.tenant.name.s);
	case OBJECT_ENDPOINT:
		return *endpoint->tenant.s
			       ? rule_lacks(endpoint->tenant.s, "endpoint", endpoint->name.s)
			       : rule_missing("endpoint", endpoint->name.s);
	case OBJECT_GATEWAY:
		return rule_no_gateway(o->tenant.s);
	case OBJECT_PUBLISH:
		return rule_no_publish(o->tenant.s, &o->spec.publish);
	case OBJECT_PEER:
		return rule_no_peer(o->spec.peer.tenant.s, o->spec.peer.with.s);
	default:
		return rule_lacks(o->tenant.s, "policy", o->spec.policy.name.s);
	}
}

/* Refuses `add` of what exists, and `set` and `del` of what does not. */
static int check_there(const struct dry_edit *e, const struct object *o, const json_t *item)
{
	static const struct field *const told[OBJECT_KINDS] = {[OBJECT_HOST] = host_fields,
							       [OBJECT_GATEWAY] = gateway_fields,
							       [OBJECT_PUBLISH] = publish_fields};

	if (item)
		return e->how == SPEC_ADD ? refuse_existing(o, item, told[o->kind]) : 0;
	return e->how == SPEC_SET ? refuse_missing(e, o) : 0;
}

/* ---- hosts ------------------------------------------------------------------------ */

static int del_host(const struct dry_edit *e, struct dry_found *found, const char *name)
{
	struct rule_names names = {};
	int err = dry_serves(e->all, name);

	if (err)
		return err;
	if (!e->force)
		dry_at_host(e->all, name, &names);
	err = rule_host_del(&names);
	if (!err)
		dry_empty_host(e->all, name);
	if (!err)
		json_array_remove(found->list, found->at);
	return err;
}

static int edit_host(const struct dry_edit *e, const struct object *o)
{
	const char *name = o->spec.host.name.s;
	struct dry_found found = dry_named(whole_list(e->all, "hosts"), name);
	const bool own = e->own && !strcmp(name, e->own) && e->how != SPEC_ADD;
	int err = own ? refuse_missing(e, o) : check_there(e, o, found.item);

	if (err)
		return err;
	if (e->del)
		return del_host(e, &found, name);
	put_fields(item_of(e, &found), host_fields, e->given | FIELD(HOST_NAME), &o->spec.host);
	return 0;
}

/* ---- tenants ---------------------------------------------------------------------- */

static struct rule_uses uses_of(const json_t *tenant)
{
	return (struct rule_uses){
		.endpoints = json_array_size(json_object_get(tenant, "endpoints")),
		.policy = json_array_size(json_object_get(tenant, "groups")) ||
			  json_array_size(json_object_get(tenant, "policies")),
		.gateway = json_object_get(tenant, "gateway") != NULL,
	};
}

/* `replace` does not change the tenant's parts. */
static int put_tenant(const struct dry_edit *e, struct dry_found *found,
		      const struct tsw_tenant_spec *spec)
{
	const json_int_t old = json_integer_value(json_object_get(found->item, "id"));
	const struct rule_uses uses = uses_of(found->item);
	json_t *item = found->item ? found->item : item_of(e, found);
	size_t i;

	for (i = 0; e->how == SPEC_PUT && i < TENANT_LATER; i++)
		json_object_del(item, tenant_fields[i].key);
	put_fields(item, tenant_fields, (e->given & TENANT_SETTINGS) | FIELD(TENANT_NAME), spec);
	if (spec->automatic & TSW_AUTO_ID || !json_object_get(item, "id"))
		json_object_set_new(item, "id", json_integer(old ? old : dry_free_id(e->all)));
	if (old && old != json_integer_value(json_object_get(item, "id")))
		return rule_renumber((__u32)old, &uses);
	return 0;
}

static int edit_tenant(const struct dry_edit *e, const struct object *o)
{
	const char *name = o->spec.tenant.name.s;
	struct dry_found found = dry_named(whole_list(e->all, "tenants"), name);
	const struct rule_uses uses = uses_of(found.item);
	int err = check_there(e, o, found.item);

	if (!err && e->del && !e->force)
		err = rule_tenant_del(&uses);
	if (err)
		return err;
	if (!e->del)
		return put_tenant(e, &found, &o->spec.tenant);
	json_array_remove(found.list, found.at);
	dry_drop_peers(e->all, name);
	return 0;
}

/* ---- what a tenant has -------------------------------------------------------------- */

static int edit_endpoint(const struct dry_edit *e, const struct object *o)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;
	const __u64 chosen = spec->automatic & TSW_AUTO_MAC ? FIELD(ENDPOINT_MAC) : 0;
	const __u64 fields = (e->given & ~(FIELD(ENDPOINT_TENANT) | chosen)) | FIELD(ENDPOINT_NAME);
	struct dry_found found;
	json_t *item;
	int err = dry_endpoint(e->all, spec->tenant.s, spec->name.s, &found);

	err = err ?: check_there(e, o, found.item);
	if (err)
		return err;
	if (e->del)
		return json_array_remove(found.list, found.at);
	item = item_of(e, &found);
	put_fields(item, endpoint_fields, fields, spec);
	put_place(e, item);
	if (!json_object_get(item, "mac"))
		dry_free_mac(found.list, item);
	return 0;
}

static int edit_gateway(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	json_t *item = json_object_get(tenant, "gateway");
	__u64 given = e->given & GATEWAY_IN_FILE;
	int err = check_there(e, o, item);

	if (!err && e->del && !e->force)
		err = rule_gateway_del(json_array_size(json_object_get(tenant, "publish")),
				       dry_halves(e->all, o->tenant.s));
	if (err)
		return err;
	if (e->del) {
		json_object_del(tenant, "gateway");
		json_object_del(tenant, "publish");
		dry_drop_peers(e->all, o->tenant.s);
		return 0;
	}
	if (!item)
		json_object_set_new(tenant, "gateway", item = json_object());
	else if (e->how == SPEC_PUT)
		json_object_clear(item);
	if (given & GATEWAY_HOSTS) /* they are one list */
		given |= GATEWAY_HOSTS;
	put_fields(item, gateway_fields, given, &o->spec.gateway);
	return 0;
}

/* Without `to`, `publish del` is about IPv4 and IPv6. */
static int edit_publish(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	const struct tsw_publish_spec *spec = &o->spec.publish;
	struct dry_found found = dry_publish(tenant, spec);
	int err = check_there(e, o, found.item);

	if (!err && !json_object_get(tenant, "gateway"))
		err = rule_no_gateway(o->tenant.s);
	while (!err && e->del && found.item) {
		json_array_remove(found.list, found.at);
		found = dry_publish(tenant, spec);
	}
	if (!err && !e->del)
		json_array_append_new(found.list, fields_json(publish_fields, e->given, spec));
	return err;
}

static int edit_group(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	const char *name = o->spec.group.s;
	struct dry_found found = dry_named(whole_list(tenant, "groups"), name);
	size_t i;
	int err = 0;

	if (e->del) {
		err = found.item ? dry_group_used(tenant, name)
				 : rule_lacks(o->tenant.s, "group", name);
		return err ?: json_array_remove(found.list, found.at);
	}
	for (i = 0; !err && i < o->n_groups; i++)
		if (dry_named(found.list, o->groups[i].s).item)
			err = rule_has(o->tenant.s, "a group", o->groups[i].s);
	for (i = 0; !err && i < o->n_groups; i++)
		json_array_append_new(found.list, json_string(o->groups[i].s));
	return err;
}

static int edit_policy(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	const struct tsw_policy_spec *spec = &o->spec.policy;
	struct dry_found found = dry_named(whole_list(tenant, "policies"), spec->name.s);
	int err = check_there(e, o, found.item);

	if (err)
		return err;
	if (e->del)
		return json_array_remove(found.list, found.at);
	put_fields(item_of(e, &found), policy_fields, e->given | FIELD(POLICY_NAME), spec);
	return 0;
}

/* Both tenants of a new peering have a gateway. */
static int check_side(const struct dry_edit *e, const char *tenant)
{
	const struct dry_found found = dry_named(whole_list(e->all, "tenants"), tenant);

	if (!found.item)
		return rule_missing("tenant", tenant);
	return json_object_get(found.item, "gateway") ? 0 : rule_no_gateway(tenant);
}

static int edit_peer(const struct dry_edit *e, const struct object *o)
{
	const struct tsw_peer_spec *spec = &o->spec.peer;
	struct dry_found found = dry_peer(e->all, spec->tenant.s, spec->with.s);
	int err = 0;

	if (!dry_named(whole_list(e->all, "tenants"), spec->tenant.s).item)
		err = rule_missing("tenant", spec->tenant.s);
	err = err ?: check_there(e, o, found.item);
	if (!err && e->del)
		return json_array_remove(found.list, found.at);
	err = err ?: check_side(e, spec->tenant.s);
	err = err ?: check_side(e, spec->with.s);
	if (!err)
		json_array_append_new(found.list, fields_json(peer_fields,
							      e->given | FIELD(PEER_TENANT), spec));
	return err;
}

int dry_edit(const struct dry_edit *e, const struct object *o)
{
	struct dry_found tenant;

	switch (o->kind) {
	case OBJECT_HOST:
		return edit_host(e, o);
	case OBJECT_TENANT:
		return edit_tenant(e, o);
	case OBJECT_ENDPOINT:
		return edit_endpoint(e, o);
	case OBJECT_PEER:
		return edit_peer(e, o);
	default:
		break;
	}
	tenant = dry_named(whole_list(e->all, "tenants"), o->tenant.s);
	if (!tenant.item)
		return rule_missing("tenant", o->tenant.s);
	if (o->kind == OBJECT_GATEWAY)
		return edit_gateway(e, o, tenant.item);
	if (o->kind == OBJECT_PUBLISH)
		return edit_publish(e, o, tenant.item);
	return o->kind == OBJECT_GROUP ? edit_group(e, o, tenant.item)
				       : edit_policy(e, o, tenant.item);
}
