// SPDX-License-Identifier: GPL-2.0-only
/* `show` with -c: the objects of a cluster's records, with what the records alone say of them. */
#include <netinet/in.h>
#include <string.h>

#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/endpoint.h"
#include "cluster/gateway.h"
#include "cluster/hosts.h"
#include "cluster/peers.h"
#include "cluster/policy.h"
#include "cluster/publish.h"
#include "cluster/tenant.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "cmd/shown.h"
#include "record/fields.h"
#include "record/limits.h"
#include "record/peer_pair.h"

struct listing {
	json_t *list;
	bool all; /* also what is not said, as in JSON */
};

/* ---- hosts and tenants ------------------------------------------------------------ */

struct hosts_shown {
	const struct records *r;
	const struct tsw_name *name; /* empty: all */
	json_t *list;
	struct look counts; /* of endpoints, in the order of the list */
};

/* As cmd/host.c's. */
static int add_host(void *context, const struct tsw_host_spec *spec)
{
	struct hosts_shown *shown = context;
	json_t *fields;

	if (*shown->name->s && strcmp(shown->name->s, spec->name.s) != 0)
		return 0;
	fields = fields_json(host_fields, HOST_TOLD, spec);
	json_array_append_new(
		shown->list,
		json_pack("{s:o, s:O, s:O, s:O*, s:O*}", "name", json_text(spec->name.s), "ip",
			  json_array_get(json_object_get(fields, "ip"), 0), "ips",
			  json_object_get(fields, "ip"), "zone", json_object_get(fields, "zone"),
			  "key", json_object_get(fields, "key")));
	json_decref(fields);
	look_count(&shown->counts, shown->r, "at/%s/", spec->name.s);
	return 0;
}

int cmd_host_records(struct cli *cli, const struct words *w)
{
	struct hosts_shown shown = {.name = &w->name, .list = json_array()};
	struct records *r;
	size_t refused = 0, i;
	__s64 revision;
	json_t *item;
	int err = records_begin(cli, &r);

	shown.r = r;
	err = err ?: cluster_hosts(r->e, &r->m, &revision, &refused, add_host, &shown);
	if (!err && *w->name.s && !json_array_size(shown.list))
		err = rule_missing("host", w->name.s);
	err = err ?: look_read(r, &shown.counts);
	json_array_foreach(shown.list, i, item)
		if (!err)
			json_object_set_new(item, "endpoints",
					    json_integer(shown.counts.at[i].count));
	look_end(&shown.counts);
	return records_show(cli, shown.list, refused, err);
}

/* The MTU is null where each host's underlay says it. */
static int add_tenant(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	const struct listing *l = context;

	json_array_append_new(l->list, shown_tenant(spec, l->all, endpoints));
	return 0;
}

int tell_tenant_record(struct cli *cli, const struct tsw_name *name)
{
	return cmd_tenant_records(cli, &(struct words){.given = W_NAME, .name = *name});
}

int cmd_tenant_records(struct cli *cli, const struct words *w)
{
	struct listing l = {json_array(), cli->out.json};
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	if (!err)
		err = w->given & W_NAME ? cluster_tenant_one(r, &w->name, add_tenant, &l)
					: cluster_tenants(r, &refused, add_tenant, &l);
	return records_show(cli, l.list, refused, err);
}

/* ---- endpoints -------------------------------------------------------------------- */

static json_t *group_names(const struct tsw_group_list *group)
{
	json_t *names = json_array();
	__u32 i;

	for (i = 0; i < group->n; i++)
		json_array_append_new(names, json_text(group->at[i].s));
	return names;
}

/* As cmd/endpoint.c's; dev is that host's. */
static int add_endpoint(void *context, const struct tsw_endpoint_spec *spec)
{
	const struct listing *l = context;
	json_t *ips = json_array(), *item;
	unsigned int i;

	for (i = 0; i < spec->ip.n; i++)
		json_array_append_new(ips, json_string(addr_text(&spec->ip.at[i])));
	item = json_pack("{s:o, s:o, s:s, s:o, s:o}", "name", json_text(spec->name.s), "tenant",
			 json_text(spec->tenant.s), "mac", mac_text(&spec->mac), "ip", ips, "host",
			 json_text(spec->host.s));
	if (spec->dev[0])
		json_object_set_new(item, "dev", json_text(spec->dev));
	if (spec->to_host.s[0])
		json_object_set_new(item, "to_host", json_text(spec->to_host.s));
	if (spec->to_dev[0])
		json_object_set_new(item, "to_dev", json_text(spec->to_dev));
	limits_json(&spec->limits, item);
	if (spec->server)
		json_object_set_new(item, "server", json_true());
	if (l->all || spec->group.n)
		json_object_set_new(item, "group", group_names(&spec->group));
	json_array_append_new(l->list, item);
	return 0;
}

int tell_endpoint_record(struct cli *cli, const struct tsw_endpoint_spec *got)
{
	struct listing l = {json_array(), cli->out.json};

	add_endpoint(&l, got);
	return records_show(cli, l.list, 0, 0);
}

int cmd_endpoint_records(struct cli *cli, const struct words *w)
{
	struct listing l = {json_array(), cli->out.json};
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err
		      ?: cluster_endpoints(r, &w->endpoint.tenant, &w->name, &refused, add_endpoint,
					   &l);
	if (!err && !json_array_size(l.list) && w->given & W_NAME)
		err = rule_missing("endpoint", w->name.s);
	return records_show(cli, l.list, refused, err);
}

