// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
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
#include "kernel/netkit.h"
#include "kernel/netlink.h"

static int read_vxlan(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	if (mnl_attr_get_type(attr) == IFLA_VXLAN_COLLECT_METADATA)
		link->external = mnl_attr_get_u8(attr);
	else if (mnl_attr_get_type(attr) == IFLA_VXLAN_PORT)
		link->port = ntohs(mnl_attr_get_u16(attr));
	return MNL_CB_OK;
}

static int read_geneve(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	if (mnl_attr_get_type(attr) == IFLA_GENEVE_COLLECT_METADATA)
		link->external = true;
	else if (mnl_attr_get_type(attr) == IFLA_GENEVE_PORT)
		link->port = ntohs(mnl_attr_get_u16(attr));
	return MNL_CB_OK;
}

static int read_gre(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	if (mnl_attr_get_type(attr) == IFLA_GRE_COLLECT_METADATA)
		link->external = true;
	return MNL_CB_OK;
}

static int read_netkit(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	if (mnl_attr_get_type(attr) == IFLA_NETKIT_PRIMARY)
		link->primary = mnl_attr_get_u8(attr);
	else if (mnl_attr_get_type(attr) == IFLA_NETKIT_MODE)
		link->mode = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

/* The kernel puts the kind before its data. */
static int read_kind(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
		snprintf(link->kind, sizeof(link->kind), "%s", mnl_attr_get_str(attr));
	else if (mnl_attr_get_type(attr) == IFLA_INFO_DATA && !strcmp(link->kind, "vxlan"))
		return mnl_attr_parse_nested(attr, read_vxlan, link);
	else if (mnl_attr_get_type(attr) == IFLA_INFO_DATA && !strcmp(link->kind, "geneve"))
		return mnl_attr_parse_nested(attr, read_geneve, link);
	else if (mnl_attr_get_type(attr) == IFLA_INFO_DATA &&
		 (!strcmp(link->kind, "gretap") || !strcmp(link->kind, "ip6gretap")))
		return mnl_attr_parse_nested(attr, read_gre, link);
	else if (mnl_attr_get_type(attr) == IFLA_INFO_DATA && !strcmp(link->kind, "netkit"))
		return mnl_attr_parse_nested(attr, read_netkit, link);
	return MNL_CB_OK;
}

static int read_attr(const struct nlattr *attr, void *data)
{
	struct link *link = data;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		snprintf(link->name, sizeof(link->name), "%s", mnl_attr_get_str(attr));
		break;
	case IFLA_MTU:
		link->mtu = mnl_attr_get_u32(attr);
		break;
	case IFLA_IFALIAS:
		snprintf(link->alias, sizeof(link->alias), "%s", mnl_attr_get_str(attr));
		break;
	case IFLA_ADDRESS:
		if (mnl_attr_get_payload_len(attr) == sizeof(link->mac))
			memcpy(&link->mac, mnl_attr_get_payload(attr), sizeof(link->mac));
		break;
	case IFLA_LINK:
		link->peer = mnl_attr_get_u32(attr);
		break;
	case IFLA_LINK_NETNSID:
		link->netnsid = true;
		link->nsid = (__s32)mnl_attr_get_u32(attr);
		break;
	case IFLA_LINKINFO:
		return mnl_attr_parse_nested(attr, read_kind, link);
	}
	return MNL_CB_OK;
}

static int read_link(const struct nlmsghdr *message, void *data)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	struct link *link = data;

	*link = (struct link){.ifindex = (__u32)info->ifi_index,
			      .flags = info->ifi_flags,
			      .type = info->ifi_type};
	return mnl_attr_parse(message, sizeof(*info), read_attr, link);
}

int link_by_name(const char *name, struct link *link)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_GETLINK, NLM_F_ACK, sizeof(struct ifinfomsg));
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
	struct ifinfomsg *info;
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_GETLINK, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->ifi_index = (int)ifindex;
	err = netlink_talk(request, read_link, link);
	/* Index 0 gives -EINVAL. */
	if (!err || err == -ENODEV || err == -EINVAL)
		return err ? -ENODEV : 0;
	return fail(err, "cannot ask for device %u: %s", ifindex, strerror(-err));
}

bool link_is_netkit(const struct link *link)
{
	return !strcmp(link->kind, "netkit");
}

