// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/routed.h"
#include "door/routed_list.h"
#include "door/table.h"
#include "kernel/netlink.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

struct route {
	struct tsw_prefix network;
	__u32 oif;
	__u8 protocol;
	bool far; /* leads to a router or nowhere, not to a network of this host */
};

struct walk {
	struct tsw *t;
	int family;
	int (*fn)(const struct route *route, struct walk *walk);
	int err;		     /* the first error of FN */
	const struct networks *want; /* for check_route(): all of one tenant */
	struct networks *have;	     /* for note_route() */
};

/* The programs on uplinks look up this key to know what is for the router. */
static struct tsw_routed_key key_of(const struct tsw_prefix *network)
{
	return (struct tsw_routed_key){.len = network->len, .addr = network->addr};
}

/* ---- the host's routes ------------------------------------------------------------ */

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

/* ---- checks ----------------------------------------------------------------------- */

static int refuse(struct tsw *t, const struct tsw_prefix *network, const struct route *route,
		  __u32 tenant)
{
	char dev[IFNAMSIZ] = "";

	if (is_ours(t, route))
		return rule_routed(network, &route->network, tenant ? tenant_text(t, tenant) : "");
	if_indextoname(route->oif, dev);
	return fail(EEXIST, "with nat off, %s must not overlap the host's route to %s%s%s",
		    prefix_text(network), prefix_text(&route->network), *dev ? ", dev " : "", dev);
}

/* A route by a router to the same or a wider network is no conflict: ours takes precedence. */
static int check_route(const struct route *route, struct walk *walk)
{
	const struct tsw_routed_key key = key_of(&route->network);
	const struct network *its;
	__u32 tenant = 0;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < walk->want->n; i++) {
		its = &walk->want->all[i];
		if (!prefix_overlap(&its->at, &route->network) ||
		    (route->far && route->network.len <= its->at.len))
			continue;
		if (is_ours(walk->t, route))
			err = map_get_or_zero(&walk->t->maps, MAP_ROUTED, &key, &tenant);
		if (!err && tenant != its->tenant)
			err = refuse(walk->t, &its->at, route, tenant);
	}
	return err;
}

static int check(struct tsw *t, const struct networks *want)
{
	struct walk walk = {.t = t, .fn = check_route, .want = want};

	return want->n ? each_route(&walk) : 0;
}

int routed_check(struct tsw *t, __u32 tenant, const struct tsw_gateway *want)
{
	cleanup_networks struct networks list = {};
	int err = networks_of(t, tenant, want, &list);

	return err ?: check(t, &list);
}

/* ---- changes ---------------------------------------------------------------------- */

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

static int note_network(struct tsw *t, const struct network *network)
{
	const struct tsw_routed_key key = key_of(&network->at);

	return map_put(&t->maps, MAP_ROUTED, &key, &network->tenant);
}

static int put_route(struct tsw *t, const struct network *network)
{
	int err = talk(t, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &network->at);

	if (!err)
		return 0;
	if (err == -EEXIST)
		return fail(err, "the host has another route to %s, with the same metric",
			    prefix_text(&network->at));
	return fail(err, "cannot add the route to %s: %s", prefix_text(&network->at),
		    strerror(-err));
}

static int del_route(struct tsw *t, const struct network *network)
{
	int err = talk(t, RTM_DELROUTE, 0, &network->at);

	if (!err || err == -ESRCH || err == -ENODEV)
		return 0;
	return fail(err, "cannot delete the route to %s: %s", prefix_text(&network->at),
		    strerror(-err));
}

static int begin_network(struct tsw *t, const struct network *network)
{
	int err = note_network(t, network);

	return err ?: put_route(t, network);
}

static int end_network(struct tsw *t, const struct network *network)
{
	const struct tsw_routed_key key = key_of(&network->at);
	int err = del_route(t, network);

	return err ?: map_del(&t->maps, MAP_ROUTED, &key);
}

