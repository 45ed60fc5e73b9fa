/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel notes of a frame beside its octets. A veth's other end notes it anew from the
 * octets (eth_type_trans()); bpf_redirect_peer() takes it along as it is. So a program in the
 * container, on another veth of it, writes what it likes: the guard would read one thing, and who
 * gets the frame another.
 */
#ifndef TSW_BPF_PORT_METADATA_H
#define TSW_BPF_PORT_METADATA_H

#include "core/kernel_skb.h"
#include "core/parse.h"

/* What it is by the kernel's note must be what it is by its octets. */
static __always_inline bool metadata_has_type(struct __sk_buff *skb, __be16 type)
{
	__be16 noted = skb->protocol;

	if (bpf_ntohs(type) >= ETH_TYPE_LEAST)
		return noted == type;
	return bpf_ntohs(noted) < ETH_TYPE_LEAST; /* ETH_P_802_2, ETH_P_802_3 */
}

/*
 * What chooses how the host sends a frame: the class and the band that the underlay's queues look
 * for (HTB, prio), the time before which fq holds it, and others behind it, the queue. The mark is
 * set anew where the frame goes on. docs/attacks.md goes through all that may be set.
 */
static __always_inline void metadata_forget(struct __sk_buff *skb)
{
	skb->priority = 0;
	skb->tstamp = 0;
	skb->queue_mapping = 0;
	skb->tc_index = 0;
}

/* Of an endpoint's frame. */
static __always_inline int metadata_guard(struct __sk_buff *skb, const struct frame *f)
{
	if (!metadata_has_type(skb, f->eth.type) || !kernel_skb_is_ethernet(skb))
		return drop(TSW_DROP_FORGED_METADATA);
	return NEXT;
}

#endif
