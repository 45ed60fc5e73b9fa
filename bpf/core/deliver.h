/* SPDX-License-Identifier: GPL-2.0-only */
/* The last step on this host: into the container or VM behind a port. */
#ifndef TSW_BPF_CORE_DELIVER_H
#define TSW_BPF_CORE_DELIVER_H

#include <linux/if_packet.h>

#include "core/drop.h"
#include "watch/flow_note.h"
#include "port/limit.h"
#include "policy/step.h"
#include "core/port.h"
#include "core/stamp.h"

/*
 * Sends to a port of this tenant. exact: skb->protocol is the frame's own
 * ethertype. redirect_peer keeps that field, so a frame whose field still tells the
 * outer header's type must go by plain redirect: a veth's other end reads it anew. (A netkit's does
 * not; what is not IP tunnel/decap.h has told the kernel already.) So must what a netkit sends:
 * its program runs where the container transmits, and redirect_peer is for what is received.
 */
static __always_inline int deliver_to(struct __sk_buff *skb, const struct tsw_config *cfg,
				      const struct tsw_port *port, __u32 ifindex, bool exact)
{
	skb->mark = 0;
	if (exact && port->flags & TSW_PORT_PEER) {
		/*
		 * The host end has another MAC, so the kernel took it for someone else's. From
		 * the underlay it is the host's already.
		 */
		if (skb->pkt_type != PACKET_HOST)
			bpf_skb_change_type(skb, PACKET_HOST);
		bpf_redirect_peer(ifindex, 0);
		return REDIRECT;
	}
	stamp_set(skb, cfg, port->tenant, ifindex);
	bpf_redirect(ifindex, 0);
	return REDIRECT;
}

/* An answer that the switch gives by itself: not limited, nobody sent it. */
static __always_inline int deliver_answer(struct __sk_buff *skb, const struct tsw_config *cfg,
					  __u32 tenant, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	int refused = port_check(port, tenant, ifindex);

	if (refused)
		return refused;
	return deliver_to(skb, cfg, port, ifindex, !(port->flags & TSW_PORT_NETKIT));
}

/*
 * A frame of another endpoint, as fast as the port and its tenant may get them. judge: it did not
 * come from a port of this host, so its flow is noted and its tenant's policy asked here.
 */
static __always_inline int deliver(struct __sk_buff *skb, const struct tsw_config *cfg,
				   struct frame_id *id, const struct frame *judge, __u32 ifindex,
				   bool exact)
{
	struct tsw_port *port = port_get(ifindex);
	int refused = port_check(port, id->tenant, ifindex);

	if (refused)
		return refused;
	if (judge && port->flags & TSW_PORT_FLOWS)
		tsw_flow_note(skb, judge, id, ifindex);
	refused = judge && port->flags & TSW_PORT_POLICY ? tsw_policy(skb, judge, id) : NEXT;
	if (refused == NEXT)
		refused = limit(port, TSW_RATE_IN, id->size.bytes);
	if (refused != NEXT) {
		id->direction = TSW_DIR_TO_ENDPOINT;
		return refused;
	}
	id->out = ifindex;
	return deliver_to(skb, cfg, port, ifindex, exact);
}

#endif
