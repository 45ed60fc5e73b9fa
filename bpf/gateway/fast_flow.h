/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares and reverses flows. */
#ifndef TSW_BPF_GATEWAY_FAST_FLOW_H
#define TSW_BPF_GATEWAY_FAST_FLOW_H

#include "gateway/fast.h"

/* The same flow in the other direction. */
static __always_inline void flow_turn(const struct tsw_flow_key *of, struct tsw_flow_key *to)
{
	to->tenant = of->tenant;
	to->src = of->dst;
	to->dst = of->src;
	to->sport = of->dport;
	to->dport = of->sport;
	to->proto = of->proto;
}

/* Reads the frame's addresses and ports. False: it is neither TCP nor UDP, or a fragment. */
static __always_inline bool flow_read(struct __sk_buff *skb, const struct frame *f,
				      struct tsw_flow_key *key)
{
	if ((f->proto != IPPROTO_TCP && f->proto != IPPROTO_UDP) || f->fragment || !f->l4)
		return false;
	key->tenant = 0;
	key->src = f->src;
	key->dst = f->dst;
	key->proto = f->proto;
	return !bpf_skb_load_bytes(skb, f->l4, &key->sport, 2 * sizeof(key->sport));
}

/* Is a the flow b in the other direction? */
static __always_inline bool flow_answers(const struct tsw_flow_key *a, const struct tsw_flow_key *b)
{
	return addr_equal(&a->src, &b->dst) && addr_equal(&a->dst, &b->src) &&
	       a->sport == b->dport && a->dport == b->sport && a->proto == b->proto;
}

#endif
