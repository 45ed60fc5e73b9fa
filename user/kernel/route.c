// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/conf.h"
#include "kernel/link.h"
#include "kernel/netlink.h"
#include "kernel/route.h"

/* The content of an answer. */
struct reading {
	struct route *route;
	__u32 mtu;
	bool expires; /* it was learned, and will be forgotten */
};

static int read_route(const struct nlmsghdr *message, void *data)
{
	const struct attrs a = attrs_of(message, sizeof(struct rtmsg));
	const struct attrs metrics = attrs_nested(a.at[RTA_METRICS]);
	const struct nlattr *cache = a.at[RTA_CACHEINFO];
	struct reading *r = data;

	r->route->ifindex = attr_u32(a.at[RTA_OIF]);
	attr_addr(a.at[RTA_GATEWAY], &r->route->via);
	if (a.at[RTA_VIA]) { /* an IPv4 route by an IPv6 router, RFC 8950 */
		const struct rtvia *via = mnl_attr_get_payload(a.at[RTA_VIA]);

		if (mnl_attr_get_payload_len(a.at[RTA_VIA]) == sizeof(*via) + sizeof(r->route->via))
			memcpy(&r->route->via, via->rtvia_addr, sizeof(r->route->via));
	}
	r->mtu = attr_u32(metrics.at[RTAX_MTU]);
	r->expires =
		cache && ((const struct rta_cacheinfo *)mnl_attr_get_payload(cache))->rta_expires;
	return MNL_CB_OK;
}

static int ask(const struct tsw_addr *from, const struct tsw_addr *to, unsigned int flags,
	       struct reading *r)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_ACK, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);

	header->rtm_family = (__u8)netlink_af(addr_family(to));
	header->rtm_dst_len = header->rtm_src_len = addr_is_v4(to) ? 32 : 128;
	header->rtm_flags = flags;
	attr_put_addr(request, RTA_DST, to);
	attr_put_addr(request, RTA_SRC, from);
	return netlink_talk(request, read_route, r);
}

/* A device has its own MTU for IPv6, which routers may advertise (RFC 4861 section 4.6.4). */
static __u32 device_mtu6(__u32 ifindex)
{
	struct link link;
	int mtu = link_by_index(ifindex, &link) ? 0 : conf_read(TSW_IPV6, link.name, "mtu");

	return mtu > 0 && (__u32)mtu < link.mtu ? (__u32)mtu : 0;
}

/*
 * The entry of the table has only the configured MTU. For its own addresses the kernel returns no
 * entry, and nothing is configured. The route in use also has a learned MTU.
 */
int route_ask(const struct tsw_addr *from, const struct tsw_addr *to, struct route *route)
{
	struct route entry = {};
	struct reading now = {.route = route}, configured = {.route = &entry};
	int err;

	*route = (struct route){.via = *to};
	err = ask(from, to, 0, &now);
	if (err)
		return err;
	if (!ask(from, to, RTM_F_FIB_MATCH, &configured))
		route->mtu = configured.mtu;
	if (!route->mtu && !addr_is_v4(to))
		route->mtu = device_mtu6(route->ifindex);
	if (now.expires && now.mtu && (!route->mtu || now.mtu < route->mtu))
		route->learned = now.mtu;
	return 0;
}

struct neighbour {
	struct tsw_mac mac;
	bool known;
};

static int read_neighbour(const struct nlmsghdr *message, void *data)
{
	const struct ndmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	struct neighbour *n = data;

	if (!(header->ndm_state & (NUD_NONE | NUD_INCOMPLETE | NUD_FAILED)))
		n->known |= attr_copy(a.at[NDA_LLADDR], &n->mac, sizeof(n->mac));
	return MNL_CB_OK;
}

bool neighbour_known(__u32 ifindex, const struct tsw_addr *addr, struct tsw_mac *mac)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETNEIGH, NLM_F_ACK, sizeof(struct ndmsg));
	struct ndmsg *header = mnl_nlmsg_get_payload(request);
	struct neighbour n = {};

	header->ndm_family = (__u8)netlink_af(addr_family(addr));
	header->ndm_ifindex = (int)ifindex;
	attr_put_addr(request, NDA_DST, addr);
	if (netlink_talk(request, read_neighbour, &n) || !n.known)
		return false;
	*mac = n.mac;
	return true;
}

struct leading {
	int family;
	__u32 ifindex;
	__u32 metric; /* of the route by that device */
};

static int read_leading(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	const struct nlattr *hops = a.at[RTA_MULTIPATH], *table = a.at[RTA_TABLE];
	const __u32 metric = attr_u32(a.at[RTA_PRIORITY]);
	__u32 ifindex = attr_u32(a.at[RTA_OIF]);
	struct leading *l = data;

	if (hops && mnl_attr_get_payload_len(hops) >= sizeof(struct rtnexthop))
		ifindex =
			(__u32)((const struct rtnexthop *)mnl_attr_get_payload(hops))->rtnh_ifindex;
	if (header->rtm_family != l->family || header->rtm_dst_len || header->rtm_src_len ||
	    header->rtm_type != RTN_UNICAST || header->rtm_flags & RTM_F_CLONED ||
	    (table ? attr_u32(table) : header->rtm_table) != RT_TABLE_MAIN || !ifindex ||
	    (l->ifindex && metric >= l->metric))
		return MNL_CB_OK;
	l->ifindex = ifindex;
	l->metric = metric;
	return MNL_CB_OK;
}

int route_default(enum tsw_family family, __u32 *ifindex)
{
	struct leading l = {.family = netlink_af(family)};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_DUMP, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);
	int err;

	header->rtm_family = (__u8)l.family;
	mnl_attr_put_u32(request, RTA_TABLE, RT_TABLE_MAIN);
	netlink_strict(true);
	err = netlink_talk(request, read_leading, &l);
	netlink_strict(false);
	*ifindex = l.ifindex;
	if (err && err != -ENOENT) /* ENOENT: the table was never used */
		return fail(err, "cannot list the host's routes: %s", strerror(-err));
	return 0;
}
