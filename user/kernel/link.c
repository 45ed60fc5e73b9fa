// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <net/if.h> /* must come before linux/if_tunnel.h, which defines the same */

#include <linux/if_tunnel.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/link.h"
#include "kernel/link_make.h"
#include "kernel/netkit.h"
#include "kernel/netlink.h"

bool link_is_netkit(const struct link *link)
{
	return !strcmp(link->kind, "netkit");
}

/* Reads the settings of a tunnel or netkit device. */
static void read_settings(const struct nlattr *attr, struct link *link)
{
	const struct attrs data = attrs_nested(attr);

	if (!strcmp(link->kind, "vxlan")) {
		link->external = attr_u8(data.at[IFLA_VXLAN_COLLECT_METADATA]);
		link->port = ntohs(attr_u16(data.at[IFLA_VXLAN_PORT]));
	} else if (!strcmp(link->kind, "geneve")) {
		link->external = data.at[IFLA_GENEVE_COLLECT_METADATA];
		link->port = ntohs(attr_u16(data.at[IFLA_GENEVE_PORT]));
	} else if (!strcmp(link->kind, "gretap") || !strcmp(link->kind, "ip6gretap")) {
		link->external = data.at[IFLA_GRE_COLLECT_METADATA];
	} else if (link_is_netkit(link)) {
		link->primary = attr_u8(data.at[IFLA_NETKIT_PRIMARY]);
		link->mode = attr_u32(data.at[IFLA_NETKIT_MODE]);
	}
}

static int read_link(const struct nlmsghdr *message, void *data)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*info));
	const struct attrs kind = attrs_nested(a.at[IFLA_LINKINFO]);
	struct link *link = data;

	*link = (struct link){.ifindex = (__u32)info->ifi_index,
			      .flags = info->ifi_flags,
			      .type = info->ifi_type,
			      .mtu = attr_u32(a.at[IFLA_MTU]),
			      .peer = attr_u32(a.at[IFLA_LINK]),
			      .netnsid = a.at[IFLA_LINK_NETNSID],
			      .nsid = (__s32)attr_u32(a.at[IFLA_LINK_NETNSID])};
	snprintf(link->name, sizeof(link->name), "%s", attr_text(a.at[IFLA_IFNAME]));
	snprintf(link->alias, sizeof(link->alias), "%s", attr_text(a.at[IFLA_IFALIAS]));
	snprintf(link->kind, sizeof(link->kind), "%s", attr_text(kind.at[IFLA_INFO_KIND]));
	snprintf(link->master, sizeof(link->master), "%s",
		 attr_text(kind.at[IFLA_INFO_SLAVE_KIND]));
	attr_copy(a.at[IFLA_ADDRESS], &link->mac, sizeof(link->mac));
	link->xdp = attr_u8(attrs_nested(a.at[IFLA_XDP]).at[IFLA_XDP_ATTACHED]);
	read_settings(kind.at[IFLA_INFO_DATA], link);
	return MNL_CB_OK;
}

struct nlmsghdr *link_request(void *buffer, int type, int flags, __u32 ifindex)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct ifinfomsg));
	struct ifinfomsg *info = mnl_nlmsg_get_payload(request);

	info->ifi_index = (int)ifindex;
	return request;
}

int link_by_name(const char *name, struct link *link)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_request(buffer, RTM_GETLINK, NLM_F_ACK, 0);
	int err;

	mnl_attr_put_strz(request, IFLA_IFNAME, name);
	err = netlink_talk(request, read_link, link);
	if (err == -ENODEV)
		return fail(
			ENODEV,
			"there is no device %s in this network namespace; for another namespace "
			"use tsw -n NAME",
			quoted(name));
	return err ? fail(err, "cannot ask for device %s: %s", quoted(name), strerror(-err)) : 0;
}

int link_by_index(__u32 ifindex, struct link *link)
{
	char buffer[NETLINK_BUFFER];
	const int err = netlink_talk(link_request(buffer, RTM_GETLINK, NLM_F_ACK, ifindex),
				     read_link, link);

	/* Index 0 gives -EINVAL. */
	if (!err || err == -ENODEV || err == -EINVAL)
		return err ? -ENODEV : 0;
	return fail(err, "cannot ask for device %u: %s", ifindex, strerror(-err));
}

bool link_is_pair(const struct link *link)
{
	return !strcmp(link->kind, "veth") || link_is_netkit(link);
}

