/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a tenant's frame once: Ethernet, IPv4 or IPv6, and where the upper layer begins.
 * Everything is copied out, so later steps may move the frame's octets.
 */
#ifndef TSW_BPF_CORE_PARSE_H
#define TSW_BPF_CORE_PARSE_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "core/addr.h"
#include "core/llc.h"

struct eth {
	struct tsw_mac dst;
	struct tsw_mac src;
	__be16 type;
};

/* What a frame announces, as port/move.h and port/vip.h find out at its port. */
#define FRAME_MOVES 1 /* where a moving endpoint is now: for all of the tenant's hosts */
#define FRAME_TAKES 2 /* or asks who has a vip: for all of the tenant, even without broadcast */

struct frame {
	struct eth eth;
	__u8 tos;	     /* IPv4 TOS, IPv6 traffic class: DSCP and ECN */
	__u8 proto;	     /* the upper layer's number; IPPROTO_NONE: it is not visible */
	__u8 hop_limit;	     /* IPv6 only */
	bool gateway;	     /* another host's gateway sent it, no endpoint did */
	__u8 announces;	     /* FRAME_* */
	__be16 fragment;     /* not zero: a fragment. IPv4: its offset and flags; IPv6: the
			      * offset from base of the last fragment header */
	__u32 base;	     /* offset of the Ethernet header in the skb */
	__u32 l4;	     /* offset of the upper layer in the skb; 0: not visible */
	__u32 end;	     /* offset in the skb of the IP packet's end; padding follows */
	__u32 l3_len;	     /* octets of the longest packet once segmented: core/measure.h */
	struct tsw_addr src; /* IP source; zero where the frame is not IP */
	struct tsw_addr dst;
};

#define IPV4_OFFSET 0x1fff /* of frag_off, RFC 791 */
#define IPV4_MORE_FRAGMENTS 0x2000
#define IPV6_OFFSET 0xfff8 /* of the fragment header, RFC 8200 section 4.5 */
#define IPV6_EXTENSIONS 8  /* headers that are read; longer chains are dropped */
#define TCP_FLAGS_AT 13	   /* RFC 9293 section 3.1 */
#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_ACK 0x10
#define UPPER_LEAST 4 /* octets of an upper layer that identify it: ports, GRE's flags */

/* Is it the last TCP packet of one side? */
static __always_inline bool frame_ends(struct __sk_buff *skb, const struct frame *f)
{
	__u8 flags = 0;

	if (f->proto == IPPROTO_TCP)
		bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	return flags & (TCP_FIN | TCP_RST);
}

static __always_inline bool frame_is_v6(const struct frame *f)
{
	return f->eth.type == bpf_htons(ETH_P_IPV6);
}

static __always_inline bool frame_is_ip(const struct frame *f)
{
	return f->eth.type == bpf_htons(ETH_P_IP) || f->eth.type == bpf_htons(ETH_P_IPV6);
}

/*
 * An IPv6 header with an IPv4-mapped destination. No endpoint has such an address, but a look-up
 * would find an IPv4 one: the maps store those in this form.
 */
static __always_inline bool frame_is_mapped(const struct frame *f)
{
	return f->eth.type == bpf_htons(ETH_P_IPV6) && addr_is_v4mapped(&f->dst);
}

static __always_inline bool ethertype_is_vlan(__be16 type)
{
	return type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD);
}

/*
 * ICMP in IPv4, ICMPv6 in IPv6. A receiver does not take the other family's number for ICMP.
 */
static __always_inline bool frame_is_icmp(const struct frame *f)
{
	return f->proto == (f->eth.type == bpf_htons(ETH_P_IP) ? IPPROTO_ICMP : IPPROTO_ICMPV6);
}

/*
 * Stores where the packet of len octets ends. True: it is longer than its frame.
 *
 * A super-frame that is too long for the length field has 0 there (BIG TCP). Then len is header,
 * the part that the field does not count (IPv4 0, IPv6 its header), and the packet fills its frame.
 */
static __always_inline bool ip_overruns(struct __sk_buff *skb, struct frame *f, __u32 len,
					__u32 header)
{
	f->end = f->base + ETH_HLEN + len;
	if (skb->gso_size && (len <= header || f->end > skb->len))
		f->end = skb->len;
	return f->end > skb->len;
}

/* frame_read(), off octets after the start of the upper layer. Padding cannot be read. */
static __always_inline int upper_read(struct __sk_buff *skb, const struct frame *f, __u32 off,
				      void *to, __u32 len)
{
	off += f->l4;
	return off + len > f->end ? -1 : frame_read(skb, off, to, len);
}

