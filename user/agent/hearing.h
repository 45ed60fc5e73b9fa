/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hears that devices, qdiscs, filters, routes, rules, nftables or pins may have changed, in the
 * host and in the router. It does not say what has changed.
 */
#ifndef TSW_AGENT_HEARING_H
#define TSW_AGENT_HEARING_H

#include <poll.h>

#include "store/tsw.h"

enum { HEARING_FDS = 4 };

struct hearing {
	struct mnl_socket *socket[HEARING_FDS - 1];
	int pins; /* of inotify */
};

#define HEARING_CLOSED     \
	{                  \
		.pins = -1 \
	}

/* Begins anew. While T is open its router is heard, too. What cannot be opened is left out. */
void hearing_open(struct hearing *h, const struct tsw *t);
void hearing_close(struct hearing *h);

/* Makes entries for poll(). One that is readable, or has failed, tells of a change. */
void hearing_poll(const struct hearing *h, struct pollfd fds[HEARING_FDS]);

#endif
