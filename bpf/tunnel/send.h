/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends a frame to another host. On the fast way BPF writes the outer headers. The slow way leads
 * through the kernel's own tunnel devices. It takes what BPF cannot encapsulate: frames that are a
 * tunnel's already, and frames that are not IP.
 */
#ifndef TSW_BPF_TUNNEL_SEND_H
#define TSW_BPF_TUNNEL_SEND_H

#include "core/drop.h"
#include "tunnel/hop.h"
#include "core/percpu_cache.h"
#include "tunnel/host_pass.h"

/* Fills in both ends and the tenant's encapsulation. False: the tenant or the host is unknown. */
static __always_inline bool tunnel_outer(struct outer *o, const struct tsw_config *cfg, __u32 host)
{
	struct tsw_tenant_stats *from = tenant_cached(o->tenant, cfg);
	struct tsw_host_stats *to = host_cached(host, cfg);
	__u8 family;

	if (!from || !to)
		return false;
	/* A mask, not a comparison, after which the verifier would go through the rest twice. */
	family = to->host.family & 1;
	o->from = from;
	o->to = to;
	o->local = &cfg->local[family];
	o->dport = cfg->port;
	o->encap = from->tenant.encap & 3;
	o->family = family;
	return true;
}

/* The longest IP packet of the tenant, in octets, that fits on the way to that host. */
static __always_inline __u32 tunnel_mtu(const struct outer *o, __u32 underlay_mtu)
{
	__u32 overhead = outer_overhead(o), own = o->from->tenant.cached.mtu;
	__u32 mtu = underlay_mtu > overhead ? underlay_mtu - overhead : 0;

	return own && own < mtu ? own : mtu;
}

/*
 * The kernel's tunnel device for what BPF cannot send; 0: there is no such device. Where the kernel
 * has none for GRE or Geneve, VXLAN's takes its place, since every switch reads VXLAN. A GRE
 * tenant's id may be too large for VXLAN: such a tenant has no device then.
 */
static __always_inline __u32 tunnel_device(const struct tsw_config *cfg, const struct outer *o)
{
	if (o->encap == TSW_ENCAP_GRE) {
		if (cfg->gre[o->family & 1])
			return cfg->gre[o->family & 1];
		if (o->tenant > TSW_VNI_MAX)
			return 0;
	}
	if (o->encap == TSW_ENCAP_GENEVE && cfg->geneve)
		return cfg->geneve;
	return cfg->flags & TSW_CFG_SLOW_PATH ? cfg->tunnel : 0;
}

/*
 * The kernel routes what its tunnel device sends. If the frame must be encrypted, tsw_to_wire does
 * that at the underlay's egress: so the route must lead to a device of the underlay.
 */
static __noinline bool tunnel_is_caught(struct __sk_buff *skb, const struct tsw_config *cfg,
					const struct outer *o)
{
	struct bpf_fib_lookup fib;
	int ret;

	if (!(o->to->host.flags & TSW_CACHED_ENCRYPT))
		return true;
	hop_question(&fib, cfg, o);
	ret = bpf_fib_lookup(skb, &fib, sizeof(fib), 0);
	return (ret == BPF_FIB_LKUP_RET_SUCCESS || ret == BPF_FIB_LKUP_RET_NO_NEIGH) &&
	       hop_underlay(cfg, fib.ifindex);
}

/* Tells the kernel's tunnel device the destination. Not inlined, to save stack. */
static __noinline int tunnel_set_key(struct __sk_buff *skb, const struct outer *o)
{
	struct bpf_tunnel_key key = {
		.tunnel_id = o->tenant,
		.tunnel_tos = o->tos & 0xfc, /* DSCP; the device adds the inner ECN */
		.tunnel_ttl = OUTER_TTL,
	};
	__u64 flags = BPF_F_ZERO_CSUM_TX | BPF_F_DONT_FRAGMENT;

	if (o->family == TSW_IPV6) {
		key.tunnel_label = o->hash & FLOW_LABEL;
		__builtin_memcpy(key.local_ipv6, o->local, sizeof(key.local_ipv6));
		__builtin_memcpy(key.remote_ipv6, &o->to->host.addr, sizeof(key.remote_ipv6));
		flags |= BPF_F_TUNINFO_IPV6;
	} else {
		key.local_ipv4 = bpf_ntohl(o->local->w[3]);
		key.remote_ipv4 = bpf_ntohl(o->to->host.addr.w[3]);
	}
	return bpf_skb_set_tunnel_key(skb, &key, sizeof(key), flags);
}

