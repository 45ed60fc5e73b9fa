// SPDX-License-Identifier: GPL-2.0-only
#include <sys/socket.h>

#include "kernel/conntrack_attrs.h"
#include "kernel/netlink.h"

static int keep(const struct nlattr *attr, void *data)
{
	struct attrs *attrs = data;

	if (mnl_attr_get_type(attr) <= CTA_MAX)
		attrs->at[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

struct attrs attrs_of(const struct nlmsghdr *message)
{
	struct attrs attrs = {};

	mnl_attr_parse(message, sizeof(struct nfgenmsg), keep, &attrs);
	return attrs;
}

struct attrs attrs_nested(const struct nlattr *attr)
{
	struct attrs attrs = {};

	if (attr)
		mnl_attr_parse_nested(attr, keep, &attrs);
	return attrs;
}

struct nlmsghdr *attrs_begin(void *buffer, int what, int flags, enum tsw_family family)
{
	struct nlmsghdr *request = netlink_begin(buffer, NFNL_SUBSYS_CTNETLINK << 8 | what, flags,
						 sizeof(struct nfgenmsg));
	struct nfgenmsg *header = mnl_nlmsg_get_payload(request);

	header->nfgen_family = family == TSW_IPV4 ? AF_INET : AF_INET6;
	header->version = NFNETLINK_V0;
	return request;
}
