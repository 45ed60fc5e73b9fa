/* SPDX-License-Identifier: GPL-2.0-only */
/* Where switches encrypt: this one's keys in its record, and the other hosts' new ones here. */
#ifndef TSW_AGENT_KEYS_H
#define TSW_AGENT_KEYS_H

#include "agent/reconcile.h"
#include "agent/replica.h"

struct keys {
	struct complaints complaints;
	bool changed;	    /* perhaps: the record is to be compared */
	__u64 tell_at;	    /* ns of CLOCK_MONOTONIC: not before */
	__u64 look_at;	    /* the same, for hosts that are to answer by a new key; 0: none is */
	unsigned int every; /* ms between two looks */
};

void keys_begin(struct keys *k, const struct log *log);

/* C was carried out. */
void keys_reconciled(struct keys *k, const struct reconciler *c);

/* What is due by now. Frames go to a host by its new key from the look on that sees it answer. */
void keys_turn(struct keys *k, struct tsw *t, struct replica *rp);

/* Ms until hosts are looked at, MOST at most. */
int keys_due(const struct keys *k, int most);

/* All of it, for who does not go on: waits for hosts that answer, but not for long. */
int keys_once(struct keys *k, struct tsw *t, struct replica *rp);

void keys_end(struct keys *k);

#endif
