/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of `apply` or `diff`: the wanted state, the state of the switch, and the changes between
 * them. The caller reads `want`, and frees all with state_run_free().
 */
#ifndef TSW_STATE_RUN_H
#define TSW_STATE_RUN_H

#include <jansson.h>

#include "state/diff.h"
#include "state/missing.h"
#include "store/tsw.h"

struct state_run {
	struct tsw *t;
	struct state want;
	const struct tsw_name *name; /* of this host; NULL: the switch's name, or the host's own */
	__u32 wait;		     /* seconds, for devices that are missing */
	bool skip_missing;	     /* leave out endpoints whose device is missing */
	bool keep_containers;	     /* leave endpoints of running containers as they are */

	bool up;     /* a switch was up before */
	bool made;   /* this run made one */
	bool locked; /* the caller had the lock before */
	__u64 until; /* end of the wait, in ms of CLOCK_MONOTONIC */
	struct state_late late;
	struct state have;
	struct changes changes;
	size_t done; /* how many changes were made */
	size_t told; /* how many of them state_run_json() leaves out */
};

void state_run_free(struct state_run *r);

#define cleanup_state_run __attribute__((cleanup(state_run_free)))

/* Fills `changes` and makes none of them. The switch is closed afterwards. */
int state_run_diff(struct state_run *r);

/*
 * The same, and makes the changes. If apply is refused, nothing has changed: `done` is 0, and
 * *FAILED is false. After a failure half-way *FAILED is true, and `done` says how many were made.
 */
int state_run_apply(struct state_run *r, bool *failed);

/*
 * After state_run_apply(): waits for the devices of endpoints that it left out, and adds each that
 * comes, with `skip_missing` and `wait`. Meanwhile the switch is closed and its lock is free.
 */
int state_run_await(struct state_run *r);

/* The changes as JSON. DONE: those made, first the switch if this run made it; or the others. */
json_t *state_run_json(const struct state_run *r, bool done);

#endif
