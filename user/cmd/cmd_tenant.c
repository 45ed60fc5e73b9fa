// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "record/counters.h"
#include "object/fair.h"
#include "object/tenant.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/spell.h"
#include "record/description.h"
#include "record/domain.h"
#include "record/flow_list.h"
#include "record/fields.h"
#include "record/nets.h"
#include "record/share.h"
#include "record/policy_find.h"
#include "object/spec.h"
#include "record/tenant_find.h"
#include "wire/mtu.h"

int fit_tenant(struct words *w)
{
	return spec_check_id(&w->tenant, w->given);
}

/* The range of an id without encap is that of the tenant's own encapsulation, seen later. */
int fit_tenant_set(struct words *w)
{
	return w->given & FIELD(TENANT_ENCAP) ? fit_tenant(w) : 0;
}

static json_t *tenant_json(const struct tenant_row *row, const __u32 limit[TSW_ENCAPS])
{
	const struct tsw_tenant *tenant = &row->tenant;
	const __u32 mtu = tenant_mtu(tenant->mtu, limit[tenant->encap]);

	/* From another network namespace the underlay's MTU is not known. */
	return json_pack("{s:o, s:I, s:s, s:o, s:b, s:I}", "name", json_text(tenant->name), "id",
			 (json_int_t)row->id, "encap", encap_text(tenant->encap), "mtu",
			 mtu ? json_integer(mtu) : json_null(), "broadcast",
			 !!(tenant->flags & TSW_TENANT_BROADCAST), "endpoints",
			 (json_int_t)tenant->endpoints);
}

static int add_counters(const struct tsw *t, const struct drops *drops, __u32 id, json_t *item)
{
	struct tsw_stats stats = {};
	int err = tenant_stats(t, id, &stats);

	if (err)
		return err;
	json_object_set_new(item, "local", counter_json(&stats.local));
	json_object_set_new(item, "tunnel_tx", counter_json(&stats.tunnel_tx));
	json_object_set_new(item, "tunnel_rx", counter_json(&stats.tunnel_rx));
	json_object_set_new(item, "gateway", counter_json(&stats.gateway));
	json_object_set_new(item, "drops", json_integer((json_int_t)drops_of(drops, id)));
	return 0;
}

struct shown {
	__u32 limit[TSW_ENCAPS];   /* of MTUs */
	const struct drops *drops; /* NULL: no counters */
};

static int read_limits(struct tsw *t, struct shown *shown)
{
	__u32 encap;
	int err = 0;

	for (encap = 0; !err && encap < TSW_ENCAPS; encap++)
		err = tenant_mtu_limit(t, encap, &shown->limit[encap]);
	return err;
}

static void add_nets(const struct tsw_tenant *tenant, const struct tsw_nets *nets,
		     const struct tsw_name *domain, json_t *item)
{
	const struct tsw_tenant_spec spec = {.net = nets_list(nets),
					     .dhcp = tenant->flags & TSW_TENANT_DHCP,
					     .dns = tenant->flags & TSW_TENANT_DNS,
					     .domain = *domain};
	json_t *json = fields_json(tenant_fields, TENANT_ANSWERED, &spec);

	json_object_update(item, json);
	json_decref(json);
}

/* For people what is not said is not shown. */
static int add_policy(struct cli *cli, const struct tenant_row *row, json_t *item)
{
	struct tsw_tenant_spec spec;
	int err = policy_load_mode(&cli->tsw, row->id, row->tenant.flags, &spec);

	if (!err && (cli->out.json || spec.policy))
		json_object_set_new(item, "policy", json_string(word_modes[spec.policy]));
	if (!err && (cli->out.json || spec.deny))
		json_object_set_new(item, "default", json_string(word_actions[spec.deny]));
	return err;
}

