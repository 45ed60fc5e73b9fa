// SPDX-License-Identifier: GPL-2.0-only
/* The last step on this host: to a port. */
#include "base/text.h"
#include "trace/trace.h"

int trace_deliver(struct trace *tr, __u32 ifindex)
{
	struct tsw_port port = {};
	bool ours = trace_have(tr, MAP_PORTS, &ifindex, &port) && port.tenant == tr->id;
	__u32 device;
	int kind;

	trace_step(tr, "deliver",
		   TRACE_LOOK(MAP_PORTS, trace_device_text(ifindex),
			      ours ? trace_key(tr, mac_text(&port.mac)) : NULL),
		   "%s", ours ? "a port of the tenant" : "unknown_destination");
	if (!ours) {
		trace_drop(tr, TSW_DROP_UNKNOWN_DESTINATION,
			   "the destination's device is not a port of tenant %s",
			   quoted(tr->tenant.name));
		trace_advise(tr, "tsw switch check, tsw switch repair");
		return TRACE_DROPPED;
	}
	if (!trace_have(tr, MAP_DEVICES, &ifindex, &device)) {
		trace_step(tr, "deliver", TRACE_LOOK(MAP_DEVICES, trace_device_text(ifindex), NULL),
			   "device_gone");
		trace_drop(tr, TSW_DROP_DEVICE_GONE, "the device of the destination is gone");
		trace_advise(tr, "tsw endpoint del, or tsw endpoint replace with the new device");
		return TRACE_DROPPED;
	}
	/* Frames from a port of this host were judged at that port. */
	kind = tr->end.direction == TSW_DIR_FROM_ENDPOINT
		       ? TRACE_NEXT
		       : trace_policy(tr, port.flags & TSW_PORT_POLICY);
	if (kind == TRACE_DROPPED)
		tr->end.direction = TSW_DIR_TO_ENDPOINT;
	if (kind == TRACE_NEXT)
		kind = trace_limit(tr, &port, TSW_RATE_IN);
	if (kind != TRACE_NEXT)
		return kind;
	tr->end.ifindex = ifindex;
	return trace_finish(tr, TRACE_DELIVERED);
}
