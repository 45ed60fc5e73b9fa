// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "record/fields.h"
#include "state/check.h"
#include "state/diff.h"
#include "state/read.h"
#include "state/report.h"

#include <cmocka.h>

#include "state_step.h"

void step_read(const char *text, bool up, struct state *s)
{
	json_error_t error;
	json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	size_t i;

	if (!value)
		fail_msg("not JSON: %s: %s", error.text, text);
	if (state_read(value, s) || state_check(s) || state_take_own(s, "h1"))
		fail_msg("%s: %s", failure()->text, text);
	json_decref(value);
	for (i = 0; i < s->n_endpoints; i++)
		s->endpoint[i].ifindex = (__u32)strtoul(s->endpoint[i].dev + 1, NULL, 10);
	if (up && !s->host[s->own].up.given)
		s->host[s->own].up.given = FIELD(SWITCH_PORT);
}

void step_list(const struct state *have, const struct state *want, char *text, size_t len)
{
	static const char *const whats[] = {"add", "set", "del"};
	struct changes c;
	size_t used = 0, i;

	assert_int_equal(state_diff(have, want, &c), 0);
	*text = '\0';
	for (i = 0; i < c.n && used < len; i++)
		used += (size_t)snprintf(text + used, len - used, "%s%s %s", i ? "; " : "",
					 whats[c.all[i].what],
					 state_change_text(have, want, &c.all[i]));
	changes_free(&c);
}

void step_check(const struct step *step)
{
	const char *back = step->back ? step->back : step->changes;
	struct state have, want;
	char text[4096];

	step_read(step->have, true, &have);
	step_read(step->want, true, &want);
	step_list(&have, &want, text, sizeof(text));
	if (strcmp(text, step->changes))
		fail_msg("%s:\n  is     %s\n  wanted %s", step->what, text, step->changes);
	step_list(&want, &have, text, sizeof(text));
	if (strcmp(text, back))
		fail_msg("%s, back:\n  is     %s\n  wanted %s", step->what, text, back);
	step_list(&have, &have, text, sizeof(text));
	assert_string_equal(text, "");
	step_list(&want, &want, text, sizeof(text));
	assert_string_equal(text, "");
	state_free(&have);
	state_free(&want);
}
