/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender may leave a checksum to the device: "sum from here on, write it there". A container with
 * a packet socket, or a guest, chooses both freely, and could have two octets written after they
 * were looked at: of its source address, which the guard reads, or of its ports, by which the
 * gateway and the router's rules decide. So both must lie in the upper layer, the place behind what
 * tells what it is; no checksum that is left to a device is nearer (GRE's at 4, UDP's at 6).
 */
#ifndef TSW_BPF_PORT_OFFLOAD_H
#define TSW_BPF_PORT_OFFLOAD_H

#include "core/kernel_skb.h"
#include "core/parse.h"

/*
 * Who cuts a super-frame writes the length and the fragment's offset of each packet anew, and takes
 * all octets behind the headers for payload. So a fragment, or what lies behind the end that the
 * length field tells, would leave as packets that no step here has seen. No stack sends such a
 * super-frame. Rare, so not inlined, for the stack.
 */
static __noinline bool offload_cuts_unseen(struct __sk_buff *skb, const struct frame *f)
{
	if (frame_is_ip(f) && (f->fragment || f->end != skb->len))
		return true;
	return f->l4 && kernel_skb_cuts_before(skb, f->l4);
}

/* ARP and ICMPv6 are never left to a device, nor are later fragments. */
static __always_inline int offload_guard(struct __sk_buff *skb, const struct frame *f)
{
	const int l4 = f->l4;
	const int at = kernel_skb_csum_at(skb);

	if (skb->gso_size && offload_cuts_unseen(skb, f))
		return drop(TSW_DROP_BAD_OFFLOAD);
	if (!at)
		return NEXT;
	if (f->eth.type == bpf_htons(ETH_P_ARP) || f->proto == IPPROTO_ICMPV6 || at < ETH_HLEN ||
	    (frame_is_ip(f) && (!l4 || at < l4 + UPPER_LEAST || kernel_skb_csum_start(skb) < l4)))
		return drop(TSW_DROP_BAD_OFFLOAD);
	return NEXT;
}

#endif
