/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Agents send each other flows as datagrams full of records, see docs/wire.md. This file writes and
 * reads them; flow_take.c decides which records to believe.
 */
#ifndef TSW_AGENT_FLOW_RECORD_H
#define TSW_AGENT_FLOW_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/conntrack_flow.h"

enum {
	FLOW_DATAGRAM = 1232, /* octets: with headers of IPv6 and UDP it fits each link */
	FLOW_RECORDS = 38,    /* that fit into a datagram */
};

struct flow_record {
	__u32 tenant; /* its id */
	bool gone;
	struct flow flow;
};

/* A datagram while it is filled; begins as zeros. */
struct flow_datagram {
	__u8 octets[FLOW_DATAGRAM];
	size_t len; /* 0: empty */
};

/* Appends RECORD. False: no room. */
bool flow_write(struct flow_datagram *d, const struct flow_record *record);

/* Marks the datagram as the last of a round, in which all flows were sent. */
void flow_write_end(struct flow_datagram *d);

/* Returns the number of records, or -EBADMSG. *END: the datagram ends a round. */
int flow_read(const void *octets, size_t len, struct flow_record records[FLOW_RECORDS], bool *end);

#endif
