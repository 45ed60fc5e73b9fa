/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's conntrack, asked before it sees a frame: whose is the flow that it would take the
 * frame for? Its state machine runs before any rule of nftables can drop.
 */
#ifndef TSW_BPF_GATEWAY_CT_WHOSE_H
#define TSW_BPF_GATEWAY_CT_WHOSE_H

#include "gateway/proof.h"
#include "core/parse.h"

/*
 * What of TCP is only ever said in a flow that is there: an answer to who begins one, and the end.
 * Of neither does conntrack make a flow; but the one that it is meant for may begin on another
 * processor between the question here and conntrack's own.
 */
static __always_inline bool ct_needs_flow(struct __sk_buff *skb, const struct frame *f)
{
	__u8 flags = 0;

	if (f->proto != IPPROTO_TCP)
		return false;
	bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	if ((flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK))
		return true;
	/* Without zones a tenant's own flow is not found in the direction that it began. */
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

/* Whether there is a flow of which the frame is in direction dir; *own: it is of this tenant. */
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
 * Whose flow conntrack would take a frame of TCP or UDP for that TENANT sends, stamped with INDEX.
 * Its own zone's comes first, as in conntrack; where the kernel cannot be asked for that, before
 * Linux 6.11, an equal flow of another's counts. Of what is let through either way only ASK finds
 * out whether there is a flow of the tenant's.
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
	/* Of what needs one and has none it does not matter whose it would be. */
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
