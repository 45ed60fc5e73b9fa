/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `apply` and `diff` from end to end: the state that is wanted, the switch that there is, what
 * makes the one the other. The caller reads and frees `want`; the rest is kept here.
 */
#ifndef TSW_STATE_RUN_H
#define TSW_STATE_RUN_H

#include <jansson.h>

#include "state/state_diff.h"
#include "store/tsw.h"

struct state_run {
	struct tsw *t;
	struct state want;
	const struct tsw_name *name; /* this host's; NULL: the switch's, or the host's own */
	__u32 wait;		     /* seconds, for devices that are missing */
	bool skip_missing;	     /* endpoints whose device is missing are left out */

	bool up;   /* a switch was, when we came */
	bool made; /* we made one */
	struct state have;
	struct changes changes;
	size_t done; /* of changes */
};

void state_run_free(struct state_run *r);

#define cleanup_state_run __attribute__((cleanup(state_run_free)))

/* Fills changes and carries nothing out. Leaves the switch, which the caller had open or not. */
int state_run_diff(struct state_run *r);

/*
 * The same, and carries them out. A refused one has changed nothing, and `done` is 0 and `failed`
 * not set; one that fails half-way says in `done` how far it came.
 */
int state_run_apply(struct state_run *r, bool *failed);

/* The changes as JSON: those DONE, the switch itself first where it was made; or the rest. */
json_t *state_run_json(const struct state_run *r, bool done);

#endif
