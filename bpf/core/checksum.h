/* SPDX-License-Identifier: GPL-2.0-only */
/* The Internet checksum (RFC 1071) of packets that the switch writes itself. */
#ifndef TSW_BPF_CORE_CHECKSUM_H
#define TSW_BPF_CORE_CHECKSUM_H

#include <linux/ip.h>

#include "core/base.h"

static __always_inline __u16 csum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/*
 * The checksum of an IPv4 header without options. With the check field zero it is the value to
 * write; with the right value in it the result is 0.
 */
static __always_inline __u16 ipv4_csum(const void *ip)
{
	const __u16 *words = ip;
	__u32 sum = 0;

	_Pragma("unroll") for (int i = 0; i < 10; i++) sum += words[i];
	return csum_fold(sum);
}

#define CSUM_CUT 68

/*
 * Removes CSUM_CUT octets after the Ethernet header, in two cuts. By the cuts the kernel forgets a
 * checksum that the sender left to the device, which looks at the second one. Otherwise a device
 * would write it into the new octets. 0, or an error.
 */
static __always_inline int csum_cut(struct __sk_buff *skb)
{
	return bpf_skb_adjust_room(skb, 4 - CSUM_CUT, BPF_ADJ_ROOM_MAC, 0)
		       ?: bpf_skb_adjust_room(skb, -4, BPF_ADJ_ROOM_MAC, 0);
}

/* Sum of an IPv6 pseudo-header (RFC 8200 section 8.1). */
static __always_inline __u32 ipv6_pseudo_sum(const struct tsw_addr *src, const struct tsw_addr *dst,
					     __u32 len, __u8 proto)
{
	__be32 tail[2] = {bpf_htonl(len), bpf_htonl(proto)};
	__u32 sum = bpf_csum_diff(NULL, 0, (__be32 *)src, sizeof(*src), 0);

	sum = bpf_csum_diff(NULL, 0, (__be32 *)dst, sizeof(*dst), sum);
	return bpf_csum_diff(NULL, 0, tail, sizeof(tail), sum);
}

#endif
