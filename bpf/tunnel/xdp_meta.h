/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metadata before a frame that tsw_xdp_native has decapsulated, for tsw_from_wire. It contains the
 * switch's secret, so nothing else is taken for it. The reader erases it, because a container could
 * see it.
 *
 * Until then the frame's destination is a MAC that no device has. If tsw_from_wire is missing, the
 * host's stack takes the frame for another machine's. GRO merges only frames with the same
 * metadata, so all parts of a super-frame have the same tenant and sender.
 *
 * During an upgrade new tsw_from_wire reads metadata of old tsw_xdp_native. If the layout changes,
 * `pad` must show it.
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

/* True: the frame has such metadata. t says whose it is, and its Ethernet header is restored. */
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
