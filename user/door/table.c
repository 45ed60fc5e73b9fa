// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "door/table.h"
#include "kernel/netlink.h"

/*
 * One next hop for all destinations, or the kernel would keep a neighbour for each address. For
 * IPv4 it is the dummy address of RFC 7600, for IPv6 any link-local address.
 */
static const char *const next_hop[TSW_FAMILIES] = {"192.0.0.8", "fe80::1"};

struct scan {
	enum tsw_family family;
	const struct ways *ways;
	bool there[WAYS]; /* by way's index */
	char *strange;	  /* the kernel's messages about routes to delete, one after another */
	size_t used;
	size_t n_strange;
	bool failed;
};

struct route {
	struct way way;
	enum tsw_family family;
	bool via;
	bool nowhere;
};

static void note_strange(struct scan *scan, const struct nlmsghdr *message)
{
	const size_t len = MNL_ALIGN(message->nlmsg_len);
	char *grown = realloc(scan->strange, scan->used + len);

	scan->n_strange++;
	scan->failed |= !grown;
	if (!grown)
		return;
	scan->strange = grown;
	memcpy(grown + scan->used, message, message->nlmsg_len);
	scan->used += len;
}

static bool is_way(const struct way *way, const struct route *route)
{
	if (!way->ifindex || route->nowhere)
		return !way->ifindex && route->nowhere;
	return way->table == route->way.table && way->ifindex == route->way.ifindex &&
	       way->mtu == route->way.mtu && route->via &&
	       addr_equal(&way->src[route->family], &route->way.src[route->family]);
}

/* A route that differs will be replaced. Only a route of no way is deleted. */
static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	const struct attrs metrics = attrs_nested(a.at[RTA_METRICS]);
	struct scan *scan = data;
	struct route route = {.way.table = a.at[RTA_TABLE] ? attr_u32(a.at[RTA_TABLE])
							   : header->rtm_table,
			      .way.ifindex = attr_u32(a.at[RTA_OIF]),
			      .way.mtu = attr_u32(metrics.at[RTAX_MTU]),
			      .family = scan->family,
			      .via = a.at[RTA_GATEWAY],
			      .nowhere = header->rtm_type == RTN_UNREACHABLE};
	bool known = false;
	size_t i;

	if (header->rtm_family != netlink_af(scan->family) ||
	    header->rtm_protocol != TABLE_PROTOCOL || header->rtm_flags & RTM_F_CLONED)
		return MNL_CB_OK;
	attr_addr(a.at[RTA_PREFSRC], &route.way.src[scan->family]);
	for (i = 0; i < scan->ways->n; i++) {
		if (header->rtm_dst_len || scan->ways->at[i].table != route.way.table)
			continue;
		known = true;
		scan->there[i] |= is_way(&scan->ways->at[i], &route);
	}
	if (!known)
		note_strange(scan, message);
	return MNL_CB_OK;
}

static struct nlmsghdr *begin(void *buffer, int type, int flags, enum tsw_family family)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_family = (__u8)netlink_af(family);
	return request;
}

static int scan_tables(enum tsw_family family, const struct ways *ways, struct scan *scan)
{
	char buffer[NETLINK_BUFFER];
	int err;

	*scan = (struct scan){.family = family, .ways = ways};
	err = netlink_talk(begin(buffer, RTM_GETROUTE, NLM_F_DUMP, family), read_route, scan);
	if (!err && scan->failed)
		err = -ENOMEM;
	return err ? fail(err, "cannot list the router's routes of %s: %s", family_text(family),
			  strerror(-err))
		   : 0;
}

static void put_hop(struct nlmsghdr *request, enum tsw_family family, const struct way *way)
{
	const struct tsw_addr *src = &way->src[family];
	char hop[sizeof(struct in6_addr)];
	struct rtmsg *header = mnl_nlmsg_get_payload(request);
	struct nlattr *metrics;

	header->rtm_type = RTN_UNICAST;
	header->rtm_flags = RTNH_F_ONLINK;
	inet_pton(header->rtm_family, next_hop[family], hop);
	mnl_attr_put(request, RTA_GATEWAY, family == TSW_IPV4 ? 4 : 16, hop);
	mnl_attr_put_u32(request, RTA_OIF, way->ifindex);
	if (!addr_is_none(src))
		attr_put_addr(request, RTA_PREFSRC, src);
	if (way->mtu) {
		metrics = mnl_attr_nest_start(request, RTA_METRICS);
		mnl_attr_put_u32(request, RTAX_MTU, way->mtu);
		mnl_attr_nest_end(request, metrics);
	}
}

static int put(enum tsw_family family, const struct way *way)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		begin(buffer, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, family);
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_protocol = TABLE_PROTOCOL;
	header->rtm_scope = RT_SCOPE_UNIVERSE;
	header->rtm_type = RTN_UNREACHABLE;
	mnl_attr_put_u32(request, RTA_TABLE, way->table);
	if (way->ifindex)
		put_hop(request, family, way);
	return netlink_talk(request, NULL, NULL);
}

/* Sends the kernel's own message back as a delete, which matches a route of any kind exactly. */
static int remove_route(const void *message)
{
	struct nlmsghdr *request = (struct nlmsghdr *)message;
	int err;

	request->nlmsg_type = RTM_DELROUTE;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request->nlmsg_pid = 0;
	err = netlink_talk(request, NULL, NULL);
	return err == -ESRCH || err == -ENOENT ? 0 : err;
}

int table_compare(enum tsw_family family, const struct ways *ways, size_t *differ)
{
	struct scan scan;
	size_t i;
	int err = scan_tables(family, ways, &scan);

	free(scan.strange);
	*differ = scan.n_strange;
	for (i = 0; i < ways->n; i++)
		*differ += !scan.there[i];
	return err;
}

int table_mend(enum tsw_family family, const struct ways *ways)
{
	struct scan scan;
	size_t at = 0, i;
	int err = scan_tables(family, ways, &scan), failed = 0;

	for (i = 0; !err && !failed && i < ways->n; i++)
		if (!scan.there[i])
			failed = put(family, &ways->at[i]);
	for (; !err && !failed && at < scan.used;
	     at += MNL_ALIGN(((struct nlmsghdr *)(scan.strange + at))->nlmsg_len))
		failed = remove_route(scan.strange + at);
	free(scan.strange);
	return failed ? fail(failed, "cannot change the router's routes of %s: %s",
			     family_text(family), strerror(-failed))
		      : err;
}
