// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "record/counters.h"
#include "base/err.h"
#include "object/fair.h"
#include "object/tenant.h"
#include "base/text.h"
#include "base/json.h"
#include "record/limits.h"
#include "object/limit.h"
#include "record/tenant_find.h"
#include "store/tsw.h"
#include "wire/mtu.h"

static int check_id(const struct words *w, __u32 most)
{
	if (!(w->given & FIELD(TENANT_ID)) || w->tenant.id <= most)
		return 0;
	return misuse("\"%u\" is not a decimal number from 1 to %u", w->tenant.id, most);
}

int check_tenant(struct words *w)
{
	return check_id(w, tenant_id_max(w->tenant.encap));
}

/* The range of an id without encap is that of the tenant's own encapsulation, seen later. */
int check_tenant_set(struct words *w)
{
	return w->given & FIELD(TENANT_ENCAP) ? check_tenant(w) : 0;
}

/* What the words name becomes the tenant's, which has the rest. */
static int set_given(const struct words *w, struct state_tenant *tenant)
{
	fields_copy(tenant_fields, w->given, &w->tenant, tenant);
	return limits_settle(&tenant->limits, w->given & FIELD(TENANT_BURST));
}

static int make(struct tsw *t, const struct words *w,
		int (*how)(struct tsw *t, __u32 id, const struct tsw_tenant *tenant,
			   const struct limits *limits))
{
	struct state_tenant want = {.name = w->name, .broadcast = true};
	struct tsw_tenant tenant = {};
	int err = set_given(w, &want);

	state_put_tenant(&want, &tenant);
	return err ? err : how(t, want.id, &tenant, &want.limits);
}

int cmd_tenant_add(struct cli *cli, const struct words *w)
{
	return make(&cli->tsw, w, tenant_add);
}

int cmd_tenant_replace(struct cli *cli, const struct words *w)
{
	return make(&cli->tsw, w, tenant_replace);
}

int cmd_tenant_set(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	struct state_tenant want = {};
	struct tsw_tenant tenant;
	__u32 most;
	int err = tenant_find(t, &w->name, &want.id, &tenant);

	if (!err)
		err = limits_load(t, want.id, &limits_tenant, &want.limits);
	if (err)
		return err;
	state_get_tenant(&tenant, &want);
	err = set_given(w, &want);
	most = tenant_id_max(want.encap);
	if (!err)
		err = check_id(w, most);
	if (!err && want.id > most)
		err = fail(ERANGE,
			   "its id %u is more than a VNI can be, which is %u: give it another id",
			   want.id, TSW_VNI_MAX);
	state_put_tenant(&want, &tenant);
	return err ? err : tenant_replace(t, want.id, &tenant, &want.limits);
}

int cmd_tenant_del(struct cli *cli, const struct words *w)
{
	return tenant_del(&cli->tsw, &w->name, w->option.force);
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
