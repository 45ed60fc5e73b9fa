// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/door_link.h"
#include "door/gateway_nft.h"
#include "door/rules.h"
#include "door/uplink.h"
#include "door/uplink_slots.h"
#include "kernel/netns.h"
#include "kernel/system.h"
#include "store/attach.h"

static const char *const source_maps[TSW_FAMILIES] = {"uplink4", "uplink6"};
const char *const uplink_maps[] = {"ways", "uplink4", "uplink6", "at_host4", "at_host6", NULL};

/* ---- the maps ---------------------------------------------------------------------------- */

/*
 * Adds to DIFFER the number of addresses that the map lacks, has too many, or has with another
 * device. DROP: deletes addresses that the host no longer has.
 */
static int compare_addrs(struct tsw *t, const struct plan *plan, bool drop, size_t *differ)
{
	cleanup_rows struct rows rows = {};
	const struct address *of;
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINK_ADDRS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		of = plan_address(plan, row_key(&rows, i));
		*differ += !of || of->ifindex != *(const __u32 *)row_value(&rows, i);
		if (drop && !of)
			err = map_del(&t->maps, MAP_UPLINK_ADDRS, row_key(&rows, i));
	}
	for (i = 0; !err && i < plan->local.n; i++) {
		__u32 ifindex;

		err = map_get(&t->maps, MAP_UPLINK_ADDRS, &plan->local.at[i].addr, &ifindex);
		*differ += err == -ENOENT;
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

static int compare_maps(struct tsw *t, const struct plan *plan, bool drop, size_t *differ)
{
	int err;

	*differ = 0;
	err = slots_compare(t, plan, drop, differ);
	return err ?: compare_addrs(t, plan, drop, differ);
}

static int put_maps(struct tsw *t, const struct plan *plan)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < plan->local.n; i++)
		err = map_put(&t->maps, MAP_UPLINK_ADDRS, &plan->local.at[i].addr,
			      &plan_address(plan, &plan->local.at[i].addr)->ifindex);
	return err ?: slots_put(t, plan);
}

/* ---- in the router ----------------------------------------------------------------------- */

static bool list_has(const struct addresses *list, const struct tsw_addr *addr)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (addr_equal(&list->at[i].addr, addr))
			return true;
	return false;
}

static int compare_addresses(const struct plan *plan, size_t *differ)
{
	struct addresses list;
	size_t i;
	int err = address_list(&list);

	*differ = 0;
	for (i = 0; i < list.n; i++)
		*differ += !plan_address(plan, &list.at[i].addr);
	for (i = 0; i < plan->local.n; i++)
		*differ += !list_has(&list, &plan->local.at[i].addr);
	free(list.at);
	return err;
}

static int add_addresses(const struct plan *plan)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < plan->local.n; i++)
		err = address_add(ROUTER_UPLINK, &plan->local.at[i].addr);
	return err;
}

static int drop_addresses(const struct plan *plan)
{
	struct addresses list;
	size_t i;
	int err = address_list(&list);

	for (i = 0; !err && i < list.n; i++)
		if (!plan_address(plan, &list.at[i].addr))
			err = address_del(list.at[i].ifindex, &list.at[i].addr);
	free(list.at);
	return err;
}

struct differences {
	size_t addresses;
	size_t routes;
	size_t rules;
};

static int compare_ways(const struct ways *ways, struct differences *d)
{
	const int families = system_has_ipv6() ? TSW_FAMILIES : 1;
	size_t n;
	int family, err = 0;

	for (family = 0; !err && family < families; family++) {
		err = table_compare(family, ways, &n);
		d->routes += n;
		err = err ?: rules_compare(family, ways, &n);
		d->rules += n;
	}
	return err;
}

static int compare_router(const struct plan *plan, struct differences *d)
{
	struct ways ways;
	int err = netns_visit();

	*d = (struct differences){};
	if (err)
		return err;
	plan_ways(plan, &ways);
	err = compare_addresses(plan, &d->addresses);
	err = err ?: compare_ways(&ways, d);
	return netns_leave(err);
}

static int mend_ways(const struct ways *ways)
{
	const int families = system_has_ipv6() ? TSW_FAMILIES : 1;
	int family, err = 0;

	for (family = 0; !err && family < families; family++) {
		err = table_mend(family, ways);
		err = err ?: rules_mend(family, ways);
	}
	return err;
}

/* For addresses whose local route is gone: the kernel makes it again with the address. */
static int renew_addresses(const struct plan *plan)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < plan->local.n; i++)
		err = address_del(ROUTER_UPLINK, &plan->local.at[i].addr);
	return err ?: add_addresses(plan);
}

