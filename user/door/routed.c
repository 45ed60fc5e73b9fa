// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/list.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/routed.h"
#include "door/table.h"
#include "kernel/netlink.h"
#include "record/gateway_find.h"
#include "rules/rules.h"

struct route {
	struct tsw_prefix network;
	__u32 oif;
	__u8 protocol;
	bool far; /* leads to a router or nowhere, not to a network of this host */
};

struct walk {
	const struct tsw *t;
	int family;
	int (*fn)(const struct route *route, struct walk *walk);
	int err;		       /* the first error of FN */
	const struct tsw_gateway *old; /* for routed_check() */
	const struct tsw_gateway *want;
	struct tsw_prefix *list; /* for routed_mend(): our routes */
	size_t n;
};

static bool is_routed(const struct tsw_gateway *gw)
{
	return gw && gateway_is_ready(gw) && !(gw->flags & (TSW_GATEWAY_NAT | TSW_GATEWAY_PENDING));
}

static struct tsw_prefix network_of(const struct tsw_prefix *prefix)
{
	return (struct tsw_prefix){.addr = prefix_first(prefix), .len = prefix->len};
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_prefix));
}

static bool has_network(const struct tsw_gateway *gw, const struct tsw_prefix *network)
{
	struct tsw_prefix its;
	__u32 i;

	for (i = 0; is_routed(gw) && i < gw->n_addrs; i++) {
		its = network_of(&gw->addr[i]);
		if (!compare(&its, network))
			return true;
	}
	return false;
}

static bool is_ours(const struct tsw *t, const struct route *route)
{
	return route->protocol == TABLE_PROTOCOL && t->config.gateway &&
	       route->oif == t->config.gateway;
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	struct walk *walk = data;
	struct route route = {
		.network.len = header->rtm_dst_len + (header->rtm_family == AF_INET ? 96U : 0),
		.oif = attr_u32(a.at[RTA_OIF]),
		.protocol = header->rtm_protocol,
		.far = header->rtm_type != RTN_UNICAST || a.at[RTA_GATEWAY] || a.at[RTA_VIA] ||
		       a.at[RTA_MULTIPATH] || a.at[RTA_NH_ID],
	};

	if (header->rtm_family != walk->family || header->rtm_flags & RTM_F_CLONED ||
	    !header->rtm_dst_len ||
	    (a.at[RTA_TABLE] ? attr_u32(a.at[RTA_TABLE]) : header->rtm_table) != RT_TABLE_MAIN)
		return MNL_CB_OK;
	attr_addr(a.at[RTA_DST], &route.network.addr);
	if (!walk->err)
		walk->err = walk->fn(&route, walk);
	return MNL_CB_OK;
}

/* Calls FN for each route of the main table except default routes. */
static int each_route(struct walk *walk)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct rtmsg *header;
	int err = 0, i;

	for (i = 0; !err && i < TSW_FAMILIES; i++) {
		request = netlink_begin(buffer, RTM_GETROUTE, NLM_F_DUMP, sizeof(*header));
		header = mnl_nlmsg_get_payload(request);
		header->rtm_family = (__u8)netlink_af(i);
		mnl_attr_put_u32(request, RTA_TABLE, RT_TABLE_MAIN);
		walk->family = netlink_af(i);
		netlink_strict(true);
		err = netlink_talk(request, read_route, walk);
		netlink_strict(false);
		if (err == -ENOENT) /* the table does not exist yet */
			err = 0;
		if (err)
			err = fail(err, "cannot list the host's routes: %s", strerror(-err));
	}
	return err ?: walk->err;
}

/* The tenant's name, for the message. */
static const char *find_tenant(const struct tsw *t, const struct tsw_prefix *network)
{
	cleanup_rows struct rows rows = {};
	struct tsw_tenant tenant;
	size_t i;

	if (map_rows(&t->maps, MAP_GATEWAYS, &rows))
		return "";
	for (i = 0; i < rows.n; i++)
		if (has_network(row_value(&rows, i), network) &&
		    !map_get(&t->maps, MAP_TENANTS, row_key(&rows, i), &tenant))
			return quoted(tenant.name);
	return "";
}

static int refuse(const struct tsw *t, const struct tsw_prefix *network, const struct route *route)
{
	char dev[IFNAMSIZ] = "";

	if (is_ours(t, route))
		return rule_routed(network, &route->network, find_tenant(t, &route->network));
	if_indextoname(route->oif, dev);
	return fail(EEXIST, "with nat off, %s must not overlap the host's route to %s%s%s",
		    prefix_text(network), prefix_text(&route->network), *dev ? ", dev " : "", dev);
}

