/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IPv6 proxies of the switch's own in the kernel's neighbour table: each makes its device a member
 * of the group by which neighbours ask for that address (RFC 4861, solicited-node). The kernel
 * itself answers for a proxy only where `proxy_ndp` is on.
 */
#ifndef TSW_PROXY_H
#define TSW_PROXY_H

#include <stddef.h>

#include <tsw/abi.h>

struct proxy {
	__u32 ifindex;
	struct tsw_addr addr;
};

/* Those that are the switch's; free *ALL. With a message. */
int proxies_list(struct proxy **all, size_t *n);
/* -errno without message; one that is there already, or is gone, is no error. */
int proxy_add(const struct proxy *proxy);
int proxy_del(const struct proxy *proxy);

#endif
