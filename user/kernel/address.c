// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "kernel/address.h"
#include "kernel/netlink.h"

struct reading {
	struct addresses *list;
	bool link_local; /* takes addresses of link and host scope, too */
	bool failed;
};

/* A second IPv4 address of a network has the flag of a temporary IPv6 address. */
static bool is_lasting(const struct ifaddrmsg *info, __u32 flags)
{
	const __u32 passing = IFA_F_TEMPORARY | IFA_F_DEPRECATED | IFA_F_TENTATIVE;

	return info->ifa_scope == RT_SCOPE_UNIVERSE &&
	       (info->ifa_family == AF_INET || !(flags & passing));
}

static int append(const struct nlmsghdr *message, void *data)
{
	const struct ifaddrmsg *info = mnl_nlmsg_get_payload(message);
	const struct attrs attrs = attrs_of(message, sizeof(*info));
	const __u32 flags = attrs.at[IFA_FLAGS] ? attr_u32(attrs.at[IFA_FLAGS]) : info->ifa_flags;
	struct reading *r = data;
	struct address a = {.ifindex = info->ifa_index,
			    .lasting = is_lasting(info, flags),
			    .deprecated = flags & IFA_F_DEPRECATED};

	attr_addr(attrs.at[IFA_ADDRESS], &a.net.addr);
	/* IFA_LOCAL is the address if IFA_ADDRESS is a peer's. Otherwise IPv6 has only that. */
	if ((info->ifa_family != AF_INET && info->ifa_family != AF_INET6) ||
	    (info->ifa_scope >= RT_SCOPE_LINK && !r->link_local) ||
	    (!attr_addr(attrs.at[IFA_LOCAL], &a.addr) &&
	     !attr_addr(attrs.at[IFA_ADDRESS], &a.addr)) ||
	    flags & IFA_F_DADFAILED) /* another machine has it */
		return MNL_CB_OK;
	a.net.len = info->ifa_prefixlen + (info->ifa_family == AF_INET ? 96 : 0);
	a.net.addr = prefix_first(&a.net);
	r->failed |= list_append(&r->list->at, &r->list->n, &a, sizeof(a)) != 0;
	return MNL_CB_OK;
}

static int list(struct reading *r)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, RTM_GETADDR, NLM_F_DUMP, sizeof(struct ifaddrmsg));
	int err;

	*r->list = (struct addresses){};
	err = netlink_talk(request, append, r);
	if (!err && r->failed)
		err = -ENOMEM;
	return err ? fail(err, "cannot list the addresses: %s", strerror(-err)) : 0;
}

int address_list(struct addresses *addresses)
{
	struct reading r = {.list = addresses};

	return list(&r);
}

int address_first(__u32 ifindex, enum tsw_family family, struct tsw_addr *addr)
{
	struct addresses all;
	size_t i;
	int err = address_list(&all);

	*addr = (struct tsw_addr){};
	for (i = 0; !err && i < all.n && addr_is_none(addr); i++)
		if (all.at[i].lasting && all.at[i].ifindex == ifindex &&
		    addr_family(&all.at[i].addr) == family)
			*addr = all.at[i].addr;
	free(all.at);
	return !err && addr_is_none(addr) ? -ENOENT : err;
}

static bool is_local(const struct tsw_addr *addr, bool deprecated)
{
	struct addresses all;
	struct reading r = {.list = &all, .link_local = true};
	bool found = false;
	size_t i;
	int err = list(&r);

	for (i = 0; !err && i < all.n; i++)
		found |= addr_equal(&all.at[i].addr, addr) && (deprecated || !all.at[i].deprecated);
	free(all.at);
	return found;
}

bool address_is_local(const struct tsw_addr *addr)
{
	return is_local(addr, true);
}

bool address_is_valid(const struct tsw_addr *addr)
{
	return is_local(addr, false);
}

static int talk(int type, int flags, __u32 ifindex, const struct tsw_addr *addr)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		netlink_begin(buffer, type, NLM_F_ACK | flags, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *info = mnl_nlmsg_get_payload(request);

	info->ifa_family = (__u8)netlink_af(addr_family(addr));
	info->ifa_prefixlen = addr_is_v4(addr) ? 32 : 128;
	info->ifa_index = ifindex;
	attr_put_addr(request, IFA_LOCAL, addr);
	attr_put_addr(request, IFA_ADDRESS, addr);
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
