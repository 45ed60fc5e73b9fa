// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "tools/doctor/mend.h"
#include "tools/doctor/report.h"

static const char *const states[] = {"OK", "WARN", "FAIL"};

/* Exit status 1: at least one check has failed. */
void report_row(struct report *r, enum health state, const char *check, const char *object,
		const char *detail, const char *mend)
{
	char text[MEND_LEN];

	r->cli->bad |= state == FAIL;
	json_array_append_new(
		r->rows,
		json_pack("{s:s, s:s, s:o, s:o, s:o}", "state", states[state], "check", check,
			  "object", json_text_or_null(object), "detail", json_text(detail), "mend",
			  json_text_or_null(mend_text(&r->cli->tsw, mend, object, text))));
}

void report_add(struct report *r, enum health state, const char *check, const char *mend,
		const char *fmt, ...)
{
	char detail[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(detail, sizeof(detail), fmt, args);
	va_end(args);
	report_row(r, state, check, NULL, detail, mend);
}

void report_about(struct report *r, enum health state, const char *check, const char *what,
		  const char *object, const char *detail)
{
	char told[MEND_LEN];

	report_row(r, state, check, object, detail,
		   what ? (mend_told(detail, object, told) ?: mend_for(what, object)) : NULL);
}

static enum colour colour_of(const char *state)
{
	if (!strcmp(state, states[OK]))
		return COLOUR_GOOD;
	return strcmp(state, states[FAIL]) ? COLOUR_DOUBTFUL : COLOUR_BAD;
}

static void print_row(const json_t *row)
{
	const char *object = json_text_in(row, "object"), *mend = json_text_in(row, "mend");
	const char *state = json_text_in(row, "state");

	printf("%s%-4s%s  %s%s%s: %s\n", colour(stdout, colour_of(state)), state,
	       colour(stdout, COLOUR_NONE), json_text_in(row, "check"), *object ? " " : "",
	       escaped(object), json_text_in(row, "detail"));
	if (*mend)
		printf("      > %s\n", mend);
}

void report_print(struct report *r)
{
	json_t *row;
	size_t i;

	if (r->cli->out.json) {
		out_object(&r->cli->out,
			   json_pack("{s:b, s:o}", "ok", !r->cli->bad, "checks", r->rows));
		return;
	}
	json_array_foreach(r->rows, i, row)
		print_row(row);
	json_decref(r->rows);
}
