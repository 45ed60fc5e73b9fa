// SPDX-License-Identifier: GPL-2.0-only
/* The last step on this host: to a port. */
#include "base/text.h"
#include "trace/trace.h"

int trace_deliver(struct trace *tr, __u32 ifindex)
{
	struct tsw_port port = {};
	const char *name = trace_device_text(ifindex);
	__u32 device;
	int kind;

	if (!trace_have(tr, MAP_PORTS, &ifindex, &port) || port.tenant != tr->id) {
		trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "deliver",
			      TRACE_LOOK(MAP_PORTS, name, NULL),
			      "the destination's device is not a port of tenant %s",
			      quoted(tr->tenant.name));
		return trace_advise(tr, "tsw switch check, tsw switch repair");
	}
	trace_step(tr, "deliver", TRACE_LOOK(MAP_PORTS, name, trace_key(tr, mac_text(&port.mac))),
		   "a port of the tenant");
	if (!trace_have(tr, MAP_DEVICES, &ifindex, &device)) {
		trace_drop_at(tr, TSW_DROP_DEVICE_GONE, "deliver",
			      TRACE_LOOK(MAP_DEVICES, name, NULL),
			      "the device of the destination is gone");
		return trace_advise(
			tr, "tsw endpoint del, or tsw endpoint replace with the new device");
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
	trace_macs_to(tr, &port);
	tr->end.ifindex = ifindex;
	return trace_finish(tr, TRACE_DELIVERED);
}
