/* SPDX-License-Identifier: GPL-2.0-only */
/* Exports flows by IPFIX, each with what has come since the last time. */
#ifndef TSW_TOOLS_FLOWS_CHANGED_H
#define TSW_TOOLS_FLOWS_CHANGED_H

#include "record/flow_list.h"
#include "tools/flows/ipfix.h"

struct flow_export {
	struct ipfix ipfix; /* the caller sets domain, most, send, context */
	bool again;	    /* flows are exported again and again */

	struct flow_list reported; /* the flows as of the last time */
	__u64 reported_at;	   /* CLOCK_MONOTONIC; 0: never */
	__u64 clock;		   /* ns to add for the time of day */
};

/* Exports the flows of TENANT, or with 0 of all tenants, once. */
int flow_export(struct flow_export *e, const struct tsw *t, __u32 tenant);
void flow_export_free(struct flow_export *e);

#endif
