/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway answers an echo request to its own address at once, at the port that sent it. */
#ifndef TSW_BPF_ANSWER_ECHO_H
#define TSW_BPF_ANSWER_ECHO_H

#include "core/deliver.h"
#include "core/icmp.h"
#include "core/parse.h"

/* Only whole requests: the checksum of a fragmented one is in no fragment. */
static __always_inline bool echo_is_request(struct __sk_buff *skb, const struct frame *f)
{
	bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	__be16 frag = 0;
	__u8 type = 0;

	if (!f->l4 || f->proto != (v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		return false;
	bpf_skb_load_bytes(skb, f->l4, &type, sizeof(type));
	if (!v4)
		return type == ICMPV6_ECHO_REQUEST &&
		       f->l4 == f->base + ETH_HLEN + sizeof(struct ipv6hdr);
	bpf_skb_load_bytes(skb, f->base + ETH_HLEN + offsetof(struct iphdr, frag_off), &frag,
			   sizeof(frag));
	return type == ICMP_ECHO && !(frag & bpf_htons(IPV4_MORE_FRAGMENTS));
}

/* Swaps the addresses on both layers, which changes no checksum. */
static __always_inline int echo_turn(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_mac macs[2] = {f->eth.src, f->eth.dst};
	int err = bpf_skb_store_bytes(skb, 0, macs, sizeof(macs), 0);
	struct tsw_addr addrs[2] = {f->dst, f->src};
	__be32 v4[2] = {f->dst.w[3], f->src.w[3]};

	if (f->eth.type == bpf_htons(ETH_P_IP))
		return err
			       ?: bpf_skb_store_bytes(skb, ETH_HLEN + offsetof(struct iphdr, saddr),
						      v4, sizeof(v4), 0);
	return err
		       ?: bpf_skb_store_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, saddr),
					      addrs, sizeof(addrs), 0);
}

static __noinline int echo_answer(struct __sk_buff *skb, const struct frame *f)
{
	bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	__u8 type = v4 ? ICMP_ECHOREPLY : ICMPV6_ECHO_REPLY;
	__be16 was = bpf_htons((v4 ? ICMP_ECHO : ICMPV6_ECHO_REQUEST) << 8);

	/* The type is the upper octet of the first summed word. The code is 0 in both. */
	if (echo_turn(skb, f) || bpf_skb_store_bytes(skb, f->l4, &type, sizeof(type), 0) ||
	    bpf_l4_csum_replace(skb, f->l4 + 2, was, bpf_htons(type << 8), sizeof(was)))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

#endif
