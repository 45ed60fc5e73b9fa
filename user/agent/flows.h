/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hosts of a ranked gateway share its flows, so that connections survive when another host
 * takes over. The serving host sends its flows, and the others put them into conntrack. Only flows
 * whose address outside all hosts share are sent: `snat`, or with `nat off` the endpoint's own.
 * Runs in a thread of its own, because the agent may wait for etcd.
 */
#ifndef TSW_AGENT_FLOWS_H
#define TSW_AGENT_FLOWS_H

#include "store/tsw.h"

struct flows_counts {
	__u64 sent, received, refused; /* reports */
};

struct flows;

/* Starts it for the switch of T, which need not be up. It inherits the signals blocked now. */
int flows_start(struct flows **flows, const struct tsw *t);
void flows_counts(struct flows *f, struct flows_counts *counts);
void flows_stop(struct flows *f); /* NULL: nothing to do */

#endif
