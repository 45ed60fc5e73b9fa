/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a runtime says in JSON. Of an object, which may be NULL: *VALUE is NULL or 0 where KEY is
 * not there or null. What is of another type is refused, with KEY and the value.
 */
#ifndef TSW_PLUG_JSON_H
#define TSW_PLUG_JSON_H

#include <jansson.h>

int plug_text(const json_t *object, const char *key, const char **value);
int plug_number(const json_t *object, const char *key, json_int_t *value); /* not negative */
int plug_list(const json_t *object, const char *key, const json_t **value);
int plug_object(const json_t *object, const char *key, const json_t **value);

#endif
