/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Following frames as they pass the switch. What a watcher turns on in the programs lives as long
 * as its process: the kernel takes its rings away when it ends, and the programs then turn
 * themselves off (include/tsw/abi_watch.h).
 */
#ifndef TSW_WATCH_H
#define TSW_WATCH_H

#include "store/tsw.h"

#define WATCH_SNAP_MAX 65000 /* a record of the kernel's has 16 bits for its length */

struct perf_buffer;

struct watch {
	struct tsw *t;
	struct tsw_watcher want; /* what, tenant, mac, snap, interval, burst: set by the caller */
	struct tsw_name tenant;	 /* that tenant's name; empty: of all */
	unsigned int pages;	 /* of each CPU's ring, at most */
	int (*start)(struct watch *w); /* called when nothing is in the way any more; may be NULL */
	/* Called for each event; other than 0: enough, or what failed. */
	int (*event)(struct watch *w, const struct tsw_event *event, const __u8 *frame);
	/* Called now and then, with how many events more were left out; may be NULL. */
	int (*missed)(struct watch *w, __u64 more);
	/* Called after each look at the rings, ten times a second at least; as event(). */
	int (*looked)(struct watch *w);

	/* Kept by watch_run(). */
	__u32 slot;
	__u64 lost; /* for which a ring had no room */
	__u64 missed_told;
	int result; /* of the last event() */
	bool claimed;
	struct perf_buffer *rings;
};

/*
 * Follows until event() or looked() has enough: 0. An error where the switch is gone; one that was
 * taken down and up again, or upgraded, is followed on.
 */
int watch_run(struct watch *w);

/* The tenant is still there, and its id nobody else's; or -ENOENT with a message. */
int watch_check_tenant(const struct watch *w);

/* Nanoseconds to add to an event's time for the time of day. */
__u64 watch_clock(void);

#endif
