// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/problem.h"

void problem(json_t *problems, const char *what, const char *object, const char *fmt, ...)
{
	char detail[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	json_array_append_new(problems, json_pack("{s:s, s:o, s:o}", "what", what, "object",
						  json_text(object), "detail", json_text(detail)));
}
