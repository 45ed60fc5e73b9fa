// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/field_json.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "record/counters.h"
#include "record/policy_list.h"
#include "record/policy_spec.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

int fit_policy(struct words *w)
{
	return policy_spec_check(&w->policy);
}

/* Without proto its ports go with what the rule has. */
int fit_policy_set(struct words *w)
{
	if (!(w->given & ~(W_NAME | W_SECOND)))
		return misuse("nothing to set: give from, to, proto, port, action, priority or "
			      "log");
	return w->given & FIELD(POLICY_PROTO) ? fit_policy(w) : 0;
}

static int print(struct cli *cli, const struct policy_row *row)
{
	json_t *item = json_pack("{s:o}", "tenant", json_text(row->tenant)), *said;
	struct tsw_counter hits;
	int err = policy_hits(&cli->tsw, row->key.tenant, row->number, &hits);

	said = fields_json(policy_fields, ~0ULL, &row->spec);
	json_object_update(item, said);
	json_decref(said);
	json_object_set_new(item, "packets", json_integer((json_int_t)hits.packets));
	json_object_set_new(item, "bytes", json_integer((json_int_t)hits.bytes));
	out_item(&cli->out, item);
	return err;
}

/* Of two of one tenant the one that goes first. */
static int compare(const void *a, const void *b)
{
	const struct policy_row *x = a, *y = b;
	const int order = strcmp(x->tenant, y->tenant);

	if (order || x->spec.priority != y->spec.priority)
		return order ?: x->spec.priority > y->spec.priority ? -1 : 1;
	if (x->spec.action != y->spec.action)
		return x->spec.action == TSW_POLICY_DENY ? -1 : 1;
	return strcmp(x->spec.name.s, y->spec.name.s);
}

static bool is_wanted(const struct words *w, const struct policy_row *row)
{
	return !(w->given & W_SECOND) || !strcmp(row->spec.name.s, w->second.s);
}

int cmd_policy_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_policies struct policies all = {};
	struct tsw_tenant unused;
	__u32 tenant = 0;
	size_t i, n = 0;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &tenant, &unused) : 0;

	if (!err)
		err = policies_read(t, tenant, &all);
	for (i = 0; !err && i < all.n; i++)
		n += is_wanted(w, &all.row[i]);
	if (!err && !n && w->given & W_SECOND)
		err = rule_lacks(w->name.s, "policy", w->second.s);
	if (err)
		return err;
	qsort(all.row, all.n, sizeof(*all.row), compare);
	out_list_begin(&cli->out);
	for (i = 0; !err && i < all.n; i++)
		if (is_wanted(w, &all.row[i]))
			err = print(cli, &all.row[i]);
	if (!err)
		out_list_end(&cli->out);
	return err;
}

/* ---- stats ------------------------------------------------------------------------ */

/* NAME NULL: what no rule has decided. */
static void print_stats(struct cli *cli, const char *tenant, const char *name,
			const struct tsw_counter *hits)
{
	out_item(&cli->out, json_pack("{s:o, s:o, s:I, s:I}", "tenant", json_text(tenant), "name",
				      name ? json_text(name) : json_null(), "packets",
				      (json_int_t)hits->packets, "bytes", (json_int_t)hits->bytes));
}

/* Its rules by name, and what none of them decided. */
static int print_tenant(struct cli *cli, const struct tenant_row *tenant,
			const struct policies *all, size_t *next)
{
	const struct policy_row *row;
	struct tsw_policy unused;
	struct tsw_counter hits;
	int err = map_get(&cli->tsw.maps, MAP_POLICIES, &tenant->id, &unused);

	if (err) /* nothing was ever said of it */
		return err == -ENOENT ? 0 : err;
	for (; !err && *next < all->n && all->row[*next].key.tenant == tenant->id; ++*next) {
		row = &all->row[*next];
		err = policy_hits(&cli->tsw, tenant->id, row->number, &hits);
		if (!err)
			print_stats(cli, tenant->tenant.name, row->spec.name.s, &hits);
	}
	if (!err)
		err = policy_hits(&cli->tsw, tenant->id, 0, &hits);
	if (!err)
		print_stats(cli, tenant->tenant.name, NULL, &hits);
	return err;
}

int cmd_stats_policy(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants tenants = {};
	cleanup_policies struct policies all = {};
	const bool one = w->given & FIELD(OPTION_TENANT);
	struct tsw_tenant unused;
	__u32 id = 0;
	size_t next = 0, i;
	int err = one ? tenant_find(t, &w->option.tenant, &id, &unused) : 0;

	if (!err)
		err = tenants_read(t, &tenants);
	if (!err)
		err = policies_read(t, id, &all);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < tenants.n; i++)
		if (!one || tenants.row[i].id == id)
			err = print_tenant(cli, &tenants.row[i], &all, &next);
	if (!err)
		out_list_end(&cli->out);
	return err;
}
