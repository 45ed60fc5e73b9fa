/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells flows by IPFIX: what came to each since it was told last. */
#ifndef TSW_FLOW_EXPORT_H
#define TSW_FLOW_EXPORT_H

#include "record/flow_list.h"
#include "watch/ipfix.h"

struct flow_export {
	struct ipfix ipfix; /* domain, most, send, context: the caller's */
	bool again;	    /* it is not the only time */

	struct flow_list told; /* as they were the last time */
	__u64 told_at;	       /* CLOCK_MONOTONIC; 0: never */
	__u64 clock;	       /* from that one to the time of day, ns */
};

/* Once more, of one tenant or, with 0, of all. */
int flow_export(struct flow_export *e, const struct tsw *t, __u32 tenant);
void flow_export_free(struct flow_export *e);

#endif
