/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON of arbitrary text. */
#ifndef TSW_JSON_H
#define TSW_JSON_H

#include <stdio.h>

#include <jansson.h>

#include <tsw/abi.h>

/* A string, escaped where it is not UTF-8. */
json_t *json_text(const char *text);

/* The same; null if the text is NULL or empty. */
json_t *json_text_or_null(const char *text);

/* The addresses of both families that are not zero, as a list. */
json_t *json_addrs(const struct tsw_addr of[TSW_FAMILIES]);

/* The text under KEY of an object; "" if it has none. */
const char *json_text_in(const json_t *object, const char *key);

/*
 * Prints what json_dumps() made, with hidden characters as \uNNNN, which is the same JSON. INDENT
 * goes before each line but the first.
 */
void json_write(FILE *file, const char *text, const char *indent);

#endif
