/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the switch for a run of commands, and putting it in order behind them. */
#ifndef TSW_SESSION_H
#define TSW_SESSION_H

#include "store/lock.h"
#include "store/tsw.h"

/* One that nothing is known of yet but what it is asked to be. */
#define TSW_CLOSED                                                                \
	{                                                                         \
		.home = -1, .lock = -1, .pins_lock = -1, .wait_ms = LOCK_WAIT_MS, \
		.maps = MAPS_CLOSED, .prog = {[0 ... PROG_COUNT - 1] = -1},       \
		.widest = WIDEST_UNKNOWN,                                         \
	}

/*
 * Before all else: goes to the network namespace T->netns, and gives a switch without a name that
 * of the namespace. -EINVAL, as misuse(): a name that is none.
 */
int session_place(struct tsw *t);

/* Opens the pinned switch, for writing under its lock; again: settles what failed half-way. */
int session_open(struct tsw *t);

/* It is open, and these maps are still those that are pinned: no other switch came in its place. */
bool session_holds(const struct tsw *t, const enum map *maps, size_t n);

/* Writes what was counted and not written yet. */
int session_flush(struct tsw *t);

/* Writes the totals and closes the switch; keeps the lock. */
void session_leave(struct tsw *t);
/* The next question about a program opens its pin anew. */
void session_close_programs(struct tsw *t);

/*
 * It was opened otherwise than this run's other commands ask: WILL_WRITE is what those had. What
 * comes next opens it anew. The failure that is set stays.
 */
void session_restore(struct tsw *t, bool will_write);

/* The same, and gives the lock back. */
void session_close(struct tsw *t);

#endif
