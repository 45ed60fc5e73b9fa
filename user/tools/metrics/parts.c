// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/flow_list.h"
#include "record/share.h"
#include "tools/metrics/parts.h"

/* Of a tenant whose flows are counted. */
struct flows {
	const char *tenant;
	size_t entries;
	__u64 evicted;
};

static int read_flows(const struct tsw *t, const struct tenants *tenants, struct flows *all,
		      size_t *n)
{
	struct tsw_flow_table table;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < tenants->n; i++) {
		const struct tenant_row *row = &tenants->row[i];
		cleanup_flow_list struct flow_list list = {};

		if (!(row->tenant.flags & TSW_TENANT_FLOWS))
			continue;
		err = flow_table_load(t, row->id, &table);
		err = err ?: flow_list_read(t, row->id, &list);
		all[(*n)++] = (struct flows){row->tenant.name, list.n, table.evicted};
	}
	return err;
}

static void print_flows(struct expo *x, const struct flows *all, size_t n)
{
	size_t i;

	expo_begin(x, "tsw_flow_entries", EXPO_GAUGE,
		   "Flows that are counted, of tenants that asked for it; more than its "
		   "flow-entries it cannot.");
	for (i = 0; i < n; i++)
		expo_of(x, "tenant", all[i].tenant, all[i].entries);
	expo_end(x);
	expo_begin(x, "tsw_flow_evicted_total", EXPO_COUNTER,
		   "Flows that were forgotten to make room for others of the tenant.");
	for (i = 0; i < n; i++)
		expo_of(x, "tenant", all[i].tenant, all[i].evicted);
	expo_end(x);
}

static int metrics_flows(const struct tsw *t, const struct tenants *tenants, struct expo *x)
{
	struct flows *all = calloc(tenants->n + 1, sizeof(*all));
	size_t n = 0;
	int err = all ? 0 : fail_memory();

	err = err ?: read_flows(t, tenants, all, &n);
	if (!err && n)
		print_flows(x, all, n);
	free(all);
	return err;
}

static int metrics_shares(const struct tsw *t, const struct tenants *tenants, struct expo *x)
{
	struct tsw_share share;
	size_t i;
	int err = 0;

	expo_begin(x, "tsw_tenant_endpoints_max", EXPO_GAUGE,
		   "Endpoints that a tenant may have on this switch: its share.");
	for (i = 0; !err && i < tenants->n; i++) {
		const struct tenant_row *row = &tenants->row[i];

		if (i && !strcmp(row->tenant.name, row[-1].tenant.name))
			continue; /* twice, until a killed renumbering is settled */
		err = share_load(t, row->id, &share);
		expo_of(x, "tenant", row->tenant.name,
			share_endpoints(&t->config, share.endpoints));
	}
	expo_end(x);
	return err;
}

int metrics_parts(const struct tsw *t, const struct tenants *tenants, struct expo *x)
{
	int err = metrics_crypt(t, x);

	if (err || !tenants)
		return err;
	err = metrics_shares(t, tenants, x);
	err = err ?: metrics_policies(t, tenants, x);
	return err ?: metrics_flows(t, tenants, x);
}
