// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "record/counters.h"
#include "base/err.h"
#include "object/fair.h"
#include "base/parse.h"
#include "object/tenant.h"
#include "base/text.h"
#include "base/json.h"
#include "record/limits.h"
#include "record/tenant_find.h"
#include "store/tsw.h"
#include "wire/mtu.h"

int check_tenant(struct words *w)
{
	if (w->given & W_ID)
		return parse_number(w->id_text, 1, tenant_id_max(w->encap), &w->id);
	return 0;
}

/* The range of an id without encap is that of the tenant's own encapsulation, seen later. */
int check_tenant_set(struct words *w)
{
	const __u32 max = w->given & W_ENCAP ? tenant_id_max(w->encap) : ~0U;

	return w->given & W_ID ? parse_number(w->id_text, 1, max, &w->id) : 0;
}

static int set_given(const struct words *w, struct tsw_tenant *tenant, struct limits *limits)
{
	if (w->given & W_MTU)
		tenant->mtu = w->mtu;
	if (w->given & W_ENCAP)
		tenant->encap = w->encap;
	if (w->given & W_BROADCAST)
		tenant->flags = w->broadcast ? TSW_TENANT_BROADCAST : 0;
	return limits_given(w, limits);
}

static int new_tenant(const struct words *w, struct tsw_tenant *tenant, struct limits *limits)
{
	*tenant = (struct tsw_tenant){.flags = TSW_TENANT_BROADCAST};
	*limits = (struct limits){};
	memcpy(tenant->name, w->name.s, sizeof(tenant->name));
	return set_given(w, tenant, limits);
}

int cmd_tenant_add(struct cli *cli, const struct words *w)
{
	struct tsw_tenant tenant;
	struct limits limits;
	int err = new_tenant(w, &tenant, &limits);

	return err ? err : tenant_add(&cli->tsw, w->id, &tenant, &limits);
}

int cmd_tenant_replace(struct cli *cli, const struct words *w)
{
	struct tsw_tenant tenant;
	struct limits limits;
	int err = new_tenant(w, &tenant, &limits);

	return err ? err : tenant_replace(&cli->tsw, w->id, &tenant, &limits);
}

int cmd_tenant_set(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct tsw_tenant tenant;
	struct limits limits;
	__u32 id;
	int err = tenant_find(t, &w->name, &id, &tenant);

	if (!err)
		err = limits_load(t, id, &limits_tenant, &limits);
	if (!err)
		err = set_given(w, &tenant, &limits);
	if (err)
		return err;
	if (w->given & W_ID)
		err = parse_number(w->id_text, 1, tenant_id_max(tenant.encap), &id);
	else if (id > tenant_id_max(tenant.encap))
		err = fail(ERANGE,
			   "its id %u is more than a VNI can be, which is %u: give it another id",
			   id, TSW_VNI_MAX);
	return err ? err : tenant_replace(t, id, &tenant, &limits);
}

int cmd_tenant_del(struct cli *cli, const struct words *w)
{
	return tenant_del(&cli->tsw, &w->name, w->force);
}

/* What an endpoint must use: as wide as was asked, never wider than fits now. */
static __u32 effective_mtu(__u32 asked, __u32 limit)
{
	return asked && (!limit || asked < limit) ? asked : limit;
}

static json_t *tenant_json(const struct tenant_row *row, const __u32 limit[TSW_ENCAPS])
{
	const struct tsw_tenant *tenant = &row->tenant;

	return json_pack("{s:o, s:I, s:s, s:I, s:b, s:I}", "name", json_text(tenant->name), "id",
			 (json_int_t)row->id, "encap", encap_text(tenant->encap), "mtu",
			 (json_int_t)effective_mtu(tenant->mtu, limit[tenant->encap]), "broadcast",
			 !!(tenant->flags & TSW_TENANT_BROADCAST), "endpoints",
			 (json_int_t)tenant->endpoints);
}

static int add_counters(const struct tsw *t, const struct drops *drops, __u32 id, json_t *item)
{
	struct tsw_stats stats = {};
	int err = map_sum(&t->maps, MAP_STATS, &id, &stats);

	if (err && err != -ENOENT)
		return err;
	json_object_set_new(item, "local", counter_json(&stats.local));
	json_object_set_new(item, "tunnel_tx", counter_json(&stats.tunnel_tx));
	json_object_set_new(item, "tunnel_rx", counter_json(&stats.tunnel_rx));
	json_object_set_new(item, "gateway", counter_json(&stats.gateway));
	json_object_set_new(item, "drops", json_integer((json_int_t)drops_of(drops, id)));
	return 0;
}

int cmd_tenant_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants all = {};
	cleanup_drops struct drops drops = {};
	__u32 limit[TSW_ENCAPS], id, encap;
	struct tsw_tenant unused;
	struct limits limits;
	size_t i;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &id, &unused) : 0;

	for (encap = 0; !err && encap < TSW_ENCAPS; encap++)
		err = tenant_mtu_limit(t, encap, &limit[encap]);
	if (!err)
		err = tenants_read(t, &all);
	if (!err && cli->counters)
		err = drops_read(t, &drops);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < all.n; i++) {
		json_t *item;

		if (w->given & W_NAME && strcmp(all.row[i].tenant.name, w->name.s))
			continue;
		item = tenant_json(&all.row[i], limit);
		err = limits_load(t, all.row[i].id, &limits_tenant, &limits);
		limits_json(&limits, item);
		fair_json(&limits, item);
		if (!err && cli->counters)
			err = add_counters(t, &drops, all.row[i].id, item);
		out_item(&cli->out, item);
	}
	if (!err)
		out_list_end(&cli->out);
	return err;
}
