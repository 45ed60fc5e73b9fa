/* SPDX-License-Identifier: GPL-2.0-only */
/* A command on an object, carried out in a state file in memory (docs/state.schema.json). */
#ifndef TSW_DRY_EDIT_H
#define TSW_DRY_EDIT_H

#include <jansson.h>

#include "backend/backend.h"

struct dry_edit {
	json_t *all;	 /* the state */
	const char *own; /* this host's name; NULL: the records of a whole cluster */
	enum spec_how how;
	bool del;    /* with SPEC_SET */
	bool force;  /* of `del` */
	__u64 given; /* FIELD() of the object's table */
};

/*
 * Changes the state as the command would, with the same refusals of what exists, does not exist or
 * is in use. What chosen values would collide with is the caller's to check.
 */
int dry_edit(const struct dry_edit *e, const struct object *o);

#endif
