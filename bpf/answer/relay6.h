/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Relays DHCPv6 between a tenant's endpoints and its own server (RFC 8415 section 19), like
 * relay.h. A request travels within a Relay-forward message, which says whose it is, and the answer
 * within a Relay-reply, in which the server must repeat that. So no state is kept.
 */
#ifndef TSW_BPF_ANSWER_RELAY6_H
#define TSW_BPF_ANSWER_RELAY6_H

#include "answer/relay.h"
#include "answer/relay6_write.h"

#define RELAY6_OPTIONS 32 /* options read of a server's message; one with more is dropped */

/* ---- requests ---------------------------------------------------------------------- */

/* From the client's own port. VIA: the gateway's address. The source port stays, as in relay.h. */
static __noinline int relay6_request(struct __sk_buff *skb, const struct tsw_port *port,
				     struct frame *f, const struct tsw_relay *relay,
				     const struct tsw_addr *via)
{
	struct relay6_asked *asked = reply_at(REPLY_ASKED);
	struct relay6_out *out = reply_at(REPLY_QUERY_AT);
	struct tsw_addr server = relay->server[TSW_IPV6];
	__u32 mtu = 0;

	if (!asked || !out ||
	    bpf_skb_load_bytes(skb, f->l4, &out->udp.source, sizeof(out->udp.source)))
		return drop(TSW_DROP_INTERNAL);
	if (port->flags & TSW_PORT_MACS && dhcp6_is_inner(port, &f->src))
		return drop(TSW_DROP_SPOOFED_MAC);
	bpf_check_mtu(skb, 0, &mtu, 0, 0);
	if (asked->len + DHCP6_AT - ETH_HLEN + RELAY6_MORE > mtu)
		return drop(TSW_DROP_TOO_BIG);
	if (!addr_owner(port->tenant, &server, &f->eth.dst))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	out->head.type = DHCP6_RELAY_FORWARD;
	out->head.hops = 0;
	out->head.link = *via;
	out->head.peer = f->src;
	out->interface = dhcp6_head(DHCP6_O_INTERFACE, sizeof(out->mac));
	out->mac = port->mac;
	out->link_layer =
		dhcp6_head(DHCP6_O_LINK_LAYER, sizeof(out->hardware) + sizeof(out->mac_again));
	out->hardware = bpf_htons(1);
	out->mac_again = port->mac;
	out->relayed = dhcp6_head(DHCP6_O_RELAYED, asked->len);
	f->src = *via;
	f->dst = server;
	asked->to_server = true;
	return NEXT;
}

/* ---- answers ----------------------------------------------------------------------- */

static long relay6_walk(__u32 i, struct dhcp6_walk *w)
{
	struct relay6_asked *asked = reply_at(REPLY_ASKED);
	struct dhcp6_head head;
	__u32 len;

	if (!asked || w->off + sizeof(head) > w->end ||
	    bpf_skb_load_bytes(w->skb, w->off, &head, sizeof(head)))
		return 1;
	len = bpf_ntohs(head.len);
	w->off += sizeof(head);
	if (w->off + len > w->end)
		return 1;
	if (head.code == bpf_htons(DHCP6_O_INTERFACE)) {
		if (len != sizeof(asked->mac) || asked->has_mac ||
		    bpf_skb_load_bytes(w->skb, w->off, &asked->mac, sizeof(asked->mac)))
			return 1;
		asked->has_mac = true;
	} else if (head.code == bpf_htons(DHCP6_O_RELAYED)) {
		if (asked->len)
			return 1;
		asked->at = w->off;
		asked->len = len;
	}
	w->off += len;
	asked->off = w->off;
	return 0;
}

/* Finds client and message in the server's. 0, or a drop reason. */
static __always_inline int relay6_open(struct __sk_buff *skb, struct relay6_asked *asked)
{
	struct dhcp6_walk w = {
		.skb = skb, .off = asked->at + sizeof(asked->head), .end = asked->at + asked->len};
	__u8 type;

	asked->len = 0;
	asked->off = 0;
	bpf_loop(RELAY6_OPTIONS, relay6_walk, &w, 0);
	return asked->off == w.end && asked->has_mac && asked->len >= 4 &&
			       !bpf_skb_load_bytes(skb, asked->at, &type, sizeof(type)) &&
			       type != DHCP6_RELAY_FORWARD && type != DHCP6_RELAY_REPLY
		       ? 0
		       : drop(TSW_DROP_TRUNCATED);
}

/*
 * From the server's own port, to one of the gateway's addresses. To the client it comes from the
 * gateway's link-local address, which clients' firewalls ask for.
 */
static __noinline int relay6_reply(struct __sk_buff *skb, const struct tsw_port *port,
				   struct frame *f, const struct tsw_gateway *gw)
{
	struct relay6_asked *asked = reply_at(REPLY_ASKED);
	struct relay6_out *out = reply_at(REPLY_QUERY_AT);
	struct tsw_fdb *client;
	struct tsw_addr peer;
	struct tsw_mac owner;

	if (!asked || !out || bpf_skb_load_bytes(skb, asked->at, &asked->head, sizeof(asked->head)))
		return drop(TSW_DROP_TRUNCATED);
	peer = asked->head.link;
	if (!addr_equal(&peer, &f->dst))
		return drop(TSW_DROP_ROGUE_SERVER);
	if (relay6_open(skb, asked))
		return drop(TSW_DROP_TRUNCATED);
	peer = asked->head.peer;
	client = fdb_get(port->tenant, &asked->mac);
	if (!client || client->place == TSW_PLACE_GATEWAY || addr_is_zero(&peer) ||
	    addr_is_no_source(&peer) || addr_is_v4mapped(&peer) ||
	    (addr_owner(port->tenant, &peer, &owner) && !mac_equal(&owner, &asked->mac)))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	f->eth.dst = asked->mac;
	f->src = addr_link_local(&gw->mac);
	f->dst = peer;
	out->udp.source = bpf_htons(DHCP6_SERVER_PORT);
	return NEXT;
}

