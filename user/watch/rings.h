/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings by which the kernel hands events to a watcher, one for each CPU. */
#ifndef TSW_RINGS_H
#define TSW_RINGS_H

#include "watch/watch.h"

/* Opens them and puts them into the watcher's slot; -EPERM with a message where it may not. */
int rings_open(struct watch *w);
void rings_close(struct watch *w);

/* Hands on what is there; waits for it, up to that many milliseconds. */
int rings_read(struct watch *w, int timeout);

#endif
