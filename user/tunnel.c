// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "link.h"
#include "netlink.h"
#include "tunnel.h"

#define NAME "tsw-vx"
#define ALIAS "tenant-switch " /* and the instance: by this a device is known as ours */

/* What the kernel allows, less the headers: a super-frame is never too big here. */
enum { MTU = 65535 - TSW_VXLAN4_OVERHEAD, NAMES = 1000 };

/* Source ports as RFC 7348 section 5 recommends; checksum 0 both ways by RFC 6935. */
enum { SPORT_LOW = 49152, SPORT_HIGH = 65535 };

static void put_vxlan(struct nlmsghdr *request, __u16 port, bool alone)
{
	const struct ifla_vxlan_port_range range = {htons(SPORT_LOW), htons(SPORT_HIGH)};
	struct nlattr *info, *data;

	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "vxlan");
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	mnl_attr_put_u8(request, IFLA_VXLAN_COLLECT_METADATA, 1);
	mnl_attr_put_u8(request, IFLA_VXLAN_LEARNING, 0);
	mnl_attr_put_u16(request, IFLA_VXLAN_PORT, htons(port));
	mnl_attr_put(request, IFLA_VXLAN_PORT_RANGE, sizeof(range), &range);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_CSUM, 0);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_ZERO_CSUM6_TX, 1);
	mnl_attr_put_u8(request, IFLA_VXLAN_UDP_ZERO_CSUM6_RX, alone);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
}

/*
 * ALONE false: another device has the port and all our flags. The kernel refuses a second
 * one just like it, and takes one that differs; that will not come up, and is not needed up.
 */
static int create(const char *name, __u16 port, bool alone)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;

	request = netlink_begin(buffer, RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
				sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, name);
	mnl_attr_put_u32(request, IFLA_MTU, MTU);
	put_vxlan(request, port, alone);
	return netlink_talk(request, NULL, NULL);
}

/*
 * What the kernel takes only on a device that exists. IPv4 forwarding, because
 * bpf_fib_lookup() asks the device of the lookup for it; no IPv6 address, for
 * nothing is ever sent to this device.
 */
int tunnel_configure(__u32 ifindex, const char *instance)
{
	char buffer[NETLINK_BUFFER], alias[96];
	struct nlattr *spec, *family, *conf;
	struct nlmsghdr *request;
	struct ifinfomsg *info;
	int err;

	request = netlink_begin(buffer, RTM_NEWLINK, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->ifi_index = (int)ifindex;
	snprintf(alias, sizeof(alias), ALIAS "%s", instance);
	mnl_attr_put_strz(request, IFLA_IFALIAS, alias);
	spec = mnl_attr_nest_start(request, IFLA_AF_SPEC);
	family = mnl_attr_nest_start(request, AF_INET);
	conf = mnl_attr_nest_start(request, IFLA_INET_CONF);
	mnl_attr_put_u32(request, IPV4_DEVCONF_FORWARDING, 1);
	mnl_attr_nest_end(request, conf);
	mnl_attr_nest_end(request, family);
	family = mnl_attr_nest_start(request, AF_INET6);
	mnl_attr_put_u8(request, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(request, family);
	mnl_attr_nest_end(request, spec);
	err = netlink_talk(request, NULL, NULL);
	return err ? fail(err, "cannot configure the tunnel device: %s", strerror(-err)) : 0;
}

int tunnel_make(const char *instance, __u16 port, __u32 *ifindex)
{
	char name[IFNAMSIZ] = NAME;
	struct failure why;
	struct link link;
	int err, i;

	for (i = 1; i < NAMES && if_nametoindex(name); i++)
		snprintf(name, sizeof(name), NAME "%d", i);
	err = create(name, port, true);
	if (err == -EEXIST)
		err = create(name, port, false);
	if (err)
		return fail(err, "cannot make the tunnel device %s for UDP port %u: %s", name, port,
			    strerror(-err));
	err = link_by_name(name, &link);
	if (err)
		return err;
	*ifindex = link.ifindex;
	err = tunnel_configure(link.ifindex, instance);
	if (err) {
		why = *failure();
		link_delete(link.ifindex);
		return fail_again(&why);
	}
	return 0;
}

int tunnel_start(__u32 ifindex, bool *up)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct ifinfomsg *info;
	int err;

	request = netlink_begin(buffer, RTM_NEWLINK, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->ifi_index = (int)ifindex;
	info->ifi_flags = info->ifi_change = IFF_UP;
	err = netlink_talk(request, NULL, NULL);
	*up = !err;
	if (!err || err == -EADDRINUSE)
		return 0;
	return fail(err, "cannot set the tunnel device up: %s", strerror(-err));
}

struct of {
	const char *instance;
	int (*fn)(const char *instance, void *data);
	void *data;
	__u16 port;
	__u32 found;
};

const char *tunnel_instance(const struct link *link)
{
	size_t len = strlen(ALIAS);

	return strcmp(link->kind, "vxlan") || strncmp(link->alias, ALIAS, len) ? NULL
									       : link->alias + len;
}

static bool is_our_name(const char *name)
{
	char *end;

	if (strncmp(name, NAME, strlen(NAME)))
		return false;
	name += strlen(NAME);
	return !*name || (*name >= '1' && *name <= '9' && strtoul(name, &end, 10) < NAMES && !*end);
}

/*
 * The kernel takes no alias in the message that makes a device: one that a killed `up` left
 * without is known by all that it was made with.
 */
static bool is_unfinished(const struct link *link, __u16 port)
{
	return !link->alias[0] && !(link->flags & IFF_UP) && link->mtu == MTU && link->external &&
	       port && link->port == port && is_our_name(link->name);
}

static int find_ours(const struct link *link, void *data)
{
	const char *instance = tunnel_instance(link);
	struct of *of = data;

	if (instance ? !strcmp(instance, of->instance) : is_unfinished(link, of->port))
		of->found = link->ifindex;
	return !!of->found;
}

int tunnel_delete(const char *instance, __u16 port)
{
	struct of of = {.instance = instance, .port = port};
	int err;

	for (;;) {
		of.found = 0;
		err = link_each(find_ours, &of);
		if (err < 0 || !of.found)
			return err;
		err = link_delete(of.found);
		if (err)
			return err;
	}
}

bool tunnel_is_of(__u32 ifindex, const char *instance)
{
	const char *other;
	struct link link;

	if (link_by_index(ifindex, &link))
		return false;
	other = tunnel_instance(&link);
	return other && !strcmp(other, instance);
}

static int call(const struct link *link, void *data)
{
	const char *instance = tunnel_instance(link);
	const struct of *of = data;

	return instance ? of->fn(instance, of->data) : 0;
}

int tunnel_each(int (*fn)(const char *instance, void *data), void *data)
{
	struct of of = {.fn = fn, .data = data};

	return link_each(call, &of);
}
