/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accounts of flows, of tenants that asked for them: TSW_PORT_FLOWS. What a frame is, is noted
 * while it is plain, on the CPU that has it; it is counted where its verdict is known.
 *
 * The command makes a tenant's buckets (abi_flows.h). The programs make no entry: the kernel's lock
 * of a map is refused (-EBUSY, until Linux 6.14) while a command reads the same part of it, and
 * flows would get lost just when somebody looks.
 */
#ifndef TSW_BPF_FLOWS_H
#define TSW_BPF_FLOWS_H

#include <tsw/bpf/config.h>
#include <tsw/bpf/drop.h>
#include <tsw/bpf/hash.h>

TSW_HASH(tsw_flow_tables, __u32, struct tsw_flow_table);
TSW_HASH(tsw_flow_cache, struct tsw_flow_bucket_key, struct tsw_flow_bucket);

#define FLOW_NOTED 0x80 /* so that no number of a note is 0 */
#define FLOW_WORDS (sizeof(struct tsw_flow_tuple) / sizeof(__u32))

/* The frame that is noted on this CPU. */
struct flow_work {
	struct tsw_flow_record record; /* of this frame alone */
	struct tsw_flow_bucket_key bucket[2];
	__u64 cost[2]; /* of a place in each: how many are taken; if all, the oldest's time */
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

/* As they are in the frame: what parse.h read may have been translated since. */
static __always_inline int flow_addrs(struct __sk_buff *skb, const struct frame *f,
				      struct tsw_flow_tuple *t)
{
	const __u32 l3 = f->base + ETH_HLEN;
	__be32 v4[2];

	if (t->version == 6)
		return bpf_skb_load_bytes(skb, l3 + offsetof(struct ipv6hdr, saddr), &t->src,
					  sizeof(t->src) + sizeof(t->dst));
	if (bpf_skb_load_bytes(skb, l3 + offsetof(struct iphdr, saddr), v4, sizeof(v4)))
		return -1;
	t->src = addr_from_v4(v4[0]);
	t->dst = addr_from_v4(v4[1]);
	return 0;
}

/* Of what the packet is that a later fragment belongs to. Of IPv6 where that is said first. */
static __always_inline __u8 flow_fragment_of(struct __sk_buff *skb, const struct frame *f)
{
	const __u32 l3 = f->base + ETH_HLEN;
	__u8 proto = IPPROTO_FRAGMENT;

	if (f->eth.type == bpf_htons(ETH_P_IP)) {
		bpf_skb_load_bytes(skb, l3 + offsetof(struct iphdr, protocol), &proto, 1);
		return proto;
	}
	bpf_skb_load_bytes(skb, l3 + offsetof(struct ipv6hdr, nexthdr), &proto, 1);
	if (proto == IPPROTO_FRAGMENT)
		bpf_skb_load_bytes(skb, l3 + sizeof(struct ipv6hdr), &proto, 1);
	else
		proto = IPPROTO_FRAGMENT;
	return proto;
}

static __always_inline bool flow_has_ports(__u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP ||
	       proto == IPPROTO_UDPLITE || proto == IPPROTO_DCCP;
}

/* A packet's fragments are one flow, the first of them too: the others have no ports. */
static __always_inline void flow_upper(struct __sk_buff *skb, const struct frame *f,
				       struct tsw_flow_record *r)
{
	r->tuple.proto = f->l4 ? f->proto : flow_fragment_of(skb, f);
	if (f->fragment || !f->l4)
		return;
	if (f->proto == IPPROTO_ICMP || f->proto == IPPROTO_ICMPV6)
		bpf_skb_load_bytes(skb, f->l4, &r->tuple.sport, sizeof(r->tuple.sport));
	else if (flow_has_ports(f->proto))
		bpf_skb_load_bytes(skb, f->l4, &r->tuple.sport, 2 * sizeof(r->tuple.sport));
	if (f->proto == IPPROTO_TCP)
		bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &r->tcp_flags, sizeof(r->tcp_flags));
}

/*
 * Global, as the others here: the verifier goes through each once. What is no IP has no flow. The
 * note gets a number, so that no other frame's on this CPU can be taken for it. ifindex: of the
 * port here; 0: it goes to all.
 */
