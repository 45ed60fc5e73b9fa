/* SPDX-License-Identifier: GPL-2.0-only */
/* Carrying out what state_diff() found, on the switch that is open for writing. */
#ifndef TSW_STATE_APPLY_H
#define TSW_STATE_APPLY_H

#include "state/state_diff.h"
#include "store/tsw.h"

/* What the kernel and this host's devices would refuse: before the first change. */
int state_refuse(struct tsw *t, const struct state *have, const struct state *want,
		 const struct changes *c);

/* All changes but one that adds the switch; *DONE: how many, also where one fails. */
int state_apply(struct tsw *t, const struct state *have, const struct state *want,
		const struct changes *c, size_t *done);

/*
 * The same for who goes on behind a change that fails: EACH is told of every one, with ERR, whose
 * failure() is set; 0: it is done.
 */
typedef void state_done(void *context, const struct change *change, int err);
int state_apply_each(struct tsw *t, const struct state *have, const struct state *want,
		     const struct changes *c, state_done *each, void *context);

/* What `switch up` is to be told by the file. */
struct tsw_switch_spec state_up(const struct state *want);

#endif
