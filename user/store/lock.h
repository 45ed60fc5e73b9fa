/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One command at a time changes a switch. It takes a flock on /run/tsw/INSTANCE, which exists
 * before the switch. Then it takes one on the directory of the pins, which exists even if /run was
 * emptied.
 */
#ifndef TSW_LOCK_H
#define TSW_LOCK_H

#include "store/tsw.h"

#define LOCK_WAIT_MS 10000 /* unless -w says otherwise */

/* Waits up to t->wait_ms. Does nothing if it is held already. */
int lock_take(struct tsw *t);
void lock_drop(struct tsw *t);

/* Takes only the second lock, after the pins were made. */
int lock_pins(struct tsw *t);

/* Locks what all switches share. Not while a lock is held. Returns an fd for lock_all_drop(). */
int lock_all(const struct tsw *t);
void lock_all_drop(int fd);

/* Removes the directory of the held lock, when the switch is gone. */
void lock_remove(struct tsw *t);

#endif