static __always_inline int parse_ipv4(struct __sk_buff *skb, struct frame *f)
{
	struct iphdr *ip = frame_at(skb, f->base + ETH_HLEN, sizeof(*ip));

	if (!ip || ip->version != 4 || ip->ihl < 5 ||
	    ip_overruns(skb, f, bpf_ntohs(ip->tot_len), 0))
		return drop(TSW_DROP_TRUNCATED);
	f->tos = ip->tos;
	f->src = addr_from_v4(ip->saddr);
	f->dst = addr_from_v4(ip->daddr);
	f->fragment = ip->frag_off & bpf_htons(IPV4_OFFSET | IPV4_MORE_FRAGMENTS);
	if (ip->frag_off & bpf_htons(IPV4_OFFSET))
		return NEXT;
	f->proto = ip->protocol;
	f->l4 = f->base + ETH_HLEN + ip->ihl * 4;
	return NEXT;
}

/* The first octets of an extension header, RFC 8200 section 4. */
struct ipv6_extension {
	__u8 next, len;
	__be16 fragment; /* offset and flags, in a fragment header */
	__be32 rest;
};

static __always_inline bool ipv6_is_extension(__u8 proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS ||
	       proto == IPPROTO_FRAGMENT || proto == IPPROTO_AH;
}

/*
 * Walks the extension headers, so that ND cannot hide from the guard behind one. The walk ends at
 * the packet's end and reads no padding. A chain that goes on in a later fragment (RFC 7112 forbids
 * it) is dropped as truncated. Such frames are rare, so this is not inlined. 0, or a drop reason.
 */
static __noinline int parse_ipv6_extensions(struct __sk_buff *skb, struct frame *f)
{
	const __u32 end = f->end;
	struct ipv6_extension ext;

	for (int i = 0; i < IPV6_EXTENSIONS; i++) {
		if (!ipv6_is_extension(f->proto))
			break;
		if (f->l4 + sizeof(ext) > end || frame_read(skb, f->l4, &ext, sizeof(ext)))
			return drop(TSW_DROP_TRUNCATED);
		if (f->proto == IPPROTO_FRAGMENT)
			f->fragment = bpf_htons(f->l4 - f->base);
		if (f->proto == IPPROTO_FRAGMENT && ext.fragment & bpf_htons(IPV6_OFFSET)) {
			f->proto = IPPROTO_NONE;
			f->l4 = 0;
			return 0;
		}
		f->l4 += f->proto == IPPROTO_FRAGMENT ? 8
			 : f->proto == IPPROTO_AH     ? (ext.len + 2) * 4
						      : (ext.len + 1) * 8;
		f->proto = ext.next;
	}
	if (ipv6_is_extension(f->proto) || (f->proto != IPPROTO_NONE && f->l4 + UPPER_LEAST > end))
		return drop(TSW_DROP_TRUNCATED);
	return 0;
}

static __always_inline int parse_ipv6(struct __sk_buff *skb, struct frame *f)
{
	struct ipv6hdr *ip = frame_at(skb, f->base + ETH_HLEN, sizeof(*ip));
	int err;

	if (!ip || ip->version != 6 ||
	    ip_overruns(skb, f, sizeof(*ip) + bpf_ntohs(ip->payload_len), sizeof(*ip)))
		return drop(TSW_DROP_TRUNCATED);
	f->tos = ip->priority << 4 | ip->flow_lbl[0] >> 4;
	__builtin_memcpy(&f->src, &ip->saddr, sizeof(f->src));
	__builtin_memcpy(&f->dst, &ip->daddr, sizeof(f->dst));
	f->proto = ip->nexthdr;
	f->hop_limit = ip->hop_limit;
	f->l4 = f->base + ETH_HLEN + sizeof(*ip);
	if (ipv6_is_extension(f->proto)) {
		err = parse_ipv6_extensions(skb, f);
		if (err)
			return err;
	}
	return NEXT;
}

/* Reads the frame whose Ethernet header is at base. NEXT, or a drop reason. */
static __always_inline int parse_frame(struct __sk_buff *skb, __u32 base, struct frame *f)
{
	struct eth *eth = frame_at(skb, base, ETH_HLEN);

	if (!eth)
		return drop(TSW_DROP_TRUNCATED);
	*f = (struct frame){.eth = *eth, .proto = IPPROTO_NONE, .base = base};
	/* RFC 7348 section 6.1: no VLAN tag inside. A tag is in the octets, or beside them. */
	if (ethertype_is_vlan(f->eth.type) || (!base && skb->vlan_present))
		return drop(TSW_DROP_VLAN_TAGGED);
	if (f->eth.type == bpf_htons(ETH_P_IP))
		return parse_ipv4(skb, f);
	if (f->eth.type == bpf_htons(ETH_P_IPV6))
		return parse_ipv6(skb, f);
	return ethertype_is_llc(f->eth.type) ? llc_guard(skb, base + ETH_HLEN) : NEXT;
}

#endif
