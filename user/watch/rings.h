/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings by which the kernel passes events to a watcher, one for each CPU. */
#ifndef TSW_RINGS_H
#define TSW_RINGS_H

#include "watch/watch.h"

/* Opens them and puts them into the watcher's slot. -EPERM with a message: not permitted. */
int rings_open(struct watch *w);
void rings_close(struct watch *w);

/* Passes on the events; waits up to TIMEOUT milliseconds for some. */
int rings_read(struct watch *w, int timeout);

/* -ENOENT with a message: the watched tenant is gone, or another one has its id. */
int watch_check_tenant(const struct watch *w);

#endif
