// SPDX-License-Identifier: GPL-2.0-only
/*
 * Of a container's root: what comes in on one device of the container goes to the host end of
 * another, TARGET, past the stack, with something written beside the frame. Compiled by the cases.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

SEC("tc")
int beside(struct __sk_buff *skb)
{
#ifdef PRIORITY
	skb->priority = PRIORITY;
#endif
#ifdef SECONDS /* not to be sent before; a flow of its own */
	bpf_set_hash(skb, bpf_get_prandom_u32());
	bpf_skb_set_tstamp(skb, bpf_ktime_get_ns() + SECONDS * 1000000000ULL,
			   BPF_SKB_TSTAMP_DELIVERY_MONO);
#endif
	return bpf_redirect_peer(TARGET, 0);
}
