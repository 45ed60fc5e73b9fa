// SPDX-License-Identifier: GPL-2.0-only
/* How often an agent logs what does not work: agent/complaints.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/collect.h"
#include "agent/complaints.h"
#include "switch/session.h"

#include <cmocka.h>

enum { BURST = 100, ROUND = 10 }; /* lines */

static size_t lines;
static char last[256];

static void line(void *context, enum tsw_log level, const char *text)
{
	(void)context, (void)level;
	lines++;
	snprintf(last, sizeof(last), "%s", text);
}

static const struct log out = {.line = line, .notes = true};

static void once(void **state)
{
	struct complaints t = {.log = &out};
	int i;

	(void)state;
	lines = 0;
	for (i = 0; i < 1000; i++) {
		complaints_begin(&t);
		complaints_add(&t, "e/100/a", "is broken");
		complaints_end(&t);
	}
	assert_int_equal(lines, 1);
	assert_string_equal(last, "e/100/a: is broken");
	complaints_free(&t);
}

static void many_in_a_round(void **state)
{
	struct complaints t = {.log = &out};
	char what[32];
	int i;

	(void)state;
	lines = 0;
	complaints_begin(&t);
	for (i = 0; i < 5000; i++) {
		snprintf(what, sizeof(what), "e/100/%d", i);
		complaints_add(&t, what, "is broken");
	}
	complaints_end(&t);
	assert_int_equal(lines, ROUND + 1);
	assert_string_equal(last, "and 4990 more");
	complaints_free(&t);
}

/* Somebody writes another wrong record each time. */
static void ever_new(void **state)
{
	struct complaints t = {.log = &out};
	char why[32];
	int i;

	(void)state;
	lines = 0;
	for (i = 0; i < 10000; i++) {
		snprintf(why, sizeof(why), "%d is wrong", i);
		complaints_begin(&t);
		complaints_add(&t, "e/100/a", why);
		complaints_end(&t);
	}
	assert_in_range(lines, BURST, BURST + 10); /* one more a second */
	complaints_free(&t);
}

/* There is no switch, so each look for containers that are gone fails. */
static void each_look(void **state)
{
	struct tsw t = TSW_CLOSED;
	struct replica rp = {
		.log = &out, .m = &(struct member){}, .connected = true, .trusted = true};
	struct collector c = {};
	int i;

	(void)state;
	lines = 0;
	t.instance = "tsw-unit-no-switch";
	for (i = 0; i < 3; i++) {
		c.next = 0;
		collect(&c, &t, &rp, 1);
	}
	assert_int_equal(lines, 1);
	assert_string_equal(strtok(last, ":"), "cannot look for containers that are gone");
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once),
		cmocka_unit_test(many_in_a_round),
		cmocka_unit_test(ever_new),
		cmocka_unit_test(each_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
