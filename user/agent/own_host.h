/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * This host's own record: its addresses, its keys and its MTU, as its switch has them. An address
 * that an operator gave the record stays, because it may be in front of a NAT.
 */
#ifndef TSW_AGENT_OWN_HOST_H
#define TSW_AGENT_OWN_HOST_H

#include <tsw/object.h>

#include "agent/complaints.h"
#include "agent/replica.h"
#include "store/tsw.h"

enum { OWN_HOST_WHY = 192 };

struct own_host {
	struct complaints complaints;
	struct tsw_config seen; /* the switch's when it was compared last */
	char why[OWN_HOST_WHY]; /* why others cannot reach this host; "": they can */
	bool elsewhere;		/* an operator gave the record other addresses than the switch's */
	bool changed;		/* compare the record */
	bool dry;		/* a dry run: neighbours are told nothing */
	__u64 look_at, tell_at; /* ns of CLOCK_MONOTONIC */
	__u64 moved_at;		/* when the record got these addresses */
	struct tsw_addr wrote[TSW_FAMILIES];
	unsigned int wait_ms; /* after the next move */
};

void own_host_begin(struct own_host *o, const struct log *log);
void own_host_end(struct own_host *o);

/* The record of the switch of T, which is host NAME. */
int own_host_spec(const struct tsw *t, const struct tsw_name *name, struct tsw_host_spec *spec);

/*
 * After the switch was compared with the records. True: it has other addresses than before, and
 * neighbours are to be told.
 */
bool own_host_compared(struct own_host *o, const struct tsw *t);

/* Has a command changed the switch since? Looks once a second. */
bool own_host_has_changed(struct own_host *o, struct tsw *t);

/* Writes what differs into the record, if it is time to look. */
void own_host_turn(struct own_host *o, struct tsw *t, struct replica *rp);

/* The same for `agent once`. */
int own_host_once(struct own_host *o, struct tsw *t, struct replica *rp);

#endif
