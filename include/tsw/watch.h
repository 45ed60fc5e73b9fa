/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libtsw: frames as they pass the switch, or are dropped. See switch.h for errors. */
#ifndef LIBTSW_WATCH_H
#define LIBTSW_WATCH_H

#include <tsw/switch.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsw_follow {
	const char *tenant; /* NULL: of all, and of nobody */
	bool drops;	    /* those alone */
	__u32 rate;	    /* events a second, at most 1,000,000; 0: 100 */

	/*
	 * Called for each event, which is what `tsw -j monitor` says of it. Other than 0 ends
	 * tsw_watch(), which returns it where it is negative, and else 0.
	 */
	int (*event)(void *context, const char *json);
	/* Likewise, ten times a second at least, whether or not there is anything. May be NULL. */
	int (*idle)(void *context);
	/* Now and then: how many events more were left out, by the rate or for want of room. */
	int (*missed)(void *context, __u64 more); /* may be NULL */
	void *context;
};

/*
 * Follows until a callback has enough. The programs in the kernel tell of frames while somebody
 * follows, and stop by themselves when the process ends, however it does. -EBUSY: as many as can
 * follow do so already.
 */
int tsw_watch(struct tsw *t, const struct tsw_follow *follow);

#ifdef __cplusplus
}
#endif

#endif
