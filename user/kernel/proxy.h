/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switch's IPv6 proxies in the kernel's neighbour table. Each makes its device a member of the
 * solicited-node group of an address (RFC 4861). The kernel itself answers for a proxy only if
 * `proxy_ndp` is on.
 */
#ifndef TSW_PROXY_H
#define TSW_PROXY_H

#include <stddef.h>

#include <tsw/abi.h>

struct proxy {
	__u32 ifindex;
	struct tsw_addr addr;
};

/* Lists the switch's proxies; the caller frees *ALL. Fails with a message. */
int proxies_list(struct proxy **all, size_t *n);
/* -errno without message. 0 also if the proxy exists already, or is gone. */
int proxy_add(const struct proxy *proxy);
int proxy_del(const struct proxy *proxy);

#endif
