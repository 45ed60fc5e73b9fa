// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/conf.h"
#include "kernel/link.h"
#include "kernel/netlink.h"
#include "kernel/route.h"

static const void *addr_octets(const struct tsw_addr *addr, size_t *len)
{
	*len = addr_is_v4(addr) ? sizeof(__be32) : sizeof(*addr);
	return addr_is_v4(addr) ? (const void *)&addr->w[3] : (const void *)addr;
}

static void put_addr(struct nlmsghdr *request, __u16 type, const struct tsw_addr *addr)
{
	size_t len;
	const void *octets = addr_octets(addr, &len);

	mnl_attr_put(request, type, len, octets);
}

static void read_addr(const void *octets, size_t len, struct tsw_addr *addr)
{
	__be32 v4;

	if (len == sizeof(v4)) {
		memcpy(&v4, octets, sizeof(v4));
		*addr = addr_from_v4(v4);
	} else if (len == sizeof(*addr)) {
		memcpy(addr, octets, sizeof(*addr));
	}
}

/* The content of an answer. */
struct reading {
	struct route *route;
	__u32 mtu;
	bool expires; /* it was learned, and will be forgotten */
};

static int read_metric(const struct nlattr *attr, void *data)
{
	struct reading *r = data;

	if (mnl_attr_get_type(attr) == RTAX_MTU)
		r->mtu = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int read_route_attr(const struct nlattr *attr, void *data)
{
	struct reading *r = data;
	struct route *route = r->route;

	switch (mnl_attr_get_type(attr)) {
	case RTA_OIF:
		route->ifindex = mnl_attr_get_u32(attr);
		break;
	case RTA_GATEWAY:
		read_addr(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr), &route->via);
		break;
	case RTA_VIA: { /* an IPv4 route by an IPv6 router, RFC 8950 */
		const struct rtvia *via = mnl_attr_get_payload(attr);

		read_addr(via->rtvia_addr, mnl_attr_get_payload_len(attr) - sizeof(*via),
			  &route->via);
		break;
	}
	case RTA_METRICS:
		return mnl_attr_parse_nested(attr, read_metric, r);
	case RTA_CACHEINFO: {
		const struct rta_cacheinfo *info = mnl_attr_get_payload(attr);

		r->expires = info->rta_expires;
		break;
	}
	}
	return MNL_CB_OK;
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	return mnl_attr_parse(message, sizeof(struct rtmsg), read_route_attr, data);
}

static int ask(const struct tsw_addr *from, const struct tsw_addr *to, unsigned int flags,
	       struct reading *r)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_ACK, sizeof(struct rtmsg));
	struct rtmsg *header = mnl_nlmsg_get_payload(request);
	size_t len;

	addr_octets(to, &len);
	header->rtm_family = addr_is_v4(to) ? AF_INET : AF_INET6;
	header->rtm_dst_len = (__u8)(len * 8);
	header->rtm_src_len = (__u8)(len * 8);
	header->rtm_flags = flags;
	put_addr(request, RTA_DST, to);
	put_addr(request, RTA_SRC, from);
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

static int read_neighbour_attr(const struct nlattr *attr, void *data)
{
	struct neighbour *n = data;

	if (mnl_attr_get_type(attr) != NDA_LLADDR ||
	    mnl_attr_get_payload_len(attr) != sizeof(n->mac))
		return MNL_CB_OK;
	memcpy(&n->mac, mnl_attr_get_payload(attr), sizeof(n->mac));
	n->known = true;
	return MNL_CB_OK;
}

static int read_neighbour(const struct nlmsghdr *message, void *data)
{
	const struct ndmsg *header = mnl_nlmsg_get_payload(message);

	if (header->ndm_state & (NUD_NONE | NUD_INCOMPLETE | NUD_FAILED))
		return MNL_CB_OK;
	return mnl_attr_parse(message, sizeof(*header), read_neighbour_attr, data);
}

bool neighbour_known(__u32 ifindex, const struct tsw_addr *addr, struct tsw_mac *mac)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETNEIGH, NLM_F_ACK, sizeof(struct ndmsg));
	struct ndmsg *header = mnl_nlmsg_get_payload(request);
	struct neighbour n = {};

	header->ndm_family = addr_is_v4(addr) ? AF_INET : AF_INET6;
	header->ndm_ifindex = (int)ifindex;
	put_addr(request, NDA_DST, addr);
	if (netlink_talk(request, read_neighbour, &n) || !n.known)
		return false;
	*mac = n.mac;
	return true;
}

struct leading {
	int family;
	__u32 ifindex;
	__u32 metric; /* of the route by that device */
	__u32 dev;    /* of the route that is being read, like the next two */
	__u32 priority;
	__u32 table;
};

static int read_leading_attr(const struct nlattr *attr, void *data)
{
	const void *value = mnl_attr_get_payload(attr);
	struct leading *l = data;

	switch (mnl_attr_get_type(attr)) {
	case RTA_OIF:
		l->dev = mnl_attr_get_u32(attr);
		break;
	case RTA_PRIORITY:
		l->priority = mnl_attr_get_u32(attr);
		break;
	case RTA_TABLE:
		l->table = mnl_attr_get_u32(attr);
		break;
	case RTA_MULTIPATH:
		if (mnl_attr_get_payload_len(attr) >= sizeof(struct rtnexthop))
			l->dev = (__u32)((const struct rtnexthop *)value)->rtnh_ifindex;
		break;
	}
	return MNL_CB_OK;
}

static int read_leading(const struct nlmsghdr *message, void *data)
{
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);
	struct leading *l = data;

	if (header->rtm_family != l->family || header->rtm_dst_len || header->rtm_src_len ||
	    header->rtm_type != RTN_UNICAST || header->rtm_flags & RTM_F_CLONED)
		return MNL_CB_OK;
	l->dev = l->priority = 0;
	l->table = header->rtm_table;
	mnl_attr_parse(message, sizeof(*header), read_leading_attr, l);
	if (l->table != RT_TABLE_MAIN || !l->dev || (l->ifindex && l->priority >= l->metric))
		return MNL_CB_OK;
	l->ifindex = l->dev;
	l->metric = l->priority;
	return MNL_CB_OK;
}

int route_default(enum tsw_family family, __u32 *ifindex)
{
	struct leading l = {.family = family == TSW_IPV4 ? AF_INET : AF_INET6};
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
