/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers a frame that does not fit, at the place it came from. */
#ifndef TSW_BPF_PORT_SEND_BACK_H
#define TSW_BPF_PORT_SEND_BACK_H

#include "answer/too_big.h"
#include "gateway/enter.h"
#include "watch/flows.h"
#include "watch/points.h"

/* Sends the answer back to the port, or to the gateway as part of the same flow. */
static __always_inline int send_back(struct __sk_buff *skb, struct tsw_config *cfg,
				     struct frame_id *id)
{
	id->out = skb->ifindex;
	if (id->direction != TSW_DIR_FROM_GATEWAY)
		return deliver_answer(skb, cfg, id->tenant, skb->ifindex);
	return gateway_enter(skb, cfg, id, TSW_MARK_TENANT | (skb->mark & TSW_MARK_INDEX), 0);
}

/* Drops a frame that does not fit, and answers it if it may be answered. */
static __always_inline int send_too_big(struct __sk_buff *skb, struct tsw_config *cfg,
					struct frame_id *id, const struct frame *f, __u32 mtu)
{
	int verdict;

	/* Counted first, because the answer takes the frame's place. */
	count_drop(id, TSW_DROP_TOO_BIG);
	watch_dropped(skb, id, TSW_DROP_TOO_BIG);
	flow_end(id, TSW_DROP_TOO_BIG);
	verdict = too_big_answer(skb, f, mtu) ? send_back(skb, cfg, id) : CONSUMED;
	if (verdict < 0 || verdict == CONSUMED)
		return CONSUMED;
	count_answered(id->tenant, &id->size);
	return verdict;
}

#endif
