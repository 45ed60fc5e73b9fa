/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON of a user's into structures, by tables of fields. What is refused is refused by misuse(),
 * with the path to it, as `tenants[0].endpoints[3].mac`, and the user's own text.
 */
#ifndef TSW_JSON_READ_H
#define TSW_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <linux/types.h>

/* Where a value is: below UP, under KEY or, where that is NULL, at INDEX of a list. */
struct json_at {
	const struct json_at *up;
	const char *key;
	size_t index;
};

struct json_field;

/* Reads a value to TO, which is the structure's beginning and the field's offset. */
typedef int json_reader(const json_t *value, const struct json_at *at, const struct json_field *f,
			void *to);

struct json_field {
	const char *key; /* NULL ends the table */
	bool must;
	json_reader *read;
	size_t offset;
	__u64 min, max;		    /* of a number */
	const char *const *choices; /* of a choice */
};

/* In the order of the table, whatever the text's; keys that it has not are refused. */
int json_read_object(const json_t *value, const struct json_at *at, const struct json_field *fields,
		     void *to);

/* Each item of a list, to TO. */
int json_read_list(const json_t *value, const struct json_at *at, json_reader *item, void *to);

/*
 * Of scalars: struct tsw_name, __u32, __u64, bool, __u32, struct tsw_mac, device, publish's `to`.
 */
json_reader json_read_name, json_read_number, json_read_number64, json_read_bool, json_read_choice,
	json_read_mac, json_read_device, json_read_target;

/* The key may be there; its value is read elsewhere. */
json_reader json_skip;

int json_read_text(const json_t *value, const struct json_at *at, const char **text);

/* Puts the path before the message that is set, and returns -EINVAL. */
int json_where(const struct json_at *at);

#endif
