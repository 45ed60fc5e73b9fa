/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs on devices. With tcx and XDP by pinned links; with clsact by a filter
 * of fixed priority and handle, known as ours by its program. All may be done
 * again, and on devices that are gone.
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
 * A device may be one switch's way to the world and another's underlay: of the programs for that
 * way the filters have a handle of their own.
 */
enum { FILTER_PRIORITY = 1, FILTER_HANDLE = 1, FILTER_HANDLE_WORLD = 2 };

__u32 attach_handle(enum prog prog);

/* This kernel has tcx (Linux 6.6). */
bool attach_has_tcx(void);

/*
 * With clsact the device needs the qdisc of that name; with tcx nothing. Whether it will be ours
 * is asked, and noted by the caller, before it is made: a kill leaves none behind.
 */
bool attach_needs_qdisc(const struct tsw *t, __u32 ifindex);
int attach_qdisc(const struct tsw *t, __u32 ifindex);

/* PROG says where, see prog_is_egress(). The device is one of this thread's namespace. */
int attach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
int detach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
bool attached_tc(struct tsw *t, enum prog prog, __u32 ifindex);

/* One of ours, or of those that `switch upgrade` puts in their place. */
bool prog_runs_at(struct tsw *t, enum prog prog, __u32 ifindex, enum bpf_attach_type type);

const char *prog_name(enum prog prog);
bool prog_is_egress(enum prog prog);

/* Where filters are. */
struct bpf_tc_hook attach_hook(__u32 ifindex, bool egress);

/* Until each CPU has left the programs that are detached, or have made way for others. */
void wait_for_programs(void);

/* The pinned program, kept open for this run; or -errno with a message. */
int prog_fd(struct tsw *t, enum prog prog);

/* How often it ran and for how long, since the kernel counts it (kernel.bpf_stats_enabled). */
int prog_runs(struct tsw *t, enum prog prog, __u64 *runs, __u64 *ns);
bool prog_is_pinned(const struct tsw *t, enum prog prog);

/* There is a link for that index, and the device that has it now is not the link's. */
bool attach_is_stale(struct tsw *t, enum prog prog, __u32 ifindex);

/* -EBUSY where programs of another switch are on the device. */
int attach_check_free(struct tsw *t, const struct link *link);

/* All that is attached by a pinned link, at once: unpinning alone would do it some time later. */
void detach_links(const struct tsw *t);

/*
 * XDP decapsulates for tsw_from_wire: attach it behind that, detach it before. In another mode
 * than it is now: it is detached first, and stays so where the new mode cannot be.
 */
int attach_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
bool attached_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
void detach_all_xdp(const struct tsw *t);

#endif
