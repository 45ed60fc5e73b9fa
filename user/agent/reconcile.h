/* SPDX-License-Identifier: GPL-2.0-only */
/* Making this host's switch what the cluster's records say. */
#ifndef TSW_AGENT_RECONCILE_H
#define TSW_AGENT_RECONCILE_H

#include "agent/suspects.h"
#include "agent/record_set.h"
#include "agent/complaints.h"
#include "agent/desired.h"
#include "store/tsw.h"

/* What was done, for who prints it; TEXT is a change's JSON. NULL: nobody. */
typedef void reconcile_report(void *context, json_t *change);

struct reconciler {
	struct tsw *t;
	const struct record_set *records;
	const struct interest *interest;
	const char *host;	       /* this one's name in the cluster */
	struct complaints *complaints; /* what could not be done, each once */
	struct suspects *suspects;
	bool trusted;  /* pulses are: the store is the one that it was */
	bool accepted; /* what is gone was meant to go */
	reconcile_report *tell;
	void *context;

	/* What came of it. */
	size_t changed, failed; /* changes */
	size_t refused;		/* records that are not understood, or lack what goes with them */
	size_t held;		/* deletions that wait to be accepted */
	size_t missing;		/* own endpoints whose device is not there */
	struct record_set adopted; /* this host's indices, as they are to be: see want.h */
	bool awaits;		   /* hosts are to answer by a new key */
};

/*
 * Opens the switch under its lock, compares, carries out, and gives the lock back. An error: it
 * could not begin. What single records cannot have is told of and counted.
 */
int reconcile_run(struct reconciler *c);
void reconcile_end(struct reconciler *c);

#endif
