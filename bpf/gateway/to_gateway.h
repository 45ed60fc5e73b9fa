/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's frame that comes over to the router: it may not enter another tenant's flow, nor take
 * more than its share.
 */
#ifndef TSW_BPF_GATEWAY_TO_GATEWAY_H
#define TSW_BPF_GATEWAY_TO_GATEWAY_H

#include "gateway/crossing.h"
#include "gateway/ct_whose.h"
#include "gateway/fair_enter.h"
#include "gateway/fair_fragments.h"
#include "gateway/proof.h"
#include "core/measure.h"
#include "gateway/uplink.h"

#define FAIR_QUEUED 1  /* it has been here before */
#define FAIR_UNKNOWN 2 /* conntrack has no such connection of the tenant's */

static __always_inline bool mark_is_in(__u32 mark)
{
	__u32 class = mark & TSW_MARK_CLASS;

	return class == TSW_MARK_TENANT || class == TSW_MARK_HELD || class == TSW_MARK_SELF ||
	       class == TSW_MARK_NAMES;
}

/* Has the frame no hop left? The kernel then answers, and limits such answers for all together. */
static __always_inline bool to_gateway_expires(struct __sk_buff *skb, const struct frame *f)
{
	__u8 left = f->hop_limit;

	if (f->eth.type == bpf_htons(ETH_P_IP) &&
	    bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, ttl), &left, sizeof(left)))
		return false;
	return left <= 1;
}

/*
 * Does it matter whether conntrack has the connection? It does for a frame that ends it or that
 * goes no further. Global: the verifier goes through it once.
 */
__noinline int tsw_conn_asks(struct __sk_buff *skb, const struct frame *f)
{
	return f && (frame_ends(skb, f) || to_gateway_expires(skb, f));
}

/*
 * Keeps frames of foreign flows away from conntrack. Of fragmented TCP only frames of the tenant's
 * own known flow pass. Others could wait for the flow that they aim at.
 */
static __always_inline int to_gateway_whose(struct __sk_buff *skb, const struct frame *f,
					    __u32 tenant, __u32 index, __u32 *how)
{
	const bool ask = tsw_conn_asks(skb, f);
	int whose;

	if (f->proto != IPPROTO_TCP && f->proto != IPPROTO_UDP)
		return NEXT;
	whose = ct_whose(skb, f, tenant, index, ask);
	if (whose == CT_FOREIGN ||
	    (tsw_has_conntrack && whose == CT_NONE && f->fragment && f->proto == IPPROTO_TCP))
		return drop(TSW_DROP_FOREIGN_FLOW);
	if (ask && whose == CT_NONE && tsw_has_conntrack && ct_has_zones())
		*how |= FAIR_UNKNOWN;
	return NEXT;
}

/* Takes one place in the table of neighbours, however many frames wait for the answer. */
static __always_inline int to_gateway_neighbour(struct __sk_buff *skb, const struct frame *f,
						const struct conn *c, struct tsw_fair *fair)
{
	const struct tsw_hash_input in = {
		.word = {TSW_ADDR_HIGH(&f->dst), TSW_ADDR_LOW(&f->dst), 0, 0, c->tenant}};
	const __u64 hash = tsw_hash(&in);

	if (!(skb->priority & SLOT_ASKS) || fair_seen(hash, c->now))
		return NEXT;
	if (!fair_take(&fair->neighbours, FAIR_NEIGHBOURS, FAIR_NEIGHBOURS_BURST))
		return drop(TSW_DROP_NEIGHBOURS_FULL);
	fair_see(hash, c->now);
	return NEXT;
}

/*
 * Sends the frame once more through this device's queue, which keeps the mark. Frames of one batch
 * all pass conntrack before the first of them leaves, so each would begin a flow with a port of its
 * own. From the queue they come one after the other.
 */
static __always_inline int to_gateway_again(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();

	if (!cfg || crossing_write(skb, cfg, skb->mark, skb->priority))
		return drop(TSW_DROP_INTERNAL);
	bpf_redirect(skb->ifindex, BPF_F_INGRESS);
	return REDIRECT;
}

