/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deletes the records of this host's containers that are gone, see cluster/orphans.h. A record must
 * be an orphan at two looks with some time between, all the while etcd answers.
 */
#ifndef TSW_AGENT_COLLECT_H
#define TSW_AGENT_COLLECT_H

#include "agent/replica.h"
#include "cluster/orphans.h"
#include "store/tsw.h"

struct collector {
	struct complaints complaints;
	struct orphans seen; /* at the last look */
	size_t taken;	     /* since the agent began */
	__u64 sweep;	     /* ns of CLOCK_MONOTONIC: when to call orphans_sweep(); 0: never */
	__u64 next;	     /* ns of CLOCK_MONOTONIC: the next look */
};

/*
 * Looks if it is time. MISSING: how many endpoints lack their device. T is closed before and after.
 */
void collect(struct collector *c, struct tsw *t, struct replica *rp, size_t missing);
/* Devices or records changed: a plugin may have been killed on the way, and left a file. */
void collect_later(struct collector *c);
void collect_end(struct collector *c);

#endif
