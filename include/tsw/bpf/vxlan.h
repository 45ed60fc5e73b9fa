/* SPDX-License-Identifier: GPL-2.0-only */
/* VXLAN on the wire (RFC 7348 section 5) over IPv4: the headers, putting on, taking off. */
#ifndef TSW_BPF_VXLAN_H
#define TSW_BPF_VXLAN_H

#include <tsw/bpf/checksum.h>
#include <tsw/bpf/config.h>
#include <tsw/bpf/parse.h>

#define VXLAN_FLAGS 0x08000000U /* I flag: the VNI is valid; all others are reserved */
#define VXLAN_SPORT_BASE 49152	/* RFC 7348 section 5: the dynamic ports */
#define VXLAN_SPORT_MASK 0x3fff
#define OUTER_TTL 64

struct vxlan {
	__be32 flags;
	__be32 vni; /* 24 bits and a reserved octet */
};

struct vxlan_outer {
	struct iphdr ip;
	struct udphdr udp;
	struct vxlan vxlan;
};

/* A frame on the underlay up to the end of the inner Ethernet header. */
struct vxlan_frame {
	struct eth outer;
	struct vxlan_outer v;
	struct eth inner;
} __attribute__((packed, aligned(2)));

_Static_assert(sizeof(struct vxlan_frame) == ETH_HLEN + TSW_VXLAN4_OVERHEAD, "overhead");

/*
 * Is this a whole, sound UDP datagram to this host's tunnel port? What is not is the
 * kernel's affair: it knows what to do with fragments, options and wrong checksums.
 */
static __always_inline bool vxlan_is_ours(const struct vxlan_outer *v, const struct tsw_config *cfg)
{
	return v->ip.version == 4 && v->ip.ihl == 5 && v->ip.protocol == IPPROTO_UDP &&
	       v->ip.daddr == cfg->local.w[3] && v->udp.dest == cfg->port &&
	       !(v->ip.frag_off & bpf_htons(IPV4_OFFSET | IPV4_MORE_FRAGMENTS)) &&
	       !ipv4_csum(&v->ip);
}

/* What the outer header of one frame is made from. */
struct outer {
	__be32 local, remote;
	__u32 tenant;
	__be16 sport, dport;
	__u8 tos;
	struct tsw_mac dst, src; /* next hop's and our own; the kernel's affair if it finds them */
};

/* From the inner flow, so that the underlay's paths share the load (RFC 7348 section 5). */
static __always_inline __be16 vxlan_sport(struct __sk_buff *skb)
{
	return bpf_htons(VXLAN_SPORT_BASE + (bpf_get_hash_recalc(skb) & VXLAN_SPORT_MASK));
}

/* Room for the outer headers, taken note of for segmentation. 0, or an error of the helper. */
static __always_inline int vxlan_make_room(struct __sk_buff *skb, const struct frame *f)
{
	/* ENCAP_L2 counts the inner Ethernet header alone, else segmentation breaks. */
	const __u64 flags = BPF_F_ADJ_ROOM_FIXED_GSO | BPF_F_ADJ_ROOM_ENCAP_L3_IPV4 |
			    BPF_F_ADJ_ROOM_ENCAP_L4_UDP | BPF_F_ADJ_ROOM_ENCAP_L2(ETH_HLEN) |
			    BPF_F_ADJ_ROOM_ENCAP_L2_ETH | BPF_F_ADJ_ROOM_NO_CSUM_RESET;

	if (!frame_is_ip(f)) /* adjust_room takes IP only; nothing else is ever segmented */
		return bpf_skb_change_head(skb, TSW_VXLAN4_OVERHEAD, 0);
	return bpf_skb_adjust_room(skb, TSW_VXLAN4_OVERHEAD, BPF_ADJ_ROOM_MAC, flags);
}

/* Fills the room; also again, for the next copy. */
static __always_inline int vxlan_write(struct __sk_buff *skb, const struct frame *f,
				       const struct outer *o)
{
	__u32 len = skb->len - ETH_HLEN;
	struct vxlan_frame *v = frame_at(skb, 0, sizeof(*v));

	if (!v)
		return drop(TSW_DROP_INTERNAL);
	v->outer = (struct eth){.dst = o->dst, .src = o->src, .type = bpf_htons(ETH_P_IP)};
	v->v.ip = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = o->tos,
		.tot_len = bpf_htons(len),
		.frag_off = bpf_htons(0x4000), /* DF: RFC 7348 section 4.3 forbids fragments */
		.ttl = OUTER_TTL,
		.protocol = IPPROTO_UDP,
		.saddr = o->local,
		.daddr = o->remote,
	};
	v->v.ip.check = ipv4_csum(&v->v.ip);
	v->v.udp = (struct udphdr){
		.source = o->sport, .dest = o->dport, .len = bpf_htons(len - sizeof(v->v.ip))};
	v->v.vxlan = (struct vxlan){bpf_htonl(VXLAN_FLAGS), bpf_htonl(o->tenant << 8)};
	v->inner = f->eth;
	return NEXT;
}

/*
 * Takes the outer headers off. Done in two steps: where the sender left the
 * outer UDP checksum to the device (a virtual wire), the second step is the one in
 * which the kernel sees that this checksum is gone.
 */
static __always_inline int vxlan_strip(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct frame *f, bool outer_csum)
{
	__u64 flags = BPF_F_ADJ_ROOM_FIXED_GSO;
	int len = TSW_VXLAN4_OVERHEAD;
	struct eth *eth;

	if (outer_csum) {
		if (bpf_skb_adjust_room(skb, -(len - ETH_HLEN), BPF_ADJ_ROOM_MAC, flags))
			return drop(TSW_DROP_INTERNAL);
		len = ETH_HLEN;
	}
	if (f->eth.type == bpf_htons(ETH_P_IPV6) && cfg->flags & TSW_CFG_DECAP_IPV6)
		flags |= BPF_F_ADJ_ROOM_DECAP_L3_IPV6;
	if (bpf_skb_adjust_room(skb, -len, BPF_ADJ_ROOM_MAC, flags))
		return drop(TSW_DROP_INTERNAL);
	eth = frame_at(skb, 0, sizeof(*eth));
	if (!eth)
		return drop(TSW_DROP_INTERNAL);
	*eth = f->eth;
	return NEXT;
}

#endif
