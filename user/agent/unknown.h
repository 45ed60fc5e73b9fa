/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts tunnel frames from addresses of no known host: a host's address may have changed. */
#ifndef TSW_AGENT_UNKNOWN_H
#define TSW_AGENT_UNKNOWN_H

#include <stdatomic.h>

#include "store/tsw.h"

struct unknown {
	_Atomic __u32 frames; /* in the last minute; other threads read it */
	__u64 minute, next;   /* when the minute began, and when to count; CLOCK_MONOTONIC, ns */
	__u64 before;	      /* frames until the minute began */
};

/* T is open for reading, or closed: then nothing is counted. */
void unknown_count(struct unknown *u, const struct tsw *t, __u64 now);

#endif
