// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/spell.h"
#include "base/text.h"
#include "cluster/member.h"
#include "cluster/tenant.h"
#include "cmd/cmd.h"
#include "cmd/records.h"
#include "cmd/show.h"
#include "object/fair.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/share.h"
#include "store/pins.h"
#include "switch/session.h"
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

/* What a list of tenants is made with. The values for all tenants are read once. */
struct listing {
	struct show *show;
	__u32 limit[TSW_ENCAPS]; /* of MTUs; 0: not known */
	struct drops drops;
};

/* With -c: opens this host's switch, if one is up. A switch that cannot be read has no limits. */
static void read_limits_here(struct tsw *t, struct listing *all)
{
	const bool will_write = t->will_write;

	if (!pins_exist(t->instance))
		return;
	t->will_write = false;
	if (session_open(t) || tenant_mtu_limits(t, all->limit))
		memset(all->limit, 0, sizeof(all->limit));
	session_close(t);
	t->will_write = will_write;
}

/* JSON also has the tenant's share, and the fields that are off. */
static void add_share(struct cli *cli, const struct tsw_share *share, bool flows, json_t *item)
{
	json_object_set_new(item, "addresses", json_integer(share->addrs));
	json_object_set_new(item, "max_endpoints",
			    json_integer(share_endpoints(&cli->tsw.config, share->endpoints)));
	json_object_set_new(item, "flows", json_boolean(flows));
}

/* The MTU is null with -c on a host without a switch. JSON also has what is off. */
static json_t *add(const struct listing *all, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	const __u64 first = FIELD(TENANT_NAME) | FIELD(TENANT_ID) | FIELD(TENANT_ENCAP) |
			    FIELD(TENANT_MTU) | FIELD(TENANT_BROADCAST);
	struct show *s = all->show;
	struct tsw_tenant_spec full = *spec;
	json_t *item;

	full.mtu = tenant_mtu(spec->mtu, all->limit[spec->encap]);
	full.limits.connections = full.limits.connections ?: TSW_FAIR_CONNECTIONS;
	full.limits.half_open = full.limits.half_open ?: TSW_FAIR_HALF_OPEN;
	item = fields_json(tenant_fields, first, &full);
	if (!full.mtu)
		json_object_set_new(item, "mtu", json_null());
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

/* SHARE: what the switch has of it. */
static int add_local(struct listing *all, const struct tsw_tenant_spec *spec, __s64 endpoints,
		     const struct tsw_share *share)
{
	struct cli *cli = all->show->cli;
	json_t *item = add(all, spec, endpoints);

	if (cli->out.json)
		add_share(cli, share, spec->flows, item);
	return cli->counters ? add_counters(&cli->tsw, &all->drops, spec->id, item) : 0;
}

static int add_row(struct show *s, void *context, const struct tenant_row *row)
{
	struct tsw_tenant_spec spec;
	struct tsw_share share;
	int err = tenant_load(&s->cli->tsw, row->id, &row->tenant, &spec);

	err = err ?: share_load(&s->cli->tsw, row->id, &share);
	return err ?: add_local(context, &spec, row->tenant.endpoints, &share);
}

static int add_record(void *context, const struct tsw_tenant_spec *spec, __s64 endpoints)
{
	add(context, spec, endpoints);
	return 0;
}

/*
 * A member's switch has only the tenants that live on this host, or whose gateway does. Another
 * tenant is shown as this switch will have it: by its record, without endpoints.
 */
static int show_unused(struct listing *all)
{
	const struct tsw_name *name = &all->show->w->name;
	struct tsw_tenant_spec spec;
	struct tsw_share share = {};
	struct records *r;
	int err = records_begin(all->show->cli, &r);

	err = err ?: cluster_tenant_get(r, name, &spec, NULL);
	if (err && err != -ENOENT)
		fail_where("this host's switch has no tenant %s, and the cluster's records cannot "
			   "be read: ",
			   quoted(name->s));
	share.endpoints = err ? 0 : spec.max_endpoints;
	return err ?: add_local(all, &spec, 0, &share);
}

static int show_local(struct listing *all)
{
	struct show *s = all->show;
	int err = tenant_mtu_limits(&s->cli->tsw, all->limit);

	if (!err && s->cli->counters)
		err = drops_read(&s->cli->tsw, &all->drops);
	err = err ?: show_each_tenant(s, all, add_row);
	if (err == -ENOENT && *s->w->name.s && member_is(s->cli->tsw.instance))
		err = show_unused(all);
	drops_free(&all->drops);
	return err;
}

int show_tenants(struct show *s)
{
	struct listing all = {.show = s};

	if (!s->r)
		return show_local(&all);
	read_limits_here(&s->cli->tsw, &all);
	return *s->w->name.s ? cluster_tenant_one(s->r, &s->w->name, add_record, &all)
			     : cluster_tenants(s->r, &s->refused, add_record, &all);
}
