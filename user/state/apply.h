/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the changes of state_diff() on the switch, which is open for writing. */
#ifndef TSW_STATE_APPLY_H
#define TSW_STATE_APPLY_H

#include "state/diff.h"
#include "store/tsw.h"

/* Fails if the kernel or this host's devices would refuse a change. Call before the first one. */
int state_refuse(struct tsw *t, const struct state *have, const struct state *want,
		 const struct changes *c);

/* Carries out all changes except adding the switch. *DONE: how many were made, also on failure. */
int state_apply(struct tsw *t, const struct state *have, const struct state *want,
		const struct changes *c, size_t *done);

/*
 * The same, but continues after a change that fails. Calls EACH for every change. ERR is 0 if the
 * change was made; otherwise failure() says why not.
 */
typedef void state_done(void *context, const struct change *change, int err);
int state_apply_each(struct tsw *t, const struct state *have, const struct state *want,
		     const struct changes *c, state_done *each, void *context);

/* The settings for `switch up` that the file gives to this host. */
struct tsw_switch_spec state_up(const struct state *want);

#endif