/* Adds addresses first, because a route may name one as its source. */
static int mend_router(const struct plan *plan)
{
	struct ways ways;
	int err = netns_visit();

	if (err)
		return err;
	plan_ways(plan, &ways);
	err = add_addresses(plan);
	err = err ?: mend_ways(&ways);
	if (err == -EINVAL) {
		err = renew_addresses(plan);
		err = err ?: mend_ways(&ways);
	}
	err = err ?: drop_addresses(plan);
	return netns_leave(err);
}

/* ---- nftables ---------------------------------------------------------------------------- */

/* A frame's priority is written and listed as a class: major and minor number. */
static json_t *priority(__u32 slot)
{
	char text[16];

	snprintf(text, sizeof(text), "0:%x", slot);
	return nft_word(text);
}

static void fill_ways(const struct plan *plan, struct nft_change *c)
{
	size_t i;

	for (i = 0; i < plan->n; i++)
		nft_put(c, "ways", priority(plan->at[i].slot),
			nft_mark(TSW_MARK_WORLD | plan->at[i].slot));
	nft_put(c, "ways", priority(TSW_SLOT_NONE), nft_mark(TSW_MARK_WORLD | TSW_SLOT_NONE));
}

/* Packets without a slot leave as the host itself, or as the first slot with such an address. */
static void fill_sources(const struct plan *plan, enum tsw_family family, struct nft_change *c)
{
	const struct uplink *first = NULL;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		const struct uplink *u = &plan->at[i];

		if (addr_is_none(&u->src[family]))
			continue;
		if (!first || i == plan->first ||
		    (first != &plan->at[plan->first] && u->slot < first->slot))
			first = u;
		nft_put(c, source_maps[family], nft_mark(TSW_MARK_WORLD | u->slot),
			nft_addr(&u->src[family]));
	}
	if (first)
		nft_put(c, source_maps[family], nft_mark(TSW_MARK_WORLD),
			nft_addr(&first->src[family]));
}

int uplinks_fill(struct tsw *t, struct nft_change *c)
{
	cleanup_plan struct plan plan = {};
	int err = slots_plan(t, &plan);

	if (err)
		return err;
	fill_ways(&plan, c);
	fill_sources(&plan, TSW_IPV4, c);
	fill_sources(&plan, TSW_IPV6, c);
	return 0;
}

/* One map at a time, because libnftables 1.0.6 handles only one of several that are flushed. */
static int replace(const char *kind, const char *map, struct nft_change *c)
{
	char flush[64];
	int err;

	snprintf(flush, sizeof(flush), "flush %s inet tsw %s\n", kind, map);
	err = nft_run(flush, "", c);
	nft_abandon(c);
	return err;
}

/* A gateway's `snat` address may have become one of this host, or may not be one any more. */
static int mend_at_host(struct tsw *t)
{
	static const char *const sets[TSW_FAMILIES] = {"at_host4", "at_host6"};
	cleanup_rows struct rows rows = {};
	struct nft_change c;
	int family, err = map_rows(&t->maps, MAP_GATEWAYS, &rows);
	size_t i;

	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		nft_begin(&c);
		for (i = 0; i < rows.n; i++)
			gateway_nft_put_at_host(&c, row_value(&rows, i), family);
		err = replace("set", sets[family], &c);
	}
	return err;
}

static int mend_nft(struct tsw *t, const struct plan *plan)
{
	struct nft_change c;
	int family, err;

	nft_begin(&c);
	fill_ways(plan, &c);
	err = replace("map", "ways", &c);
	for (family = 0; !err && family < TSW_FAMILIES; family++) {
		nft_begin(&c);
		fill_sources(plan, family, &c);
		err = replace("map", source_maps[family], &c);
	}
	return err ?: mend_at_host(t);
}

/* ---- programs ---------------------------------------------------------------------------- */

static bool needs_program(const struct uplink *uplink)
{
	return uplink_is_device(uplink) && !uplink->underlay;
}

/* Notes the device before its program is attached, so that a kill leaves nothing unknown. */
static int note_device(struct tsw *t, const struct link *link)
{
	struct tsw_uplink u = {};
	int err = map_get(&t->maps, MAP_UPLINKS, &link->ifindex, &u);

	if (!err && u.flags & TSW_UPLINK_FAST)
		return 0;
	if (err && err != -ENOENT)
		return err;
	/* A row of an older version keeps them: they tell whether that device is still there. */
	if (err) {
		u.mac = link->mac;
		memcpy(u.name, link->name, sizeof(u.name));
	}
	u.flags |= TSW_UPLINK_FAST;
	if (attach_needs_qdisc(t, link->ifindex))
		u.flags |= TSW_UPLINK_QDISC;
	return map_put(&t->maps, MAP_UPLINKS, &link->ifindex, &u);
}

