/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives and removes leases for a frame whose flow is known on both sides. */
#ifndef TSW_BPF_GATEWAY_FAST_GRANT_H
#define TSW_BPF_GATEWAY_FAST_GRANT_H

#include "gateway/fast_flow.h"
#include "gateway/kernel_ct.h"

/* Notes about a frame that leaves the router's rules, per CPU: more than the stack holds. */
struct learning {
	__u64 busy;
	struct tsw_flow_key came; /* its flow as it came; tenant: its sender's, 0: the world */
	struct tsw_flow_key left; /* its flow as it leaves; tenant: its receiver's */
	struct tsw_flow_key key;
	__u32 mark; /* of conntrack's entry */
	__u32 info; /* CT_INFO */
	__u32 pad;
	struct tsw_fast to;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct learning);
} tsw_learning TSW_MAP;

/* Claims the notes. NULL, too, if another frame uses them on this CPU: see reply_claim(). */
static __always_inline struct learning *learn_begin(void)
{
	__u32 zero = 0;
	struct learning *l = bpf_map_lookup_elem(&tsw_learning, &zero);

	return l && !__sync_val_compare_and_swap(&l->busy, 0, 1) ? l : NULL;
}

static __always_inline void learn_end(struct learning *l)
{
	l->busy = 0;
}

static __always_inline void fast_forget(struct learning *l)
{
	flow_turn(&l->left, &l->key);
	bpf_map_delete_elem(&tsw_fast, &l->came);
	bpf_map_delete_elem(&tsw_fast, &l->key);
}

/* Length of a lease in ns. It ends before conntrack forgets the flow. */
static __always_inline __u64 lease_length(const struct nf_conn *ct)
{
	__u32 until = 0;
	__s32 left;

	CT_GET(until, ct->timeout);
	left = until - (__u32)bpf_jiffies64();
	if (left <= 0)
		return 0;
	if ((__u64)left * tsw_jiffy / 2 > TSW_FAST_LEASE)
		return TSW_FAST_LEASE;
	return (__u64)left * tsw_jiffy / 2;
}

/*
 * The time until which the lease is valid. The initiator's lease ends first, so the rules see its
 * packet before a reply. A reply in a flow that conntrack has forgotten would begin a flow of its
 * own, with a new port for all later replies.
 */
static __always_inline __u64 fast_until(struct learning *l, const struct nf_conn *ct)
{
	const __u64 now = bpf_ktime_get_coarse_ns(), lease = lease_length(ct);
	struct tsw_fast *other;

	if (l->info == CT_INFO_REPLY)
		return now + lease;
	flow_turn(&l->left, &l->key);
	other = fast_get(&l->key);
	if (other)
		other->until = 0;
	return now + lease - lease / 8;
}

/*
 * Writes this direction's lease. If the other direction of a frame to the world has no entry yet,
 * it gets one without a lease. That entry shows fast_evict() whose the ports are.
 */
static __always_inline void fast_grant(struct learning *l, const struct nf_conn *ct)
{
	const __u32 generation = l->to.generation;

	l->to.src = l->left.src;
	l->to.dst = l->left.dst;
	l->to.sport = l->left.sport;
	l->to.dport = l->left.dport;
	l->to.until = fast_until(l, ct);
	l->to.addrs = bpf_csum_diff((__be32 *)&l->came.src, 2 * sizeof(l->came.src),
				    (__be32 *)&l->left.src, 2 * sizeof(l->left.src), 0);
	l->to.ports = bpf_csum_diff((__be32 *)&l->came.sport, sizeof(__be32),
				    (__be32 *)&l->left.sport, sizeof(__be32), 0);
	bpf_map_update_elem(&tsw_fast, &l->came, &l->to, BPF_ANY);
	if (l->to.mark)
		return;
	flow_turn(&l->left, &l->key);
	__builtin_memset(&l->to, 0, sizeof(l->to));
	l->to.generation = generation;
	l->to.src = l->came.dst;
	l->to.dst = l->came.src;
	l->to.sport = l->came.dport;
	l->to.dport = l->came.sport;
	l->to.mark = TSW_MARK_TENANT | (l->mark & TSW_MARK_INDEX);
	bpf_map_update_elem(&tsw_fast, &l->key, &l->to, BPF_NOEXIST);
}

/*
 * Removes an older flow's leases when a new flow takes its addresses and ports. Conntrack has lost
 * the older entry, or somebody deleted it. Frames that come as l->key are no longer that flow's,
 * and it may not send in this one.
 */
static __always_inline void fast_evict(struct learning *l)
{
	struct tsw_fast *was = fast_get(&l->key);

	if (!was)
		return;
	l->came.tenant = mark_tenant(was->mark & TSW_MARK_INDEX);
	l->came.src = was->dst;
	l->came.dst = was->src;
	l->came.sport = was->dport;
	l->came.dport = was->sport;
	l->came.proto = l->key.proto;
	bpf_map_delete_elem(&tsw_fast, &l->came);
	bpf_map_delete_elem(&tsw_fast, &l->key);
}

#endif
