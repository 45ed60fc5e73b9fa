// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "agent/own_device.h"
#include "agent/reconcile_keys.h"
#include "cluster/record.h"
#include "object/endpoint.h"
#include "object/policy_group.h"
#include "object/spec.h"
#include "record/policy_find.h"
#include "state/keys.h"
#include "switch/session.h"

/* Fields that an endpoint's record always sets: without `group` it is in no group, for instance. */
enum {
	GIVEN = FIELD(ENDPOINT_MAC) | FIELD(ENDPOINT_IP) | ENDPOINT_OPTIONS |
		FIELDS(ENDPOINT_GROUP, ENDPOINT_END)
};

/* The kind of `e/ID/NAME`, `policy/ID/group/NAME` and `policy/ID/rule/NAME`. */
static enum object_kind kind_of(const char *key)
{
	if (!strncmp(key, "e/", strlen("e/")))
		return OBJECT_ENDPOINT;
	return record_is_kind(OBJECT_POLICY, key) ? OBJECT_POLICY : OBJECT_GROUP;
}

static __u32 id_of(const char *key)
{
	return (__u32)strtoul(strchr(key, '/') + 1, NULL, 10);
}

/* Finds the tenant on this switch. -EEXIST: its record has another id now. */
static int tenant_of(const struct tsw *t, const struct replica *rp, const char *key,
		     struct tsw_tenant *tenant)
{
	const __u32 id = id_of(key);
	char record[MEMBER_KEY];
	int err = map_get(&t->maps, MAP_TENANTS, &id, tenant);

	if (err)
		return err;
	snprintf(record, sizeof(record), "tenant/%s", tenant->name);
	return interest_tenant_id(record_set_find(&rp->records, record)) == id ? 0 : -EEXIST;
}

static int take_name(const char *text, struct tsw_name *name)
{
	*name = (struct tsw_name){};
	if (strlen(text) >= sizeof(name->s))
		return -EINVAL;
	memcpy(name->s, text, strlen(text));
	return 0;
}

/* ---- endpoints -------------------------------------------------------------------- */

static int put_endpoint(struct tsw *t, const struct replica *rp, const struct record *record,
			const struct tsw_name *tenant, const char *name)
{
	const struct json_at at = {.key = record->key};
	struct tsw_endpoint_spec spec = {};
	json_t *value = json_loads(record->value, JSON_REJECT_DUPLICATES, NULL);
	struct own_device own;
	bool lives, comes;
	__u64 given;
	int err = 0;

	if (value && !own_device_read(&rp->records, t->config.name, record->key, value, &own)) {
		json_decref(value);
		return 0; /* its index will come as an event of its own */
	}
	err = value ? fields_read(value, &at, endpoint_keys, &spec, &given) : -EINVAL;
	if (value)
		own_device_end(&own);
	json_decref(value);
	if (err || strcmp(spec.name.s, name))
		return -EINVAL;
	spec.tenant = *tenant;
	lives = !strcmp(spec.host.s, t->config.name);
	comes = !strcmp(spec.to_host.s, t->config.name);
	if ((lives && !*spec.dev) || (comes && !*spec.to_dev))
		return -ENODEV; /* the endpoint waits for its device */
	given = (given & ENDPOINT_LIMITS) | GIVEN;
	given |= FIELD(lives ? ENDPOINT_DEV : ENDPOINT_HOST);
	if (*spec.to_host.s)
		given |= FIELD(comes ? ENDPOINT_TO_DEV : ENDPOINT_TO_HOST);
	return spec_endpoint(t, &spec, given, SPEC_PUT);
}

static int del_endpoint(struct tsw *t, const struct tsw_name *tenant, const char *name)
{
	struct tsw_name its;
	struct endpoint ep;
	int err = take_name(name, &its);

	err = err ?: endpoint_find(t, tenant, &its, &ep);
	if (err)
		return err == -ENOENT ? 0 : err;
	return endpoint_del(t, &ep);
}

static int reconcile_endpoint(struct tsw *t, const struct replica *rp, const char *key,
			      const struct tsw_name *tenant)
{
	const struct record *record = record_set_find(&rp->records, key);
	const char *name = strchr(key + strlen("e/"), '/') + 1;

	return record ? put_endpoint(t, rp, record, tenant, name) : del_endpoint(t, tenant, name);
}

