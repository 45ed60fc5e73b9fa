/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames from another host: which of the underlay's frames are ours, who may send them, and how
 * their outer headers come off. The rules are the same for frames of the underlay's device and of
 * the kernel's tunnel devices.
 */
#ifndef TSW_BPF_TUNNEL_UNDERLAY_H
#define TSW_BPF_TUNNEL_UNDERLAY_H

#include <linux/if_packet.h>

#include "core/drop.h"
#include "core/percpu_cache.h"
#include "tunnel/crypt.h"
#include "tunnel/decap.h"

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

/* Cheap checks come first, since this program sees all that the host receives. */
static __always_inline bool underlay_is_ip(struct __sk_buff *skb)
{
	return skb->pkt_type != PACKET_OTHERHOST &&
	       (skb->protocol == bpf_htons(ETH_P_IP) || skb->protocol == bpf_htons(ETH_P_IPV6));
}

/*
 * Reads the outer headers of an IP packet, which begins at off. PASS: it is no tunnel frame to this
 * host, as a frame to an Ethernet group never is.
 */
static __always_inline int underlay_parse(struct __sk_buff *skb, const struct tsw_config *cfg,
					  __u32 off, struct tunnel *t)
{
	void *l3 = underlay_l3(skb, off);

	if (skb->pkt_type != PACKET_HOST)
		return PASS;
	return outer_parse(l3, skb_data_end(skb), skb->protocol, cfg, t);
}

/* Finds the host that sent a frame of this tenant. PASS: the frame belongs to a VLAN's device. */
static __always_inline int underlay_from(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct tunnel *t, struct tsw_tenant_stats *whose)
{
	t->host = host_from(whose, &t->from);
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
 * Is the inner source an endpoint of the tenant that lives on the sending host? f->gateway: it is
 * no endpoint, so only a gateway may have sent the frame.
 */
static __always_inline bool underlay_lives_there(const struct tunnel *t, struct frame *f)
{
	struct tsw_fdb *from = fdb_get(t->tenant, &f->eth.src);

	f->gateway = !from || from->place == TSW_PLACE_GATEWAY;
	return !f->gateway && from->place == TSW_PLACE_HOST && from->id == t->host;
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

#endif
