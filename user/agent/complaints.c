// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/complaints.h"
#include "base/clock.h"
#include "base/text.h"

enum {
	LINES = 10,  /* logged in a round; the others are counted */
	BURST = 100, /* lines at once, then one a second */
	KEPT = 1000, /* remembered; more than these may be logged again and again */
	LINE = 1100, /* octets */
};

void complaints_begin(struct complaints *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->all[i].still = false;
	t->fresh = 0;
}

static struct complaint *find(struct complaints *t, const char *what)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->all[i].what, what))
			return &t->all[i];
	return NULL;
}

/* NULL: no room. Then the complaint is logged again in the next round. */
static struct complaint *make(struct complaints *t, const char *what)
{
	struct complaint *grown;

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
	*grown = (struct complaint){.what = strdup(what)};
	if (!grown->what)
		return NULL;
	t->n++;
	return grown;
}

/* Limits the lines, so that somebody who changes records all the time cannot fill the log. */
static bool may_log(struct complaints *t)
{
	const __u64 now = clock_ns(CLOCK_MONOTONIC);

	if (t->next < now)
		t->next = now;
	if (t->next >= now + BURST * SECOND_NS)
		return false;
	t->next += SECOND_NS;
	return true;
}

/* Is the complaint new, and may it be logged? */
static bool is_fresh(struct complaints *t, const char *what, const char *why)
{
	struct complaint *complaint = find(t, what);
	const bool known = complaint && complaint->why && !strcmp(complaint->why, why);

	if (!complaint)
		complaint = make(t, what);
	if (complaint)
		complaint->still = true;
	if (known)
		return false;
	if (complaint) {
		free(complaint->why);
		complaint->why = strdup(why);
	}
	if (t->fresh < LINES && may_log(t)) {
		t->fresh++;
		return true;
	}
	t->more++;
	return false;
}

void complaints_add(struct complaints *t, const char *what, const char *why)
{
	if (is_fresh(t, what, why))
		note(t->log, "%s: %s", escaped(what), why);
}

void complaints_add_line(struct complaints *t, const char *format, ...)
{
	char line[LINE];
	va_list words;

	va_start(words, format);
	vsnprintf(line, sizeof(line), format, words);
	va_end(words);
	if (is_fresh(t, line, ""))
		note(t->log, "%s", line);
}

void complaints_end(struct complaints *t)
{
	size_t n = 0, i;

	if (t->more && may_log(t)) {
		note(t->log, "and %zu more", t->more);
		t->more = 0;
	}
	for (i = 0; i < t->n; i++) {
		if (t->all[i].still) {
			t->all[n++] = t->all[i];
			continue;
		}
		detail(t->log, "%s: resolved", escaped(t->all[i].what));
		free(t->all[i].what);
		free(t->all[i].why);
	}
	t->n = n;
}

void complaints_clear(struct complaints *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->all[i].still = false;
	complaints_end(t);
	t->fresh = 0;
}

void complaints_free(struct complaints *t)
{
	t->log = &(const struct log){};
	complaints_clear(t);
	free(t->all);
	*t = (struct complaints){};
}