/* ---- groups and rules ------------------------------------------------------------- */

/* Reads the name behind `policy/ID/PART` of KEY. -EINVAL: KEY has another form. */
static int name_of(const char *key, const char *part, struct tsw_name *name)
{
	const char *at = strchr(strchr(key, '/') + 1, '/') + 1;

	return strncmp(at, part, strlen(part)) ? -EINVAL : take_name(at + strlen(part), name);
}

static int reconcile_group(struct tsw *t, const struct replica *rp, const char *key,
			   const struct tsw_name *tenant)
{
	const struct record *record = record_set_find(&rp->records, key);
	struct tsw_name name, its = {};
	__u32 unused;
	int err = name_of(key, "group/", &name);

	if (!err && !record) {
		err = policy_group_del(t, tenant, &name);
		return err == -ENOENT ? 0 : err;
	}
	err = err ?: record_read(OBJECT_GROUP, record->value, &its);
	if (err || strcmp(its.s, name.s))
		return -EINVAL;
	err = policy_group_find(t, id_of(key), &name, &unused);
	return err == -ENOENT ? policy_groups_add(t, tenant, &name, 1) : err;
}

static int reconcile_rule(struct tsw *t, const struct replica *rp, const char *key,
			  const struct tsw_name *tenant)
{
	const struct record *record = record_set_find(&rp->records, key);
	struct tsw_policy_spec spec = TSW_POLICY_DEFAULTS;
	struct tsw_name name;
	int err = name_of(key, "rule/", &name);

	if (!err && !record) {
		err = spec_policy_del(t, tenant, &name);
		return err == -ENOENT ? 0 : err;
	}
	err = err ?: record_read(OBJECT_POLICY, record->value, &spec);
	if (err || strcmp(spec.name.s, name.s))
		return -EINVAL;
	return spec_policy(t, tenant, &spec, ~0ULL, SPEC_PUT);
}

/* ---- all keys --------------------------------------------------------------------- */

/* Applies the record as it is now, whatever happened before. */
static int reconcile(struct tsw *t, const struct replica *rp, const char *key)
{
	struct tsw_name name = {};
	struct tsw_tenant tenant;
	int err = tenant_of(t, rp, key, &tenant);

	if (err)
		return err;
	memcpy(name.s, tenant.name, sizeof(name.s));
	switch (kind_of(key)) {
	case OBJECT_GROUP:
		return reconcile_group(t, rp, key, &name);
	case OBJECT_POLICY:
		return reconcile_rule(t, rp, key, &name);
	default:
		return reconcile_endpoint(t, rp, key, &name);
	}
}

static int reconcile_kind(struct tsw *t, const struct replica *rp, enum object_kind kind,
			  bool there)
{
	size_t i;
	/* Groups and rules must see the counts that endpoints have changed. */
	int err = kind == OBJECT_ENDPOINT ? 0 : session_flush(t);

	for (i = 0; !err && i < rp->n_fresh; i++)
		if (kind_of(rp->fresh[i]) == kind &&
		    (record_set_find(&rp->records, rp->fresh[i]) != NULL) == there)
			err = reconcile(t, rp, rp->fresh[i]);
	return err;
}

/*
 * Removes endpoints first, because added ones may need their addresses. Adds groups before their
 * members and the rules that name them, and removes them last.
 */
int reconcile_keys(struct tsw *t, struct replica *rp)
{
	static const struct {
		enum object_kind kind;
		bool there;
	} order[] = {{OBJECT_ENDPOINT, false}, {OBJECT_GROUP, true},   {OBJECT_POLICY, true},
		     {OBJECT_ENDPOINT, true},  {OBJECT_POLICY, false}, {OBJECT_GROUP, false}};
	size_t i;
	int err;

	session_close(t);
	t->will_write = true;
	err = session_open(t);
	for (i = 0; !err && i < sizeof(order) / sizeof(*order); i++)
		err = reconcile_kind(t, rp, order[i].kind, order[i].there);
	session_close(t);
	t->will_write = false;
	replica_forget_fresh(rp);
	return err;
}
