/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of a gateway's ranked hosts is to serve it, by what is known of their lives. */
#ifndef TSW_AGENT_RANK_H
#define TSW_AGENT_RANK_H

#include <stdbool.h>

#include "object/gateway.h"

enum life {
	LIFE_UNKNOWN, /* it has not answered yet, and has not been asked for long */
	LIFE_ALIVE,
	LIFE_SILENT, /* it did answer, and does no more */
	LIFE_LAME,   /* it answers that it has no way to the world */
};

struct life_of {
	enum life life;
	__u64 since; /* CLOCK_MONOTONIC, ns: it has been so without a break */
};

struct lives {
	const struct life_of *of; /* by host index; 0 is this host */
	__u64 now, hold;	  /* ns: so long one must have lived before it is gone back to */
};

enum { RANK_DRAIN = 60 }; /* seconds, of flows where it is gone back to one of a better rank */

/*
 * The first that lives and has a way to the world; where none has one, that lives. One that serves
 * and lives is left only for a better one that has lived for `hold`. Where none lives all stays.
 * True: TO, but for its tenant, is to be done.
 */
bool rank_choose(const struct tsw_gateway *gw, const struct lives *lives, struct gateway_flip *to);

#endif
