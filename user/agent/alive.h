/* SPDX-License-Identifier: GPL-2.0-only */
/* What this host tells the cluster while its agent runs: that it does, and how far it is. */
#ifndef TSW_AGENT_ALIVE_H
#define TSW_AGENT_ALIVE_H

#include "agent/replica.h"
#include "base/log.h"

enum { ALIVE_SECONDS = 15 }; /* its lease: so long after its end it is taken for alive */

struct alive {
	__s64 lease;	/* 0: none yet */
	__u64 next;	/* ns of CLOCK_MONOTONIC: when it is to be kept */
	__s64 since;	/* seconds of CLOCK_REALTIME: when the agent began */
	__s64 answered; /* calls up to this revision are */
};

void alive_begin(struct alive *a);

/* Keeps the lease when it is time to; etcd that does not answer is asked again later. */
void alive_keep(struct alive *a, struct replica *rp);

/*
 * Answers `cluster wait`: this host has carried out what F knows; FAILED: all but so many. True:
 * more of them wait for their turn.
 */
bool alive_answer(struct alive *a, struct replica *rp, size_t failed);

/* The record goes at once. */
void alive_end(struct alive *a, struct replica *rp);

#endif
