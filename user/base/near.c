// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/near.h"
#include "base/text.h"

enum { MOST_EDITS = 2, SHORT = 4 };

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be added, removed, replaced or swapped with the next one. row[k] has the
 * distances of the first letters of A from those of B: of this row and of the two before it.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[3][NEAR_LONGEST + 1], i, k, x;
	const unsigned int n = (unsigned int)strlen(a), m = (unsigned int)strlen(b);

	for (k = 0; k <= m; k++)
		row[0][k] = k;
	for (i = 1; i <= n; i++) {
		unsigned int *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];

		now[0] = i;
		for (k = 1; k <= m; k++) {
			x = last[k - 1] + (a[i - 1] != b[k - 1]);
			now[k] = least(x, least(now[k - 1], last[k]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = least(now[k], older[k - 2] + 1);
		}
	}
	return row[n % 3][m];
}

void near_look(struct near *n, const char *known)
{
	const size_t len = strlen(n->word);
	unsigned int edits;

	if (len < 2 || len > NEAR_LONGEST || strlen(known) > NEAR_LONGEST)
		return;
	/* The beginning of a word counts as one mistake. */
	edits = strncmp(known, n->word, len) ? distance(n->word, known) : 1;
	if (edits > MOST_EDITS || edits * 2 > len || (edits > 1 && len < SHORT))
		return;
	if (!*n->best || edits < n->edits) {
		snprintf(n->best, sizeof(n->best), "%s", known);
		n->edits = edits;
	}
}

void near_tell(const struct near *n)
{
	if (*n->best)
		fail_more("; did you mean %s?", quoted(n->best));
}
