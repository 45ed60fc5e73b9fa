/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes and details, beside results and errors. A front end prints them. */
#ifndef TSW_LOG_H
#define TSW_LOG_H

#include <stdbool.h>

#include <tsw/switch.h>

/* Takes the lines, without their newline. While `line` is NULL they are dropped. */
struct log {
	void (*line)(void *context, enum tsw_log level, const char *text);
	void *context;
	bool notes, details; /* which are wanted */
};

/* What the user should know. */
void note(const struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What is being done, for a user who asked for details. */
void detail(const struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
