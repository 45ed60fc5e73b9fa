/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_NOW_H
#define TSW_STATE_NOW_H

#include "state/state.h"
#include "store/tsw.h"

/*
 * Reads what `save` writes: the state of the open switch, under its lock. Names of devices that no
 * longer exist come from the file KNOWN, which may be NULL. Notes report what `apply` would refuse.
 */
int state_now(struct tsw *t, const char *known, struct state *s);

#endif