static int add_flows(struct cli *cli, const struct tenant_row *row, json_t *item)
{
	const bool on = row->tenant.flags & TSW_TENANT_FLOWS;
	struct tsw_flow_table table;
	int err = flow_table_load(&cli->tsw, row->id, &table);

	if (!err && (cli->out.json || on))
		json_object_set_new(item, "flows", json_boolean(on));
	if (!err && table.entries)
		json_object_set_new(item, "flow_entries", json_integer(table.entries));
	return err;
}

/* For people the share is shown where somebody chose it. */
static int add_share(struct cli *cli, const struct tenant_row *row, json_t *item)
{
	struct tsw_share share;
	__u32 most;
	int err = share_load(&cli->tsw, row->id, &share);

	if (err)
		return err;
	most = share_endpoints(&cli->tsw.config, share.endpoints);
	if (cli->out.json)
		json_object_set_new(item, "addresses", json_integer(share.addrs));
	if (cli->out.json || share.endpoints)
		json_object_set_new(item, "max_endpoints", json_integer(most));
	return 0;
}

static int print(struct cli *cli, const struct shown *shown, const struct tenant_row *row)
{
	const struct tsw *t = &cli->tsw;
	json_t *item = tenant_json(row, shown->limit);
	struct tsw_description description;
	struct tsw_limits limits;
	struct tsw_name domain;
	struct tsw_nets nets;
	int err = limits_load(t, row->id, &limits_tenant, &limits);

	if (!err) {
		limits_json(&limits, item);
		fair_json(&limits, item);
		err = nets_load(t, row->id, &nets);
	}
	if (!err)
		err = domain_load(t, row->id, row->tenant.name, &domain);
	if (!err) {
		add_nets(&row->tenant, &nets, &domain, item);
		err = add_policy(cli, row, item);
	}
	if (!err)
		err = add_flows(cli, row, item);
	if (!err)
		err = add_share(cli, row, item);
	if (!err) {
		err = description_load(t, row->id, &description);
	}
	if (!err && description.text[0])
		json_object_set_new(item, "description", json_text(description.text));
	if (!err && shown->drops)
		err = add_counters(t, shown->drops, row->id, item);
	out_item(&cli->out, item);
	return err;
}

/* What `auto` took: nobody else knows it. */
static int tell(struct cli *cli, const struct tsw_name *name)
{
	struct shown shown = {};
	struct tenant_row row;
	int err = tenant_find(&cli->tsw, name, &row.id, &row.tenant);

	if (!err)
		err = read_limits(&cli->tsw, &shown);
	if (err)
		return err;
	out_list_begin(&cli->out);
	err = print(cli, &shown, &row);
	if (!err)
		out_list_end(&cli->out);
	return err;
}

static int make(struct cli *cli, const struct words *w, enum spec_how how)
{
	struct tsw_tenant_spec spec = w->tenant;
	int err;

	spec.name = w->name;
	spec.automatic = w->automatic;
	err = spec_tenant(&cli->tsw, &spec, w->given, how);
	return !err && spec.automatic ? tell(cli, &w->name) : err;
}

int cmd_tenant_add(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_ADD);
}

int cmd_tenant_replace(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_PUT);
}

int cmd_tenant_set(struct cli *cli, const struct words *w)
{
	return make(cli, w, SPEC_SET);
}

int cmd_tenant_del(struct cli *cli, const struct words *w)
{
	return tenant_del(&cli->tsw, &w->name, w->option.force);
}

int cmd_tenant_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants all = {};
	cleanup_drops struct drops drops = {};
	struct shown shown = {.drops = cli->counters ? &drops : NULL};
	struct tsw_tenant unused;
	__u32 id;
	size_t i;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &id, &unused) : 0;

	if (!err)
		err = read_limits(t, &shown);
	if (!err)
		err = tenants_read(t, &all);
	if (!err && cli->counters)
		err = drops_read(t, &drops);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < all.n; i++)
		if (!(w->given & W_NAME) || !strcmp(all.row[i].tenant.name, w->name.s))
			err = print(cli, &shown, &all.row[i]);
	if (!err)
		out_list_end(&cli->out);
	return err;
}
