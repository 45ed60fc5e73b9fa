/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_NOW_H
#define TSW_STATE_NOW_H

#include "state/state.h"
#include "store/tsw.h"

/*
 * What `save` writes: the state of the open switch, read under its lock. A device that is gone has
 * its name from the file KNOWN, which may be NULL. Notes report what `apply` would refuse.
 */
int state_now(struct tsw *t, const char *known, struct state *s);

#endif
