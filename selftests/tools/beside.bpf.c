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
#if defined(SECONDS) || defined(ARRIVED)
	bpf_set_hash(skb, bpf_get_prandom_u32()); /* a flow of its own */
#endif
#ifdef SECONDS /* not to be sent before */
	bpf_skb_set_tstamp(skb, bpf_ktime_get_ns() + SECONDS * 1000000000ULL,
			   BPF_SKB_TSTAMP_DELIVERY_MONO);
#endif
#ifdef ARRIVED /* so many seconds from now, as if a device had noted it */
	skb->tstamp = bpf_ktime_get_ns() + ARRIVED * 1000000000ULL;
#endif
	return bpf_redirect_peer(TARGET, 0);
}
