/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To another host. The fast way writes the VXLAN header here; what BPF cannot do
 * (a frame that is a tunnel's already, anything but IP) goes out through the
 * kernel's own tunnel device.
 */
#ifndef TSW_BPF_TUNNEL_H
#define TSW_BPF_TUNNEL_H

#include <tsw/bpf/host.h>
#include <tsw/bpf/drop.h>
#include <tsw/bpf/tenant.h>
#include <tsw/bpf/vxlan.h>

#define AF_UNSPEC 0
#define AF_INET 2
#define IP_MAX_LEN 65535 /* an outer IPv4 header cannot tell more */

#define HOP_JIFFIES 4 /* how long the FIB's answer is used: 4 to 40 ms */

/* Octets of IP that a tenant's frame may have on the way to a host. */
static __always_inline __u32 tunnel_mtu(const struct tsw_tenant *tenant, __u32 underlay_mtu)
{
	__u32 mtu = underlay_mtu > TSW_VXLAN4_OVERHEAD ? underlay_mtu - TSW_VXLAN4_OVERHEAD : 0;

	return tenant->mtu && tenant->mtu < mtu ? tenant->mtu : mtu;
}

/*
 * Asks the kernel's FIB for the next hop towards a host, as if the frame came
 * from tsw-vx: the helper wants a device that forwards, and the host's own need not.
 * 0 with the neighbour's address, 1 where it must be resolved first (AF_UNSPEC: the next
 * hop too), or a drop reason.
 */
static __always_inline int tunnel_route(struct __sk_buff *skb, const struct tsw_config *cfg,
					const struct tsw_host *host, struct bpf_fib_lookup *fib)
{
	int ret;

	*fib = (struct bpf_fib_lookup){
		.family = AF_INET,
		.l4_protocol = IPPROTO_UDP,
		.tot_len = 1, /* else it measures this skb, which is not the tunnel's frame */
		.dport = cfg->port,
		.ipv4_src = cfg->local.w[3],
		.ipv4_dst = host->addr.w[3],
		.ifindex = cfg->tunnel,
	};
	ret = bpf_fib_lookup(skb, fib, sizeof(*fib), 0);
	if (ret == BPF_FIB_LKUP_RET_FWD_DISABLED) {
		/* Somebody set ip_forward to 0, for tsw-vx too. Who sends asks again. */
		fib->family = AF_UNSPEC;
		return 1;
	}
	if ((ret != BPF_FIB_LKUP_RET_SUCCESS && ret != BPF_FIB_LKUP_RET_NO_NEIGH) ||
	    fib->ifindex != cfg->underlay)
		return drop(TSW_DROP_NO_ROUTE);
	return ret == BPF_FIB_LKUP_RET_NO_NEIGH;
}

static __noinline int tunnel_ask_hop(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct tsw_host *host, struct tsw_hop *hop)
{
	struct bpf_fib_lookup fib;
	int unresolved;
	__u32 mtu = 0;

	hop->until = 0;
	unresolved = tunnel_route(skb, cfg, host, &fib);
	if (unresolved < 0)
		return unresolved;
	bpf_check_mtu(skb, cfg->underlay, &mtu, 0, 0);
	/* The route's own, or what path MTU discovery learned; told with a neighbour only. */
	if (!unresolved && fib.mtu_result < mtu)
		mtu = fib.mtu_result;
	hop->mtu = mtu;
	hop->family = fib.family;
	__builtin_memcpy(hop->addr, fib.ipv6_dst, sizeof(hop->addr));
	hop->until = bpf_jiffies64() + HOP_JIFFIES;
	return NEXT;
}

/* The same from this CPU's copy where that is fresh: routes are followed within milliseconds. */
static __always_inline int tunnel_hop(struct __sk_buff *skb, const struct tsw_config *cfg,
				      const struct tsw_host *host, struct tsw_hop *hop)
{
	if (hop->until > bpf_jiffies64())
		return NEXT;
	return tunnel_ask_hop(skb, cfg, host, hop);
}

/* Where redirect_neigh does not come into it, the Ethernet addresses are written here. */
static __always_inline void outer_set_macs(struct outer *o, const struct bpf_fib_lookup *fib)
{
	__builtin_memcpy(&o->dst, fib->dmac, sizeof(o->dst));
	__builtin_memcpy(&o->src, fib->smac, sizeof(o->src));
}

/* Tells the kernel's tunnel device where the frame is to go. */
static __always_inline int tunnel_set_key(struct __sk_buff *skb, const struct tsw_config *cfg,
					  const struct tsw_host *host, __u32 tenant, __u8 tos)
{
	struct bpf_tunnel_key key = {
		.tunnel_id = tenant,
		.remote_ipv4 = bpf_ntohl(host->addr.w[3]),
		.local_ipv4 = bpf_ntohl(cfg->local.w[3]),
		.tunnel_tos = tos & 0xfc, /* DSCP; the device adds the inner ECN */
		.tunnel_ttl = OUTER_TTL,
	};

	return bpf_skb_set_tunnel_key(skb, &key, sizeof(key),
				      BPF_F_ZERO_CSUM_TX | BPF_F_DONT_FRAGMENT);
}

static __always_inline int tunnel_send_slow(struct __sk_buff *skb, const struct tsw_config *cfg,
					    const struct tsw_host *host, __u32 tenant,
					    const struct frame *f)
{
	if (!(cfg->flags & TSW_CFG_SLOW_PATH))
		return drop(TSW_DROP_NO_SLOW_PATH);
	if (tunnel_set_key(skb, cfg, host, tenant, f->tos))
		return drop(TSW_DROP_INTERNAL);
	bpf_redirect(cfg->tunnel, 0);
	return REDIRECT;
}

/* Encapsulated already: out by the kernel's neighbour, which stays confirmed that way. */
static __always_inline int tunnel_send_ip(const struct tsw_config *cfg, const struct tsw_hop *hop)
{
	struct bpf_redir_neigh to = {.nh_family = hop->family};

	if (hop->family == AF_UNSPEC) {
		bpf_redirect_neigh(cfg->underlay, NULL, 0, 0);
		return REDIRECT;
	}
	__builtin_memcpy(to.ipv6_nh, hop->addr, sizeof(to.ipv6_nh));
	bpf_redirect_neigh(cfg->underlay, &to, sizeof(to), 0);
	return REDIRECT;
}

/*
 * What is not IP, without the kernel's device: redirect_neigh reads skb->protocol, which
 * is not the outer header's, so the neighbour must be known and is written here.
 */
static __noinline int tunnel_send_other(struct __sk_buff *skb, const struct tsw_config *cfg,
					const struct tsw_host *host, const struct frame *f,
					struct outer *o)
{
	struct bpf_fib_lookup fib;

	if (tunnel_route(skb, cfg, host, &fib))
		return drop(TSW_DROP_NO_ROUTE);
	outer_set_macs(o, &fib);
	if (vxlan_make_room(skb, f) || vxlan_write(skb, f, o) != NEXT)
		return drop(TSW_DROP_INTERNAL);
	bpf_redirect(cfg->underlay, 0);
	return REDIRECT;
}

/* Sends a frame that fits to a host, by the fast way if it can go that way. */
static __always_inline int tunnel_send(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct frame_id *id, const struct frame *f,
				       const struct tsw_host *host, struct tsw_host_stats *stats)
{
	struct outer o = {.local = cfg->local.w[3],
			  .remote = host->addr.w[3],
			  .dport = cfg->port,
			  .tenant = id->tenant,
			  .tos = f->tos,
			  .sport = vxlan_sport(skb)};
	bool slow = false;
	int verdict;

	skb->mark = 0; /* a container's own must not choose the host's routes */
	if (frame_is_ip(f) && !vxlan_make_room(skb, f)) {
		verdict = vxlan_write(skb, f, &o);
		if (verdict == NEXT)
			verdict = tunnel_send_ip(cfg, &stats->hop);
	} else if (frame_is_ip(f) || cfg->flags & TSW_CFG_SLOW_PATH) {
		/* Not IP, or the tenant's own tunnel: the frame is as it was. */
		slow = true;
		verdict = tunnel_send_slow(skb, cfg, host, id->tenant, f);
	} else {
		verdict = tunnel_send_other(skb, cfg, host, f, &o);
	}
	if (verdict >= 0)
		count_tx(id->tenant, stats, &id->size, slow);
	return verdict;
}

#endif
