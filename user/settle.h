/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_SETTLE_H
#define TSW_SETTLE_H

#include "tsw.h"

/*
 * After a command that was killed or failed half-way: takes away what half-made
 * tenants, hosts and endpoints left, makes the broadcast rings anew, counts all again.
 */
int settle(struct tsw *t);

/* The same, or where that fails too, by the next command. Keeps no message. */
void settle_now(struct tsw *t);

#endif
