/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One command at a time changes a switch: flock on /run/tsw/INSTANCE, which is there before a
 * switch is, and then on the directory of its pins, which is there also when /run was emptied.
 */
#ifndef TSW_LOCK_H
#define TSW_LOCK_H

#include "store/tsw.h"

#define LOCK_WAIT_MS 10000 /* unless -w says otherwise */

/* Waits up to t->wait_ms; held already: nothing to do. */
int lock_take(struct tsw *t);
void lock_drop(struct tsw *t);

/* The pins' part, for whoever has just made them. */
int lock_pins(struct tsw *t);

/* For what all switches share, not while one is held: an fd, for lock_all_drop(). */
int lock_all(const struct tsw *t);
void lock_all_drop(int fd);

/* Takes the held lock's directory away: the switch is gone. */
void lock_remove(struct tsw *t);

#endif
