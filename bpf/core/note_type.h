/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the kernel note the Ethernet type of a frame's octets. */
#ifndef TSW_BPF_CORE_NOTE_TYPE_H
#define TSW_BPF_CORE_NOTE_TYPE_H

#include <linux/if_ether.h>

#include "core/drop.h"

/*
 * The kernel reads the type when it takes a tag out of the octets. So two tags are put on:
 * skb_vlan_push() writes the first into the octets when the second comes.
 */
static __always_inline int note_type(struct __sk_buff *skb)
{
	const __be16 tag = bpf_htons(ETH_P_8021Q);

	if (bpf_skb_vlan_push(skb, tag, 0) || bpf_skb_vlan_push(skb, tag, 0) ||
	    bpf_skb_vlan_pop(skb) || bpf_skb_vlan_pop(skb))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

#endif
