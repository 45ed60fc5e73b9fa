/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Agents send each other flows as datagrams full of reports, see docs/wire.md. This file writes and
 * reads them; flow_take.c decides which reports to believe.
 */
#ifndef TSW_AGENT_FLOW_REPORT_H
#define TSW_AGENT_FLOW_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/conntrack_flow.h"

enum {
	FLOW_DATAGRAM = 1232, /* octets: with headers of IPv6 and UDP it fits each link */
	FLOW_REPORTS = 38,    /* that fit into a datagram */
};

struct flow_report {
	__u32 tenant; /* its id */
	bool gone;
	struct flow flow;
};

/* A datagram while it is filled; begins as zeros. */
struct flow_datagram {
	__u8 octets[FLOW_DATAGRAM];
	size_t len; /* 0: empty */
};

/* Appends REPORT. False: no room. */
bool flow_write(struct flow_datagram *d, const struct flow_report *report);

/* Marks the datagram as the last of a round, in which all flows were sent. */
void flow_write_end(struct flow_datagram *d);

/* Returns the number of reports, or -EBADMSG. *END: the datagram ends a round. */
int flow_read(const void *octets, size_t len, struct flow_report reports[FLOW_REPORTS], bool *end);

#endif
