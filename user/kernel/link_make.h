/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices of our own: what making and configuring one has in common. */
#ifndef TSW_LINK_MAKE_H
#define TSW_LINK_MAKE_H

#include <stddef.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

/* Begins a request that makes a device, -EEXIST where the name is taken. BUFFER as of netlink.h. */
struct nlmsghdr *link_make_begin(void *buffer, const char *name);

struct link_ipv4 {
	__u16 conf; /* IPV4_DEVCONF_* */
	__u32 value;
};

/* What the kernel takes only on a device that exists. It gets no IPv6 address of its own. */
struct link_conf {
	__u32 ifindex;	  /* or 0, and */
	const char *name; /* NULL with an ifindex */
	const char *instance;
	__u32 flags; /* IFF_* to set */
	__u32 mtu;   /* 0: as it is */
	const struct link_ipv4 *ipv4;
	size_t n_ipv4;
};

/* -errno without message. Where the kernel was booted without IPv6 that part is left out. */
int link_configure(const struct link_conf *conf);

#endif
