/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told beside results and errors, to whoever uses the switch: a front end prints it. */
#ifndef TSW_LOG_H
#define TSW_LOG_H

#include <stdbool.h>

#include <tsw/switch.h>

/* Where lines go: none of them while `line` is NULL. TEXT has no newline. */
struct log {
	void (*line)(void *context, enum tsw_log level, const char *text);
	void *context;
	bool notes, details; /* which are wanted */
};

/* What the user should know. */
void note(const struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What is done, for who wants to follow it. */
void detail(const struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
