/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a state from a JSON file in the format of docs/state.schema.json. */
#ifndef TSW_STATE_READ_H
#define TSW_STATE_READ_H

#include <stdio.h>

#include <jansson.h>

#include "base/field_json.h"
#include "state/state.h"

/* Reads FILE; `-` is standard input. Checks only single values; state_check() checks the whole. */
int state_read_file(const char *file, struct state *s);
/* The same from an open file. Messages call it NAME. */
int state_read_stream(FILE *f, const char *name, struct state *s);
/* The same from parsed JSON. */
int state_read(const json_t *value, struct state *s);

/* Reads the file as JSON. The caller frees *VALUE. */
int state_read_text(const char *file, json_t **value);

/*
 * Builds a state from single objects, in this order: all hosts, state_sort_hosts(), each tenant and
 * then its parts, state_settle_tenants(), peerings, state_sort_rest(). AT is the object's path for
 * messages. A refused object leaves the state as it was.
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
/* Sorts the tenants and updates the references to them. */
int state_settle_tenants(struct state *s);

#endif
