// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "kernel/conf.h"
#include "kernel/link.h"
#include "kernel/link_make.h"
#include "kernel/netlink.h"
#include "plug/device.h"

/* ---- the host's end --------------------------------------------------------------- */

static const char *const kinds[] = {
	[DEVICE_VETH] = "veth", [DEVICE_NETKIT] = "netkit", [DEVICE_AUTO] = "auto"};

int device_kind_parse(const char *text, enum device_kind *kind)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(text, kinds[i])) {
			*kind = i;
			return 0;
		}
	return misuse("%s is unknown: it is \"veth\", \"netkit\" or \"auto\"", quoted(text));
}

/* Sets a device up, and its alias. The kernel accepts these only for an existing device. */
static int raise(const char *dev, const char *alias)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_NEWLINK, NLM_F_ACK, sizeof(struct ifinfomsg));
	struct ifinfomsg *info = mnl_nlmsg_get_payload(request);

	info->ifi_flags = info->ifi_change = IFF_UP;
	mnl_attr_put_strz(request, IFLA_IFNAME, dev);
	if (alias)
		mnl_attr_put_strz(request, IFLA_IFALIAS, alias);
	return netlink_talk(request, NULL, NULL);
}

/* ALIAS NULL: no device is foreign. */
static bool is_foreign(const struct link *link, const char *alias)
{
	return alias && link->alias[0] && strcmp(link->alias, alias) != 0;
}

bool device_is_foreign(const char *dev, const char *alias)
{
	struct link link;

	return !link_by_name(dev, &link) && is_foreign(&link, alias);
}

static bool exists(const char *dev)
{
	struct link unused;

	return !link_by_name(dev, &unused);
}

static int make_pair(const struct device *device, enum device_kind kind)
{
	const struct link_end end = {device->ifname, &device->mac, device->mtu, device->netns,
				     kind == DEVICE_NETKIT};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_make_begin(buffer, device->dev);

	mnl_attr_put_u32(request, IFLA_MTU, device->mtu);
	link_put_pair(request, &end);
	return netlink_talk(request, NULL, NULL);
}

int device_make(const struct device *device)
{
	enum device_kind kind = device->kind == DEVICE_VETH ? DEVICE_VETH : DEVICE_NETKIT;
	int err = make_pair(device, kind);

	if (err == -EOPNOTSUPP && device->kind == DEVICE_AUTO)
		err = make_pair(device, DEVICE_VETH);
	else if (err == -EOPNOTSUPP && kind == DEVICE_NETKIT)
		return fail(EOPNOTSUPP, "this kernel has no netkit: it came with Linux 6.7");
	if (err == -EEXIST && device_is_foreign(device->dev, device->alias))
		return fail(EEXIST, "device %s is another container's", quoted(device->dev));
	if (err == -EEXIST && exists(device->dev))
		return fail(EEXIST,
			    "device %s exists already: this interface was added, and not deleted",
			    quoted(device->dev));
	if (err == -EEXIST)
		return fail(EEXIST, "the %s already has an interface %s",
			    device->netns < 0 ? "host" : "container", quoted(device->ifname));
	if (err)
		return fail(err, "cannot make the devices %s and %s: %s", quoted(device->dev),
			    quoted(device->ifname), strerror(-err));
	/* The host must send nothing there, since the switch would drop and count it. */
	conf_write(TSW_IPV6, device->dev, "disable_ipv6", 1);
	err = raise(device->dev, device->alias);
	if (!err)
		return 0;
	fail(err, "cannot set up device %s: %s", quoted(device->dev), strerror(-err));
	device_remove(device->dev, device->alias);
	return fail(err, "cannot set up device %s: %s", quoted(device->dev), strerror(-err));
}

int device_remove(const char *dev, const char *alias)
{
	struct link link;
	int err = link_by_name(dev, &link);

	if (err == -ENODEV || (!err && is_foreign(&link, alias)))
		return 0;
	return err ?: link_delete(link.ifindex);
}

struct finding {
	const char *dev_network, *alias;
	device_stays *stays;
	const void *context;
	char (*at)[IFNAMSIZ];
	size_t n;
};

/* Only collects them while the kernel lists its devices. */
static int find(const struct link *link, void *data)
{
	struct finding *f = data;

	if (strncmp(link->name, f->dev_network, strlen(f->dev_network)) || !link_is_pair(link) ||
	    (link->alias[0] && strncmp(link->alias, f->alias, strlen(f->alias))) ||
	    (f->stays && f->stays(f->context, link->name)))
		return 0;
	return list_append(&f->at, &f->n, link->name, sizeof(link->name));
}

