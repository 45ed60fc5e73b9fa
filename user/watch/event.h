/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes an event, for `monitor` and for the comments of `capture`. */
#ifndef TSW_EVENT_H
#define TSW_EVENT_H

#include "watch/dissect.h"
#include "watch/names.h"

/* Reads the headers of an event's frame. */
void event_dissect(const struct names *names, const struct tsw_event *event, const __u8 *frame,
		   struct dissected *d);

/* The whole event, as `monitor` prints it. NULL: failure() is set. */
json_t *event_json(const struct names *names, const struct tsw_event *event, const __u8 *frame);

/* A vip and the endpoint that has taken it. NULL: failure() is set. */
json_t *event_vip_json(const struct names *names, const struct tsw_addr_key *key,
		       const struct tsw_taken *taken);

/* Its tenant and its fate: event, tenant, endpoint, direction, reason, to, frame. */
json_t *event_facts(const struct names *names, const struct tsw_event *event,
		    const struct dissected *d);

/* Writes facts as one line of `key value` pairs, of at most LEN octets. */
void event_text(const json_t *facts, char *text, size_t len);

#endif
