// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/utf8.h"

static void say(const struct log *log, enum tsw_log level, const char *fmt, va_list args)
{
	char text[2048];

	if (vsnprintf(text, sizeof(text), fmt, args) >= (int)sizeof(text))
		text_cut(text, sizeof(text));
	log->line(log->context, level, text);
}

void note(const struct log *log, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (log->line && log->notes)
		say(log, TSW_LOG_NOTE, fmt, args);
	va_end(args);
}

void detail(const struct log *log, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (log->line && log->details)
		say(log, TSW_LOG_DETAIL, fmt, args);
	va_end(args);
}