/*
 * Is it such an answer, from another host? Its source address is the gateway's, which no endpoint
 * may send from, and its MAC the server's.
 */
static __noinline bool relay6_is_reply(__u32 tenant, const struct frame *f)
{
	struct tsw_relay *relay = relay_get(tenant, TSW_IPV6);
	struct tsw_gateway *gw = gateway_get(tenant);
	struct tsw_addr addr;
	struct tsw_mac owner;

	if (!relay || !gw || f->proto != IPPROTO_UDP)
		return false;
	addr = addr_link_local(&gw->mac);
	if (!addr_equal(&addr, &f->src))
		return false;
	addr = relay->server[TSW_IPV6];
	return addr_owner(tenant, &addr, &owner) && mac_equal(&owner, &f->eth.src);
}

/* ---- both -------------------------------------------------------------------------- */

/* A message that only servers and relays send: section 7.3. */
static __always_inline bool relay6_is_servers(__u8 type)
{
	return type == DHCP6_ADVERTISE || type == DHCP6_REPLY || type == DHCP6_RECONFIGURE ||
	       type == DHCP6_RELAY_FORWARD || type == DHCP6_RELAY_REPLY;
}

/* Reads which message it is, and where. 0, or a drop reason. */
static __always_inline int relay6_read(struct __sk_buff *skb, const struct frame *f,
				       struct relay6_asked *asked)
{
	struct udphdr udp;
	__u32 len;

	*asked = (struct relay6_asked){.at = f->l4 + sizeof(udp)};
	if (f->fragment || skb->gso_size || bpf_skb_load_bytes(skb, f->l4, &udp, sizeof(udp)) ||
	    bpf_skb_load_bytes(skb, asked->at, &asked->head.type, sizeof(asked->head.type)))
		return drop(TSW_DROP_TRUNCATED);
	len = bpf_ntohs(udp.len);
	if (len < sizeof(udp) + 4 || f->l4 + len > f->end)
		return drop(TSW_DROP_TRUNCATED);
	asked->len = len - sizeof(udp);
	return 0;
}

/* Is it a request that is relayed, if the gateway can be the relay? */
static __always_inline bool relay6_is_asked(const struct tsw_gateway *gw, const struct frame *f)
{
	const struct tsw_addr to = f->dst;

	return gw && (dhcp6_is_for_all(&to) || gateway_is_dst(gw, f));
}

/*
 * Repeats the router's advertisement to a client that renews its address, as dhcp6_send() does. The
 * request is kept in the room meanwhile; a longer one is not preceded by it. NEXT, or a drop
 * reason. Global, like the next one, and a step of its own: the stack is nearly full (Linux 6.1).
 */
__noinline int tsw_relay6_again(struct __sk_buff *skb, const struct frame *f)
{
	struct lease *lease = reply_at(REPLY_LEASE);
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_get();
	__u8 *room = reply_room(), type;
	struct tsw_addr to;
	__u64 more;

	if (!port || !f || !lease || !cfg || !room)
		return drop(TSW_DROP_INTERNAL);
	more = f->end - 1;
	TSW_KEEP(more);
	if (more >= REPLY_MOST || f->fragment || skb->gso_size ||
	    upper_read(skb, f, sizeof(struct udphdr), &type, sizeof(type)) ||
	    (type != DHCP6_RENEW && type != DHCP6_REBIND) ||
	    !relay6_is_asked(gateway_get(port->tenant), f) || !tsw_lease(skb, TSW_IPV6, lease) ||
	    !lease->routed)
		return NEXT;
	to = f->src;
	if (bpf_skb_load_bytes(skb, 0, room, more + 1))
		return drop(TSW_DROP_INTERNAL);
	ra_beside(skb, cfg, port, &to, lease);
	return bpf_skb_change_tail(skb, more + 1, 0) ||
			       bpf_skb_store_bytes(skb, 0, room, more + 1, 0)
		       ? drop(TSW_DROP_INTERNAL)
		       : NEXT;
}

/* Like tsw_relay(), of DHCPv6. */
__noinline int tsw_relay6(struct __sk_buff *skb, struct frame *f, struct frame_id *id)
{
	struct relay6_asked *asked = reply_at(REPLY_ASKED);
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_gateway *gw;
	struct tsw_relay *relay;
	struct tsw_addr at;
	bool own, here;
	int verdict;

	if (!port || !f || !id || !asked)
		return drop(TSW_DROP_INTERNAL);
	relay = relay_get(port->tenant, TSW_IPV6);
	gw = gateway_get(port->tenant);
	if (!relay)
		return NEXT;
	if (relay6_read(skb, f, asked))
		return drop(TSW_DROP_TRUNCATED);
	own = relay_is_at(port, relay, TSW_IPV6);
	here = gw && gateway_is_dst(gw, f);
	if (own && here && asked->head.type == DHCP6_RELAY_REPLY) {
		verdict = relay6_reply(skb, port, f, gw);
		return verdict == NEXT ? relay6_write(skb, f, id, asked) : verdict;
	}
	if (relay6_is_servers(asked->head.type))
		return own && !here ? NEXT : guard_server(port);
	if (!relay6_is_asked(gw, f))
		return NEXT;
	relay_via(skb, gw, TSW_IPV6, &at);
	if (addr_is_zero(&at))
		return NEXT; /* no gateway can be the relay */
	verdict = relay6_request(skb, port, f, relay, &at);
	return verdict == NEXT ? relay6_write(skb, f, id, asked) : verdict;
}

#endif
