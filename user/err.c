// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"

static struct failure last;

static void record(int code, int status, const char *fmt, va_list args)
{
	last.code = code;
	last.status = status;
	vsnprintf(last.text, sizeof(last.text), fmt, args);
}

int fail(int code, const char *fmt, ...)
{
	va_list args;

	if (code < 0)
		code = -code;
	va_start(args, fmt);
	record(code, EXIT_CANNOT, fmt, args);
	va_end(args);
	return -code;
}

int misuse(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	record(EINVAL, EXIT_MISUSE, fmt, args);
	va_end(args);
	return -EINVAL;
}

void fail_more(const char *fmt, ...)
{
	size_t used = strlen(last.text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(last.text + used, sizeof(last.text) - used, fmt, args);
	va_end(args);
}

const struct failure *failure(void)
{
	return &last;
}

int fail_again(const struct failure *why)
{
	last = *why;
	return -last.code;
}
