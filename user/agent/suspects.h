/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is gone from the store may have gone by mistake: a prefix deleted by hand, an empty store in
 * place of the old one. So where most of a kind is gone, and tsw was not who took it, nothing of
 * that is deleted here. tsw puts a prefix's own key, its pulse, with all that it changes there: a
 * prefix without one was deleted by others.
 */
#ifndef TSW_AGENT_SUSPECTS_H
#define TSW_AGENT_SUSPECTS_H

#include "agent/record_set.h"
#include "state/state_diff.h"

struct suspects {
	struct record_set prefixes; /* most of which went, and is not back */
	bool changed;		    /* since they were saved */
};

/*
 * Takes the deletions in doubt out of C; *HELD: how many. TRUSTED: pulses are, which those of an
 * older copy of the store are not. Once in doubt, a prefix is so until all of it is back: a new
 * pulse alone tells only that somebody began anew.
 */
struct comparison {
	const struct record_set *records;
	const struct state *have, *want;
	bool trusted;
};
int suspects_hold(struct suspects *suspects, const struct comparison *now, struct changes *c,
		  size_t *held);

/* What is gone was meant to go. */
void suspects_clear(struct suspects *suspects);

/* In /run, where they last as long as the maps do: an agent that begins anew doubts what the last
 * one did. */
void suspects_load(struct suspects *suspects, const char *instance);
void suspects_save(struct suspects *suspects, const char *instance);
void suspects_free(struct suspects *suspects);

#endif
