/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the router in step with the host's devices and addresses, which others change. */
#ifndef TSW_AGENT_UPLINKS_H
#define TSW_AGENT_UPLINKS_H

#include "store/tsw.h"

/* Where mending does not help, when it is tried again. */
struct uplinks_wait {
	__u64 until;   /* CLOCK_MONOTONIC, ns */
	__u64 seconds; /* the last one */
};

/* HERE is open to read; where there is something to do, the lock is taken. */
int uplinks_look(struct tsw *here, struct uplinks_wait *wait);

#endif
