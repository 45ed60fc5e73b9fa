/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the host that serves a gateway from its ranked hosts and what is known of their lives. */
#ifndef TSW_AGENT_RANK_H
#define TSW_AGENT_RANK_H

#include <stdbool.h>

#include "object/gateway.h"

enum life {
	LIFE_UNKNOWN, /* asked since a short time only, and has not answered yet */
	LIFE_ALIVE,
	LIFE_SILENT, /* does not answer */
	LIFE_LAME,   /* answers that it has no route to the internet */
};

struct life_of {
	enum life life;
	__u64 since; /* CLOCK_MONOTONIC, ns: when that began */
};

struct lives {
	const struct life_of *of; /* by host index; 0 is this host */
	__u64 now, hold;	  /* ns; HOLD: how long a host must be alive to serve again */
};

enum { RANK_DRAIN = 60 }; /* seconds for old flows when a better rank serves again */

/*
 * Chooses the first rank that is alive and has a route to the internet; if no host has a route, the
 * first that is alive. A better rank than the serving one must have been alive for HOLD. If no host
 * is alive nothing changes. True: apply TO, whose tenant is not set.
 */
bool rank_choose(const struct tsw_gateway *gw, const struct lives *lives, struct gateway_flip *to);

#endif
