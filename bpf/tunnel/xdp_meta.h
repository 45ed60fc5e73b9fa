/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tsw_xdp_native tells tsw_from_wire of a frame that it has decapsulated, in the metadata
 * before the frame. It has the switch's secret, so nothing else is taken for it; the reader erases
 * it, for a container could see it there.
 *
 * Until tsw_from_wire has it, the frame's destination is a MAC that no device has: should
 * that program be missing, the host's stack takes the frame for somebody else's. GRO merges
 * frames with the same metadata only, so all of a super-frame have the same tenant and sender.
 * While programs are upgraded, new tsw_from_wire reads what old tsw_xdp_native wrote: should this
 * change, `pad` is what tells.
 */
#ifndef TSW_BPF_TUNNEL_XDP_META_H
#define TSW_BPF_TUNNEL_XDP_META_H

#include "core/config.h"
#include "tunnel/outer.h"

struct xdp_meta {
	__u32 secret[2]; /* low half, high half: metadata is aligned to 4 octets */
	__u32 tenant;
	__u32 host;
	struct tsw_mac dst; /* the frame's own destination */
	__u8 tos;	    /* of the outer header */
	__u8 pad;
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct xdp_meta) == 24, "a multiple of 4, at most 32");

static const struct tsw_mac xdp_meta_mac = {{0x02, 0x74, 0x73, 0x77, 0x00, 0x00}};

static __always_inline void xdp_meta_put(struct xdp_meta *meta, const struct tsw_config *cfg,
					 const struct tunnel *t, struct eth *eth)
{
	*meta = (struct xdp_meta){
		.secret = {(__u32)cfg->secret, cfg->secret >> 32},
		.tenant = t->tenant,
		.host = t->host,
		.dst = eth->dst,
		.tos = t->tos,
	};
	eth->dst = xdp_meta_mac;
}

/* True: the frame is one of these; t says whose, and its Ethernet header is right again. */
static __always_inline bool xdp_meta_take(struct __sk_buff *skb, const struct tsw_config *cfg,
					  struct tunnel *t)
{
	struct xdp_meta *meta = TSW_BOUND(skb, struct __sk_buff, data_meta);
	struct eth *eth = skb_data(skb);

	if ((void *)(meta + 1) > skb_data(skb) || meta->secret[0] != (__u32)cfg->secret ||
	    meta->secret[1] != cfg->secret >> 32)
		return false;
	meta->secret[0] = meta->secret[1] = 0;
	*t = (struct tunnel){.tenant = meta->tenant, .host = meta->host, .tos = meta->tos};
	if ((void *)(eth + 1) <= skb_data_end(skb))
		eth->dst = meta->dst;
	return true;
}

#endif
