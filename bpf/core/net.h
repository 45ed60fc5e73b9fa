/* SPDX-License-Identifier: GPL-2.0-only */
/* The networks of a tenant that it names itself. */
#ifndef TSW_BPF_CORE_NET_H
#define TSW_BPF_CORE_NET_H

#include "core/addr.h"

TSW_HASH(tsw_nets, __u32, struct tsw_nets);

static __always_inline struct tsw_nets *nets_get(__u32 tenant)
{
	return bpf_map_lookup_elem(&tsw_nets, &tenant);
}

/* Is that the network's broadcast address? One of two addresses or one has none (RFC 3021). */
static __always_inline bool net_ends_at(const struct tsw_prefix *net, __u32 v4)
{
	const __u32 hosts = ~0U >> (net->len & 31);

	return net->len >= 96 && net->len < 127 && addr_is_v4mapped(&net->addr) &&
	       (bpf_ntohl(net->addr.w[3]) | hosts) == v4;
}

#endif
