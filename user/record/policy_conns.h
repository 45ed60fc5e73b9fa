/* SPDX-License-Identifier: GPL-2.0-only */
/* How many connections each tenant's policy holds open, of how many that it may have. */
#ifndef TSW_POLICY_CONNS_H
#define TSW_POLICY_CONNS_H

#include "store/tsw.h"

struct policy_uses {
	struct policy_use {
		__u32 tenant;
		__u32 table;
		__u32 share;
		__u32 open; /* answered, and not closed: no other takes their room */
	} * all;	    /* of tenants whose policy is not off, by tenant */
	size_t n;
	size_t buckets; /* of all tenants */
	__u32 room;	/* for so many */
	__u64 promised; /* what all may have, if each uses up its share */
};

/* Reads all of tsw_policy_conns, if any policy is not off. */
int policy_uses_read(const struct tsw *t, struct policy_uses *uses);
void policy_uses_free(struct policy_uses *uses);

#define cleanup_policy_uses __attribute__((cleanup(policy_uses_free)))

/* Each place of it is free: at NOW, a tick, all that was there is over. */
bool policy_bucket_is_over(const struct tsw_policy_bucket *bucket, __u32 now);

#endif
