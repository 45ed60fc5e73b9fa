// SPDX-License-Identifier: GPL-2.0-only
#include "base/field_json.h"
#include "base/json.h"
#include "base/spell.h"
#include "cluster/tenant.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "object/fair.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/share.h"
#include "record/tenant_find.h"
#include "wire/mtu.h"

int fit_tenant(struct words *w)
{
	return spec_check_id(&w->tenant, w->given);
}

/* Without encap, the id is checked later against the tenant's own encapsulation. */
int fit_tenant_set(struct words *w)
{
	return w->given & FIELD(TENANT_ENCAP) ? fit_tenant(w) : 0;
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

/* Values for all tenants, read once. */
struct beside {
	__u32 limit[TSW_ENCAPS]; /* of MTUs */
	struct drops drops;
};

static int read_beside(struct cli *cli, struct beside *beside)
{
	__u32 encap;
	int err = cli->counters ? drops_read(&cli->tsw, &beside->drops) : 0;

	for (encap = 0; !err && encap < TSW_ENCAPS; encap++)
		err = tenant_mtu_limit(&cli->tsw, encap, &beside->limit[encap]);
	return err;
}

/* JSON also has the tenant's share, and the fields that are off. */
static int add_share(struct cli *cli, const struct tenant_row *row, json_t *item)
{
	struct tsw_share share;
	int err = share_load(&cli->tsw, row->id, &share);

	if (err)
		return err;
	json_object_set_new(item, "addresses", json_integer(share.addrs));
	json_object_set_new(item, "max_endpoints",
			    json_integer(share_endpoints(&cli->tsw.config, share.endpoints)));
	json_object_set_new(item, "flows", json_boolean(row->tenant.flags & TSW_TENANT_FLOWS));
	return 0;
}

/* An MTU of 0 is shown as null: it depends on each host's underlay. JSON also has what is off. */
static json_t *add(struct show *s, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	const __u64 first = FIELD(TENANT_NAME) | FIELD(TENANT_ID) | FIELD(TENANT_ENCAP) |
			    FIELD(TENANT_MTU) | FIELD(TENANT_BROADCAST);
	struct tsw_tenant_spec full = *spec;
	json_t *item = fields_json(tenant_fields, first, spec);

	full.limits.connections = full.limits.connections ?: TSW_FAIR_CONNECTIONS;
	full.limits.half_open = full.limits.half_open ?: TSW_FAIR_HALF_OPEN;
	json_object_set_new(item, "mtu", spec->mtu ? json_integer(spec->mtu) : json_null());
	json_object_set_new(item, "endpoints", json_integer(endpoints));
	fields_add(tenant_fields, ~first, &full, item);
	fair_json(&full.limits, item);
	if (s->cli->out.json) {
		json_object_set_new(item, "policy", json_string(word_modes[spec->policy]));
		json_object_set_new(item, "default", json_string(word_actions[spec->deny]));
	}
	json_array_append_new(s->list, item);
	return item;
}

static int add_row(struct show *s, void *context, const struct tenant_row *row)
{
	const struct beside *beside = context;
	struct tsw_tenant_spec spec;
	json_t *item;
	int err = tenant_load(&s->cli->tsw, row->id, &row->tenant, &spec);

	if (err)
		return err;
	spec.mtu = tenant_mtu(spec.mtu, beside->limit[row->tenant.encap]);
	item = add(s, &spec, row->tenant.endpoints);
	if (s->cli->out.json)
		err = add_share(s->cli, row, item);
	if (!err && s->cli->counters)
		err = add_counters(&s->cli->tsw, &beside->drops, row->id, item);
	return err;
}

static int add_record(void *show, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	add(show, spec, endpoints);
	return 0;
}

int show_tenants(struct show *s)
{
	struct beside beside = {};
	int err;

	if (s->r)
		return *s->w->name.s ? cluster_tenant_one(s->r, &s->w->name, add_record, s)
				     : cluster_tenants(s->r, &s->refused, add_record, s);
	err = read_beside(s->cli, &beside);
	err = err ?: show_each_tenant(s, &beside, add_row);
	drops_free(&beside.drops);
	return err;
}
