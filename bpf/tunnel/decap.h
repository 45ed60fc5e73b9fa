/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes the outer headers off. */
#ifndef TSW_BPF_TUNNEL_DECAP_H
#define TSW_BPF_TUNNEL_DECAP_H

#include "tunnel/ecn.h"
#include "core/note_type.h"
#include "tunnel/outer.h"

/*
 * The flags by which adjust_room tells the kernel the inner protocol, if it is not the outer one.
 */
static __always_inline __u64 decap_flags(const struct tsw_config *cfg, const struct tunnel *t,
					 const struct frame *f)
{
	if (!(cfg->flags & TSW_CFG_DECAP_L3))
		return 0;
	if (t->family == TSW_IPV4)
		return f->eth.type == bpf_htons(ETH_P_IPV6) ? BPF_F_ADJ_ROOM_DECAP_L3_IPV6 : 0;
	/*
	 * Also for frames that are not IP: their type is read again, and they may be shorter this
	 * way.
	 */
	return f->eth.type == bpf_htons(ETH_P_IPV6) ? 0 : BPF_F_ADJ_ROOM_DECAP_L3_IPV4;
}

/* Will skb->protocol be the inner frame's type? */
static __always_inline bool decap_is_exact(const struct tsw_config *cfg, const struct tunnel *t,
					   const struct frame *f)
{
	__be16 outer = t->family == TSW_IPV6 ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP);

	return frame_is_ip(f) && (f->eth.type == outer || cfg->flags & TSW_CFG_DECAP_L3);
}

/*
 * adjust_room leaves at least an IP header, and before Linux 6.3 one of the outer family, which is
 * longer than a short IPv4 packet. So such a frame is declared IPv4 first, which takes part of the
 * outer header off. Returns the number of removed octets, or a helper's error.
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
 * A short frame of another protocol may be shorter than an IPv4 header. It is padded, as Ethernet
 * would pad it. The kernel pads no frame that it has marked as a tunnel's, and encap.h marks all IP
 * frames so that a virtual wire carries.
 */
static __always_inline int decap_pad(struct __sk_buff *skb, __u32 base)
{
	const __u32 least = base + ETH_HLEN + sizeof(struct iphdr);

	return skb->len < least ? bpf_skb_change_tail(skb, least, 0) : 0;
}

/*
 * Done in two steps. If the sender left the outer UDP checksum to the device (a virtual wire), the
 * kernel sees in the second step that this checksum is gone.
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
	/* A veth's other end reads the type from the octets, a netkit's does not. */
	return frame_is_ip(f) ? NEXT : note_type(skb);
}

#endif
