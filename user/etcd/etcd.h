/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client of etcd (API v3, from 3.4 on): its own gRPC, by libcurl's HTTP/2. Nothing here knows of
 * the switch. An object is one thread's; messages are set as in base/err.h.
 *
 * A call asks one member after the other until one answers or its time is over. So a transaction
 * may be asked for twice, and carried out although its call failed. That it is not is certain of
 * -EINVAL, -EACCES, -ENOSPC, -ESTALE and -E2BIG alone; after any other error it may even be carried
 * out later. Give it a condition that its own success ends, and ask for the same again: see
 * cluster/change.h.
 */
#ifndef TSW_ETCD_H
#define TSW_ETCD_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

enum {
	ETCD_MEMBERS = 16, /* at most */
	ETCD_OPS = 128,	   /* in one transaction, unless the server was told otherwise */
};

struct etcd;

/* A random time up to MOST_MS (full jitter), for who tries again. */
unsigned int etcd_jitter(unsigned int most_ms);

/* Texts are copied. */
struct etcd_config {
	const char *urls;	/* http[s]://HOST[:PORT], separated by commas; port 2379. The
				 * first that is asked is any of them. */
	const char *ca;		/* a file of PEM; NULL: those that the system trusts */
	const char *cert, *key; /* files of PEM: who we are; or NULL, both */
	const char *user, *password;
	unsigned int timeout_ms; /* of a call, over all members; 0: 5,000 */
	__u64 cluster;		 /* etcd's own id of the store; others are refused. 0: any */
	bool together;		 /* of all calls from now on; etcd_member() has its own each time */
};

/* Looks at CONFIG alone. -EINVAL: which text of it is wrong. -ENOENT: libcurl is not installed. */
int etcd_open(struct etcd **e, const struct etcd_config *config);
void etcd_close(struct etcd *e);

/* Of an object whose calls have their time together: from now on they have so much again. */
void etcd_renew(struct etcd *e, unsigned int timeout_ms);

/* From now on calls end with -EINTR once FD is readable; -1: none does. */
void etcd_stop_by(struct etcd *e, int fd);

/*
 * What the last answer told of the store. Another cluster, a lower revision or term in answer to
 * etcd_read(): a backup was restored.
 */
struct etcd_seen {
	__u64 cluster, term; /* raft's */
	__s64 revision;
};
const struct etcd_seen *etcd_seen(const struct etcd *e);

/* From KEY to before END; END NULL: KEY alone. */
struct etcd_range {
	const char *key, *end;
};

/* What a prefix ends before: its last octet, plus one. PREFIX has one, and none of 0xff. */
int etcd_prefix_end(const char *prefix, char *end, size_t room);

/*
 * As it is read: key and value end with a NUL, and have none inside. An entry that has is as good
 * as deleted, and counted by etcd_odd(): nothing of ours writes such. The key lies in the range
 * that was asked for: an entry with another key is left out, and counted there, too.
 */
struct etcd_entry {
	const char *key, *value;
	__s64 created, modified; /* revisions */
	__s64 lease;		 /* 0: none */
};
size_t etcd_odd(const struct etcd *e);

typedef int etcd_each(void *context, const struct etcd_entry *entry);

/*
 * EACH for every key of RANGE, by name, in pages, all as they were at *REVISION; 0 there: as it is
 * now, which *REVISION gets when all were read. -ESTALE: it is compacted, or still to come.
 * -EPROTO: a page does not go on from the last one; -E2BIG: they have more than 256 MiB, as no
 * cluster of ours has. EACH other than 0 ends it and is returned; NULL where etcd_seen() is all
 * that is wanted.
 */
int etcd_read(struct etcd *e, const struct etcd_range *range, __s64 *revision, etcd_each *each,
	      void *context);

/*
 * The same of N ranges, of which most have little: they are asked for together, since a call takes
 * longer than what it brings. EACH may be told of some twice.
 */
int etcd_read_all(struct etcd *e, const struct etcd_range *range, size_t n, __s64 *revision,
		  etcd_each *each, void *context);

/*
 * KEY was changed last at this revision; 0: there is none. END: so is every key up to before that,
 * and with 0 that says that none is there.
 */
struct etcd_if {
	const char *key;
	__s64 modified;
	const char *end; /* NULL: KEY alone */
};

struct etcd_op {
	enum etcd_op_kind { ETCD_GET, ETCD_PUT, ETCD_DELETE } kind;
	struct etcd_range range; /* PUT: its key */
	const char *value;	 /* PUT */
	__s64 lease;		 /* PUT: 0 none */
	__s64 *count;		 /* GET: gets how many there are, and EACH gets none */
	__s64 most, revision;	 /* GET: keys, and as of when; 0: all, and now */
	bool *more;		 /* GET: gets whether there are more than that */
};

/* If all of `conditions` hold `then` is carried out as one, else `otherwise`. */
struct etcd_txn {
	const struct etcd_if *conditions;
	const struct etcd_op *then, *otherwise;
	size_t n_conditions, n_then, n_otherwise;
	etcd_each *each; /* for what its GETs found; NULL: none */
	void *context;
};

/*
 * 1: `then` was carried out, at *REVISION; 0: `otherwise`. REVISION may be NULL. What EACH returns
 * is not looked at.
 */
int etcd_commit(struct etcd *e, const struct etcd_txn *txn, __s64 *revision);

/* A lease ends SECONDS after it was kept the last time; with it go the keys that have it. */
int etcd_lease(struct etcd *e, unsigned int seconds, __s64 *lease);
int etcd_lease_keep(struct etcd *e, __s64 lease); /* -ENOENT: it has ended */
int etcd_lease_end(struct etcd *e, __s64 lease);

/* Member I of the URLs, that one and no other; -ENOENT: there are not so many. */
struct etcd_member {
	char url[280];
	char version[32];
	bool leader;
	bool led;	       /* it knows of one */
	struct etcd_seen seen; /* by itself: it may be behind */
	__s64 size;	       /* octets of its database */
};
int etcd_member(struct etcd *e, size_t i, struct etcd_member *member);

#endif
