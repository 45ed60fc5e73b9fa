// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/closed.h"
#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/spell.h"
#include "base/text.h"
#include "cluster/gateway.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "door/nat_ports.h"
#include "kernel/link.h"
#include "object/fair.h"
#include "object/snat.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "record/hosts.h"
#include "record/limits.h"
#include "store/closed.h"

static bool gives(const struct words *w, enum gateway_field field)
{
	return w->given & FIELD(field);
}

int fit_gateway(struct words *w)
{
	if (gives(w, GATEWAY_BACKUP) && !gives(w, GATEWAY_HOST))
		return misuse("\"backup\" needs \"host\": hosts are given as a whole, in order");
	return spec_check_gateway(&w->gateway, w->given);
}

int fit_gateway_set(struct words *w)
{
	if (gives(w, GATEWAY_DRAIN) && !gives(w, GATEWAY_HOST))
		return misuse(
			"\"drain\" needs \"host\": it says how long the host before keeps its "
			"flows");
	if (!(w->given & ~W_NAME))
		return misuse(
			"nothing to set: give ip, host, mac, nat, snat, resolver, fast, metadata, "
			"a timeout or a helper");
	return fit_gateway(w);
}

/* Its hosts that are down, and why the first does not serve. */
static void add_ranks(const struct tsw *t, const struct tsw_gateway *gw, json_t *item)
{
	const __u64 seconds = (clock_kernel_ns() - gw->flipped) / SECOND_NS;
	json_t *down = json_array();
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->down & 1U << i)
			json_array_append_new(down,
					      json_text_or_null(host_name_of(t, gw->rank[i]).s));
	if (json_array_size(down))
		json_object_set(item, "down", down);
	json_decref(down);
	if (gw->flip == TSW_FLIP_NONE || gw->flip >= TSW_FLIPS)
		return;
	json_object_set_new(item, "flip", json_string(word_flips[gw->flip]));
	json_object_set_new(item, "flip_seconds", json_integer((json_int_t)seconds));
}

/* The devices on which this host answers for each address that the tenant leaves as. */
static void add_snat_devs(const struct tsw *t, const struct tsw_gateway *gw, json_t *item)
{
	json_t *devs = json_array(), *name;
	bool any = false, left = false;
	struct tsw_snat snat;
	struct link link;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&gw->snat[family]))
			continue;
		name = gw->host || map_get(&t->maps, MAP_SNATS, &gw->snat[family], &snat) ||
				       link_by_index(snat.ifindex, &link)
			       ? json_null()
			       : json_text(link.name);
		left |= !json_is_null(name) && snat_is_left(&snat);
		any |= !json_is_null(name);
		json_array_append_new(devs, name);
	}
	if (any)
		json_object_set(item, "snat_dev", devs);
	if (left)
		json_object_set_new(item, "snat_left", json_true());
	json_decref(devs);
}

static bool addrs_are_both(const struct tsw_addr addrs[TSW_FAMILIES])
{
	return !addr_is_none(&addrs[TSW_IPV4]) && !addr_is_none(&addrs[TSW_IPV6]);
}

/* Adds what only a switch knows and what stands before the fields without a place of their own. */
static void add_state(const struct tsw *t, const struct tsw_gateway *gw, json_t *item)
{
	const struct tsw_port_range nat_ports = nat_ports_now(t);

	if (gw->n_ranks > 1)
		add_ranks(t, gw, item);
	add_snat_devs(t, gw, item);
	if (gw->flags & TSW_GATEWAY_NAT && !addrs_are_both(gw->snat))
		json_object_set_new(item, "nat_ports", json_string(ports_text(&nat_ports)));
}

/* The hosts in their order. NULL: one host serves, or each host its own endpoints. */
static json_t *hosts_json(const struct tsw_gateway_spec *spec)
{
	json_t *list = spec->backup.n ? json_pack("[o]", json_text_or_null(spec->host.s)) : NULL;
	__u32 i;

	for (i = 0; i < spec->backup.n; i++)
		json_array_append_new(list, json_text_or_null(spec->backup.at[i].s));
	return list;
}

