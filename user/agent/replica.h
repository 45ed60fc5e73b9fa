/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A copy of the cluster's records in memory that follows their changes: all hosts, tenants,
 * gateways, published ports and peerings, and the endpoints and policies of tenants that concern
 * this host. It also has which hosts are alive.
 */
#ifndef TSW_AGENT_REPLICA_H
#define TSW_AGENT_REPLICA_H

#include "agent/complaints.h"
#include "agent/desired.h"
#include "agent/history.h"
#include "agent/record_set.h"
#include "base/log.h"
#include "cluster/member.h"
#include "etcd/watch.h"

enum { REPLICA_FRESH = 128 };

struct replica {
	const struct member *m;
	const struct log *log;
	struct complaints complaints; /* about etcd */
	struct etcd *e;		      /* for requests */
	struct etcd_watcher watcher;
	struct etcd_watch *w; /* NULL: the copy does not follow changes */
	struct record_set records;
	struct interest interest;
	__s64 revision;		/* the copy is at least as new as this one */
	struct history history; /* of that revision; without a connection the last one known */
	size_t prefix;		/* octets of `/tsw/1/CLUSTER/` */

	/* Since the caller looked last: */
	char *fresh[REPLICA_FRESH]; /* keys of endpoints, groups and rules that were changed */
	size_t n_fresh;
	bool changed;	/* other keys, or more of them: compare the whole state */
	bool reread;	/* read all records anew */
	bool check;	/* after a new connection: check that the store is the same */
	bool trusted;	/* the store is the same, no restored copy of it */
	bool connected; /* etcd answers, and lets this host read */
	size_t resyncs;
	__u64 last_event; /* ns of CLOCK_MONOTONIC; 0: none yet */
};

/* TIMEOUT_MS is for each call of etcd; reading all records makes many calls. */
int replica_open(struct replica *rp, const struct member *m, const struct log *log,
		 unsigned int timeout_ms);
void replica_close(struct replica *rp);

/* Reads all records at one revision, and ends the watch. */
int replica_read(struct replica *rp);

/* After a new connection, before any change is applied: if the store is another, asks to reread. */
int replica_check_store(struct replica *rp);

/* Logs that a call of etcd failed with ERR and failure(). */
void replica_complain(struct replica *rp, int err);

/* Follows changes from the revision that was read. */
int replica_watch(struct replica *rp);

/* Empties the list of fresh keys. */
void replica_forget_fresh(struct replica *rp);

/* Reads and follows the tenants that concern this host since a change, and drops the others. */
int replica_update_interest(struct replica *rp);

#endif
