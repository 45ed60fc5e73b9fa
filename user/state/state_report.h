/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_STATE_REPORT_H
#define TSW_STATE_REPORT_H

#include <jansson.h>

#include "state/state_diff.h"

/*
 * {"change", "object", "name"}, and of what is added all of it, of what is set what differs, with
 * what it was before under "was".
 */
json_t *state_change_json(const struct state *have, const struct state *want,
			  const struct change *change);

/* "endpoint red/a", good until the next call. */
const char *state_change_text(const struct state *have, const struct state *want,
			      const struct change *change);

/* The failure that is set: at which change, and that the DONE before it stay. Returns its code. */
int state_failed(const struct state *have, const struct state *want, const struct changes *c,
		 size_t done);

#endif
