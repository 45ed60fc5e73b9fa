/* SPDX-License-Identifier: GPL-2.0-only */
/* The common part of making and configuring the switch's own devices. */
#ifndef TSW_LINK_MAKE_H
#define TSW_LINK_MAKE_H

#include <stddef.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

/* Begins a request that makes a device; -EEXIST if the name is taken. BUFFER as in netlink.h. */
struct nlmsghdr *link_make_begin(void *buffer, const char *name);

struct link_ipv4 {
	__u16 conf; /* IPV4_DEVCONF_* */
	__u32 value;
};

/* Settings that the kernel takes only for an existing device, which gets no IPv6 address. */
struct link_conf {
	__u32 ifindex;	  /* or 0 with a name */
	const char *name; /* NULL with an ifindex */
	const char *instance;
	__u32 flags; /* IFF_* to set */
	__u32 mtu;   /* 0: unchanged */
	const struct link_ipv4 *ipv4;
	size_t n_ipv4;
};

/* -errno without message. Leaves out the part for IPv6 if the kernel has none. */
int link_configure(const struct link_conf *conf);

#endif
