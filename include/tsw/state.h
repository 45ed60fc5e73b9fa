/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libtsw: the whole state of a switch as a JSON file, which docs/state.schema.json describes. One
 * file can describe a whole cluster: each host takes its part. See switch.h for errors.
 */
#ifndef LIBTSW_STATE_H
#define LIBTSW_STATE_H

#include <tsw/switch.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes the state to FILE, from which tsw_state_apply() makes it again. It is read under the lock,
 * which T keeps if it had it. Notes tell of what apply would refuse, as a device that is gone.
 */
int tsw_state_save(struct tsw *t, FILE *file);

struct tsw_apply {
	const char *host;  /* which of the file's hosts this one is; NULL: the switch's own name */
	__u32 wait;	   /* seconds, for devices that are missing */
	bool skip_missing; /* leave out endpoints whose device is missing, in place of failing */

	/* Called for each change, which is what `tsw -j diff` says of it. May be NULL. */
	void (*change)(void *context, const char *json);
	void *context;
};

/*
 * Makes the switch what FILE says, and brings it up where it is down. All is checked first: a
 * state that is refused changes nothing. One that fails half-way tells of those changes that were
 * made; the same call again does the rest. A lock that T has is given back first. APPLY may be
 * NULL.
 */
int tsw_state_apply(struct tsw *t, FILE *file, const struct tsw_apply *apply);

/* Tells of the changes without making them. *N: how many; it and APPLY may be NULL. */
int tsw_state_diff(struct tsw *t, FILE *file, const struct tsw_apply *apply, size_t *n);

#ifdef __cplusplus
}
#endif

#endif
