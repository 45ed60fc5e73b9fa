/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libtsw: frames as they pass the switch, or are dropped. See switch.h for errors. */
#ifndef LIBTSW_WATCH_H
#define LIBTSW_WATCH_H

#include <tsw/switch.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsw_follow {
	const char *tenant; /* NULL: all tenants, and frames without a tenant */
	bool drops;	    /* only drops */
	__u32 rate;	    /* events a second, at most 1,000,000; 0: 100 */

	/*
	 * Called for each event, with the JSON of `tsw -j monitor`. A result other than 0 ends
	 * tsw_watch(), which returns it if it is negative, else 0.
	 */
	int (*event)(void *context, const char *json);
	/* The same, called at least ten times a second, with or without events. May be NULL. */
	int (*idle)(void *context);
	/* Called now and then: how many more events were left out, by the rate or without room. */
	int (*missed)(void *context, __u64 more); /* may be NULL */
	void *context;
};

/*
 * Follows frames until a callback ends it. The programs in the kernel report frames while somebody
 * follows, and stop when the process ends, however it ends. -EBUSY: too many follow already.
 */
int tsw_watch(struct tsw *t, const struct tsw_follow *follow);

#ifdef __cplusplus
}
#endif

#endif
