// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"
#include "system.h"
#include "text.h"
#include "trace_route.h"

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

struct reading {
	struct route_answer *answer;
	bool locked;  /* the MTU is not to be found out */
	bool learned; /* it was, by path MTU discovery */
};

static int read_metric(const struct nlattr *attr, void *data)
{
	struct reading *r = data;

	if (mnl_attr_get_type(attr) == RTAX_MTU)
		r->answer->mtu = mnl_attr_get_u32(attr);
	else if (mnl_attr_get_type(attr) == RTAX_LOCK)
		r->locked = mnl_attr_get_u32(attr) & (1U << RTAX_MTU);
	return MNL_CB_OK;
}

static int read_route_attr(const struct nlattr *attr, void *data)
{
	struct reading *r = data;
	struct route_answer *answer = r->answer;

	switch (mnl_attr_get_type(attr)) {
	case RTA_OIF:
		answer->ifindex = mnl_attr_get_u32(attr);
		break;
	case RTA_GATEWAY:
		read_addr(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr), &answer->via);
		break;
	case RTA_VIA: { /* an IPv4 route by an IPv6 router, RFC 8950 */
		const struct rtvia *via = mnl_attr_get_payload(attr);

		read_addr(via->rtvia_addr, mnl_attr_get_payload_len(attr) - sizeof(*via),
			  &answer->via);
		break;
	}
	case RTA_METRICS:
		return mnl_attr_parse_nested(attr, read_metric, r);
	case RTA_CACHEINFO: {
		const struct rta_cacheinfo *info = mnl_attr_get_payload(attr);

		r->learned = info->rta_expires;
		break;
	}
	}
	return MNL_CB_OK;
}

static int read_route(const struct nlmsghdr *message, void *data)
{
	return mnl_attr_parse(message, sizeof(struct rtmsg), read_route_attr, data);
}

/* The kernel forwards by a route's MTU only so far. IPv4's alone: IPv6 always does. */
static bool mtu_counts(const struct reading *r)
{
	return r->locked || r->learned ||
	       system_setting("/proc/sys/net/ipv4/ip_forward_use_pmtu") > 0;
}

int route_ask(const struct tsw_addr *from, const struct tsw_addr *to, struct route_answer *answer)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETROUTE, NLM_F_ACK, sizeof(struct rtmsg));
	struct rtmsg *route = mnl_nlmsg_get_payload(request);
	struct reading r = {.answer = answer};
	size_t len;
	int err;

	addr_octets(to, &len);
	route->rtm_family = addr_is_v4(to) ? AF_INET : AF_INET6;
	route->rtm_dst_len = (__u8)(len * 8);
	route->rtm_src_len = (__u8)(len * 8);
	put_addr(request, RTA_DST, to);
	put_addr(request, RTA_SRC, from);
	*answer = (struct route_answer){.via = *to};
	err = netlink_talk(request, read_route, &r);
	if (!err && addr_is_v4(to) && !mtu_counts(&r))
		answer->mtu = 0;
	return err;
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
