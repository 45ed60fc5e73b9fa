/* SPDX-License-Identifier: GPL-2.0-only */
/* Is everything there that the maps say, and do they fit each other; if not, put it back. */
#ifndef TSW_CHECK_H
#define TSW_CHECK_H

#include <jansson.h>

#include "store/tsw.h"

/*
 * Appends what is wrong, see problem.h, and what is not wrong yet. Under the lock, so that another
 * command that is at work is no fault. Changes nothing.
 */
int switch_check(struct tsw *t, json_t *problems, json_t *warnings);

/* Puts back all that can be put back of what switch_check() finds. */
int switch_repair(struct tsw *t);

/*
 * Deletes endpoints whose device is gone, and entries that belong to nobody, which it appends, and
 * frees what policies followed and is over.
 */
struct garbage {
	bool dry;	   /* only says what there is */
	bool no_endpoints; /* they and their entries stay */
	json_t *removed;
	size_t swept; /* buckets of connections */
};

int switch_gc(struct tsw *t, struct garbage *garbage);

#endif
