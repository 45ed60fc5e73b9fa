/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames whose outer headers only the kernel can take off: up to its tunnel devices. */
#ifndef TSW_BPF_TUNNEL_SLOW_H
#define TSW_BPF_TUNNEL_SLOW_H

#include "tunnel/crypt_guard.h"
#include "tunnel/decap.h"
#include "tunnel/host_pass.h"

/*
 * Must the kernel decapsulate this frame? When BPF takes the headers off, a super-frame keeps its
 * tunnel's GSO type. The kernel would then cut an inner UDP super-frame as the outer packet of
 * VXLAN or Geneve. It cuts TCP, and all that came by GRE, right, if BPF can tell it the inner
 * protocol.
 */
static __always_inline bool slow_is_needed(struct __sk_buff *skb, const struct tsw_config *cfg,
					   const struct tunnel *t, const struct frame *f)
{
	bool bare = f->proto == IPPROTO_TCP || t->encap == TSW_ENCAP_GRE;

	return skb->gso_size && (!bare || !decap_is_exact(cfg, t, f));
}

/*
 * Rewrites the Geneve header as VXLAN's if the kernel has no device for Geneve. VXLAN's device then
 * takes it off: both headers have the same length and the VNI at the same place. False: this header
 * has options or a checksum, which would be wrong then.
 */
static __always_inline bool slow_as_vxlan(struct __sk_buff *skb, const struct tsw_config *cfg,
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
static __always_inline int slow_send(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct tunnel *t)
{
	bool has = t->encap == TSW_ENCAP_GRE	  ? cfg->gre[t->family & 1]
		   : t->encap == TSW_ENCAP_GENEVE ? cfg->geneve || slow_as_vxlan(skb, cfg, t)
						  : cfg->flags & TSW_CFG_SLOW_PATH;

	if (!has)
		return drop(TSW_DROP_NO_SLOW_PATH);
	if (crypt_is_on(cfg) && crypt_has(skb->ifindex))
		return tsw_crypt_up(skb);
	pass_give(skb, cfg, PASS_UP);
	return PASS;
}

#endif
