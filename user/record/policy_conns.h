/* SPDX-License-Identifier: GPL-2.0-only */
/* The connections that each tenant's policy tracks, and the tenants' shares of the room. */
#ifndef TSW_POLICY_CONNS_H
#define TSW_POLICY_CONNS_H

#include "store/tsw.h"

struct policy_uses {
	struct policy_use {
		__u32 tenant;
		__u32 table;
		__u32 share; /* connections */
		__u32 open;  /* connections that are answered and not closed */
	} * all;	     /* tenants whose policy is not off, sorted by id */
	size_t n;
	size_t buckets; /* in use, of all tenants */
	__u32 room;	/* for connections of all tenants */
	__u64 promised; /* the sum of all shares */
};

/* Reads all of tsw_policy_conns, unless all policies are off. */
int policy_uses_read(const struct tsw *t, struct policy_uses *uses);
void policy_uses_free(struct policy_uses *uses);

#define cleanup_policy_uses __attribute__((cleanup(policy_uses_free)))

/* Whether all connections of the bucket have expired at NOW, in ticks. */
bool policy_bucket_is_over(const struct tsw_policy_bucket *bucket, __u32 now);

#endif
