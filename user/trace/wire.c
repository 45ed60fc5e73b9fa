// SPDX-License-Identifier: GPL-2.0-only
/* The steps of tsw_from_wire, for a frame from another host. */
#include <string.h>

#include "base/text.h"
#include "record/tenant_find.h"
#include "trace/trace.h"

static int walk_trust(struct trace *tr)
{
	__u32 host;

	trace_step(tr, "outer",
		   TRACE_LOOK(MAP_TENANTS, tr->tenant.name, encap_text(tr->tenant.encap)),
		   "as the other host would send it: id %u", tr->id);
	if (trace_have(tr, MAP_VTEPS, &tr->outer.src, &host) && host == tr->host) {
		trace_step(tr, "trust",
			   TRACE_LOOK(MAP_VTEPS, addr_text(&tr->outer.src),
				      trace_host_text(tr, host)),
			   "one of the hosts");
		return TRACE_NEXT;
	}
	trace_drop_at(tr, TSW_DROP_UNKNOWN_HOST, "trust",
		      TRACE_LOOK(MAP_VTEPS, addr_text(&tr->outer.src), NULL),
		      "%s is not a host's address", addr_text(&tr->outer.src));
	return trace_advise(tr, "tsw switch check; tsw host set");
}

/* The inner source must live on the host that the frame is from. */
static int walk_guard(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_fdb at;
	const bool known = trace_fdb(tr, tr->id, &f->src, &at);
	const bool gateway = !known || at.place == TSW_PLACE_GATEWAY;
	const bool ok = gateway ? trace_gateway_may_send(tr)
				: at.place == TSW_PLACE_HOST && at.id == tr->host;
	const struct trace_look look = TRACE_LOOK(MAP_FDB, trace_key(tr, mac_text(&f->src)),
						  known ? trace_fdb_text(tr, &at) : NULL);

	if (ok) {
		trace_step(tr, "guard", look, "the source may come from there");
		return TRACE_NEXT;
	}
	trace_drop_at(tr, TSW_DROP_WRONG_HOST, "guard", look, "%s does not live at %s",
		      mac_text(&f->src), trace_host_text(tr, tr->host));
	return trace_advise(tr, "if it has moved, on this host: tsw endpoint set NAME host HOST");
}

/* A link-local source may not be another endpoint's. */
static int walk_shown(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac owner;
	struct tsw_fdb at;

	if (!trace_may_be_shown(&f->sip) || !trace_fdb(tr, tr->id, &f->src, &at) ||
	    at.place == TSW_PLACE_GATEWAY || !trace_neighbour(tr, tr->id, &f->sip, &owner) ||
	    mac_equal(&owner, &f->src))
		return TRACE_NEXT;
	return trace_drop_at(
		tr, TSW_DROP_SPOOFED_IP, "guard",
		TRACE_LOOK(MAP_BINDINGS, trace_key(tr, addr_text(&f->sip)), mac_text(&owner)),
		"%s is the address of another endpoint, %s", addr_text(&f->sip), mac_text(&owner));
}

/* KNOWN: an endpoint has the destination's MAC, but lives on another host, AT. */
static int unknown(struct trace *tr, bool known, const struct tsw_fdb *at)
{
	const char *mac = mac_text(&tr->frame.dst), *host = known ? trace_fdb_text(tr, at) : NULL;
	const struct trace_look look = TRACE_LOOK(MAP_FDB, trace_key(tr, mac), host);

	if (known) {
		trace_drop_at(
			tr, TSW_DROP_UNKNOWN_DESTINATION, "look_up", look,
			"it lives on another host, and frames from the wire are never sent on");
		return trace_advise(tr,
				    "if it lives here: tsw endpoint set NAME dev DEV; else the "
				    "sender's host is wrong and should send to %s",
				    host);
	}
	trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "look_up", look,
		      "tenant %s has no endpoint with MAC %s here", quoted(tr->tenant.name), mac);
	return trace_advise(tr, "tsw endpoint add here, with mac %s and dev", mac);
}

int trace_from_wire(struct trace *tr)
{
	struct tsw_fdb to;
	bool known;
	int kind;

	tr->end.direction = TSW_DIR_FROM_TUNNEL;
	kind = walk_trust(tr);
	if (kind == TRACE_NEXT)
		kind = walk_guard(tr);
	if (kind == TRACE_NEXT)
		kind = trace_reserved(tr);
	if (kind == TRACE_NEXT)
		kind = walk_shown(tr);
	if (kind != TRACE_NEXT)
		return kind;
	trace_vip_take(tr);
	if (trace_is_group(&tr->frame.dst)) {
		kind = trace_policy(tr, tr->tenant.flags & TSW_TENANT_POLICY);
		return kind == TRACE_NEXT ? trace_flood(tr) : kind;
	}
	known = trace_fdb(tr, tr->id, &tr->frame.dst, &to);
	if (!known || to.place == TSW_PLACE_HOST)
		return unknown(tr, known, &to);
	trace_step(tr, "look_up",
		   TRACE_LOOK(MAP_FDB, trace_key(tr, mac_text(&tr->frame.dst)),
			      trace_fdb_text(tr, &to)),
		   "found");
	return to.place == TSW_PLACE_GATEWAY ? trace_wire_gateway(tr) : trace_deliver(tr, to.id);
}
