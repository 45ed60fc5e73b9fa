/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts the outer headers on: IPv4 or IPv6, with VXLAN, GRE or Geneve. */
#ifndef TSW_BPF_TUNNEL_ENCAP_H
#define TSW_BPF_TUNNEL_ENCAP_H

#include "core/checksum.h"
#include "tunnel/geneve.h"
#include "tunnel/gre.h"
#include "core/note_type.h"
#include "core/parse.h"
#include "tunnel/vxlan.h"

#define OUTER_TTL 64
#define OUTER_DF 0x4000
#define IP_LEN_MAX 65535 /* the largest value of an IP header's length field */
#define FLOW_LABEL 0xfffff

/* The values that the outer headers of one frame are made from. */
struct outer {
	const struct tsw_addr *local;
	struct tsw_tenant_stats *from; /* the tenant: counters, and a copy of its settings */
	struct tsw_host_stats *to;     /* the host: likewise */
	__u32 tenant;
	__u32 hash; /* of the inner flow */
	__be16 dport;
	__u8 encap : 4;	 /* enum tsw_encap; three fields in one octet, to save stack */
	__u8 family : 3; /* enum tsw_family */
	__u8 bare : 1;	 /* the device has no link header */
	__u8 tos;
	struct tsw_mac dst, src; /* next hop's MAC and our own; unused if the kernel writes them */
};

static __always_inline __u32 outer_overhead(const struct outer *o)
{
	return TSW_OVERHEAD(o->encap, o->family);
}

/*
 * The UDP source port comes from the inner flow, so that the underlay's paths share the load
 * (RFC 7348 section 5, RFC 8926 section 3.3).
 */
static __always_inline __u16 outer_sport(__u32 hash)
{
	return VXLAN_SPORT_BASE + (hash & VXLAN_SPORT_MASK);
}

/* Does the length fit into the outer IP header's field? IPv6's does not count the header. */
static __always_inline bool outer_fits(struct __sk_buff *skb, const struct outer *o)
{
	__u32 own = o->family == TSW_IPV6 ? sizeof(struct ipv6hdr) : 0;

	return skb->len - ETH_HLEN + outer_overhead(o) - own <= IP_LEN_MAX;
}

/*
 * Marks a frame that is not IP as IPv4, because adjust_room takes nothing else; encap_write()
 * restores its type. Used for devices without link header. change_head does not work for them: it
 * leaves the network header at the inner packet, and the kernel sends from there on. Global, so
 * that the verifier goes through it once.
 */
__noinline int tsw_as_ip(struct __sk_buff *skb)
{
	static const __be16 type = bpf_htons(ETH_P_IP);

	if (bpf_skb_store_bytes(skb, offsetof(struct eth, type), &type, sizeof(type), 0))
		return -1;
	return note_type(skb) == NEXT ? 0 : -1;
}

/*
 * Makes room for the outer headers and tells the kernel about them, which needs them to segment a
 * super-frame. 0, or the helper's error.
 */
static __always_inline int encap_make_room(struct __sk_buff *skb, const struct frame *f,
					   const struct outer *o)
{
	/* ENCAP_L2 counts only the inner Ethernet header, or segmentation breaks. */
	__u64 flags = BPF_F_ADJ_ROOM_FIXED_GSO | BPF_F_ADJ_ROOM_ENCAP_L2(ETH_HLEN) |
		      BPF_F_ADJ_ROOM_ENCAP_L2_ETH | BPF_F_ADJ_ROOM_NO_CSUM_RESET;

	if (!frame_is_ip(f) && !o->bare) /* adjust_room takes IP only */
		return bpf_skb_change_head(skb, outer_overhead(o), 0);
	if (!frame_is_ip(f) && tsw_as_ip(skb))
		return -1;
	flags |=
		o->family == TSW_IPV6 ? BPF_F_ADJ_ROOM_ENCAP_L3_IPV6 : BPF_F_ADJ_ROOM_ENCAP_L3_IPV4;
	flags |= o->encap == TSW_ENCAP_GRE ? BPF_F_ADJ_ROOM_ENCAP_L4_GRE
					   : BPF_F_ADJ_ROOM_ENCAP_L4_UDP;
	return bpf_skb_adjust_room(skb, outer_overhead(o), BPF_ADJ_ROOM_MAC, flags);
}

static __always_inline void encap_ipv4(struct iphdr *ip, const struct outer *o, __u32 len)
{
	*ip = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = o->tos,
		.tot_len = bpf_htons(len),
		.frag_off = bpf_htons(OUTER_DF), /* RFC 7348 section 4.3 forbids fragments */
		.ttl = OUTER_TTL,
		.protocol = o->encap == TSW_ENCAP_GRE ? IPPROTO_GRE : IPPROTO_UDP,
		.saddr = o->local->w[3],
		.daddr = o->to->host.addr.w[3],
	};
	ip->check = ipv4_csum(ip);
}

