// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/text.h"
#include "cmd/dry_edit.h"
#include "cmd/dry_find.h"
#include "record/fields.h"
#include "rules/rules.h"

#define PLACE (FIELD(ENDPOINT_DEV) | FIELD(ENDPOINT_HOST))

/* Replaces what is given; the rest stays, or is not there yet. */
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
static json_t *item_of(const struct dry_edit *e, json_t *list, struct dry_found *found)
{
	if (!found->item) {
		found->item = json_object();
		json_array_append_new(list, found->item);
	} else if (e->verb == DRY_REPLACE) {
		json_object_clear(found->item);
	}
	return found->item;
}

/* Refuses `add` of what exists, and `set` and `del` of what does not: with EXISTS or LACKS. */
static int check_there(const struct dry_edit *e, bool there, int (*exists)(const void *what),
		       int (*lacks)(const void *what), const void *what)
{
	if (there && e->verb == DRY_ADD)
		return exists(what);
	if (!there && (e->verb == DRY_SET || e->verb == DRY_DEL))
		return lacks(what);
	return 0;
}

/* What a refusal is about. */
struct subject {
	const struct object *o;
	const json_t *item; /* NULL: it does not exist */
	const char *own;    /* this host's name, or NULL */
};

/* What the item has, which is for the text of a refusal. */
static void read_item(const struct subject *s, const struct field *fields, void *spec)
{
	const struct json_at at = {.key = "item"};

	fields_read(s->item, &at, (struct json_keys){fields, ~0ULL, 0}, spec, NULL);
}

/* ---- hosts ------------------------------------------------------------------------ */

static int host_exists(const void *what)
{
	const struct subject *s = what;
	struct tsw_host_spec its = {};

	read_item(s, host_fields, &its);
	return rule_host_exists(s->o->spec.host.name.s, &its.ip.of[its.ip.preferred]);
}

static int host_lacks(const void *what)
{
	const struct subject *s = what;
	const char *name = s->o->spec.host.name.s;

	return s->own ? rule_no_host(name, s->own) : rule_missing("host", name);
}

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
	struct dry_found found = dry_named(dry_list(e->all, "hosts"), name);
	const struct subject s = {o, found.item, e->own};
	const bool own = e->own && !strcmp(name, e->own) && e->verb != DRY_ADD;
	int err = own ? host_lacks(&s) : check_there(e, found.item, host_exists, host_lacks, &s);

	if (err)
		return err;
	if (e->verb == DRY_DEL)
		return del_host(e, &found, name);
	put_fields(item_of(e, found.list, &found), host_fields, e->given | FIELD(HOST_NAME),
		   &o->spec.host);
	return 0;
}

/* ---- tenants ---------------------------------------------------------------------- */

static int tenant_exists(const void *what)
{
	const struct subject *s = what;

	return rule_tenant_exists(s->o->spec.tenant.name.s,
				  (__u32)json_integer_value(json_object_get(s->item, "id")));
}

static int tenant_lacks(const void *what)
{
	return rule_missing("tenant", ((const struct subject *)what)->o->spec.tenant.name.s);
}

static struct rule_uses uses_of(const json_t *tenant)
{
	return (struct rule_uses){
		.endpoints = json_array_size(json_object_get(tenant, "endpoints")),
		.policy = json_array_size(json_object_get(tenant, "groups")) ||
			  json_array_size(json_object_get(tenant, "policies")),
		.gateway = json_object_get(tenant, "gateway") != NULL,
	};
}

/* The parts of the tenant stay. */
static int put_tenant(const struct dry_edit *e, struct dry_found *found,
		      const struct tsw_tenant_spec *spec)
{
	static const char *const parts[] = {"gateway", "groups", "policies", "endpoints",
					    "publish"};
	const json_int_t old = json_integer_value(json_object_get(found->item, "id"));
	const struct rule_uses uses = uses_of(found->item);
	json_t *had = json_deep_copy(found->item), *item, *part;
	size_t i;

	item = item_of(e, found->list, found);
	put_fields(item, tenant_fields, (e->given & TENANT_SETTINGS) | FIELD(TENANT_NAME), spec);
	if (spec->automatic & TSW_AUTO_ID || !json_object_get(item, "id"))
		json_object_set_new(item, "id", json_integer(old ? old : dry_free_id(e->all)));
	for (i = 0; had && i < sizeof(parts) / sizeof(parts[0]); i++) {
		part = json_object_get(had, parts[i]);
		if (part)
			json_object_set(item, parts[i], part);
	}
	json_decref(had);
	if (old && old != json_integer_value(json_object_get(item, "id")))
		return rule_renumber((__u32)old, &uses);
	return 0;
}

