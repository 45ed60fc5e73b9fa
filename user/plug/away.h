/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a call waits for etcd. A runtime makes many calls, one after the other: if each of them
 * waited its whole time, a daemon's start would take minutes. So a call that waited in vain leaves
 * a file, /run/tsw/INSTANCE.away. While that is fresh, calls only try.
 */
#ifndef TSW_PLUG_AWAY_H
#define TSW_PLUG_AWAY_H

#include <stdbool.h>

enum {
	AWAY_WAIT_MS = 4000, /* the longest wait for etcd */
	AWAY_TRY_MS = 200,   /* while it is known to be away: enough for an answer */
	AWAY_SECONDS = 15,   /* how long that is known */
};

struct away {
	const char *instance;
	bool asked; /* the caller's: the step that runs asks etcd */
	bool known; /* a call has waited in vain, this one or another */
};

void away_begin(struct away *a, const char *instance);

/* The time for etcd's answers to a step, in ms. */
unsigned int away_wait(const struct away *a);

/* A step ended with ERR: if it asked etcd, takes note of whether that answers. */
void away_note(struct away *a, int err);

#endif
