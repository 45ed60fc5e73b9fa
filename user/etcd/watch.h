/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows the changes of any number of ranges in etcd, on one connection. If that breaks, it
 * connects to another member and goes on where it was.
 */
#ifndef TSW_ETCD_WATCH_H
#define TSW_ETCD_WATCH_H

#include <poll.h>

#include "etcd/etcd.h"

struct etcd_watch;

/*
 * These functions may add and delete ranges, but not close the watch. Their arguments are valid
 * during the call.
 */
struct etcd_watcher {
	/*
	 * ENTRY was put, or deleted: then it has only a key and a revision. Changes after the last
	 * mark may be reported again when the connection broke.
	 */
	void (*event)(void *context, __u64 id, const struct etcd_entry *entry, bool deleted);
	/* All changes of range ID up to REVISION were reported, possibly none. May be NULL. */
	void (*mark)(void *context, __u64 id, __s64 revision);
	/*
	 * Range ID is not followed any more, failure() says why. Read it, and add it again from the
	 * revision that was read. -ESTALE: the next changes are compacted, or the store is another
	 * one; -EACCES: no permission; -EIO.
	 */
	void (*lost)(void *context, __u64 id, int err);
	/*
	 * Not 0: etcd does not answer, failure() says why. Called after each try that fails,
	 * because the reason may change. 0: it answers again.
	 */
	void (*state)(void *context, int err);
	void *context;
};

/* E and WATCHER must exist until it is closed. */
int etcd_watch_open(struct etcd *e, const struct etcd_watcher *watcher, struct etcd_watch **w);
void etcd_watch_close(struct etcd_watch *w);

/*
 * Follows RANGE from REVISION on, one more than the revision at which it was read. -EINVAL: below
 * 1; -EEXIST: ID is already followed.
 */
int etcd_watch_add(struct etcd_watch *w, __u64 id, const struct etcd_range *range, __s64 revision);
void etcd_watch_del(struct etcd_watch *w, __u64 id);

/*
 * Works for up to MS. Returns earlier after it called WATCHER, or if one of FDS (at most 8, for
 * POLLIN and POLLOUT) is ready; then its revents are set. Takes longer, up to a call's time, if it
 * must sign in or check the store. Connects again by itself, with growing pauses of up to 30 s and
 * jitter.
 */
void etcd_watch_run(struct etcd_watch *w, struct pollfd *fds, unsigned int n, int ms);

#endif
