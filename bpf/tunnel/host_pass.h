/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pass: proves to a program that another one of the switch has sent the frame on a way that
 * leads through the host's stack. Up, from the underlay's program to tsw-vx: or whoever forges a
 * VTEP's address in front of some other device would be believed. Down, from the programs or the
 * kernel's tunnel devices to the underlay: or each user of the host could send tunnel frames in its
 * name.
 *
 * skb->cb, where the stamp is, does not survive these ways. The priority and tc_index do: 48 bits.
 * Not the mark, which the host's own rules and routes look at, by bits. No socket sets tc_index. A
 * container's program can, and redirect a frame so that it stays; it would have to guess all bits
 * at once, 2^47 frames on average, each of which is counted.
 *
 * Between a VLAN device and the underlay that it stands on the pass is still on the frame: who
 * listens on that device, as root of the host, sees it there.
 */
#ifndef TSW_BPF_TUNNEL_HOST_PASS_H
#define TSW_BPF_TUNNEL_HOST_PASS_H

#include "core/config.h"
#include "core/hash_keyed.h"

/* A pass for one way is none for the other. */
enum pass { PASS_UP, PASS_DOWN };

static __always_inline __u64 pass_bits(const struct tsw_config *cfg, enum pass way)
{
	return way == PASS_UP ? cfg->pass >> 16 : cfg->pass << 32 | cfg->pass >> 32;
}

static __always_inline void pass_give(struct __sk_buff *skb, const struct tsw_config *cfg,
				      enum pass way)
{
	const __u64 bits = pass_bits(cfg, way);

	skb->priority = (__u32)bits;
	skb->tc_index = (__u16)(bits >> 32);
}

static __always_inline bool pass_has(struct __sk_buff *skb, const struct tsw_config *cfg,
				     enum pass way)
{
	const __u64 bits = pass_bits(cfg, way);

	return skb->priority == (__u32)bits && (__u16)skb->tc_index == (__u16)(bits >> 32);
}

/* The frame is as every other behind it: the pass is taken off. */
static __always_inline bool pass_take(struct __sk_buff *skb, const struct tsw_config *cfg,
				      enum pass way)
{
	if (!pass_has(skb, cfg, way))
		return false;
	skb->priority = 0;
	skb->tc_index = 0;
	return true;
}

/*
 * A question of the agent's (probe.h), which no socket can give a tc_index. A priority like this
 * takes CAP_NET_ADMIN in the namespace that sends. What a container's program gives its frames is
 * none: they came in by a device. 31 bits are enough for it: whoever guesses them makes another
 * host answer this one, and no answer that was not asked for is believed.
 */
static __always_inline bool pass_asks(struct __sk_buff *skb)
{
	struct tsw_hash_input in;

	if (skb->ingress_ifindex)
		return false;
	tsw_ask_input(&in);
	return skb->priority == TSW_ASK_PRIORITY(tsw_hash(&in));
}

/* What ABI 4 had for the way up, believed while its programs make way. */
static __always_inline bool pass_take_old(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	const __u32 mark = (__u32)(cfg->secret ^ cfg->secret >> 32) | 1;

	if (!(cfg->flags & TSW_CFG_OLD_WAY) || skb->mark != mark)
		return false;
	skb->mark = 0;
	return true;
}

#endif
