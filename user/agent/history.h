/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the store the one that this agent followed, or was an older copy restored in its place?
 * Revisions cannot tell, because writes to the copy get numbers that were used before. But each
 * change by tsw writes a pulse with a random number (cluster/change.h). If the store's history
 * lacks the last pulse that was seen, it is another history.
 */
#ifndef TSW_AGENT_HISTORY_H
#define TSW_AGENT_HISTORY_H

#include "cluster/member.h"

enum { HISTORY_VALUE = 256 };

struct history {
	char key[MEMBER_KEY], value[HISTORY_VALUE];
	__s64 modified; /* revision of the last pulse; 0: none was seen yet */
};

/* Remembers ENTRY if it is a pulse, and not older than the last one. */
void history_take(struct history *p, const struct etcd_entry *entry);

/* 1: the same store, or its history is compacted and cannot tell; 0: another one; else an error. */
int history_is_same(struct etcd *e, const struct history *p);

/* Kept in /run, for the next agent of the same cluster and store. Without a file P is empty. */
void history_load(struct history *p, const char *instance, const struct member *m);
void history_save(const struct history *p, const char *instance, const struct member *m);

#endif
