/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Early links: links that are made before the real programs are attached. When tcx attaches a
 * program, the kernel waits for an RCU grace period, some 13 ms (tcx_entry_sync()), and holds the
 * RTNL, so the waits add up. It does not wait when an existing link gets another program.
 *
 * So a command that attaches to many devices first makes links with a program that passes all
 * frames. Then it replaces that program by the real ones without a wait. Early links are not
 * pinned, so they end with the process.
 */
#ifndef TSW_EARLY_H
#define TSW_EARLY_H

#include <linux/bpf.h>

#include "store/tsw.h"

/* Makes the links of a device if possible. Without them programs are attached as usual. */
void early_make(struct tsw *t, __u32 ifindex);

/* Returns the fd of the early link for that hook, which the caller closes, or -1. */
int early_take(struct tsw *t, __u32 ifindex, enum bpf_attach_type type);

/* Closes the links that were not taken. */
void early_drop(struct tsw *t);

#endif