/* Calls FN for each network of A that B does not have. */
static int each_other(struct tsw *t, const struct networks *a, const struct networks *b,
		      int (*fn)(struct tsw *t, const struct network *network))
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < a->n; i++)
		if (!networks_have(b, &a->all[i].at))
			err = fn(t, &a->all[i]);
	return err;
}

static int change(struct tsw *t, const struct networks *from, const struct networks *to)
{
	int err = each_other(t, to, from, begin_network);

	return err ?: each_other(t, from, to, end_network);
}

int routed_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		  const struct tsw_gateway *want)
{
	cleanup_networks struct networks from = {}, to = {};
	int err = networks_of(t, tenant, old, &from);

	err = err ?: networks_of(t, tenant, want, &to);
	return err ?: change(t, &from, &to);
}

/* Does one of both for the networks behind an endpoint: checks them, or makes the change. */
static int behind(struct tsw *t, __u32 tenant, const struct tsw_prefix_list *old,
		  const struct tsw_prefix_list *want, bool checks)
{
	cleanup_networks struct networks from = {}, to = {};
	struct tsw_gateway gw;
	int err = gateway_get(t, tenant, &gw);

	if (err || !networks_are_routed(&gw))
		return err == -ENOENT ? 0 : err;
	err = networks_behind(&from, tenant, &gw, old);
	err = err ?: networks_behind(&to, tenant, &gw, want);
	if (err)
		return err;
	return checks ? check(t, &to) : change(t, &from, &to);
}

int routed_check_behind(struct tsw *t, __u32 tenant, const struct tsw_prefix_list *want)
{
	return behind(t, tenant, NULL, want, true);
}

int routed_change_behind(struct tsw *t, __u32 tenant, const struct tsw_prefix_list *old,
			 const struct tsw_prefix_list *want)
{
	return behind(t, tenant, old, want, false);
}

/* ---- as a whole ------------------------------------------------------------------- */

static int note_route(const struct route *route, struct walk *walk)
{
	return is_ours(walk->t, route) ? networks_add(walk->have, 0, &route->network) : 0;
}

static void report_others(const struct networks *a, const struct networks *b, const char *fault,
			  json_t *problems)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (!networks_have(b, &a->all[i].at))
			problem(problems, "gateway_route", prefix_text(&a->all[i].at), "%s", fault);
}

/* Lists existing and wanted networks, both sorted. Without tsw-gw both are empty. */
static int list_both(struct tsw *t, struct networks *have, struct networks *want)
{
	struct walk walk = {.t = t, .fn = note_route, .have = have};
	int err = 0;

	if (!t->config.gateway)
		return 0;
	err = networks_wanted(t, want);
	err = err ?: each_route(&walk);
	networks_sort(have);
	return err;
}

/* Counts entries of tsw_routed that are missing or belong to nobody. MEND: repairs them. */
static int compare_map(struct tsw *t, const struct networks *want, bool mend, size_t *differ)
{
	const struct networks none = {};
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ROUTED, &rows);

	*differ = rows.n > want->n ? rows.n - want->n : want->n - rows.n;
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_routed_key *key = row_key(&rows, i);
		const struct tsw_prefix network = {.addr = key->addr, .len = key->len};

		if (networks_have(want, &network))
			continue;
		++*differ;
		if (mend)
			err = map_del(&t->maps, MAP_ROUTED, key);
	}
	return !err && mend ? each_other(t, want, &none, note_network) : err;
}

int routed_verify(struct tsw *t, json_t *problems)
{
	cleanup_networks struct networks have = {}, want = {};
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
	return err;
}

/* Repairs the map, and with ROUTES the host's routes. */
static int mend(struct tsw *t, bool routes)
{
	cleanup_networks struct networks have = {}, want = {};
	size_t unused;
	int err = list_both(t, &have, &want);

	err = err ?: compare_map(t, &want, true, &unused);
	if (!err && routes)
		err = each_other(t, &have, &want, del_route);
	if (!err && routes)
		err = each_other(t, &want, &have, put_route);
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
