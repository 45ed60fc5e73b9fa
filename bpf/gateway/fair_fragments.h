/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's share of the memory in which the router's kernel puts fragments together. A fragment
 * takes from it when it comes. It gives that back when it leaves, for then its packet was whole.
 * Time gives back what the kernel throws away.
 *
 * The kernel copies tc_index to a whole packet and to its fragments. So a leaving one has the index
 * of its sender. A packet that only the router cuts into fragments has none.
 */
#ifndef TSW_BPF_GATEWAY_FAIR_FRAGMENTS_H
#define TSW_BPF_GATEWAY_FAIR_FRAGMENTS_H

#include "gateway/fair.h"

#define FRAGMENTS_TICK 20    /* ns >> 20, about a millisecond, */
#define FRAGMENTS_OCTETS 16  /* gives back so many octets */
#define FRAGMENTS_ROOM 32768 /* ticks: half a MiB, and the time for which Linux waits */
#define FRAGMENT_OWN 1024    /* what the kernel needs beside a fragment's octets, at least */

static __always_inline __u32 fragment_cost(const struct __sk_buff *skb)
{
	return (skb->len + FRAGMENT_OWN) / FRAGMENTS_OCTETS;
}

static __always_inline __u32 fragments_now(void)
{
	return bpf_ktime_get_ns() >> FRAGMENTS_TICK;
}

/* The ticks until the share is free again. A time beyond its room is one of long ago. */
static __always_inline __u32 fragments_used(const struct tsw_fair *fair, __u32 now)
{
	const __u32 used = fair->fragments - now;

	return used <= FRAGMENTS_ROOM ? used : 0;
}

/* A tenant's fragment comes. NEXT, or a drop reason. */
static __noinline int fragment_comes(struct __sk_buff *skb, __u32 tenant)
{
	const __u32 now = fragments_now(), cost = fragment_cost(skb);
	struct tsw_fair *fair = fair_of(tenant);
	__u32 used;

	if (!fair)
		return NEXT;
	used = fragments_used(fair, now);
	if (used + cost > FRAGMENTS_ROOM)
		return drop(TSW_DROP_FRAGMENTS_FULL);
	if (used)
		__sync_fetch_and_add(&fair->fragments, cost);
	else
		fair->fragments = now + cost;
	/* The kernel writes the class over the index as the program ends. */
	skb->tc_classid = skb->tc_index = skb->mark & TSW_MARK_INDEX;
	return NEXT;
}

/* A fragment leaves the router. */
static __noinline int fragment_leaves(struct __sk_buff *skb)
{
	const struct tsw_mark *of = mark_get(skb->tc_index);
	struct tsw_fair *fair = of ? fair_of(of->tenant) : NULL;
	const __u32 cost = fragment_cost(skb);
	__u32 used;

	if (!fair)
		return 0;
	used = fragments_used(fair, fragments_now());
	__sync_fetch_and_add(&fair->fragments, -(used < cost ? used : cost));
	return 0;
}

#endif
