/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices signals that ask the command to end: SIGINT, SIGTERM and SIGHUP. */
#ifndef TSW_ENDED_H
#define TSW_ENDED_H

#include <stdbool.h>

#include "watch/watch.h"

/* Starts to notice them. A write to a pipe that nobody reads becomes an error. */
void ended_catch(void);

/* Whether a signal came. */
bool ended_asked(void);

/* Waits until UNTIL of CLOCK_MONOTONIC, or until a signal comes. */
void ended_wait(__u64 until);

/* For watch_run(): ends it after a signal, or after an error of standard output. */
int ended_or_flush(struct watch *w);

#endif
