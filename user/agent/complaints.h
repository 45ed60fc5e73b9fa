/* SPDX-License-Identifier: GPL-2.0-only */
/* Troubles that last: each is told when it comes, and when it is over, and not each time. */
#ifndef TSW_AGENT_COMPLAINTS_H
#define TSW_AGENT_COMPLAINTS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "base/log.h"

struct complaint {
	char *what; /* whose, as `e/100/a` */
	char *why;
	bool still; /* seen in this round */
};

struct complaints {
	const struct log *log;
	struct complaint *all;
	size_t n, room;
	size_t fresh; /* of this round, told so far */
	size_t more;  /* that were not told */
	__u64 next;   /* ns of CLOCK_MONOTONIC: what was told used up the lines until then */
};

/* A round: all that is wrong now is said between these two. */
void complaints_begin(struct complaints *t);
void complaints_add(struct complaints *t, const char *what, const char *why);
void complaints_add_line(struct complaints *t,
			 const char *line); /* a message that is fit to print */
void complaints_end(struct complaints *t);
void complaints_clear(struct complaints *t); /* nothing is wrong any more */

void complaints_free(struct complaints *t);

#endif