/* A route by a router to the same or a wider network is no conflict: ours takes precedence. */
static int check_route(const struct route *route, struct walk *walk)
{
	struct tsw_prefix network;
	__u32 i;

	for (i = 0; i < walk->want->n_addrs; i++) {
		network = network_of(&walk->want->addr[i]);
		if (!prefix_overlap(&network, &route->network) ||
		    (route->far && route->network.len <= network.len))
			continue;
		if (!is_ours(walk->t, route) || !has_network(walk->old, &route->network))
			return refuse(walk->t, &network, route);
	}
	return 0;
}

int routed_check(struct tsw *t, const struct tsw_gateway *old, const struct tsw_gateway *want)
{
	struct walk walk = {.t = t, .fn = check_route, .old = old, .want = want};

	return is_routed(want) ? each_route(&walk) : 0;
}

static int talk(struct tsw *t, int type, int flags, const struct tsw_prefix *network)
{
	const bool v4 = addr_is_v4(&network->addr);
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, type, NLM_F_ACK | flags, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_family = (__u8)netlink_af(addr_family(&network->addr));
	header->rtm_dst_len = (unsigned char)(v4 ? network->len - 96 : network->len);
	header->rtm_table = RT_TABLE_MAIN;
	header->rtm_protocol = TABLE_PROTOCOL;
	header->rtm_scope = v4 ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	header->rtm_type = RTN_UNICAST;
	attr_put_addr(request, RTA_DST, &network->addr);
	mnl_attr_put_u32(request, RTA_OIF, t->config.gateway);
	return netlink_talk(request, NULL, NULL);
}

/* The programs on uplinks look up this key to know what is for the router. */
static struct tsw_routed_key key_of(const struct tsw_prefix *network)
{
	return (struct tsw_routed_key){.len = network->len, .addr = network->addr};
}

static int note_network(struct tsw *t, __u32 tenant, const struct tsw_prefix *network)
{
	const struct tsw_routed_key key = key_of(network);

	return map_put(&t->maps, MAP_ROUTED, &key, &tenant);
}

static int put_route(struct tsw *t, const struct tsw_prefix *network)
{
	int err = talk(t, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, network);

	if (!err)
		return 0;
	if (err == -EEXIST)
		return fail(err, "the host has another route to %s, with the same metric",
			    prefix_text(network));
	return fail(err, "cannot add the route to %s: %s", prefix_text(network), strerror(-err));
}

static int del_route(struct tsw *t, const struct tsw_prefix *network)
{
	int err = talk(t, RTM_DELROUTE, 0, network);

	if (!err || err == -ESRCH || err == -ENODEV)
		return 0;
	return fail(err, "cannot delete the route to %s: %s", prefix_text(network), strerror(-err));
}

static int begin_network(struct tsw *t, __u32 tenant, const struct tsw_prefix *network)
{
	int err = note_network(t, tenant, network);

	return err ?: put_route(t, network);
}

static int end_network(struct tsw *t, __u32 tenant, const struct tsw_prefix *network)
{
	const struct tsw_routed_key key = key_of(network);
	int err = del_route(t, network);

	(void)tenant;
	return err ?: map_del(&t->maps, MAP_ROUTED, &key);
}

typedef int network_fn(struct tsw *t, __u32 tenant, const struct tsw_prefix *network);

/* Calls FN once for each network of GW that WITHOUT does not have. */
static int each_network(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw,
			const struct tsw_gateway *without, network_fn *fn)
{
	struct tsw_gateway before;
	struct tsw_prefix network;
	__u32 i;
	int err = 0;

	if (!is_routed(gw))
		return 0;
	before = *gw;
	for (i = 0; !err && i < gw->n_addrs; i++) {
		network = network_of(&gw->addr[i]);
		before.n_addrs = i;
		if (!has_network(&before, &network) && !has_network(without, &network))
			err = fn(t, tenant, &network);
	}
	return err;
}

int routed_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want)
{
	int err = each_network(t, tenant, want, old, begin_network);

	return err ?: each_network(t, tenant, old, want, end_network);
}

static int note_route(const struct route *route, struct walk *walk)
{
	if (!is_ours(walk->t, route))
		return 0;
	return list_append(&walk->list, &walk->n, &route->network, sizeof(route->network));
}

