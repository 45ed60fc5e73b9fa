// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/text.h"
#include "door/door_link.h"
#include "door/uplink_plan.h"
#include "kernel/route.h"

enum { ROUTE_MTU_MOST = 65535 - 15 };

static bool is_underlay(const struct tsw *t, __u32 ifindex)
{
	unsigned int i;

	for (i = 0; i < TSW_UNDERLAYS; i++)
		if (t->config.underlay[i].ifindex == ifindex)
			return true;
	return false;
}

/* 1: the device may be an uplink; 0: it may not; or -errno. */
static int is_candidate(struct tsw *t, __u32 ifindex, struct link *link)
{
	struct tsw_port port;
	int err = link_by_index(ifindex, link);

	if (err)
		return err == -ENODEV ? 0 : err;
	return link->type == ARPHRD_ETHER && !(link->flags & IFF_LOOPBACK) &&
	       !link_instance(link) && map_get(&t->maps, MAP_PORTS, &ifindex, &port) == -ENOENT;
}

const struct uplink *plan_find(const struct plan *plan, __u32 ifindex)
{
	size_t i;

	for (i = 0; i < plan->n; i++)
		if (plan->at[i].link.ifindex == ifindex)
			return &plan->at[i];
	return NULL;
}

const struct address *plan_address(const struct plan *plan, const struct tsw_addr *addr)
{
	const struct address *found = NULL;
	size_t i;

	for (i = 0; i < plan->local.n; i++)
		if (addr_equal(&plan->local.at[i].addr, addr) && (!found || !found->ifindex))
			found = &plan->local.at[i];
	return found;
}

static int append_device(struct tsw *t, struct plan *plan, __u32 ifindex)
{
	struct uplink uplink = {.net = {.len = TSW_UPLINK_ANY, .ifindex = ifindex},
				.underlay = is_underlay(t, ifindex)};
	int err = is_candidate(t, ifindex, &uplink.link);

	return err <= 0 ? err : list_append(&plan->at, &plan->n, &uplink, sizeof(uplink));
}

static bool has_all_of(const struct tsw_prefix *wide, const struct tsw_prefix *narrow)
{
	return wide->len <= narrow->len && prefix_has(wide, &narrow->addr);
}

enum leaves plan_leaves(const struct plan *plan, const struct address *a)
{
	enum leaves leaves = LEAVES_FIRST;
	const struct address *other;

	if (!a->lasting || !plan_find(plan, a->ifindex))
		return LEAVES_NEVER;
	for (other = plan->local.at; other < a; other++) {
		if (!other->lasting || other->ifindex != a->ifindex ||
		    addr_family(&other->addr) != addr_family(&a->addr))
			continue;
		if (has_all_of(&other->net, &a->net))
			return LEAVES_NEVER;
		leaves = LEAVES_FURTHER;
	}
	return leaves;
}

/* 1: a host's address; 0: that of a port, or of a switch's own device; or -errno. */
static int is_hosts(struct tsw *t, __u32 ifindex)
{
	struct tsw_port port;
	struct link link;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &port);

	if (err != -ENOENT)
		return err;
	err = link_by_index(ifindex, &link);
	return err ? (err == -ENODEV ? 0 : err) : !link_instance(&link);
}

/* Drops addresses that are not the host's. */
static int take_addresses(struct tsw *t, struct plan *plan)
{
	size_t i, n = 0;
	int is = 0;

	for (i = 0; is >= 0 && i < plan->local.n; i++) {
		struct address a = plan->local.at[i];

		is = plan_find(plan, a.ifindex) ? 1 : is_hosts(t, a.ifindex);
		if (!plan_find(plan, a.ifindex))
			a.ifindex = 0;
		if (is > 0)
			plan->local.at[n++] = a;
	}
	plan->local.n = n;
	return is < 0 ? is : 0;
}

/* Chooses the address as which tenants leave, for each device and each of its networks. */
static int choose_sources(struct plan *plan)
{
	struct uplink uplink;
	size_t i;
	int err = 0;

	for (i = 0; i < plan->local.n; i++) {
		const struct address *a = &plan->local.at[i];

		if (plan_leaves(plan, a) == LEAVES_FIRST)
			((struct uplink *)plan_find(plan, a->ifindex))->src[addr_family(&a->addr)] =
				a->addr;
	}
	for (i = 0; !err && i < plan->local.n; i++) {
		const struct address *a = &plan->local.at[i];

		if (plan_leaves(plan, a) != LEAVES_FURTHER)
			continue;
		uplink = *plan_find(plan, a->ifindex);
		uplink.net = uplink_net(a);
		uplink.src[addr_family(&a->addr)] = a->addr;
		err = list_append(&plan->at, &plan->n, &uplink, sizeof(uplink));
	}
	return err;
}

int plan_choose_first(struct plan *plan)
{
	const struct uplink *by_route = NULL;
	__u32 ifindex = 0;
	int family, err = 0;
	size_t i;

	for (family = 0; !err && !by_route && family < TSW_FAMILIES; family++) {
		err = route_default(family, &ifindex);
		by_route = ifindex ? plan_find(plan, ifindex) : NULL;
	}
	for (i = 1; i < plan->n; i++)
		if (uplink_is_device(&plan->at[i]) && plan->at[i].slot < plan->at[plan->first].slot)
			plan->first = (__u32)i;
	if (by_route)
		plan->first = (__u32)(by_route - plan->at);
	return err;
}

int plan_make(struct tsw *t, struct plan *plan)
{
	size_t i;
	int err;

	*plan = (struct plan){};
	err = address_list(&plan->local);
	for (i = 0; !err && i < plan->local.n; i++)
		if (!plan_find(plan, plan->local.at[i].ifindex))
			err = append_device(t, plan, plan->local.at[i].ifindex);
	if (err)
		return err;
	err = take_addresses(t, plan);
	return err ?: choose_sources(plan);
}

void plan_free(struct plan *plan)
{
	free(plan->at);
	free(plan->local.at);
	*plan = (struct plan){};
}

/* The kernel accepts no larger MTU for a route. */
static __u32 route_mtu(const struct link *link)
{
	return link->mtu < ROUTE_MTU_MOST ? link->mtu : ROUTE_MTU_MOST;
}

void plan_ways(const struct plan *plan, struct ways *ways)
{
	struct way *to_internet = &ways->at[1];
	size_t i;

	ways->at[0] = (struct way){.table = TABLE_NUMBER, .ifindex = ROUTER_GATEWAY};
	*to_internet = (struct way){.table = RT_TABLE_MAIN, .ifindex = ROUTER_UPLINK};
	ways->at[2] = (struct way){.table = TABLE_UPLINKS + TSW_SLOT_NONE};
	ways->n = 3;
	for (i = 0; i < plan->n; i++) {
		const struct uplink *uplink = &plan->at[i];

		ways->at[ways->n++] = (struct way){
			.table = TABLE_UPLINKS + uplink->slot,
			.ifindex = ROUTER_UPLINK,
			.mtu = route_mtu(&uplink->link),
			.src = {uplink->src[TSW_IPV4], uplink->src[TSW_IPV6]},
		};
		if (route_mtu(&uplink->link) > to_internet->mtu)
			to_internet->mtu = route_mtu(&uplink->link);
	}
}
