// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

static _Thread_local struct failure last;

/* Writes the text from octet USED on. */
static void write_text(size_t used, const char *fmt, va_list args)
{
	const size_t room = sizeof(last.text) - used;

	if ((size_t)vsnprintf(last.text + used, room, fmt, args) >= room)
		text_cut(last.text, sizeof(last.text));
}

static void set_failure(int code, int status, const char *fmt, va_list args)
{
	last.code = code;
	last.status = status;
	write_text(0, fmt, args);
}

int fail(int code, const char *fmt, ...)
{
	va_list args;

	if (code < 0)
		code = -code;
	va_start(args, fmt);
	set_failure(code, EXIT_CANNOT, fmt, args);
	va_end(args);
	return -code;
}

int fail_memory(void)
{
	return fail(ENOMEM, "out of memory");
}

int misuse(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_failure(EINVAL, EXIT_MISUSE, fmt, args);
	va_end(args);
	return -EINVAL;
}

void fail_more(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_text(strlen(last.text), fmt, args);
	va_end(args);
}

void fail_where(const char *fmt, ...)
{
	char text[sizeof(last.text)];
	va_list args;
	int n;

	memcpy(text, last.text, sizeof(text));
	va_start(args, fmt);
	n = vsnprintf(last.text, sizeof(last.text), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(last.text))
		snprintf(last.text + n, sizeof(last.text) - (size_t)n, "%s", text);
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
