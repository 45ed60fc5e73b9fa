/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the switch for a run of commands, and putting it in order behind them. */
#ifndef TSW_SESSION_H
#define TSW_SESSION_H

#include "store/tsw.h"

/* Opens the pinned switch, for writing under its lock; again: settles what failed half-way. */
int session_open(struct tsw *t);

/* Writes what was counted and not written yet. */
int session_flush(struct tsw *t);

/* Writes the totals and closes the switch; keeps the lock. */
void session_leave(struct tsw *t);

/*
 * It was opened otherwise than this run's other commands ask: WILL_WRITE is what those had. What
 * comes next opens it anew. The failure that is set stays.
 */
void session_restore(struct tsw *t, bool will_write);

/* The same, and gives the lock back. */
void session_close(struct tsw *t);

#endif
