// SPDX-License-Identifier: GPL-2.0-only
/* What a command line forgives, and how it helps: short words, options anywhere, did you mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/near.h"
#include "cli/arrange.h"
#include "cli/command.h"
#include "cli/find.h"
#include "typed.h"

#include <cmocka.h>

static void assert_same(const char *text, const char *whole)
{
	const struct command *c = NULL, *same = NULL;
	struct words words;

	if (typed(whole, &same, &words) || typed(text, &c, &words))
		fail_msg("%s: %s", text, failure()->text);
	if (c != same)
		fail_msg("%s is not %s", text, whole);
}

static void assert_said(const char *text, const char *why)
{
	const struct command *c;
	struct words words;

	if (!typed(text, &c, &words))
		fail_msg("taken: %s", text);
	assert_int_equal(failure()->status, EXIT_MISUSE);
	if (strcmp(failure()->text, why))
		fail_msg("%s: \"%s\" is not \"%s\"", text, failure()->text, why);
}

static void shortened(void **state)
{
	(void)state;
	assert_same("ten sh", "tenant show");
	assert_same("ten list", "tenant show");
	assert_same("tenant ls red", "tenant show red");
	assert_same("h delete h2", "host del h2");
	assert_same("endp a x tenant red mac auto dev d",
		    "endpoint add x tenant red mac auto dev d");
	assert_same("sw up dev d", "switch up dev d");
	assert_same("fl s", "flows show");
	assert_same("flows tenant red", "flows");
	assert_same("flo tenant red", "flows");
	assert_same("gc", "gc");
}

static void ambiguous(void **state)
{
	(void)state;
	assert_said("t show", "\"t\" is ambiguous: tenant, trace, top, test");
	assert_said("tenant s", "\"s\" is ambiguous: set, show");
	assert_said("switch u", "\"u\" is ambiguous: up, upgrade");
}

static void did_you_mean(void **state)
{
	(void)state;
	assert_said("tenent show", "unknown command \"tenent\"; did you mean \"tenant\"?");
	assert_said("qqqq show", "unknown command \"qqqq\"; see: tsw help");
	assert_said("hpel", "unknown command \"hpel\"; did you mean \"help\"?");
	assert_said("tenant hsow",
		    "\"hsow\" is not one of add, replace, set, del, show; did you mean \"show\"?");
	assert_said("tenant zz", "\"zz\" is not one of add, replace, set, del, show");
	assert_said("tenant", "a verb is missing; use one of: add, replace, set, del, show");
	/* Keys are typed whole. */
	assert_said("tenant add red i 5", "unknown word \"i\"; see: tsw tenant add help");
	assert_said("tenant add red id 5 broad on",
		    "unknown word \"broad\"; did you mean \"broadcast\"?");
	assert_said("tenant add red id 5 rate_out 5mbit",
		    "unknown word \"rate_out\"; did you mean \"rate-out\"?");
	assert_said("tenant add red id 5 colour x",
		    "unknown word \"colour\"; see: tsw tenant add help");
}

static void one_key_of_the_synopsis(void **state)
{
	(void)state;
	assert_said("tenant add red", "\"id\" is missing: id N|auto");
	assert_said("tenant add red id", "\"id\" needs a value: id N|auto");
	assert_said("tenant add red id 5 dns", "\"dns\" needs a value: dns on|off");
	assert_said("policy add red x to any",
		    "\"from\" is missing: from (group G | cidr CIDR | any)");
	assert_said("policy add red x from group",
		    "\"group\" needs a value: from (group G | cidr CIDR | any)");
	assert_said("endpoint add a tenant red mac auto dev", "\"dev\" needs a value: dev DEV");
	assert_said("tenant add", "the name is missing; see: tsw tenant add help");
	assert_said("policy add red",
		    "the name after the tenant is missing; see: tsw policy add help");
}

static void nearness(void **state)
{
	static const struct {
		const char *word, *known;
		bool near;
	} row[] = {
		{"tenant", "tenant", true},
		{"tenatn", "tenant", true},
		{"tennt", "tenant", true},
		{"tenantt", "tenant", true},
		{"tnnt", "tenant", true},
		{"tnt", "tenant", false},
		{"ad", "add", true},
		{"xd", "id", true},
		{"xy", "id", false},
		{"i", "ip", false},
		{"", "ip", false},
		{"gatewya", "gateway", true},
		{"hosts", "host", true},
		{"abc", "xyz", false},
		{"broad", "broadcast", true},
		{"12345678901234567890123456789012345", "ip", false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct near near = {.word = row[i].word};

		near_look(&near, row[i].known);
		if (!*near.best != !row[i].near)
			fail_msg("%s, %s", row[i].word, row[i].known);
	}
}

/* The words of TEXT, rearranged, are those of WANT. */
static void assert_arranged(const char *text, const char *want)
{
	char copy[256], expected[256], got[512] = "", *argv[32] = {(char[]){"tsw"}};
	char *rest = copy;
	int argc = 1, i;

	snprintf(copy, sizeof(copy), "%s", text);
	snprintf(expected, sizeof(expected), "%s", want);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	assert_int_equal(arrange_options(argc, argv), 0);
	for (i = 1; i < argc; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i > 1 ? " " : "",
			 argv[i]);
	assert_string_equal(got, expected);
}

static void options_anywhere(void **state)
{
	(void)state;
	assert_arranged("tenant show -j", "-j tenant show");
	assert_arranged("tenant -j show red --pretty", "-j --pretty tenant show red");
	assert_arranged("-j tenant show -n ns red", "-j -n ns tenant show red");
	assert_arranged("ten sh -jn ns", "-jn ns ten sh");
	assert_arranged("tenant show -nns red", "-nns tenant show red");
	/* A value is no option, whatever it looks like. */
	assert_arranged("tenant set red description -j -s", "-s tenant set red description -j");
	assert_arranged("tenant add id -j id 5", "-j tenant add id id 5");
	assert_arranged("host add h3 ip -h", "host add h3 ip -h");
	assert_arranged("policy add red x from group -j to any -s",
			"-s policy add red x from group -j to any");
	assert_arranged("monitor drops -j", "-j monitor drops");
	assert_arranged("gateway place spread --apply -j", "-j gateway place spread --apply");
	assert_arranged("apply - -j", "-j apply -");
	assert_arranged("tenant show -- -j", "-- tenant show -j");
	assert_arranged("tenant show -s -- -j -v", "-s -- tenant show -j -v");
	assert_arranged("-- tenant show -j", "-- tenant show -j");
	assert_arranged("nosuch -j thing", "-j nosuch thing");
	assert_arranged("flows show -j", "-j flows show");
	assert_arranged("flows tenant red -j", "-j flows tenant red");
	assert_arranged("endpoint set a group web db -j", "-j endpoint set a group web db");
	assert_arranged("group add red web -j db", "-j group add red web db");
}

static void option_without_value(void **state)
{
	char *argv[] = {(char[]){"tsw"}, (char[]){"tenant"}, (char[]){"show"}, (char[]){"-n"},
			NULL};

	(void)state;
	assert_int_not_equal(arrange_options(4, argv), 0);
	assert_string_equal(failure()->text, "option \"-n\" needs a value; see: tsw help");
	assert_string_equal(argv[1], "tenant");
	assert_string_equal(argv[3], "-n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortened),
		cmocka_unit_test(ambiguous),
		cmocka_unit_test(did_you_mean),
		cmocka_unit_test(one_key_of_the_synopsis),
		cmocka_unit_test(nearness),
		cmocka_unit_test(options_anywhere),
		cmocka_unit_test(option_without_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
