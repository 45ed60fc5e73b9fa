// SPDX-License-Identifier: GPL-2.0-only
/* Derives claims and indices from the records of objects, and compares them with the real ones. */
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
	json_t *hosts, *groups; /* sets of NAME, of ID/NAME */
	json_t *tenants, *ids;	/* name -> id, id -> name */
	json_t *expected;	/* key -> owner of a claim, or [device] or [] of an index */
	enum object_kind kind;
	size_t prefix; /* length of the cluster's prefix, in octets */
};

/* KEY without the cluster's prefix. */
static const char *place(const struct check *c, const char *key)
{
	return key + c->prefix;
}

/* The claim that FORMAT makes the key of should be OWNER's. */
static void expect(struct check *c, const char *owner, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void expect(struct check *c, const char *owner, const char *format, ...)
{
	char part[MEMBER_KEY], key[MEMBER_KEY];
	va_list words;

	va_start(words, format);
	vsnprintf(part, sizeof(part), format, words);
	va_end(words);
	record_key(c->r, key, "%s", part);
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

/* Endpoints share the claim on a vip. An endpoint that lists the address keeps the claim. */
static void expect_member(struct check *c, const char *name, const char *id,
			  const struct tsw_addr *addr)
{
	char key[MEMBER_KEY];
	json_t *members;

	record_key(c->r, key, "ip/%s/%s", id, addr_text(addr));
	members = json_object_get(c->expected, key);
	if (!members)
		json_object_set_new(c->expected, key, members = json_object());
	if (json_is_object(members))
		json_object_set_new(members, name, json_true());
}

static void check_host(struct check *c, const char *key, const char *host)
{
	if (*host && !json_object_get(c->hosts, host))
		problem(c->problems, "unknown_host", place(c, key), "%s is no host of the cluster",
			quoted(host));
}

/* ---- what the records of objects say ---------------------------------------------- */

static void take_host(struct check *c, const char *key, const union record_spec *of)
{
	const struct tsw_host_spec *spec = &of->host;
	int family;

	(void)key;
	json_object_set_new(c->hosts, spec->name.s, json_true());
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&spec->ip.of[family]))
			expect(c, spec->name.s, "vtep/%s", addr_text(&spec->ip.of[family]));
}

static void take_tenant(struct check *c, const char *key, const union record_spec *of)
{
	const struct tsw_tenant_spec *spec = &of->tenant;
	char id[16];

	snprintf(id, sizeof(id), "%u", spec->id);
	if (json_object_get(c->ids, id))
		problem(c->problems, "wrong_claim", place(c, key), "tenant %s also has its id %u",
			quoted(json_string_value(json_object_get(c->ids, id))), spec->id);
	json_object_set_new(c->tenants, spec->name.s, json_integer(spec->id));
	json_object_set_new(c->ids, id, json_string(spec->name.s));
	expect(c, spec->name.s, "vni/%u", spec->id);
}

/* Reads the id from `policy/ID/...` or `e/ID/...`. False: no tenant has that id. */
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

