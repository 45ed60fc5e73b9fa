/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The points where `monitor` and `capture` see a frame of a tc program: as it comes, each copy, the
 * rule that decides, and its end. The functions that do the work are global and cold: the verifier
 * goes through each once.
 */
#ifndef TSW_BPF_WATCH_POINTS_H
#define TSW_BPF_WATCH_POINTS_H

#include "policy/maps.h"
#include "watch/watchers.h"

__noinline int tsw_watch_in(struct __sk_buff *skb, struct frame_id *id, const struct eth *eth)
{
	struct tsw_event event = {
		.point = TSW_POINT_IN, .ifindex = skb->ifindex, .length = skb->len};

	if (id && eth)
		watch_in(skb, id, eth, &event);
	return 0;
}

/* Reports the frame's end (enum tsw_end), or a copy of it. */
__noinline int tsw_watch_out(struct __sk_buff *skb, const struct frame_id *id, __u32 point,
			     __u32 end, __u32 ifindex)
{
	struct tsw_event event = {
		.point = point, .end = end, .ifindex = ifindex, .length = skb->len};

	if (id)
		watch_out(skb, id, &event);
	return 0;
}

/*
 * The device to report. For one in the router's namespace it is the end in the switch's namespace.
 */
static __always_inline __u32 watch_device(struct __sk_buff *skb, const struct frame_id *id)
{
	const volatile __u32 ifindex =
		skb->ifindex; /* read once: clang 14 would read it in parts */
	const struct tsw_config *cfg = id && id->in_router ? config_get() : NULL;

	if (!cfg)
		return ifindex;
	return ifindex == TSW_ROUTER_UPLINK ? cfg->uplink : cfg->gateway;
}

/* The slots of watchers that hear of a drop, as bits. */
__noinline __u32 tsw_watch_slots(const struct frame_id *id)
{
	return id ? watch_drop_slots(id) : 0;
}

/*
 * Reports a drop, or a rule's decision (TSW_POINT_RULE). A function of its own, because the
 * verifier would go through it for each choice of slots.
 */
__noinline int tsw_watch_drop(struct __sk_buff *skb, const struct frame_id *id, __u32 reason,
			      __u32 point, __u32 slots)
{
	struct tsw_event event = {.point = point,
				  .reason = reason,
				  .ifindex = watch_device(skb, id),
				  .length = skb->len,
				  .rule = policy_number(reason, point)};

	if (id)
		watch_report(skb, id, slots, &event);
	return 0;
}

/* In a flood watchers hear of few drops. */
static __always_inline void watch_drop(struct __sk_buff *skb, const struct frame_id *id,
				       enum tsw_drop reason, enum tsw_point point)
{
	struct tsw_watch *watch = watch_get();
	__u32 slots = watch && watch->drops ? tsw_watch_slots(id) : 0;

	if (slots)
		tsw_watch_drop(skb, id, reason, point, slots);
}

/* The frame's tenant is known, and nothing has changed yet. */
static __always_inline void watch_begin(struct __sk_buff *skb, struct frame_id *id,
					const struct frame *f)
{
	struct tsw_watch *watch = watch_get();

	if (watch && watch->frames)
		tsw_watch_in(skb, id, &f->eth);
}

/* A rule, or the default, has decided. reason: why audit mode would have dropped the frame. */
static __always_inline void watch_rule(struct __sk_buff *skb, const struct frame_id *id,
				       enum tsw_drop reason)
{
	watch_drop(skb, id, reason, TSW_POINT_RULE);
}

/* A copy was sent. */
static __always_inline void watch_copy(struct __sk_buff *skb, const struct frame_id *id,
				       __u32 ifindex)
{
	if (id->watched)
		tsw_watch_out(skb, id, TSW_POINT_COPY, TSW_END_COPIED, ifindex);
}

static __always_inline void watch_dropped(struct __sk_buff *skb, const struct frame_id *id,
					  enum tsw_drop reason)
{
	watch_drop(skb, id, reason, TSW_POINT_DROP);
}

/* The end of a program, with its verdict. */
static __always_inline void watch_end(struct __sk_buff *skb, const struct frame_id *id, int verdict)
{
	enum tsw_end end = TSW_END_COPIED;

	if (verdict < 0) {
		watch_dropped(skb, id, -verdict);
		return;
	}
	if (!id->watched)
		return;
	if (verdict == PASS || verdict == UP)
		end = TSW_END_STACK;
	else if (verdict == REDIRECT)
		end = id->out == skb->ifindex ? TSW_END_ANSWERED : TSW_END_SENT;
	tsw_watch_out(skb, id, TSW_POINT_OUT, end, id->out);
}

#endif
