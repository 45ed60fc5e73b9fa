/* SPDX-License-Identifier: GPL-2.0-only */
/* Problems that last are logged once, when they begin, and again when they are resolved. */
#ifndef TSW_AGENT_COMPLAINTS_H
#define TSW_AGENT_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "base/log.h"

struct complaint {
	char *what; /* the record or object, such as `e/100/a` */
	char *why;
	bool still; /* seen in this round */
};

struct complaints {
	const struct log *log;
	struct complaint *all;
	size_t n, room;
	size_t fresh; /* logged in this round */
	size_t more;  /* new, but not logged */
	__u64 next;   /* ns of CLOCK_MONOTONIC: the lines until then are used up */
};

/* A round: all present problems are added between complaints_begin() and complaints_end(). */
void complaints_begin(struct complaints *t);
void complaints_add(struct complaints *t, const char *what, const char *why);
void complaints_add_line(struct complaints *t, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* the line must be safe to print */
void complaints_end(struct complaints *t);
void complaints_clear(struct complaints *t); /* all problems are resolved */

void complaints_free(struct complaints *t);

#endif