static void take_group(struct check *c, const char *key, const union record_spec *of)
{
	char id[16], text[128];

	if (!find_id(c, key, id))
		return;
	group_text(text, id, &of->group);
	json_object_set_new(c->groups, text, json_true());
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

static void take_policy(struct check *c, const char *key, const union record_spec *of)
{
	const struct tsw_policy_spec *spec = &of->policy;
	char id[16];

	if (!find_id(c, key, id))
		return;
	if (spec->from.who == TSW_WHO_GROUP)
		check_group(c, key, id, &spec->from.group);
	if (spec->to.who == TSW_WHO_GROUP)
		check_group(c, key, id, &spec->to.group);
}

static void take_endpoint(struct check *c, const char *key, const union record_spec *of)
{
	const struct tsw_endpoint_spec *spec = &of->endpoint;
	const char *name = spec->name.s;
	unsigned int i;
	char id[16];

	if (!find_id(c, key, id))
		return;
	for (i = 0; i < spec->group.n; i++)
		check_group(c, key, id, &spec->group.at[i]);
	check_host(c, key, spec->host.s);
	check_host(c, key, spec->to_host.s);
	expect(c, name, "mac/%s/%s", id, mac_text(&spec->mac));
	for (i = 0; i < spec->ip.n; i++)
		expect(c, name, "ip/%s/%s", id, addr_text(&spec->ip.at[i]));
	for (i = 0; i < spec->prefix.n; i++)
		expect(c, name, "net/%s/%s", id, prefix_text(&spec->prefix.at[i]));
	for (i = 0; i < spec->vip.n; i++)
		expect_member(c, name, id, &spec->vip.at[i]);
	expect_index(c, spec->host.s, id, name, spec->dev);
	if (spec->to_host.s[0])
		expect_index(c, spec->to_host.s, id, name, spec->to_dev);
}

static json_t *tenant_of(struct check *c, const char *key, const char *name)
{
	json_t *tenant = json_object_get(c->tenants, name);

	if (!tenant)
		problem(c->problems, "unknown_tenant", place(c, key), "there is no tenant %s",
			quoted(name));
	return tenant;
}

static void take_gateway(struct check *c, const char *key, const union record_spec *of)
{
	const struct tsw_gateway_spec *spec = &of->gateway;
	const json_t *tenant = tenant_of(c, key, record_name(key));
	const long long id = json_integer_value(tenant);
	__u32 i;

	if (!tenant)
		return;
	check_host(c, key, spec->host.s);
	for (i = 0; i < spec->backup.n; i++)
		check_host(c, key, spec->backup.at[i].s);
	expect(c, CLAIMS_GATEWAY, "mac/%lld/%s", id, mac_text(&spec->mac));
	for (i = 0; i < spec->ip.n; i++)
		expect(c, CLAIMS_GATEWAY, "ip/%lld/%s", id, addr_text(&spec->ip.at[i].addr));
}

static void take_publish(struct check *c, const char *key, const union record_spec *of)
{
	char name[MEMBER_KEY] = "";

	sscanf(place(c, key), "publish/%511[^/]/", name);
	tenant_of(c, key, name);
	check_host(c, key, of->publish.host.s);
}

static void take_peer(struct check *c, const char *key, const union record_spec *of)
{
	tenant_of(c, key, of->peer.tenant.s);
	tenant_of(c, key, of->peer.with.s);
}

static int take(void *context, const struct etcd_entry *entry)
{
	static void (*const takes[OBJECT_KINDS])(struct check * c, const char *key,
						 const union record_spec *of) = {
		[OBJECT_HOST] = take_host,	 [OBJECT_TENANT] = take_tenant,
		[OBJECT_GROUP] = take_group,	 [OBJECT_ENDPOINT] = take_endpoint,
		[OBJECT_GATEWAY] = take_gateway, [OBJECT_PUBLISH] = take_publish,
		[OBJECT_PEER] = take_peer,	 [OBJECT_POLICY] = take_policy,
	};
	struct check *c = context;
	union record_spec spec = {};

	if (!record_is_kind(c->kind, entry->key))
		return 0;
	if (record_read(c->kind, entry->value, &spec))
		problem(c->problems, "bad_record", place(c, entry->key), "%s", failure()->text);
	else
		takes[c->kind](c, entry->key, &spec);
	return 0;
}

/* ---- the real claims and indices -------------------------------------------------- */

/* A host uses only the devices that its own index names. */
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

static void compare_members(struct check *c, const struct etcd_entry *entry, const json_t *expected)
{
	json_t *members = claim_members(entry->value), *member;
	bool same = json_array_size(members) == json_object_size(expected) &&
		    claim_is_of(entry->value, CLAIMS_VIP);
	size_t i;

	json_array_foreach(members, i, member)
		same &= json_is_string(member) &&
			json_object_get(expected, json_string_value(member));
	if (!same)
		problem(c->problems, "wrong_claim", place(c, entry->key),
			"it does not list the endpoints with this vip");
	json_decref(members);
}

static int compare(void *context, const struct etcd_entry *entry)
{
	struct check *c = context;
	const json_t *expected = json_object_get(c->expected, entry->key);
	const char *want = json_string_value(expected);
	char owner[CHANGE_TEXT];

	claim_read(entry->value, owner, NULL);
	if (json_is_array(expected))
		compare_index(c, entry, expected);
	else if (json_is_object(expected))
		compare_members(c, entry, expected);
	else if (!expected)
		problem(c->problems, "orphan_claim", place(c, entry->key),
			"no record%s%s has this value", *owner ? " of " : "",
			*owner ? quoted(owner) : "");
	else if (strcmp(want, owner) != 0)
		problem(c->problems, "wrong_claim", place(c, entry->key),
			"its owner should be %s, and is %s", quoted(want), quoted(owner));
	if (expected)
		json_object_del(c->expected, entry->key);
	return 0;
}

static int read_all(struct check *c)
{
	static const char *const claims[] = {"vtep/", "vni/", "ip/", "mac/", "net/", "at/"};
	char key[MEMBER_KEY];
	__s64 revision = 0;
	size_t i;
	int err = 0;

	record_key(c->r, key, "host/");
	c->prefix = strlen(key) - strlen("host/");
	for (c->kind = OBJECT_HOST; !err && c->kind < OBJECT_KINDS; c->kind++)
		err = records_each(c->r, &revision, take, c, "%s", record_prefixes[c->kind]);
	for (i = 0; !err && i < sizeof(claims) / sizeof(*claims); i++)
		err = records_each(c->r, &revision, compare, c, "%s", claims[i]);
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
				json_is_string(owner) ? "its owner should be "
						      : "it does not exist",
				json_is_string(owner) ? quoted(json_string_value(owner)) : "");
	json_decref(c.hosts);
	json_decref(c.tenants);
	json_decref(c.ids);
	json_decref(c.groups);
	json_decref(c.expected);
	return err;
}
