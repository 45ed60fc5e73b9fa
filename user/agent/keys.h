/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of encryption: writes this host's keys into its record, and takes other hosts' new keys. */
#ifndef TSW_AGENT_KEYS_H
#define TSW_AGENT_KEYS_H

#include "agent/reconcile.h"
#include "agent/replica.h"

struct keys {
	struct complaints complaints;
	bool changed;	    /* perhaps: compare this host's record */
	__u64 tell_at;	    /* ns of CLOCK_MONOTONIC: write the record not before */
	__u64 look_at;	    /* ns: check for hosts that answer by a new key; 0: no host has one */
	unsigned int every; /* ms between two checks */
};

void keys_begin(struct keys *k, const struct log *log);

/* C was applied. */
void keys_reconciled(struct keys *k, const struct reconciler *c);

/* Does what is due. Frames use a host's new key as soon as a check sees it answer by that. */
void keys_turn(struct keys *k, struct tsw *t, struct replica *rp);

/* Ms until the next check, MOST at most. */
int keys_due(const struct keys *k, int most);

/* For an agent that runs once: waits up to a second for hosts to answer, then writes the record. */
int keys_once(struct keys *k, struct tsw *t, struct replica *rp);

void keys_end(struct keys *k);

#endif
