/* SPDX-License-Identifier: GPL-2.0-only */
/* The networks of a tenant, as far as they are named: by itself, or by its gateway's addresses. */
#ifndef TSW_BPF_CORE_NET_H
#define TSW_BPF_CORE_NET_H

#include "gateway/maps.h"

TSW_HASH(tsw_nets, __u32, struct tsw_nets);

/* Is that the network's broadcast address? One of two addresses or one has none (RFC 3021). */
static __always_inline bool net_ends_at(const struct tsw_prefix *net, __u32 v4)
{
	const __u32 hosts = ~0U >> (net->len & 31);

	return net->len >= 96 && net->len < 127 && addr_is_v4mapped(&net->addr) &&
	       (bpf_ntohl(net->addr.w[3]) | hosts) == v4;
}

/* The broadcast address, in the host's byte order, of a network of the tenant? */
static __noinline bool net_has_broadcast(__u32 tenant, __u32 v4)
{
	struct tsw_nets *nets = bpf_map_lookup_elem(&tsw_nets, &tenant);
	struct tsw_gateway *gw = gateway_get(tenant);

	for (__u32 i = 0; nets && i < TSW_NETS; i++)
		if (i < nets->n && net_ends_at(&nets->at[i].prefix, v4))
			return true;
	for (__u32 i = 0; gw && i < TSW_GATEWAY_ADDRS; i++)
		if (i < gw->n_addrs && net_ends_at(&gw->addr[i], v4))
			return true;
	return false;
}

#endif
