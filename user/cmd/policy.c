// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "cluster/policy.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "record/counters.h"
#include "record/policy_list.h"
#include "record/policy_spec.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

int fit_policy(struct words *w)
{
	return policy_spec_check(&w->policy);
}

/* Without proto, the ports are checked later against the rule's own proto. */
int fit_policy_set(struct words *w)
{
	if (!(w->given & ~(W_NAME | W_SECOND)))
		return misuse("nothing to set: give from, to, proto, port, action, priority or "
			      "log");
	return w->given & FIELD(POLICY_PROTO) ? fit_policy(w) : 0;
}

static int add_row(struct show *s, const struct policy_row *row)
{
	json_t *item = show_of_tenant(s, row->tenant, policy_fields, ~0ULL, &row->spec);
	struct tsw_counter hits;
	int err = policy_hits(&s->cli->tsw, row->key.tenant, row->number, &hits);

	json_object_update_new(item, counter_json(&hits));
	return err;
}

/* By tenant, then in the order in which rules decide. */
static int compare(const void *a, const void *b)
{
	const struct policy_row *x = a, *y = b;

	return strcmp(x->tenant, y->tenant) ?: policy_spec_order(&x->spec, &y->spec);
}

static int show_switch(struct show *s)
{
	const char *name = s->w->second.s;
	cleanup_policies struct policies all = {};
	__u32 tenant;
	size_t i;
	int err = tenant_id(&s->cli->tsw, &s->w->name, &tenant);

	err = err ?: policies_read(&s->cli->tsw, tenant, &all);
	if (!err)
		qsort(all.row, all.n, sizeof(*all.row), compare);
	for (i = 0; !err && i < all.n; i++) {
		if (!*name || !strcmp(all.row[i].spec.name.s, name))
			err = add_row(s, &all.row[i]);
		if (!err && !*name)
			show_print(s);
	}
	return err;
}

/* Each switch counts its own hits. */
static int add_record(void *show, const char *tenant, const struct tsw_policy_spec *spec)
{
	show_of_tenant(show, tenant, policy_fields, ~0ULL, spec);
	return 0;
}

int show_policies(struct show *s)
{
	const struct tsw_name *tenant = &s->w->name, *name = &s->w->second;
	int err = s->r ? cluster_policies(s->r, tenant, name, &s->refused, add_record, s)
		       : show_switch(s);

	return !err && *name->s && !json_array_size(s->list)
		       ? rule_lacks(tenant->s, "policy", name->s)
		       : err;
}

/* ---- stats ------------------------------------------------------------------------ */

/* NAME NULL: frames that no rule has decided. */
static void print_stats(struct cli *cli, const char *tenant, const char *name,
			const struct tsw_counter *hits)
{
	out_item(&cli->out, json_pack("{s:o, s:o, s:I, s:I}", "tenant", json_text(tenant), "name",
				      json_text_or_null(name), "packets", (json_int_t)hits->packets,
				      "bytes", (json_int_t)hits->bytes));
}

/* A tenant's rules by name, then the frames that no rule has decided. */
static int print_tenant(struct cli *cli, const struct tenant_row *tenant,
			const struct policies *all, size_t *next)
{
	const struct policy_row *row;
	struct tsw_policy unused;
	struct tsw_counter hits;
	int err = map_get(&cli->tsw.maps, MAP_POLICIES, &tenant->id, &unused);

	if (err) /* the tenant never had a policy */
		return err == -ENOENT ? 0 : err;
	for (; !err && *next < all->n && all->row[*next].key.tenant == tenant->id; ++*next) {
		row = &all->row[*next];
		err = policy_hits(&cli->tsw, tenant->id, row->number, &hits);
		if (!err)
			print_stats(cli, tenant->tenant.name, row->spec.name.s, &hits);
	}
	err = err ?: policy_hits(&cli->tsw, tenant->id, 0, &hits);
	if (!err)
		print_stats(cli, tenant->tenant.name, NULL, &hits);
	return err;
}

int cmd_stats_policy(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants tenants = {};
	cleanup_policies struct policies all = {};
	__u32 id;
	size_t next = 0, i;
	int err = tenant_id(t, &w->option.tenant, &id);

	err = err ?: tenants_read(t, &tenants);
	err = err ?: policies_read(t, id, &all);
	if (err)
		return err;
	out_list_begin(&cli->out);
	for (i = 0; !err && i < tenants.n; i++)
		if (!id || tenants.row[i].id == id)
			err = print_tenant(cli, &tenants.row[i], &all, &next);
	if (!err)
		out_list_end(&cli->out);
	return err;
}
