/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changes in an etcd, as it changes: any number of ranges on one connection of its own, which
 * goes to another member when it breaks, and on where it stood.
 */
#ifndef TSW_ETCD_WATCH_H
#define TSW_ETCD_WATCH_H

#include <poll.h>

#include "etcd/etcd.h"

struct etcd_watch;

/*
 * These may add ranges and delete them, and not close the watch. What they are given is theirs for
 * the call.
 */
struct etcd_watcher {
	/*
	 * ENTRY was put; or deleted, when it has a key and a revision alone. What is behind the
	 * last mark may be told again when the connection broke.
	 */
	void (*event)(void *context, __u64 id, const struct etcd_entry *entry, bool deleted);
	/* Range ID is told up to REVISION, which also tells that there was nothing. */
	void (*mark)(void *context, __u64 id, __s64 revision);
	/*
	 * Range ID is followed no more, failure() says why: read it, and add it again from what
	 * was read on. -ESTALE: what was to come is compacted, or the store is another than it
	 * was; -EACCES: it may not be read; -EIO.
	 */
	void (*lost)(void *context, __u64 id, int err);
	/*
	 * Not 0: etcd does not answer, failure() says why; each time that it was tried in vain,
	 * for the reason may be another. 0: it does again.
	 */
	void (*state)(void *context, int err);
	void *context;
};

/* E and WATCHER stay until it is closed. */
int etcd_watch_open(struct etcd *e, const struct etcd_watcher *watcher, struct etcd_watch **w);
void etcd_watch_close(struct etcd_watch *w);

/*
 * Follows RANGE from REVISION on, which is one more than that at which it was read. -EINVAL: below
 * 1; -EEXIST: ID is followed already.
 */
int etcd_watch_add(struct etcd_watch *w, __u64 id, const struct etcd_range *range, __s64 revision);
void etcd_watch_del(struct etcd_watch *w, __u64 id);

/*
 * Does what there is to do, for some MS: less where WATCHER was told anything, or one of FDS (at
 * most 8, for POLLIN and POLLOUT) is ready, as its revents then say. Longer, up to a call's time,
 * where it has to sign in or to find out which store answers. Connects by itself, again and again,
 * each time later (to 30 s, with jitter).
 */
void etcd_watch_run(struct etcd_watch *w, struct pollfd *fds, unsigned int n, int ms);

#endif
