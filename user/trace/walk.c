// SPDX-License-Identifier: GPL-2.0-only
/* The steps of tsw_from_port, each with the entry that decided it. */
#include <string.h>

#include "base/text.h"
#include "trace/trace.h"

static int walk_port(struct trace *tr)
{
	const __u32 ifindex = tr->from.at.id;
	const char *name = trace_device_text(ifindex);
	__u32 device;

	if (!trace_have(tr, MAP_PORTS, &ifindex, &tr->port))
		return trace_drop_at(tr, TSW_DROP_UNKNOWN_PORT, "port",
				     TRACE_LOOK(MAP_PORTS, name, NULL),
				     "the device is not a port of the switch");
	trace_step(tr, "port", TRACE_LOOK(MAP_PORTS, name, trace_key(tr, mac_text(&tr->port.mac))),
		   "sends as tenant %s", quoted(tr->tenant.name));
	if (trace_have(tr, MAP_DEVICES, &ifindex, &device))
		return TRACE_NEXT;
	trace_step(tr, "port", TRACE_LOOK(MAP_DEVICES, name, NULL), "the device is gone");
	snprintf(tr->why, sizeof(tr->why),
		 "the device of endpoint %s is gone, or was moved to another namespace",
		 quoted(tr->from.key.name.s));
	trace_advise(tr, "%s dev DEV, or tsw endpoint del", trace_endpoint_set(tr));
	return trace_finish(tr, TRACE_UNSENT);
}

static int guard_mac(struct trace *tr)
{
	const char *mac = mac_text(&tr->port.mac), *src = mac_text(&tr->frame.src);
	const struct trace_look look =
		TRACE_LOOK(MAP_PORTS, trace_device_text(tr->from.at.id), mac);

	if (mac_equal(&tr->frame.src, &tr->port.mac)) {
		trace_step(tr, "guard", look, "the source MAC is the port's");
		return TRACE_NEXT;
	}
	trace_drop_at(tr, TSW_DROP_SPOOFED_MAC, "guard", look,
		      "it sends as %s, but its port has %s", src, mac);
	return trace_advise(tr,
			    "if the container has that MAC: %s mac %s; if a bridge or macvlan in "
			    "it has: %s macs N",
			    trace_endpoint_set(tr), src, trace_endpoint_set(tr));
}

/* Also guards the sender's address in ARP. */
static int guard_ip(struct trace *tr)
{
	const struct tsw_addr *ip = &tr->frame.sip;
	struct tsw_mac owner, holder;
	bool known, ok = trace_owns(tr, ip, &known, &owner);
	const struct trace_look look =
		TRACE_LOOK(trace_owner_map(tr, ip), trace_key(tr, addr_text(ip)),
			   known ? mac_text(&owner) : NULL);

	if (ok) {
		trace_step(tr, "guard", look,
			   known ? "the source address is the port's"
			   : tr->port.flags & TSW_PORT_GUARD_IP
				   ? "a link-local address that no endpoint has"
				   : "a port without listed addresses may use any that no endpoint "
				     "has");
		return TRACE_NEXT;
	}
	if (trace_is_vip(tr, ip, &holder))
		return trace_vip_take(tr) ? TRACE_NEXT : trace_vip_spoofed(tr);
	if (known)
		return trace_drop_at(tr, TSW_DROP_SPOOFED_IP, "guard", look,
				     "%s is the address of another endpoint, %s", addr_text(ip),
				     mac_text(&owner));
	trace_drop_at(tr, TSW_DROP_SPOOFED_IP, "guard", look, "%s is not listed for endpoint %s",
		      addr_text(ip), quoted(tr->from.key.name.s));
	return trace_advise(tr, "%s", trace_endpoint_ips(tr, ip));
}

static int walk_guard(struct trace *tr)
{
	int kind = guard_mac(tr);

	if (kind == TRACE_NEXT)
		kind = trace_reserved(tr);
	if (kind != TRACE_NEXT)
		return kind;
	/* A probe has no sender yet. */
	if (tr->frame.proto == TRACE_RAW || (tr->frame.proto == TRACE_ARP && !tr->frame.sip.w[3]))
		return TRACE_NEXT;
	/* A client may ask for an address that it no longer has. */
	if (trace_asks_dhcp(&tr->frame) && addr_is_v4(&tr->frame.dip))
		kind = trace_dhcp(tr);
	return kind == TRACE_NEXT && !tr->relayed ? guard_ip(tr) : kind;
}

/* ARP and ND are answered if the answer is known and not the asker's own. */
static int walk_neighbour(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac owner;
	bool known, answered;

	if (f->proto != TRACE_ARP && f->proto != TRACE_ND)
		return TRACE_NEXT;
	if (trace_service(tr, &f->dip, &owner)) {
		trace_step(tr, "neighbour",
			   TRACE_LOOK(MAP_TENANTS, tr->tenant.name, mac_text(&owner)),
			   "the switch's own address: answered at the port");
		return trace_finish(tr, TRACE_ANSWERED);
	}
	known = !trace_is_free_vip(tr, &f->dip) && trace_neighbour(tr, tr->id, &f->dip, &owner);
	answered = known && !mac_equal(&owner, &tr->port.mac) && !trace_vip_probe(tr);
	trace_step(tr, "neighbour",
		   TRACE_LOOK(trace_owner_map(tr, &f->dip), trace_key(tr, addr_text(&f->dip)),
			      known ? mac_text(&owner) : NULL),
		   "%s",
		   answered ? "answered at the port"
		   : known && mac_equal(&owner, &tr->port.mac)
			   ? "the sender's own address: forwarded"
		   : known ? "a probe of a member: its holder answers"
			   : "no endpoint has it: forwarded");
	return answered ? trace_finish(tr, TRACE_ANSWERED) : TRACE_NEXT;
}

