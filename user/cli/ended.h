/* SPDX-License-Identifier: GPL-2.0-only */
/* A signal asked the command to end: SIGINT, SIGTERM or SIGHUP. */
#ifndef TSW_ENDED_H
#define TSW_ENDED_H

#include <stdbool.h>

#include "watch/watch.h"

/* From here on they are taken note of; a pipe that nobody reads is an error of its write. */
void ended_catch(void);

/* A signal came. */
bool ended_asked(void);
/* Until then, CLOCK_MONOTONIC, or until one comes. */
void ended_wait(__u64 until);

/* For watch_run(): enough after a signal, or where standard output failed. */
int ended_or_flush(struct watch *w);

#endif
