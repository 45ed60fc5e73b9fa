/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches programs to devices: with tcx and XDP by pinned links, with clsact by a filter of fixed
 * priority and handle. A filter belongs to this switch if its program does. All calls may be
 * repeated, and may be made after the device has disappeared.
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

/* Whether this kernel has tcx (Linux 6.6). */
bool attach_has_tcx(void);

/*
 * With clsact a device needs the qdisc of that name. A caller that must add one records that first,
 * so a later command can remove the qdisc if this one is killed.
 */
bool attach_needs_qdisc(const struct tsw *t, __u32 ifindex);
int attach_qdisc(const struct tsw *t, __u32 ifindex);

/* PROG decides the hook: see prog_is_egress(). The device is in this thread's namespace. */
int attach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
int detach_tc(struct tsw *t, enum prog prog, __u32 ifindex);
bool attached_tc(struct tsw *t, enum prog prog, __u32 ifindex);

/* Whether our program, or the one that `switch upgrade` puts in its place, is attached there. */
bool prog_runs_at(struct tsw *t, enum prog prog, __u32 ifindex, enum bpf_attach_type type);

/* Whether the program of that id is attached there. TYPE is TCX_INGRESS or TCX_EGRESS. */
bool tcx_has(__u32 ifindex, enum bpf_attach_type type, int id);

const char *prog_name(enum prog prog);
bool prog_is_egress(enum prog prog);

/* The clsact hook of a device, for libbpf's functions on filters. */
struct bpf_tc_hook attach_hook(__u32 ifindex, bool egress);

/* Waits until no CPU still runs a program that was detached or replaced before the call. */
void wait_for_programs(void);

/* The pinned program, kept open for this run; or -errno with a message. */
int prog_fd(struct tsw *t, enum prog prog);

/* The kernel's id of it, or -errno with a message. */
int prog_id(struct tsw *t, enum prog prog);

/* Closes the programs' fds; the next use of a program opens its pin again. */
void progs_close(struct tsw *t);

/* Reads how often it ran and for how many ns, while kernel.bpf_stats_enabled was on. */
int prog_runs(struct tsw *t, enum prog prog, __u64 *runs, __u64 *ns);
bool prog_is_pinned(const struct tsw *t, enum prog prog);

/* Whether the pinned link belongs to a former device, and another one has its index now. */
bool attach_is_stale(struct tsw *t, enum prog prog, __u32 ifindex);

/* -EBUSY if the device has programs of another switch. */
int attach_check_free(struct tsw *t, const struct link *link);

/* Detaches all pinned links at once; unpinning alone would detach them later. */
void detach_links(const struct tsw *t);

/*
 * XDP decapsulates for tsw_from_wire, so attach it after that program, and detach it before. A
 * change of the mode detaches it first. It stays detached if the device lacks the new mode.
 */
int attach_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
bool attached_xdp(struct tsw *t, __u32 ifindex, enum tsw_xdp mode);
void detach_all_xdp(const struct tsw *t);

#endif
