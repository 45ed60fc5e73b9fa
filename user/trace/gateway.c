// SPDX-License-Identifier: GPL-2.0-only
/* The way into the router: the host that serves the flow, the sender, and the mark. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/gateway_find.h"
#include "trace/trace.h"

/* Which host's gateway serves a flow: one of these, or the index of another host. */
enum home {
	HOME_CONNTRACK = -1, /* this host if its conntrack has the flow, else another */
	HOME_THIS_HOST,
};

static bool drains(const struct tsw_gateway *gw, __u64 grace)
{
	return gw->drain_until && clock_kernel_ns() < gw->drain_until + grace;
}

static bool is_at(const struct tsw_gateway *gw, __u32 host)
{
	if (gw->host ? gw->host == host : gw->flags & TSW_GATEWAY_ALL)
		return true;
	if (host && gateway_has_rank(gw, host))
		return true;
	return (gw->old ? gw->old == host : gw->flags & TSW_GATEWAY_WAS_ALL) &&
	       drains(gw, TSW_DRAIN_GRACE);
}

static bool peer_route(struct trace *tr, __u32 tenant, const struct tsw_addr *addr,
		       struct tsw_peer_route *route)
{
	const struct tsw_peer_route_key key = {.len = 32 + 128, .tenant = tenant, .addr = *addr};

	return trace_have(tr, MAP_PEER_ROUTES, &key, route);
}

static const char *home_text(struct trace *tr, int home)
{
	if (home == HOME_THIS_HOST)
		return "served here";
	if (home == HOME_CONNTRACK)
		return "held here if conntrack has the flow, else at the new host";
	return trace_host_text(tr, (__u32)home);
}

static void step_home(struct trace *tr, int home, const char *how)
{
	trace_step(tr, "gateway", TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, home_text(tr, home)),
		   "%s", how);
}

/* Looks up the flow in the direction from its endpoint. */
static bool flow(struct trace *tr, struct tsw_flow *flow)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_flow_key key = {.tenant = tr->id, .src = f->sip, .dst = f->dip};

	if (f->proto == TRACE_TCP || f->proto == TRACE_UDP) {
		key.proto = f->proto == TRACE_TCP ? IPPROTO_TCP : IPPROTO_UDP;
		key.sport = htons(f->sport);
		key.dport = htons(f->dport);
	} else {
		key.proto = addr_is_v4(&f->dip) ? IPPROTO_ICMP : IPPROTO_ICMPV6;
		key.sport = htons(TRACE_ECHO_ID);
	}
	return trace_have(tr, MAP_FLOWS, &key, flow) &&
	       (key.proto == IPPROTO_TCP || clock_kernel_ns() - flow->seen <= TSW_FLOW_IDLE);
}

/* Whether host 0, this one, or another still serves the tenant of a gateway that is everywhere. */
static bool serves(struct trace *tr, const struct tsw_flow *flow)
{
	const struct tsw_group_key member = {.tenant = tr->id,
					     .member = TSW_MEMBER_HOST | flow->host};
	struct tsw_group group;
	struct tsw_host host;

	if (!flow->host || trace_have(tr, MAP_GROUPS, &member, &group))
		return true;
	return trace_have(tr, MAP_HOSTS, &flow->host, &host) &&
	       clock_kernel_ns() - flow->seen <= TSW_FLOW_UNHEARD;
}

/* Whether a flow that was noted can still be there. It may have come home. */
static bool home_is_good(struct trace *tr, const struct tsw_gateway *gw, struct tsw_flow *flow)
{
	__u32 i;

	if (gw->flags & TSW_GATEWAY_ALL) {
		flow->host = serves(tr, flow) ? flow->host : 0;
		return true;
	}
	if (!flow->host)
		return !gw->host || gw->flags & TSW_GATEWAY_READY || (!gw->old && drains(gw, 0));
	for (i = 0; gw->n_ranks > 1 && i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] == flow->host && gw->down & 1U << i)
			return false;
	return is_at(gw, flow->host);
}

static int home_of_port(struct trace *tr, const struct tsw_gateway *gw)
{
	const bool moving = (gw->host || gw->old) && drains(gw, 0);
	const bool noted =
		gw->flags & TSW_GATEWAY_FLOWS && (gw->n_ranks > 1 || gw->flags & TSW_GATEWAY_ALL);
	struct tsw_flow known;
	int home = (int)gw->host;

	if ((moving || noted) && tr->frame.proto != TRACE_TCP && trace_is_ip(&tr->frame) &&
	    flow(tr, &known) && home_is_good(tr, gw, &known)) {
		home = (int)known.host;
		step_home(tr, home, "by tsw_flows, which has this flow");
	} else if (moving && tr->frame.proto != TRACE_TCP) {
		home = gw->old ? (int)gw->old : HOME_CONNTRACK;
		step_home(tr, home, "the gateway moves, and older flows stay at its old host");
	} else {
		step_home(tr, home,
			  moving     ? "the gateway moves, and this connection is new"
			  : gw->flip ? "serves in place of the first host"
				     : "serves");
	}
	return home;
}

