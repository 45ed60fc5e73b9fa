// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "record/counters.h"
#include "record/tenant_find.h"

static bool is_wanted(const struct words *w, const char *tenant)
{
	return !(w->given & FIELD(OPTION_TENANT)) || !strcmp(tenant, w->option.tenant.s);
}

static json_t *stats_json(const char *tenant, const struct tsw_stats *s, __u64 drops)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "tenant",
			 json_text(tenant), "local", counter_json(&s->local), "tunnel_tx",
			 counter_json(&s->tunnel_tx), "tunnel_rx", counter_json(&s->tunnel_rx),
			 "gateway", counter_json(&s->gateway), "slow_tx", counter_json(&s->slow_tx),
			 "slow_rx", counter_json(&s->slow_rx), "answered",
			 counter_json(&s->answered), "drops", (json_int_t)drops);
}

static int read_all(const struct tsw *t, const struct words *w, struct tenants *tenants,
		    struct drops *drops)
{
	__u32 unused;
	int err = tenant_id(t, &w->option.tenant, &unused);

	err = err ?: tenants_read(t, tenants);
	return err ?: drops_read(t, drops);
}

int cmd_stats_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants tenants = {};
	cleanup_drops struct drops drops = {};
	const struct tenant_row *row;
	int err = read_all(t, w, &tenants, &drops);

	if (err)
		return err;
	out_list_begin(&cli->out);
	for (row = tenants.row; !err && row < tenants.row + tenants.n; row++) {
		struct tsw_stats stats = {};

		if (!is_wanted(w, row->tenant.name))
			continue;
		err = tenant_stats(t, row->id, &stats);
		if (!err)
			out_item(&cli->out,
				 stats_json(row->tenant.name, &stats, drops_of(&drops, row->id)));
	}
	if (!err)
		out_list_end(&cli->out);
	return err;
}

struct named_drop {
	const char *tenant; /* empty if unknown, so that it comes first */
	const struct drop_row *row;
};

static int compare(const void *a, const void *b)
{
	const struct named_drop *x = a, *y = b;
	int order = strcmp(x->tenant, y->tenant);

	if (!order)
		order = strcmp(drop_reason(x->row->key.reason), drop_reason(y->row->key.reason));
	if (!order)
		order = x->row->key.direction - y->row->key.direction;
	return order;
}

static void print_drop(struct cli *cli, const struct named_drop *drop)
{
	const struct drop_row *row = drop->row;

	out_item(&cli->out,
		 json_pack("{s:o, s:s, s:s, s:I, s:I}", "tenant", json_text_or_null(drop->tenant),
			   "reason", drop_reason(row->key.reason), "direction",
			   drop_direction(row->key.direction), "packets",
			   (json_int_t)row->count.packets, "bytes", (json_int_t)row->count.bytes));
}

int cmd_stats_drops(struct cli *cli, const struct words *w)
{
	cleanup_tenants struct tenants tenants = {};
	cleanup_drops struct drops drops = {};
	const struct tsw_tenant *tenant;
	struct named_drop *all;
	size_t i, n = 0;
	int err = read_all(&cli->tsw, w, &tenants, &drops);

	if (err)
		return err;
	all = calloc(drops.n + 1, sizeof(*all));
	if (!all)
		return fail_memory();
	for (i = 0; i < drops.n; i++) {
		tenant = tenants_find(&tenants, drops.row[i].key.tenant);
		if (is_wanted(w, tenant ? tenant->name : ""))
			all[n++] = (struct named_drop){tenant ? tenant->name : "", &drops.row[i]};
	}
	qsort(all, n, sizeof(*all), compare);
	out_list_begin(&cli->out);
	for (i = 0; i < n; i++)
		print_drop(cli, &all[i]);
	out_list_end(&cli->out);
	free(all);
	return 0;
}
