/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender may leave a checksum to the device: "sum from here on, write it there". A
 * container with a packet socket, or a guest, chooses both freely, and could have two octets
 * of its source address written after the guard has read it. So the place must lie
 * in the upper layer.
 */
#ifndef TSW_BPF_OFFLOAD_H
#define TSW_BPF_OFFLOAD_H

#include <tsw/bpf/kernel_skb.h>
#include <tsw/bpf/parse.h>

/* ARP and ICMPv6 are never left to a device, nor are later fragments. */
static __always_inline int offload_guard(struct __sk_buff *skb, const struct frame *f)
{
	int at = kernel_skb_csum_at(skb);

	if (!at)
		return NEXT;
	if (f->eth.type == bpf_htons(ETH_P_ARP) || f->proto == IPPROTO_ICMPV6 ||
	    (frame_is_ip(f) && (!f->l4 || at < (int)f->l4)) || at < ETH_HLEN)
		return drop(TSW_DROP_BAD_OFFLOAD);
	return NEXT;
}

#endif
