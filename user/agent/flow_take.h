/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives flows of other hosts: which of them this host believes and puts into conntrack. */
#ifndef TSW_AGENT_FLOW_TAKE_H
#define TSW_AGENT_FLOW_TAKE_H

#include "agent/flow_report.h"
#include "agent/flow_table.h"
#include "store/tsw.h"

struct flow_taker {
	struct flow_table table;
	__u32 round[TSW_MAX_HOSTS + 1]; /* by host index: complete rounds that it has sent */
	__u64 second;			/* of CLOCK_MONOTONIC */
	__u32 reports;			/* received in that second */
	__u64 taken, refused;		/* reports */
	int why;			/* errno of the last report that the kernel refused */
};

/* Takes a datagram of the host with that index. */
void take_datagram(struct flow_taker *k, const struct tsw *t, __u32 host, const void *octets,
		   size_t len);

/* The kernel's entry has ended: forgets the flow. */
void take_end(struct flow_taker *k, __u32 tenant, const struct flow *flow);

#endif
