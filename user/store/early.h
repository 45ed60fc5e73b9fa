/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links that are made before their programs. When a program is attached to a device with tcx, the
 * kernel waits for an RCU grace period, some 13 ms (tcx_entry_sync()). It holds the RTNL meanwhile,
 * so the waits add up. It does not wait when an existing link gets another program. So a command
 * that attaches to many devices first makes links of a program that passes all frames, which
 * changes nothing. The real programs then follow within a moment. Early links are not pinned, so
 * they end with the process.
 */
#ifndef TSW_EARLY_H
#define TSW_EARLY_H

#include <linux/bpf.h>

#include "store/tsw.h"

/* Makes the links of a device if possible. Without them programs are attached as usual. */
void early_make(struct tsw *t, __u32 ifindex);

/* Takes the early link for that hook, or -1. The caller closes it. */
int early_take(struct tsw *t, __u32 ifindex, enum bpf_attach_type type);

/* Closes the links that were not taken. */
void early_drop(struct tsw *t);

#endif
