/* SPDX-License-Identifier: GPL-2.0-only */
/* The ranges of a watch, and what a message of etcd does to them: nothing here sends. */
#ifndef TSW_ETCD_FOLLOW_H
#define TSW_ETCD_FOLLOW_H

#include "etcd/call.h"
#include "etcd/watch.h"

struct follow {
	__u64 id;   /* the caller's */
	__s64 wire; /* etcd's, never used twice; 0: not asked for on this connection */
	char *key, *end;
	__s64 next; /* revision */
	bool old;   /* of another store */
};

struct follows {
	struct etcd *e;
	const struct etcd_watcher *watcher;
	struct follow *at;
	size_t n, room;
	unsigned int changes;  /* of the table: what points into it holds no more */
	__s64 wires;	       /* given so far */
	__s64 created;	       /* the last of them that etcd has answered for, in their order */
	__s64 stray;	       /* a wire that etcd follows, and nobody here; 0: none */
	struct etcd_seen seen; /* its revision: up to where anything was told, or read before */
	bool doubt;	       /* this connection tells of less: is the store an older one? */
	bool sure;	       /* it was asked, and is not */
	bool told;	       /* something, to the watcher */
};

/* -EINVAL: there is no such revision; -EEXIST: there is a range ID. */
int follows_add(struct follows *f, __u64 id, const struct etcd_range *range, __s64 revision);

/* Returns its wire, 0: it had none, or there is no such range. */
__s64 follows_del(struct follows *f, __u64 id);
void follows_free(struct follows *f);

/* On a new connection: nothing is asked for. */
void follows_again(struct follows *f);

/* NOW is what etcd as a whole tells, for which DOUBT was: true if it is the same store. */
bool follows_is_same(struct follows *f, const struct etcd_seen *now);

/* Nothing that was told holds any more: all ranges are lost. */
void follows_lose_all(struct follows *f);

/*
 * Takes a WatchResponse. -EPROTO: it is none. The connection is to be made anew where it returns
 * -EKEYEXPIRED, with another token; -ESTALE, to another store; -ENOMEM.
 */
int follows_take(struct follows *f, const uint8_t *message, size_t len);

#endif
