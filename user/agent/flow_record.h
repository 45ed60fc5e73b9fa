/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What agents tell each other of flows: datagrams full of records, see docs/wire.md. Written and
 * read here alone; whether a record is to be believed is told elsewhere.
 */
#ifndef TSW_AGENT_FLOW_RECORD_H
#define TSW_AGENT_FLOW_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/conntrack_flow.h"

enum {
	FLOW_DATAGRAM = 1232, /* octets: with IPv6 and UDP no more than each link carries */
	FLOW_RECORDS = 38,    /* that fit into one */
};

struct flow_record {
	__u32 tenant; /* its id */
	bool gone;
	struct flow flow;
};

/* A datagram while it is filled: begins as zeros. */
struct flow_datagram {
	__u8 octets[FLOW_DATAGRAM];
	size_t len; /* 0: nothing is in it */
};

/* False: there is no room for it. */
bool flow_write(struct flow_datagram *d, const struct flow_record *record);

/* Behind it all flows were told that there are. */
void flow_write_end(struct flow_datagram *d);

/* The records of one, or -EBADMSG; *END: it is the last of all. */
int flow_read(const void *octets, size_t len, struct flow_record records[FLOW_RECORDS], bool *end);

#endif
