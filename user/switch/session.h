/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the switch for a run of commands, and settles it after them. */
#ifndef TSW_SESSION_H
#define TSW_SESSION_H

#include "store/lock.h"
#include "store/tsw.h"

/* A handle of which only its options are known. */
#define TSW_CLOSED                                                                \
	{                                                                         \
		.home = -1, .lock = -1, .pins_lock = -1, .wait_ms = LOCK_WAIT_MS, \
		.maps = MAPS_CLOSED, .prog = {[0 ... PROG_COUNT - 1] = -1},       \
		.widest = WIDEST_UNKNOWN,                                         \
	}

/*
 * Must be called first: enters the network namespace T->netns, and names a switch without a name
 * after the namespace. -EINVAL, by misuse(), for an invalid name.
 */
int session_enter(struct tsw *t);

/*
 * Finds the pins of a switch. LOCK: and takes its lock; then they may have been removed. If no pins
 * exist, but another command is making the switch, waits for it. -EAGAIN: it takes too long.
 */
int session_find(struct tsw *t, bool lock);

/*
 * Opens the pinned switch, for writing under its lock. If it is open, settles a failed change.
 * Waits, as session_find() does, for a switch that is only half made.
 */
int session_open(struct tsw *t);

/* Whether it is open and these maps are still pinned, so it was not replaced by another switch. */
bool session_holds(const struct tsw *t, const enum map *maps, size_t n);

/* Writes the counts that are not written yet. */
int session_flush(struct tsw *t);

/* Writes the totals and closes the switch; keeps the lock. */
void session_leave(struct tsw *t);

/*
 * After the switch was opened in another mode: restores WILL_WRITE of this run's other commands.
 * The next one opens it again. The failure that is set stays.
 */
void session_restore(struct tsw *t, bool will_write);

/* session_leave(), and releases the lock. */
void session_close(struct tsw *t);

#endif
