// SPDX-License-Identifier: GPL-2.0-only
/*
 * MACs behind a port (`macs N`), both ways. Where a run would tell the programs what is behind the
 * port, or make them ask there, `alters` says so and the program does not run.
 */
#include "base/clock.h"
#include "base/text.h"
#include "trace/trace.h"

enum { ASKED_AFTER = 30 }; /* seconds that an address is silent */

static __u64 silence(__u64 seen)
{
	const __u64 now = clock_kernel_ns();

	return now > seen ? now - seen : 0;
}

/* May the frame's source have a place among the MACs behind the port? */
static bool admits(struct trace *tr, const struct tsw_inner *inner, __u32 most)
{
	const struct tsw_mac none = {}, service = TSW_SERVICE_MAC, *mac = &tr->frame.src;
	bool room = false;
	struct tsw_fdb at;
	__u32 i;

	if (trace_is_group(mac) || mac_equal(mac, &none) || mac_equal(mac, &service) ||
	    (trace_fdb(tr, tr->id, mac, &at) &&
	     (at.place != TSW_PLACE_PORT || at.id != tr->ifindex)))
		return false;
	for (i = 0; i < most && i < TSW_MACS; i++) {
		const struct tsw_inner_mac *place = &inner->mac[i];

		if (mac_equal(&place->mac, mac))
			return true;
		room = room || mac_equal(&place->mac, &none) ||
		       silence(place->seen) > TSW_INNER_SECONDS * SECOND_NS;
	}
	if (room)
		tr->alters = "a run would give the MAC a place behind the port";
	return room;
}

static const struct tsw_inner_addr *kept(const struct tsw_inner *inner, const struct tsw_addr *addr)
{
	const struct tsw_mac none = {};
	__u32 i;

	for (i = 0; i < TSW_INNER_ADDRS; i++)
		if (addr_equal(&inner->addr[i].addr, addr) &&
		    !mac_equal(&inner->addr[i].mac, &none))
			return &inner->addr[i];
	return NULL;
}

/* Does the frame tell the programs which MAC has its source address? */
static bool claims(struct trace *tr, const struct tsw_inner *inner)
{
	const struct trace_frame *f = &tr->frame;
	const struct tsw_inner_addr *at = kept(inner, &f->sip);
	struct tsw_mac owner;
	bool known;

	if (f->proto == TRACE_RAW || addr_is_none(&f->sip) || !f->sip.w[3] ||
	    (!trace_owns(tr, &f->sip, &known, &owner) && !(tr->port.flags & TSW_PORT_VIP)))
		return false;
	if (!at || !mac_equal(&at->mac, &f->src))
		tr->alters = "a run would tell the programs which MAC has the address";
	return true;
}

int trace_macs_from(struct trace *tr)
{
	const struct tsw_fdb_key who = {.tenant = tr->id, .mac = tr->port.mac};
	const struct tsw_mac service = TSW_SERVICE_MAC;
	struct tsw_inner inner = {};
	struct trace_frame *f = &tr->frame;
	bool claim;
	__u32 most;

	if (!(tr->port.flags & TSW_PORT_MACS) || !trace_have(tr, MAP_MACS, &who, &most))
		return TRACE_NEXT;
	trace_have(tr, MAP_INNER, &who, &inner);
	tr->behind = !mac_equal(&f->src, &tr->port.mac);
	if (tr->behind && !admits(tr, &inner, most)) {
		tr->behind = false;
		return TRACE_NEXT;
	}
	claim = claims(tr, &inner);
	if (tr->behind) {
		trace_step(tr, "macs",
			   TRACE_LOOK(MAP_INNER, trace_key(tr, mac_text(&tr->port.mac)),
				      mac_text(&f->src)),
			   "one of %u MACs behind the port: it leaves as %s", most,
			   mac_text(&tr->port.mac));
		f->src = tr->port.mac;
	}
	if (!claim || !mac_equal(&f->dst, &service) || addr_is_service(&f->dip) ||
	    (f->proto != TRACE_ARP && f->proto != TRACE_ND))
		return TRACE_NEXT;
	tr->alters = "a run would tell the programs which MAC has the address";
	return trace_finish(tr, TRACE_ANSWERED);
}

void trace_macs_to(struct trace *tr, const struct tsw_port *port)
{
	const struct tsw_fdb_key who = {.tenant = tr->id, .mac = port->mac};
	const struct tsw_addr_key key = {.tenant = tr->id, .addr = tr->frame.dip};
	const struct trace_frame *f = &tr->frame;
	const struct tsw_inner_addr *at;
	struct tsw_inner inner = {};
	struct tsw_addr_owner owner;
	__u32 most;

	if (!(port->flags & TSW_PORT_MACS) || f->proto == TRACE_RAW ||
	    !trace_have(tr, MAP_MACS, &who, &most))
		return;
	trace_have(tr, MAP_INNER, &who, &inner);
	at = kept(&inner, &f->dip);
	trace_step(tr, "macs",
		   TRACE_LOOK(MAP_INNER, trace_key(tr, addr_text(&f->dip)),
			      at ? mac_text(&at->mac) : NULL),
		   at ? "the MAC behind the port that has the address"
		      : "no MAC behind the port is known for the address");
	if (f->proto != TRACE_ARP && (!at || silence(at->seen) >= ASKED_AFTER * SECOND_NS) &&
	    trace_have(tr, MAP_ADDRS, &key, &owner) && trace_same_port(tr, &owner.mac, &port->mac))
		tr->alters = "a run would ask behind the port who has the address";
}
