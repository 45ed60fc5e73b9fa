/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects as JSON, by their tables of fields. A value is refused by misuse() with its path, like
 * `tenants[0].endpoints[3].mac`, and the user's own text.
 */
#ifndef TSW_FIELD_JSON_H
#define TSW_FIELD_JSON_H

#include <jansson.h>

#include "base/field.h"

/* Where a value is: below UP, under KEY, or at INDEX of a list if KEY is NULL. */
struct json_at {
	const struct json_at *up;
	const char *key;
	size_t index;
};

/* Puts the path before the message that is set, and returns -EINVAL. */
int json_where(const struct json_at *at);

/* An object may have the keys of the fields in MAY, and must have those in MUST. */
struct json_keys {
	const struct field *fields;
	__u64 may, must;
};

/*
 * Reads an object with these keys and no others, in the order of the table. GIVEN, if not NULL,
 * gets the fields that were there. Other fields of OBJECT stay as they are.
 */
int fields_read(const json_t *value, const struct json_at *at, struct json_keys keys, void *object,
		__u64 *given);

/* Calls READ for each item of the list under KEY of VALUE. The list may be missing. */
typedef int json_item(const json_t *item, const struct json_at *at, void *to);
int json_each(const json_t *value, const struct json_at *up, const char *key, json_item *read,
	      void *to);

/*
 * Copies the fields that KEYS allows from a structure that a program filled in, with the checks and
 * messages of reading them. CLEAN is zero before, and stays zero behind the end of a name and in
 * unused fields, as keys of maps need it.
 */
int fields_clean(struct json_keys keys, const void *object, void *clean);

/* The fields in MASK as JSON, without empty names and devices and without zeros. */
json_t *fields_json(const struct field *fields, __u64 mask, const void *object);

/* The same, added to an object of JSON. */
void fields_add(const struct field *fields, __u64 mask, const void *object, json_t *json);

#endif
