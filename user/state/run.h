/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `apply` and `diff` as a whole: the wanted state, the state of the switch, and the changes between
 * them. The caller reads and frees `want`.
 */
#ifndef TSW_STATE_RUN_H
#define TSW_STATE_RUN_H

#include <jansson.h>

#include "state/diff.h"
#include "store/tsw.h"

struct state_run {
	struct tsw *t;
	struct state want;
	const struct tsw_name *name; /* of this host; NULL: the switch's name, or the host's own */
	__u32 wait;		     /* seconds, for devices that are missing */
	bool skip_missing;	     /* leave out endpoints whose device is missing */

	bool up;   /* a switch was up before */
	bool made; /* this run made one */
	struct state have;
	struct changes changes;
	size_t done; /* how many changes */
};

void state_run_free(struct state_run *r);

#define cleanup_state_run __attribute__((cleanup(state_run_free)))

/* Fills `changes` and carries nothing out. Leaves the switch, whether or not it was open. */
int state_run_diff(struct state_run *r);

/*
 * The same, and carries them out. A refused apply has changed nothing: `done` is 0, and `failed` is
 * not set. After a failure half-way `done` is the number of changes that were carried out.
 */
int state_run_apply(struct state_run *r, bool *failed);

/* The changes as JSON: those DONE, first the switch if it was made; or the others. */
json_t *state_run_json(const struct state_run *r, bool done);

#endif
