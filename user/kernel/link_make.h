/* SPDX-License-Identifier: GPL-2.0-only */
/* The common part of making and configuring the switch's own devices. */
#ifndef TSW_LINK_MAKE_H
#define TSW_LINK_MAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <libmnl/libmnl.h>

#include <tsw/abi.h>

#include "kernel/link.h"

/* Begins a request about a device, or with 0 about none or all. BUFFER as in netlink.h. */
struct nlmsghdr *link_request(void *buffer, int type, int flags, __u32 ifindex);

/* Begins a request that makes a device; -EEXIST if the name is taken. */
struct nlmsghdr *link_make_begin(void *buffer, const char *name);

/* The other end of a pair. */
struct link_end {
	const char *name;
	const struct tsw_mac *mac;
	__u32 mtu;   /* 0: the kernel's own choice */
	int netns;   /* -1: this one */
	bool netkit; /* or veth */
};

/*
 * Makes the request one for a pair. The other end of a netkit pair drops what it sends before the
 * switch has attached its programs.
 */
void link_put_pair(struct nlmsghdr *request, const struct link_end *end);

/* Finds a free name: BASE, or BASE with a number behind it. */
void link_free_name(const char *base, char name[IFNAMSIZ]);
/* The name that it finds after so many others were taken. */
void link_next_name(const char *base, unsigned int taken, char name[IFNAMSIZ]);
/* Tells whether link_free_name() could have given this name. */
bool link_has_name(const struct link *link, const char *base);

/* Sets a device up. -errno without message. */
int link_start(__u32 ifindex);

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
