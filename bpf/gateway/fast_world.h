/* SPDX-License-Identifier: GPL-2.0-only */
/* The fast way back: the world's frames of a leased flow go from the uplink to the port. */
#ifndef TSW_BPF_GATEWAY_FAST_WORLD_H
#define TSW_BPF_GATEWAY_FAST_WORLD_H

#include "gateway/fast.h"
#include "core/fdb.h"
#include "core/measure.h"
#include "core/stats.h"
#include "port/receive.h"
#include "watch/points.h"

/*
 * Translates the frame. Its mark and id->out name the receiver. NEXT: the router's rules judge it.
 */
static __noinline int fast_translate(struct __sk_buff *skb, const struct tsw_config *cfg,
				     struct frame *f, struct frame_id *id)
{
	struct tsw_fast to;
	int verdict;

	if (!fast_find(skb, f, 0, cfg, &to))
		return NEXT;
	verdict = fast_write(skb, f, &to);
	if (verdict < 0)
		id->tenant = mark_tenant(to.mark & TSW_MARK_INDEX);
	if (verdict != REDIRECT)
		return verdict;
	skb->mark = to.mark;
	id->out = to.out;
	f->eth.src = to.hw_src;
	f->eth.dst = to.hw_dst;
	f->src = to.src; /* the addresses for the policy */
	f->dst = to.dst;
	return REDIRECT;
}

/*
 * Delivers to the port of the lease. NEXT: the lease has none, or the endpoint is gone or on
 * another host.
 */
static __noinline int fast_deliver(struct __sk_buff *skb, const struct tsw_config *cfg,
				   struct frame *f, struct frame_id *id)
{
	struct tsw_mark *whose = id->out ? mark_get(skb->mark & TSW_MARK_INDEX) : NULL;
	struct tsw_fdb *at = whose ? fdb_get(whose->tenant, &f->eth.dst) : NULL;
	int verdict;

	if (!at || at->place != TSW_PLACE_PORT || at->id != id->out)
		return NEXT;
	id->tenant = whose->tenant;
	id->direction = TSW_DIR_FROM_GATEWAY;
	watch_begin(skb, id, f);
	verdict = port_receive(skb, cfg, id, f, id->out, true);
	if (verdict >= 0)
		count_gateway(id->tenant, &id->size);
	return verdict;
}

/* Sends the frame on as if the router had sent it. tsw_fast_gateway finds the way. */
static __always_inline int fast_pass(struct __sk_buff *skb, const struct tsw_config *cfg,
				     struct frame_id *id)
{
	id->out = cfg->gateway;
	stamp_set(skb, cfg, skb->mark, cfg->gateway);
	bpf_redirect(cfg->gateway, 0);
	return REDIRECT;
}

/* NEXT: its flow has no lease. */
static __always_inline int fast_world(struct __sk_buff *skb, const struct tsw_config *cfg,
				      struct frame *f, struct frame_id *id)
{
	int verdict = fast_translate(skb, cfg, f, id);

	if (verdict != REDIRECT)
		return verdict;
	verdict = fast_deliver(skb, cfg, f, id);
	return verdict == NEXT ? fast_pass(skb, cfg, id) : verdict;
}

#endif
