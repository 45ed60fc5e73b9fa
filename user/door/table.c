// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "kernel/netlink.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/table.h"

/*
 * The next hop only has to be one for all, or the kernel would keep a neighbour for each tenant's
 * address: of IPv4 the dummy address of RFC 7600, of IPv6 any that is local to the link.
 */
static const char *const next_hop[TSW_FAMILIES] = {"192.0.0.8", "fe80::1"};

struct scan {
	int family;
	__u32 ifindex;
	bool ours;    /* the route is there */
	bool strange; /* of ours, another */
	bool foreign;
	char *own; /* messages of ours, one behind the other */
	size_t used;
	bool failed;
};

struct route {
	__u32 table;
	__u32 oif;
	bool via;
};

static int read_attr(const struct nlattr *attr, void *data)
{
	struct route *route = data;

	if (mnl_attr_get_type(attr) == RTA_TABLE)
		route->table = mnl_attr_get_u32(attr);
	else if (mnl_attr_get_type(attr) == RTA_OIF)
		route->oif = mnl_attr_get_u32(attr);
	else if (mnl_attr_get_type(attr) == RTA_GATEWAY)
		route->via = true;
	return MNL_CB_OK;
}

static void keep(struct scan *scan, const struct nlmsghdr *message)
{
	const size_t len = MNL_ALIGN(message->nlmsg_len);
	char *grown = realloc(scan->own, scan->used + len);

	scan->failed |= !grown;
	if (!grown)
		return;
	scan->own = grown;
	memcpy(grown + scan->used, message, message->nlmsg_len);
	scan->used += len;
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	struct route route = {.table = header->rtm_table};
	struct scan *scan = data;

	mnl_attr_parse(message, sizeof(*header), read_attr, &route);
	if (route.table != TABLE_NUMBER || header->rtm_family != scan->family ||
	    header->rtm_flags & RTM_F_CLONED)
		return MNL_CB_OK;
	if (header->rtm_protocol != TABLE_PROTOCOL)
		scan->foreign = true;
	else if (!header->rtm_dst_len && route.oif == scan->ifindex && route.via &&
		 header->rtm_type == RTN_UNICAST && !scan->ours)
		scan->ours = true;
	else
		scan->strange = true;
	if (header->rtm_protocol == TABLE_PROTOCOL)
		keep(scan, message);
	return MNL_CB_OK;
}

static struct nlmsghdr *begin(void *buffer, int type, int flags, enum tsw_family family)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_family = family == TSW_IPV4 ? AF_INET : AF_INET6;
	return request;
}

/* Strict: the table alone, of which the kernel says -ENOENT while it has no routes. */
static int scan_table(enum tsw_family family, __u32 ifindex, struct scan *scan)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	int err;

	*scan = (struct scan){.family = family == TSW_IPV4 ? AF_INET : AF_INET6,
			      .ifindex = ifindex};
	request = begin(buffer, RTM_GETROUTE, NLM_F_DUMP, family);
	mnl_attr_put_u32(request, RTA_TABLE, TABLE_NUMBER);
	netlink_strict(true);
	err = netlink_talk(request, read_route, scan);
	netlink_strict(false);
	if (scan->failed)
		err = -ENOMEM;
	if (!err || err == -ENOENT)
		return 0;
	free(scan->own);
	scan->own = NULL;
	return fail(err, "cannot list the routes of %s: %s", family_text(family), strerror(-err));
}

static int add(enum tsw_family family, __u32 ifindex)
{
	char buffer[NETLINK_BUFFER], hop[sizeof(struct in6_addr)];
	struct nlmsghdr *request =
		begin(buffer, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, family);
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_protocol = TABLE_PROTOCOL;
	header->rtm_scope = RT_SCOPE_UNIVERSE;
	header->rtm_type = RTN_UNICAST;
	header->rtm_flags = RTNH_F_ONLINK;
	mnl_attr_put_u32(request, RTA_TABLE, TABLE_NUMBER);
	inet_pton(header->rtm_family, next_hop[family], hop);
	mnl_attr_put(request, RTA_GATEWAY, header->rtm_family == AF_INET ? 4 : 16, hop);
	mnl_attr_put_u32(request, RTA_OIF, ifindex);
	return netlink_talk(request, NULL, NULL);
}

/* What the kernel said of a route, sent back to it: of whatever kind, it is that one that goes. */
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

int table_remove(enum tsw_family family)
{
	struct scan scan;
	size_t at = 0;
	int err = scan_table(family, 0, &scan);

	if (err)
		return err;
	for (; !err && at < scan.used;
	     at += MNL_ALIGN(((struct nlmsghdr *)(scan.own + at))->nlmsg_len))
		err = remove_route(scan.own + at);
	free(scan.own);
	return err ? fail(err, "cannot remove the routes of table %d: %s", TABLE_NUMBER,
			  strerror(-err))
		   : 0;
}

int table_mend(enum tsw_family family, __u32 ifindex)
{
	struct scan scan;
	int err = scan_table(family, ifindex, &scan);

	free(scan.own);
	if (!err && scan.foreign)
		err = fail(EEXIST,
			   "somebody else has routes in table %d of %s, which gateways need for "
			   "themselves: see ip route show table %d",
			   TABLE_NUMBER, family_text(family), TABLE_NUMBER);
	if (!err && scan.strange) {
		err = table_remove(family);
		scan.ours = false;
	}
	if (err || scan.ours)
		return err;
	err = add(family, ifindex);
	return err ? fail(err, "cannot add the route to tsw-gw of %s: %s", family_text(family),
			  strerror(-err))
		   : 0;
}

int table_check(enum tsw_family family, __u32 ifindex, json_t *problems)
{
	struct scan scan;
	int err = scan_table(family, ifindex, &scan);

	free(scan.own);
	if (err)
		return err;
	if (!scan.ours)
		problem(problems, "gateway_route", family_text(family),
			"the route to tsw-gw in table %d is missing", TABLE_NUMBER);
	if (scan.foreign || scan.strange)
		problem(problems, "gateway_route", family_text(family),
			"there is a route in table %d that does not belong there", TABLE_NUMBER);
	return 0;
}
