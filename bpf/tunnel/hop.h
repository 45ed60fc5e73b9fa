/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way to another host by the kernel's FIB. The question names tsw-vx as the device, because the
 * helper wants one that forwards, and the host's devices need not.
 */
#ifndef TSW_BPF_TUNNEL_HOP_H
#define TSW_BPF_TUNNEL_HOP_H

#include "core/config.h"
#include "tunnel/crypt.h"
#include "tunnel/encap.h"
#include "core/stats.h"

/* The MTU of each other host's underlay; 0 or no entry: not known. The command alone uses it. */
TSW_HASH(tsw_host_mtus, __u32, __u32);

#define HOP_JIFFIES 4 /* lifetime of the FIB's answer: 4 to 40 ms */

/* The underlay device with this index, or NULL. */
static __always_inline const struct tsw_underlay *hop_underlay(const struct tsw_config *cfg,
							       __u32 ifindex)
{
	for (int i = 0; i < TSW_UNDERLAYS; i++)
		if (cfg->underlay[i].ifindex == ifindex)
			return &cfg->underlay[i];
	return NULL;
}

/*
 * Asks for UDP with a source port and a flow label of the flow's share. GRE and Geneve ask the same
 * question, so their flows take the same ways.
 */
static __always_inline void hop_question(struct bpf_fib_lookup *fib, const struct tsw_config *cfg,
					 const struct outer *o)
{
	*fib = (struct bpf_fib_lookup){
		.family = o->family == TSW_IPV6 ? AF_INET6 : AF_INET,
		.l4_protocol = IPPROTO_UDP,
		.sport = bpf_htons(outer_sport(o->hash % TSW_HOPS)),
		.dport = o->dport,
		.tot_len = 1, /* otherwise it measures this skb, which is not the tunnel's frame */
		.ifindex = cfg->tunnel,
	};
	if (o->family == TSW_IPV6) {
		fib->flowinfo = bpf_htonl(o->hash % TSW_HOPS);
		__builtin_memcpy(fib->ipv6_src, o->local, sizeof(fib->ipv6_src));
		__builtin_memcpy(fib->ipv6_dst, &o->to->host.addr, sizeof(fib->ipv6_dst));
	} else {
		fib->ipv4_src = o->local->w[3];
		fib->ipv4_dst = o->to->host.addr.w[3];
	}
}

/*
 * Returns 0 with the next hop and its Ethernet address. 1: the address must be resolved first
 * (AF_UNSPEC: the next hop, too). Otherwise a drop reason. For TSW_HOP_BARE there is only the
 * device.
 */
static __always_inline int hop_route(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct outer *o, struct bpf_fib_lookup *fib)
{
	const struct tsw_underlay *dev;
	int ret;

	hop_question(fib, cfg, o);
	if (o->to->host.flags & TSW_CACHED_ENCRYPT) {
		fib->family = TSW_HOP_BARE;
		fib->ifindex = crypt_device(o->to->host.flags);
		return fib->ifindex ? 0 : drop(TSW_DROP_NOT_ENCRYPTED);
	}
	ret = bpf_fib_lookup(skb, fib, sizeof(*fib), 0);
	if (ret == BPF_FIB_LKUP_RET_FWD_DISABLED) {
		/* Somebody turned forwarding off, for tsw-vx too. The sender asks again. */
		fib->family = AF_UNSPEC;
		fib->ifindex = cfg->underlay[0].ifindex;
		return 1;
	}
	dev = hop_underlay(cfg, fib->ifindex);
	if ((ret != BPF_FIB_LKUP_RET_SUCCESS && ret != BPF_FIB_LKUP_RET_NO_NEIGH) || !dev)
		return drop(TSW_DROP_NO_ROUTE);
	if (dev->flags & TSW_UNDERLAY_BARE) {
		fib->family = TSW_HOP_BARE;
		return 0;
	}
	return ret == BPF_FIB_LKUP_RET_NO_NEIGH;
}

/* hop_route() without its answer's details. */
static __noinline int hop_probe(struct __sk_buff *skb, const struct tsw_config *cfg,
				const struct outer *o)
{
	struct bpf_fib_lookup fib;

	return hop_route(skb, cfg, o, &fib);
}

