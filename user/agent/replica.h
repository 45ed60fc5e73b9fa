/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cluster's records as they are and as they change: those of hosts, tenants and gateways all,
 * those of endpoints for the tenants that concern this host.
 */
#ifndef TSW_AGENT_REPLICA_H
#define TSW_AGENT_REPLICA_H

#include "agent/record_set.h"
#include "agent/history.h"
#include "agent/complaints.h"
#include "agent/desired.h"
#include "base/log.h"
#include "cluster/member.h"
#include "etcd/watch.h"

enum { REPLICA_FRESH = 128 };

struct replica {
	const struct member *m;
	const struct log *log;
	struct complaints complaints; /* why etcd does not answer */
	struct etcd *e;		      /* for requests */
	struct etcd_watcher watcher;
	struct etcd_watch *w; /* NULL: nothing is followed */
	struct record_set records;
	struct interest interest;
	__s64 revision;		/* what is known is of this one at least */
	struct history history; /* the last one of that; while there is no connection, of before */
	size_t prefix;		/* octets of `/tsw/1/CLUSTER/` */

	/* Since the caller looked last: */
	char *fresh[REPLICA_FRESH]; /* keys of endpoints, groups, rules that came, changed, went */
	size_t n_fresh;
	bool changed; /* anything else, or more of them: all is to be compared */
	bool reread;  /* all is to be read */
	bool check;   /* the connection is a new one: is the store the same? */
	bool trusted; /* no older copy of the store came in place of what there was */
	bool connected;
	size_t resyncs;
	__u64 last_event; /* ns of CLOCK_MONOTONIC; 0: none yet */
};

/* Each call of etcd has TIMEOUT_MS: how long all records take depends on how many there are. */
int replica_open(struct replica *rp, const struct member *m, const struct log *log,
		 unsigned int timeout_ms);
void replica_close(struct replica *rp);

/* Reads all that there is, at one revision; what was followed is so no more. */
int replica_read(struct replica *rp);

/* Behind a broken connection, before anything is done: a copy of before is read anew. */
int replica_check_store(struct replica *rp);

/* It does not answer, which returns true, or refuses; failure() says why ERR: that is told. */
bool replica_complain(struct replica *rp, int err);

/* From now on what was read is followed. */
int replica_watch(struct replica *rp);

/* The caller has looked. */
void replica_forget_fresh(struct replica *rp);

/* The tenants that concern this host are others than before: reads and follows those. */
int replica_update_interest(struct replica *rp);

#endif
