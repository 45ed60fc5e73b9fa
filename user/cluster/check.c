// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the records of objects follow their claims and indices. These are compared with those that
 * are there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/problem.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/check.h"
#include "cluster/claims.h"
#include "cluster/host_index.h"

struct check {
	const struct records *r;
	json_t *problems;
	json_t *hosts, *tenants, *ids; /* by name: 1; by name: id; by id: name */
	json_t *groups;		       /* by ID/NAME: 1 */
	json_t *expected;	       /* key -> owner; of an index: [device], or [] */
	enum object_kind kind;
	size_t prefix; /* octets of keys before KIND/ */
};

/* A key without what all have in common. */
static const char *place(const struct check *c, const char *key)
{
	return key + c->prefix;
}

static void expect(struct check *c, const char *key, const char *owner)
{
	json_object_set_new(c->expected, key, json_string(owner));
}

static void expect_index(struct check *c, const char *host, const char *id, const char *name,
			 const char *device)
{
	char key[MEMBER_KEY];

	record_key(c->r, key, "at/%s/%s/%s", host, id, name);
	json_object_set_new(c->expected, key,
			    *device ? json_pack("[o]", json_text(device)) : json_array());
}

static void expect_holding(struct check *c, long long id, const char *owner,
			   const struct tsw_mac *mac, const struct tsw_addr *ip)
{
	char key[MEMBER_KEY];

	if (mac)
		record_key(c->r, key, "mac/%lld/%s", id, mac_text(mac));
	else
		record_key(c->r, key, "ip/%lld/%s", id, addr_text(ip));
	expect(c, key, owner);
}

static void check_host(struct check *c, const char *key, const char *host)
{
	if (*host && !json_object_get(c->hosts, host))
		problem(c->problems, "unknown_host", place(c, key), "%s is no host of the cluster",
			quoted(host));
}

/* ---- what is expected ------------------------------------------------------------- */

static void take_host(struct check *c, const char *key, const struct tsw_host_spec *spec)
{
	char claim[MEMBER_KEY];
	int family;

	(void)key;
	json_object_set_new(c->hosts, spec->name.s, json_integer(1));
	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&spec->ip.of[family]))
			continue;
		record_key(c->r, claim, "vtep/%s", addr_text(&spec->ip.of[family]));
		expect(c, claim, spec->name.s);
	}
}

static void take_tenant(struct check *c, const char *key, const struct tsw_tenant_spec *spec)
{
	char claim[MEMBER_KEY], id[16];

	snprintf(id, sizeof(id), "%u", spec->id);
	if (json_object_get(c->ids, id))
		problem(c->problems, "wrong_claim", place(c, key),
			"its id %u is also that of tenant %s", spec->id,
			quoted(json_string_value(json_object_get(c->ids, id))));
	json_object_set_new(c->tenants, spec->name.s, json_integer(spec->id));
	json_object_set_new(c->ids, id, json_string(spec->name.s));
	record_key(c->r, claim, "vni/%u", spec->id);
	expect(c, claim, spec->name.s);
}

/* ---- groups and rules ------------------------------------------------------------- */

/* Of `policy/ID/...` and `e/ID/...`: the id, if it is a tenant's. */
static bool find_id(struct check *c, const char *key, char id[16])
{
	const char *text = place(c, key), *number = strchr(text, '/');

	*id = '\0';
	if (number)
		snprintf(id, 16, "%.*s", (int)strcspn(number + 1, "/"), number + 1);
	if (json_object_get(c->ids, id))
		return true;
	problem(c->problems, "unknown_tenant", text, "no tenant has the id %s", quoted(id));
	return false;
}

static void group_text(char text[128], const char *id, const struct tsw_name *name)
{
	snprintf(text, 128, "%s/%s", id, name->s);
}

static void take_group(struct check *c, const char *key, const struct tsw_name *name)
{
	char id[16], text[128];

	if (!find_id(c, key, id))
		return;
	group_text(text, id, name);
	json_object_set_new(c->groups, text, json_integer(1));
}

static void check_group(struct check *c, const char *key, const char *id,
			const struct tsw_name *name)
{
	char text[128];

	group_text(text, id, name);
	if (!json_object_get(c->groups, text))
		problem(c->problems, "unknown_group", place(c, key), "the tenant has no group %s",
			quoted(name->s));
}

static void take_policy(struct check *c, const char *key, const struct tsw_policy_spec *spec)
{
	char id[16];

	if (!find_id(c, key, id))
		return;
	if (spec->from.who == TSW_WHO_GROUP)
		check_group(c, key, id, &spec->from.group);
	if (spec->to.who == TSW_WHO_GROUP)
		check_group(c, key, id, &spec->to.group);
}

/* ---- the rest --------------------------------------------------------------------- */

static void take_endpoint(struct check *c, const char *key, const struct tsw_endpoint_spec *spec)
{
	char id[16];
	long long number;
	unsigned int i;

	if (!find_id(c, key, id))
		return;
	number = strtoll(id, NULL, 10);
	for (i = 0; i < spec->group.n; i++)
		check_group(c, key, id, &spec->group.at[i]);
	check_host(c, key, spec->host.s);
	check_host(c, key, spec->to_host.s);
	expect_holding(c, number, spec->name.s, &spec->mac, NULL);
	for (i = 0; i < spec->ip.n; i++)
		expect_holding(c, number, spec->name.s, NULL, &spec->ip.at[i]);
	expect_index(c, spec->host.s, id, spec->name.s, spec->dev);
	if (spec->to_host.s[0])
		expect_index(c, spec->to_host.s, id, spec->name.s, spec->to_dev);
}

static json_t *tenant_of(struct check *c, const char *key, const char *name)
{
	json_t *tenant = json_object_get(c->tenants, name);

	if (!tenant)
		problem(c->problems, "unknown_tenant", place(c, key), "there is no tenant %s",
			quoted(name));
	return tenant;
}

