/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way out of a tenant: checks the frame, and sends it into the router through tsw-gw with its
 * tenant in the mark.
 */
#ifndef TSW_BPF_GATEWAY_ENTER_H
#define TSW_BPF_GATEWAY_ENTER_H

#include "core/config.h"
#include "gateway/crossing.h"
#include "core/drop.h"
#include "gateway/fast.h"
#include "gateway/home.h"
#include "tunnel/gre.h"
#include "port/guard.h"
#include "core/host.h"
#include "core/stamp.h"
#include "core/tenant.h"
#include "gateway/uplink.h"

/* Is the frame for the gateway itself? */
static __always_inline bool gateway_is_dst(const struct tsw_gateway *gw, const struct frame *f)
{
	return gateway_is_own(gw, &f->dst) && !frame_is_mapped(f);
}

/* Is the address in one of the gateway's networks? A tenant reaches these without a gateway. */
static __always_inline bool gateway_is_lan(const struct tsw_gateway *gw,
					   const struct tsw_addr *addr)
{
	for (__u32 i = 0; i < TSW_GATEWAY_ADDRS; i++)
		if (i < gw->n_addrs && addr_is_within(addr, &gw->addr[i]))
			return true;
	return false;
}

/*
 * Refuses destinations that no tenant may reach by its gateway: other hosts' tunnel ends, invalid
 * addresses and the switch's own, closed networks, and its own LAN. nftables decides about this
 * host's addresses, since some may be published.
 */
static __always_inline int gateway_guard_dst(__u32 tenant, const struct tsw_gateway *gw,
					     const struct frame *f)
{
	struct tsw_addr dst = f->dst; /* Linux 6.1 takes no global function's argument as a key */
	struct tsw_mac owner;

	if (addr_is_no_source(&dst) || addr_is_zero(&dst) || addr_is_link_local(&dst) ||
	    addr_is_link_local(&f->src) || addr_is_service(&dst) || host_by_vtep(&dst))
		return drop(TSW_DROP_HOST_ADDRESS);
	if (!(gw->flags & TSW_GATEWAY_METADATA) && addr_is_closed(&dst))
		return drop(TSW_DROP_HOST_ADDRESS);
	return gateway_is_lan(gw, &dst) || addr_owner(tenant, &dst, &owner)
		       ? drop(TSW_DROP_UNKNOWN_DESTINATION)
		       : NEXT;
}

/*
 * Is it a frame that a switch would take for a tunnel frame, or unreadable? After NAT it would
 * leave in this host's name, and a host that knows this one would let it in.
 */
static __always_inline bool gateway_is_tunnel(struct __sk_buff *skb, const struct tsw_config *cfg,
					      const struct frame *f)
{
	struct gre gre;
	__be16 dport;

	if (f->proto == IPPROTO_UDP)
		return upper_read(skb, f, offsetof(struct udphdr, dest), &dport, sizeof(dport)) ||
		       dport == cfg->port || dport == bpf_htons(TSW_GENEVE_PORT);
	return f->proto == IPPROTO_GRE &&
	       (upper_read(skb, f, 0, &gre, sizeof(gre)) || gre_has_tenant(&gre));
}

/*
 * Does the frame come from a peer of this tenant, by the peer's gateway? route: from this tenant to
 * the frame's source.
 */
static __always_inline bool gateway_is_peer(const struct tsw_peer_route *route,
					    const struct frame *f, __u32 from)
{
	struct tsw_gateway *peer = route && route->index ? gateway_get(route->peer) : NULL;

	return from && peer && mac_equal(&peer->mac, &f->eth.src) && gateway_is_at(peer, from);
}

/* The tenant that sends by this gateway: the gateway's own or a peer. 0: neither. */
static __always_inline __u32 gateway_sender(__u32 tenant, const struct tsw_gateway *gw,
					    const struct frame *f, __u32 from)
{
	struct tsw_peer_route *back;
	struct tsw_mac owner;

	if (addr_owner(tenant, &f->src, &owner) &&
	    (mac_equal(&owner, &f->eth.src) || (from && mac_equal(&gw->mac, &f->eth.src))))
		return tenant;
	/* An endpoint may have the MAC of the peer's gateway. */
	if (fdb_get(tenant, &f->eth.src))
		return 0;
	back = peer_route_get(tenant, &f->src);
	return gateway_is_peer(back, f, from) ? back->peer : 0;
}

/* The index for the frame's way: its sender's, or the peering's. Negative: a drop reason. */
static __noinline int gateway_index(__u32 tenant, __u32 sender, const struct tsw_gateway *gw,
				    const struct frame *f)
{
	struct tsw_peer_route *to = peer_route_get(sender, &f->dst), *back;

	if (sender != tenant && !(to && to->peer == tenant))
		return drop(TSW_DROP_NOT_PEERED);
	back = to ? peer_route_get(to->peer, &f->src) : NULL;
	/* Both ends must be in networks that the peers agreed on. */
	if (to && !(to->index && back && back->peer == sender && back->index))
		return drop(TSW_DROP_NOT_PEERED);
	return to ? to->index : gw->index;
}

/* Sends the frame into the router. */
static __always_inline int gateway_enter(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct frame_id *id, __u32 mark, __u32 slot)
{
	__u32 door = cfg->gateway;

	if (!door)
		return drop(TSW_DROP_NO_GATEWAY);
	if (!bpf_map_lookup_elem(&tsw_devices, &door))
		return drop(TSW_DROP_DEVICE_GONE);
	if (crossing_write(skb, cfg, mark, slot))
		return drop(TSW_DROP_INTERNAL);
	return crossing_enter(skb, cfg, id, door);
}

/*
 * The mark's class for a frame to the gateway itself: a question to its resolver, or else a frame
 * that may only continue a flow.
 */
