/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client of etcd (API v3, from 3.4 on) with gRPC of its own over libcurl's HTTP/2. Nothing here
 * knows of the switch. Use an object in one thread only. Errors set messages as in base/err.h.
 *
 * A call asks one member after the other until one answers or its time is over. So a transaction
 * may be sent twice, and be executed although its call failed. Only -EINVAL, -EACCES, -ENOSPC,
 * -ESTALE and -E2BIG guarantee that it was not executed. After any other error it may even be
 * executed later. Give it a condition that its own success makes false, and repeat it: see
 * cluster/change.h.
 */
#ifndef TSW_ETCD_H
#define TSW_ETCD_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

enum {
	ETCD_MEMBERS = 16, /* at most */
	ETCD_OPS = 128,	   /* in one transaction, the server's default */
};

struct etcd;

/* Did the call fail with ERR because etcd does not answer? */
bool etcd_is_away(int err);

/* A random time up to MOST_MS (full jitter), to wait before trying again. */
unsigned int etcd_jitter(unsigned int most_ms);

/* Texts are copied. */
struct etcd_config {
	const char *urls;	/* http[s]://HOST[:PORT], separated by commas; port 2379. A
				 * random one is asked first. */
	const char *ca;		/* PEM file; NULL: the authorities that the system trusts */
	const char *cert, *key; /* PEM files with our certificate; or both NULL */
	const char *user, *password_file; /* whose first line is the password; or both NULL */
	unsigned int timeout_ms;	  /* of a call, over all members; 0: 5,000 */
	__u64 cluster;			  /* etcd's id of the only store to accept; 0: any */
	bool together; /* TIMEOUT_MS is for all calls together, but etcd_member() */
};

/*
 * Only checks CONFIG. -EINVAL: the message names the wrong text. -ENOENT: no libcurl. The files are
 * read anew for each connection and each sign-in, so they may be replaced at any time.
 */
int etcd_open(struct etcd **e, const struct etcd_config *config);
void etcd_close(struct etcd *e);

/* Calls make a new connection: this host's address may be another one now. */
void etcd_drop(struct etcd *e);

/* Checks that nobody but root can change the files, or read the key and the password. */
int etcd_check_files(const struct etcd *e);

/* PATH, which must last, counts as one of the files. */
void etcd_wake_by(struct etcd *e, const char *path);

/* Was one of the files written, replaced, or given other rights since the last call? */
bool etcd_files_changed(struct etcd *e);

/* For an object with `together`: gives the calls from now on this time. */
void etcd_renew(struct etcd *e, unsigned int timeout_ms);

/* From now on calls end with -EINTR when FD is readable. -1: never. */
void etcd_stop_by(struct etcd *e, int fd);

/*
 * The store as of the last answer. If etcd_read() shows another cluster, or a lower revision or
 * term, then a backup was restored.
 */
struct etcd_seen {
	__u64 cluster, term; /* raft's */
	__s64 revision;
};
const struct etcd_seen *etcd_seen(const struct etcd *e);

/* From KEY up to END, which is excluded; END NULL: only KEY. */
struct etcd_range {
	const char *key, *end;
};

/* Makes END for all keys below PREFIX, whose last octet must not be 0xff. */
int etcd_prefix_end(const char *prefix, char *end, size_t room);

/*
 * An entry that was read. Key and value end with a NUL and have none inside; the key is in the
 * requested range. tsw writes no other entries: they are ignored, and counted by etcd_odd().
 */
struct etcd_entry {
	const char *key, *value;
	__s64 modified; /* revision */
	__s64 lease;	/* 0: none */
};
size_t etcd_odd(const struct etcd *e);

typedef int etcd_each(void *context, const struct etcd_entry *entry);

/*
 * Calls EACH for every key of RANGE, in order, as of *REVISION. If that is 0, reads the present
 * state and sets *REVISION at the end. -ESTALE: the revision is compacted or in the future.
 * -EPROTO: the pages do not advance. -E2BIG: more than 256 MiB, which no cluster of tsw has. If
 * EACH returns other than 0, this ends and returns it. EACH may be NULL, to get only etcd_seen().
 */
int etcd_read(struct etcd *e, const struct etcd_range *range, __s64 *revision, etcd_each *each,
	      void *context);

/*
 * The same for N ranges, most of which have few keys: requests them together, because a call takes
 * longer than its content. May call EACH twice for the same key.
 */
int etcd_read_all(struct etcd *e, const struct etcd_range *range, size_t n, __s64 *revision,
		  etcd_each *each, void *context);

/*
 * KEY was changed last at this revision; 0: it does not exist. END: no key from KEY up to END,
 * which is excluded, was written after this revision; with 0, none of them exists.
 */
struct etcd_if {
	const char *key;
	__s64 modified;
	const char *end; /* NULL: only KEY */
};

struct etcd_op {
	enum etcd_op_kind { ETCD_GET, ETCD_PUT, ETCD_DELETE } kind;
	struct etcd_range range; /* PUT: its key */
	const char *value;	 /* PUT */
	__s64 lease;		 /* PUT: 0 none */
	__s64 *count;		 /* GET: only counts the keys, without EACH */
	__s64 most, revision;	 /* GET: at most so many keys, as of REVISION; 0: all, now */
	bool *more;		 /* GET: set if there are more than MOST */
};

/* If all `conditions` hold, etcd executes `then` as one step, else `otherwise`. */
struct etcd_txn {
	const struct etcd_if *conditions;
	const struct etcd_op *then, *otherwise;
	size_t n_conditions, n_then, n_otherwise;
	etcd_each *each; /* for the entries that GETs find; or NULL */
	void *context;
};

/*
 * 1: `then` was executed, at *REVISION; 0: `otherwise`. REVISION may be NULL. Ignores what EACH
 * returns.
 */
int etcd_commit(struct etcd *e, const struct etcd_txn *txn, __s64 *revision);

/*
 * A dry run: from now on E writes nothing and gets no leases. etcd_commit() checks the conditions,
 * has etcd check that this user may write, and calls TELL for each step in place of carrying it
 * out. COUNT: how many keys it would replace or delete.
 */
typedef void etcd_told(void *context, const struct etcd_op *op, __s64 count);
void etcd_dry(struct etcd *e, etcd_told *tell, void *context);

/* A lease ends SECONDS after it was renewed last. Keys with this lease are deleted then. */
int etcd_lease(struct etcd *e, unsigned int seconds, __s64 *lease);
int etcd_lease_keep(struct etcd *e, __s64 lease); /* -ENOENT: it has ended */
int etcd_lease_end(struct etcd *e, __s64 lease);

/* Asks only the member of URL number I. -ENOENT: there are fewer. */
struct etcd_member {
	char url[280];
	char version[32];
	bool leader;
	bool led;	/* it knows a leader */
	char alarm[64]; /* its first alarm, such as NOSPACE; "": none */
};
int etcd_member(struct etcd *e, size_t i, struct etcd_member *member);

#endif