/* Lists the networks that all gateways together should have, each once. */
static int list_wanted(const struct rows *rows, struct walk *walk)
{
	size_t i, j, out = 0;

	walk->list = calloc(rows->n * TSW_GATEWAY_ADDRS + 1, sizeof(*walk->list));
	if (!walk->list)
		return fail_memory();
	for (i = 0; i < rows->n; i++) {
		const struct tsw_gateway *gw = row_value(rows, i);

		for (j = 0; is_routed(gw) && j < gw->n_addrs; j++)
			walk->list[walk->n++] = network_of(&gw->addr[j]);
	}
	qsort(walk->list, walk->n, sizeof(*walk->list), compare);
	for (i = 0; i < walk->n; i++)
		if (!out || compare(&walk->list[out - 1], &walk->list[i]))
			walk->list[out++] = walk->list[i];
	walk->n = out;
	return 0;
}

/* Tells whether the list, which is sorted, has the network. */
static bool is_listed(const struct walk *walk, const struct tsw_prefix *network)
{
	return walk->n && bsearch(network, walk->list, walk->n, sizeof(*network), compare);
}

/* Calls FN for each network of A that B does not have. */
static int each_other(struct tsw *t, const struct walk *a, const struct walk *b,
		      int (*fn)(struct tsw *t, const struct tsw_prefix *network))
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < a->n; i++)
		if (!is_listed(b, &a->list[i]))
			err = fn(t, &a->list[i]);
	return err;
}

static void report_others(const struct walk *a, const struct walk *b, const char *fault,
			  json_t *problems)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (!is_listed(b, &a->list[i]))
			problem(problems, "gateway_route", prefix_text(&a->list[i]), "%s", fault);
}

/* Lists existing and wanted networks, both sorted. Without tsw-gw both are empty. */
static int list_both(struct tsw *t, struct walk *have, struct walk *want)
{
	cleanup_rows struct rows rows = {};
	int err;

	if (!t->config.gateway)
		return 0;
	err = map_rows(&t->maps, MAP_GATEWAYS, &rows);
	err = err ?: list_wanted(&rows, want);
	err = err ?: each_route(have);
	if (!err && have->n)
		qsort(have->list, have->n, sizeof(*have->list), compare);
	return err;
}

/* Counts entries of tsw_routed that are missing or belong to no gateway. MEND: repairs them. */
static int compare_map(struct tsw *t, const struct walk *want, bool mend, size_t *differ)
{
	cleanup_rows struct rows rows = {}, gateways = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ROUTED, &rows);

	*differ = rows.n > want->n ? rows.n - want->n : want->n - rows.n;
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_routed_key *key = row_key(&rows, i);
		const struct tsw_prefix network = {.addr = key->addr, .len = key->len};

		if (is_listed(want, &network))
			continue;
		++*differ;
		if (mend)
			err = map_del(&t->maps, MAP_ROUTED, key);
	}
	if (!err && mend)
		err = map_rows(&t->maps, MAP_GATEWAYS, &gateways);
	for (i = 0; !err && i < gateways.n; i++)
		err = each_network(t, *(const __u32 *)row_key(&gateways, i),
				   row_value(&gateways, i), NULL, note_network);
	return err;
}

int routed_verify(struct tsw *t, json_t *problems)
{
	struct walk have = {.t = t, .fn = note_route}, want = {};
	size_t differ = 0;
	int err = list_both(t, &have, &want);

	err = err ?: compare_map(t, &want, false, &differ);
	if (!err) {
		report_others(&want, &have, "the route to a tenant with nat off is missing",
			      problems);
		report_others(&have, &want, "the route to tsw-gw belongs to no tenant", problems);
	}
	if (differ)
		problem(problems, "gateway_route", "tsw_routed",
			"the map differs from the networks of tenants with nat off");
	free(have.list);
	free(want.list);
	return err;
}

/* Repairs the map, and with ROUTES the host's routes. */
static int mend(struct tsw *t, bool routes)
{
	struct walk have = {.t = t, .fn = note_route}, want = {};
	size_t unused;
	int err = list_both(t, &have, &want);

	err = err ?: compare_map(t, &want, true, &unused);
	if (!err && routes)
		err = each_other(t, &have, &want, del_route);
	if (!err && routes)
		err = each_other(t, &want, &have, put_route);
	free(have.list);
	free(want.list);
	return err;
}

int routed_note(struct tsw *t)
{
	return mend(t, false);
}

int routed_mend(struct tsw *t)
{
	return mend(t, true);
}
