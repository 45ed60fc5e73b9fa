/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's policy judges a frame at each port that has one: where its endpoint sends, and where
 * it receives a frame of another host or the gateway.
 */
#ifndef TSW_BPF_POLICY_STEP_H
#define TSW_BPF_POLICY_STEP_H

#include "policy/frame.h"
#include "policy/rule.h"
#include "watch/points.h"

#define POLICY_DNS 53
#define IPV4_MULTICAST 0xe0000000U /* multicast, and after it the limited broadcast address */

/*
 * The default, after all rules: members of a group are reached only by rules, and reach others only
 * by rules.
 */
static __always_inline bool policy_default_denies(const struct policy_work *w,
						  const struct tsw_policy *policy)
{
	if (w->to.own || (w->to.serves && w->port == bpf_htons(POLICY_DNS)))
		return false;
	if (policy_is_grouped(&w->from) || policy_is_grouped(&w->to) ||
	    (w->to.all && policy->members))
		return true;
	return policy->deny;
}

static __always_inline bool policy_denies(const struct policy_work *w,
					  const struct tsw_policy *policy)
{
	return w->best.number ? TSW_POLICY_DENIES(w->best.weight)
			      : policy_default_denies(w, policy);
}

/* Asks the rules: the frame begins a connection, or continues one after a change of the policy. */
static __noinline int policy_judge(struct policy_work *w, const struct frame *f,
				   const struct tsw_policy *policy)
{
	policy_ask(w, policy, &f->src, &f->dst);
	w->number = w->best.number;
	w->logs = TSW_POLICY_LOGS(w->best.weight);
	if (policy_denies(w, policy))
		return drop(TSW_DROP_POLICY_DENIED);
	/* The default lets frames pass in both directions, and needs no entry. */
	if (!w->number && !w->to.own && !w->to.serves)
		return NEXT;
	w->conn.generation = w->generation;
	w->conn.number = w->number;
	if (!w->answer)
		w->conn.state = w->from_high ? TSW_POLICY_OF_HIGH : 0;
	w->conn.state = policy_state(w, w->conn.state);
	w->conn.until = w->now + policy_ticks(w, w->conn.state);
	return policy_keep(w);
}

/* A later fragment goes where the first one went. */
static __noinline int policy_later(struct __sk_buff *skb, const struct frame *f,
				   struct policy_work *w, const struct tsw_policy *policy)
{
	int verdict = policy_fragment(skb, f, w);

	if (verdict != NEXT)
		return verdict;
	if (policy_find(w, policy) != POLICY_KNOWN || policy_is_answer(w, w->conn.state))
		return drop(TSW_DROP_POLICY_DENIED);
	w->number = w->conn.number;
	return NEXT;
}

/* Notes that a packet's first fragment has passed. */
static __noinline int policy_first(struct __sk_buff *skb, const struct frame *f,
				   struct policy_work *w, const struct tsw_policy *policy)
{
	int verdict = policy_fragment(skb, f, w);

	if (verdict != NEXT)
		return verdict;
	policy_find(w, policy); /* the same id may come again */
	w->conn.generation = w->generation;
	w->conn.number = w->number;
	w->conn.state = w->from_high ? TSW_POLICY_OF_HIGH : 0;
	w->conn.until = w->now + POLICY_FRAGMENTS;
	return policy_keep(w);
}

/* A frame with its ports, or of a protocol without ports. */
static __noinline int policy_whole(struct __sk_buff *skb, const struct frame *f,
				   struct policy_work *w, const struct tsw_policy *policy)
{
	struct policy_ports p;
	int verdict;

	if (policy_is_error(f, w) && policy_quoted(skb, f, w)) {
		w->quoted = true;
		verdict = policy_find(w, policy);
		w->quoted = false;
		if (verdict == POLICY_KNOWN) {
			w->number = w->conn.number;
			return NEXT;
		}
	}
	verdict = policy_ports(skb, f, w, &p);
	if (verdict != NEXT)
		return verdict;
	policy_ends(w, &f->src, &f->dst, p);
	w->conn.proto = f->proto;
	verdict = policy_find(w, policy);
	if (verdict == POLICY_KNOWN) {
		w->number = w->conn.number;
		return NEXT;
	}
	w->answer = verdict == POLICY_OLD && policy_is_answer(w, w->conn.state) &&
		    !policy_begins(w) && !w->asks;
	w->port = w->answer ? p.src : p.dst;
	verdict = policy_judge(w, f, policy);
	if (!w->answer || verdict != drop(TSW_DROP_POLICY_DENIED))
		return verdict;
	/* No longer an answer. It may still begin a connection itself. */
	w->answer = false;
	w->port = p.dst;
	return policy_judge(w, f, policy);
}

/*
 * Does a frame to all contain an IP packet to one? Receivers should refuse it (RFC 1122 section
 * 3.3.6), but Linux takes it, and the rules would see all in place of that one. A network's
 * broadcast address is known if the tenant or its gateway names the network.
 */
