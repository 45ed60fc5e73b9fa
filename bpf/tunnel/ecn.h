/* SPDX-License-Identifier: GPL-2.0-only */
/* Explicit congestion notification through a tunnel, RFC 6040. */
#ifndef TSW_BPF_TUNNEL_ECN_H
#define TSW_BPF_TUNNEL_ECN_H

#include "core/checksum.h"
#include "core/parse.h"

#define ECN_MASK 3
#define ECN_NOT_ECT 0
#define ECN_ECT1 1
#define ECN_ECT0 2
#define ECN_CE 3

/* RFC 6040 section 4.2, figure 4: the inner field to forward, or -1: drop. */
static __always_inline int ecn_decapsulate(__u8 outer, __u8 inner)
{
	outer &= ECN_MASK;
	inner &= ECN_MASK;
	if (outer == ECN_CE)
		return inner == ECN_NOT_ECT ? -1 : ECN_CE;
	if (outer == ECN_ECT1 && inner == ECN_ECT0)
		return ECN_ECT1;
	return inner;
}

/* Header checksum and field change by the same amount, so a sum over the frame stays. */
static __always_inline int ecn_write_ipv4(struct __sk_buff *skb, const struct frame *f, __u8 tos)
{
	__u32 at = f->base + ETH_HLEN;
	__u16 from = bpf_htons(f->tos), to = bpf_htons(tos);

	if (bpf_l3_csum_replace(skb, at + offsetof(struct iphdr, check), from, to, 2) ||
	    bpf_skb_store_bytes(skb, at + offsetof(struct iphdr, tos), &tos, 1, 0))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

static __always_inline int ecn_write_ipv6(struct __sk_buff *skb, const struct frame *f, __u8 tos)
{
	__u32 at = f->base + ETH_HLEN;
	__u8 head[2];

	if (bpf_skb_load_bytes(skb, at, head, sizeof(head)))
		return drop(TSW_DROP_INTERNAL);
	head[0] = (head[0] & 0xf0) | tos >> 4;
	head[1] = (head[1] & 0x0f) | tos << 4;
	if (bpf_skb_store_bytes(skb, at, head, sizeof(head), BPF_F_RECOMPUTE_CSUM))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/* Writes the outer header's congestion mark into the inner one. */
static __always_inline int ecn_combine(struct __sk_buff *skb, const struct frame *f, int ecn)
{
	__u8 tos = (f->tos & ~ECN_MASK) | ecn;

	if (tos == f->tos)
		return NEXT;
	return f->eth.type == bpf_htons(ETH_P_IP) ? ecn_write_ipv4(skb, f, tos)
						  : ecn_write_ipv6(skb, f, tos);
}

#endif
