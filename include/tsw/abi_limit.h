/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about rate limits. See abi.h, which has this. */
#ifndef TSW_ABI_LIMIT_H
#define TSW_ABI_LIMIT_H

#include <tsw/abi.h>

/*
 * tsw_limits: {tenant, MAC} -> how fast that endpoint may send and be sent to; with the zero MAC
 * all of the tenant's endpoints on this host together. Each of the two rates has a bucket of octets
 * that fills at the rate. A frame passes while there is anything in it, and may leave it in debt:
 * so a super-frame gets through, and on average the rate is kept to the octet.
 */
enum tsw_rate { TSW_RATE_OUT, TSW_RATE_IN, TSW_RATES };

#define TSW_LIMIT_UNITS 16ULL				     /* of time in a nanosecond */
#define TSW_LIMIT_BITS (8 * 1000000000ULL * TSW_LIMIT_UNITS) /* that an octet takes at 1 bit/s */

struct tsw_bucket {
	__u64 rate;    /* bits a second; 0: no limit */
	__u64 depth;   /* time in which the empty bucket fills, units */
	__u64 lacks;   /* left alone for twice as long it has so much less to begin with, units */
	__u64 full_at; /* when it will be full, units of CLOCK_MONOTONIC; past: it is */
};

struct tsw_limit_key {
	__u32 tenant;
	struct tsw_mac mac;
	__u8 pad[2];
};

struct tsw_limit {
	struct tsw_bucket bucket[TSW_RATES];
	__u32 burst; /* octets, as it was given; 0: it was not */
	__u32 pad;
};

_Static_assert(sizeof(struct tsw_limit_key) == 12, "ABI");
_Static_assert(sizeof(struct tsw_limit) == 72, "ABI");

#endif
