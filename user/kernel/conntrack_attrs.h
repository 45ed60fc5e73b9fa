/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of ctnetlink. */
#ifndef TSW_CONNTRACK_ATTRS_H
#define TSW_CONNTRACK_ATTRS_H

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>

#include "kernel/netlink.h"

_Static_assert(CTA_MAX < ATTRS && CTA_IP_MAX < ATTRS && CTA_PROTO_MAX < ATTRS &&
		       CTA_TUPLE_MAX < ATTRS && CTA_PROTOINFO_TCP_MAX < ATTRS,
	       "room in struct attrs");

/* The attributes of a connection. */
struct attrs conntrack_attrs(const struct nlmsghdr *message);

/* BUFFER has NETLINK_BUFFER octets; WHAT is one of IPCTNL_MSG_CT_*; AF may be AF_UNSPEC. */
struct nlmsghdr *conntrack_begin(void *buffer, int what, int flags, int af);

/* Begins a request for the connections whose mark under MASK is MARK. */
struct nlmsghdr *conntrack_begin_marked(void *buffer, int what, int flags, __u32 mark, __u32 mask);

#endif
