/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts that have not answered for a while: the prober's thread writes the list, others read it. */
#ifndef TSW_AGENT_QUIET_H
#define TSW_AGENT_QUIET_H

#include <pthread.h>
#include <stddef.h>

#include <tsw/abi.h>

/* A host whose agent is dead does not count as alive any more after so long: see alive.h. */
enum { QUIET_SECONDS = 15 };

struct quiet_host {
	struct tsw_name name;
	struct tsw_addr addr; /* at which it was asked */
};

struct quiet {
	pthread_mutex_t lock;
	struct quiet_host *all;
	size_t n;
};

void quiet_begin(struct quiet *q);
void quiet_end(struct quiet *q);

/* Replaces the list. Takes ALL over. */
void quiet_put(struct quiet *q, struct quiet_host *all, size_t n);

/* The caller frees it. NULL: none. */
struct quiet_host *quiet_copy(struct quiet *q, size_t *n);

#endif