int devices_remove(const char *dev_network, const char *alias, device_stays *stays,
		   const void *context)
{
	struct finding f = {dev_network, alias, stays, context, NULL, 0};
	struct failure why = {};
	int first = link_each(find, &f), err;
	size_t i;

	if (first)
		why = *failure();
	for (i = 0; i < f.n; i++) {
		err = device_remove(f.at[i], NULL);
		if (err && !first)
			why = *failure();
		first = first ?: err;
	}
	free(f.at);
	return first ? fail_again(&why) : 0;
}

/* ---- the container's end ---------------------------------------------------------- */

static __u8 len_of(const struct tsw_prefix *prefix)
{
	return (__u8)(addr_is_v4(&prefix->addr) ? prefix->len - 96 : prefix->len);
}

/* Without duplicate address detection, which takes a second: the switch has checked the address. */
static int add_address(const struct link *link, const struct tsw_prefix *at)
{
	const bool v4 = addr_is_v4(&at->addr);
	const struct tsw_addr last = prefix_last(at);
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
			      sizeof(struct ifaddrmsg));
	struct ifaddrmsg *info = mnl_nlmsg_get_payload(request);
	int err;

	info->ifa_family = v4 ? AF_INET : AF_INET6;
	info->ifa_prefixlen = len_of(at);
	info->ifa_flags = v4 ? 0 : IFA_F_NODAD;
	info->ifa_index = link->ifindex;
	attr_put_addr(request, IFA_LOCAL, &at->addr);
	attr_put_addr(request, IFA_ADDRESS, &at->addr);
	if (v4 && info->ifa_prefixlen < 31)
		attr_put_addr(request, IFA_BROADCAST, &last);
	err = netlink_talk(request, NULL, NULL);
	return err ? fail(err, "cannot give %s the address %s: %s", quoted(link->name),
			  prefix_text(at), strerror(-err))
		   : 0;
}

static bool on_link(const struct dress *dress, const struct tsw_addr *gateway)
{
	unsigned int i;

	for (i = 0; i < dress->n_ip; i++)
		if (prefix_has(&dress->ip[i].at, gateway))
			return true;
	return false;
}

static int add_route(const struct link *link, const struct dress *dress,
		     const struct dress_route *route)
{
	const bool direct = addr_is_none(&route->gateway);
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = netlink_begin(
		buffer, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, sizeof(struct rtmsg));
	struct rtmsg *info = mnl_nlmsg_get_payload(request);

	info->rtm_family = addr_is_v4(&route->dst.addr) ? AF_INET : AF_INET6;
	info->rtm_dst_len = len_of(&route->dst);
	info->rtm_table = RT_TABLE_MAIN;
	info->rtm_protocol = RTPROT_STATIC;
	info->rtm_scope = direct ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
	info->rtm_type = RTN_UNICAST;
	if (info->rtm_dst_len)
		attr_put_addr(request, RTA_DST, &route->dst.addr);
	if (!direct)
		attr_put_addr(request, RTA_GATEWAY, &route->gateway);
	if (!direct && !on_link(dress, &route->gateway))
		info->rtm_flags = RTNH_F_ONLINK;
	mnl_attr_put_u32(request, RTA_OIF, link->ifindex);
	return netlink_talk(request, NULL, NULL);
}

/* The container may have a default route already, by an interface that was added before. */
static int add_routes(const struct link *link, struct dress *dress)
{
	const unsigned int n = dress->n_route;
	unsigned int i;

	dress->n_route = 0;
	for (i = 0; i < n; i++) {
		const struct dress_route route = dress->route[i];
		int err = add_route(link, dress, &route);

		if (!err)
			dress->route[dress->n_route++] = route;
		else if (err != -EEXIST)
			return fail(err, "cannot make the route to %s by %s: %s",
				    prefix_text(&route.dst), addr_text(&route.gateway),
				    strerror(-err));
	}
	return 0;
}

int device_dress(const char *ifname, struct dress *dress)
{
	struct link link;
	unsigned int i;
	int err = link_by_name(ifname, &link);

	/* A runtime that knows of no IPv6 address turns IPv6 off. */
	for (i = 0; !err && i < dress->n_ip; i++)
		if (!addr_is_v4(&dress->ip[i].at.addr)) {
			conf_write(TSW_IPV6, ifname, "disable_ipv6", 0);
			break;
		}
	for (i = 0; !err && i < dress->n_ip; i++)
		err = add_address(&link, &dress->ip[i].at);
	if (err)
		return err;
	err = raise(ifname, NULL);
	if (err)
		return fail(err, "cannot set up %s: %s", quoted(ifname), strerror(-err));
	return add_routes(&link, dress);
}
