/* SPDX-License-Identifier: GPL-2.0-only */
/* What an event is told as, in `monitor` and in the comments of `capture`. */
#ifndef TSW_EVENT_H
#define TSW_EVENT_H

#include "watch/dissect.h"
#include "watch/names.h"

/* Takes the frame of an event apart. */
void event_dissect(const struct names *names, const struct tsw_event *event, const __u8 *frame,
		   struct dissected *d);

/* All of it, as `monitor` tells it; NULL: the message is set. */
json_t *event_json(const struct names *names, const struct tsw_event *event, const __u8 *frame);

/* Whose it is and what became of it: event, tenant, endpoint, direction, reason, to, frame. */
json_t *event_facts(const struct names *names, const struct tsw_event *event,
		    const struct dissected *d);

/* These as one line, `key value` pairs; LEN octets at most. */
void event_text(const json_t *facts, char *text, size_t len);

#endif
