// SPDX-License-Identifier: GPL-2.0-only
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "agent/flow_table.h"

/* Trees, not hashes: tenants choose addresses and ports, and could make hashes collide. */
struct guests {
	__u32 tenant; /* first, because by_tenant() compares only this */
	__u32 n;
	void *flows; /* a tree of struct guest */
};

static int by_tenant(const void *a, const void *b)
{
	const __u32 one = *(const __u32 *)a, other = *(const __u32 *)b;

	return one < other ? -1 : one > other;
}

static int by_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_flow_key));
}

static struct tsw_flow_key key_of(__u32 tenant, const struct flow *flow)
{
	return (struct tsw_flow_key){.tenant = tenant,
				     .src = flow->src,
				     .dst = flow->dst,
				     .sport = flow->sport,
				     .dport = flow->dport,
				     .proto = flow->proto};
}

static struct guests *guests_of(const struct flow_table *t, __u32 tenant)
{
	struct guests *const *found = tfind(&tenant, &t->tenants, by_tenant);

	return found ? *found : NULL;
}

static struct guests *make_guests(struct flow_table *t, __u32 tenant)
{
	struct guests *fresh = guests_of(t, tenant);

	if (fresh)
		return fresh;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	fresh->tenant = tenant;
	if (tsearch(fresh, &t->tenants, by_tenant))
		return fresh;
	free(fresh);
	return NULL;
}

static void drop_if_empty(struct flow_table *t, struct guests *of)
{
	if (of->n)
		return;
	tdelete(of, &t->tenants, by_tenant);
	free(of);
}

void table_init(struct flow_table *t)
{
	*t = (struct flow_table){};
	TAILQ_INIT(&t->list);
}

void table_free(struct flow_table *t)
{
	struct guest *g;

	while ((g = TAILQ_FIRST(&t->list)))
		table_del(t, g);
}

struct guest *table_find(const struct flow_table *t, __u32 tenant, const struct flow *flow)
{
	const struct tsw_flow_key key = key_of(tenant, flow);
	const struct guests *of = guests_of(t, tenant);
	struct guest *const *found = of ? tfind(&key, &of->flows, by_key) : NULL;

	return found ? *found : NULL;
}

struct guest *table_add(struct flow_table *t, __u32 tenant, const struct flow *flow)
{
	struct guests *of = t->n < FLOWS_MOST ? make_guests(t, tenant) : NULL;
	struct guest *g = of ? calloc(1, sizeof(*g)) : NULL;

	if (!of)
		return NULL;
	if (g) {
		g->key = key_of(tenant, flow);
		g->flow = *flow;
	}
	if (!g || !tsearch(g, &of->flows, by_key)) {
		free(g);
		drop_if_empty(t, of);
		return NULL;
	}
	of->n++;
	t->n++;
	TAILQ_INSERT_TAIL(&t->list, g, all);
	return g;
}

void table_del(struct flow_table *t, struct guest *g)
{
	struct guests *of = guests_of(t, g->key.tenant);

	tdelete(g, &of->flows, by_key);
	TAILQ_REMOVE(&t->list, g, all);
	free(g);
	t->n--;
	of->n--;
	drop_if_empty(t, of);
}

void table_touch(struct flow_table *t, struct guest *g)
{
	TAILQ_REMOVE(&t->list, g, all);
	TAILQ_INSERT_TAIL(&t->list, g, all);
}

__u32 table_count(const struct flow_table *t, __u32 tenant)
{
	const struct guests *of = guests_of(t, tenant);

	return of ? of->n : 0;
}
