/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the known word that an unknown one most resembles, for messages. */
#ifndef TSW_NEAR_H
#define TSW_NEAR_H

enum { NEAR_LONGEST = 32 };

struct near {
	const char *word;	     /* the unknown one */
	char best[NEAR_LONGEST + 1]; /* the most similar so far; empty: none is similar */
	unsigned int edits;	     /* how many edits make one of the other */
};

/* Compares the word with one more known word. */
void near_look(struct near *n, const char *known);

/* Appends `; did you mean "..."?` to the message that is set, if a word is similar. */
void near_tell(const struct near *n);

#endif
