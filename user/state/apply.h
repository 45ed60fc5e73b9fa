/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the changes of state_diff() on the switch, which is open for writing. */
#ifndef TSW_STATE_APPLY_H
#define TSW_STATE_APPLY_H

#include "state/diff.h"
#include "store/tsw.h"

/* Before the first change: fails if the kernel or this host's devices would refuse one. */
int state_refuse(struct tsw *t, const struct state *have, const struct state *want,
		 const struct changes *c);

/* Carries out all changes except that of adding the switch. *DONE: how many, also if one fails. */
int state_apply(struct tsw *t, const struct state *have, const struct state *want,
		const struct changes *c, size_t *done);

/*
 * The same, but goes on after a change that fails. EACH is called for every change, with ERR, of
 * which failure() is set; 0: it is done.
 */
typedef void state_done(void *context, const struct change *change, int err);
int state_apply_each(struct tsw *t, const struct state *have, const struct state *want,
		     const struct changes *c, state_done *each, void *context);

/* The settings of the file for `switch up`. */
struct tsw_switch_spec state_up(const struct state *want);

#endif
