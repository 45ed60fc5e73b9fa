/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks a switch, so that one command at a time changes it. A command first takes a flock on the
 * directory /run/tsw/INSTANCE, which exists before the switch does. Then it takes one on the
 * directory of the pins, which exists even if /run was emptied.
 */
#ifndef TSW_LOCK_H
#define TSW_LOCK_H

#include "store/tsw.h"

#define LOCK_WAIT_MS 10000 /* unless -w says otherwise */

enum { LOCK_PATH = 128 };
void lock_path(char path[LOCK_PATH], const struct tsw *t);

/* Takes both locks unless t holds them. Waits up to t->wait_ms. -EBUSY: another command has one. */
int lock_take(struct tsw *t);
void lock_drop(struct tsw *t);

/* The same, but makes no lock. -ENOENT, without message: no command ever took it. */
int lock_join(struct tsw *t);

/*
 * The same, but without that lock takes only the second one, if it exists. For reading: fails where
 * the lock could not be made.
 */
int lock_read(struct tsw *t);

/* Takes only the second lock. Call after the pins were made. */
int lock_pins(struct tsw *t);

/*
 * Locks what all switches share. The caller must not hold another lock. Returns an fd for
 * lock_all_drop(), or -errno.
 */
int lock_all(const struct tsw *t);
void lock_all_drop(int fd);

/* Removes the directory of the held lock, after the switch was taken down. */
void lock_remove(struct tsw *t);

#endif