/*
 * Asks for the way and its MTU. The MTU is the device's, or what the command has read: the route's
 * configured one, or that of the other host's underlay. The answer's mtu_result is not used: it may
 * come from an ICMP error, which anybody can forge, and the answer does not show where it is from.
 */
static __noinline int hop_ask(struct __sk_buff *skb, const struct tsw_config *cfg,
			      const struct outer *o, struct tsw_hop *hop)
{
	struct bpf_fib_lookup fib;
	int unresolved;
	__u32 mtu = 0, configured = o->to->host.cached.mtu;

	hop->until = 0;
	unresolved = hop_route(skb, cfg, o, &fib);
	if (unresolved < 0)
		return unresolved;
	bpf_check_mtu(skb, fib.ifindex, &mtu, 0, 0);
	if (!mtu &&
	    fib.family == TSW_HOP_BARE) /* the device is gone; it is probably one that encrypts */
		return drop(TSW_DROP_NOT_ENCRYPTED);
	if (configured && configured < mtu)
		mtu = configured;
	hop->mtu = mtu;
	hop->ifindex = fib.ifindex;
	hop->family = fib.family;
	hop->waits = unresolved;
	__builtin_memcpy(hop->addr, fib.ipv6_dst, sizeof(hop->addr));
	hop->until = bpf_jiffies64() + HOP_JIFFIES;
	return NEXT;
}

/* This CPU's copy of the answer for a frame's flow. */
static __always_inline struct tsw_hop *hop_of(const struct outer *o)
{
	return &o->to->hop[o->hash % TSW_HOPS];
}

/*
 * Is the copy fresh, and for this family? Another address of the host may be preferred by now. An
 * IPv6 frame has no IPv4 neighbour and would be dropped. An IPv4 frame may use either (RFC 8950).
 */
static __always_inline bool hop_holds(const struct tsw_hop *hop, const struct outer *o)
{
	return hop->until > bpf_jiffies64() && !(o->family == TSW_IPV6 && hop->family == AF_INET);
}

/* Asks again unless the copy is fresh: routes are followed within milliseconds. */
static __always_inline int hop_get(struct __sk_buff *skb, const struct tsw_config *cfg,
				   const struct outer *o, struct tsw_hop *hop)
{
	if (hop_holds(hop, o))
		return NEXT;
	return hop_ask(skb, cfg, o, hop);
}

/* Writes the Ethernet addresses for frames that do not go by redirect_neigh. */
static __always_inline void hop_set_macs(struct outer *o, const struct bpf_fib_lookup *fib)
{
	__builtin_memcpy(&o->dst, fib->dmac, sizeof(o->dst));
	__builtin_memcpy(&o->src, fib->smac, sizeof(o->src));
}

/*
 * Removes the frame's route. A frame that waited for its neighbour is sent by the route that it
 * carries, and a frame from the gateway carries the route to tsw-gw. A tunnel key replaces the
 * route and leads nowhere, so the frame goes to the neighbour that it waited for.
 *
 * The kernel could route the frame instead. But of two equal routes it may take the other one, and
 * this function asks for its neighbour.
 */
static __noinline void hop_forget_route(struct __sk_buff *skb)
{
	static const struct bpf_tunnel_key none; /* the stack is short */

	bpf_skb_set_tunnel_key(skb, (void *)&none, sizeof(none), 0);
}

/* Sends an encapsulated frame by the kernel's neighbour, which this keeps confirmed. */
static __always_inline int hop_send(struct __sk_buff *skb, const struct tsw_hop *hop)
{
	struct bpf_redir_neigh to = {.nh_family = hop->family};

	if (hop->family == TSW_HOP_BARE) {
		bpf_redirect(hop->ifindex, 0); /* the kernel takes the Ethernet header off */
		return REDIRECT;
	}
	if (hop->family == AF_UNSPEC) {
		bpf_redirect_neigh(hop->ifindex, NULL, 0, 0);
		return REDIRECT;
	}
	if (hop->waits)
		hop_forget_route(skb);
	__builtin_memcpy(to.ipv6_nh, hop->addr, sizeof(to.ipv6_nh));
	bpf_redirect_neigh(hop->ifindex, &to, sizeof(to), 0);
	return REDIRECT;
}

#endif
