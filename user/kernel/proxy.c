// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/list.h"
#include "kernel/netlink.h"
#include "kernel/proxy.h"

enum { PROTOCOL = 116 }; /* also marks the switch's rules and routes */

struct list {
	struct proxy *all;
	size_t n;
	bool failed;
};

static int read_proxy(const struct nlmsghdr *message, void *data)
{
	const struct ndmsg *header = mnl_nlmsg_get_payload(message);
	const struct attrs a = attrs_of(message, sizeof(*header));
	struct proxy proxy = {.ifindex = (__u32)header->ndm_ifindex};
	struct list *list = data;

	if (attr_u8(a.at[NDA_PROTOCOL]) != PROTOCOL || !(header->ndm_flags & NTF_PROXY) ||
	    header->ndm_family != AF_INET6)
		return MNL_CB_OK;
	attr_copy(a.at[NDA_DST], &proxy.addr, sizeof(proxy.addr));
	list->failed |= list_append(&list->all, &list->n, &proxy, sizeof(proxy)) != 0;
	return MNL_CB_OK;
}

static struct nlmsghdr *begin(void *buffer, int type, int flags, __u32 ifindex)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct ndmsg));
	struct ndmsg *header = mnl_nlmsg_get_payload(request);

	header->ndm_family = AF_INET6;
	header->ndm_ifindex = (int)ifindex;
	header->ndm_flags = NTF_PROXY;
	header->ndm_state = type == RTM_NEWNEIGH ? NUD_PERMANENT : 0;
	return request;
}

int proxies_list(struct proxy **all, size_t *n)
{
	char buffer[NETLINK_BUFFER];
	struct list list = {};
	int err = netlink_talk(begin(buffer, RTM_GETNEIGH, NLM_F_DUMP, 0), read_proxy, &list);

	if (!err && list.failed)
		err = -ENOMEM;
	*all = list.all;
	*n = list.n;
	return err ? fail(err, "cannot list the proxies of IPv6: %s", strerror(-err)) : 0;
}

int proxy_add(const struct proxy *proxy)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request =
		begin(buffer, RTM_NEWNEIGH, NLM_F_ACK | NLM_F_CREATE, proxy->ifindex);

	mnl_attr_put(request, NDA_DST, sizeof(proxy->addr), &proxy->addr);
	mnl_attr_put_u8(request, NDA_PROTOCOL, PROTOCOL);
	return netlink_talk(request, NULL, NULL);
}

int proxy_del(const struct proxy *proxy)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, RTM_DELNEIGH, NLM_F_ACK, proxy->ifindex);
	int err;

	mnl_attr_put(request, NDA_DST, sizeof(proxy->addr), &proxy->addr);
	err = netlink_talk(request, NULL, NULL);
	return err == -ENOENT || err == -ENODEV ? 0 : err;
}
