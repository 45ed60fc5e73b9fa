/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares maps, links and devices with each other, and repairs what differs. */
#ifndef TSW_CHECK_H
#define TSW_CHECK_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * Appends problems, see problem.h, and warnings of problems to come. Holds the lock, so no other
 * command is half done. Changes nothing.
 */
int switch_check(struct tsw *t, json_t *problems, json_t *warnings);

/* Repairs all problems of switch_check() for which the maps say enough. */
int switch_repair(struct tsw *t);

/*
 * Appends the problems outside of the maps that switch_restore() repairs. Does not take the lock,
 * so a command at work may look like a problem. HEARD: devices, filters and such may have changed
 * since the last look, see agent/hearing.h. T is open for reading, or closed. -ENOENT: no
 * switch is up. Needs much less time than switch_check() where other hosts have many endpoints.
 */
int switch_look(struct tsw *t, bool heard, json_t *problems);

/*
 * Under the lock: FOUND becomes what switch_look() finds, which it repairs, and LEFT what it finds
 * after that. Keeps the lock.
 */
int switch_restore(struct tsw *t, json_t *found, json_t *left);

/*
 * Deletes endpoints whose device is gone, and entries without an owner, and appends them to
 * `removed`. Frees the buckets of connections that have ended.
 */
struct garbage {
	bool dry;	   /* only reports */
	bool no_endpoints; /* leaves endpoints and their entries alone */
	json_t *removed;
	size_t swept; /* buckets of connections */
};

int switch_gc(struct tsw *t, struct garbage *garbage);

#endif
