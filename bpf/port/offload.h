/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender may leave a checksum to the device: "sum from here on, write it there". A container with
 * a packet socket, or a guest, chooses both places. So it could have two octets written after the
 * check: of its source address, which the guard reads, or of its ports, by which the gateway and
 * the router's rules decide.
 *
 * So both places must lie in the upper layer, and the second after the octets that identify it. No
 * checksum that is left to a device is nearer (GRE's is at 4, UDP's at 6).
 */
#ifndef TSW_BPF_PORT_OFFLOAD_H
#define TSW_BPF_PORT_OFFLOAD_H

#include "core/kernel_skb.h"
#include "core/parse.h"

/*
 * Segmentation writes the length and the fragment offset of each packet again, and takes all octets
 * after the headers for payload. So a fragment, or octets after the end by the length field, would
 * leave as packets that no step here has seen. No stack sends such a super-frame. This is rare, so
 * it is not inlined, to save stack.
 */
static __noinline bool offload_cuts_unseen(struct __sk_buff *skb, const struct frame *f)
{
	if (frame_is_ip(f) && (f->fragment || f->end != skb->len))
		return true;
	return f->l4 && kernel_skb_cuts_before(skb, f->l4);
}

/* Nobody leaves checksums of ARP, ICMPv6 or later fragments to a device. */
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
