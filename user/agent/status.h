/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of one agent an instance: its lock, /run/tsw/INSTANCE.agent, which is also where it tells how it
 * is. A file whose lock nobody holds is an agent's that is gone.
 */
#ifndef TSW_AGENT_STATUS_H
#define TSW_AGENT_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "agent/flows.h"
#include "agent/prober.h"

struct agent_status {
	__u32 size; /* of this structure: another version's is none */
	__u32 connected;
	__s64 revision;	  /* that it is in step with */
	__u64 last_event; /* ns of CLOCK_REALTIME; 0: none yet */
	__u64 resyncs;	  /* times that all was read again */
	__u64 failed;	  /* changes that this host cannot make */
	__u64 held;	  /* deletions that wait for `cluster accept` */
	__u64 missing;	  /* own endpoints whose device is not there */
	__u64 odd;	  /* entries of etcd that are left out, see etcd_odd() */
	struct prober_counts probes;
	struct flows_counts flows;
};

/* An fd, whose end lets go of the lock, whatever that is. -EBUSY: another agent is at work. */
int status_take(const char *instance);
/* The same; waits for one that is at it once, for MS at most. */
int status_wait(const char *instance, unsigned int ms);
void status_write(int fd, const struct agent_status *status);

/* False: no agent is at work, or one is at it once. */
bool status_read(const char *instance, struct agent_status *status);

#endif
