// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/shown.h"
#include "object/spec.h"
#include "record/counters.h"
#include "record/fields.h"
#include "record/share.h"
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

/* In JSON also the share that nobody chose. */
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

static int print(struct cli *cli, const struct shown *shown, const struct tenant_row *row)
{
	const __u32 limit = shown->limit[row->tenant.encap];
	struct tsw_tenant_spec spec;
	struct tsw_name name = {};
	json_t *item;
	int err;

	snprintf(name.s, sizeof(name.s), "%s", row->tenant.name);
	err = spec_get_tenant(&cli->tsw, &name, &spec);
	if (err)
		return err;
	spec.mtu = tenant_mtu(spec.mtu, limit);
	item = shown_tenant(&spec, cli->out.json, row->tenant.endpoints);
	if (cli->out.json)
		err = add_share(cli, row, item);
	if (!err && shown->drops)
		err = add_counters(&cli->tsw, shown->drops, row->id, item);
	out_item(&cli->out, item);
	return err;
}

int tell_tenant(struct cli *cli, const struct tsw_name *name)
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
