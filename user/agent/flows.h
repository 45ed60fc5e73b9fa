/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hosts of a ranked gateway know each other's flows, so that these go on where another host
 * serves: who serves tells the others, which put them into their kernel's table of connections.
 * Those alone that leave as an address that all have, `snat` or with `nat off` their own. A thread
 * of its own, for the agent may wait for etcd.
 */
#ifndef TSW_AGENT_FLOWS_H
#define TSW_AGENT_FLOWS_H

#include "store/tsw.h"

struct flows_counts {
	__u64 sent, received, refused; /* records */
};

struct flows;

/* Of the switch that T tells; it need not be up. Signals are those of the caller. */
int flows_start(struct flows **flows, const struct tsw *t);
void flows_counts(struct flows *f, struct flows_counts *counts);
void flows_stop(struct flows *f); /* NULL: nothing to do */

#endif
