/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pass proves to a program that another program of the switch sent the frame through the host's
 * stack. Up, from the underlay's program to tsw-vx: without it, a forged VTEP address by another
 * device would be believed. Down, from the programs or the kernel's tunnel devices to the underlay:
 * without it, any user of the host could send tunnel frames in its name.
 *
 * skb->cb, where the stamp is, does not survive these ways. The priority and tc_index do: 48 bits.
 * The mark is not used, because the host's rules and routes look at its bits. No socket sets
 * tc_index. A container's program can, and can redirect a frame so that it stays. But it must guess
 * all bits at once: 2^47 frames on average, each of which is counted.
 *
 * Between a VLAN device and its underlay the pass is still on the frame. The host's root can see it
 * there.
 */
#ifndef TSW_BPF_TUNNEL_HOST_PASS_H
#define TSW_BPF_TUNNEL_HOST_PASS_H

#include "core/config.h"
#include "core/hash_keyed.h"

/* A pass for one way is not valid for the other. */
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

/* Takes the pass off, so that the frame looks like any other afterwards. */
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
 * Is it a question of the agent (probe.h)? No socket can give it a tc_index, so a priority marks
 * it. Setting such a priority needs CAP_NET_ADMIN in the sending namespace. Frames of a container
 * do not count, because they came in by a device.
 *
 * 31 bits are enough. A program that guesses them makes another host answer this one, and an answer
 * without a question is not believed.
 */
static __always_inline bool pass_asks(struct __sk_buff *skb)
{
	struct tsw_hash_input in;

	if (skb->ingress_ifindex)
		return false;
	tsw_ask_input(&in);
	return skb->priority == TSW_ASK_PRIORITY(tsw_hash(&in));
}

/* ABI 4's pass for the way up, which is accepted while its programs are replaced. */
static __always_inline bool pass_take_old(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	const __u32 mark = (__u32)(cfg->secret ^ cfg->secret >> 32) | 1;

	if (!(cfg->flags & TSW_CFG_OLD_WAY) || skb->mark != mark)
		return false;
	skb->mark = 0;
	return true;
}

#endif