static __noinline __u32 gateway_own_class(struct __sk_buff *skb, const struct tsw_gateway *gw,
					  const struct frame *f, __u32 tenant, __u32 class)
{
	struct tsw_tenant *t = tenant_get(tenant);
	__be16 dport = 0;

	if (f->proto == IPPROTO_UDP || f->proto == IPPROTO_TCP)
		bpf_skb_load_bytes(skb, f->l4 + offsetof(struct udphdr, dest), &dport,
				   sizeof(dport));
	if (!f->l4 || dport != bpf_htons(DNS_PORT) || !gateway_resolver(gw, frame_is_v6(f)) || !t ||
	    !(t->flags & TSW_TENANT_DNS))
		return TSW_MARK_SELF;
	return class == TSW_MARK_HELD ? class : TSW_MARK_NAMES;
}

/*
 * The mark for a frame to the gateway's MAC, whose flow no other host has; or a drop reason.
 * Global, like the next one: verified once for both callers.
 */
__noinline int tsw_gateway_mark(struct __sk_buff *skb, const struct frame *f, struct frame_id *id,
				__u32 from, int home)
{
	struct tsw_config *cfg = config_get();
	struct tsw_gateway *gw;
	__u32 class, sender, upper;
	int verdict, index;

	if (!cfg || !f || !id)
		return drop(TSW_DROP_INTERNAL);
	gw = gateway_get(id->tenant);
	if (!gw)
		return drop(TSW_DROP_NO_GATEWAY);
	if (!frame_is_ip(f))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	sender = gateway_sender(id->tenant, gw, f, from);
	if (!sender) /* any endpoint may have link-local addresses that nobody lists */
		return drop(binding_may_be(&f->src) ? TSW_DROP_HOST_ADDRESS : TSW_DROP_SPOOFED_IP);
	/* Peers' frames stay on this host: their flows do not move. */
	class = home == HOME_HELD && sender == id->tenant ? TSW_MARK_HELD : TSW_MARK_TENANT;
	if (frame_is_mapped(f))
		return drop(TSW_DROP_HOST_ADDRESS);
	/* The router's rules decide by the ports, so these are pulled out of the sender's reach. */
	if (f->l4)
		frame_read(skb, f->l4, &upper, sizeof(upper));
	if (gateway_is_dst(gw, f))
		class = sender == id->tenant ? gateway_own_class(skb, gw, f, sender, class)
					     : TSW_MARK_SELF;
	else if (!peer_route_get(sender, &f->dst)) {
		verdict = gateway_guard_dst(id->tenant, gw, f);
		if (verdict != NEXT)
			return verdict;
		if (gateway_is_tunnel(skb, cfg, f))
			return drop(TSW_DROP_HOST_ADDRESS);
	}
	index = gateway_index(id->tenant, sender, gw, f);
	if (index < 0)
		return index;
	/* An index alone opens nothing: it must be the sender's. */
	return mark_tenant(index) == sender ? (int)(class | index) : drop(TSW_DROP_NO_GATEWAY);
}

/*
 * The slot of the uplink for a frame to the world. TSW_SLOT_NONE: no route leads there, or this
 * host has the address and the router does not know it.
 */
static __noinline __u32 gateway_slot(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct frame *f, __u32 tenant)
{
	const struct tsw_gateway *gw = gateway_get(tenant);
	const struct tsw_addr *to = &f->dst;
	struct uplink_way *w;

	/* A frame to the gateway itself with a mark for the world is a question of DNS. */
	if (gw && gateway_is_dst(gw, f))
		to = gateway_resolver(gw, frame_is_v6(f)) ?: to;
	w = uplink_find(skb, cfg, f, to);
	if (!w)
		return 0;
	if (uplink_is_found(w))
		return (uplink_slot(w) ?: TSW_SLOT_NONE) |
		       (w->result == BPF_FIB_LKUP_RET_NO_NEIGH ? SLOT_ASKS : 0);
	return w->result == BPF_FIB_LKUP_RET_FWD_DISABLED || uplink_of(to) ? 0 : TSW_SLOT_NONE;
}

/* Sends the frame on with that mark: by its flow's lease, or into the router. */
__noinline int tsw_gateway_pass(struct __sk_buff *skb, const struct frame *f, struct frame_id *id,
				__u32 mark)
{
	struct tsw_config *cfg = config_get();
	struct tsw_mark *whose = mark_get(mark & TSW_MARK_INDEX);
	int verdict = NEXT;
	__u32 slot = 0;

	if (!cfg || !f || !id || !whose)
		return drop(TSW_DROP_INTERNAL);
	if (tsw_has_fast && (mark & TSW_MARK_CLASS) == TSW_MARK_TENANT)
		verdict = fast_way(skb, cfg, f, id, whose->tenant);
	if (verdict == NEXT && !whose->peer && (mark & TSW_MARK_CLASS) != TSW_MARK_SELF)
		slot = gateway_slot(skb, cfg, f, id->tenant);
	if (verdict == NEXT)
		verdict = gateway_enter(skb, cfg, id, mark, slot);
	if (verdict >= 0)
		count_gateway(id->tenant, &id->size);
	return verdict;
}

/* May a gateway send this frame from that host? Its source is no endpoint there. */
static __noinline bool gateway_may_send(__u32 tenant, const struct frame *f, __u32 from)
{
	struct tsw_gateway *gw = gateway_get(tenant);

	if (!gw)
		return false;
	if (mac_equal(&gw->mac, &f->eth.src))
		return gateway_is_at(gw, from);
	return !fdb_get(tenant, &f->eth.src) && mac_equal(&gw->mac, &f->eth.dst) &&
	       gateway_is_peer(peer_route_get(tenant, &f->src), f, from);
}

#endif
