/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cluster's records as they are and as they change: those of hosts, tenants and gateways all,
 * those of endpoints for the tenants that concern this host.
 */
#ifndef TSW_AGENT_FOLLOW_H
#define TSW_AGENT_FOLLOW_H

#include "agent/mirror.h"
#include "agent/pulse.h"
#include "agent/told.h"
#include "agent/want.h"
#include "base/log.h"
#include "cluster/member.h"
#include "etcd/watch.h"

enum { FOLLOW_FRESH = 128 };

struct follow {
	const struct member *m;
	const struct log *log;
	struct told told; /* why etcd does not answer */
	struct etcd *e;	  /* for requests */
	struct etcd_watcher watcher;
	struct etcd_watch *w; /* NULL: nothing is followed */
	struct mirror records;
	struct interest interest;
	__s64 revision;	    /* what is known is of this one at least */
	struct pulse pulse; /* the last one of that; while there is no connection, of before */
	size_t prefix;	    /* octets of `/tsw/1/CLUSTER/` */

	/* Since the caller looked last: */
	char *fresh[FOLLOW_FRESH]; /* keys of endpoints, groups, rules that came, changed, went */
	size_t n_fresh;
	bool changed; /* anything else, or more of them: all is to be compared */
	bool again;   /* all is to be read */
	bool check;   /* the connection is a new one: is the store the same? */
	bool trusted; /* no older copy of the store came in place of what there was */
	bool connected;
	size_t resyncs;
	__u64 last_event; /* ns of CLOCK_MONOTONIC; 0: none yet */
};

/* Each call of etcd has TIMEOUT_MS: how long all records take depends on how many there are. */
int follow_open(struct follow *f, const struct member *m, const struct log *log,
		unsigned int timeout_ms);
void follow_close(struct follow *f);

/* Reads all that there is, at one revision; what was followed is so no more. */
int follow_read(struct follow *f);

/* Behind a broken connection, before anything is done: a copy of before is read anew. */
int follow_check(struct follow *f);

/* It does not answer, which returns true, or refuses; failure() says why ERR: that is told. */
bool follow_fails(struct follow *f, int err);

/* From now on what was read is followed. */
int follow_watch(struct follow *f);

/* The caller has looked. */
void follow_seen(struct follow *f);

/* The tenants that concern this host are others than before: reads and follows those. */
int follow_interest(struct follow *f);

#endif
