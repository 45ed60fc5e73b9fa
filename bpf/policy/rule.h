/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules' decision about a connection between two ends. */
#ifndef TSW_BPF_POLICY_RULE_H
#define TSW_BPF_POLICY_RULE_H

#include "policy/who.h"

#define POLICY_WALK (POLICY_WHO * POLICY_WHO * POLICY_LENGTHS)

/* Does a rule of the tenant have a port prefix of that many bits? */
static long policy_length(__u32 bits, const __u32 *lengths)
{
	struct policy_work *w = policy_work();
	__u32 n = w ? w->n_lengths : POLICY_LENGTHS;

	if (!(*lengths >> (bits & 31) & 1) || n >= POLICY_LENGTHS)
		return 0;
	w->length[n] = bits;
	w->n_lengths = n + 1;
	return 0;
}

static __noinline void policy_lengths(struct policy_work *w, const struct tsw_policy *policy)
{
	const bool ports =
		w->proto == IPPROTO_TCP || w->proto == IPPROTO_UDP || w->proto == IPPROTO_SCTP;
	__u32 lengths = policy->lengths;

	w->n_lengths = 0;
	bpf_loop(ports ? 17 : 1, policy_length, &lengths, 0);
}

/* A change does not count while it is written. */
static __always_inline const struct tsw_policy_choice *
policy_choice(const struct tsw_policy_way *way, __u32 generation)
{
	return way->generation <= generation ? &way->then : &way->now;
}

/* Looks up one pair of names of the ends, with one prefix or without a protocol. */
static long policy_walk(__u32 i, void *none)
{
	struct policy_work *w = policy_work();
	const struct tsw_policy_choice *choice;
	const struct policy_end *from, *to;
	struct tsw_policy_way *way;
	__u64 a, b;
	__u32 k, each;

	(void)none;
	if (!w)
		return 1;
	from = w->answer ? &w->to : &w->from;
	to = w->answer ? &w->from : &w->to;
	each = w->n_lengths + 1;
	k = i % each;
	i /= each;
	if (!from->n)
		return 1;
	a = i % from->n;
	b = i / from->n;
	TSW_KEEP(a);
	TSW_KEEP(b);
	if (b >= to->n || a >= POLICY_WHO || b >= POLICY_WHO)
		return 1;
	w->way.tenant = w->tenant;
	w->way.from = from->who[a];
	w->way.to = to->who[b];
	w->way.proto = 0;
	w->way.length = 0;
	w->way.port = 0;
	if (k < w->n_lengths && k < POLICY_LENGTHS) {
		const __u32 length = w->length[k];

		w->way.proto = w->proto;
		w->way.length = length;
		w->way.port = w->port & bpf_htons(~(0xffffU >> (length & 31)));
	}
	way = bpf_map_lookup_elem(&tsw_policy_ways, &w->way);
	if (!way)
		return 0;
	choice = policy_choice(way, w->generation);
	if (choice->weight > w->best.weight)
		w->best = *choice;
	return 0;
}

/* Puts the rule that counts for these ends in w->best; number 0: no rule fits. */
static __always_inline void policy_weigh(struct policy_work *w, const struct tsw_policy *policy)
{
	policy_lengths(w, policy);
	w->best = (struct tsw_policy_choice){};
	bpf_loop(POLICY_WALK, policy_walk, NULL, 0);
}

static __always_inline void policy_ask(struct policy_work *w, const struct tsw_policy *policy,
				       const struct tsw_addr *src, const struct tsw_addr *dst)
{
	policy_who(w->tenant, &w->from, src);
	policy_who(w->tenant, &w->to, dst);
	policy_weigh(w, policy);
}

#endif
