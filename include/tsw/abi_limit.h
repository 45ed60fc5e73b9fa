/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about rate limits. See abi.h, which has this. */
#ifndef TSW_ABI_LIMIT_H
#define TSW_ABI_LIMIT_H

#include <tsw/abi.h>

/*
 * tsw_limits: {tenant, MAC} -> how fast that endpoint may send and receive. The zero MAC stands for
 * all of the tenant's endpoints on this host together.
 *
 * Each rate has a bucket of octets that fills at the rate. A frame passes while the bucket is not
 * empty, and may leave it in debt. So a super-frame gets through, and the average rate is exact to
 * the octet.
 */
enum tsw_rate { TSW_RATE_OUT, TSW_RATE_IN, TSW_RATES };

/* In tsw_port.flags: the limits of its frames. Only with these flags a limit is looked up. */
#define TSW_PORT_LIMIT(way) (1U << (8 + (way)))		/* its own */
#define TSW_PORT_TENANT_LIMIT(way) (1U << (10 + (way))) /* its tenant's */

#define TSW_LIMIT_UNITS 16ULL				     /* units of time in a nanosecond */
#define TSW_LIMIT_BITS (8 * 1000000000ULL * TSW_LIMIT_UNITS) /* units of an octet at 1 bit/s */

struct tsw_bucket {
	__u64 rate;    /* bits a second; 0: no limit */
	__u64 depth;   /* time in which the empty bucket fills, units */
	__u64 lacks;   /* after a rest of twice that time it begins with so much less, units */
	__u64 full_at; /* when it will be full, units of CLOCK_MONOTONIC; past: it is */
};

struct tsw_limit_key {
	__u32 tenant;
	struct tsw_mac mac;
	__u8 pad[2];
};

struct tsw_limit {
	struct tsw_bucket bucket[TSW_RATES];
	__u32 burst; /* octets, as given; 0: not given */
	__u32 pad;
};

_Static_assert(sizeof(struct tsw_limit_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_limit) == 72, "ABI");

#endif
