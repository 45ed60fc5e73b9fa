/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How commands follow frames: the part of the ABI that `monitor` and `capture` use. A watcher has
 * a slot: an entry of tsw_watchers and a perf ring for each CPU in tsw_watch_events. The kernel
 * takes the rings out when the watcher ends, however it does; a program that finds none turns the
 * slot's bits off.
 */
#ifndef TSW_ABI_WATCH_H
#define TSW_ABI_WATCH_H

#include <tsw/abi.h>

#define TSW_WATCHERS 4	   /* slots */
#define TSW_WATCH_CPUS 256 /* ring of a CPU: slot * TSW_WATCH_CPUS + CPU */

/* tsw_watch, entry 0 of an array: a bit for each slot. Looked at for every frame. */
struct tsw_watch {
	__u32 frames; /* wants to see frames from the beginning */
	__u32 drops;  /* wants to see what is dropped */
	__u32 pad[14];
};

/* tsw_watchers: slot -> what it wants. */
#define TSW_WATCH_IN (1U << 0)	/* frames as they come in */
#define TSW_WATCH_OUT (1U << 1) /* and as they go out */
#define TSW_WATCH_MAC (1U << 2) /* only what is from or to that MAC */

struct tsw_watcher {
	__u32 what;   /* TSW_WATCH_* */
	__u32 tenant; /* 0: all */
	__u32 snap;   /* octets of each frame, at most */
	__u16 pad;
	struct tsw_mac mac;
	__u64 interval; /* nanoseconds between two events, on average, on each CPU; 0: no limit */
	__u64 burst;	/* nanoseconds' worth of events that may come at once */
	__u64 owner;	/* random; 0: the slot is free */
	__u64 beat;	/* CLOCK_MONOTONIC when the owner was last seen alive */
};

/* tsw_watch_meters: slot -> per CPU. */
struct tsw_watch_meter {
	__u64 full_at; /* as of a bucket in abi_limit.h */
	__u64 closed;  /* jiffies: until these have changed nothing is told */
	__u64 missed;  /* events that were one too many */
};

/* RULE: by a rule with `log on` a connection begins, or by `audit` a frame was not dropped. */
enum tsw_point { TSW_POINT_IN, TSW_POINT_OUT, TSW_POINT_COPY, TSW_POINT_DROP, TSW_POINT_RULE };

/* Where a frame that was not dropped went. */
enum tsw_end { TSW_END_SENT, TSW_END_STACK, TSW_END_COPIED, TSW_END_ANSWERED };

/* What a watcher gets, the first octets of the frame behind it. */
struct tsw_event {
	__u64 time;  /* CLOCK_MONOTONIC */
	__u64 frame; /* the same for all of one frame; 0: dropped before the tenant was known */
	__u32 tenant;
	__u32 ifindex;	/* where it was seen; OUT, COPY: where it goes */
	__u32 length;	/* octets of the whole frame */
	__u32 captured; /* of these, how many follow */
	__u16 reason;	/* enum tsw_drop; of RULE: 0, or what it would have been */
	__u8 point;	/* enum tsw_point */
	__u8 direction; /* enum tsw_direction */
	__u8 end;	/* enum tsw_end, of OUT */
	__u8 pad[3];
	__u32 rule; /* of RULE, and of a drop by the policy: its number; 0: none decided */
	__u32 pad2;
};

_Static_assert(sizeof(struct tsw_watch) == 64, "a cache line that is written seldom");
_Static_assert(sizeof(struct tsw_watcher) == 56, "ABI");
_Static_assert(sizeof(struct tsw_watch_meter) == 24, "ABI");
_Static_assert(sizeof(struct tsw_event) == 48, "ABI");

#endif
