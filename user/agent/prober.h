/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks the ranked hosts of this switch's gateways whether they are alive. If one is not, the next
 * one serves its gateways. Asks all other hosts now and then, to find wrong addresses. Also tells
 * hosts that ask whether this one has a route to the internet. Runs in a thread of its own, because
 * the agent may wait for etcd.
 */
#ifndef TSW_AGENT_PROBER_H
#define TSW_AGENT_PROBER_H

#include "store/tsw.h"

enum { PROBE_MS = 200, PROBE_HOLD = 30 };

struct prober_asks {
	__u32 ms;   /* between two questions; 0: ask nobody */
	__u32 hold; /* seconds that a host must be alive before it serves again */
};

struct prober_counts {
	__u64 lost;   /* questions without an answer */
	__u64 flips;  /* how often this host saw a gateway go to another host */
	__u32 silent; /* hosts that stopped answering */
};

struct prober;

/* Starts it for the switch of T, which need not be up. It inherits the signals blocked now. */
int prober_start(struct prober **prober, const struct tsw *t, const struct prober_asks *asks);
void prober_counts(struct prober *p, struct prober_counts *counts);

/* Hosts that have not answered for a while. */
struct quiet {
	size_t n;
	struct quiet_host {
		struct tsw_name name;
		struct tsw_addr addr; /* at which it was asked */
	} all[];
};

/* The hosts that are quiet now; NULL: nobody has looked since the last call. To be freed. */
struct quiet *prober_quiet(struct prober *p);

/* Frames in the last minute from addresses that no host has. */
__u32 prober_unknown(struct prober *p);

void prober_stop(struct prober *p); /* NULL: nothing to do */

#endif
