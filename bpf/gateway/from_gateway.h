/* SPDX-License-Identifier: GPL-2.0-only */
/* From the router back to a tenant. The mark names the tenant, the address its endpoint. */
#ifndef TSW_BPF_GATEWAY_FROM_GATEWAY_H
#define TSW_BPF_GATEWAY_FROM_GATEWAY_H

#include "core/checksum.h"
#include "gateway/enter.h"

/* Where a frame from the gateway goes: the place and the new Ethernet addresses. */
struct way {
	struct tsw_fdb to; /* PORT or HOST */
	struct tsw_mac src;
	struct tsw_mac dst;
};

static __always_inline bool mark_is_out(__u32 mark)
{
	__u32 class = mark & TSW_MARK_CLASS;

	return class == TSW_MARK_TENANT || class == TSW_MARK_BOUNCE || class == TSW_MARK_VOICE;
}

/* For a flow that the old place does not have: the gateway that serves now. */
static __always_inline int way_to_gateway(__u32 tenant, const struct tsw_gateway *gw,
					  const struct frame *f, struct way *way)
{
	struct tsw_mac owner;
	struct tsw_fdb *at;

	way->src = way->dst = gw->mac;
	way->to = (struct tsw_fdb){.place = TSW_PLACE_HOST, .id = gw->host};
	if (way->to.id)
		return NEXT;
	/* Each host serves its own endpoints now: the frame belongs to the sender's host. */
	at = addr_owner(tenant, &f->src, &owner) ? fdb_get(tenant, &owner) : NULL;
	if (!at || at->place != TSW_PLACE_HOST)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	way->to.id = at->id;
	return NEXT;
}

/*
 * To the endpoint. A frame from a peer goes to the tenant's own gateway first, if that is
 * elsewhere.
 */
static __always_inline int way_to_endpoint(__u32 tenant, const struct tsw_gateway *gw,
					   const struct frame *f, struct way *way)
{
	struct tsw_peer_route *from = gw->host ? peer_route_get(tenant, &f->src) : NULL;
	struct tsw_gateway *peer = from && from->index ? gateway_get(from->peer) : NULL;
	struct tsw_fdb *at;

	way->src = gw->mac;
	if (peer && !peer->host) {
		way->src = peer->mac;
		way->dst = gw->mac;
		way->to = (struct tsw_fdb){.place = TSW_PLACE_HOST, .id = gw->host};
		return NEXT;
	}
	if (!addr_owner(tenant, &f->dst, &way->dst))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	at = fdb_get(tenant, &way->dst);
	if (!at || at->place == TSW_PLACE_GATEWAY)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	way->to = *at;
	return NEXT;
}

/*
 * Checks the source. A stranger may use any address but the tenant's own. A peer's address is
 * allowed only in a flow of that peering. A frame that hairpins has the gateway's address.
 */
static __always_inline int way_guard(const struct tsw_mark *to, const struct tsw_gateway *gw,
				     const struct frame *f)
{
	struct tsw_mac owner;

	if (addr_owner(to->tenant, &f->src, &owner) && !mac_equal(&owner, &gw->mac))
		return drop(TSW_DROP_SPOOFED_IP);
	if (!to->peer && peer_route_get(to->tenant, &f->src))
		return drop(TSW_DROP_NOT_PEERED);
	return NEXT;
}

static __noinline int from_gateway_way(const struct tsw_mark *to, __u32 mark, const struct frame *f,
				       struct way *way)
{
	struct tsw_gateway *gw = gateway_get(to->tenant);
	__u32 class = mark & TSW_MARK_CLASS;
	int verdict;

	if (!gw)
		return drop(TSW_DROP_NO_GATEWAY);
	if (class == TSW_MARK_BOUNCE)
		return way_to_gateway(to->tenant, gw, f, way);
	verdict = class == TSW_MARK_TENANT ? way_guard(to, gw, f) : NEXT;
	return verdict == NEXT ? way_to_endpoint(to->tenant, gw, f, way) : verdict;
}

/* Does the frame go from one endpoint of the tenant to another, by a published port? */
static __always_inline bool from_gateway_hairpins(struct __sk_buff *skb, const struct tsw_mark *to,
						  __u32 mark)
{
	return skb->ingress_ifindex == skb->ifindex && !to->peer &&
	       (mark & TSW_MARK_CLASS) == TSW_MARK_TENANT;
}

/* The gateway's first address of the family. */
static __always_inline const struct tsw_addr *gateway_addr(const struct tsw_gateway *gw, bool v4)
{
	for (__u32 i = 0; i < TSW_GATEWAY_ADDRS; i++)
		if (i < gw->n_addrs && addr_is_v4mapped(&gw->addr[i].addr) == v4)
			return &gw->addr[i].addr;
	return NULL;
}

static __always_inline int voice4(struct __sk_buff *skb, const struct frame *f,
				  const struct tsw_addr *addr)
{
	__u32 csum = ETH_HLEN + offsetof(struct iphdr, check);
	__u32 saddr = ETH_HLEN + offsetof(struct iphdr, saddr);

	return bpf_l3_csum_replace(skb, csum, f->src.w[3], addr->w[3], sizeof(__be32))
		       ?: bpf_skb_store_bytes(skb, saddr, &addr->w[3], sizeof(__be32), 0);
}

static __always_inline int voice6(struct __sk_buff *skb, const struct frame *f,
				  const struct tsw_addr *addr)
{
	__u32 saddr = ETH_HLEN + offsetof(struct ipv6hdr, saddr);
	__s64 diff =
		bpf_csum_diff((__be32 *)&f->src, sizeof(f->src), (__be32 *)addr, sizeof(*addr), 0);

	if (diff < 0 || f->proto != IPPROTO_ICMPV6)
		return -1;
	return bpf_l4_csum_replace(skb, f->l4 + 2, 0, diff, BPF_F_PSEUDO_HDR)
		       ?: bpf_skb_store_bytes(skb, saddr, addr, sizeof(*addr), 0);
}

/*
 * An ICMP error by this host's own routing about a tenant's frame. The tenant gets it in its
 * gateway's name, as from any router, and learns nothing of the host's addresses.
 */
static __noinline int from_gateway_voice(struct __sk_buff *skb, __u32 tenant, const struct frame *f)
{
	bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	struct tsw_gateway *gw = gateway_get(tenant);
	const struct tsw_addr *addr = gw ? gateway_addr(gw, v4) : NULL;
	struct tsw_addr own;

	if (!addr)
		return drop(TSW_DROP_NO_GATEWAY);
	own = *addr;
	if (v4 ? voice4(skb, f, &own) : voice6(skb, f, &own))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

#endif
