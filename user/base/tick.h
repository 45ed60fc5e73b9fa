/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TICK_H
#define TSW_TICK_H

#include <tsw/abi.h>

#include "base/clock.h"

/* The programs' clock, see TSW_FAIR_TICK. They have no other. */
static inline __u32 tick_now(void)
{
	return (__u32)(clock_kernel_ns() >> TSW_FAIR_TICK & TSW_CONN_UNTIL);
}

/* A timeout of conntrack in ticks, rounded up. */
static inline __u32 tick_of(__u32 seconds)
{
	return (__u32)(seconds * 1000000000ULL >> TSW_FAIR_TICK) + 1;
}

#endif
