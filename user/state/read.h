/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a state from a file of JSON, as docs/state.schema.json describes. */
#ifndef TSW_STATE_READ_H
#define TSW_STATE_READ_H

#include <stdio.h>

#include <jansson.h>

#include "base/field_json.h"
#include "state/state.h"

/* `-` is standard input. Checks each value alone; state_check() checks them together. */
int state_read_file(const char *file, struct state *s);
/* The same from an open file, which messages call NAME. */
int state_read_stream(FILE *f, const char *name, struct state *s);
int state_read(const json_t *value, struct state *s);

/* The file as JSON. Free it. */
int state_read_text(const char *file, json_t **value);

/*
 * Builds a state from single objects: first all hosts; after state_sort_hosts() each tenant with
 * its parts after it; after state_settle_tenants() peerings; then state_sort_rest(). A refused
 * object, with the path AT, leaves the state as it was.
 */
enum state_part {
	PART_HOST,
	PART_TENANT,
	PART_GATEWAY,
	PART_GROUP, /* an object with its name */
	PART_POLICY,
	PART_ENDPOINT,
	PART_PUBLISH,
	PART_PEER
};
int state_read_part(struct state *s, enum state_part part, const json_t *value,
		    const struct json_at *at);
int state_settle_tenants(struct state *s);

#endif
