// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <sys/socket.h>

#include "kernel/conntrack_attrs.h"

struct attrs conntrack_attrs(const struct nlmsghdr *message)
{
	return attrs_of(message, sizeof(struct nfgenmsg));
}

struct nlmsghdr *conntrack_begin(void *buffer, int what, int flags, int af)
{
	struct nlmsghdr *request = netlink_begin(buffer, NFNL_SUBSYS_CTNETLINK << 8 | what, flags,
						 sizeof(struct nfgenmsg));
	struct nfgenmsg *header = mnl_nlmsg_get_payload(request);

	header->nfgen_family = (__u8)af;
	header->version = NFNETLINK_V0;
	return request;
}

struct nlmsghdr *conntrack_begin_marked(void *buffer, int what, int flags, __u32 mark, __u32 mask)
{
	struct nlmsghdr *request = conntrack_begin(buffer, what, flags, AF_UNSPEC);

	mnl_attr_put_u32(request, CTA_MARK, htonl(mark));
	mnl_attr_put_u32(request, CTA_MARK_MASK, htonl(mask));
	return request;
}
