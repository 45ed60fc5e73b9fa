/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rate limits of tenants and endpoints: token buckets. A frame that finds a bucket empty is
 * dropped; nothing is queued.
 *
 * A bucket is one number, the time when it will be full. Each frame adds its own time at the rate,
 * and all CPUs add to the same number. Two frames that look at once may both pass on the last
 * octet. Both are counted, and later frames pay for it.
 */
#ifndef TSW_BPF_PORT_LIMIT_H
#define TSW_BPF_PORT_LIMIT_H

#include "core/base.h"

TSW_HASH(tsw_limits, struct tsw_limit_key, struct tsw_limit);

static __always_inline struct tsw_limit *limit_get(__u32 tenant, const struct tsw_mac *mac)
{
	struct tsw_limit_key key = {.tenant = tenant, .mac = *mac};

	return bpf_map_lookup_elem(&tsw_limits, &key);
}

/*
 * A super-frame with long headers and segments of one octet becomes gigabytes. Above BUCKET_EXACT
 * octets, whose exact time does not fit 64 bits, octets are counted in units of 2^BUCKET_COARSE.
 */
#define BUCKET_EXACT (1U << 27)
#define BUCKET_COARSE 8 /* bits, for frames of up to 2^35 octets */

/* The time in which the bucket gets as many octets as the frame has. */
static __always_inline __u64 bucket_time(const struct tsw_bucket *bucket, __u64 bytes)
{
	__u32 coarse = bytes > BUCKET_EXACT ? BUCKET_COARSE : 0;

	bytes >>= coarse;
	if (bytes > BUCKET_EXACT)
		bytes = BUCKET_EXACT;
	return (bytes * TSW_LIMIT_BITS + bucket->rate / 2) / bucket->rate << coarse;
}

/*
 * When a bucket counts as full that was filled some time ago. Octets that TCP saved up while it
 * waited are forgotten.
 */
static __always_inline __u64 bucket_begin(const struct tsw_bucket *bucket, __u64 now)
{
	return now - bucket->full_at < bucket->depth ? now : now + bucket->lacks;
}

/* Takes the frame's octets out of the bucket. False: it is empty. */
static __always_inline bool bucket_take(struct tsw_bucket *bucket, __u64 now, __u64 bytes)
{
	__u64 full_at = bucket->full_at;

	/* Another CPU may have done the same a moment ago. */
	if (full_at <= now)
		__sync_val_compare_and_swap(&bucket->full_at, full_at, bucket_begin(bucket, now));
	else if (full_at - now >= bucket->depth)
		return false;
	__sync_fetch_and_add(&bucket->full_at, bucket_time(bucket, bytes));
	return true;
}

/* The bucket of the MAC's limit, if the port's flag says that there is one. */
static __always_inline struct tsw_bucket *limit_bucket(const struct tsw_port *port, __u32 flag,
						       const struct tsw_mac *mac, __u32 which)
{
	struct tsw_limit *limit = port->flags & flag ? limit_get(port->tenant, mac) : NULL;

	/* The limit was removed or changed since the flag was read. */
	if (!limit || !limit->bucket[which & 1].rate)
		return NULL;
	return &limit->bucket[which & 1];
}

/*
 * Global, so that the verifier goes through it once. 0: the frame is within the limits of endpoint
 * and tenant. If the tenant's limit refuses, the endpoint gets its octets back.
 */
__noinline int tsw_limit(const struct tsw_port *port, __u32 which, __u64 bytes)
{
	const __u64 now = bpf_ktime_get_ns() * TSW_LIMIT_UNITS;
	const struct tsw_mac all = {};
	struct tsw_bucket *own, *tenant;

	if (!port)
		return TSW_DROP_INTERNAL;
	own = limit_bucket(port, TSW_PORT_LIMIT(which & 1), &port->mac, which);
	if (own && !bucket_take(own, now, bytes))
		return TSW_DROP_RATE_LIMITED;
	tenant = limit_bucket(port, TSW_PORT_TENANT_LIMIT(which & 1), &all, which);
	if (!tenant || bucket_take(tenant, now, bytes))
		return 0;
	if (own)
		__sync_fetch_and_add(&own->full_at, -bucket_time(own, bytes));
	return TSW_DROP_RATE_LIMITED;
}

/* Charges octets that a frame costs beyond itself, as debt if the bucket is empty. Global, too. */
__noinline int tsw_charge(const struct tsw_port *port, __u64 bytes)
{
	const struct tsw_mac all = {};
	struct tsw_bucket *own, *tenant;

	if (!port)
		return TSW_DROP_INTERNAL;
	own = limit_bucket(port, TSW_PORT_LIMIT(TSW_RATE_OUT), &port->mac, TSW_RATE_OUT);
	if (own)
		__sync_fetch_and_add(&own->full_at, bucket_time(own, bytes));
	tenant = limit_bucket(port, TSW_PORT_TENANT_LIMIT(TSW_RATE_OUT), &all, TSW_RATE_OUT);
	if (tenant)
		__sync_fetch_and_add(&tenant->full_at, bucket_time(tenant, bytes));
	return 0;
}

/* NEXT, or a drop reason. Nothing is looked up where no limit is set. */
static __always_inline int limit(const struct tsw_port *port, enum tsw_rate which, __u64 bytes)
{
	const __u32 flags = TSW_PORT_LIMIT(which) | TSW_PORT_TENANT_LIMIT(which);

	if (!(port->flags & flags) || !tsw_limit(port, which, bytes))
		return NEXT;
	return drop(TSW_DROP_RATE_LIMITED);
}

#endif
