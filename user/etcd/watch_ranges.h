/* SPDX-License-Identifier: GPL-2.0-only */
/* The ranges of a watch, and how etcd's messages change them. Nothing here sends. */
#ifndef TSW_ETCD_WATCH_RANGES_H
#define TSW_ETCD_WATCH_RANGES_H

#include "etcd/call.h"
#include "etcd/watch.h"

struct watch_range {
	__u64 id;	/* the caller's */
	__s64 watch_id; /* etcd's, never used twice; 0: none on this connection yet */
	char *key, *end;
	__s64 next; /* revision from which on changes have not come yet */
	bool old;   /* of another store */
};

struct watch_ranges {
	struct etcd *e;
	const struct etcd_watcher *watcher;
	struct watch_range *at;
	size_t n;
	unsigned int changes;  /* of the table; pointers into it are invalid afterwards */
	__s64 watch_ids;       /* the last id that was used */
	__s64 created;	       /* the last id that etcd has answered; it answers in order */
	__s64 stray;	       /* an id that etcd watches, but no range here has; 0: none */
	struct etcd_seen seen; /* its revision: the newest that was reported or read */
	bool suspect;	       /* this connection is behind: is the store an older one? */
	bool confirmed;	       /* checked: it is the same store */
	bool reported;	       /* something, to the watcher */
};

/* -EINVAL: no such revision; -EEXIST: range ID exists already. */
int watch_ranges_add(struct watch_ranges *r, __u64 id, const struct etcd_range *range,
		     __s64 revision);

/* Returns its watch_id. 0: it had none, or there is no such range. */
__s64 watch_ranges_del(struct watch_ranges *r, __u64 id);
void watch_ranges_free(struct watch_ranges *r);

/* For a new connection: no range has a watch_id any more. */
void watch_ranges_restart(struct watch_ranges *r);

/* Answers `suspect`. NOW is confirmed by a majority of etcd's members. True: the same store. */
bool watch_ranges_is_same_store(struct watch_ranges *r, const struct etcd_seen *now);

/* The store is another one: loses all ranges. */
void watch_ranges_lose_all(struct watch_ranges *r);

/*
 * Takes a WatchResponse. -EPROTO: it is invalid. The connection must be made anew after
 * -EKEYEXPIRED, with another token; after -ESTALE, since the store is another one; and after
 * -ENOMEM.
 */
int watch_ranges_take(struct watch_ranges *r, const uint8_t *message, size_t len);

#endif
