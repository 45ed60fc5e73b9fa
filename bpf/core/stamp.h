/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stamp proves to tsw_to_port, the last program before a port, that the switch sent the frame.
 * It is the switch's 64-bit secret, the tenant, and the port that the frame is for. It travels in
 * skb->cb, which neither the host's stack nor another device carries over. On ways through the
 * host's stack a pass takes its place, see tunnel/host_pass.h.
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

/* Erases the whole stamp from a frame that goes on into a container or up the stack. */
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
