/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's share of the memory in which the router's kernel puts fragments together. A fragment
 * takes from it when it comes. It gives that back when it leaves, for then its packet was whole.
 * Time gives back what the kernel throws away.
 *
 * The kernel copies tc_index to a whole packet and to its fragments. So a leaving one has the index
 * of its sender. A packet that only the router cuts into fragments has none.
 *
 * A packet may leave in more fragments than it came in. Such new ones have no queue noted, unlike
 * those that came. Of them only the first and the last give back what the kernel needs beside the
 * octets, because a packet comes in two fragments at least.
 *
 * The world's IPv4 fragments come in while the kernel says that a quarter of the memory is free:
 * many of them leave anew, cut for the tunnel. Those of IPv6, of which the kernel tells nothing,
 * are never cut anew, so they have a share. It is under id 0, which no tenant has, and is four
 * times a tenant's.
 */
#ifndef TSW_BPF_GATEWAY_FAIR_FRAGMENTS_H
#define TSW_BPF_GATEWAY_FAIR_FRAGMENTS_H

#include "core/kernel_skb.h"
#include "gateway/fair.h"

#define FRAGMENTS_TICK 20    /* ns >> 20, about a millisecond, */
#define FRAGMENTS_OCTETS 16  /* gives back so many octets */
#define FRAGMENTS_ROOM 32768 /* ticks: half a MiB, and the time for which Linux waits */
#define FRAGMENT_OWN 1024    /* what the kernel needs beside a fragment's octets, at least */
#define FRAGMENT_HEADERS 34  /* Ethernet's and IPv4's, which a new fragment has once more */
#define FRAGMENTS_TRIES 4    /* where other CPUs take at the same time */
#define FRAGMENT_CAME 1	     /* noted as the queue of one that came */
#define FRAGMENTS_WORLD 0    /* in place of a tenant */
#define FRAGMENTS_TENANTS 4  /* whose shares it has */

static __always_inline __u32 fragment_cost(const struct __sk_buff *skb)
{
	return (skb->len + FRAGMENT_OWN) / FRAGMENTS_OCTETS;
}

static __always_inline __u32 fragments_now(void)
{
	return bpf_ktime_get_ns() >> FRAGMENTS_TICK;
}

/*
 * The ticks until the share is free again. A time that is twice its room away is one of long ago.
 * Once its room does not do, because another CPU's clock may be a tick ahead.
 */
static __always_inline __u32 fragments_used(__u32 full, __u32 now)
{
	const __u32 used = full - now;

	return used <= 2 * FRAGMENTS_ROOM ? used : 0;
}

/*
 * Takes from the share. CPUs that do so at once fill it no further than its room. False: it is
 * full, or other CPUs were faster each time.
 */
static __always_inline bool fragments_take(struct tsw_fair *fair, __u32 cost)
{
	const __u32 now = fragments_now();

	for (__u32 i = 0; i < FRAGMENTS_TRIES; i++) {
		const __u32 was = *(volatile __u32 *)&fair->fragments;
		const __u32 used = fragments_used(was, now) + cost;

		if (used > FRAGMENTS_ROOM)
			return false;
		if (__sync_val_compare_and_swap(&fair->fragments, was, now + used) == was)
			return true;
	}
	return false;
}

/* A tenant's fragment comes. NEXT, or a drop reason. */
static __noinline int fragment_comes(struct __sk_buff *skb, __u32 tenant)
{
	struct tsw_fair *fair = fair_of(tenant);

	if (!fair)
		return NEXT;
	if (!fragments_take(fair, fragment_cost(skb)))
		return drop(TSW_DROP_FRAGMENTS_FULL);
	/* The kernel writes the class over the index as the program ends. */
	skb->tc_classid = skb->tc_index = skb->mark & TSW_MARK_INDEX;
	skb->queue_mapping = FRAGMENT_CAME;
	return NEXT;
}

/* Is it neither the first nor the last of its packet? */
static __noinline bool fragment_is_middle(struct __sk_buff *skb)
{
	__be16 part = 0;

	bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, frag_off), &part, sizeof(part));
	return part & bpf_htons(IPV4_MORE_FRAGMENTS) && part & bpf_htons(IPV4_OFFSET);
}

/* What a leaving fragment gives back. IPv6's are not more than came. */
static __noinline __u32 fragment_gain(struct __sk_buff *skb)
{
	if (skb->queue_mapping == FRAGMENT_CAME || skb->protocol != bpf_htons(ETH_P_IP) ||
	    skb->len < FRAGMENT_HEADERS || !fragment_is_middle(skb))
		return fragment_cost(skb);
	return (skb->len - FRAGMENT_HEADERS) / FRAGMENTS_OCTETS;
}

/* A fragment of the world comes. NEXT, or a drop reason. */
static __noinline int fragment_of_world(struct __sk_buff *skb)
{
	struct tsw_fair *fair;

	if (skb->protocol == bpf_htons(ETH_P_IP))
		return kernel_skb_fragments_fill(skb) ? drop(TSW_DROP_FRAGMENTS_FULL) : NEXT;
	fair = fair_of(FRAGMENTS_WORLD);
	return !fair || fragments_take(fair, fragment_cost(skb) / FRAGMENTS_TENANTS)
		       ? NEXT
		       : drop(TSW_DROP_FRAGMENTS_FULL);
}

/* A fragment leaves the router. Without an index it is the world's, or is cut by the router. */
static __noinline int fragment_leaves(struct __sk_buff *skb)
{
	const struct tsw_mark *of = mark_get(skb->tc_index);
	const bool world = !skb->tc_index && skb->protocol != bpf_htons(ETH_P_IP);
	struct tsw_fair *fair = of || world ? fair_of(of ? of->tenant : FRAGMENTS_WORLD) : NULL;
	__u32 used, gain;

	if (!fair)
		return 0;
	gain = fragment_gain(skb) / (world ? FRAGMENTS_TENANTS : 1);
	used = fragments_used(fair->fragments, fragments_now());
	__sync_fetch_and_add(&fair->fragments, -(used < gain ? used : gain));
	return 0;
}

#endif
