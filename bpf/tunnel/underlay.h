/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames from another host: which of the underlay's frames are ours, who may send them, and where
 * they go. The rules are the same for frames of the underlay's device and of the kernel's tunnel
 * devices.
 */
#ifndef TSW_BPF_TUNNEL_UNDERLAY_H
#define TSW_BPF_TUNNEL_UNDERLAY_H

#include <linux/if_packet.h>

#include "tunnel/crypt_guard.h"
#include "tunnel/decap.h"
#include "core/drop.h"
#include "port/flood.h"
#include "gateway/gateway.h"
#include "port/guard.h"
#include "core/percpu_cache.h"
#include "core/kernel_skb.h"
#include "port/move.h"
#include "port/receive.h"
#include "tunnel/outer_csum.h"
#include "tunnel/host_pass.h"
#include "tunnel/path_mtu.h"
#include "tunnel/probe.h"

/*
 * Makes the octets that outer_parse() reads linear, which a driver may not have done. Returns the
 * start of the outer IP header.
 */
static __always_inline void *underlay_l3(struct __sk_buff *skb, __u32 off)
{
	__u32 want = off + OUTER_LOOK;

	if (want > skb->len)
		want = skb->len;
	if (skb_data(skb) + want > skb_data_end(skb))
		bpf_skb_pull_data(skb, want);
	return skb_data(skb) + off;
}

/*
 * Do the lengths in the outer headers fit the frame? Ethernet's padding is cut off. A super-frame
 * is not checked: its headers tell no exact length.
 */
static __always_inline int underlay_fit(struct __sk_buff *skb, const struct tunnel *t)
{
	__u32 end = ETH_HLEN + t->end;

	if (skb->gso_size)
		return NEXT;
	/* change_tail refuses to cut into the transport header: then the IP length is false. */
	if (!t->udp_fits || skb->len < end || end < ETH_HLEN + t->inner + ETH_HLEN ||
	    (skb->len > end && bpf_skb_change_tail(skb, end, 0)))
		return drop(TSW_DROP_TRUNCATED);
	return NEXT;
}

/*
 * Reads the outer headers. PASS: the frame is no tunnel frame for a tenant of this host. Cheap
 * checks come first, since this program sees all that the host receives. A frame to an Ethernet
 * group is never a tunnel frame, but path_mtu_guard() still looks at it.
 */
static __always_inline int underlay_parse(struct __sk_buff *skb, const struct tsw_config *cfg,
					  struct tunnel *t, struct tsw_tenant_stats **whose)
{
	__u32 off;
	void *l3;
	int verdict;