/* GW is the gateway in the maps, or NULL for a record. A new field appears by itself. */
static json_t *add(struct show *s, const char *tenant, const struct tsw_gateway_spec *spec,
		   const struct tsw_gateway *gw)
{
	const __u64 first = FIELD(GATEWAY_IP) | FIELD(GATEWAY_MAC);
	const __u64 nat = FIELD(GATEWAY_NAT) | FIELD(GATEWAY_SNAT);
	const __u64 others = ~(first | GATEWAY_HOSTS | nat | FIELD(GATEWAY_DRAIN));
	const struct tsw_name host = gw ? host_name_of(&s->cli->tsw, gw->host) : spec->host;
	const bool everywhere = gw ? gw->flags & TSW_GATEWAY_ALL : !*host.s;
	json_t *item = show_of_tenant(s, tenant, gateway_fields, first, spec);

	json_object_update_new(item,
			       json_pack("{s:o, s:o*, s:b}", "host", json_text_or_null(host.s),
					 "local", gw ? json_boolean(gateway_is_served(gw)) : NULL,
					 "everywhere", everywhere));
	fields_add(gateway_fields, nat, spec, item);
	if (gw)
		json_object_set_new(item, "index",
				    gw->index ? json_integer((json_int_t)gw->index) : json_null());
	json_object_update_new(item, json_pack("{s:o*}", "hosts", hosts_json(spec)));
	if (gw)
		add_state(&s->cli->tsw, gw, item);
	fields_add(gateway_fields, others, spec, item);
	return item;
}

/* ---- of the switch ---------------------------------------------------------------- */

/* Values for all gateways, read once. */
struct beside {
	struct tsw_closed_list closed;
	struct rows conns; /* for counters */
};

/* The tenant's limits at the gateway; with counters also its present use. */
static int add_shares(struct cli *cli, const struct rows *conns, __u32 id, json_t *item)
{
	struct tsw *t = &cli->tsw;
	struct tsw_limits limits;
	int err = limits_load(t, id, &limits_tenant, &limits);

	fair_json(&limits, item);
	return err || !cli->counters ? err : fair_use_json(t, conns, id, item);
}

/* Hosts that are not known any more are empty in SPEC. */
static void to_spec(const struct tsw *t, const struct tsw_gateway *gw,
		    struct tsw_gateway_spec *spec)
{
	__u32 i;

	gateway_to_spec(gw, spec);
	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		*(i ? &spec->backup.at[spec->backup.n++] : &spec->host) =
			host_name_of(t, gw->rank[i]);
}

static int add_row(struct show *s, void *context, const struct tenant_row *row)
{
	const struct beside *beside = context;
	struct tsw *t = &s->cli->tsw;
	struct tsw_gateway_spec spec;
	struct tsw_gateway gw;
	json_t *item;
	__u32 drain;
	int err = gateway_get(t, row->id, &gw);

	if (err)
		return err == -ENOENT ? 0 : err;
	to_spec(t, &gw, &spec);
	item = add(s, row->tenant.name, &spec, &gw);
	if (!spec.metadata)
		json_object_set_new(item, "closed_asked", closed_words(&beside->closed));
	drain = gateway_drains(&gw);
	if (drain) {
		json_object_set_new(item, "drain_from",
				    json_text_or_null(host_name_of(t, gw.old).s));
		json_object_set_new(item, "drain", json_integer((json_int_t)drain));
	}
	if (gw.flags & TSW_GATEWAY_PENDING)
		json_object_set_new(item, "pending", json_true());
	return add_shares(s->cli, &beside->conns, row->id, item);
}

static int show_switch(struct show *s)
{
	struct tsw *t = &s->cli->tsw;
	const struct tsw_name *name = &s->w->name;
	struct beside beside = {};
	struct tsw_gateway gw;
	__u32 id;
	int err = *name->s ? gateway_find(t, name, &id, &gw) : 0;

	err = err ?: closed_load(t, &beside.closed);
	if (!err && s->cli->counters)
		err = map_rows(&t->maps, MAP_CONNS, &beside.conns);
	err = err ?: show_each_tenant(s, &beside, add_row);
	rows_free(&beside.conns);
	return err;
}

static int add_record(void *show, const char *tenant, const struct tsw_gateway_spec *spec)
{
	add(show, tenant, spec, NULL);
	return 0;
}

int show_gateways(struct show *s)
{
	return s->r ? cluster_gateways(s->r, &s->w->name, &s->refused, add_record, s)
		    : show_switch(s);
}
