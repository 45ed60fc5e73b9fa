/* SPDX-License-Identifier: GPL-2.0-only */
/* What `switch check` finds: a list of {"what", "object", "detail"}. */
#ifndef TSW_PROBLEM_H
#define TSW_PROBLEM_H

#include <jansson.h>

/* WHAT is a word of docs/troubleshooting.md; OBJECT has the problem. */
void problem(json_t *problems, const char *what, const char *object, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
