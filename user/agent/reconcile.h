/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes this host's switch to the state that the cluster's records ask for. */
#ifndef TSW_AGENT_RECONCILE_H
#define TSW_AGENT_RECONCILE_H

#include <jansson.h>

#include "agent/complaints.h"
#include "agent/desired.h"
#include "agent/record_set.h"
#include "agent/suspects.h"
#include "store/tsw.h"

/* Called with each change that was made, as JSON. */
typedef void reconcile_report(void *context, json_t *change);

struct reconciler {
	struct tsw *t;
	const struct record_set *records;
	const struct interest *interest;
	const char *host;	       /* this host's name in the cluster */
	struct complaints *complaints; /* what could not be applied */
	struct suspects *suspects;
	bool trusted;  /* the store is the same as before, so its pulses count */
	bool accepted; /* an administrator accepted all deletions */
	bool dry;      /* only tells the changes, and makes none */
	reconcile_report *tell;
	void *context;

	/* Results: */
	size_t changed, failed;	   /* changes */
	size_t refused;		   /* records that are invalid, or lack their claim or index */
	size_t held;		   /* deletions that wait for `cluster accept` */
	size_t missing;		   /* this host's endpoints whose device does not exist */
	struct record_set adopted; /* new values of this host's indices, see desired.h */
	bool awaits;		   /* some host has a new key and has not answered by it */
};

/*
 * Opens the switch under its lock, compares, applies the changes, and releases the lock. Errors are
 * those that keep it from beginning. Failures of single records are complaints, and counted.
 */
int reconcile_run(struct reconciler *c);
void reconcile_end(struct reconciler *c);

#endif