static int edit_tenant(const struct dry_edit *e, const struct object *o)
{
	const char *name = o->spec.tenant.name.s;
	struct dry_found found = dry_named(dry_list(e->all, "tenants"), name);
	const struct subject s = {o, found.item, e->own};
	const struct rule_uses uses = uses_of(found.item);
	int err = check_there(e, found.item, tenant_exists, tenant_lacks, &s);

	if (!err && e->verb == DRY_DEL && !e->force)
		err = rule_tenant_del(&uses);
	if (err)
		return err;
	if (e->verb != DRY_DEL)
		return put_tenant(e, &found, &o->spec.tenant);
	json_array_remove(found.list, found.at);
	dry_drop_peers(e->all, name);
	return 0;
}

/* ---- what a tenant has -------------------------------------------------------------- */

static int endpoint_exists(const void *what)
{
	const struct subject *s = what;

	return rule_has(s->o->spec.endpoint.tenant.s, "an endpoint", s->o->spec.endpoint.name.s);
}

static int endpoint_lacks(const void *what)
{
	const struct subject *s = what;

	return *s->o->spec.endpoint.tenant.s ? rule_lacks(s->o->spec.endpoint.tenant.s, "endpoint",
							  s->o->spec.endpoint.name.s)
					     : rule_missing("endpoint", s->o->spec.endpoint.name.s);
}

static int edit_endpoint(const struct dry_edit *e, const struct object *o)
{
	const struct tsw_endpoint_spec *spec = &o->spec.endpoint;
	const __u64 chosen = spec->automatic & TSW_AUTO_MAC ? FIELD(ENDPOINT_MAC) : 0;
	const __u64 fields = (e->given & ~(FIELD(ENDPOINT_TENANT) | chosen)) | FIELD(ENDPOINT_NAME);
	struct dry_found found;
	struct subject s = {.o = o};
	json_t *item;
	int err = dry_endpoint(e->all, spec->tenant.s, spec->name.s, &found);

	s.item = found.item;
	err = err ?: check_there(e, found.item, endpoint_exists, endpoint_lacks, &s);
	if (err)
		return err;
	if (e->verb == DRY_DEL)
		return json_array_remove(found.list, found.at);
	item = item_of(e, found.list, &found);
	put_fields(item, endpoint_fields, fields, spec);
	put_place(e, item);
	if (!json_object_get(item, "mac"))
		dry_free_mac(found.list, item);
	return 0;
}

static int gateway_exists(const void *what)
{
	const struct subject *s = what;
	struct tsw_gateway_spec its = {};

	read_item(s, gateway_fields, &its);
	return rule_has_gateway(s->o->tenant.s, &its.ip.at[0]);
}

static int gateway_lacks(const void *what)
{
	return rule_no_gateway(((const struct subject *)what)->o->tenant.s);
}

static int edit_gateway(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	json_t *item = json_object_get(tenant, "gateway");
	const struct subject s = {o, item, e->own};
	const __u64 hosts = GATEWAY_HOSTS;
	__u64 given = e->given & GATEWAY_IN_FILE;
	int err = check_there(e, item, gateway_exists, gateway_lacks, &s);

	if (!err && e->verb == DRY_DEL && !e->force)
		err = rule_gateway_del(json_array_size(json_object_get(tenant, "publish")),
				       dry_halves(e->all, o->tenant.s));
	if (err)
		return err;
	if (e->verb == DRY_DEL) {
		json_object_del(tenant, "gateway");
		json_object_del(tenant, "publish");
		dry_drop_peers(e->all, o->tenant.s);
		return 0;
	}
	if (!item)
		json_object_set_new(tenant, "gateway", item = json_object());
	else if (e->verb == DRY_REPLACE)
		json_object_clear(item);
	if (given & hosts) /* they are one list */
		given |= hosts;
	put_fields(item, gateway_fields, given, &o->spec.gateway);
	return 0;
}

static int publish_exists(const void *what)
{
	const struct subject *s = what;
	struct tsw_publish_spec its = {};

	read_item(s, publish_fields, &its);
	return rule_is_published(s->o->tenant.s, &its);
}

