/* SPDX-License-Identifier: GPL-2.0-only */
/* The sockets by which agents tell each other of flows: UDP between the hosts' tunnel addresses. */
#ifndef TSW_AGENT_FLOW_WIRE_H
#define TSW_AGENT_FLOW_WIRE_H

#include <sys/types.h>

#include "agent/flow_record.h"

struct flow_wire {
	int fd[TSW_FAMILIES];	  /* or -1 */
	struct tsw_config config; /* that they were opened for */
};

#define FLOW_WIRE_CLOSED         \
	{                        \
		.fd = { -1, -1 } \
	}

int flow_wire_open(struct flow_wire *w, const struct tsw_config *config);
void flow_wire_close(struct flow_wire *w);

/* They are as CONFIG asks. */
bool flow_wire_fits(const struct flow_wire *w, const struct tsw_config *config);

/* Does not wait. False: it is lost. */
bool flow_wire_send(const struct flow_wire *w, const struct tsw_host *to,
		    const struct flow_datagram *d);

/*
 * What came, and from which address: its octets, 0 for what is to be passed over, or -errno;
 * -EAGAIN: nothing more is there.
 */
ssize_t flow_wire_receive(const struct flow_wire *w, enum tsw_family family,
			  __u8 octets[FLOW_DATAGRAM], struct tsw_addr *from);

#endif