	if (skb->pkt_type == PACKET_OTHERHOST ||
	    (skb->protocol != bpf_htons(ETH_P_IP) && skb->protocol != bpf_htons(ETH_P_IPV6)))
		return PASS;
	off = frame_is_bare(skb, cfg) ? 0 : ETH_HLEN;
	l3 = underlay_l3(skb, off);
	verdict = PASS;
	if (skb->pkt_type == PACKET_HOST)
		verdict = outer_parse(l3, skb_data_end(skb), skb->protocol, cfg, t);
	if (verdict == PASS)
		return path_mtu_guard(skb, off);
	if (verdict != NEXT)
		return verdict;
	*whose = tenant_kept(t->tenant, cfg);
	if (!*whose) {
		if (!t->tenant)
			return tsw_probe(skb, t);
		t->tenant = 0;
		return outer_of_nobody(cfg, t);
	}
	t->host = host_from(*whose, &t->from);
	if (skb->vlan_present) {
		if (cfg->flags & TSW_CFG_TAGGED)
			return PASS; /* to the VLAN's device, where this program sees it again */
		t->odd = TSW_DROP_VLAN_TAGGED;
	}
	if (frame_is_bare(skb, cfg) && bpf_skb_change_head(skb, ETH_HLEN, 0))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/*
 * Trust: the sender is a known host, and nothing in the outer headers is odd. The tunnel header
 * must be one that the kernel's own device would accept.
 */
static __always_inline int underlay_trust(const struct tunnel *t)
{
	if (!t->host)
		return drop(TSW_DROP_UNKNOWN_HOST);
	if (t->odd)
		return -t->odd;
	return t->sound ? NEXT : drop(TSW_DROP_BAD_TUNNEL_HEADER);
}

/*
 * The inner source must be an endpoint of the tenant that lives on the sending host, or has just
 * moved there. For a gateway as the source gateway_may_send() decides.
 */
static __always_inline int underlay_guard(const struct tunnel *t, struct frame *f)
{
	struct tsw_fdb *from = fdb_get(t->tenant, &f->eth.src);

	f->gateway = !from || from->place == TSW_PLACE_GATEWAY;
	if (f->gateway ? !gateway_may_send(t->tenant, f, t->host)
		       : (from->place != TSW_PLACE_HOST || from->id != t->host) &&
				 !move_follow(t->tenant, &f->eth.src, t->host))
		return drop(TSW_DROP_WRONG_HOST);
	return mac_is_reserved(&f->eth.dst) ? drop(TSW_DROP_RESERVED_MULTICAST) : NEXT;
}

/*
 * Must the kernel decapsulate this frame? When BPF takes the headers off, a super-frame keeps its
 * tunnel's GSO type. The kernel would then cut an inner UDP super-frame as the outer packet of
 * VXLAN or Geneve. It cuts TCP, and all that came by GRE, right, if BPF can tell it the inner
 * protocol.
 */
static __always_inline bool underlay_is_slow(struct __sk_buff *skb, const struct tsw_config *cfg,
					     const struct tunnel *t, const struct frame *f)
{
	bool bare = f->proto == IPPROTO_TCP || t->encap == TSW_ENCAP_GRE;

	return skb->gso_size && (!bare || !decap_is_exact(cfg, t, f));
}

/*
 * Where the kernel has no device for Geneve, rewrites the header as VXLAN's, whose device then
 * takes it off: both headers have the same length, with the VNI at the same place. False: this
 * header has options, or a checksum, which would be wrong then.
 */
static __always_inline bool underlay_as_vxlan(struct __sk_buff *skb, const struct tsw_config *cfg,
					      const struct tunnel *t)
{
	struct vxlan_header *h;

	if (!(cfg->flags & TSW_CFG_SLOW_PATH) || outer_has_options(t) || t->has_csum)
		return false;
	h = frame_at(skb, ETH_HLEN + (t->l4 & 63), sizeof(*h)); /* no IP options here */
	if (!h)
		return false;
	h->udp.dest = cfg->port;
	h->vxlan.flags = bpf_htonl(VXLAN_FLAGS);
	h->vxlan.vni &= bpf_htonl(~0xffU);
	return true;
}

/* Sends a frame up to the kernel's tunnel device, with the pass that proves this program saw it. */
static __always_inline int underlay_slow(struct __sk_buff *skb, const struct tsw_config *cfg,
					 const struct tunnel *t)
{
	bool has = t->encap == TSW_ENCAP_GRE	  ? cfg->gre[t->family & 1]
		   : t->encap == TSW_ENCAP_GENEVE ? cfg->geneve || underlay_as_vxlan(skb, cfg, t)
						  : cfg->flags & TSW_CFG_SLOW_PATH;

	if (!has)
		return drop(TSW_DROP_NO_SLOW_PATH);
	if (crypt_is_on(cfg) && crypt_has(skb->ifindex))
		return tsw_crypt_up(skb);
	pass_give(skb, cfg, PASS_UP);
	return PASS;
}

/* Drops a frame whose tunnel met congestion, if its inner header cannot carry that mark. */
static __always_inline int underlay_ecn(const struct tunnel *t, const struct frame *f)
{
	if (frame_is_ip(f) && ecn_decapsulate(t->tos, f->tos) < 0)
		return drop(TSW_DROP_ECN_INVALID);
	return NEXT;
}

/* Writes the tunnel's congestion mark into the inner header. */
static __always_inline int underlay_congest(struct __sk_buff *skb, const struct tunnel *t,
					    const struct frame *f)
{
	return frame_is_ip(f) ? ecn_combine(skb, f, ecn_decapsulate(t->tos, f->tos)) : NEXT;
}

static __always_inline int underlay_decapsulate(struct __sk_buff *skb, const struct tsw_config *cfg,
						const struct tunnel *t, const struct frame *f)
{
	int verdict = underlay_congest(skb, t, f);

	return verdict == NEXT ? decap_strip(skb, cfg, t, f) : verdict;
}

/* Without the outer headers the offsets count from the inner Ethernet header. */
static __always_inline void underlay_rebase(struct frame *f)
{
	if (f->l4)
		f->l4 -= f->base;
	f->end -= f->base;
	f->base = 0;
}

static __always_inline int underlay_flood(struct __sk_buff *skb, struct frame_id *id,
					  const struct frame *f)
{
	struct tsw_tenant *tenant = tenant_get(id->tenant);

	if (!tenant || !(tenant->flags & TSW_TENANT_BROADCAST))
		return drop(TSW_DROP_BROADCAST_OFF);
	if (tenant->flags & TSW_TENANT_FLOWS)
		tsw_flow_note(skb, f, id, 0);
	if (tenant->flags & TSW_TENANT_POLICY) {
		int verdict = tsw_policy(skb, f, id);

		if (verdict != NEXT)
			return verdict;
	}
	flood_ports(skb, id, f, 0);
	return CONSUMED;
}

/* Delivers to the port where the destination lives. Never on to another host: so no loops. */
static __always_inline int underlay_deliver(struct __sk_buff *skb, struct tsw_config *cfg,
					    struct frame_id *id, const struct frame *f, __u32 from,
					    bool exact)
{
	struct tsw_fdb *to;

	if (mac_is_group(&f->eth.dst))
		return underlay_flood(skb, id, f);
	to = fdb_get(id->tenant, &f->eth.dst);
	if (!to || to->place == TSW_PLACE_HOST)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	if (to->place == TSW_PLACE_GATEWAY)
		return GATEWAY;
	if (f->gateway)
		gateway_note_flow(skb, id->tenant, f, from);
	return port_receive(skb, cfg, id, f, to->id, exact);
}

#endif
