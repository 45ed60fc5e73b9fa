/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learns flows where frames leave the router, for the world or a tenant. There the program sees a
 * frame's conntrack entry, so it knows how the frame came and how it leaves. That makes a lease for
 * the frames after it.
 */
#ifndef TSW_BPF_GATEWAY_FAST_LEARN_H
#define TSW_BPF_GATEWAY_FAST_LEARN_H

#include "gateway/fast_grant.h"
#include "gateway/proof.h"
#include "gateway/kernel_ct.h"
#include "core/tenant.h"
#include "gateway/uplink.h"

#define MTU_METRIC 1 /* RTAX_MTU, which counts from 1 */
#define METRICS_FLAGS 3UL
#define NO_REFERENCE 1UL /* SKB_DST_NOREF */

/* The MTU by which the kernel forwards the frame: the device's or the route's. */
static __noinline __u32 way_mtu(struct __sk_buff *skb)
{
	const struct sk_buff *kskb = (const void *)skb;
	const struct net_device *dev = NULL;
	unsigned long ref = 0, metrics = 0;
	const struct dst_entry *dst;
	const __u32 *metric;
	__u32 mtu = 0, own = 0;

	CT_GET(dev, kskb->dev);
	CT_GET(mtu, dev->mtu);
	CT_GET(ref, kskb->_skb_refdst);
	dst = (const void *)(ref & ~NO_REFERENCE);
	if (dst)
		CT_GET(metrics, dst->_metrics);
	metric = (const void *)(metrics & ~METRICS_FLAGS);
	if (metric)
		bpf_probe_read_kernel(&own, sizeof(own), &metric[MTU_METRIC]);
	return own && own < mtu ? own : mtu;
}

/* Did conntrack alone translate the frame? Then its original flow is known. */
static __always_inline bool learn_reads(struct learning *l, const struct nf_conn *ct, __u32 sender)
{
	const bool reply = l->info == CT_INFO_REPLY;

	ct_key(ct, !reply, &l->key);
	if (!flow_answers(&l->left, &l->key))
		return false;
	ct_key(ct, reply, &l->came);
	l->came.tenant = sender;
	return true;
}

/* Is the gateway served here, with `fast` on? */
static __always_inline bool fast_is_on(__u32 tenant)
{
	struct tsw_gateway *gw = gateway_get(tenant);

	return gw && !gw->host && !(gw->flags & TSW_GATEWAY_SLOW);
}

/* Is the fast way off for this peer? Its gateway may be on another host. */
static __always_inline bool fast_is_off(__u32 peer)
{
	struct tsw_gateway *gw = gateway_get(peer);

	return gw && gw->flags & TSW_GATEWAY_SLOW;
}

/*
 * Does the connection belong to the tenant of its mark? Like tsw_proof(), with less stack. A
 * connection that the world began must come by a published port, and lead to where the answer came
 * from.
 */
static __always_inline bool learn_is_proven(const struct nf_conn *ct, const struct learning *l,
					    __u32 tenant)
{
	struct tsw_publish_key key = {};
	const struct tsw_publish *port;

	if ((l->mark & TSW_MARK_CLASS) != TSW_CT_PUBLISHED)
		return proof_zone(ct) == (l->mark & TSW_MARK_INDEX);
	key.family = addr_is_v4mapped(&l->left.src) ? TSW_IPV4 : TSW_IPV6;
	key.proto = l->left.proto;
	key.port = bpf_ntohs(l->left.sport);
	port = bpf_map_lookup_elem(&tsw_publish, &key);
	return port && port->tenant == tenant && port->port == bpf_ntohs(l->came.sport) &&
	       addr_equal(&port->addr, &l->came.src);
}

/*
 * Takes the uplink that was found when the frame came, if its neighbour is known and it has the
 * source address.
 */
static __always_inline bool learn_uplink(struct __sk_buff *skb, struct learning *l)
{
	const struct uplink_way *w = uplink_way_to(&l->left.dst);
	const __u32 *own = uplink_of(&l->left.src);

	if (!w || w->result != BPF_FIB_LKUP_RET_SUCCESS || (own && *own && *own != w->fib.ifindex))
		return false;
	l->to.out = w->fib.ifindex;
	l->to.mtu = way_mtu(skb);
	/* The device is in the host: the next frame asks there. */
	l->to.asked = uplink_is_wide(w, l->to.mtu) ? bpf_ktime_get_coarse_ns() + TSW_FAST_ASK : 0;
	__builtin_memcpy(&l->to.hw_dst, w->fib.dmac, sizeof(l->to.hw_dst));
	__builtin_memcpy(&l->to.hw_src, w->fib.smac, sizeof(l->to.hw_src));
	return true;
}

/*
 * Learns a tenant's frame to the world: of its own connection, or an answer at its published port.
 */
