/* SPDX-License-Identifier: GPL-2.0-only */
/* A frame from another host: who may send it, and which port gets it. */
#ifndef TSW_BPF_PORT_FROM_HOST_H
#define TSW_BPF_PORT_FROM_HOST_H

#include "answer/relay6.h"
#include "gateway/enter.h"
#include "port/flood.h"
#include "port/guard.h"
#include "port/move.h"
#include "port/receive.h"
#include "tunnel/underlay.h"

/* Learns link-local addresses of other hosts' endpoints. None takes one that is known here. */
static __always_inline int from_host_binding(const struct tunnel *t, const struct frame *f)
{
	if (!binding_may_be(&f->src) || tsw_binding_use(t->tenant, &f->eth.src, &f->src))
		return NEXT;
	return relay6_is_reply(t->tenant, f) ? NEXT : drop(TSW_DROP_SPOOFED_IP);
}

/*
 * Checks another host's frame: its source must be an endpoint that lives on that host or has just
 * moved there, or a gateway that may send from there.
 */
static __always_inline int from_host_guard(const struct tunnel *t, struct frame *f)
{
	bool may = underlay_lives_there(t, f);

	if (!may)
		may = f->gateway ? gateway_may_send(t->tenant, f, t->host)
				 : move_follow(t->tenant, &f->eth.src, t->host);
	if (!may)
		return drop(TSW_DROP_WRONG_HOST);
	if (mac_is_reserved(&f->eth.dst))
		return drop(TSW_DROP_RESERVED_MULTICAST);
	return f->eth.type == bpf_htons(ETH_P_IPV6) && !f->gateway ? from_host_binding(t, f) : NEXT;
}

/*
 * Delivers to the port where the destination lives. Never to another host, so there are no loops.
 */
static __always_inline int from_host_deliver(struct __sk_buff *skb, const struct tsw_config *cfg,
					     struct frame_id *id, struct frame *f, __u32 from,
					     bool exact)
{
	struct tsw_fdb *to;

	if (vip_may_speak(f) && !f->gateway && tsw_vip_take(skb, id->tenant, &f->eth.src, f))
		f->announces = FRAME_TAKES;
	if (mac_is_group(&f->eth.dst))
		return flood_from_host(skb, id, f);
	to = fdb_get(id->tenant, &f->eth.dst);
	if (!to || to->place == TSW_PLACE_HOST)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	if (to->place == TSW_PLACE_GATEWAY)
		return GATEWAY;
	if (f->gateway)
		gateway_note_flow(skb, id->tenant, f, from);
	return port_receive(skb, cfg, id, f, to->id, exact);
}

#endif
