/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Relays DHCP between a tenant's endpoints and its own server (RFC 1542 section 4, RFC 2131
 * section 4.1). The request leaves the client's port as a packet to the server, from the gateway's
 * address, which says to the server in which network the client is. The server's answer is for that
 * address, and becomes one for the client at the server's port. So no state is kept, and it works
 * on every host alike. The source MAC stays, for the hosts between.
 */
#ifndef TSW_BPF_ANSWER_RELAY_H
#define TSW_BPF_ANSWER_RELAY_H

#include "answer/dhcp_read.h"
#include "answer/lease.h"
#include "gateway/enter.h"

#define RELAY_HOPS 16 /* RFC 1542 section 4.1.1 */

/* Not inline, to save stack. */
static __noinline bool relay_is_on(__u32 id, enum tsw_family family)
{
	return relay_get(id, family);
}

/* Has the port the address of that server, on this host? */
static __always_inline bool relay_is_at(const struct tsw_port *port, const struct tsw_relay *relay,
					enum tsw_family family)
{
	struct tsw_addr server = relay->server[family];
	struct tsw_mac owner;

	return addr_owner(port->tenant, &server, &owner) && mac_equal(&owner, &port->mac);
}

/* Is the sender the tenant's own server, so that it may send to clients' port? */
static __noinline bool relay_is_server(const struct tsw_port *port, const struct frame *f)
{
	const enum tsw_family family = frame_is_v6(f) ? TSW_IPV6 : TSW_IPV4;
	struct tsw_relay *relay = relay_get(port->tenant, family);

	return relay && relay_is_at(port, relay, family);
}

/* Writes a word of the packet. PSEUDO: BPF_F_PSEUDO_HDR for an address, otherwise 0. */
static __noinline int relay_put(struct __sk_buff *skb, const struct frame *f, __u32 off,
				__be32 value, __u64 pseudo)
{
	const __u32 check = f->l4 + offsetof(struct udphdr, check);
	__be32 was;

	if (bpf_skb_load_bytes(skb, off, &was, sizeof(was)))
		return -1;
	if (pseudo && bpf_l3_csum_replace(skb, ETH_HLEN + offsetof(struct iphdr, check), was, value,
					  sizeof(was)))
		return -1;
	if (bpf_l4_csum_replace(skb, check, was, value,
				pseudo | BPF_F_MARK_MANGLED_0 | sizeof(was)))
		return -1;
	return bpf_skb_store_bytes(skb, off, &value, sizeof(value), BPF_F_INVALIDATE_HASH);
}

/* Makes it a packet between these addresses, for the endpoint with that MAC. */
static __always_inline int relay_send(struct __sk_buff *skb, struct frame *f, __be32 src,
				      __be32 dst, const struct tsw_mac *to)
{
	const __u32 at = ETH_HLEN + offsetof(struct iphdr, saddr);

	if (relay_put(skb, f, at, src, BPF_F_PSEUDO_HDR) ||
	    relay_put(skb, f, at + sizeof(src), dst, BPF_F_PSEUDO_HDR) ||
	    bpf_skb_store_bytes(skb, 0, to, sizeof(*to), 0))
		return drop(TSW_DROP_INTERNAL);
	f->src.w[3] = src;
	f->dst = addr_from_v4(dst);
	f->eth.dst = *to;
	return NEXT;
}

/* The gateway's address in the network of the port's first address, or else its first one. */
static __always_inline void relay_via(struct __sk_buff *skb, struct tsw_gateway *gw,
				      enum tsw_family family, struct tsw_addr *via)
{
	struct lease *lease = reply_at(REPLY_LEASE);

	if (lease && tsw_lease(skb, family, lease) && lease->routed)
		*via = lease->server;
	else
		own_server_via(gw, family, via);
}

/*
 * A client's request, from its own port. The source port stays: servers answer to their own port of
 * a relay, and policies let DHCP pass between its two ports.
 */
static __noinline int relay_request(struct __sk_buff *skb, const struct tsw_port *port,
				    struct frame *f, __be32 via, const struct tsw_relay *relay)
{
	struct dhcp_head *head = reply_at(REPLY_ASKED);
	const __u32 at = f->l4 + sizeof(struct udphdr);
	struct tsw_addr server = relay->server[TSW_IPV4];
	struct tsw_mac owner;

	if (!head || !mac_equal(&head->mac, &port->mac))
		return drop(TSW_DROP_SPOOFED_MAC);
	if (head->giaddr)
		return drop(TSW_DROP_ROGUE_SERVER);
	if (head->hops >= RELAY_HOPS)
		return drop(TSW_DROP_TTL_EXPIRED);
	if (!addr_owner(port->tenant, &server, &owner))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	head->hops++;
	if (relay_put(skb, f, at, *(__be32 *)head, 0) ||
	    relay_put(skb, f, at + offsetof(struct dhcp, giaddr), via, 0))
		return drop(TSW_DROP_INTERNAL);
	return relay_send(skb, f, via, server.w[3], &owner);
}

/* The server's answer, from its own port, for one of the gateway's addresses. */
static __noinline int relay_reply(struct __sk_buff *skb, const struct tsw_port *port,
				  struct frame *f, const struct tsw_relay *relay)
{
	struct dhcp_head *head = reply_at(REPLY_ASKED);
	struct tsw_fdb *client;
	struct tsw_mac owner;
	__be32 to;

	if (!head || !addr_equal(&f->src, &relay->server[TSW_IPV4]) ||
	    !addr_owner(port->tenant, &f->src, &owner) || !mac_equal(&owner, &port->mac) ||
	    head->giaddr != f->dst.w[3])
		return drop(TSW_DROP_ROGUE_SERVER);
	client = fdb_get(port->tenant, &head->mac);
	if (!client || client->place == TSW_PLACE_GATEWAY)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	to = head->flags & bpf_htons(DHCP_BROADCAST) ? ~0U : head->yiaddr ?: head->ciaddr;
	if (relay_put(skb, f, f->l4, bpf_htonl(DHCP_SERVER_PORT << 16 | DHCP_CLIENT_PORT), 0))
		return drop(TSW_DROP_INTERNAL);
	return relay_send(skb, f, f->dst.w[3], to ?: ~0U, &head->mac);
}

/*
 * A datagram to the port of DHCP servers, in a tenant with a server of its own. NEXT: F goes on,
 * relayed, or as it came: to the server itself, or to all if no gateway can be the relay. Global,
 * so that the verifier goes through it once.
 */
__noinline int tsw_relay(struct __sk_buff *skb, struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dhcp_head *head = reply_at(REPLY_ASKED);
	struct tsw_gateway *gw;
	struct tsw_relay *relay;
	struct tsw_addr via;
	int verdict;

	if (!port || !f || !head)
		return drop(TSW_DROP_INTERNAL);
	relay = relay_get(port->tenant, TSW_IPV4);
	gw = gateway_get(port->tenant);
	if (!relay || !gw || (f->dst.w[3] != ~0U && !gateway_is_dst(gw, f)))
		return dhcp_guard(port, f);
	verdict = dhcp_head_read(skb, f, head);
	if (verdict)
		return verdict;
	if (head->op == BOOT_REPLY && f->dst.w[3] != ~0U)
		return relay_reply(skb, port, f, relay);
	if (head->op != BOOT_REQUEST)
		return drop(TSW_DROP_ROGUE_SERVER);
	relay_via(skb, gw, TSW_IPV4, &via);
	return via.w[3] ? relay_request(skb, port, f, via.w[3], relay) : dhcp_guard(port, f);
}

#endif
