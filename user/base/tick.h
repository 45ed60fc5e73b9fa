/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_TICK_H
#define TSW_TICK_H

#include <tsw/abi.h>

#include "base/clock.h"

/* As the programs count time, see TSW_FAIR_TICK: they have no other clock. */
static inline __u32 tick_now(void)
{
	return (__u32)(clock_kernel_ns() >> TSW_FAIR_TICK & TSW_CONN_UNTIL);
}

#endif
