/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts flows of tenants with `flows on` (TSW_PORT_FLOWS). A frame's flow is noted while the frame
 * is plain, on its CPU, and counted once its verdict is known.
 *
 * The command makes a tenant's buckets (abi_flows.h). The programs make no entries: the kernel
 * refuses a map's lock (-EBUSY, until Linux 6.14) while a command reads the same part of it, so
 * flows would get lost just when somebody looks.
 */
#ifndef TSW_BPF_WATCH_FLOWS_H
#define TSW_BPF_WATCH_FLOWS_H

#include "core/config.h"
#include "core/drop.h"
#include "core/hash_keyed.h"

TSW_HASH(tsw_flow_tables, __u32, struct tsw_flow_table);
TSW_HASH(tsw_flow_cache, struct tsw_flow_bucket_key, struct tsw_flow_bucket);

#define FLOW_NOTED 0x80 /* so that no number of a note is 0 */
#define FLOW_LONGS (sizeof(struct tsw_flow_tuple) / sizeof(__u64))

_Static_assert(sizeof(struct tsw_flow_tuple) == sizeof(struct tsw_hash_input), "ABI");

/* The frame that is noted on this CPU. */
struct flow_work {
	struct tsw_flow_record record; /* of this frame alone; first, to be aligned */
	struct tsw_flow_bucket_key bucket[2];
	__u64 cost[2]; /* of a place in each: places taken or, if all are, the oldest's time */
	__u8 note;     /* number of the frame; id->flow has the same */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow_work);
} tsw_flow_work TSW_MAP;

static __always_inline struct flow_work *flow_work(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_flow_work, &zero);
}

/* 1: the same flow, else 0. Without a branch, see flow_less(). */
static __always_inline __u32 flow_is_same(const struct tsw_flow_record *a,
					  const struct tsw_flow_record *b)
{
	const __u64 *x = (const __u64 *)&a->tuple, *y = (const __u64 *)&b->tuple;
	__u64 differ = a->hash ^ b->hash, negated;

	for (__u32 i = 0; i < FLOW_LONGS; i++)
		differ |= x[i] ^ y[i];
	negated = -differ;
	TSW_KEEP(negated);
	differ = (differ | negated) >> 63;
	TSW_KEEP(differ);
	return differ ^ 1;
}

static __always_inline void flow_add(struct tsw_flow_record *to, const struct tsw_flow_record *r)
{
	to->src = r->src;
	to->dst = r->dst;
	to->tcp_flags |= r->tcp_flags;
	to->packets += r->packets;
	to->bytes += r->bytes;
	/* Another CPU may have waited for the lock. */
	if (to->last < r->last)
		to->last = r->last;
}

/*
 * The bucket, if it is still the note's tenant's. The memory of a removed bucket may be another's
 * at once.
 */
static __always_inline struct tsw_flow_bucket *flow_bucket(struct flow_work *w, __u32 second)
{
	struct tsw_flow_bucket *bucket =
		bpf_map_lookup_elem(&tsw_flow_cache, &w->bucket[second & 1]);

	return bucket && bucket->tenant == w->bucket[0].tenant ? bucket : NULL;
}

/*
 * Chooses two buckets for the flow. The hash contains the switch's secret, so no sender can choose
 * them.
 */
static __noinline void flow_choose(struct flow_work *w, const struct frame_id *id, __u32 buckets)
{
	struct tsw_hash_input in;
	__u64 hash;

	__builtin_memcpy(&in, &w->record.tuple, sizeof(in));
	hash = tsw_hash(&in);
	w->record.hash = (__u32)(hash ^ hash >> 32) ?: 1;
	for (__u32 i = 0; i < 2; i++) {
		w->bucket[i].tenant = id->tenant;
		w->bucket[i].bucket = TSW_PLACE(hash, i, buckets);
	}
}

/*
 * The smaller of two values below 2^63. Without a branch, because the verifier would go both ways
 * each time. TSW_KEEP stops the compiler from making one (clang 16).
 */
static __always_inline __u64 flow_less(__u64 a, __u64 b)
{
	__s64 differ = b - a, below = differ >> 63;

	TSW_KEEP(below);
	return a + (differ & below);
}

/*
 * May the flow be in this bucket? Read without the lock, which a frame of another flow does not
 * need.
 */
