/* SPDX-License-Identifier: GPL-2.0-only */
/* A state from a file of JSON; docs/state.schema.json says what it is. */
#ifndef TSW_STATE_READ_H
#define TSW_STATE_READ_H

#include <stdio.h>

#include <jansson.h>

#include "base/field_json.h"
#include "state/state.h"

/* `-` is standard input. Each value is right in itself; together they are state_check()'s. */
int state_read_file(const char *file, struct state *s);
/* The same of what is open; NAME is what messages call it. */
int state_read_stream(FILE *f, const char *name, struct state *s);
int state_read(const json_t *value, struct state *s);

/* The text alone, as JSON, to be freed. */
int state_read_text(const char *file, json_t **value);

/*
 * A state of single objects, each by itself: all hosts; behind state_sort_hosts() each tenant, and
 * behind it what it has; behind state_settle_tenants() peerings; then state_sort_rest(). One that
 * is refused, with AT's path, leaves the state as it was.
 */
enum state_part {
	PART_HOST,
	PART_TENANT,
	PART_GATEWAY,
	PART_GROUP, /* an object that has its name */
	PART_POLICY,
	PART_ENDPOINT,
	PART_PUBLISH,
	PART_PEER
};
int state_read_part(struct state *s, enum state_part part, const json_t *value,
		    const struct json_at *at);
int state_settle_tenants(struct state *s);

#endif
