/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's notes about a frame, beside its octets. A veth's other end notes the type again from
 * the octets (eth_type_trans()), but bpf_redirect_peer() keeps the old notes. So a program in the
 * container can write them, by another veth. Then the guard would read one thing, and the receiver
 * another.
 */
#ifndef TSW_BPF_PORT_METADATA_H
#define TSW_BPF_PORT_METADATA_H

#include "core/kernel_skb.h"
#include "core/parse.h"

/* Does the kernel's note of the type agree with the octets? */
static __always_inline bool metadata_has_type(struct __sk_buff *skb, __be16 type)
{
	__be16 noted = skb->protocol;

	if (bpf_ntohs(type) >= ETH_TYPE_LEAST)
		return noted == type;
	return bpf_ntohs(noted) < ETH_TYPE_LEAST; /* ETH_P_802_2, ETH_P_802_3 */
}

/*
 * Clears the notes that decide how the host sends a frame: class and band for the underlay's queues
 * (HTB, prio), the time before which fq holds the frame and later ones, the queue. The mark is set
 * later, where the frame goes on. docs/attacks.md lists all notes that may be set.
 *
 * A time without a type is the one of arrival, which the receiver may ask for (SO_TIMESTAMP). The
 * kernel clears that one where a device is to transmit the frame.
 */
static __always_inline void metadata_forget(struct __sk_buff *skb)
{
	skb->priority = 0;
	if (skb->tstamp_type)
		skb->tstamp = 0;
	skb->queue_mapping = 0;
	skb->tc_index = 0;
}

/* Checks the notes of an endpoint's frame. */
static __always_inline int metadata_guard(struct __sk_buff *skb, const struct frame *f)
{
	if (!metadata_has_type(skb, f->eth.type) || !kernel_skb_is_ethernet(skb))
		return drop(TSW_DROP_FORGED_METADATA);
	return NEXT;
}

#endif
