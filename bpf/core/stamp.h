/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamp proves to the last program on a frame's way to a port that the switch sent it. It
 * travels in skb->cb, which no stack and no other device carries over: the switch's 64-bit secret,
 * the tenant, and the port it is meant for. Where a way leads through the host's stack there is a
 * pass in its place, see tunnel/host_pass.h.
 */
#ifndef TSW_BPF_CORE_STAMP_H
#define TSW_BPF_CORE_STAMP_H

#include "core/config.h"

static __always_inline void stamp_set(struct __sk_buff *skb, const struct tsw_config *cfg,
				      __u32 tenant, __u32 ifindex)
{
	skb->cb[0] = (__u32)cfg->secret;
	skb->cb[1] = cfg->secret >> 32;
	skb->cb[2] = tenant;
	skb->cb[3] = ifindex;
}

/* Of a frame that goes on into a container as it is. */
static __always_inline void stamp_forget(struct __sk_buff *skb)
{
	skb->cb[0] = 0;
	skb->cb[1] = 0;
	skb->cb[2] = 0;
	skb->cb[3] = 0;
}

static __always_inline bool stamp_has(struct __sk_buff *skb, const struct tsw_config *cfg,
				      __u32 tenant)
{
	return skb->cb[0] == (__u32)cfg->secret && skb->cb[1] == cfg->secret >> 32 &&
	       skb->cb[2] == tenant && skb->cb[3] == skb->ifindex;
}

static __always_inline bool stamp_take(struct __sk_buff *skb, const struct tsw_config *cfg,
				       __u32 tenant)
{
	bool ok = stamp_has(skb, cfg, tenant);

	skb->cb[0] = 0;
	skb->cb[1] = 0;
	return ok;
}

#endif
