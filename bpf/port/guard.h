/* SPDX-License-Identifier: GPL-2.0-only */
/* The source guard: a port sends with its own MAC and its own addresses only. */
#ifndef TSW_BPF_PORT_GUARD_H
#define TSW_BPF_PORT_GUARD_H

#include "core/parse.h"
#include "core/port.h"
#include "port/binding.h"
#include "port/vip.h"

/* RFC 1035 section 4.2, RFC 2131 section 4.1, RFC 8415 section 7.2. */
#define DNS_PORT 53
#define DHCP_SERVER_PORT 67
#define DHCP_CLIENT_PORT 68
#define DHCP6_CLIENT_PORT 546
#define DHCP6_SERVER_PORT 547

/* Types of ICMPv6: RFC 2710, 4861, 3810. */
#define MLD_REPORT 131
#define MLD_DONE 132
#define ND_ROUTER_SOLICIT 133
#define ND_ROUTER_ADVERT 134
#define ND_NEIGHBOUR_SOLICIT 135
#define ND_NEIGHBOUR_ADVERT 136
#define ND_REDIRECT 137
#define MLD_REPORT_2 143

/* IEEE 802.1Q-2018 table 8-1: 01:80:c2:00:00:0x is for the link, no bridge forwards it. */
static __always_inline bool mac_is_reserved(const struct tsw_mac *mac)
{
	return mac->b[0] == 0x01 && mac->b[1] == 0x80 && mac->b[2] == 0xc2 && !mac->b[3] &&
	       !mac->b[4] && mac->b[5] < 0x10;
}

/* Is this the other MAC of the port's endpoint, whose MAC is being changed? */
static __noinline bool guard_same_port(const struct tsw_port *port, const struct tsw_mac *mac)
{
	struct tsw_fdb *own = fdb_get(port->tenant, &port->mac);

	return own && own->place == TSW_PLACE_PORT && fdb_is_port(port->tenant, mac, own->id);
}

/*
 * May the port send from an address that is not listed as this MAC's? Not inline: most frames do
 * not need it, and the stack of tsw_from_port is nearly full (Linux 6.1).
 */
static __noinline bool guard_may_take(const struct tsw_port *port, const struct tsw_addr *addr)
{
	struct tsw_mac owner;

	if (addr_is_no_source(addr))
		return false; /* also within a network behind the port */
	if (addr_owner(port->tenant, addr, &owner))
		return mac_equal(&owner, &port->mac) || guard_same_port(port, &owner);
	if (binding_may_be(addr))
		return tsw_binding_use(port->tenant, &port->mac, addr);
	return !(port->flags & TSW_PORT_GUARD_IP) && !addr_is_service(addr);
}

/*
 * May the port send from this address? It may use its own, valid sources in networks behind it, and
 * link-local ones that nobody has. A port without listed addresses may use any other valid source
 * that neither another endpoint of the tenant nor the switch has.
 */
static __always_inline bool guard_owns(const struct tsw_port *port, const struct tsw_addr *addr)
{
	struct tsw_addr_owner *owner = addr_listed(port->tenant, addr);

	return (owner && mac_equal(&owner->mac, &port->mac)) || guard_may_take(port, addr);
}

/*
 * A DHCP client's request, which is allowed from 0.0.0.0 to all (RFC 2131 section 4.1). Also from
 * an address that the port no longer has: dhcp_step() answers that request or drops it.
 */
static __always_inline bool guard_is_dhcp(struct __sk_buff *skb, const struct frame *f)
{
	__be16 dport;

	return (f->src.w[3] || f->dst.w[3] == bpf_htonl(0xffffffff)) && f->proto == IPPROTO_UDP &&
	       !upper_read(skb, f, offsetof(struct udphdr, dest), &dport, sizeof(dport)) &&
	       dport == bpf_htons(DHCP_SERVER_PORT);
}

/*
 * Messages that a node sends from `::`, before it has an address: duplicate address detection, the
 * search for a router (RFC 4861 sections 4.1 and 4.3), and joining or leaving groups (RFC 3590).
 * All of these go to groups. Any other frame from `::` has no sender that could be checked.
 */
static __always_inline bool guard_is_nameless(struct __sk_buff *skb, const struct frame *f)
{
	__u8 type;

	if (!addr_is_v6_multicast(&f->dst) || f->proto != IPPROTO_ICMPV6 ||
	    upper_read(skb, f, 0, &type, sizeof(type)))
		return false;
	return type == ND_NEIGHBOUR_SOLICIT || type == ND_ROUTER_SOLICIT || type == MLD_REPORT ||
	       type == MLD_DONE || type == MLD_REPORT_2;
}

/*
 * Called for a message that only a DHCP server (RFC 7610) or a router (RFC 6105) sends: the port
 * must be marked as one.
 */
static __always_inline int guard_server(const struct tsw_port *port)
{
	return port->flags & TSW_PORT_SERVER ? NEXT : drop(TSW_DROP_ROGUE_SERVER);
}

static __always_inline int guard_ip(struct __sk_buff *skb, const struct tsw_port *port,
				    const struct frame *f)
{
	bool ok;

	if (f->eth.type == bpf_htons(ETH_P_IP))
		ok = (f->src.w[3] && guard_owns(port, &f->src)) || guard_is_dhcp(skb, f);
	else if (addr_is_v4mapped(&f->src))
		ok = false; /* the maps store IPv4 addresses so; on the wire they are invalid */
	else if (addr_is_zero(&f->src))
		ok = guard_is_nameless(skb, f);
	else
		ok = guard_owns(port, &f->src);
	return ok ? NEXT : drop(TSW_DROP_SPOOFED_IP);
}

/*
 * Checks the source MAC and the IPv4 or IPv6 source. answer/arp.h and answer/nd.h check the
 * addresses that ARP and ND messages claim.
 */
static __always_inline int guard(struct __sk_buff *skb, const struct tsw_port *port,
				 struct frame *f)
{
	if (!mac_equal(&f->eth.src, &port->mac))
		return drop(TSW_DROP_SPOOFED_MAC);
	if (mac_is_reserved(&f->eth.dst))
		return drop(TSW_DROP_RESERVED_MULTICAST);
	if (port->flags & TSW_PORT_VIP && vip_may_speak(f) &&
	    tsw_vip_take(skb, port->tenant, &port->mac, f))
		f->announces = FRAME_TAKES;
	return frame_is_ip(f) ? guard_ip(skb, port, f) : NEXT;
}

#endif