static int home_of_arrival(struct trace *tr, const struct tsw_gateway *gw)
{
	const __u32 both = TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL;
	const bool bounced = mac_equal(&tr->frame.src, &gw->mac);
	const bool draining = drains(gw, TSW_DRAIN_GRACE);
	const bool ready = gw->flags & TSW_GATEWAY_READY;
	int home = HOME_THIS_HOST;

	/* The traced frame begins its flow. */
	if (gw->host && ready && !bounced)
		home = !gw->old && draining ? HOME_CONNTRACK : HOME_THIS_HOST;
	else if (gw->host && !ready)
		home = bounced || gw->old || !draining ? (int)gw->host : HOME_CONNTRACK;
	else if (!bounced && (gw->flags & both) == TSW_GATEWAY_ALL && !gw->old && draining)
		home = HOME_CONNTRACK;
	step_home(tr, home, "for frames from another host");
	return home;
}

/* Whether the frame is from a peer of this tenant, by the peer's gateway. */
static bool is_peer(struct trace *tr, const struct tsw_peer_route *route)
{
	struct tsw_gateway peer;

	return tr->host && route->index && trace_have(tr, MAP_GATEWAYS, &route->peer, &peer) &&
	       mac_equal(&peer.mac, &tr->frame.src) && is_at(&peer, tr->host);
}

bool trace_gateway_may_send(struct trace *tr)
{
	struct tsw_peer_route route;
	struct tsw_fdb at;

	if (!tr->has_gw)
		return false;
	if (mac_equal(&tr->gw.mac, &tr->frame.src))
		return is_at(&tr->gw, tr->host);
	return !trace_fdb(tr, tr->id, &tr->frame.src, &at) &&
	       mac_equal(&tr->gw.mac, &tr->frame.dst) &&
	       peer_route(tr, tr->id, &tr->frame.sip, &route) && is_peer(tr, &route);
}

/* The tenant that sends: this one, a peer, or 0 if the source is neither's. */
static __u32 sender(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_peer_route back;
	struct tsw_mac owner;
	struct tsw_fdb at;

	if (trace_owner(tr, tr->id, &f->sip, &owner) &&
	    (mac_equal(&owner, &f->src) || (tr->host && mac_equal(&tr->gw.mac, &f->src))))
		return tr->id;
	if (trace_fdb(tr, tr->id, &f->src, &at))
		return 0;
	return peer_route(tr, tr->id, &f->sip, &back) && is_peer(tr, &back) ? back.peer : 0;
}

static int drop_closed(struct trace *tr, const struct tsw_addr *dst, __u32 why)
{
	trace_drop_at(tr, TSW_DROP_HOST_ADDRESS, "destination",
		      TRACE_LOOK(MAP_CLOSED, addr_text(dst), "closed"),
		      "%s is closed to tenants, %s", addr_text(dst),
		      why & TSW_CLOSED_ASKED
			      ? "see `closed` of switch show"
			      : "because by it a cloud gives this host its credentials");
	return trace_advise(
		tr, "to open all closed addresses for this tenant: tsw gateway set %s metadata on",
		trace_word(tr->tenant.name));
}

static int not_forwarded(struct trace *tr)
{
	return trace_drop_at(tr, TSW_DROP_HOST_ADDRESS, "destination",
			     TRACE_LOOK(MAP_COUNT, addr_text(&tr->frame.dip), NULL),
			     "no router forwards this address");
}

/* Drops frames to addresses that no tenant may reach by its gateway. */
static int guard_dst(struct trace *tr)
{
	const struct tsw_addr *dst = &tr->frame.dip;
	const struct tsw_closed_key closed = {.len = 128, .addr = *dst};
	const char *text = addr_text(dst);
	struct tsw_mac owner;
	__u32 host, why;

	if (trace_is_no_source(dst) || addr_is_none(dst) || trace_is_link_local(dst) ||
	    trace_is_link_local(&tr->frame.sip) || addr_is_service(dst))
		return not_forwarded(tr);
	if (!(tr->gw.flags & TSW_GATEWAY_METADATA) && trace_have(tr, MAP_CLOSED, &closed, &why))
		return drop_closed(tr, dst, why);
	if (trace_have(tr, MAP_VTEPS, dst, &host))
		return trace_drop_at(tr, TSW_DROP_HOST_ADDRESS, "destination",
				     TRACE_LOOK(MAP_VTEPS, text, trace_host_text(tr, host)),
				     "%s is the tunnel address of a host", text);
	if (!trace_gateway_net(tr, dst) && !trace_owner(tr, tr->id, dst, &owner))
		return TRACE_NEXT;
	trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "destination",
		      TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, text),
		      "%s is in the tenant's own network, but no endpoint here has it", text);
	return trace_advise(tr, "tsw endpoint add on this host too, with ip %s", text);
}

