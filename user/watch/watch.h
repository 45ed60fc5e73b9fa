/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches frames as they pass the switch. What a watcher turns on in the programs lasts as long as
 * its process: when that ends, the kernel removes its rings, and the programs then turn themselves
 * off (include/tsw/abi_watch.h).
 */
#ifndef TSW_WATCH_H
#define TSW_WATCH_H

#include "store/tsw.h"

#define WATCH_SNAP_MAX 65000 /* the kernel's records have a length of 16 bits */

struct perf_buffer;

struct watch {
	struct tsw *t;
	struct tsw_watcher want; /* the caller sets what, tenant, mac, snap, interval, burst */
	struct tsw_name tenant;	 /* that tenant's name; empty: all tenants */
	unsigned int pages;	 /* of each CPU's ring, at most */
	int (*start)(struct watch *w); /* called when watching begins; may be NULL */
	/* Called for each event. A result above 0 ends it, one below 0 is an error. */
	int (*event)(struct watch *w, const struct tsw_event *event, const __u8 *frame);
	/* Called once a second for each vip that was taken since; result as event()'s; or NULL. */
	int (*vip)(struct watch *w, const struct tsw_addr_key *key, const struct tsw_taken *taken);
	/* Called from time to time with the number of events that were lost since; may be NULL. */
	int (*missed)(struct watch *w, __u64 more);
	/* Called after each look at the rings, at least ten times a second. Result as event()'s. */
	int (*looked)(struct watch *w);

	/* Kept by watch_run(). */
	__u32 slot;
	__u64 lost; /* events for which a ring had no room */
	__u64 missed_reported;
	int result; /* of the last event() */
	bool claimed;
	struct snapshot vips; /* tsw_taken at the last look */
	__u64 vips_at;	      /* time of that look */
	struct perf_buffer *rings;
};

/*
 * Watches until event() or looked() ends it. Goes on if the switch was taken down and up again, or
 * upgraded. An error if the switch is gone.
 */
int watch_run(struct watch *w);

/* Nanoseconds to add to an event's time for the time of day. */
__u64 watch_clock(void);

#endif
