/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the router to the world, by the uplink with the frame's source address or the one that
 * routes choose.
 */
#ifndef TSW_BPF_GATEWAY_TO_WORLD_H
#define TSW_BPF_GATEWAY_TO_WORLD_H

#include "gateway/crossing.h"
#include "gateway/uplink.h"

/* The device that routes choose; or a drop reason. */
static __noinline int uplink_for(struct __sk_buff *skb, const struct tsw_config *cfg,
				 const struct frame *f)
{
	struct uplink_way *w = uplink_find(skb, cfg, f, &f->dst);

	if (!w)
		return drop(TSW_DROP_INTERNAL);
	/* With the host's forwarding off the look-up gives no answer. */
	if (w->result == BPF_FIB_LKUP_RET_FWD_DISABLED)
		return uplink_default() ?: (__u32)drop(TSW_DROP_NO_UPLINK);
	if (!uplink_is_found(w) || !uplink_slot(w))
		return drop(TSW_DROP_NO_UPLINK);
	return w->fib.ifindex;
}

/* The kernel finds the next hop, as for the host's own frames by that device. */
static __always_inline int to_world(struct __sk_buff *skb, const struct tsw_config *cfg,
				    struct frame_id *id)
{
	const __u32 *own;
	struct frame f;
	int verdict, out = 0;

	if (!cfg)
		return drop(TSW_DROP_NOT_STAMPED);
	if (!crossing_take(skb, cfg))
		return crossing_refuse(skb);
	id->tenant = mark_tenant(skb->mark);
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	if (uplink_of(&f.dst))
		return drop(TSW_DROP_HOST_ADDRESS);
	own = uplink_of(&f.src);
	if (own)
		out = *own;
	if (!out)
		out = uplink_for(skb, cfg, &f);
	if (out < 0)
		return out;
	skb->mark = 0;
	id->out = out;
	bpf_redirect_neigh(out, NULL, 0, 0);
	return REDIRECT;
}

#endif