/* The flow label comes from the inner flow, which balances GRE too: RFC 6438. */
static __always_inline void encap_ipv6(struct ipv6hdr *ip, const struct outer *o, __u32 len)
{
	__be32 *first = (__be32 *)ip;

	*first = bpf_htonl(6U << 28 | (__u32)o->tos << 20 | (o->hash & FLOW_LABEL));
	ip->payload_len = bpf_htons(len - sizeof(*ip));
	ip->nexthdr = o->encap == TSW_ENCAP_GRE ? IPPROTO_GRE : IPPROTO_UDP;
	ip->hop_limit = OUTER_TTL;
	__builtin_memcpy(&ip->saddr, o->local, sizeof(ip->saddr));
	__builtin_memcpy(&ip->daddr, &o->to->host.addr, sizeof(ip->daddr));
}

/* UDP checksum 0: RFC 7348 section 5, and over IPv6 RFC 6935. */
static __always_inline void encap_vxlan(struct vxlan_header *h, const struct outer *o, __u32 len)
{
	*h = (struct vxlan_header){
		.udp = {.source = bpf_htons(outer_sport(o->hash)),
			.dest = o->dport,
			.len = bpf_htons(len)},
		.vxlan = {bpf_htonl(VXLAN_FLAGS), bpf_htonl(o->tenant << 8)},
	};
}

/* UDP checksum 0: RFC 8926 section 3.3. No options; O, C and reserved bits are zero. */
static __always_inline void encap_geneve(struct geneve_header *h, const struct outer *o, __u32 len)
{
	*h = (struct geneve_header){
		.udp = {.source = bpf_htons(outer_sport(o->hash)),
			.dest = bpf_htons(TSW_GENEVE_PORT),
			.len = bpf_htons(len)},
		.geneve = {0, bpf_htons(ETH_P_TEB), bpf_htonl(o->tenant << 8)},
	};
}

static __always_inline void encap_gre(struct gre_header *h, const struct outer *o)
{
	*h = (struct gre_header){
		.gre = {bpf_htons(GRE_KEY), bpf_htons(ETH_P_TEB)},
		.key = bpf_htonl(o->tenant),
	};
}

/* Writes the headers for one encapsulation and family, which are known when compiled. */
static __always_inline int encap_fill(struct __sk_buff *skb, const struct frame *f,
				      const struct outer *o, const enum tsw_encap encap,
				      const bool v6)
{
	const __u32 l3_len = v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	const __u32 l4_len = TSW_OVERHEAD(encap, TSW_IPV4) - sizeof(struct iphdr) - ETH_HLEN;
	__u32 len = skb->len - ETH_HLEN;
	void *head = frame_at(skb, 0, ETH_HLEN + l3_len + l4_len + ETH_HLEN);
	void *l3 = head + ETH_HLEN;

	if (!head)
		return drop(TSW_DROP_INTERNAL);
	*(struct eth *)head = (struct eth){
		.dst = o->dst, .src = o->src, .type = bpf_htons(v6 ? ETH_P_IPV6 : ETH_P_IP)};
	if (v6)
		encap_ipv6(l3, o, len);
	else
		encap_ipv4(l3, o, len);
	if (encap == TSW_ENCAP_GRE)
		encap_gre(l3 + l3_len, o);
	else if (encap == TSW_ENCAP_GENEVE)
		encap_geneve(l3 + l3_len, o, len - l3_len);
	else
		encap_vxlan(l3 + l3_len, o, len - l3_len);
	*(struct eth *)(l3 + l3_len + l4_len) = f->eth;
	return NEXT;
}

/* Writes the headers into the room. A flood calls it again for the next host's copy. */
static __noinline int encap_write(struct __sk_buff *skb, const struct frame *f,
				  const struct outer *o)
{
	const bool v6 = o->family == TSW_IPV6;

	if (o->encap == TSW_ENCAP_GRE)
		return v6 ? encap_fill(skb, f, o, TSW_ENCAP_GRE, true)
			  : encap_fill(skb, f, o, TSW_ENCAP_GRE, false);
	if (o->encap == TSW_ENCAP_GENEVE)
		return v6 ? encap_fill(skb, f, o, TSW_ENCAP_GENEVE, true)
			  : encap_fill(skb, f, o, TSW_ENCAP_GENEVE, false);
	return v6 ? encap_fill(skb, f, o, TSW_ENCAP_VXLAN, true)
		  : encap_fill(skb, f, o, TSW_ENCAP_VXLAN, false);
}

#endif
