// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "agent/told.h"
#include "base/clock.h"
#include "base/text.h"

enum {
	LINES = 10,  /* in a round; the rest are counted */
	BURST = 100, /* lines at once, and one a second from there on */
	KEPT = 1000, /* who has more has other worries than to hear of each once */
};

void told_begin(struct told *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->all[i].still = false;
	t->fresh = 0;
}

static struct trouble *find(struct told *t, const char *what)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->all[i].what, what))
			return &t->all[i];
	return NULL;
}

/* NULL: no room, and it will be told again. */
static struct trouble *make(struct told *t, const char *what)
{
	struct trouble *grown;

	if (t->n == KEPT)
		return NULL;
	if (t->n == t->room) {
		grown = reallocarray(t->all, t->room ? t->room * 2 : 16, sizeof(*grown));
		if (!grown)
			return NULL;
		t->all = grown;
		t->room = t->room ? t->room * 2 : 16;
	}
	grown = &t->all[t->n];
	*grown = (struct trouble){.what = strdup(what)};
	if (!grown->what)
		return NULL;
	t->n++;
	return grown;
}

/* Who writes records, and changes them all the time, does not fill the host's log. */
static bool may_tell(struct told *t)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (t->next < now)
		t->next = now;
	if (t->next >= now + BURST * SECOND_NS)
		return false;
	t->next += SECOND_NS;
	return true;
}

/* Is it to be told now? */
static bool is_fresh(struct told *t, const char *what, const char *why)
{
	struct trouble *trouble = find(t, what);
	const bool known = trouble && trouble->why && !strcmp(trouble->why, why);

	if (!trouble)
		trouble = make(t, what);
	if (trouble)
		trouble->still = true;
	if (known)
		return false;
	if (trouble) {
		free(trouble->why);
		trouble->why = strdup(why);
	}
	if (t->fresh < LINES && may_tell(t)) {
		t->fresh++;
		return true;
	}
	t->more++;
	return false;
}

void told_add(struct told *t, const char *what, const char *why)
{
	if (is_fresh(t, what, why))
		note(t->log, "%s: %s", escaped(what), why);
}

void told_line(struct told *t, const char *line)
{
	if (is_fresh(t, line, ""))
		note(t->log, "%s", line);
}

void told_end(struct told *t)
{
	size_t n = 0, i;

	if (t->more && may_tell(t)) {
		note(t->log, "and %zu more", t->more);
		t->more = 0;
	}
	for (i = 0; i < t->n; i++) {
		if (t->all[i].still) {
			t->all[n++] = t->all[i];
			continue;
		}
		detail(t->log, "%s: is well again", escaped(t->all[i].what));
		free(t->all[i].what);
		free(t->all[i].why);
	}
	t->n = n;
}

void told_over(struct told *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->all[i].still = false;
	told_end(t);
	t->fresh = 0;
}

void told_free(struct told *t)
{
	t->log = &(const struct log){};
	told_over(t);
	free(t->all);
	*t = (struct told){};
}
