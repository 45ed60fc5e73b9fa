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
#include "cmd/cmd.h"
#include "door/nat_ports.h"
#include "kernel/link.h"
#include "object/fair.h"
#include "object/gateway.h"
#include "object/snat.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/gateway_find.h"
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

/* null where a host is not known any more. */
static json_t *host_json(const struct tsw *t, __u32 id)
{
	struct tsw_host host;

	if (!id)
		return json_text(t->config.name);
	return map_get(&t->maps, MAP_HOSTS, &id, &host) ? json_null() : json_text(host.name);
}

static json_t *addrs_json(const struct tsw_addr of[TSW_FAMILIES])
{
	json_t *list = json_array();
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&of[family]))
			json_array_append_new(list, json_string(addr_text(&of[family])));
	return list;
}

/* Of one that is ranked: its hosts in order, and what was found out of them. */
static void add_ranks(const struct tsw *t, const struct tsw_gateway *gw, json_t *item)
{
	const __u64 seconds = (clock_kernel_ns() - gw->flipped) / SECOND_NS;
	json_t *hosts = json_array(), *down = json_array();
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		json_array_append_new(hosts, host_json(t, gw->rank[i]));
		if (gw->down & 1U << i)
			json_array_append_new(down, host_json(t, gw->rank[i]));
	}
	json_object_set_new(item, "hosts", hosts);
	if (json_array_size(down))
		json_object_set(item, "down", down);
	json_decref(down);
	if (gw->flip == TSW_FLIP_NONE || gw->flip >= TSW_FLIPS)
		return;
	json_object_set_new(item, "flip", json_string(word_flips[gw->flip]));
	json_object_set_new(item, "flip_seconds", json_integer((json_int_t)seconds));
}

/* What the tenant may have at the gateway; with counters also what it has. */
static int add_shares(struct cli *cli, const struct rows *conns, __u32 id, json_t *item)
{
	struct tsw *t = &cli->tsw;
	struct tsw_limits limits;
	int err = limits_load(t, id, &limits_tenant, &limits);

	fair_json(&limits, item);
	return err || !cli->counters ? err : fair_use_json(t, conns, id, item);
}

/* The devices on which this host answers for each address that it leaves as. */
static void add_speaking(const struct tsw *t, const struct tsw_gateway *gw, json_t *item)
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

/* What print() shows in no form of its own, from the table: a new field appears by itself. */
static void add_fields(const struct tsw_gateway *gw, json_t *item)
{
	const __u64 others = FIELD(GATEWAY_IP) | GATEWAY_HOSTS | FIELD(GATEWAY_MAC) |
			     FIELD(GATEWAY_NAT) | FIELD(GATEWAY_SNAT) | FIELD(GATEWAY_DRAIN);
	struct tsw_gateway_spec spec;

	gateway_to_spec(gw, &spec);
	fields_add(gateway_fields, ~others, &spec, item);
}

static int print(struct cli *cli, const struct tenant_row *row, const struct rows *conns,
		 const struct tsw_closed_list *closed, const struct tsw_gateway *gw)
{
	struct tsw *t = &cli->tsw;
	const struct tsw_port_range nat_ports = nat_ports_now(t);
	const __u32 drain = gateway_drains(gw);
	json_t *ips = json_array(), *item;
	__u32 i;
	int err;

	for (i = 0; i < gw->n_addrs; i++)
		json_array_append_new(ips, json_string(prefix_text(&gw->addr[i])));
	item = json_pack("{s:o, s:o, s:s, s:o, s:b, s:b, s:b, s:o, s:o}", "tenant",
			 json_text(row->tenant.name), "ip", ips, "mac", mac_text(&gw->mac), "host",
			 host_json(t, gw->host), "local", gateway_is_served(gw), "everywhere",
			 !!(gw->flags & TSW_GATEWAY_ALL), "nat", !!(gw->flags & TSW_GATEWAY_NAT),
			 "snat", addrs_json(gw->snat), "index",
			 gw->index ? json_integer((json_int_t)gw->index) : json_null());
	if (gw->n_ranks > 1)
		add_ranks(t, gw, item);
	add_speaking(t, gw, item);
	if (gw->flags & TSW_GATEWAY_NAT && !addrs_are_both(gw->snat))
		json_object_set_new(item, "nat_ports", json_string(ports_text(&nat_ports)));
	add_fields(gw, item);
	if (!(gw->flags & TSW_GATEWAY_METADATA))
		json_object_set_new(item, "closed_asked", closed_words(closed));
	if (drain) {
		json_object_set_new(item, "drain_from", host_json(t, gw->old));
		json_object_set_new(item, "drain", json_integer((json_int_t)drain));
	}
	if (gw->flags & TSW_GATEWAY_PENDING)
		json_object_set_new(item, "pending", json_true());
	err = add_shares(cli, conns, row->id, item);
	out_item(&cli->out, item);
	return err;
}

int cmd_gateway_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants all = {};
	cleanup_rows struct rows conns = {};
	struct tsw_closed_list closed;
	struct tsw_gateway gw;
	__u32 id;
	size_t i;
	int err = w->given & W_NAME ? gateway_find(t, &w->name, &id, &gw) : 0;

	if (!err)
		err = tenants_read(t, &all);
	if (!err)
		err = closed_load(t, &closed);
	if (!err && cli->counters)
		err = map_rows(&t->maps, MAP_CONNS, &conns);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < all.n; i++) {
		if (w->given & W_NAME && strcmp(all.row[i].tenant.name, w->name.s))
			continue;
		err = gateway_get(t, all.row[i].id, &gw);
		if (!err)
			err = print(cli, &all.row[i], &conns, &closed, &gw);
		else if (err == -ENOENT)
			err = 0;
	}
	if (!err)
		out_list_end(&cli->out);
	return err;
}
