/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uplink that the host's routes and rules choose for a frame. It is looked up before the
 * router, in the host's namespace, and kept for later programs on the same processor, which usually
 * run before another frame comes. They compare the destination.
 */
#ifndef TSW_BPF_GATEWAY_UPLINK_H
#define TSW_BPF_GATEWAY_UPLINK_H

#include "core/config.h"
#include "gateway/maps.h"

#ifndef AF_INET
#define AF_INET 2
#define AF_INET6 10
#endif

struct uplink_way {
	struct bpf_fib_lookup fib;
	struct tsw_addr to;
	__s32 result;  /* BPF_FIB_LKUP_RET_* */
	__u32 came_by; /* ifindex of the uplink by which the world's last frame came */
	/* More than the stack holds. */
	struct tsw_uplink_net net;
	struct tsw_fast lease;
	struct tsw_flow_key flow;
	struct tsw_asked_key asked;
	struct bpf_sock_tuple tuple;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct uplink_way);
} tsw_uplink_way TSW_MAP;

static __always_inline struct uplink_way *uplink_way(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_uplink_way, &zero);
}

/* The way to that address, if it was the last look-up. */
static __always_inline struct uplink_way *uplink_way_to(const struct tsw_addr *to)
{
	struct uplink_way *w = uplink_way();

	return w && addr_equal(&w->to, to) ? w : NULL;
}

static __always_inline bool uplink_is_found(const struct uplink_way *w)
{
	return w->result == BPF_FIB_LKUP_RET_SUCCESS || w->result == BPF_FIB_LKUP_RET_NO_NEIGH;
}

/* NULL: this processor has no room. */
static __noinline struct uplink_way *uplink_find(struct __sk_buff *skb,
						 const struct tsw_config *cfg,
						 const struct frame *f, const struct tsw_addr *to)
{
	struct uplink_way *w = uplink_way();

	if (!w)
		return NULL;
	__builtin_memset(&w->fib, 0, sizeof(w->fib));
	w->to = *to;
	w->fib.family = AF_INET;
	w->fib.l4_protocol = f->proto;
	w->fib.tot_len = 1; /* so that nothing is too long, and mtu_result is the path's */
	w->fib.ifindex = cfg->uplink;
	if (f->eth.type == bpf_htons(ETH_P_IPV6)) {
		w->fib.family = AF_INET6;
		__builtin_memcpy(w->fib.ipv6_src, &f->src, sizeof(f->src));
		__builtin_memcpy(w->fib.ipv6_dst, to, sizeof(*to));
	} else {
		w->fib.tos = f->tos;
		w->fib.ipv4_src = f->src.w[3];
		w->fib.ipv4_dst = to->w[3];
	}
	if (f->l4 && (f->proto == IPPROTO_TCP || f->proto == IPPROTO_UDP)) /* for rules by port */
		bpf_skb_load_bytes(skb, f->l4, &w->fib.sport, 2 * sizeof(w->fib.sport));
	w->result = bpf_fib_lookup(skb, &w->fib, sizeof(w->fib), 0);
	return w;
}

/* Is the path as wide as that? It may be less than its device. */
static __always_inline bool uplink_is_wide(const struct uplink_way *w, __u32 mtu)
{
	return !w->fib.mtu_result || w->fib.mtu_result >= mtu;
}

/*
 * Does the found way's device take such packets? What the host knows of the path does not count:
 * anybody can forge the ICMP error from which it learned that, and the router does not follow it.
 */
static __always_inline bool uplink_takes(struct __sk_buff *skb, const struct uplink_way *w,
					 __u32 mtu)
{
	__u32 of_device = 1;

	return uplink_is_wide(w, mtu) ||
	       (!bpf_check_mtu(skb, w->fib.ifindex, &of_device, 0, 0) && of_device >= mtu);
}

/* The slot of a found way; 0: its device is no uplink. */
static __always_inline __u32 uplink_slot(struct uplink_way *w)
{
	const __u32 *slot;

	/* The kernel puts the next hop in the destination's place. */
	w->net = (struct tsw_uplink_net){.len = 8 * (sizeof(w->net) - sizeof(w->net.len)),
					 .ifindex = w->fib.ifindex};
	if (w->fib.family == AF_INET)
		w->net.addr = addr_from_v4(w->fib.ipv4_dst);
	else
		__builtin_memcpy(&w->net.addr, w->fib.ipv6_dst, sizeof(w->net.addr));
	slot = bpf_map_lookup_elem(&tsw_uplink_slots, &w->net);
	return slot && w->net.ifindex ? *slot : 0;
}

/*
 * The ifindex of the uplink for the time in which bpf_fib_lookup() does not answer because
 * ip_forward is off. 0: the host has no uplink.
 */
static __noinline __u32 uplink_default(void)
{
	const struct tsw_uplink_net any = {.len = TSW_UPLINK_ANY};
	const __u32 *ifindex = bpf_map_lookup_elem(&tsw_uplink_slots, &any);

	return ifindex ? *ifindex : 0;
}

/* The host's device with the address. 0: no uplink has it; NULL: it is not the host's. */
static __always_inline const __u32 *uplink_of(const struct tsw_addr *addr)
{
	struct tsw_addr key = *addr;

	return bpf_map_lookup_elem(&tsw_uplink_addrs, &key);
}

#endif
