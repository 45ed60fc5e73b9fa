/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses which entry makes room where both buckets of a new connection are full. A keyed hash
 * chooses buckets, so each pair is a sample of the whole table. The endpoint with the most entries
 * there gives one up. So each endpoint has a share of its tenant's table without a counter of its
 * own. An endpoint gives up an open TCP connection for another endpoint alone.
 */
#ifndef TSW_BPF_POLICY_EVICT_H
#define TSW_BPF_POLICY_EVICT_H

#include "policy/maps.h"

#define POLICY_PLACES (2 * TSW_POLICY_BUCKET)
#define POLICY_CLOSED (TSW_POLICY_FIN_LOW | TSW_POLICY_FIN_HIGH)

/* What a connection is worth, beside others of the same endpoint. */
enum policy_worth {
	POLICY_OPEN,  /* TCP: makes room only for another endpoint */
	POLICY_SHORT, /* another protocol: goes before TCP */
	POLICY_WEAK,  /* not answered, or closed: goes first */
};

/* A copy of both buckets' places. */
struct policy_places {
	__u64 owner[POLICY_PLACES];
	__u32 worth[POLICY_PLACES];
	__u32 until[POLICY_PLACES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct policy_places);
} tsw_policy_places TSW_MAP;

/*
 * 1: they are equal, or 0. Without a branch, here and below, because the verifier would go both
 * ways at each place.
 */
static __always_inline __u64 policy_equal(__u64 a, __u64 b)
{
	__u64 differ = a ^ b, negated = -differ;

	TSW_KEEP(negated);
	differ = (differ | negated) >> 63;
	TSW_KEEP(differ);
	return differ ^ 1;
}

/* The endpoint that owns the entry: it began the connection, or got it by the gateway. */
static __always_inline __u64 policy_owner(const struct tsw_policy_conn *c)
{
	__u64 low = 0, high = 0, of_high = -(__u64)(c->state & TSW_POLICY_OF_HIGH), one, other;

	__builtin_memcpy(&low, &c->low_mac, sizeof(c->low_mac));
	__builtin_memcpy(&high, &c->high_mac, sizeof(c->high_mac));
	TSW_KEEP(of_high);
	one = (high & of_high) | (low & ~of_high);
	other = low ^ high ^ one;
	return one | (other & -policy_equal(one, 0));
}

static __always_inline __u64 policy_worth(const struct tsw_policy_conn *c)
{
	const __u64 answered = c->state >> 1 & 1, closed = c->state >> 2 & c->state >> 3 & 1;
	const __u64 weak = (answered ^ 1) | closed;

	return weak << 1 | ((weak | policy_equal(c->proto & TSW_POLICY_PROTO, IPPROTO_TCP)) ^ 1);
}

_Static_assert(TSW_POLICY_OF_HIGH == 1 && TSW_POLICY_ANSWERED == 2 && TSW_POLICY_FIN_LOW == 4 &&
		       TSW_POLICY_FIN_HIGH == 8 && POLICY_SHORT == 1 && POLICY_WEAK == 2,
	       "bits");

/* One of a connection's two buckets, or the spare one if the kernel refuses to make it. */
static __always_inline struct tsw_policy_bucket *policy_sample(const struct policy_work *w,
							       __u32 nth)
{
	struct tsw_policy_bucket *bucket = bpf_map_lookup_elem(&tsw_policy_conns, &w->bucket[nth]);

	return bucket ?: bpf_map_lookup_elem(&tsw_policy_conns, &w->bucket[POLICY_SPARE]);
}

/* False: a bucket is missing, and so is the spare one. */
static __always_inline bool policy_survey(const struct policy_work *w, struct policy_places *all)
{
	for (__u32 i = 0; i < POLICY_PLACES; i += TSW_POLICY_BUCKET) {
		const struct tsw_policy_bucket *bucket = policy_sample(w, i / TSW_POLICY_BUCKET);

		if (!bucket)
			return false;
		for (__u32 j = 0; j < TSW_POLICY_BUCKET; j++) {
			all->owner[i + j] = policy_owner(&bucket->conn[j]);
			all->worth[i + j] = policy_worth(&bucket->conn[j]);
			all->until[i + j] = bucket->conn[j].until;
		}
	}
	return true;
}

static __always_inline __u64 policy_held(const struct policy_places *all, __u64 owner)
{
	__u64 n = 0;

	for (__u32 i = 0; i < POLICY_PLACES; i++)
		n += policy_equal(all->owner[i], owner);
	return n;
}

/* The score for taking this place; 0: it stays. High bits count first, see below. */
static __always_inline __u64 policy_score(const struct policy_places *all, __u32 i, __u64 mine,
					  __u64 wants, __u32 now)
{
	const __u64 own = policy_equal(all->owner[i], mine), worth = all->worth[i];
	const __u64 has = policy_held(all, all->owner[i]) + own;
	const __u64 silent = TSW_CONN_UNTIL - ((all->until[i] - now) & TSW_CONN_UNTIL);
	__s64 goes = (__s64)(wants - has - ((worth + 1) >> 1)) >> 63;

	TSW_KEEP(goes);
	return (has << 40 | own << 39 | worth << 36 | silent << 4 | i) & goes;
}

/*
 * Chooses the place to take, in this order: of the endpoint with the most entries; of the asking
 * endpoint, if it would have as many; the entry worth least; the one silent for longest.
 * POLICY_PLACES: none.
 */
static __always_inline __u32 policy_choose(const struct policy_places *all, __u64 mine, __u32 now)
{
	const __u64 wants = policy_held(all, mine) + 1;
	__u64 best = 0, score;
	__s64 below;

	for (__u32 i = 0; i < POLICY_PLACES; i++) {
		score = policy_score(all, i, mine, wants, now);
		below = (__s64)(best - score) >> 63;
		TSW_KEEP(below);
		best += (score - best) & below;
	}
	return best ? best & (POLICY_PLACES - 1) : POLICY_PLACES;
}

/* 1: w->conn took another entry's place. Global: the verifier goes through it once. */
__noinline int tsw_policy_evict(void)
{
	struct policy_work *w = policy_work();
	struct tsw_policy_bucket *bucket;
	struct policy_places *all;
	const __u32 zero = 0;
	struct tsw_policy_conn *c;
	__u32 place, found = 0;

	all = bpf_map_lookup_elem(&tsw_policy_places, &zero);
	if (!w || !all || !policy_survey(w, all))
		return 0;
	place = policy_choose(all, policy_owner(&w->conn), w->now);
	if (place >= POLICY_PLACES)
		return 0;
	bucket = policy_sample(w, place / TSW_POLICY_BUCKET);
	if (!bucket)
		return 0;
	c = &bucket->conn[place % TSW_POLICY_BUCKET];
	bpf_spin_lock(&bucket->lock);
	/* Only if no other CPU has changed it meanwhile. */
	if (c->until == all->until[place] && policy_owner(c) == all->owner[place]) {
		*c = w->conn;
		found = 1;
	}
	bpf_spin_unlock(&bucket->lock);
	return found;
}

#endif
