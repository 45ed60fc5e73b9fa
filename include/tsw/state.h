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
 * Writes the state to FILE, for tsw_state_apply(). It is read under the lock, which T keeps if it
 * had it. Notes report what apply would refuse, such as a device that is gone.
 */
int tsw_state_save(struct tsw *t, FILE *file);

struct tsw_apply {
	const char *host;  /* this host's name in the file; NULL: the switch's own name */
	__u32 wait;	   /* the longest wait for missing devices, in seconds */
	bool skip_missing; /* leave out endpoints whose device is missing, in place of failing */

	/* Called for each change, with the JSON of `tsw -j diff`. May be NULL. */
	void (*change)(void *context, const char *json);
	void *context;
};

/*
 * Makes the switch equal to FILE, and brings it up if it is down. All is checked first: a refused
 * state changes nothing. If it fails half-way, it reports the changes that were made; the same call
 * again does the rest. First releases a lock that T has. APPLY may be NULL.
 */
int tsw_state_apply(struct tsw *t, FILE *file, const struct tsw_apply *apply);

/* Reports the changes without making them. *N is their number. N and APPLY may be NULL. */
int tsw_state_diff(struct tsw *t, FILE *file, const struct tsw_apply *apply, size_t *n);

#ifdef __cplusplus
}
#endif

#endif
