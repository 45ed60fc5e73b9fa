// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "door/routed_list.h"
#include "record/gateway_find.h"

void networks_free(struct networks *list)
{
	free(list->all);
}

bool networks_are_routed(const struct tsw_gateway *gw)
{
	return gw && gateway_is_ready(gw) && !(gw->flags & (TSW_GATEWAY_NAT | TSW_GATEWAY_PENDING));
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_prefix));
}

int networks_add(struct networks *list, __u32 tenant, const struct tsw_prefix *prefix)
{
	const struct network its = {{prefix_first(prefix), prefix->len}, tenant};

	return list_append(&list->all, &list->n, &its, sizeof(its));
}

void networks_sort(struct networks *list)
{
	size_t i, out = 0;

	if (list->n)
		qsort(list->all, list->n, sizeof(*list->all), compare);
	for (i = 0; i < list->n; i++)
		if (!out || compare(&list->all[out - 1], &list->all[i]))
			list->all[out++] = list->all[i];
	list->n = out;
}

bool networks_have(const struct networks *list, const struct tsw_prefix *network)
{
	return list->n && bsearch(network, list->all, list->n, sizeof(*list->all), compare);
}

static int add_own(struct networks *list, __u32 tenant, const struct tsw_gateway *gw)
{
	__u32 i;
	int err = 0;

	for (i = 0; !err && networks_are_routed(gw) && i < gw->n_addrs; i++)
		err = networks_add(list, tenant, &gw->addr[i]);
	return err;
}

/* A network behind an endpoint needs no route within a network of the gateway. */
static bool needs_route(const struct tsw_gateway *gw, const struct tsw_prefix *prefix)
{
	bool speaks = false; /* the family */
	__u32 i;

	for (i = 0; networks_are_routed(gw) && i < gw->n_addrs; i++) {
		if (addr_is_v4(&gw->addr[i].addr) != addr_is_v4(&prefix->addr))
			continue;
		if (gw->addr[i].len <= prefix->len && prefix_has(&gw->addr[i], &prefix->addr))
			return false;
		speaks = true;
	}
	return speaks;
}

int networks_behind(struct networks *list, __u32 tenant, const struct tsw_gateway *gw,
		    const struct tsw_prefix_list *prefixes)
{
	__u32 i;
	int err = 0;

	for (i = 0; !err && prefixes && i < prefixes->n; i++)
		if (needs_route(gw, &prefixes->at[i]))
			err = networks_add(list, tenant, &prefixes->at[i]);
	networks_sort(list);
	return err;
}

/* Collects networks behind endpoints: of one tenant with that gateway, or of all. */
struct collecting {
	const struct tsw *t;
	struct networks *to;
	bool all;
	__u32 tenant;
	const struct tsw_gateway *gw;
	struct tsw_gateway its;
};

static int collect(void *context, const void *key, const void *value)
{
	const struct tsw_prefix_key *behind = key;
	const struct tsw_prefix prefix = {behind->of.addr, behind->len - 32};
	struct collecting *c = context;

	(void)value;
	if (c->all && behind->of.tenant != c->tenant) {
		c->tenant = behind->of.tenant;
		c->gw = gateway_get(c->t, c->tenant, &c->its) ? NULL : &c->its;
	}
	if (behind->of.tenant != c->tenant || !needs_route(c->gw, &prefix))
		return 0;
	return networks_add(c->to, c->tenant, &prefix);
}

int networks_of(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, struct networks *list)
{
	struct collecting c = {.t = t, .to = list, .tenant = tenant, .gw = gw};
	int err = add_own(list, tenant, gw);

	if (!err && networks_are_routed(gw))
		err = map_walk(&t->maps, MAP_PREFIXES, collect, &c);
	networks_sort(list);
	return err;
}

int networks_wanted(struct tsw *t, struct networks *list)
{
	struct collecting c = {.t = t, .to = list, .all = true};
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++)
		err = add_own(list, *(const __u32 *)row_key(&rows, i), row_value(&rows, i));
	if (!err && list->n)
		err = map_walk(&t->maps, MAP_PREFIXES, collect, &c);
	networks_sort(list);
	return err;
}
