// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/spell.h"
#include "base/text.h"
#include "record/counters.h"
#include "object/tenant.h"
#include "record/policy_find.h"
#include "tools/graph/dot.h"
#include "tools/graph/policy.h"

/* Up to so many rules between two ends are an edge each; more become one, with their number. */
enum { EACH_MOST = 5, USUAL_PRIORITY = 1000 };

/* Who is at one end of a rule. Nodes are named by kind and numbers, as in command.c. */
struct node {
	__u32 tenant;
	__u32 who; /* as tsw_policy_end.who */
	struct tsw_policy_who said;
};

struct edge {
	struct node from, to;
	struct tsw_policy_spec spec;
};

struct drawing {
	struct tenants tenants;
	struct policy_groups groups;
	__u32 *endpoints; /* of each group */
	struct edge *edge;
	size_t n;
};

/* ---- what there is ---------------------------------------------------------------- */

static int compare_nodes(const struct node *a, const struct node *b)
{
	if (a->tenant != b->tenant)
		return a->tenant < b->tenant ? -1 : 1;
	return a->who < b->who ? -1 : a->who > b->who;
}

/* Sorts by tenant, ends and action. */
static int compare_ends(const struct edge *a, const struct edge *b)
{
	const int from = compare_nodes(&a->from, &b->from), to = compare_nodes(&a->to, &b->to);

	return from ? from : to ? to : (int)a->spec.action - (int)b->spec.action;
}

static int compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	const int order = compare_ends(x, y);

	return order ?: strcmp(x->spec.name.s, y->spec.name.s);
}

static int read_edges(const struct tsw *t, __u32 tenant, struct drawing *d)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_RULES, &rows);

	if (err)
		return err;
	d->edge = calloc(rows.n + 1, sizeof(*d->edge));
	if (!d->edge)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy_name *key = row_key(&rows, i);
		const struct tsw_policy_rule *rule = row_value(&rows, i);
		const struct tsw_policy_spec spec = policy_rule_spec(&d->groups, key, rule);

		if (!tenant || key->tenant == tenant)
			d->edge[d->n++] = (struct edge){{key->tenant, rule->from.who, spec.from},
							{key->tenant, rule->to.who, spec.to},
							spec};
	}
	qsort(d->edge, d->n, sizeof(*d->edge), compare);
	return 0;
}

static int read_all(const struct tsw *t, __u32 tenant, struct drawing *d)
{
	int err = tenants_read(t, &d->tenants);

	err = err ?: policy_groups_read(t, tenant, &d->groups);
	if (err)
		return err;
	d->endpoints = calloc(d->groups.n + 1, sizeof(*d->endpoints));
	if (!d->endpoints)
		return fail_memory();
	err = policy_members_count(t, &d->groups, d->endpoints);
	return err ?: read_edges(t, tenant, d);
}

/* ---- what is drawn ---------------------------------------------------------------- */

static void print_name(const struct node *node)
{
	if (node->who & TSW_POLICY_CIDR)
		printf("t%uc%u", node->tenant, node->who & ~TSW_POLICY_CIDR);
	else
		printf("t%ug%u", node->tenant, node->who); /* 0: any */
}

/* `any` or a network. Groups have a node already, also without a rule. */
static void print_node(const struct node *node)
{
	if (node->who && !(node->who & TSW_POLICY_CIDR))
		return;
	printf("\t\t");
	print_name(node);
	printf(" [shape=%s, label=\"%s\"];\n", node->who ? "house" : "ellipse",
	       node->who ? prefix_text(&node->said.cidr) : "any");
}

static void print_edge(const struct edge *e, size_t n)
{
	const struct tsw_policy_spec *spec = &e->spec;

	printf("\t\t");
	print_name(&e->from);
	printf(" -> ");
	print_name(&e->to);
	printf(" [label=\"");
	if (n > EACH_MOST) {
		printf("%zu rules", n);
	} else {
		printf("%s\\n%s", dot_label(spec->name.s), word_policy_protos[spec->proto]);
		if (spec->port.first)
			printf(" %s", ports_text(&spec->port));
		if (spec->priority != USUAL_PRIORITY)
			printf(", priority %u", spec->priority);
	}
	printf("\"%s];\n",
	       spec->action == TSW_POLICY_DENY ? ", style=dashed, color=red, arrowhead=tee" : "");
}

/* How many edges from E on have the same ends and action. */
static size_t same_ends(const struct edge *e, const struct edge *end)
{
	size_t n = 1;

	while (e + n < end && !compare_ends(e, e + n))
		n++;
	return n;
}

static void print_edges(const struct edge *e, const struct edge *end)
{
	size_t n, i;

	for (; e < end; e += n) {
		n = same_ends(e, end);
		for (i = 0; i < (n > EACH_MOST ? 1 : n); i++)
			print_edge(e + i, n);
	}
}

static int print_tenant(const struct tsw *t, const struct drawing *d, const struct tenant_row *row,
			const struct edge *e, const struct edge *end)
{
	struct tsw_tenant_spec spec;
	const struct edge *one;
	size_t i;
	int err = tenant_load(t, row->id, &row->tenant, &spec);

	if (err)
		return err;
	printf("\tsubgraph cluster_%u {\n\t\tlabel=\"%s\\npolicy %s, default %s\";\n", row->id,
	       dot_label(row->tenant.name), word_modes[spec.policy],
	       spec.deny == TSW_POLICY_DENY ? "deny" : "allow");
	for (i = 0; i < d->groups.n; i++)
		if (d->groups.all[i].tenant == row->id)
			printf("\t\tt%ug%u [shape=box, label=\"%s\\n%u endpoints\"];\n", row->id,
			       d->groups.all[i].number, dot_label(d->groups.all[i].name.s),
			       d->endpoints[i]);
	for (one = e; one < end; one++) {
		print_node(&one->from);
		print_node(&one->to);
	}
	print_edges(e, end);
	printf("\t}\n");
	return 0;
}

static bool has_groups(const struct drawing *d, __u32 tenant)
{
	size_t i;

	for (i = 0; i < d->groups.n; i++)
		if (d->groups.all[i].tenant == tenant)
			return true;
	return false;
}

static int print(const struct tsw *t, const struct drawing *d)
{
	const struct edge *e, *end = d->edge + d->n, *last;
	size_t i;
	int err = 0;

	printf("digraph tsw {\n\tgraph [label=\"policies of switch %s of %s\", rankdir=LR, "
	       "ranksep=1.5, fontname=\"sans-serif\"];\n"
	       "\tnode [fontname=\"sans-serif\"];\n"
	       "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	       dot_label(t->instance), dot_label(t->config.name));
	for (i = 0; !err && i < d->tenants.n; i++) {
		const struct tenant_row *row = &d->tenants.row[i];

		for (e = d->edge; e < end && e->from.tenant != row->id; e++)
			;
		for (last = e; last < end && last->from.tenant == row->id; last++)
			;
		if (e < last || has_groups(d, row->id))
			err = print_tenant(t, d, row, e, last);
	}
	printf("}\n");
	return err;
}

int graph_policies(const struct tsw *t, __u32 tenant)
{
	struct drawing d = {};
	int err = read_all(t, tenant, &d);

	err = err ?: print(t, &d);
	policy_groups_free(&d.groups);
	free(d.endpoints);
	free(d.edge);
	tenants_free(&d.tenants);
	return err;
}