static int unknown_mac(struct trace *tr, const struct tsw_mac *mac)
{
	trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "look_up",
		      TRACE_LOOK(MAP_FDB, trace_key(tr, mac_text(mac)), NULL),
		      "tenant %s has no endpoint with MAC %s here", quoted(tr->tenant.name),
		      mac_text(mac));
	return trace_advise(tr,
			    "tsw endpoint add on this host too, with mac %s; or it is a stale"
			    " neighbour entry of the sender",
			    mac_text(mac));
}

/* A MAC without an endpoint may be the one by which the switch answers. */
static int walk_service(struct trace *tr, const struct tsw_mac *mac)
{
	struct tsw_mac service;

	if (trace_service(tr, &tr->frame.dip, &service) && mac_equal(mac, &service) &&
	    trace_answers_dns(tr))
		return trace_finish(tr, TRACE_ANSWERED);
	return unknown_mac(tr, mac);
}

static int own_mac(struct trace *tr, const struct tsw_mac *mac, const struct tsw_fdb *at)
{
	return trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "look_up",
			     TRACE_LOOK(MAP_FDB, trace_key(tr, mac_text(mac)),
					trace_fdb_text(tr, at)),
			     "%s is the sender's own port", mac_text(mac));
}

/* A packet to the gateway's MAC and an endpoint's address is routed at the port, to *MAC. */
static bool walk_inside(struct trace *tr, struct tsw_mac *mac)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_mac owner;

	if (!trace_is_ip(f) || !trace_owner(tr, tr->id, &f->dip, &owner) ||
	    mac_equal(&owner, &f->dst))
		return false;
	trace_step(tr, "inside",
		   TRACE_LOOK(trace_owner_map(tr, &f->dip), trace_key(tr, addr_text(&f->dip)),
			      mac_text(&owner)),
		   "an endpoint of the tenant: routed at the port");
	*mac = owner;
	return true;
}

/* Drops packets that must not be routed. */
static int guard_inside(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;

	if (trace_is_link_local(&f->dip) || trace_is_link_local(&f->sip))
		return trace_drop(tr, TSW_DROP_HOST_ADDRESS, "a link-local address is not routed");
	return TRACE_NEXT;
}

static int walk_forward(struct trace *tr)
{
	struct tsw_mac mac = tr->frame.dst;
	struct tsw_fdb to = {};
	bool routed = false;
	int kind = TRACE_NEXT;
	__u32 host;

	if (trace_is_group(&mac))
		return trace_flood(tr);
	if (!trace_fdb(tr, tr->id, &mac, &to))
		return walk_service(tr, &mac);
	if (to.place == TSW_PLACE_GATEWAY && trace_is_ip(&tr->frame) &&
	    trace_is_free_vip(tr, &tr->frame.dip))
		return trace_vip_ask(tr);
	if (to.place == TSW_PLACE_GATEWAY) {
		routed = walk_inside(tr, &mac);
		if (routed && !trace_fdb(tr, tr->id, &mac, &to))
			return unknown_mac(tr, &mac);
	}
	if (to.place == TSW_PLACE_PORT && to.id == tr->from.at.id)
		return own_mac(tr, &mac, &to);
	if (routed)
		kind = guard_inside(tr);
	if (kind != TRACE_NEXT)
		return kind;
	trace_step(tr, "look_up",
		   TRACE_LOOK(MAP_FDB, trace_key(tr, mac_text(&mac)), trace_fdb_text(tr, &to)),
		   "found");
	host = to.id;
	if (!routed && to.place == TSW_PLACE_GATEWAY)
		kind = trace_port_gateway(tr, &host);
	if (kind != TRACE_NEXT)
		return kind;
	return to.place == TSW_PLACE_PORT ? trace_deliver(tr, to.id) : trace_send(tr, host);
}

int trace_from_port(struct trace *tr)
{
	/* Of the frame as it is sent. */
	const struct tsw_mac src = tr->frame.src, dst = tr->frame.dst;
	int kind;

	tr->relayed = false;
	tr->end.direction = TSW_DIR_FROM_ENDPOINT;
	kind = walk_port(tr);
	if (kind == TRACE_NEXT)
		kind = trace_macs_from(tr);
	if (kind == TRACE_NEXT)
		kind = walk_guard(tr);
	if (kind == TRACE_NEXT)
		kind = walk_neighbour(tr);
	if (kind == TRACE_NEXT && trace_asks_dhcp(&tr->frame) && !addr_is_v4(&tr->frame.dip))
		kind = trace_dhcp(tr);
	if (kind == TRACE_NEXT)
		kind = trace_dhcp_server(tr);
	if (kind == TRACE_NEXT)
		kind = trace_limit(tr, &tr->port, TSW_RATE_OUT);
	if (kind == TRACE_NEXT)
		kind = trace_policy(tr, tr->port.flags & TSW_PORT_POLICY);
	if (kind == TRACE_NEXT)
		kind = walk_forward(tr);
	tr->frame.src = src;
	tr->frame.dst = dst;
	return kind;
}
