/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads JSON of a runtime. OBJECT may be NULL. *VALUE is NULL or 0 if KEY is missing or null. A
 * value of another type is refused; the message has KEY and the value.
 *
 * Runtimes are written in Go, whose JSON accepts a key in any letter case, and writes hostPort as
 * HostPort if the program does not say otherwise. So a key is found in any letter case.
 */
#ifndef TSW_PLUG_JSON_H
#define TSW_PLUG_JSON_H

#include <jansson.h>

const json_t *plug_find(const json_t *object, const char *key);
int plug_text(const json_t *object, const char *key, const char **value);
int plug_number(const json_t *object, const char *key, json_int_t *value); /* from 0 on */
int plug_list(const json_t *object, const char *key, const json_t **value);
int plug_object(const json_t *object, const char *key, const json_t **value);

#endif
