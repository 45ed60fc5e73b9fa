/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking the outer headers off. */
#ifndef TSW_BPF_TUNNEL_DECAP_H
#define TSW_BPF_TUNNEL_DECAP_H

#include "tunnel/ecn.h"
#include "core/note_type.h"
#include "tunnel/outer.h"

/* Whether adjust_room can tell the kernel of the inner protocol, where it is not the outer one. */
static __always_inline __u64 decap_flags(const struct tsw_config *cfg, const struct tunnel *t,
					 const struct frame *f)
{
	if (!(cfg->flags & TSW_CFG_DECAP_L3))
		return 0;
	if (t->family == TSW_IPV4)
		return f->eth.type == bpf_htons(ETH_P_IPV6) ? BPF_F_ADJ_ROOM_DECAP_L3_IPV6 : 0;
	/* Also for what is not IP: it is read anew, and may be shorter so. */
	return f->eth.type == bpf_htons(ETH_P_IPV6) ? 0 : BPF_F_ADJ_ROOM_DECAP_L3_IPV4;
}

/* skb->protocol will be the inner frame's own. */
static __always_inline bool decap_is_exact(const struct tsw_config *cfg, const struct tunnel *t,
					   const struct frame *f)
{
	__be16 outer = t->family == TSW_IPV6 ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP);

	return frame_is_ip(f) && (f->eth.type == outer || cfg->flags & TSW_CFG_DECAP_L3);
}

/*
 * adjust_room leaves no less than an IP header, and before Linux 6.3 one of the outer family,
 * longer than a short IPv4 packet. Such a frame is told to be IPv4 first, which takes part of the
 * outer header off. The number of octets that are gone, or an error of the helper.
 */
static __always_inline int decap_as_ipv4(struct __sk_buff *skb, const struct tunnel *t,
					 const struct frame *f, __u64 flags)
{
	int err;

	if (t->family != TSW_IPV6 || flags & BPF_F_ADJ_ROOM_DECAP_L3_IPV4 ||
	    skb->len >= f->base + ETH_HLEN + sizeof(struct ipv6hdr))
		return 0;
	err = bpf_skb_change_proto(skb, bpf_htons(ETH_P_IP), 0);
	return err ? err : sizeof(struct ipv6hdr) - sizeof(struct iphdr);
}

/*
 * A short frame of another protocol may be less than an IPv4 header: it is padded, as Ethernet does
 * it. The kernel pads none that it has marked as a tunnel's, as all that encap.h makes of IP and a
 * virtual wire carries are.
 */
static __always_inline int decap_pad(struct __sk_buff *skb, __u32 base)
{
	const __u32 least = base + ETH_HLEN + sizeof(struct iphdr);

	return skb->len < least ? bpf_skb_change_tail(skb, least, 0) : 0;
}

/*
 * Done in two steps: where the sender left the outer UDP checksum to the device (a
 * virtual wire), the second step is the one in which the kernel sees that this checksum is
 * gone.
 */
static __always_inline int decap_strip(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct tunnel *t, const struct frame *f)
{
	__u64 flags = decap_flags(cfg, t, f);
	int gone = decap_as_ipv4(skb, t, f, flags);
	int len = f->base - gone; /* the outer Ethernet header stays, and becomes the inner one */
	struct eth *eth;

	if (gone < 0 || decap_pad(skb, len))
		return drop(TSW_DROP_INTERNAL);
	if (t->has_csum && !skb->gso_size) {
		if (bpf_skb_adjust_room(skb, -(len - ETH_HLEN), BPF_ADJ_ROOM_MAC,
					flags | BPF_F_ADJ_ROOM_FIXED_GSO))
			return drop(TSW_DROP_INTERNAL);
		len = ETH_HLEN;
	}
	if (bpf_skb_adjust_room(skb, -len, BPF_ADJ_ROOM_MAC, flags | BPF_F_ADJ_ROOM_FIXED_GSO))
		return drop(TSW_DROP_INTERNAL);
	eth = frame_at(skb, 0, sizeof(*eth));
	if (!eth)
		return drop(TSW_DROP_INTERNAL);
	*eth = f->eth;
	/* A veth's other end reads the type in the octets, a netkit's does not. */
	return frame_is_ip(f) ? NEXT : note_type(skb);
}

#endif
