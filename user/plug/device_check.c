// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/address.h"
#include "kernel/link.h"
#include "kernel/netlink.h"
#include "plug/device.h"

struct search {
	const struct dress_route *route;
	__u32 ifindex;
	bool found;
};

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *info = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*info));
	struct search *search = data;
	const struct dress_route *route = search->route;
	const bool v4 = addr_is_v4(&route->dst.addr);
	struct tsw_prefix dst = {.len = info->rtm_dst_len + (v4 ? 96 : 0)};
	struct tsw_addr gateway = {};

	if (info->rtm_family != (v4 ? AF_INET : AF_INET6) || info->rtm_table != RT_TABLE_MAIN)
		return MNL_CB_OK;
	if (v4)
		dst.addr = addr_from_v4(0);
	attr_addr(a.at[RTA_DST], &dst.addr);
	attr_addr(a.at[RTA_GATEWAY], &gateway);
	search->found |= attr_u32(a.at[RTA_OIF]) == search->ifindex && dst.len == route->dst.len &&
			 addr_equal(&dst.addr, &route->dst.addr) &&
			 addr_equal(&gateway, &route->gateway);
	return MNL_CB_OK;
}

static int check_route(const struct link *link, const struct dress_route *route)
{
	struct search search = {.route = route, .ifindex = link->ifindex};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_DUMP, sizeof(struct rtmsg));
	int err = netlink_talk(request, read_route, &search);

	if (err)
		return fail(err, "cannot list the routes: %s", strerror(-err));
	return search.found ? 0
			    : fail(ENOENT, "the container has no route to %s by %s",
				   prefix_text(&route->dst), quoted(link->name));
}

int device_check(const char *ifname, const struct tsw_mac *mac, const struct dress *dress)
{
	struct link link;
	unsigned int i;
	int err = link_by_name(ifname, &link);

	if (err)
		return fail(err, "the container has no interface %s", quoted(ifname));
	if (!mac_equal(&link.mac, mac))
		return fail(ENOENT, "%s has the MAC %s and not %s", quoted(ifname),
			    mac_text(&link.mac), mac_text(mac));
	if (!(link.flags & IFF_UP))
		return fail(ENOENT, "%s is down", quoted(ifname));
	for (i = 0; i < dress->n_ip; i++)
		if (!address_is_local(&dress->ip[i].at.addr))
			return fail(ENOENT, "the container has no address %s",
				    addr_text(&dress->ip[i].at.addr));
	for (i = 0; !err && i < dress->n_route; i++)
		err = check_route(&link, &dress->route[i]);
	return err;
}
