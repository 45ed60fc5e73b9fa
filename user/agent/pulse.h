/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the store that answers the one that was followed, or a copy of an earlier moment that was
 * restored and went on by itself? Its revisions do not tell: what is written to the copy gets the
 * numbers that were used already. But each change that tsw makes puts a pulse with a number of its
 * own (cluster/change.h): where the last one that was seen is not in the store's history, that is
 * another history.
 */
#ifndef TSW_AGENT_PULSE_H
#define TSW_AGENT_PULSE_H

#include "cluster/member.h"

enum { PULSE_VALUE = 256 };

struct pulse {
	char key[MEMBER_KEY], value[PULSE_VALUE];
	__s64 modified; /* 0: none was seen yet */
};

/* Remembers ENTRY, where it is a pulse and none of before. */
void pulse_take(struct pulse *p, const struct etcd_entry *entry);

/* 1: it is, or that cannot be told any more, as its history is compacted; 0: it is not; errors. */
int pulse_is_there(struct etcd *e, const struct pulse *p);

/* In /run, for the next agent of the same cluster and store. None there: P is none. */
void pulse_load(struct pulse *p, const char *instance, const struct member *m);
void pulse_save(const struct pulse *p, const char *instance, const struct member *m);

#endif
