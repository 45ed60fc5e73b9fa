/* SPDX-License-Identifier: GPL-2.0-only */
/* What an uplink brings: answers of flows that are leased, and who asks for an address. */
#ifndef TSW_BPF_FROM_WORLD_H
#define TSW_BPF_FROM_WORLD_H

#include <tsw/bpf/fast_world.h>
#include <tsw/bpf/speak.h>

/* All that the host itself receives comes by here, so cheap looks come first. */
static __always_inline int from_world(struct __sk_buff *skb, const struct tsw_config *cfg,
				      struct frame_id *id)
{
	int verdict = PASS;

	if (!cfg || !cfg->gateway || skb->pkt_type == PACKET_OTHERHOST || skb->vlan_present)
		return PASS;
	if (speak_may_be_asked(skb))
		verdict = tsw_speak(skb);
	if (verdict == REDIRECT)
		id->out = skb->ifindex;
	return verdict == PASS ? fast_from_world(skb, id) : verdict;
}

#endif
