/* SPDX-License-Identifier: GPL-2.0-only */
/* Making this host's switch what the cluster's records say. */
#ifndef TSW_AGENT_CARRY_H
#define TSW_AGENT_CARRY_H

#include "agent/doubt.h"
#include "agent/mirror.h"
#include "agent/told.h"
#include "agent/want.h"
#include "store/tsw.h"

/* What was done, for who prints it; TEXT is a change's JSON. NULL: nobody. */
typedef void carry_tell(void *context, json_t *change);

struct carry {
	struct tsw *t;
	const struct mirror *records;
	const struct interest *interest;
	const char *host;  /* this one's name in the cluster */
	struct told *told; /* what could not be done, each once */
	struct doubts *doubts;
	bool trusted;  /* pulses are: the store is the one that it was */
	bool accepted; /* what is gone was meant to go */
	carry_tell *tell;
	void *context;

	/* What came of it. */
	size_t changed, failed; /* changes */
	size_t refused;		/* records that are not understood, or lack what goes with them */
	size_t held;		/* deletions that wait to be accepted */
	size_t missing;		/* own endpoints whose device is not there */
	struct mirror adopted;	/* this host's indices, as they are to be: see want.h */
	bool awaits;		/* hosts are to answer by a new key */
};

/*
 * Opens the switch under its lock, compares, carries out, and gives the lock back. An error: it
 * could not begin. What single records cannot have is told of and counted.
 */
int carry_out(struct carry *c);
void carry_end(struct carry *c);

#endif
