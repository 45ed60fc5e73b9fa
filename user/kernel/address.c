// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/address.h"
#include "kernel/netlink.h"

struct reading {
	struct addresses *list;
	bool failed;
};

static struct tsw_addr read_addr(const struct nlattr *attr, int family)
{
	struct tsw_addr addr;

	if (family == AF_INET)
		return addr_from_v4(mnl_attr_get_u32(attr));
	memcpy(&addr, mnl_attr_get_payload(attr), sizeof(addr));
	return addr;
}

/* IFA_LOCAL is the address if IFA_ADDRESS is a peer's. Otherwise IPv6 has only IFA_ADDRESS. */
static bool read_attrs(const struct nlmsghdr *message, struct address *a, __u32 *flags)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	const __u16 len = info->ifa_family == AF_INET ? sizeof(__be32) : sizeof(a->addr);
	bool found = false, local = false;
	struct nlattr *attr;

	*flags = info->ifa_flags;
	a->net.len = (__u32)(8 * (sizeof(a->addr) - len)) + info->ifa_prefixlen;
	mnl_attr_for_each(attr, message, sizeof(*info)) {
		const __u16 type = mnl_attr_get_type(attr);

		if (type == IFA_FLAGS)
			*flags = mnl_attr_get_u32(attr);
		if ((type != IFA_LOCAL && type != IFA_ADDRESS) ||
		    mnl_attr_get_payload_len(attr) != len)
			continue;
		found = true;
		if (type == IFA_ADDRESS)
			a->net.addr = read_addr(attr, info->ifa_family);
		if (type == IFA_LOCAL || !local)
			a->addr = read_addr(attr, info->ifa_family);
		local |= type == IFA_LOCAL;
	}
	a->net.addr = prefix_first(&a->net);
	return found;
}

static int append(const struct nlmsghdr *message, void *data)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	struct reading *r = data;
	struct address a = {.ifindex = info->ifa_index}, *grown;
	__u32 flags;

	if ((info->ifa_family != AF_INET && info->ifa_family != AF_INET6) ||
	    info->ifa_scope >= RT_SCOPE_LINK || !read_attrs(message, &a, &flags) ||
	    flags & IFA_F_DADFAILED) /* another machine has it */
		return MNL_CB_OK;
	/* A second IPv4 address of a network has the flag of a temporary IPv6 address. */
	a.lasting = info->ifa_scope == RT_SCOPE_UNIVERSE &&
		    (info->ifa_family == AF_INET ||
		     !(flags & (IFA_F_TEMPORARY | IFA_F_DEPRECATED | IFA_F_TENTATIVE)));
	grown = realloc(r->list->at, (r->list->n + 1) * sizeof(*grown));
	r->failed |= !grown;
	if (!grown)
		return MNL_CB_OK;
	r->list->at = grown;
	grown[r->list->n++] = a;
	return MNL_CB_OK;
}

int address_list(struct addresses *list)
{
	struct reading r = {.list = list};
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	int err;

	*list = (struct addresses){};
	request = netlink_begin(buffer, RTM_GETADDR, NLM_F_DUMP, sizeof(struct ifaddrmsg));
	err = netlink_talk(request, append, &r);
	if (!err && r.failed)
		err = -ENOMEM;
	return err ? fail(err, "cannot list the addresses: %s", strerror(-err)) : 0;
}

static int talk(int type, int flags, __u32 ifindex, const struct tsw_addr *addr)
{
	const bool v4 = addr_is_v4(addr);
	const __u16 len = v4 ? sizeof(__be32) : sizeof(*addr);
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, type, NLM_F_ACK | flags, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *info = mnl_nlmsg_get_payload(request);

	info->ifa_family = v4 ? AF_INET : AF_INET6;
	info->ifa_prefixlen = (__u8)(len * 8);
	info->ifa_index = ifindex;
	mnl_attr_put(request, IFA_LOCAL, len, v4 ? &addr->w[3] : addr->w);
	mnl_attr_put(request, IFA_ADDRESS, len, v4 ? &addr->w[3] : addr->w);
	mnl_attr_put_u32(request, IFA_FLAGS, IFA_F_NODAD | IFA_F_NOPREFIXROUTE);
	return netlink_talk(request, NULL, NULL);
}

int address_add(__u32 ifindex, const struct tsw_addr *addr)
{
	const int err = talk(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, ifindex, addr);

	return err && err != -EEXIST
		       ? fail(err, "cannot add the address %s: %s", addr_text(addr), strerror(-err))
		       : 0;
}

int address_del(__u32 ifindex, const struct tsw_addr *addr)
{
	const int err = talk(RTM_DELADDR, 0, ifindex, addr);

	return err && err != -EADDRNOTAVAIL && err != -ENODEV
		       ? fail(err, "cannot remove the address %s: %s", addr_text(addr),
			      strerror(-err))
		       : 0;
}
