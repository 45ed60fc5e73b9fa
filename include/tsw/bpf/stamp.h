/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamp proves to the last program on a frame's way that the switch sent it.
 *
 * To a port it travels in skb->cb, which no stack and no other device carries
 * over: the switch's 64-bit secret, the tenant, and the port it is meant for. From
 * the underlay up to tsw-vx cb does not survive the host's UDP stack, but the
 * mark does; a mark is removed when a frame leaves a container's namespace, so
 * only the host itself could set one, and it would have to guess it.
 */
#ifndef TSW_BPF_STAMP_H
#define TSW_BPF_STAMP_H

#include <tsw/bpf/config.h>

static __always_inline void stamp_set(struct __sk_buff *skb, const struct tsw_config *cfg,
				      __u32 tenant, __u32 ifindex)
{
	skb->cb[0] = (__u32)cfg->secret;
	skb->cb[1] = cfg->secret >> 32;
	skb->cb[2] = tenant;
	skb->cb[3] = ifindex;
}

static __always_inline bool stamp_take(struct __sk_buff *skb, const struct tsw_config *cfg,
				       __u32 tenant)
{
	bool ok = skb->cb[0] == (__u32)cfg->secret && skb->cb[1] == cfg->secret >> 32 &&
		  skb->cb[2] == tenant && skb->cb[3] == skb->ifindex;

	skb->cb[0] = 0;
	skb->cb[1] = 0;
	return ok;
}

static __always_inline __u32 tunnel_mark(const struct tsw_config *cfg)
{
	return (__u32)(cfg->secret ^ cfg->secret >> 32) | 1; /* never zero: the unmarked */
}

#endif
