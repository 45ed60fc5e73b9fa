/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks the ranked hosts of this switch's gateways whether they are alive, and has the gateways of
 * one that is not served by the next. Tells those who ask whether this host has a way to the world.
 * A thread of its own, for the agent may wait for etcd.
 */
#ifndef TSW_AGENT_PROBER_H
#define TSW_AGENT_PROBER_H

#include "store/tsw.h"

enum { PROBE_MS = 200, PROBE_HOLD = 30 };

struct prober_asks {
	__u32 ms;   /* between two questions; 0: nobody is asked */
	__u32 hold; /* seconds that one must live before it is gone back to */
};

struct prober_counts {
	__u64 lost;   /* questions without an answer */
	__u64 flips;  /* times that another host serves a gateway, as this host sees it */
	__u32 silent; /* hosts that do not answer any more */
};

struct prober;

/* Of the switch that T tells; it need not be up. Signals are those of the caller. */
int prober_start(struct prober **prober, const struct tsw *t, const struct prober_asks *asks);
void prober_counts(struct prober *p, struct prober_counts *counts);
void prober_stop(struct prober *p); /* NULL: nothing to do */

#endif