bool link_is_pair(const struct link *link)
{
	return !strcmp(link->kind, "veth") || link_is_netkit(link);
}

int link_peer(const struct link *link, struct link *peer)
{
	char buffer[NETLINK_BUFFER];
	struct ifinfomsg *info;
	struct nlmsghdr *request;

	if (!link_is_pair(link) || !link->peer)
		return -ENODEV;
	request = netlink_begin(buffer, RTM_GETLINK, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->ifi_index = (int)link->peer;
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
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg));
	err = netlink_talk(request, each_link, &each);
	return err ? fail(err, "cannot list the devices: %s", strerror(-err)) : each.result;
}

int link_delete(__u32 ifindex)
{
	char buffer[NETLINK_BUFFER];
	struct ifinfomsg *info;
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_DELLINK, NLM_F_ACK, sizeof(*info));
	info = mnl_nlmsg_get_payload(request);
	info->ifi_index = (int)ifindex;
	err = netlink_talk(request, NULL, NULL);
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

struct search {
	__u32 ifindex; /* 0: any */
	int family;    /* with ifindex: AF_INET or AF_INET6, a global one */
	const struct tsw_addr *wanted;
	struct tsw_addr found;
};

/* IFA_LOCAL is the address if IFA_ADDRESS is a peer's. Otherwise IPv6 has only IFA_ADDRESS. */
static void read_address_attrs(const struct nlmsghdr *message, struct tsw_addr *addr, __u32 *flags)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	const __u16 len = info->ifa_family == AF_INET ? sizeof(__be32) : sizeof(*addr);
	bool local = false;
	struct nlattr *attr;

	*flags = info->ifa_flags;
	mnl_attr_for_each(attr, message, sizeof(*info)) {
		const __u16 type = mnl_attr_get_type(attr);

		if (type == IFA_FLAGS)
			*flags = mnl_attr_get_u32(attr);
		if ((type != IFA_LOCAL && (type != IFA_ADDRESS || local)) ||
		    mnl_attr_get_payload_len(attr) != len)
			continue;
		local = type == IFA_LOCAL;
		if (info->ifa_family == AF_INET)
			*addr = addr_from_v4(mnl_attr_get_u32(attr));
		else
			memcpy(addr, mnl_attr_get_payload(attr), len);
	}
}

/* A global address that stays. For IPv4 the first flag means a second address of a network. */
static bool is_lasting(const struct ifaddrmsg *info, __u32 flags)
{
	const __u32 passing = IFA_F_TEMPORARY | IFA_F_DEPRECATED | IFA_F_TENTATIVE;

	return info->ifa_scope == RT_SCOPE_UNIVERSE &&
	       (info->ifa_family == AF_INET || !(flags & passing));
}

static int read_address(const struct nlmsghdr *message, void *data)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	struct search *search = data;
	struct tsw_addr addr = {};
	__u32 flags;

	if (!addr_is_none(&search->found) ||
	    (info->ifa_family != AF_INET && info->ifa_family != AF_INET6))
		return MNL_CB_OK;
	read_address_attrs(message, &addr, &flags);
	if (flags & IFA_F_DADFAILED) /* another machine has it */
		return MNL_CB_OK;
	if (search->wanted ? addr_equal(search->wanted, &addr)
			   : info->ifa_index == search->ifindex &&
				     info->ifa_family == search->family && is_lasting(info, flags))
		search->found = addr;
	return MNL_CB_OK;
}

static int find_address(struct search *search)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	int err;

	request = netlink_begin(buffer, RTM_GETADDR, NLM_F_DUMP, sizeof(struct ifaddrmsg));
	err = netlink_talk(request, read_address, search);
	if (err)
		return fail(err, "cannot list the addresses: %s", strerror(-err));
	return addr_is_none(&search->found) ? -ENOENT : 0;
}

int link_first_address(__u32 ifindex, enum tsw_family family, struct tsw_addr *addr)
{
	struct search search = {.ifindex = ifindex,
				.family = family == TSW_IPV4 ? AF_INET : AF_INET6};
	int err = find_address(&search);

	*addr = search.found;
	return err;
}

bool link_has_address(const struct tsw_addr *addr)
{
	struct search search = {.wanted = addr};

	return !find_address(&search);
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