/* ---- gateways, published ports, peerings ------------------------------------------ */

/* In their order; NULL: there is one at most. */
static json_t *hosts_json(const struct tsw_gateway_spec *spec)
{
	json_t *list = spec->backup.n ? json_pack("[o]", json_text(spec->host.s)) : NULL;
	__u32 i;

	for (i = 0; i < spec->backup.n; i++)
		json_array_append_new(list, json_text(spec->backup.at[i].s));
	return list;
}

/* As cmd/gateway.c's; host is null where each serves its own. */
static int add_gateway(void *list, const char *tenant, const struct tsw_gateway_spec *spec)
{
	const bool all = !*spec->host.s;
	json_t *fields =
		fields_json(gateway_fields,
			    FIELD(GATEWAY_IP) | FIELD(GATEWAY_SNAT) | FIELD(GATEWAY_RESOLVER) |
				    FIELD(GATEWAY_FAST) | FIELD(GATEWAY_METADATA),
			    spec);

	json_array_append_new(
		list, json_pack("{s:o, s:O, s:s, s:o, s:b, s:b, s:O, s:o*, s:O*, s:O*, s:O*}",
				"tenant", json_text(tenant), "ip", json_object_get(fields, "ip"),
				"mac", mac_text(&spec->mac), "host",
				all ? json_null() : json_text(spec->host.s), "everywhere", all,
				"nat", spec->nat, "snat", json_object_get(fields, "snat"), "hosts",
				hosts_json(spec), "resolver", json_object_get(fields, "resolver"),
				"fast", json_object_get(fields, "fast"), "metadata",
				json_object_get(fields, "metadata")));
	json_decref(fields);
	fields = fields_json(gateway_fields, GATEWAY_TRACKING, spec);
	json_object_update(json_array_get(list, json_array_size(list) - 1), fields);
	json_decref(fields);
	return 0;
}

int cmd_gateway_records(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_gateways(r, &w->name, &refused, add_gateway, list);
	return records_show(cli, list, refused, err);
}

static int add_publish(void *list, const char *tenant, const struct tsw_publish_spec *spec)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(tenant));
	json_t *fields = fields_json(publish_fields, ~0ULL, spec);

	json_object_update(item, fields);
	json_decref(fields);
	json_array_append_new(list, item);
	return 0;
}

int cmd_publish_records(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_publishes(r, &w->name, &refused, add_publish, list);
	return records_show(cli, list, refused, err);
}

static bool is_open(const struct tsw_peer_spec *a, const struct tsw_peer_spec *b)
{
	struct pair pair = {};
	__u16 port;
	__u8 proto;

	if (!b)
		return false;
	pair.side[0].half.port = (__u16)a->port;
	pair.side[0].half.proto = a->port ? proto_number(a->proto) : 0;
	pair.side[1].half.port = (__u16)b->port;
	pair.side[1].half.proto = b->port ? proto_number(b->proto) : 0;
	return peer_common(&pair, &proto, &port);
}

static int add_peer(void *list, const struct tsw_peer_spec *spec, const struct tsw_peer_spec *other)
{
	json_t *fields = fields_json(peer_fields, ~0ULL, spec);

	json_array_append_new(
		list, json_pack("{s:o, s:o, s:O, s:o, s:O, s:b}", "tenant",
				json_text(spec->tenant.s), "with", json_text(spec->with.s), "proto",
				spec->port ? json_object_get(fields, "proto") : json_null(), "port",
				spec->port ? json_integer(spec->port) : json_null(), "prefix",
				json_object_get(fields, "prefix"), "open", is_open(spec, other)));
	json_decref(fields);
	return 0;
}

int cmd_peer_records(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_peers(r, &w->name, &refused, add_peer, list);
	return records_show(cli, list, refused, err);
}

/* ---- policies --------------------------------------------------------------------- */

static int add_group(void *list, const struct cluster_group *group)
{
	json_array_append_new(
		list, json_pack("{s:o, s:o, s:I, s:I}", "tenant", json_text(group->tenant.s),
				"name", json_text(group->name.s), "endpoints",
				(json_int_t)group->endpoints, "rules", (json_int_t)group->rules));
	return 0;
}

int cmd_group_records(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_groups(r, &w->name, &refused, add_group, list);
	return records_show(cli, list, refused, err);
}

/* As cmd/policy.c's, but for what each switch counts itself. */
static int add_policy(void *list, const char *tenant, const struct tsw_policy_spec *spec)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(tenant));
	json_t *fields = fields_json(policy_fields, ~0ULL, spec);

	json_object_update(item, fields);
	json_decref(fields);
	json_array_append_new(list, item);
	return 0;
}

int cmd_policy_records(struct cli *cli, const struct words *w)
{
	json_t *list = json_array();
	struct records *r;
	size_t refused = 0;
	int err = records_begin(cli, &r);

	err = err ?: cluster_policies(r, &w->name, &w->second, &refused, add_policy, list);
	if (!err && w->given & W_SECOND && !json_array_size(list))
		err = rule_lacks(w->name.s, "policy", w->second.s);
	return records_show(cli, list, refused, err);
}
