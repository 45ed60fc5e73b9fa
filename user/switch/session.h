/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the switch for a run of commands, and putting it in order behind them. */
#ifndef TSW_SESSION_H
#define TSW_SESSION_H

#include "store/tsw.h"

/* Opens the pinned switch, for writing under its lock; again: nothing to do. */
int session_open(struct tsw *t);

/* Writes what was counted and not written yet. */
int session_flush(struct tsw *t);

/* Writes the totals and closes the switch; keeps the lock. */
void session_leave(struct tsw *t);

/* The same, and gives the lock back. */
void session_close(struct tsw *t);

#endif
