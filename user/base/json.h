/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON of text that may be anything. */
#ifndef TSW_JSON_H
#define TSW_JSON_H

#include <stdio.h>

#include <jansson.h>

/* A string, escaped where it is not UTF-8. */
json_t *json_text(const char *text);

/*
 * JSON as json_dumps() made it; what nobody sees as \uNNNN, which is the same JSON. INDENT goes
 * before each line but the first.
 */
void json_write(FILE *file, const char *text, const char *indent);

#endif