int link_peer(const struct link *link, struct link *peer)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = link_request(buffer, RTM_GETLINK, NLM_F_ACK, link->peer);

	if (!link_is_pair(link) || !link->peer)
		return -ENODEV;
	if (link->netnsid)
		mnl_attr_put_u32(request, IFLA_TARGET_NETNSID, (__u32)link->nsid);
	return netlink_talk(request, read_link, peer) ? -ENODEV : 0;
}

struct each {
	int (*fn)(const struct link *link, void *data);
	void *data;
	int result;
};

static int each_link(const struct nlmsghdr *message, void *data)
{
	struct each *each = data;
	struct link link;

	if (!each->result && read_link(message, &link) >= 0)
		each->result = each->fn(&link, each->data);
	return MNL_CB_OK;
}

int link_each(int (*fn)(const struct link *link, void *data), void *data)
{
	struct each each = {.fn = fn, .data = data};
	char buffer[NETLINK_BUFFER];
	const int err =
		netlink_talk(link_request(buffer, RTM_GETLINK, NLM_F_DUMP, 0), each_link, &each);

	return err ? fail(err, "cannot list the devices: %s", strerror(-err)) : each.result;
}

int link_delete(__u32 ifindex)
{
	char buffer[NETLINK_BUFFER];
	const int err =
		netlink_talk(link_request(buffer, RTM_DELLINK, NLM_F_ACK, ifindex), NULL, NULL);

	if (!err || err == -ENODEV)
		return 0;
	return fail(err, "cannot delete device %u: %s", ifindex, strerror(-err));
}

struct doomed {
	bool (*is)(const struct link *link, void *data);
	void *data;
	__u32 ifindex;
};

static int find_doomed(const struct link *link, void *data)
{
	struct doomed *doomed = data;

	if (doomed->is(link, doomed->data))
		doomed->ifindex = link->ifindex;
	return !!doomed->ifindex;
}

int link_delete_each(bool (*is)(const struct link *link, void *data), void *data)
{
	struct doomed doomed = {.is = is, .data = data};
	int err;

	for (;;) {
		doomed.ifindex = 0;
		err = link_each(find_doomed, &doomed);
		if (err < 0 || !doomed.ifindex)
			return err;
		err = link_delete(doomed.ifindex);
		if (err)
			return err;
	}
}

const char *link_instance(const struct link *link)
{
	size_t len = strlen(LINK_ALIAS);

	return strncmp(link->alias, LINK_ALIAS, len) ? NULL : link->alias + len;
}

static int count_message(const struct nlmsghdr *message, void *data)
{
	int *messages = data;

	(void)message;
	++*messages;
	return MNL_CB_OK;
}

/* The number of qdiscs or filters there; or -errno. */
static int count_at(int type, int flags, __u32 ifindex, __u32 parent)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct tcmsg *info;
	int messages = 0, err;

	request = netlink_begin(buffer, type, flags, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->tcm_ifindex = (int)ifindex;
	info->tcm_parent = parent;
	err = netlink_talk(request, count_message, &messages);
	return err ?: messages;
}

bool link_has_clsact(__u32 ifindex)
{
	return count_at(RTM_GETQDISC, NLM_F_ACK, ifindex, TC_H_CLSACT) > 0;
}

static bool has_filters(__u32 ifindex, __u32 hook)
{
	return count_at(RTM_GETTFILTER, NLM_F_DUMP, ifindex, TC_H_MAKE(TC_H_CLSACT, hook)) > 0;
}

int link_drop_clsact(__u32 ifindex)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	struct tcmsg *info;
	int err;

	if (has_filters(ifindex, TC_H_MIN_INGRESS) || has_filters(ifindex, TC_H_MIN_EGRESS))
		return 0;
	request = netlink_begin(buffer, RTM_DELQDISC, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->tcm_ifindex = (int)ifindex;
	info->tcm_handle = TC_H_MAKE(TC_H_CLSACT, 0);
	info->tcm_parent = TC_H_CLSACT;
	mnl_attr_put_strz(request, TCA_KIND, "clsact");
	err = netlink_talk(request, NULL, NULL);
	if (!err || err == -ENODEV || err == -ENOENT || err == -EINVAL)
		return 0;
	return fail(err, "cannot remove the clsact qdisc of device %u: %s", ifindex,
		    strerror(-err));
}
