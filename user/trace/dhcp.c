// SPDX-License-Identifier: GPL-2.0-only
/* DHCP and DHCPv6 at a port: the switch's own answers, and the guard against other servers. */
#include <arpa/inet.h>

#include "base/text.h"
#include "record/nets.h"
#include "trace/trace.h"

enum { DHCP_CLIENT_PORT = 68, DHCP6_CLIENT_PORT = 546 }; /* RFC 2131, RFC 8415 */

/* The sender's first address of the frame's family that is not link-local, or NULL. */
static const struct tsw_addr *leased(const struct trace *tr)
{
	const bool v4 = addr_is_v4(&tr->frame.dip);
	unsigned int i;

	for (i = 0; i < tr->from.n_ip; i++)
		if (addr_is_v4(&tr->from.ip[i]) == v4 && !addr_is_link_local(&tr->from.ip[i]))
			return &tr->from.ip[i];
	return NULL;
}

/* Is it to all servers? DHCPv6 asks their group. */
static bool is_for_all(const struct trace_frame *f)
{
	const struct tsw_addr servers = {{htonl(0xff020000), 0, 0, htonl(0x10002)}};

	return addr_is_v4(&f->dip) ? f->dip.w[3] == INADDR_BROADCAST
				   : addr_equal(&f->dip, &servers);
}

/* DHCP also asks the server that gave the address. */
static bool is_for_us(const struct trace_frame *f, const struct tsw_prefix *gw)
{
	const __be32 server = gw ? gw->addr.w[3] : htonl(TSW_SERVICE_IP);

	return is_for_all(f) || (addr_is_v4(&f->dip) && f->dip.w[3] == server);
}

/* Why the request is not answered; NULL: it is. */
static const char *unanswered(struct trace *tr)
{
	const struct tsw_addr *ip = leased(tr);
	const struct tsw_prefix *gw = ip ? trace_gateway_net(tr, ip) : NULL;
	struct tsw_nets nets;
	int err;

	if (!(tr->tenant.flags & TSW_TENANT_DHCP))
		return "the tenant's dhcp is off";
	if (!ip)
		return "the endpoint has no address of that family";
	err = nets_load(tr->t, tr->id, &nets);
	if (err) {
		tr->err = tr->err ? tr->err : err;
		return "the tenant's nets cannot be read";
	}
	if (!gw && !nets_have(&nets, ip))
		return "its address is in no network of the tenant or of its gateway";
	return is_for_us(&tr->frame, gw) ? NULL : "it asks another server";
}

/* Drops a request of an inner MAC: a lease is for the endpoint's own MAC. */
static int guard_client(struct trace *tr)
{
	if (!tr->behind)
		return TRACE_NEXT;
	return trace_drop_at(tr, TSW_DROP_SPOOFED_MAC, "dhcp",
			     TRACE_LOOK(MAP_PORTS, trace_device_text(tr->from.at.id),
					mac_text(&tr->port.mac)),
			     "what is behind the port takes no address by DHCP");
}

static int answer(struct trace *tr)
{
	const struct tsw_fdb_key key = {.tenant = tr->id, .mac = tr->port.mac};
	const char *why = unanswered(tr);
	struct tsw_name name = {};
	bool found = trace_have(tr, MAP_NAMES, &key, &name);

	if (!why && guard_client(tr) != TRACE_NEXT)
		return TRACE_DROPPED;
	if (!why && !found)
		why = "tsw_names has no name for its MAC: tsw switch repair";
	trace_step(tr, "dhcp",
		   TRACE_LOOK(MAP_NAMES, trace_key(tr, mac_text(&tr->port.mac)),
			      found ? name.s : NULL),
		   "%s%s", why ? "not answered here: " : "answered at the port", why ? why : "");
	return why ? TRACE_NEXT : trace_finish(tr, TRACE_ANSWERED);
}

