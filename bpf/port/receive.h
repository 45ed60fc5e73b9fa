/* SPDX-License-Identifier: GPL-2.0-only */
/* Delivers frames to a port: notes their flow, and asks policy and limits. */
#ifndef TSW_BPF_PORT_RECEIVE_H
#define TSW_BPF_PORT_RECEIVE_H

#include "core/deliver.h"
#include "policy/step.h"
#include "port/limit.h"
#include "watch/flow_note.h"

/*
 * Delivers an endpoint's or gateway's frame, if the limits of the port and its tenant allow. judge:
 * the frame did not come from a port of this host, so its flow is noted here, and the tenant's
 * policy is asked. For other frames the sender's port has done both.
 */
static __always_inline int port_receive(struct __sk_buff *skb, const struct tsw_config *cfg,
					struct frame_id *id, const struct frame *judge,
					__u32 ifindex, bool exact)
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
