/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects as JSON, by their tables of fields. What is refused of a user's is refused by misuse(),
 * with the path to it, as `tenants[0].endpoints[3].mac`, and the user's own text.
 */
#ifndef TSW_FIELD_JSON_H
#define TSW_FIELD_JSON_H

#include <jansson.h>

#include "base/field.h"

/* Where a value is: below UP, under KEY or, where that is NULL, at INDEX of a list. */
struct json_at {
	const struct json_at *up;
	const char *key;
	size_t index;
};

/* Puts the path before the message that is set, and returns -EINVAL. */
int json_where(const struct json_at *at);

/* Which keys an object has: those of the fields that are in MAY; all of MUST must be there. */
struct json_keys {
	const struct field *fields;
	__u64 may, must;
};

/*
 * Those and no others, in the order of the fields, whatever the text's. GIVEN: which were there, or
 * NULL. What is not there is left as it is.
 */
int fields_read(const json_t *value, const struct json_at *at, struct json_keys keys, void *object,
		__u64 *given);

/* Each item of the list that is under KEY of VALUE; there may be none. */
typedef int json_item(const json_t *item, const struct json_at *at, void *to);
int json_each(const json_t *value, const struct json_at *up, const char *key, json_item *read,
	      void *to);

/*
 * What a program filled in, as if it had been read: CLEAN, which is zero, gets those fields that
 * KEYS may have, or the message is that of reading what is wrong. Behind the end of a name, and
 * where nothing is meant, CLEAN has zeros, as keys of maps need.
 */
int fields_clean(struct json_keys keys, const void *object, void *clean);

/* Those in MASK; names, devices and numbers that are nothing are left out. */
json_t *fields_json(const struct field *fields, __u64 mask, const void *object);

/* The same, added to an object of JSON. */
void fields_add(const struct field *fields, __u64 mask, const void *object, json_t *json);

#endif
