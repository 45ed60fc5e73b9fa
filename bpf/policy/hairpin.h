/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint that connects to a published port of its own tenant comes back from the gateway with
 * the gateway's address. Its groups are checked here, where conntrack knows the initiator. Before
 * the receiver the frame is judged once more, as the gateway's.
 */
#ifndef TSW_BPF_POLICY_HAIRPIN_H
#define TSW_BPF_POLICY_HAIRPIN_H

#include "gateway/fast.h"
#include "gateway/kernel_ct.h"
#include "policy/step.h"

/* Is it a frame of the initiator, not an answer or an error? */
static __always_inline bool hairpin_begins(unsigned long nfct)
{
	const __u32 info = nfct & CT_INFO;

	return info == CT_INFO_ESTABLISHED || info == CT_INFO_NEW;
}

/*
 * Fills in the initiator and all values that rules check. False: conntrack does not know it, or its
 * address is no endpoint's.
 */
static __noinline bool hairpin_see(struct policy_work *w, const struct nf_conn *ct)
{
	struct tsw_flow_key key;
	struct tsw_mac mac;

	ct_key(ct, true, &key); /* in the answers' direction: from the endpoint and its own port */
	w->port = key.sport;
	w->proto = key.proto;
	ct_key(ct, false, &key);
	if (!addr_owner(w->tenant, &key.src, &mac))
		return false;
	policy_end_begin(&w->from, &mac);
	w->quote.src = key.src; /* its own address: the frame has the gateway's */
	return true;
}

static __always_inline int hairpin_judge(struct __sk_buff *skb, const struct frame *f,
					 struct policy_work *w, const struct tsw_policy *policy)
{
	const unsigned long nfct = tsw_has_fast ? ct_of(skb) : 0;

	w->answer = false;
	w->generation = *(const volatile __u32 *)&policy->generation;
	if (nfct && !hairpin_begins(nfct))
		return NEXT;
	if (!nfct || !hairpin_see(w, ct_entry(nfct)))
		return drop(TSW_DROP_POLICY_DENIED);
	if (!policy_see_to(w, w->tenant, f))
		return NEXT;
	policy_ask(w, policy, &w->quote.src, &f->dst);
	w->number = w->best.number;
	return policy_denies(w, policy) ? drop(TSW_DROP_POLICY_DENIED) : NEXT;
}

/* Global: the verifier goes through it once. NEXT, or a drop reason. */
__noinline int tsw_policy_hairpin(struct __sk_buff *skb, const struct frame *f, struct frame_id *id)
{
	struct policy_work *w = policy_work();
	const struct tsw_policy *policy;
	int verdict;

	if (!w || !f || !id)
		return drop(TSW_DROP_INTERNAL);
	policy = policy_in_force(w, id->tenant);
	if (!policy)
		return NEXT;
	verdict = hairpin_judge(skb, f, w, policy);
	/* A frame that passes is counted before its receiver. */
	return verdict == NEXT ? NEXT : policy_report(skb, id, w, policy, verdict);
}

#endif