static __always_inline void learn_world(struct __sk_buff *skb, const struct frame *f,
					const struct nf_conn *ct, struct learning *l)
{
	const __u32 class = l->mark & TSW_MARK_CLASS;
	const bool answers = class == TSW_CT_PUBLISHED || class == TSW_CT_EXPECTED;
	struct tsw_mark *whose = mark_get(l->mark & TSW_MARK_INDEX);

	if (!whose || whose->peer || !(answers || class == TSW_CT_OUT) ||
	    answers != (l->info == CT_INFO_REPLY) || !learn_reads(l, ct, whose->tenant) ||
	    !learn_is_proven(ct, l, whose->tenant))
		return;
	/* The end of a connection removes both leases before later frames come. */
	if (frame_ends(skb, f)) {
		fast_forget(l);
	} else if (fast_is_on(whose->tenant) && ct_is_plain(skb, ct, f->proto)) {
		l->to.mark = l->to.in = 0;
		if (learn_uplink(skb, l))
			fast_grant(l, ct);
	}
}

/* The tenant's own MTU may be less than that of tsw-gw. */
static __always_inline __u32 port_mtu(struct __sk_buff *skb, __u32 tenant)
{
	const struct tsw_tenant *its = tenant_get(tenant);
	const __u32 mtu = way_mtu(skb);

	return its && its->mtu && its->mtu < mtu ? its->mtu : mtu;
}

/* A vip may be another endpoint's before the lease ends, so its lease names no port. */
static __always_inline bool learn_is_vip(__u32 tenant, const struct frame *f)
{
	const struct tsw_addr dst =
		f->dst; /* Linux 6.1 takes no global function's argument as a key */
	const struct tsw_addr_owner *owner = addr_listed(tenant, &dst);

	return owner && owner->kind == TSW_ADDR_VIP;
}

/*
 * Learns a frame to the tenant from the world, or from peer if it is not 0. The lease has the port
 * already.
 */
static __always_inline void learn_tenant(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
					 __u32 peer, const struct nf_conn *ct, struct learning *l)
{
	const struct uplink_way *w = uplink_way();

	l->left.tenant = tenant;
	l->to.in = peer || !w ? 0 : w->came_by;
	if (!learn_reads(l, ct, peer))
		return;
	if (frame_ends(skb, f)) {
		fast_forget(l);
	} else if (fast_is_on(tenant) && !(peer && fast_is_off(peer)) &&
		   ct_is_plain(skb, ct, f->proto)) {
		if (learn_is_vip(tenant, f))
			l->to.out = 0;
		l->to.asked = 0;
		l->to.mark = skb->mark;
		l->to.mtu = port_mtu(skb, tenant);
		l->to.hw_dst = f->eth.dst;
		l->to.hw_src = f->eth.src;
		fast_grant(l, ct);
	}
}

/*
 * Is it the first frame, or one of this host's first answers to a connection that the world began?
 * The latter did not pass here.
 */
static __always_inline bool ct_begins(unsigned long nfct, bool ours)
{
	const __u32 info = nfct & CT_INFO;

	return info == CT_INFO_NEW || info == CT_INFO_RELATED ||
	       (info == CT_INFO_REPLY && !ours && !(ct_status(ct_entry(nfct)) & CT_ASSURED));
}

/*
 * At the egress of an uplink. The host's own frames are checked only where they begin a flow.
 * Global: verified once for both programs that call it.
 */
__noinline int tsw_learn_world(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();
	const unsigned long nfct = ct_of(skb);
	const struct nf_conn *ct = ct_entry(nfct);
	const __u32 mark = nfct ? ct_mark(ct) : 0;
	const bool ours = (mark & CT_CLASSES) == TSW_CT_OUT;
	const bool begins = nfct && ct_begins(nfct, ours);
	struct learning *l;
	struct frame f;

	if (!nfct || !cfg || !(ours || begins) || parse_frame(skb, 0, &f) != NEXT)
		return 0;
	l = learn_begin();
	if (!l)
		return 0;
	l->mark = mark;
	l->info = nfct & CT_INFO;
	l->to.generation = cfg->generation;
	if (flow_read(skb, &f, &l->left)) {
		flow_turn(&l->left, &l->key);
		if (begins)
			fast_evict(l);
		else
			learn_world(skb, &f, ct, l);
	}
	learn_end(l);
	return 0;
}

/*
 * At the egress of tsw-gw: a frame to a tenant, with the Ethernet addresses for the endpoint. peer:
 * the sender, 0: the world. port: the endpoint's port; 0: it is on another host.
 */
__noinline int tsw_learn_tenant(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
				__u32 peer, __u32 port)
{
	struct tsw_config *cfg = config_get();
	const unsigned long nfct = ct_of(skb);
	const struct nf_conn *ct = ct_entry(nfct);
	struct learning *l;

	if (!cfg || !f || !nfct || (nfct & CT_INFO) == CT_INFO_NEW ||
	    (nfct & CT_INFO) == CT_INFO_RELATED || (ct_mark(ct) & CT_CLASSES) != TSW_CT_OUT ||
	    (!peer && skb->ingress_ifindex == skb->ifindex))
		return 0;
	l = learn_begin();
	if (!l)
		return 0;
	l->info = nfct & CT_INFO;
	l->to.generation = cfg->generation;
	l->to.out = peer ? 0 : port;
	if (flow_read(skb, f, &l->left))
		learn_tenant(skb, f, tenant, peer, ct, l);
	learn_end(l);
	return 0;
}

#endif
