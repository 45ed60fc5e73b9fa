/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking the outer headers off. */
#ifndef TSW_BPF_DECAP_H
#define TSW_BPF_DECAP_H

#include <tsw/bpf/ecn.h>
#include <tsw/bpf/outer.h>

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

/* adjust_room leaves no less than an IP header, which a short frame of another protocol may
 * not have: it is padded, as Ethernet does it. */
static __always_inline int decap_pad(struct __sk_buff *skb, const struct tunnel *t,
				     const struct frame *f, __u64 flags)
{
	__u32 least = t->family == TSW_IPV6 && !(flags & BPF_F_ADJ_ROOM_DECAP_L3_IPV4)
			      ? sizeof(struct ipv6hdr)
			      : sizeof(struct iphdr);

	if (skb->len >= f->base + ETH_HLEN + least)
		return 0;
	return bpf_skb_change_tail(skb, f->base + ETH_HLEN + least, 0);
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
	int len = f->base; /* the outer Ethernet header stays, and becomes the inner one */
	struct eth *eth;

	if (decap_pad(skb, t, f, flags))
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
	return NEXT;
}

#endif
