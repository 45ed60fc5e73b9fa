/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes other hosts' new keys of encryption. own_host.h writes this host's. */
#ifndef TSW_AGENT_KEYS_H
#define TSW_AGENT_KEYS_H

#include "agent/reconcile.h"

struct keys {
	__u64 look_at;	    /* ns: check for hosts that answer by a new key; 0: no host has one */
	unsigned int every; /* ms between two checks */
};

/* C was applied. */
void keys_reconciled(struct keys *k, const struct reconciler *c);

/*
 * Does what is due. Frames use a host's new key as soon as a check sees it answer by that. True:
 * this host's keys may have changed, too.
 */
bool keys_turn(struct keys *k, struct tsw *t);

/* Ms until the next check, MOST at most. */
int keys_due(const struct keys *k, int most);

/* For an agent that runs once: waits up to a second for hosts to answer. */
void keys_once(struct keys *k, struct tsw *t);

#endif
