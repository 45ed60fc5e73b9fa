/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On the host: delivers frames of the router or an uplink to a tenant's port, or sends them into
 * the tunnel.
 */
#ifndef TSW_BPF_GATEWAY_TO_TENANT_H
#define TSW_BPF_GATEWAY_TO_TENANT_H

#include "gateway/from_gateway.h"
#include "core/local_config.h"
#include "core/measure.h"
#include "gateway/home.h"
#include "gateway/router.h"
#include "port/receive.h"
#include "port/send_to_host.h"
#include "port/vip_ask.h"
#include "watch/points.h"

/* Delivers to a port here. The tenant's own MTU may be less than tsw-gw's. */
static __always_inline int from_gateway_port(struct __sk_buff *skb, struct tsw_config *cfg,
					     struct frame_id *id, const struct frame *f,
					     __u32 ifindex)
{
	struct tsw_tenant *tenant = tenant_get(id->tenant);
	int verdict;

	if (!tenant)
		return drop(TSW_DROP_UNKNOWN_TENANT);
	if (tenant->mtu && f->l3_len > tenant->mtu)
		return send_too_big(skb, cfg, id, f, tenant->mtu);
	verdict = port_receive(skb, cfg, id, f, ifindex, false);
	if (verdict >= 0)
		count_gateway(id->tenant, &id->size);
	return verdict;
}

/*
 * Delivers a frame of the router, or a leased one of an uplink. The mark says to which tenant. The
 * router asks by SLOT_ASKS who has a vip. Such a frame is not delivered, even if the vip has a
 * holder by now: the router has not judged it for that one.
 */
static __always_inline int from_gateway(struct __sk_buff *skb, struct tsw_config *cfg,
					struct frame_id *id, bool routed)
{
	__u32 mark = skb->mark;
	struct tsw_mark *to = mark_is_out(mark) ? mark_get(mark & TSW_MARK_INDEX) : NULL;
	struct way way = {};
	struct frame f;
	int verdict;

	if (!to)
		return drop(TSW_DROP_NOT_STAMPED);
	id->tenant = to->tenant;
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	frame_measure(skb, &f, &id->size);
	if (!frame_is_ip(&f))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	verdict = routed && skb->priority & SLOT_ASKS ? drop(TSW_DROP_UNKNOWN_DESTINATION)
						      : from_gateway_way(to, mark, &f, &way);
	if (verdict == drop(TSW_DROP_UNKNOWN_DESTINATION))
		return vip_ask(skb, id, &f);
	if (verdict != NEXT)
		return verdict;
	f.eth.src = way.src;
	f.eth.dst = way.dst;
	watch_begin(skb, id, &f);
	if ((mark & TSW_MARK_CLASS) == TSW_MARK_VOICE)
		verdict = from_gateway_voice(skb, id->tenant, &f);
	if (verdict != NEXT)
		return verdict;
	if (bpf_skb_store_bytes(skb, 0, &f.eth, 2 * TSW_MAC_LEN, 0))
		return drop(TSW_DROP_INTERNAL);
	if (way.to.place == TSW_PLACE_HOST)
		return send_to_host(skb, cfg, id, &f, way.to.id);
	if (routed)
		gateway_note_flow(skb, id->tenant, &f, 0);
	return from_gateway_port(skb, cfg, id, &f, way.to.id);
}

/* A frame from the router. */
static __always_inline int from_router(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_local(skb);

	if (!cfg || !crossing_take(skb, cfg))
		return drop(TSW_DROP_NOT_STAMPED);
	return from_gateway(skb, cfg, id, true);
}

/*
 * A frame that the host sends to tsw-gw: on the fast way to its port, on its way into the router,
 * or the host's own.
 */
static __always_inline int fast_gateway(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_local(skb);

	if (!cfg)
		return drop(TSW_DROP_NOT_STAMPED);
	if (stamp_has(skb, cfg, CROSSING_STAMP)) {
		stamp_take(skb, cfg, CROSSING_STAMP);
		return PASS;
	}
	if (mark_is_out(skb->mark) && stamp_take(skb, cfg, skb->mark))
		return from_gateway(skb, cfg, id, false);
	return tsw_host_sends(skb, id);
}

#endif
