/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links ahead of their programs. With tcx the kernel waits for an RCU grace period, some 13 ms, at
 * each program that comes onto a device (tcx_entry_sync()), and holds the RTNL meanwhile, so that
 * no two wait at once. It does not wait where a link gets another program. Who is about to attach
 * to many devices has such links made first, of a program that lets all pass: nothing has changed
 * for anybody by then, and what is attached after that comes within a moment. They go with who made
 * them, as they are not pinned.
 */
#ifndef TSW_EARLY_H
#define TSW_EARLY_H

#include <linux/bpf.h>

#include "store/tsw.h"

/* For that device, if it can be: what cannot is attached as without it. */
void early_make(struct tsw *t, __u32 ifindex);

/* The one for that, which is the caller's from now on; or -1. */
int early_take(struct tsw *t, __u32 ifindex, enum bpf_attach_type type);

/* Those that nobody took. */
void early_drop(struct tsw *t);

#endif
