/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes a frame from one endpoint to another by the tenant's gateway, where a tenant has several
 * networks. The sender's port does it, wherever the gateway is.
 */
#ifndef TSW_BPF_PORT_INTER_SUBNET_H
#define TSW_BPF_PORT_INTER_SUBNET_H

#include "core/parse.h"

static __always_inline int inter_subnet_hop4(struct __sk_buff *skb)
{
	const __u32 ttl = ETH_HLEN + offsetof(struct iphdr, ttl);
	const __u32 check = ETH_HLEN + offsetof(struct iphdr, check);
	__be16 was, now; /* TTL and protocol, one word of the checksum */

	if (bpf_skb_load_bytes(skb, ttl, &was, sizeof(was)))
		return drop(TSW_DROP_TRUNCATED);
	if (bpf_ntohs(was) >> 8 <= 1)
		return drop(TSW_DROP_TTL_EXPIRED);
	now = bpf_htons(bpf_ntohs(was) - 0x100);
	if (bpf_l3_csum_replace(skb, check, was, now, sizeof(was)) ||
	    bpf_skb_store_bytes(skb, ttl, &now, sizeof(now), 0))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

static __always_inline int inter_subnet_hop6(struct __sk_buff *skb, const struct frame *f)
{
	const __u32 at = ETH_HLEN + offsetof(struct ipv6hdr, hop_limit);
	__u8 now = f->hop_limit - 1;

	if (f->hop_limit <= 1)
		return drop(TSW_DROP_TTL_EXPIRED);
	return bpf_skb_store_bytes(skb, at, &now, sizeof(now), 0) ? drop(TSW_DROP_INTERNAL) : NEXT;
}

/* Makes one hop: the frame is now for that endpoint. The sender's MAC stays, for the receiver. */
static __noinline int inter_subnet_route(struct __sk_buff *skb, struct frame *f,
					 const struct tsw_mac *owner)
{
	int verdict;

	if (frame_is_mapped(f) || addr_is_link_local(&f->dst) || addr_is_link_local(&f->src))
		return drop(TSW_DROP_HOST_ADDRESS);
	verdict = f->eth.type == bpf_htons(ETH_P_IP) ? inter_subnet_hop4(skb)
						     : inter_subnet_hop6(skb, f);
	if (verdict != NEXT)
		return verdict;
	f->eth.dst = *owner;
	return bpf_skb_store_bytes(skb, 0, owner, sizeof(*owner), 0) ? drop(TSW_DROP_INTERNAL)
								     : NEXT;
}

#endif
