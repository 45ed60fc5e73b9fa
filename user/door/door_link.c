// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "kernel/conf.h"
#include "door/door_link.h"
#include "base/err.h"
#include "kernel/forward.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "base/problem.h"
#include "base/text.h"

#define OTHER_END "tsw-gwp"

/* By its MAC a device that has no alias yet is known: locally administered, and of the name. */
static struct tsw_mac mac_of(const char *instance)
{
	__u32 hash = 2166136261U; /* FNV-1a, 32 bits */

	for (; *instance; instance++)
		hash = (hash ^ (__u8)*instance) * 16777619U;
	return (struct tsw_mac){{0x02, 0x77, (__u8)(hash >> 24), (__u8)(hash >> 16),
				 (__u8)(hash >> 8), (__u8)hash}};
}

int door_link_find(const char *instance, struct link *link)
{
	const struct tsw_mac mac = mac_of(instance);
	const char *owner;
	int err = link_by_name(DOOR, link);

	if (err)
		return err == -ENODEV ? -ENOENT : err;
	owner = link_instance(link);
	if (owner && strcmp(owner, instance))
		return fail(EBUSY,
			    "the gateways of this network namespace are those of switch %s, and "
			    "one switch can have them",
			    quoted(owner));
	if (owner || (!link->alias[0] && mac_equal(&link->mac, &mac)))
		return 0;
	return fail(EEXIST, "a device " DOOR " is there already, and no switch made it");
}

static int create(const char *instance)
{
	const struct tsw_mac mac = mac_of(instance);
	char buffer[NETLINK_BUFFER];
	struct nlattr *info, *data, *peer;
	struct nlmsghdr *request;

	request = link_make_begin(buffer, DOOR);
	mnl_attr_put(request, IFLA_ADDRESS, sizeof(mac), &mac);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(request, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, OTHER_END);
	mnl_attr_nest_end(request, peer);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
	return netlink_talk(request, NULL, NULL);
}

/*
 * The device has no address, and a source is looked up with the mark that nftables gave the
 * packet: so reverse path filtering holds too where conf.all asks all devices for it.
 */
static const struct link_ipv4 ipv4[] = {
	{IPV4_DEVCONF_FORWARDING, 1},	       {IPV4_DEVCONF_RP_FILTER, 0},
	{IPV4_DEVCONF_SRC_VMARK, 1},	       {IPV4_DEVCONF_SEND_REDIRECTS, 0},
	{IPV4_DEVCONF_ACCEPT_SOURCE_ROUTE, 0}, /* a second destination, which no program sees */
};

/*
 * NOARP: the routes' next hop is no machine, the program at the egress finds the real. -ENODEV: the
 * end of that name was taken away, so the other one is a torn pair.
 */
static int configure_end(const char *name, const char *instance, __u32 mtu)
{
	const struct link_conf conf = {.name = name,
				       .instance = instance,
				       .flags = IFF_UP | IFF_NOARP,
				       .mtu = mtu,
				       .ipv4 = ipv4,
				       .n_ipv4 = sizeof(ipv4) / sizeof(ipv4[0])};

	return link_configure(&conf);
}

/*
 * IPv6, where there is any. Before Linux 6.17, which brought force_forwarding, the device's
 * forwarding says only that it is no host's.
 */
static int configure_ipv6(const struct link *link)
{
	int err = 0;

	if (conf_read(TSW_IPV6, DOOR, "disable_ipv6") == 1)
		err = conf_write(TSW_IPV6, DOOR, "disable_ipv6", 0);
	if (err || conf_read(TSW_IPV6, DOOR, "disable_ipv6") < 0)
		return err;
	if (conf_read(TSW_IPV6, DOOR, "force_forwarding") >= 0)
		return conf_write(TSW_IPV6, DOOR, "force_forwarding", 1);
	return forward_ipv6(link->ifindex);
}

int door_link_mend(const char *instance, __u32 mtu, struct link *link)
{
	int err = door_link_find(instance, link);

	if (err == -ENOENT) {
		err = create(instance);
		if (err)
			return fail(err, "cannot make the device " DOOR ": %s", strerror(-err));
		err = door_link_find(instance, link);
	}
	if (err)
		return err;
	if (!mtu)
		mtu = link->mtu;
	err = configure_end(DOOR, instance, mtu);
	if (!err)
		err = configure_end(OTHER_END, instance, mtu);
	if (!err)
		err = configure_ipv6(link);
	return err ? fail(err, "cannot configure the device " DOOR ": %s", strerror(-err)) : 0;
}

void door_link_check(const struct link *link, json_t *problems)
{
	const __u32 wanted = IFF_UP | IFF_NOARP | IFF_RUNNING;
	int six = conf_read(TSW_IPV6, DOOR, "disable_ipv6");

	if ((link->flags & wanted) != wanted)
		problem(problems, "gateway_device", DOOR,
			"it, or " OTHER_END ", is not up, or "
			"asks for addresses by ARP");
	if (conf_read(TSW_IPV4, DOOR, "forwarding") != 1 ||
	    conf_read(TSW_IPV4, DOOR, "src_valid_mark") != 1 ||
	    conf_read(TSW_IPV4, DOOR, "send_redirects") == 1 ||
	    conf_read(TSW_IPV4, DOOR, "accept_source_route") == 1 ||
	    conf_read(TSW_IPV6, DOOR, "force_forwarding") == 0 || six == 1)
		problem(problems, "gateway_device", DOOR,
			"its settings below /proc/sys/net were changed");
}
