/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Repairs what others break outside of the switch's maps: devices, programs, pins, the router. Runs
 * in a thread of its own, because the agent may wait for etcd.
 */
#ifndef TSW_AGENT_MENDER_H
#define TSW_AGENT_MENDER_H

#include "store/tsw.h"

struct mender_counts {
	__u64 repairs; /* how often something was found and repaired */
	__u64 left;    /* problems that the last repair left */
};

struct mender;

/* Starts it for the switch of T, which need not be up. It inherits the signals blocked now. */
int mender_start(struct mender **mender, const struct tsw *t);
void mender_counts(struct mender *m, struct mender_counts *counts);
void mender_stop(struct mender *m); /* NULL: nothing to do */

#endif
