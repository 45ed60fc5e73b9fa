// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "typed.h"

#include <cmocka.h>

int typed(const char *text, const struct command **command, struct words *words)
{
	static struct line line; /* the words point into it and into the copy */
	static char copy[512];

	snprintf(copy, sizeof(copy), "%s", text);
	assert_int_equal(parse_line(copy, &line), 0);
	return command_parse(line.n, line.word, false, command, words);
}

void assert_refused(const char *text, const char *why)
{
	const struct command *command;
	struct words words;

	if (!typed(text, &command, &words))
		fail_msg("taken: %s", text);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	if (!strstr(failure()->text, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, failure()->text, why);
}
