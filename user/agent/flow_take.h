/* SPDX-License-Identifier: GPL-2.0-only */
/* What other hosts tell of their flows: what of it this host believes, and keeps. */
#ifndef TSW_AGENT_FLOW_TAKE_H
#define TSW_AGENT_FLOW_TAKE_H

#include "agent/flow_record.h"
#include "agent/flow_table.h"
#include "store/tsw.h"

struct flow_taker {
	struct flow_table table;
	__u32 round[TSW_MAX_HOSTS + 1]; /* by host index: so often it has told all that it has */
	__u64 second;			/* of CLOCK_MONOTONIC */
	__u32 records;			/* that came in it */
	__u64 taken, refused;		/* records */
	int why;			/* errno's number of the last that the kernel refused */
};

/* A datagram of HOST's, by index. */
void take_datagram(struct flow_taker *k, const struct tsw *t, __u32 host, const void *octets,
		   size_t len);

/* The kernel here has forgotten it. */
void take_end(struct flow_taker *k, __u32 tenant, const struct flow *flow);

#endif
