/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the router in step with the host's devices and addresses when others change them. */
#ifndef TSW_AGENT_UPLINKS_H
#define TSW_AGENT_UPLINKS_H

#include "store/tsw.h"

/* When to try again after a repair that did not help. */
struct uplinks_wait {
	__u64 until;   /* CLOCK_MONOTONIC, ns */
	__u64 seconds; /* the last wait */
};

/* RO is open for reading. Takes the lock only for a repair. */
int uplinks_look(struct tsw *ro, struct uplinks_wait *wait);

#endif
