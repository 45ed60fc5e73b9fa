/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records may be gone by mistake: a prefix was deleted by hand, or the store was replaced by an
 * empty one. If most of a kind is gone, and tsw did not delete it, this host deletes nothing of it.
 * tsw writes a prefix's own key, its pulse, with each change, so a prefix without a pulse was
 * deleted by others.
 */
#ifndef TSW_AGENT_SUSPECTS_H
#define TSW_AGENT_SUSPECTS_H

#include "agent/record_set.h"
#include "state/diff.h"

struct suspects {
	struct record_set prefixes; /* most of which is gone, and not all of it back */
	bool changed;		    /* since the last save */
};

/*
 * Removes suspect deletions from C; *HELD: how many. TRUSTED: the store is no older copy, so its
 * pulses count. A suspect prefix remains so until all of it is back, since a new pulse alone only
 * means that somebody began anew.
 */
struct comparison {
	const struct record_set *records;
	const struct state *have, *want;
	bool trusted;
};
int suspects_hold(struct suspects *suspects, const struct comparison *now, struct changes *c,
		  size_t *held);

/* An administrator accepted the deletions. */
void suspects_clear(struct suspects *suspects);

/* Kept in /run, as long as the maps exist, for the next agent. */
void suspects_load(struct suspects *suspects, const char *instance);
void suspects_save(struct suspects *suspects, const char *instance);
void suspects_free(struct suspects *suspects);

#endif