/*
 * Checks the share once a tick for each connection and CPU, and for frames that begin or end one. A
 * peering's frames need no neighbour of the host. how: FAIR_*. Global: the verifier goes through it
 * once.
 */
__noinline int tsw_to_gateway_fair(struct __sk_buff *skb, const struct frame *f, __u32 tenant,
				   __u32 peer, __u32 how)
{
	struct conn c = {.tenant = tenant, .gone = how & FAIR_UNKNOWN};
	struct tsw_gateway *gw;
	struct tsw_fair *fair;
	int verdict = NEXT;
	bool expires;

	if (!f)
		return NEXT;
	if (f->l4 && !conn_of(skb, f, &f->dst, false, &c))
		return drop(TSW_DROP_TRUNCATED);
	if (f->l4 && !(c.flags & (TCP_SYN | TCP_FIN | TCP_RST)) && fair_seen(c.hash, c.now))
		return NEXT;
	if (f->proto == IPPROTO_UDP && !(how & FAIR_QUEUED))
		return to_gateway_again(skb);
	gw = gateway_get(c.tenant);
	fair = fair_of(c.tenant);
	if (!gw || !fair)
		return NEXT;
	expires = to_gateway_expires(skb, f);
	if (expires && !fair_take(&fair->errors, FAIR_ERRORS, FAIR_ERRORS_BURST))
		return drop(TSW_DROP_TTL_EXPIRED);
	if (!f->l4)
		return NEXT;
	c.begins = c.begins && !(expires && how & FAIR_UNKNOWN);
	conn_share(&c, gw, frame_is_v6(f), &f->dst, peer);
	if (!peer && !expires)
		verdict = to_gateway_neighbour(skb, f, &c, fair);
	if (verdict == NEXT)
		verdict = tsw_conn_enter(&c);
	if (verdict == NEXT && !(c.flags & TCP_SYN))
		fair_see(c.hash, c.now);
	return verdict;
}

/*
 * A question to the gateway's address counts as a connection to the resolver, where it really goes.
 */
static __always_inline void to_gateway_names(__u32 tenant, struct frame *f)
{
	struct tsw_gateway *gw = gateway_get(tenant);
	const struct tsw_addr *to = gw ? gateway_resolver(gw, frame_is_v6(f)) : NULL;

	if (to)
		f->dst = *to;
}

/* Later fragments have no ports. Without the first one they lead to nothing. */
static __always_inline int to_gateway_flow(struct __sk_buff *skb, const struct tsw_mark *whose,
					   struct frame *f, __u32 how)
{
	const __u32 index = skb->mark & TSW_MARK_INDEX;
	int verdict = f->l4 ? to_gateway_whose(skb, f, whose->tenant, index, &how) : NEXT;

	if (verdict != NEXT || (skb->mark & TSW_MARK_CLASS) == TSW_MARK_SELF)
		return verdict;
	if ((skb->mark & TSW_MARK_CLASS) == TSW_MARK_NAMES)
		to_gateway_names(whose->tenant, f);
	return tsw_to_gateway_fair(skb, f, whose->tenant, whose->peer, how);
}

static __always_inline int to_gateway(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_of_router(skb);
	const __u32 how = skb->mark ? FAIR_QUEUED : 0; /* a frame comes over without a mark */
	struct tsw_mark *whose = NULL;
	struct frame f;
	int verdict;

	if (!cfg || !crossing_take(skb, cfg))
		return crossing_refuse(skb); /* the host's kernel sends MLD reports into tsw-gw */
	if (mark_is_in(skb->mark))
		whose = mark_get(skb->mark & TSW_MARK_INDEX);
	if (!whose)
		return drop(TSW_DROP_NOT_STAMPED);
	id->tenant = whose->tenant;
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	frame_measure(skb, &f, &id->size);
	verdict = to_gateway_flow(skb, whose, &f, how);
	if (verdict == NEXT && f.fragment)
		verdict = fragment_comes(skb, whose->tenant);
	skb->priority &= 0xff; /* the slot alone is for the rules */
	return verdict == NEXT ? PASS : verdict;
}

#endif