static void take_gateway(struct check *c, const char *key, const struct tsw_gateway_spec *spec)
{
	const json_t *tenant = tenant_of(c, key, record_name(key));
	const long long id = json_integer_value(tenant);
	__u32 i;

	if (!tenant)
		return;
	check_host(c, key, spec->host.s);
	for (i = 0; i < spec->backup.n; i++)
		check_host(c, key, spec->backup.at[i].s);
	expect_holding(c, id, CLAIMS_GATEWAY, &spec->mac, NULL);
	for (i = 0; i < spec->ip.n; i++)
		expect_holding(c, id, CLAIMS_GATEWAY, NULL, &spec->ip.at[i].addr);
}

static void take_publish(struct check *c, const char *key, const struct tsw_publish_spec *spec)
{
	char name[MEMBER_KEY] = "";

	sscanf(place(c, key), "publish/%511[^/]/", name);
	tenant_of(c, key, name);
	check_host(c, key, spec->host.s);
}

static void take_peer(struct check *c, const char *key, const struct tsw_peer_spec *spec)
{
	tenant_of(c, key, spec->tenant.s);
	tenant_of(c, key, spec->with.s);
}

static int take(void *context, const struct etcd_entry *entry)
{
	struct check *c = context;
	union record_spec spec = {};

	if (!*record_name(entry->key) || !record_is_kind(c->kind, entry->key))
		return 0; /* a pulse, or of another kind */
	if (record_read(c->kind, entry->value, &spec)) {
		problem(c->problems, "bad_record", place(c, entry->key), "%s", failure()->text);
		return 0;
	}
	switch (c->kind) {
	case OBJECT_HOST:
		take_host(c, entry->key, &spec.host);
		break;
	case OBJECT_TENANT:
		take_tenant(c, entry->key, &spec.tenant);
		break;
	case OBJECT_GROUP:
		take_group(c, entry->key, &spec.group);
		break;
	case OBJECT_ENDPOINT:
		take_endpoint(c, entry->key, &spec.endpoint);
		break;
	case OBJECT_GATEWAY:
		take_gateway(c, entry->key, &spec.gateway);
		break;
	case OBJECT_PUBLISH:
		take_publish(c, entry->key, &spec.publish);
		break;
	case OBJECT_PEER:
		take_peer(c, entry->key, &spec.peer);
		break;
	case OBJECT_POLICY:
		take_policy(c, entry->key, &spec.policy);
		break;
	case OBJECT_KINDS:
		break;
	}
	return 0;
}

/* ---- what is there ---------------------------------------------------------------- */

/* Of what its host does not say of its device, it takes nothing. */
static void compare_index(struct check *c, const struct etcd_entry *entry, const json_t *expected)
{
	const char *want = json_string_value(json_array_get(expected, 0));
	json_t *device = host_index_device(entry->value);
	const char *is = json_string_value(device);

	if (strcmp(want ? want : "", is ? is : ""))
		problem(c->problems, "wrong_device", place(c, entry->key),
			"the endpoint's record has the device %s, and its host's index %s",
			want ? quoted(want) : "none", is ? quoted(is) : "none");
	json_decref(device);
}

static int compare(void *context, const struct etcd_entry *entry)
{
	struct check *c = context;
	const json_t *expected = json_object_get(c->expected, entry->key);
	const char *want = json_string_value(expected);
	char owner[CHANGE_TEXT];

	if (!*record_name(entry->key))
		return 0; /* a pulse */
	claim_read(entry->value, owner, NULL);
	if (json_is_array(expected))
		compare_index(c, entry, expected);
	else if (!expected)
		problem(c->problems, "orphan_claim", place(c, entry->key), "%s%s",
			*owner ? "it says that it is of " : "it leads nowhere",
			*owner ? quoted(owner) : "");
	else if (strcmp(want, owner) != 0)
		problem(c->problems, "wrong_claim", place(c, entry->key), "it is of %s, not of %s",
			quoted(want), quoted(owner));
	if (expected)
		json_object_del(c->expected, entry->key);
	return 0;
}

static int read_all(struct check *c)
{
	static const char *const claims[] = {"vtep/", "vni/", "ip/", "mac/", "at/"};
	struct record_range range;
	__s64 revision = 0;
	size_t i;
	int err = 0;

	for (c->kind = OBJECT_HOST; !err && c->kind < OBJECT_KINDS; c->kind++) {
		range = record_range(c->r, "%s", record_prefixes[c->kind]);
		c->prefix = strlen(range.key) - 1 - strlen(record_prefixes[c->kind]);
		err = records_each(c->r, &range, &revision, take, c);
	}
	for (i = 0; !err && i < sizeof(claims) / sizeof(*claims); i++) {
		range = record_range(c->r, "%s", claims[i]);
		err = records_each(c->r, &range, &revision, compare, c);
	}
	return err;
}

int cluster_check(const struct records *r, json_t *problems)
{
	struct check c = {.r = r,
			  .problems = problems,
			  .hosts = json_object(),
			  .tenants = json_object(),
			  .ids = json_object(),
			  .groups = json_object(),
			  .expected = json_object()};
	const char *key;
	json_t *owner;
	int err = read_all(&c);

	json_object_foreach(c.expected, key, owner)
		if (!err)
			problem(problems, "missing_claim", place(&c, key), "%s%s",
				json_is_array(owner) ? "it is not there" : "it should be of ",
				json_is_array(owner) ? "" : quoted(json_string_value(owner)));
	json_decref(c.hosts);
	json_decref(c.tenants);
	json_decref(c.ids);
	json_decref(c.groups);
	json_decref(c.expected);
	return err;
}
