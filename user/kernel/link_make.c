// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel/link.h"
#include "kernel/link_make.h"
#include "kernel/netkit.h"
#include "kernel/netlink.h"

struct nlmsghdr *link_make_begin(void *buffer, const char *name)
{
	struct nlmsghdr *request =
		link_request(buffer, RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, 0);

	mnl_attr_put_strz(request, IFLA_IFNAME, name);
	return request;
}

void link_put_pair(struct nlmsghdr *request, const struct link_end *end)
{
	struct nlattr *info = mnl_attr_nest_start(request, IFLA_LINKINFO), *data, *peer;

	mnl_attr_put_strz(request, IFLA_INFO_KIND, end->netkit ? "netkit" : "veth");
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	if (end->netkit) {
		mnl_attr_put_u32(request, IFLA_NETKIT_MODE, NETKIT_L2);
		mnl_attr_put_u32(request, IFLA_NETKIT_PEER_POLICY, NETKIT_DROP);
	}
	peer = mnl_attr_nest_start(request, end->netkit ? IFLA_NETKIT_PEER_INFO : VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, end->name);
	mnl_attr_put(request, IFLA_ADDRESS, sizeof(*end->mac), end->mac);
	if (end->mtu)
		mnl_attr_put_u32(request, IFLA_MTU, end->mtu);
	if (end->netns >= 0)
		mnl_attr_put_u32(request, IFLA_NET_NS_FD, (__u32)end->netns);
	mnl_attr_nest_end(request, peer);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
}

enum { NAMES = 1000 };

void link_next_name(const char *base, unsigned int taken, char name[IFNAMSIZ])
{
	int i;

	snprintf(name, IFNAMSIZ, "%s", base);
	for (i = 1; i < NAMES && (if_nametoindex(name) || taken--); i++)
		snprintf(name, IFNAMSIZ, "%s%d", base, i);
}

void link_free_name(const char *base, char name[IFNAMSIZ])
{
	link_next_name(base, 0, name);
}

bool link_has_name(const struct link *link, const char *base)
{
	const char *rest = link->name + strlen(base);
	char *end;

	if (strncmp(link->name, base, strlen(base)))
		return false;
	return !*rest || (*rest >= '1' && *rest <= '9' && strtoul(rest, &end, 10) < NAMES && !*end);
}

int link_start(__u32 ifindex)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_request(buffer, RTM_NEWLINK, NLM_F_ACK, ifindex);
	struct ifinfomsg *info = mnl_nlmsg_get_payload(request);

	info->ifi_flags = info->ifi_change = IFF_UP;
	return netlink_talk(request, NULL, NULL);
}

static void put_ipv4(struct nlmsghdr *request, const struct link_conf *conf)
{
	struct nlattr *family = mnl_attr_nest_start(request, AF_INET);
	struct nlattr *all = mnl_attr_nest_start(request, IFLA_INET_CONF);
	size_t i;

	for (i = 0; i < conf->n_ipv4; i++)
		mnl_attr_put_u32(request, conf->ipv4[i].conf, conf->ipv4[i].value);
	mnl_attr_nest_end(request, all);
	mnl_attr_nest_end(request, family);
}

static void put_ipv6(struct nlmsghdr *request)
{
	struct nlattr *family = mnl_attr_nest_start(request, AF_INET6);

	mnl_attr_put_u8(request, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(request, family);
}

static int configure(const struct link_conf *conf, bool ipv6)
{
	char buffer[NETLINK_BUFFER], alias[96];
	struct nlmsghdr *request = link_request(buffer, RTM_NEWLINK, NLM_F_ACK, conf->ifindex);
	struct ifinfomsg *info = mnl_nlmsg_get_payload(request);
	struct nlattr *spec;

	info->ifi_flags = info->ifi_change = conf->flags;
	if (conf->name)
		mnl_attr_put_strz(request, IFLA_IFNAME, conf->name);
	snprintf(alias, sizeof(alias), LINK_ALIAS "%s", conf->instance);
	mnl_attr_put_strz(request, IFLA_IFALIAS, alias);
	if (conf->mtu)
		mnl_attr_put_u32(request, IFLA_MTU, conf->mtu);
	spec = mnl_attr_nest_start(request, IFLA_AF_SPEC);
	put_ipv4(request, conf);
	if (ipv6)
		put_ipv6(request);
	mnl_attr_nest_end(request, spec);
	return netlink_talk(request, NULL, NULL);
}

int link_configure(const struct link_conf *conf)
{
	int err = configure(conf, true);

	/* The kernel has no IPv6, or was booted with ipv6.disable=1. */
	return err == -EAFNOSUPPORT ? configure(conf, false) : err;
}
