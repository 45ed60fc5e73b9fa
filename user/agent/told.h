/* SPDX-License-Identifier: GPL-2.0-only */
/* Troubles that last: each is told when it comes, and when it is over, and not each time. */
#ifndef TSW_AGENT_TOLD_H
#define TSW_AGENT_TOLD_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "base/log.h"

struct trouble {
	char *what; /* whose, as `e/100/a` */
	char *why;
	bool still; /* seen in this round */
};

struct told {
	const struct log *log;
	struct trouble *all;
	size_t n, room;
	size_t fresh; /* of this round, told so far */
	size_t more;  /* that were not told */
	__u64 next;   /* ns of CLOCK_MONOTONIC: what was told used up the lines until then */
};

/* A round: all that is wrong now is said between these two. */
void told_begin(struct told *t);
void told_add(struct told *t, const char *what, const char *why);
void told_line(struct told *t, const char *line); /* a message that is fit to print */
void told_end(struct told *t);
void told_over(struct told *t); /* nothing is wrong any more */

void told_free(struct told *t);

#endif
