/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the store that answers the one that was followed, or a copy of an earlier moment that was
 * restored and went on by itself? Its revisions do not tell: what is written to the copy gets the
 * numbers that were used already. But each change that tsw makes puts a pulse with a number of its
 * own (cluster/change.h): where the last one that was seen is not in the store's history, that is
 * another history.
 */
#ifndef TSW_AGENT_HISTORY_H
#define TSW_AGENT_HISTORY_H

#include "cluster/member.h"

enum { HISTORY_VALUE = 256 };

struct history {
	char key[MEMBER_KEY], value[HISTORY_VALUE];
	__s64 modified; /* 0: none was seen yet */
};

/* Remembers ENTRY, where it is a pulse and none of before. */
void history_take(struct history *p, const struct etcd_entry *entry);

/* 1: it is, or that cannot be told any more, as its history is compacted; 0: it is not; errors. */
int history_is_same(struct etcd *e, const struct history *p);

/* In /run, for the next agent of the same cluster and store. None there: P is none. */
void history_load(struct history *p, const char *instance, const struct member *m);
void history_save(const struct history *p, const char *instance, const struct member *m);

#endif