static int publish_lacks(const void *what)
{
	const struct subject *s = what;

	return rule_no_publish(s->o->tenant.s, &s->o->spec.publish);
}

/* Without `to`, `publish del` is about IPv4 and IPv6. */
static int edit_publish(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	const struct tsw_publish_spec *spec = &o->spec.publish;
	struct dry_found found = dry_publish(tenant, spec);
	const struct subject s = {o, found.item, e->own};
	int err = check_there(e, found.item, publish_exists, publish_lacks, &s);

	if (!err && !json_object_get(tenant, "gateway"))
		err = rule_no_gateway(o->tenant.s);
	while (!err && e->verb == DRY_DEL && found.item) {
		json_array_remove(found.list, found.at);
		found = dry_publish(tenant, spec);
	}
	if (!err && e->verb != DRY_DEL)
		json_array_append_new(found.list, fields_json(publish_fields, e->given, spec));
	return err;
}

static int edit_group(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	json_t *list = dry_list(tenant, "groups");
	const char *name = o->spec.group.s;
	size_t i, at;
	int err = 0;

	if (e->verb == DRY_DEL) {
		at = dry_group(list, name);
		if (at == json_array_size(list))
			return rule_lacks(o->tenant.s, "group", name);
		err = dry_group_used(tenant, name);
		return err ?: json_array_remove(list, at);
	}
	for (i = 0; !err && i < o->n_groups; i++)
		if (dry_group(list, o->groups[i].s) < json_array_size(list))
			err = rule_has(o->tenant.s, "a group", o->groups[i].s);
	for (i = 0; !err && i < o->n_groups; i++)
		json_array_append_new(list, json_string(o->groups[i].s));
	return err;
}

static int policy_exists(const void *what)
{
	const struct subject *s = what;

	return rule_has(s->o->tenant.s, "a policy", s->o->spec.policy.name.s);
}

static int policy_lacks(const void *what)
{
	const struct subject *s = what;

	return rule_lacks(s->o->tenant.s, "policy", s->o->spec.policy.name.s);
}

static int edit_policy(const struct dry_edit *e, const struct object *o, json_t *tenant)
{
	const struct tsw_policy_spec *spec = &o->spec.policy;
	struct dry_found found = dry_named(dry_list(tenant, "policies"), spec->name.s);
	const struct subject s = {o, found.item, e->own};
	int err = check_there(e, found.item, policy_exists, policy_lacks, &s);

	if (err)
		return err;
	if (e->verb == DRY_DEL)
		return json_array_remove(found.list, found.at);
	put_fields(item_of(e, found.list, &found), policy_fields, e->given | FIELD(POLICY_NAME),
		   spec);
	return 0;
}

static int edit_peer(const struct dry_edit *e, const struct object *o)
{
	const struct tsw_peer_spec *spec = &o->spec.peer;
	struct dry_found found = dry_peer(e->all, spec->tenant.s, spec->with.s);
	struct dry_found tenants = dry_named(dry_list(e->all, "tenants"), spec->tenant.s);

	if (!tenants.item)
		return rule_missing("tenant", spec->tenant.s);
	if (e->verb == DRY_DEL)
		return found.item ? json_array_remove(found.list, found.at)
				  : rule_no_peer(spec->tenant.s, spec->with.s);
	if (found.item)
		return rule_is_peer(spec->tenant.s, spec->with.s);
	if (!json_object_get(tenants.item, "gateway"))
		return rule_no_gateway(spec->tenant.s);
	tenants = dry_named(dry_list(e->all, "tenants"), spec->with.s);
	if (!tenants.item)
		return rule_missing("tenant", spec->with.s);
	if (!json_object_get(tenants.item, "gateway"))
		return rule_no_gateway(spec->with.s);
	json_array_append_new(found.list,
			      fields_json(peer_fields, e->given | FIELD(PEER_TENANT), spec));
	return 0;
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
	tenant = dry_named(dry_list(e->all, "tenants"), o->tenant.s);
	if (!tenant.item)
		return rule_missing("tenant", o->tenant.s);
	if (o->kind == OBJECT_GATEWAY)
		return edit_gateway(e, o, tenant.item);
	if (o->kind == OBJECT_PUBLISH)
		return edit_publish(e, o, tenant.item);
	return o->kind == OBJECT_GROUP ? edit_group(e, o, tenant.item)
				       : edit_policy(e, o, tenant.item);
}