static __always_inline bool flow_may_be(const struct tsw_flow_bucket *bucket, struct flow_work *w,
					__u32 second)
{
	__u64 oldest = ~0ULL >> 1, taken = TSW_FLOW_BUCKET, there = 0, differ, free;

	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++) {
		const struct tsw_flow_record *r = &bucket->record[i];
		const __u64 hash = *(const volatile __u32 *)&r->hash;

		differ = hash ^ w->record.hash;
		TSW_KEEP(differ);
		there |= differ - 1; /* below 0: the same hash */
		free = hash - 1;
		TSW_KEEP(free);
		taken -= free >> 63;
		oldest = flow_less(oldest, r->last);
	}
	w->cost[second & 1] = taken < TSW_FLOW_BUCKET ? taken : oldest;
	return there >> 63;
}

/* Under the lock: adds the frame to its flow's record, if that is in this bucket. */
static __always_inline bool flow_found(struct tsw_flow_bucket *bucket, const struct flow_work *w)
{
	__u32 place = 0; /* from 1 on; no two records are the same flow's */

#pragma unroll
	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++)
		place += flow_is_same(&bucket->record[i], &w->record) * (i + 1);
	if (!place)
		return false;
	flow_add(&bucket->record[(place - 1) & (TSW_FLOW_BUCKET - 1)], &w->record);
	return true;
}

/*
 * A free place, or the one silent for longest. The lowest bits of each time are replaced by the
 * place's number.
 */
static __always_inline __u32 flow_place(const struct tsw_flow_bucket *bucket)
{
	const __u64 mask = TSW_FLOW_BUCKET - 1;
	__u64 oldest = ~0ULL >> 1;

	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++)
		oldest = flow_less(oldest, (bucket->record[i].last & ~mask) | i);
	return oldest & mask;
}

/* 1: the flow has a record in this bucket, which now counts the frame. */
__noinline int tsw_flow_look(__u32 second)
{
	struct flow_work *w = flow_work();
	struct tsw_flow_bucket *bucket;
	bool found;

	if (!w)
		return 0;
	w->cost[second & 1] = ~0ULL;
	bucket = flow_bucket(w, second);
	if (!bucket || !flow_may_be(bucket, w, second))
		return 0;
	bpf_spin_lock(&bucket->lock);
	found = flow_found(bucket, w);
	bpf_spin_unlock(&bucket->lock);
	return found;
}

/* Begins a record, unless another CPU has begun it meanwhile. 1: another flow made room. */
__noinline int tsw_flow_put(__u32 second)
{
	struct flow_work *w = flow_work();
	struct tsw_flow_bucket *bucket = w ? flow_bucket(w, second) : NULL;
	struct tsw_flow_record *place;
	bool evicted = false;

	if (!w || !bucket)
		return 0;
	bpf_spin_lock(&bucket->lock);
	if (!flow_found(bucket, w)) {
		place = &bucket->record[flow_place(bucket)];
		evicted = place->hash;
		*place = w->record;
	}
	bpf_spin_unlock(&bucket->lock);
	return evicted;
}

/* The end of a noted frame. verdict: enum tsw_drop, or 0. */
__noinline int tsw_flow_count(struct frame_id *id, __u32 verdict)
{
	struct flow_work *w = flow_work();
	struct tsw_flow_table *table;
	__u32 tenant;

	if (!w || !id || w->note != id->flow)
		return 0;
	id->flow = 0;
	tenant = id->tenant; /* a key is on the stack or in a map (Linux 6.1) */
	table = bpf_map_lookup_elem(&tsw_flow_tables, &tenant);
	if (!table || !table->buckets)
		return 0;
	w->record.tuple.verdict = verdict | (id->audited ? TSW_FLOW_AUDITED : 0);
	w->record.packets = id->size.packets;
	w->record.bytes = id->size.bytes;
	w->record.first = w->record.last = bpf_ktime_get_ns();
	flow_choose(w, id, table->buckets);
	if (tsw_flow_look(0) || tsw_flow_look(1))
		return 0;
	if (tsw_flow_put(w->cost[1] < w->cost[0]))
		__sync_fetch_and_add(&table->evicted, 1);
	return 0;
}

static __always_inline void flow_end(struct frame_id *id, __u32 verdict)
{
	if (id->flow)
		tsw_flow_count(id, verdict);
}

#endif
