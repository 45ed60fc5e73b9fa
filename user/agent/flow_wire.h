/* SPDX-License-Identifier: GPL-2.0-only */
/* The sockets by which agents exchange flows: UDP between the hosts' tunnel addresses. */
#ifndef TSW_AGENT_FLOW_WIRE_H
#define TSW_AGENT_FLOW_WIRE_H

#include <sys/types.h>

#include "agent/flow_report.h"

struct flow_wire {
	int fd[TSW_FAMILIES];	  /* or -1 */
	struct tsw_config config; /* for which they were opened */
};

#define FLOW_WIRE_CLOSED         \
	{                        \
		.fd = { -1, -1 } \
	}

int flow_wire_open(struct flow_wire *w, const struct tsw_config *config);
void flow_wire_close(struct flow_wire *w);

/* Are the sockets open, and as CONFIG needs them? */
bool flow_wire_fits(const struct flow_wire *w, const struct tsw_config *config);

/* Does not wait. False: the datagram is lost. */
bool flow_wire_send(const struct flow_wire *w, const struct tsw_host *to,
		    const struct flow_datagram *d);

/*
 * Receives a datagram and its sender's address. Returns its length, 0 if it is to be ignored, or
 * -errno; -EAGAIN: nothing has come.
 */
ssize_t flow_wire_receive(const struct flow_wire *w, enum tsw_family family,
			  __u8 octets[FLOW_DATAGRAM], struct tsw_addr *from);

#endif
