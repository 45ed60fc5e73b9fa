/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches programs to devices: with tcx and XDP by pinned links, with clsact by a filter of fixed
 * priority and handle, which is ours if its program is. All calls may be repeated, and the device
 * may be gone.
 */
#ifndef TSW_ATTACH_H
#define TSW_ATTACH_H

#include <bpf/libbpf.h>

#include "kernel/link.h"
#include "store/tsw.h"

/* Linux 6.6; the headers of Debian 12 are older. */
#define TCX_INGRESS ((enum bpf_attach_type)46)
#define TCX_EGRESS ((enum bpf_attach_type)47)

/*
 * A device may be the uplink of one switch and the underlay of another. So filters of an uplink's
 * programs have a handle of their own.
 */
enum { FILTER_PRIORITY = 1, FILTER_HANDLE = 1, FILTER_HANDLE_WORLD = 2 };

__u32 attach_handle(enum prog prog);

/* This kernel has tcx (Linux 6.6). */
bool attach_has_tcx(void);

/*
 * With clsact a device needs the qdisc of that name. The caller asks whether it must be made, and
 * notes that, before it is made. So a killed command leaves no qdisc behind.
 */
bool attach_needs_qdisc(const struct tsw *t, __u32 ifindex);
int attach_qdisc(const struct tsw *t, __u32 ifindex);

/* PROG decides the hook, see prog_is_egress(). The device is in this thread's namespace. */
int attach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
int detach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
bool attached_tc(struct tsw *t, enum prog prog, __u32 ifindex);

/* Whether our program, or the one that `switch upgrade` puts in its place, is attached there. */
bool prog_runs_at(struct tsw *t, enum prog prog, __u32 ifindex, enum bpf_attach_type type);

const char *prog_name(enum prog prog);
bool prog_is_egress(enum prog prog);

/* The hook of filters. */
struct bpf_tc_hook attach_hook(__u32 ifindex, bool egress);

/* Waits until no CPU runs programs that were detached or replaced before. */
void wait_for_programs(void);

/* The pinned program, kept open for this run; or -errno with a message. */
int prog_fd(struct tsw *t, enum prog prog);

/* Closes the programs' fds; the next use of a program opens its pin again. */
void progs_close(struct tsw *t);

/* How often it ran and for how long, since the kernel counts it (kernel.bpf_stats_enabled). */
int prog_runs(struct tsw *t, enum prog prog, __u64 *runs, __u64 *ns);
bool prog_is_pinned(const struct tsw *t, enum prog prog);

/* Whether the link for that index is of another device than the one that has the index now. */
bool attach_is_stale(struct tsw *t, enum prog prog, __u32 ifindex);

/* -EBUSY if the device has programs of another switch. */
int attach_check_free(struct tsw *t, const struct link *link);

/* Detaches all pinned links at once; unpinning alone would detach them later. */
void detach_links(const struct tsw *t);

/*
 * XDP decapsulates for tsw_from_wire, so attach it after that program, and detach it before. To
 * change the mode it is detached first, and stays detached if the new mode is not possible.
 */
int attach_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
bool attached_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
void detach_all_xdp(const struct tsw *t);

#endif
