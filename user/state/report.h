/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_REPORT_H
#define TSW_STATE_REPORT_H

#include <jansson.h>

#include "state/diff.h"

/*
 * {"change", "object", "name"}; with all keys of an added object, or with the changed keys of a set
 * one and their former values under "was".
 */
json_t *state_change_json(const struct state *have, const struct state *want,
			  const struct change *change);

/* "endpoint red/a". One buffer. */
const char *state_change_text(const struct state *have, const struct state *want,
			      const struct change *change);

/* Adds to the failure which change failed, and that the DONE before it stay. Returns its code. */
int state_failed(const struct state *have, const struct state *want, const struct changes *c,
		 size_t done);

#endif