static int attach(struct tsw *t, const struct link *link)
{
	int err = note_device(t, link);

	err = err ?: attach_qdisc(t, link->ifindex);
	return err ?: attach_tc(t, PROG_FROM_WORLD, link->ifindex);
}

static int detach(struct tsw *t, __u32 ifindex, const struct tsw_uplink *u)
{
	int err = detach_tc(t, PROG_FROM_WORLD, ifindex);

	if (!err && u->flags & TSW_UPLINK_QDISC)
		err = link_drop_clsact(ifindex);
	return err ?: map_del(&t->maps, MAP_UPLINKS, &ifindex);
}

/*
 * Detaches from devices that became a port or an underlay, have no address any more, or are gone.
 */
static int detach_others(struct tsw *t, const struct plan *plan)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_UPLINKS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(&rows, i);
		const struct uplink *u = plan_find(plan, ifindex);

		if (!u || u->underlay)
			err = detach(t, ifindex, row_value(&rows, i));
	}
	return err;
}

/* If a program cannot be attached, logs that its uplink brings no answers, and goes on. */
static int mend_programs(struct tsw *t, const struct plan *plan)
{
	size_t i;
	/* The rows of old gateways say what to restore at the end of an upgrade. */
	int err = t->config.flags & TSW_CFG_OLD_DOOR ? 0 : detach_others(t, plan);

	for (i = 0; !err && i < plan->n; i++)
		if (needs_program(&plan->at[i]) && attach(t, &plan->at[i].link))
			note(&t->log, "%s; tenants get no answers through %s", failure()->text,
			     plan->at[i].link.name);
	return err;
}

/* ---- all of it --------------------------------------------------------------------------- */

/*
 * Changes nftables first and the maps last, so that after a kill the next command repeats it all.
 */
static int mend(struct tsw *t, const struct plan *plan)
{
	size_t unused;
	int err = compare_maps(t, plan, true, &unused);

	err = err ?: mend_nft(t, plan);
	err = err ?: mend_router(plan);
	return err ?: put_maps(t, plan);
}

int uplinks_mend(struct tsw *t, bool afresh)
{
	cleanup_plan struct plan plan = {};
	struct differences d;
	size_t differ;
	int err = slots_plan(t, &plan);

	err = err ?: compare_maps(t, &plan, false, &differ);
	err = err ?: compare_router(&plan, &d);
	if (!err && (afresh || differ || d.addresses || d.routes || d.rules))
		err = mend(t, &plan);
	return err ?: mend_programs(t, &plan);
}

static int clear(struct tsw *t, enum map map)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	/* An older ABI has no such map. */
	int err = t->maps.fd[map] < 0 ? 0 : map_row_keys(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++)
		err = map_del_any(&t->maps, map, row_key(&rows, i));
	return err;
}

int uplinks_close(struct tsw *t)
{
	static const struct plan nothing;
	int err = detach_others(t, &nothing);

	err = err ?: clear(t, MAP_UPLINK_ADDRS);
	return err ?: clear(t, MAP_UPLINK_SLOTS);
}

int uplinks_check(struct tsw *t, json_t *problems)
{
	cleanup_plan struct plan plan = {};
	struct differences d = {};
	size_t differ = 0, i;
	int err = slots_plan(t, &plan);

	err = err ?: compare_maps(t, &plan, false, &differ);
	err = err ?: compare_router(&plan, &d);
	if (err == -ENOENT) /* router_check() reports that the router is missing */
		return 0;
	if (!err && (differ || d.addresses)) {
		problem(problems, "uplink", "tsw-up",
			"the router differs from the host's devices and addresses");
		return 1;
	}
	if (plan.without_slot.ifindex)
		problem(problems, "uplink", plan.without_slot.name,
			"all %d slots for uplinks and their networks are in use: tenants do not "
			"leave through it",
			TSW_SLOTS);
	if (d.routes)
		problem(problems, "gateway_route", "tsw-up",
			"%zu routes of the router are missing or do not belong there", d.routes);
	if (d.rules)
		problem(problems, "gateway_rule", "tsw-up",
			"%zu ip rules of the router are missing or do not belong there", d.rules);
	for (i = 0; i < plan.n; i++)
		if (needs_program(&plan.at[i]) &&
		    !attached_tc(t, PROG_FROM_WORLD, plan.at[i].link.ifindex))
			problem(problems, "uplink", plan.at[i].link.name,
				"its program is not attached: tenants get no answers through it");
	return err;
}