static __noinline bool policy_is_for_one(__u32 tenant, const struct frame *f)
{
	const __u32 v4 = bpf_ntohl(f->dst.w[3]);

	if (f->eth.type == bpf_htons(ETH_P_IPV6))
		return !addr_is_v6_multicast(&f->dst);
	return f->eth.type == bpf_htons(ETH_P_IP) && v4 < IPV4_MULTICAST &&
	       !policy_is_broadcast(tenant, v4);
}

static __always_inline int policy_packet(struct __sk_buff *skb, const struct frame *f,
					 struct policy_work *w, const struct tsw_policy *policy)
{
	int verdict;

	if (f->fragment && !f->l4)
		return policy_later(skb, f, w, policy);
	verdict = policy_whole(skb, f, w, policy);
	if (verdict == NEXT && f->fragment)
		verdict = policy_first(skb, f, w, policy);
	return verdict;
}

/* Counts the verdict and reports it to watchers. In audit mode the frame passes. */
static __always_inline int policy_report(struct __sk_buff *skb, struct frame_id *id,
					 const struct policy_work *w,
					 const struct tsw_policy *policy, int verdict)
{
	if (verdict == NEXT || verdict == drop(TSW_DROP_POLICY_DENIED) ||
	    verdict == drop(TSW_DROP_GROUP_UNICAST))
		policy_count(id->tenant, w->number, &id->size);
	if (policy->mode != TSW_POLICY_AUDIT) {
		if (verdict == NEXT && w->logs)
			watch_rule(skb, id, TSW_DROP_NONE);
		return verdict;
	}
	if (verdict != NEXT)
		id->audited = true;
	if (verdict != NEXT || w->logs)
		watch_rule(skb, id, verdict == NEXT ? TSW_DROP_NONE : -verdict);
	return NEXT;
}

/* Begins the work for a frame of the tenant. NULL: the tenant has no policy. */
static __always_inline const struct tsw_policy *policy_in_force(struct policy_work *w, __u32 tenant)
{
	const struct tsw_policy *policy = policy_get(tenant);

	w->number = 0;
	w->logs = false;
	w->tenant = tenant;
	return policy && policy->mode != TSW_POLICY_OFF ? policy : NULL;
}

/* Global: the verifier goes through it once. NEXT, or a drop reason. */
__noinline int tsw_policy(struct __sk_buff *skb, const struct frame *f, struct frame_id *id)
{
	struct policy_work *w = policy_work();
	const struct tsw_policy *policy;
	int verdict;

	if (!w || !f || !id)
		return drop(TSW_DROP_INTERNAL);
	policy = policy_in_force(w, id->tenant);
	if (!policy)
		return NEXT;
	policy_see_from(w, f, id->direction == TSW_DIR_FROM_GATEWAY || f->gateway);
	if (!policy_see_to(w, id->tenant, f))
		return NEXT;
	policy_read(skb, f, w);
	if (policy_is_free(f, w))
		return NEXT;
	w->generation = *(const volatile __u32 *)&policy->generation;
	w->now = fair_tick();
	verdict = w->to.all && policy->members && policy_is_for_one(id->tenant, f)
			  ? drop(TSW_DROP_GROUP_UNICAST)
			  : policy_packet(skb, f, w, policy);
	return policy_report(skb, id, w, policy, verdict);
}

/*
 * For a copy of a frame to all, which a rule `to any` lets pass: NEXT, unless a stronger rule about
 * its receiver denies it. Later fragments have no ports, and are worth nothing without the first
 * one. The caller reports to watchers, because there is no stack for it here (Linux 6.1). Global,
 * too.
 */
__noinline int tsw_policy_copy(struct __sk_buff *skb, const struct frame *f, struct frame_id *id,
			       __u32 ifindex)
{
	struct policy_work *w = policy_work();
	const struct tsw_port *port = port_get(ifindex);
	const struct tsw_policy *policy;
	struct policy_ports p;

	if (!w || !f || !id || !port)
		return drop(TSW_DROP_INTERNAL);
	w->tenant = id->tenant;
	policy = policy_get(id->tenant);
	if (!policy || policy->mode == TSW_POLICY_OFF || (f->fragment && !f->l4))
		return NEXT;
	policy_see_endpoint(id->tenant, &w->from, &f->eth.src);
	policy_see_endpoint(id->tenant, &w->to, &port->mac);
	policy_read(skb, f, w);
	if (policy_is_free(f, w) || policy_ports(skb, f, w, &p) != NEXT)
		return NEXT;
	w->answer = false;
	w->port = p.dst;
	w->generation = *(const volatile __u32 *)&policy->generation;
	policy_weigh(w, policy);
	if (!TSW_POLICY_DENIES(w->best.weight))
		return NEXT;
	w->number = w->best.number;
	policy_count(id->tenant, w->number, &id->size);
	if (policy->mode != TSW_POLICY_AUDIT)
		return drop(TSW_DROP_POLICY_DENIED);
	id->audited = true;
	return NEXT;
}

#endif
