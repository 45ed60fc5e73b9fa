/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames from the kernel's tunnel devices: whose they are, and whether they came by the underlay.
 */
#ifndef TSW_BPF_TUNNEL_FROM_TUNNEL_H
#define TSW_BPF_TUNNEL_FROM_TUNNEL_H

#include "core/drop.h"
#include "core/host.h"
#include "tunnel/outer.h"
#include "tunnel/host_pass.h"
#include "core/tenant.h"

/* Takes tenant and sender from the kernel's tunnel device, which has checked the rest. */
static __noinline int from_tunnel_key(struct __sk_buff *skb, const struct tsw_config *cfg,
				      struct tunnel *t)
{
	struct bpf_tunnel_key key = {};
	struct tsw_addr from;

	if (!bpf_skb_get_tunnel_key(skb, &key, sizeof(key), 0))
		from = addr_from_v4(bpf_htonl(key.remote_ipv4));
	else if (!bpf_skb_get_tunnel_key(skb, &key, sizeof(key), BPF_F_TUNINFO_IPV6))
		__builtin_memcpy(&from, key.remote_ipv6, sizeof(from));
	else
		return drop(TSW_DROP_UNKNOWN_TENANT);
	if (!tenant_get(key.tunnel_id))
		return drop(TSW_DROP_UNKNOWN_TENANT);
	t->tenant = key.tunnel_id;
	if (!pass_take(skb, cfg, PASS_UP) && !pass_take_old(skb, cfg))
		return drop(TSW_DROP_UNVERIFIED_TUNNEL);
	t->host = host_by_vtep(&from);
	return t->host ? NEXT : drop(TSW_DROP_UNKNOWN_HOST);
}

#endif
