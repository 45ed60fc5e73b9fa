/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends a frame into the tunnel to another host, or answers that it does not fit. */
#ifndef TSW_BPF_PORT_SEND_TO_HOST_H
#define TSW_BPF_PORT_SEND_TO_HOST_H

#include "core/hash.h"
#include "tunnel/hop.h"
#include "port/send_back.h"
#include "tunnel/send.h"

/* Sends the frame to another host. */
static __noinline int send_to_host(struct __sk_buff *skb, struct tsw_config *cfg,
				   struct frame_id *id, const struct frame *f, __u32 host_id)
{
	struct outer o = {.tenant = id->tenant, .tos = f->tos};
	struct tsw_hop *hop;
	int verdict;
	__u32 mtu;

	if (!tunnel_outer(&o, cfg, host_id))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	o.hash = flow_hash(skb, f);
	hop = hop_of(&o);
	verdict = hop_get(skb, cfg, &o, hop);
	if (verdict != NEXT)
		return verdict;
	mtu = tunnel_mtu(&o, hop->mtu);
	if (f->l3_len > mtu)
		return send_too_big(skb, cfg, id, f, mtu);
	if (!outer_fits(skb, &o))
		return drop(TSW_DROP_TOO_BIG);
	verdict = tunnel_send(skb, cfg, id, f, &o);
	if (verdict >= 0 && id->direction == TSW_DIR_FROM_GATEWAY)
		count_gateway(id->tenant, &id->size);
	return verdict;
}

#endif
