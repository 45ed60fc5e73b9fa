// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/err.h"
#include "record/policy_conns.h"
#include "record/policy_list.h"
#include "tools/metrics/parts.h"

/* Of each rule of a tenant whose policy is not off; what no rule has decided has an empty name. */
struct hits {
	struct policies all;
	struct tsw_counter *of;	  /* of each rule */
	struct tsw_counter *none; /* of each tenant */
};

static bool is_on(const struct tenant_row *row)
{
	return row->tenant.flags & TSW_TENANT_POLICY;
}

static int read_hits(const struct tsw *t, const struct tenants *tenants, struct hits *h)
{
	size_t i;
	int err = policies_read(t, 0, &h->all);

	if (err)
		return err;
	h->of = calloc(h->all.n + 1, sizeof(*h->of));
	h->none = calloc(tenants->n + 1, sizeof(*h->none));
	if (!h->of || !h->none)
		return fail_memory();
	for (i = 0; !err && i < h->all.n; i++)
		err = policy_hits(t, h->all.row[i].key.tenant, h->all.row[i].number, &h->of[i]);
	for (i = 0; !err && i < tenants->n; i++)
		if (is_on(&tenants->row[i]))
			err = policy_hits(t, tenants->row[i].id, 0, &h->none[i]);
	return err;
}

static void print_one(struct expo *x, const char *tenant, const char *rule,
		      const struct tsw_counter *hits, bool bytes)
{
	expo_label(x, "tenant", tenant);
	expo_label(x, "policy", rule);
	expo_value(x, bytes ? hits->bytes : hits->packets);
}

static void print_family(struct expo *x, const struct tenants *tenants, const struct hits *h,
			 bool bytes)
{
	const struct tenant_row *row;
	size_t i;

	expo_begin(x, bytes ? "tsw_policy_bytes_total" : "tsw_policy_packets_total", EXPO_COUNTER,
		   bytes ? "Octets of these frames."
			 : "Frames that each rule of a tenant's policy has decided about; without "
			   "a name, those that no rule has.");
	for (i = 0; i < h->all.n; i++) {
		row = tenants_row(tenants, h->all.row[i].key.tenant);
		if (row && is_on(row))
			print_one(x, row->tenant.name, h->all.row[i].spec.name.s, &h->of[i], bytes);
	}
	for (i = 0; i < tenants->n; i++)
		if (is_on(&tenants->row[i]))
			print_one(x, tenants->row[i].tenant.name, "", &h->none[i], bytes);
	expo_end(x);
}

static void print_uses(struct expo *x, const struct tenants *tenants,
		       const struct policy_uses *uses)
{
	const struct tenant_row *row;
	size_t i;

	expo_begin(
		x, "tsw_policy_connections", EXPO_GAUGE,
		"Open connections that a tenant's policy follows; more than its share it cannot.");
	for (i = 0; i < uses->n; i++) {
		row = tenants_row(tenants, uses->all[i].tenant);
		if (!row)
			continue;
		expo_of(x, "tenant", row->tenant.name, uses->all[i].open);
	}
	expo_end(x);
}

int metrics_policies(const struct tsw *t, const struct tenants *tenants, struct expo *x)
{
	cleanup_policy_uses struct policy_uses uses = {};
	struct hits h = {};
	bool any = false;
	size_t i;
	int err = 0;

	for (i = 0; i < tenants->n; i++)
		any = any || is_on(&tenants->row[i]);
	if (any)
		err = read_hits(t, tenants, &h);
	if (any && !err)
		err = policy_uses_read(t, &uses);
	if (any && !err) {
		print_uses(x, tenants, &uses);
		print_family(x, tenants, &h, false);
		print_family(x, tenants, &h, true);
	}
	policies_free(&h.all);
	free(h.of);
	free(h.none);
	return err;
}
