/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells the cluster that this host's agent runs, and answers `cluster wait`. */
#ifndef TSW_AGENT_ALIVE_H
#define TSW_AGENT_ALIVE_H

#include "agent/replica.h"
#include "agent/unreached.h"
#include "base/log.h"

enum { ALIVE_SECONDS = 15 }; /* the lease: a killed agent counts as alive for so long */

struct alive {
	struct complaints complaints;
	__s64 lease;	/* 0: none yet */
	__u64 next;	/* ns of CLOCK_MONOTONIC: when to renew it */
	__s64 since;	/* seconds of CLOCK_REALTIME: when the agent began */
	bool elsewhere; /* this host's record has another address than its switch, rightly */
	bool told;	/* ELSEWHERE, as it was written last */
	__s64 answered; /* calls up to this revision are answered */
	__u64 other; /* since when another machine's agent holds this host's record; 0: none does */
	bool twin;   /* another machine has this host's name, and it was told */
};

void alive_begin(struct alive *a, const struct log *log);

/*
 * Renews the lease when it is due. If etcd does not answer, tries again later. A copy of a machine
 * with its /etc/tsw has the same name: the record stays with the agent that wrote it first.
 */
void alive_keep(struct alive *a, struct replica *rp, const char *instance);

/*
 * Answers `cluster wait`: this host has applied all records that RP has, except FAILED of them, and
 * does not reach the hosts U. True: more calls wait for an answer.
 */
bool alive_answer(struct alive *a, struct replica *rp, size_t failed, const struct unreached *u);

/* Removes the record at once. */
void alive_end(struct alive *a, struct replica *rp);

#endif
