// SPDX-License-Identifier: GPL-2.0-only
/* Characters that nobody sees: refused in new names, known in old ones, escaped where printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/hidden.h"
#include "base/parse.h"
#include "base/text.h"
#include "tools/graph/dot.h"
#include "tools/metrics/expo.h"

#include <cmocka.h>

/* One of each range, and its neighbours that are seen. */
static void hidden_names(void **state)
{
	static const char *const hidden[] = {
		"\u00a0", "\u00ad", "\u034f", "\u061c", "\u115f",     "\u1680",	    "\u17b4",
		"\u180e", "\u2003", "\u200b", "\u200d", "\u200f",     "\u2028",	    "\u202e",
		"\u202f", "\u2060", "\u2066", "\u2800", "\u3000",     "\u3164",	    "\ufe0f",
		"\ufeff", "\uffa0", "\ufff9", "\ufffe", "\U000e0020", "\U000e0fff",
	};
	static const char *const seen[] = {
		"\u00a1", "\u00ac", "\u00ae", "\u0350", "\u061b", "\u2010", "\u2027",
		"\u2030", "\u2070", "\u27ff", "\u3001", "\ufe10", "\ufffd", "\U0001f427",
	};
	struct tsw_name name;
	char text[16], shown[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		snprintf(text, sizeof(text), "a%sb", hidden[i]);
		assert_int_equal(parse_name(text, &name), -EINVAL);
		assert_int_equal(failure()->status, EXIT_MISUSE);
		assert_non_null(strstr(failure()->text, "has the invisible character U+"));
		assert_null(strstr(quoted(text), hidden[i]));
		assert_int_equal(parse_known_name(text, &name), 0);
		assert_string_equal(name.s, text);
	}
	for (i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		snprintf(text, sizeof(text), "a%sb", seen[i]);
		assert_int_equal(parse_name(text, &name), 0);
		assert_string_equal(escaped(text), text);
	}
	assert_int_equal(hidden_in("a\u202eb\u200b"), 0x202e);
	assert_string_equal(hidden_shown("a\u202e\\b", shown, sizeof(shown)),
			    "a\\xe2\\x80\\xae\\b");
	assert_int_equal(parse_known_name("a\x7f", &name), -EINVAL);
	assert_int_equal(parse_known_name("a\xc2\x85", &name), -EINVAL);
}

/* What Unicode 14 calls a control, a format or a blank, or says to ignore, as Python has it. */
static void unicode(void **state)
{
	static const struct {
		__u32 first, last;
	} ranges[] = {
		{0x80, 0xa0},	    {0xad, 0xad},	{0x34f, 0x34f},	    {0x600, 0x605},
		{0x61c, 0x61c},	    {0x6dd, 0x6dd},	{0x70f, 0x70f},	    {0x890, 0x891},
		{0x8e2, 0x8e2},	    {0x115f, 0x1160},	{0x1680, 0x1680},   {0x17b4, 0x17b5},
		{0x180b, 0x180f},   {0x2000, 0x200f},	{0x2028, 0x202f},   {0x205f, 0x206f},
		{0x3000, 0x3000},   {0x3164, 0x3164},	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
		{0xffa0, 0xffa0},   {0xfff9, 0xfffb},	{0xfffe, 0xfffe},   {0x110bd, 0x110bd},
		{0x110cd, 0x110cd}, {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
		{0xe0001, 0xe0001}, {0xe0020, 0xe007f}, {0xe0100, 0xe01ef}, {0x10ffff, 0x10ffff}};
	unsigned int n = 0;
	__u32 c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (c = ranges[i].first; c <= ranges[i].last; c++, n++)
			if (!is_hidden(c))
				fail_msg("U+%04X is taken", c);
	assert_int_equal(n, 483);
}

/* In each format as that format has it. */
static void formats(void **state)
{
	static const char text[] = "a\u202e\\b\n";
	char out[64];

	(void)state;
	assert_string_equal(escaped(text), "a\\xe2\\x80\\xae\\\\b\\x0a");
	assert_string_equal(dot_escape(text, out, sizeof(out)),
			    "a\\\\xe2\\\\x80\\\\xae\\\\b\\\\x0a");
	expo_escape(text, out, sizeof(out));
	assert_string_equal(out, "a\\\\xe2\\\\x80\\\\xae\\\\b\\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_names),
		cmocka_unit_test(unicode),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests_name("hidden", tests, NULL, NULL);
}
