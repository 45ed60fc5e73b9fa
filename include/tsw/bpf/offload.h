/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender may leave a checksum to the device: "sum from here on, write it there". A
 * container with a packet socket, or a guest, chooses both freely, and could have two octets
 * of its source address written after the guard has read it. So the place must lie
 * in the upper layer.
 */
#ifndef TSW_BPF_OFFLOAD_H
#define TSW_BPF_OFFLOAD_H

#include <bpf/bpf_core_read.h>

#include <tsw/bpf/parse.h>

#define CHECKSUM_PARTIAL 3 /* the kernel's, of include/linux/skbuff.h */

/* What is needed of the kernel's own, offsets from one start; found by name in its BTF. */
struct sk_buff {
	__u16 mac_header;
	__u8 ip_summed : 2;
	__u16 csum_start;
	__u16 csum_offset;
} __attribute__((preserve_access_index));

/* Linux 6.2. Set by the command before loading; without it the check is compiled away. */
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym __weak;
const volatile bool tsw_has_kern_ctx = false;

/* Where in the frame a checksum is still to be written; 0: nowhere, negative: before it. */
static __always_inline int offload_csum_at(struct __sk_buff *skb)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return 0;
	kskb = bpf_cast_to_kern_ctx(skb);
	if (BPF_CORE_READ_BITFIELD(kskb, ip_summed) != CHECKSUM_PARTIAL)
		return 0;
	return kskb->csum_start + kskb->csum_offset - kskb->mac_header;
}

/* ARP and ICMPv6 are never left to a device, nor are later fragments. */
static __always_inline int offload_guard(struct __sk_buff *skb, const struct frame *f)
{
	int at = offload_csum_at(skb);

	if (!at)
		return NEXT;
	if (f->eth.type == bpf_htons(ETH_P_ARP) || f->proto == IPPROTO_ICMPV6 ||
	    (frame_is_ip(f) && (!f->l4 || at < (int)f->l4)) || at < ETH_HLEN)
		return drop(TSW_DROP_BAD_OFFLOAD);
	return NEXT;
}

#endif
