/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements include/tsw/ with the floors below. Each function opens the switch in the mode that it
 * needs, as a command does. A handle that has written keeps the lock.
 */
#ifndef TSW_LIB_H
#define TSW_LIB_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -EINVAL if the thread is not in the network namespace where it opened T. */
int lib_check_netns(const struct tsw *t);

int lib_read(struct tsw *t);
int lib_write(struct tsw *t);

/* lib_write() for functions that count endpoints: earlier counts need not be written first. */
int lib_write_counted(struct tsw *t);

/* Reads a caller's name of an object that exists. */
int lib_name(const char *text, struct tsw_name *name);

#endif
