/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A frame that does not fit the tunnel is answered at the sender's port as a router would do it, in
 * the name of the frame's destination. The answer is ICMP fragmentation needed (RFC 792, RFC 1191)
 * or ICMPv6 packet too big (RFC 4443 section 3.2).
 *
 * Frames without DF are answered, too: a LAN cannot fragment, but the sender can.
 */
#ifndef TSW_BPF_ANSWER_TOO_BIG_H
#define TSW_BPF_ANSWER_TOO_BIG_H

#include "core/checksum.h"
#include "core/deliver.h"
#include "core/icmp.h"
#include "core/parse.h"

#define CSUM_MAX 512 /* the most that bpf_csum_diff() takes at once */

/* Headers of the answer. */
struct too_big4 {
	struct eth eth;
	struct iphdr ip;
	struct icmp_too_big icmp;
} __attribute__((packed, aligned(2)));

struct too_big6 {
	struct eth eth;
	struct ipv6hdr ip;
	struct icmp_too_big icmp;
} __attribute__((packed, aligned(2)));

/* The packet's head, which is saved while the room before it is made. */
#define HEAD_KEPT CSUM_CUT

/*
 * Cuts the packet to the quote and makes room for the answer's headers before it. A checksum that
 * the sender left to the device begins in the quoted part.
 */
static __always_inline int too_big_make_room(struct __sk_buff *skb, __u32 quote, __u32 headers)
{
	__u8 head[HEAD_KEPT];

	if (bpf_skb_change_tail(skb, ETH_HLEN + quote, 0) ||
	    bpf_skb_load_bytes(skb, ETH_HLEN, head, sizeof(head)) || csum_cut(skb) ||
	    bpf_skb_adjust_room(skb, headers + sizeof(head), BPF_ADJ_ROOM_MAC, 0) ||
	    bpf_skb_store_bytes(skb, ETH_HLEN + headers, head, sizeof(head), 0))
		return drop(TSW_DROP_TOO_BIG);
	return NEXT;
}

/* Sums len octets from off on. len is a constant, and a multiple of 4. */
static __always_inline int too_big_sum(struct __sk_buff *skb, __u32 off, __u32 len, __u32 *sum)
{
	void *at = frame_at(skb, off, len);

	if (!at)
		return drop(TSW_DROP_TOO_BIG);
	for (; len > CSUM_MAX; len -= CSUM_MAX, at += CSUM_MAX)
		*sum = bpf_csum_diff(NULL, 0, at, CSUM_MAX, *sum);
	*sum = bpf_csum_diff(NULL, 0, at, len, *sum);
	return NEXT;
}

/* IPv4 multicast and broadcast, IPv6 multicast. */
static __always_inline bool too_big_is_group(const struct frame *f)
{
	if (f->eth.type == bpf_htons(ETH_P_IP))
		return bpf_ntohl(f->dst.w[3]) >= 0xe0000000;
	return addr_is_v6_multicast(&f->dst);
}

/*
 * May the frame get no answer? ICMP errors, later fragments and frames to groups get none: RFC 1122
 * section 3.2.2, RFC 4443 section 2.4 (e). IPv6 would allow this one message to groups, but it
 * could not name its sender.
 */
static __always_inline bool too_big_is_mute(struct __sk_buff *skb, const struct frame *f)
{
	__u8 type = 0;

	if (!f->l4 || mac_is_group(&f->eth.dst) || too_big_is_group(f))
		return true;
	if (!frame_is_icmp(f))
		return false;
	bpf_skb_load_bytes(skb, f->l4, &type, sizeof(type));
	if (f->proto == IPPROTO_ICMPV6)
		return type < ICMPV6_INFORMATIONAL;
	return type == ICMP_DEST_UNREACH || type == ICMP_SOURCE_QUENCH || type == ICMP_REDIRECT ||
	       type == ICMP_TIME_EXCEEDED || type == ICMP_PARAMETERPROB;
}

