/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs in the router's namespace, except to_gateway.h; and frames that the host sends there. */
#ifndef TSW_BPF_GATEWAY_ROUTER_H
#define TSW_BPF_GATEWAY_ROUTER_H

#include "gateway/fair_fragments.h"
#include "gateway/fair_settle.h"
#include "gateway/fast_learn.h"
#include "gateway/from_gateway.h"
#include "gateway/from_world.h"
#include "gateway/proof.h"
#include "core/measure.h"
#include "policy/hairpin.h"

/*
 * The frame may belong to a connection of two tenants. A tenant's frame to its own published port
 * is no answer.
 */
static __always_inline int leave_gateway_fair(struct __sk_buff *skb, const struct frame *f,
					      const struct tsw_mark *to, __u32 mark)
{
	bool answer = true;

	if (!tsw_has_fast) {
		if (f->proto == IPPROTO_TCP)
			tsw_fair_answer(skb, f, to->tenant, to->peer);
		return NEXT;
	}
	if (to->peer)
		tsw_fair_settle(skb, f, to->peer, to->tenant, false);
	else if (from_gateway_hairpins(skb, to, mark))
		answer = (ct_of(skb) & CT_INFO) == CT_INFO_REPLY;
	return tsw_fair_settle(skb, f, to->tenant, to->peer, answer);
}

/*
 * In the router: a frame that its routing sends to a tenant. Its connection is proved to be the
 * marked tenant's, then it gets a lease and goes over to the host. For a peering, where the
 * connection begins.
 */
static __always_inline int leave_gateway(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_of_router(skb);
	__u32 mark = skb->mark;
	struct tsw_mark *to = mark_is_out(mark) ? mark_get(mark & TSW_MARK_INDEX) : NULL;
	struct way way = {};
	struct frame f;
	int verdict;

	if (!cfg)
		return drop(TSW_DROP_NOT_STAMPED);
	id->tenant = to ? to->tenant : proof_tenant(skb);
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	if (f.fragment)
		fragment_leaves(skb);
	if (!to)
		return mac_is_group(&f.eth.dst) ? CONSUMED : drop(TSW_DROP_NOT_STAMPED);
	frame_measure(skb, &f, &id->size);
	if (!frame_is_ip(&f))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	verdict = proof_of_leaving(skb);
	if (verdict == NEXT)
		verdict = leave_gateway_fair(skb, &f, to, mark);
	if (verdict != NEXT)
		return verdict;
	verdict = from_gateway_way(to, mark, &f, &way);
	if (verdict == drop(TSW_DROP_UNKNOWN_DESTINATION) && vip_is_free(to->tenant, &f.dst))
		return crossing_write(skb, cfg, mark, SLOT_ASKS) ? drop(TSW_DROP_INTERNAL) : PASS;
	if (verdict != NEXT)
		return verdict;
	f.eth.src = way.src;
	f.eth.dst = way.dst;
	if (tsw_has_fast && (mark & TSW_MARK_CLASS) == TSW_MARK_TENANT)
		tsw_learn_tenant(skb, &f, to->tenant, to->peer,
				 way.to.place == TSW_PLACE_PORT ? way.to.id : 0);
	if (from_gateway_hairpins(skb, to, mark))
		verdict = tsw_policy_hairpin(skb, &f, id);
	if (verdict != NEXT)
		return verdict;
	return crossing_write(skb, cfg, mark, 0) ? drop(TSW_DROP_INTERNAL) : PASS;
}

/* The host's own frame to a tenant whose network is routed to tsw-gw. It counts as the world's. */
__noinline int tsw_host_sends(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	struct frame f;

	if (!cfg || !id || parse_frame(skb, 0, &f) != NEXT || !frame_is_ip(&f) ||
	    !world_is_routed(&f.dst))
		return CONSUMED;
	return world_enter(skb, cfg, id, 0);
}

/* The index of the connection's tenant, by conntrack's mark; 0: it has none. */
static __always_inline __u32 leave_world_index(struct __sk_buff *skb)
{
	const unsigned long nfct = tsw_has_fast ? ct_of(skb) : 0;

	return nfct ? ct_mark(ct_entry(nfct)) & TSW_MARK_INDEX : 0;
}

static __always_inline void leave_world_fair(struct __sk_buff *skb, const struct frame *f)
{
	const struct tsw_mark *of = mark_get(leave_world_index(skb));

	if (of && !of->peer)
		tsw_fair_settle(skb, f, of->tenant, 0, false);
}

/* In the router: a frame that leaves for the world. The host learns whose it is. */
static __always_inline int leave_world(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_of_router(skb);
	struct frame f;
	int verdict;

	if (!cfg)
		return drop(TSW_DROP_NOT_STAMPED);
	if (parse_frame(skb, 0, &f) != NEXT || !frame_is_ip(&f) || mac_is_group(&f.eth.dst))
		return CONSUMED;
	if (f.fragment)
		fragment_leaves(skb);
	if (tsw_has_fast) {
		verdict = proof_of_way_out(skb, &f, &id->tenant);
		if (verdict != NEXT)
			return verdict;
		tsw_learn_world(skb);
		leave_world_fair(skb, &f);
	}
	world_note(skb, &f);
	if (tsw_has_conntrack && has_ports(f.proto))
		tsw_expect(skb);
	return crossing_write(skb, cfg, leave_world_index(skb), 0) ? drop(TSW_DROP_INTERNAL) : PASS;
}

/* Is it a fragment, or may it be one? It reads little, because most frames are whole. */
static __noinline bool world_is_fragment(struct __sk_buff *skb)
{
	const __u32 at = ETH_HLEN + offsetof(struct iphdr, frag_off);
	struct frame f;
	__be16 part = 0;

	if (skb->protocol != bpf_htons(ETH_P_IP))
		return parse_frame(skb, 0, &f) != NEXT || f.fragment;
	bpf_skb_load_bytes(skb, at, &part, sizeof(part));
	return part & bpf_htons(IPV4_OFFSET | IPV4_MORE_FRAGMENTS);
}

/* In the router: a frame from the world. */
static __always_inline int enter_world(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_of_router(skb);
	int verdict = NEXT;

	if (!cfg)
		return drop(TSW_DROP_NOT_STAMPED);
	if (!crossing_take(skb, cfg))
		return crossing_refuse(skb);
	if (skb->mark && (skb->mark & TSW_MARK_CLASS) != TSW_MARK_EXPECTED)
		return crossing_refuse(skb);
	if (world_is_fragment(skb))
		verdict = fragment_of_world(skb);
	return verdict == NEXT ? PASS : verdict;
}

#endif
