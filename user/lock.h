/* SPDX-License-Identifier: GPL-2.0-only */
/* One command at a time changes a switch: flock on /run/tsw/INSTANCE. */
#ifndef TSW_LOCK_H
#define TSW_LOCK_H

#include "tsw.h"

/* Waits up to ten seconds; held already: nothing to do. */
int lock_take(struct tsw *t);
void lock_drop(struct tsw *t);

/* Takes the held lock's directory away: the switch is gone. */
void lock_remove(const struct tsw *t);

#endif