/*
 * Computes the error's checksum. sum: of a pseudo-header, if any. Then come the error's own 8
 * octets and the quote.
 */
static __always_inline int too_big_checksum(struct __sk_buff *skb, __u32 off, __u32 quote,
					    __u32 sum, void *error)
{
	int verdict = too_big_sum(skb, off, quote, &sum);
	struct icmp_too_big *icmp = error;

	sum = bpf_csum_diff(NULL, 0, error, sizeof(*icmp), sum);
	icmp->check = csum_fold(sum);
	return verdict;
}

static __noinline int too_big_answer4(struct __sk_buff *skb, const struct frame *f, __u32 mtu)
{
	struct too_big4 a = {
		.eth = {.dst = f->eth.src, .src = f->eth.dst, .type = f->eth.type},
		.ip = {.version = 4,
		       .ihl = 5,
		       .tot_len = bpf_htons(sizeof(a.ip) + sizeof(a.icmp) + TSW_QUOTE4),
		       .ttl = 64,
		       .protocol = IPPROTO_ICMP,
		       .saddr = f->dst.w[3],
		       .daddr = f->src.w[3]},
		.icmp =
			{
				.type = ICMP_DEST_UNREACH,
				.code = ICMP_FRAG_NEEDED,
				.mtu = bpf_htonl(mtu),
			},
	};

	a.ip.check = ipv4_csum(&a.ip);
	if (too_big_make_room(skb, TSW_QUOTE4, sizeof(a) - ETH_HLEN) != NEXT ||
	    too_big_checksum(skb, sizeof(a), TSW_QUOTE4, 0, &a.icmp) != NEXT ||
	    bpf_skb_store_bytes(skb, 0, &a, sizeof(a), BPF_F_INVALIDATE_HASH))
		return drop(TSW_DROP_TOO_BIG);
	return NEXT;
}

static __noinline int too_big_answer6(struct __sk_buff *skb, const struct frame *f, __u32 mtu)
{
	const __u32 len = sizeof(struct icmp_too_big) + TSW_QUOTE6;
	struct too_big6 a = {
		.eth = {.dst = f->eth.src, .src = f->eth.dst, .type = f->eth.type},
		.ip = {.version = 6,
		       .payload_len = bpf_htons(len),
		       .nexthdr = IPPROTO_ICMPV6,
		       .hop_limit = 64},
		.icmp = {.type = ICMPV6_PKT_TOOBIG, .mtu = bpf_htonl(mtu)},
	};
	__u32 sum = ipv6_pseudo_sum(&f->dst, &f->src, len, IPPROTO_ICMPV6);

	__builtin_memcpy(&a.ip.saddr, &f->dst, sizeof(a.ip.saddr));
	__builtin_memcpy(&a.ip.daddr, &f->src, sizeof(a.ip.daddr));
	if (too_big_make_room(skb, TSW_QUOTE6, sizeof(a) - ETH_HLEN) != NEXT ||
	    too_big_checksum(skb, sizeof(a), TSW_QUOTE6, sum, &a.icmp) != NEXT ||
	    bpf_skb_store_bytes(skb, 0, &a, sizeof(a), BPF_F_INVALIDATE_HASH))
		return drop(TSW_DROP_TOO_BIG);
	return NEXT;
}

/*
 * Answers a frame longer than mtu, if it may be answered. The caller counts the frame as dropped
 * either way. True: the skb is the answer now.
 */
static __always_inline bool too_big_answer(struct __sk_buff *skb, const struct frame *f, __u32 mtu)
{
	__u32 l3_len = skb->len - ETH_HLEN;

	if (!frame_is_ip(f) || too_big_is_mute(skb, f))
		return false;
	if (f->eth.type == bpf_htons(ETH_P_IP))
		return l3_len >= TSW_QUOTE4 && too_big_answer4(skb, f, mtu) == NEXT;
	return l3_len >= TSW_QUOTE6 && !addr_is_zero(&f->src) &&
	       too_big_answer6(skb, f, mtu) == NEXT;
}

#endif