/* The gateway's address in the network of the sender's address, or else its first one. */
static const struct tsw_prefix *relay_of(const struct trace *tr)
{
	const struct tsw_addr *ip = leased(tr);
	const struct tsw_prefix *net = ip ? trace_gateway_net(tr, ip) : NULL;
	const bool v4 = addr_is_v4(&tr->frame.dip);
	__u32 i;

	for (i = 0; !net && tr->has_gw && i < tr->gw.n_addrs; i++)
		if (addr_is_v4(&tr->gw.addr[i].addr) == v4)
			net = &tr->gw.addr[i];
	return net;
}

static bool is_of_gateway(const struct trace *tr, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; tr->has_gw && i < tr->gw.n_addrs; i++)
		if (addr_equal(&tr->gw.addr[i].addr, addr))
			return true;
	return false;
}

/* A request for the tenant's own server. */
static int relay(struct trace *tr, const struct tsw_addr *server)
{
	const struct tsw_prefix *via = relay_of(tr);
	const char *why = NULL;
	struct tsw_mac owner;
	bool found;

	if (!is_for_all(&tr->frame) && !is_of_gateway(tr, &tr->frame.dip))
		why = "it is for one server, not for all";
	else if (!via)
		why = addr_is_v4(&tr->frame.dip) ? "the tenant has no gateway with an IPv4 address"
						 : "the tenant has no gateway with an IPv6 address";
	if (why) {
		trace_step(tr, "dhcp", TRACE_LOOK(MAP_RELAYS, tr->tenant.name, addr_text(server)),
			   "not relayed: %s", why);
		return TRACE_NEXT;
	}
	if (guard_client(tr) != TRACE_NEXT)
		return TRACE_DROPPED;
	found = trace_owner(tr, tr->id, server, &owner);
	if (!found) {
		trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "dhcp",
			      TRACE_LOOK(MAP_ADDRS, trace_key(tr, addr_text(server)), NULL),
			      "no endpoint has %s, to which requests are relayed",
			      addr_text(server));
		return trace_advise(tr, "tsw tenant set %s dhcp-relay IP, or none",
				    trace_word(tr->tenant.name));
	}
	trace_step(tr, "dhcp", TRACE_LOOK(MAP_RELAYS, tr->tenant.name, addr_text(server)),
		   "relayed to %s at %s, from %s", mac_text(&owner), addr_text(server),
		   addr_text(&via->addr));
	tr->relayed = true;
	tr->frame.dst = owner;
	return TRACE_NEXT;
}

/* The tenant's own server of the frame's family. */
static bool own_server(struct trace *tr, struct tsw_addr *server)
{
	struct tsw_relay own;

	if (!(tr->tenant.flags & TSW_TENANT_DHCP) || !trace_have(tr, MAP_RELAYS, &tr->id, &own))
		return false;
	*server = own.server[addr_family(&tr->frame.dip)];
	return !addr_is_none(server);
}

int trace_dhcp(struct trace *tr)
{
	struct tsw_addr server;

	return own_server(tr, &server) ? relay(tr, &server) : answer(tr);
}

int trace_dhcp_server(struct trace *tr)
{
	const struct trace_frame *f = &tr->frame;
	struct tsw_addr server;
	struct tsw_mac owner;
	const __u16 clients = addr_is_v4(&f->dip) ? DHCP_CLIENT_PORT : DHCP6_CLIENT_PORT;

	if (f->proto != TRACE_UDP || f->dport != clients || tr->port.flags & TSW_PORT_SERVER)
		return TRACE_NEXT;
	if (own_server(tr, &server) && trace_owner(tr, tr->id, &server, &owner) &&
	    mac_equal(&owner, &tr->port.mac))
		return TRACE_NEXT;
	trace_drop_at(tr, TSW_DROP_ROGUE_SERVER, "guard",
		      TRACE_LOOK(MAP_PORTS, trace_device_text(tr->from.at.id), "server off"),
		      "endpoint %s may not act as a DHCP server", quoted(tr->from.key.name.s));
	return trace_advise(tr, "if it is a DHCP server: %s server on", trace_endpoint_set(tr));
}
