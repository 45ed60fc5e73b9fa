/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks the kernel's conntrack, before it sees a frame, whose flow it would take the frame for. Its
 * state machine runs before any nftables rule can drop.
 */
#ifndef TSW_BPF_GATEWAY_CT_WHOSE_H
#define TSW_BPF_GATEWAY_CT_WHOSE_H

#include "gateway/proof.h"
#include "core/parse.h"

/*
 * Does the TCP packet make sense only in an existing flow, as SYN+ACK and RST do? Conntrack makes
 * no flow of these. But the flow that it would hit may begin on another processor, between this
 * check and conntrack's own.
 */
static __always_inline bool ct_needs_flow(struct __sk_buff *skb, const struct frame *f)
{
	__u8 flags = 0;

	if (f->proto != IPPROTO_TCP)
		return false;
	bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	if ((flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK))
		return true;
	/* Without zones the tenant's own flow is not found in its original direction. */
	return flags & TCP_RST && ct_has_zones();
}

static __always_inline void ct_tuple(const struct frame *f, const __be16 ports[2],
				     struct bpf_sock_tuple *tuple)
{
	if (f->eth.type == bpf_htons(ETH_P_IP)) {
		tuple->ipv4.saddr = f->src.w[3];
		tuple->ipv4.daddr = f->dst.w[3];
		tuple->ipv4.sport = ports[0];
		tuple->ipv4.dport = ports[1];
		return;
	}
	__builtin_memcpy(tuple->ipv6.saddr, &f->src, sizeof(tuple->ipv6.saddr));
	__builtin_memcpy(tuple->ipv6.daddr, &f->dst, sizeof(tuple->ipv6.daddr));
	tuple->ipv6.sport = ports[0];
	tuple->ipv6.dport = ports[1];
}

/* Is there a flow that the frame belongs to, in direction dir? *own: it is this tenant's. */
static __always_inline bool ct_find(struct __sk_buff *skb, const struct frame *f,
				    const __be16 ports[2], struct ct_opts *opts, __u32 tenant,
				    bool *own)
{
	const __u32 dir = opts->dir;
	struct bpf_sock_tuple tuple = {};
	struct nf_conn *ct;

	ct_tuple(f, ports, &tuple);
	if (f->eth.type == bpf_htons(ETH_P_IP))
		ct = opts->zone ? bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv4), opts,
						    CT_ZONED_LEN)
				: bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv4), opts,
						    CT_OPTS_LEN);
	else
		ct = opts->zone ? bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv6), opts,
						    CT_ZONED_LEN)
				: bpf_skb_ct_lookup(skb, &tuple, sizeof(tuple.ipv6), opts,
						    CT_OPTS_LEN);
	if (!ct)
		return false;
	*own = proof_is_of(ct, tenant);
	bpf_ct_release(ct);
	return opts->dir == dir;
}

/*
 * Whose flow would conntrack take a TCP or UDP frame for, that tenant sends with this index? A flow
 * of its own zone comes first, as in conntrack. Before Linux 6.11 the kernel cannot be asked about
 * zones, so another tenant's equal flow counts. For frames that pass either way, only ask finds out
 * whether the tenant has a flow.
 */
static __noinline int ct_whose(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
			       __u32 index, bool ask)
{
	struct ct_opts opts = {.netns_id = -1, .l4proto = f->proto, .dir = CT_REPLY};
	__be16 ports[2];
	bool found, needs, own = false;

	if (!tsw_has_conntrack)
		return CT_NONE;
	if (bpf_skb_load_bytes(skb, f->l4, ports, sizeof(ports)))
		return CT_NONE;
	found = ct_find(skb, f, ports, &opts, tenant, &own);
	if (found && own)
		return CT_OWN;
	/* A packet that needs a flow and has none is refused, whoever the flow would belong to. */
	needs = found || ct_needs_flow(skb, f);
	if (!ct_has_zones() || (!needs && !f->fragment && !ask))
		return needs ? CT_FOREIGN : CT_NONE;
	opts = (struct ct_opts){
		.netns_id = -1, .l4proto = f->proto, .zone = index, .zone_dir = CT_ZONE_ORIGINAL};
	if (ct_find(skb, f, ports, &opts, tenant, &own))
		return CT_OWN;
	return needs ? CT_FOREIGN : CT_NONE;
}

#endif
