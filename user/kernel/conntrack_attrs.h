/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of ctnetlink: attributes of an answer, and the beginning of a request. */
#ifndef TSW_CONNTRACK_ATTRS_H
#define TSW_CONNTRACK_ATTRS_H

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

/* Attributes by their types; NULL: missing. */
struct attrs {
	const struct nlattr *at[CTA_MAX + 1];
};

_Static_assert(CTA_IP_MAX <= CTA_MAX && CTA_PROTO_MAX <= CTA_MAX && CTA_TUPLE_MAX <= CTA_MAX &&
		       CTA_PROTOINFO_TCP_MAX <= CTA_MAX,
	       "room in struct attrs");

struct attrs attrs_of(const struct nlmsghdr *message);
struct attrs attrs_nested(const struct nlattr *attr); /* ATTR may be NULL */

/* BUFFER has NETLINK_BUFFER octets; WHAT is one of IPCTNL_MSG_CT_*. */
struct nlmsghdr *attrs_begin(void *buffer, int what, int flags, enum tsw_family family);

#endif
