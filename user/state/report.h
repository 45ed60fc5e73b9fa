/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_REPORT_H
#define TSW_STATE_REPORT_H

#include <jansson.h>

#include "state/diff.h"

/*
 * A change as JSON: {"change", "object", "name"} and the object's keys. An added object has all of
 * them. A set object has those that change, and their former values under "was".
 */
json_t *state_change_json(const struct state *have, const struct state *want,
			  const struct change *change);

/*
 * Adds to ITEM the values of WANT that differ from HAVE, and the present ones under "was". MISSING:
 * also null for each key that only HAVE has. False: nothing differs.
 */
bool state_add_differing(json_t *item, json_t *have, json_t *want, bool missing);

/* The object as text, such as "endpoint red/a". The next call overwrites it. */
const char *state_change_text(const struct state *have, const struct state *want,
			      const struct change *change);

/*
 * Adds to the failure's message which change failed, and how many were made before it. Returns the
 * failure's code.
 */
int state_failed(const struct state *have, const struct state *want, const struct changes *c,
		 size_t done);

#endif