/* Drops frames that another switch would take for a tunnel frame of this host. */
static int guard_tunnel(struct trace *tr)
{
	const __u16 port = tr->frame.dport;
	char text[16];

	if (tr->frame.proto != TRACE_UDP ||
	    (port != ntohs(tr->t->config.port) && port != TSW_GENEVE_PORT))
		return TRACE_NEXT;
	snprintf(text, sizeof(text), "%u", port);
	return trace_drop_at(tr, TSW_DROP_HOST_ADDRESS, "destination",
			     TRACE_LOOK(MAP_CONFIG, "port", text),
			     "UDP port %u is reserved for the switches' tunnels", port);
}

static const char *tenant_name(struct trace *tr, __u32 id)
{
	static _Thread_local struct tsw_tenant tenant;

	return trace_have(tr, MAP_TENANTS, &id, &tenant) ? tenant.name : "?";
}

static int not_peered(struct trace *tr, __u32 from, const char *entry, __u32 with)
{
	char names[2][TSW_NAME_LEN];

	snprintf(names[0], sizeof(names[0]), "%s", tenant_name(tr, from));
	snprintf(names[1], sizeof(names[1]), "%s", tenant_name(tr, with));
	trace_drop_at(tr, TSW_DROP_NOT_PEERED, "peer",
		      TRACE_LOOK(MAP_PEER_ROUTES, addr_text(&tr->frame.dip), entry),
		      "tenants %s and %s have not both added the peering", quoted(names[0]),
		      quoted(names[1]));
	return trace_advise(
		tr, "each side adds its half: tsw peer add %s with %s; tsw peer add %s with %s",
		trace_word(names[0]), trace_word(names[1]), trace_word(names[1]),
		trace_word(names[0]));
}

/* Sets *INDEX to the sender's index or the peering's. */
static int peering(struct trace *tr, __u32 from, __u32 *index)
{
	struct tsw_peer_route to, back;
	char text[128];

	if (!peer_route(tr, from, &tr->frame.dip, &to)) {
		*index = tr->gw.index;
		return from == tr->id ? TRACE_NEXT : not_peered(tr, from, NULL, tr->id);
	}
	snprintf(text, sizeof(text), "peer %s%s", tenant_name(tr, to.peer),
		 to.index ? "" : ", only one half");
	if (from != tr->id && to.peer != tr->id)
		return not_peered(tr, from, text, tr->id);
	if (!to.index || !peer_route(tr, to.peer, &tr->frame.sip, &back) || back.peer != from ||
	    !back.index)
		return not_peered(tr, from, text, to.peer);
	trace_step(tr, "peer", TRACE_LOOK(MAP_PEER_ROUTES, addr_text(&tr->frame.dip), text),
		   "both halves are there");
	*index = to.index;
	return TRACE_NEXT;
}

/* Enters the router if the mark stands for the sender and the device exists. */
static int enter(struct trace *tr, __u32 from, __u32 mark)
{
	const __u32 index = mark & TSW_MARK_INDEX, door = tr->t->config.gateway;
	struct tsw_mark whose;
	__u32 device;
	bool ok = door && trace_have(tr, MAP_MARKS, &index, &whose) && whose.tenant == from;
	char key[16];

	snprintf(key, sizeof(key), "%u", index);
	if (!ok) {
		trace_drop_at(tr, TSW_DROP_NO_GATEWAY, "mark", TRACE_LOOK(MAP_MARKS, key, NULL),
			      "%s", door ? "the tenant's index is missing" : "tsw-gw is missing");
		return trace_advise(tr, "tsw switch check, tsw switch repair");
	}
	trace_step(tr, "mark", TRACE_LOOK(MAP_MARKS, key, tenant_name(tr, from)), "0x%08x", mark);
	if (!trace_have(tr, MAP_DEVICES, &door, &device)) {
		trace_drop(tr, TSW_DROP_DEVICE_GONE, "tsw-gw is gone");
		return trace_advise(tr, "tsw switch repair");
	}
	tr->end.mark = mark;
	return trace_finish(tr, TRACE_GATEWAY);
}