__noinline int tsw_flow_note(struct __sk_buff *skb, const struct frame *f, struct frame_id *id,
			     __u32 ifindex)
{
	struct flow_work *w = flow_work();
	struct tsw_flow_record *r;

	if (!w || !f || !id)
		return 0;
	id->flow = 0;
	if (!frame_is_ip(f))
		return 0;
	w->note = (w->note + 1) | FLOW_NOTED;
	r = &w->record;
	*r = (struct tsw_flow_record){.src = f->eth.src, .dst = f->eth.dst};
	r->tuple.ifindex = ifindex;
	r->tuple.version = f->eth.type == bpf_htons(ETH_P_IP) ? 4 : 6;
	r->tuple.direction = id->direction == TSW_DIR_FROM_ENDPOINT ? TSW_FLOW_OUT : TSW_FLOW_IN;
	if (flow_addrs(skb, f, &r->tuple))
		return 0;
	flow_upper(skb, f, r);
	id->flow = w->note;
	return 0;
}

/* Without a branch for each word, which the verifier would go through for each place. */
static __always_inline bool flow_is_same(const struct tsw_flow_record *a,
					 const struct tsw_flow_record *b)
{
	const __u32 *x = (const __u32 *)&a->tuple, *y = (const __u32 *)&b->tuple;
	__u32 differ = a->hash ^ b->hash;

	for (__u32 i = 0; i < FLOW_WORDS; i++)
		differ |= x[i] ^ y[i];
	return !differ;
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

/* Of the note's tenant still: the room of a bucket that goes may be another's at once. */
static __always_inline struct tsw_flow_bucket *flow_bucket(struct flow_work *w, __u32 second)
{
	struct tsw_flow_bucket *bucket =
		bpf_map_lookup_elem(&tsw_flow_cache, &w->bucket[second & 1]);

	return bucket && bucket->tenant == w->bucket[0].tenant ? bucket : NULL;
}

/* Which buckets it may be in. The hash has the switch's secret: no sender chooses whose. */
static __noinline void flow_choose(struct flow_work *w, const struct frame_id *id, __u32 buckets)
{
	const struct tsw_config *cfg = config_get();
	const __u32 *word = (const __u32 *)&w->record.tuple;
	__u64 hash = cfg ? cfg->secret : 0;

	for (__u32 i = 0; i < FLOW_WORDS; i += 2)
		hash = hash_mix(hash, (__u64)word[i] << 32 | word[i + 1]);
	w->record.hash = (__u32)hash ?: 1;
	hash = hash_mix(hash, 0);
	for (__u32 i = 0; i < 2; i++) {
		w->bucket[i].tenant = id->tenant;
		w->bucket[i].bucket = (i ? (__u32)hash : (__u32)(hash >> 32)) % buckets;
	}
}

/*
 * The less of two, below 2^63. Without a branch, for the verifier would go both ways each time; the
 * compiler would make one of it (clang 16).
 */
static __always_inline __u64 flow_less(__u64 a, __u64 b)
{
	__s64 differ = b - a, below = differ >> 63;

	TSW_KEEP(below);
	return a + (differ & below);
}

/* Is it there? Read without the lock, for a frame of another flow needs none. */
static __always_inline bool flow_may_be(const struct tsw_flow_bucket *bucket, struct flow_work *w,
					__u32 second)
{
	__u64 oldest = ~0ULL >> 1, taken = 0, differ = ~0U;

	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++) {
		const struct tsw_flow_record *r = &bucket->record[i];
		const __u64 hash = *(const volatile __u32 *)&r->hash;

		differ = flow_less(differ, hash ^ w->record.hash);
		taken += -hash >> 63;
		oldest = flow_less(oldest, r->last);
	}
	w->cost[second & 1] = taken < TSW_FLOW_BUCKET ? taken : oldest;
	return !differ;
}

/* Under the lock: adds the frame to its flow's record, if that is in this bucket. */
static __always_inline bool flow_found(struct tsw_flow_bucket *bucket, const struct flow_work *w)
{
	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++) {
		if (!flow_is_same(&bucket->record[i], &w->record))
			continue;
		flow_add(&bucket->record[i], &w->record);
		return true;
	}
	return false;
}

/* One that is free, or was silent for longest: times end with its number in place of their bits. */
static __always_inline __u32 flow_place(const struct tsw_flow_bucket *bucket)
{
	const __u64 mask = TSW_FLOW_BUCKET - 1;
	__u64 oldest = ~0ULL >> 1;

	for (__u32 i = 0; i < TSW_FLOW_BUCKET; i++)
		oldest = flow_less(oldest, (bucket->record[i].last & ~mask) | i);
	return oldest & mask;
}

/* 1: the flow has a record in this bucket, and it counts now. */
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

/*
 * Begins a record; meanwhile another CPU may have begun the same. 1: another flow's made room.
 */
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
	w->record.tuple.verdict = verdict;
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
