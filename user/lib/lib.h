/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What include/tsw/ promises, in terms of the floors below. Each function opens the switch as it
 * needs it, as a command's run does; a handle that has written keeps the lock.
 */
#ifndef TSW_LIB_H
#define TSW_LIB_H

#include <tsw/object.h>

#include "store/tsw.h"

/* The thread is where it was when it opened T; -EINVAL. */
int lib_place(const struct tsw *t);

int lib_read(struct tsw *t);
int lib_write(struct tsw *t);

/* The same for what counts endpoints: the counts of before need not be written first. */
int lib_write_counted(struct tsw *t);

/* A caller's name of something that is there. */
int lib_name(const char *text, struct tsw_name *name);

#endif