/* The server for names that the switch does not know; NULL: the frame goes to none. */
static const struct tsw_addr *resolver(const struct trace *tr)
{
	const struct tsw_addr *to = &tr->gw.resolver[addr_family(&tr->frame.dip)];

	return trace_asks_dns(&tr->frame) && tr->tenant.flags & TSW_TENANT_DNS && tr->has_gw &&
			       gateway_has(&tr->gw, &tr->frame.dip) && !addr_is_none(to)
		       ? to
		       : NULL;
}

/* The class in the mark of a frame for the gateway itself. */
static __u32 gateway_class(const struct trace *tr, __u32 from, __u32 class)
{
	if (from != tr->id || !resolver(tr))
		return TSW_MARK_SELF;
	return class == TSW_MARK_HELD ? class : TSW_MARK_NAMES;
}

/* Walks the gateway of this host, which serves the flow. */
static int walk_gateway(struct trace *tr, int home)
{
	__u32 class, from, index = 0;
	struct tsw_peer_route route;
	int kind = TRACE_NEXT;

	if (!trace_is_ip(&tr->frame))
		return trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "gateway",
				     TRACE_LOOK(MAP_COUNT, NULL, NULL), "a gateway takes only IP");
	from = sender(tr);
	if (!from && trace_may_be_shown(&tr->frame.sip))
		return not_forwarded(tr);
	if (!from) {
		trace_drop_at(tr, TSW_DROP_SPOOFED_IP, "gateway",
			      TRACE_LOOK(MAP_ADDRS, trace_key(tr, addr_text(&tr->frame.sip)), NULL),
			      "it uses the gateway with a source address that is not listed: %s",
			      addr_text(&tr->frame.sip));
		return trace_advise(tr, "%s", trace_endpoint_ips(tr, &tr->frame.sip));
	}
	class = home == HOME_CONNTRACK && from == tr->id ? TSW_MARK_HELD : TSW_MARK_TENANT;
	if (gateway_has(&tr->gw, &tr->frame.dip))
		class = gateway_class(tr, from, class);
	else if (!peer_route(tr, from, &tr->frame.dip, &route))
		kind = guard_dst(tr) == TRACE_NEXT ? guard_tunnel(tr) : TRACE_DROPPED;
	if (kind == TRACE_NEXT)
		kind = peering(tr, from, &index);
	return kind == TRACE_NEXT ? enter(tr, from, class | index) : kind;
}

static int no_gateway(struct trace *tr)
{
	trace_drop_at(tr, TSW_DROP_NO_GATEWAY, "gateway",
		      TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, NULL),
		      "the tenant's gateway is not known here");
	return trace_advise(tr, "tsw gateway add %s ip CIDR", trace_word(tr->tenant.name));
}

/* The traced query is not for a name of the tenant, so it may go on to the resolver. */
bool trace_answers_dns(struct trace *tr)
{
	const bool udp = tr->frame.proto == TRACE_UDP;
	const struct tsw_addr *to = resolver(tr);

	if (!trace_asks_dns(&tr->frame) || !(tr->tenant.flags & TSW_TENANT_DNS))
		return false;
	if (!to)
		trace_step(tr, "dns", TRACE_LOOK(MAP_TENANTS, tr->tenant.name, "dns on"),
			   udp ? "answered at the port" : "DNS by TCP: reset at the port");
	else
		trace_step(tr, "dns", TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, addr_text(to)),
			   udp ? "the port answers the tenant's own names; other names, like this "
				 "one, go to the resolver"
			       : "DNS by TCP: all names go to the resolver");
	return !to;
}

int trace_port_gateway(struct trace *tr, __u32 *host)
{
	int home;

	if (!tr->has_gw)
		return no_gateway(tr);
	if (tr->frame.proto == TRACE_ICMP && gateway_has(&tr->gw, &tr->frame.dip)) {
		trace_step(tr, "gateway",
			   TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, addr_text(&tr->frame.dip)),
			   "its own address: answered at the port");
		return trace_finish(tr, TRACE_ANSWERED);
	}
	if ((gateway_has(&tr->gw, &tr->frame.dip) || addr_is_service(&tr->frame.dip)) &&
	    trace_answers_dns(tr))
		return trace_finish(tr, TRACE_ANSWERED);
	home = home_of_port(tr, &tr->gw);
	if (home <= 0)
		return walk_gateway(tr, home);
	*host = (__u32)home;
	return TRACE_NEXT;
}

int trace_wire_gateway(struct trace *tr)
{
	int home;

	if (!tr->has_gw)
		return no_gateway(tr);
	home = home_of_arrival(tr, &tr->gw);
	if (home <= 0)
		return walk_gateway(tr, home);
	trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "look_up",
		      TRACE_LOOK(MAP_GATEWAYS, tr->tenant.name, home_text(tr, home)),
		      "the gateway is not served here");
	return trace_advise(tr, "on the sender's host: tsw gateway show; it should send to %s",
			    home_text(tr, home));
}