/* Does the kernel have a device for the tenant's own encapsulation, without a stand-in? */
static __always_inline bool tunnel_is_own(const struct tsw_config *cfg, const struct outer *o)
{
	if (o->encap == TSW_ENCAP_GRE)
		return cfg->gre[o->family & 1];
	if (o->encap == TSW_ENCAP_GENEVE)
		return cfg->geneve;
	return cfg->flags & TSW_CFG_SLOW_PATH;
}

static __noinline int tunnel_send_slow(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct outer *o)
{
	__u32 device = tunnel_device(cfg, o);

	if (!device)
		return drop(TSW_DROP_NO_SLOW_PATH);
	if (!tunnel_is_caught(skb, cfg, o))
		return drop(TSW_DROP_NOT_ENCRYPTED);
	if (tunnel_set_key(skb, o))
		return drop(TSW_DROP_INTERNAL);
	bpf_redirect(device, 0);
	return REDIRECT;
}

/*
 * Sends a frame that is not IP where the kernel has no device of the tenant's encapsulation. The
 * neighbour's MAC is written here: redirect_neigh goes by skb->protocol, which is still the inner
 * type. NEXT: the neighbour is not known yet, but the stand-in device makes the kernel ask for it.
 */
static __noinline int tunnel_send_other(struct __sk_buff *skb, const struct tsw_config *cfg,
					const struct frame *f, struct outer *o)
{
	struct bpf_fib_lookup fib;
	int unresolved = hop_route(skb, cfg, o, &fib);

	if (unresolved > 0 && tunnel_device(cfg, o))
		return NEXT;
	if (unresolved)
		return drop(TSW_DROP_NO_ROUTE);
	hop_set_macs(o, &fib);
	if (encap_make_room(skb, f, o) || encap_write(skb, f, o) != NEXT)
		return drop(TSW_DROP_INTERNAL);
	bpf_redirect(fib.ifindex, 0);
	return REDIRECT;
}

/* NEXT: the fast way cannot take the frame, which is unchanged. */
static __always_inline int tunnel_send_fast(struct __sk_buff *skb, const struct tsw_config *cfg,
					    const struct frame *f, struct outer *o,
					    const struct tsw_hop *hop)
{
	int verdict;

	o->bare = hop->family == TSW_HOP_BARE;
	if (!frame_is_ip(f) && !o->bare)
		return tunnel_is_own(cfg, o) ? NEXT : tunnel_send_other(skb, cfg, f, o);
	if (encap_make_room(skb, f, o)) /* already encapsulated, by a tunnel in the container */
		return NEXT;
	verdict = encap_write(skb, f, o);
	return verdict == NEXT ? hop_send(skb, hop) : verdict;
}

/*
 * Sends a frame that fits the MTU to a host: by the fast way if that can take it. The pass lets it
 * through tsw_to_wire.
 */
static __always_inline int tunnel_send(struct __sk_buff *skb, const struct tsw_config *cfg,
				       struct frame_id *id, const struct frame *f, struct outer *o)
{
	struct tsw_hop *hop = hop_of(o);
	bool slow;
	int verdict;

	skb->mark = 0; /* a mark set in a container must not choose the host's routes */
	pass_give(skb, cfg, PASS_DOWN);
	verdict = tunnel_send_fast(skb, cfg, f, o, hop);
	slow = verdict == NEXT;
	id->out = slow ? tunnel_device(cfg, o) : hop->ifindex;
	if (slow)
		verdict = tunnel_send_slow(skb, cfg, o);
	if (verdict >= 0)
		count_tx(o->from, o->to, &id->size, slow);
	return verdict;
}

#endif
