// SPDX-License-Identifier: GPL-2.0-only
/* How many records an agent keeps, and in which order: agent/record_set.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record_set.h"

#include <cmocka.h>

enum { MOST = 512 << 20 }; /* octets */

static int put(struct record_set *r, const char *key, const char *value, __s64 modified)
{
	const struct record record = {(char *)key, value, modified, 0};

	return record_set_put(r, &record);
}

static void in_order(void **state)
{
	static const char *const keys[] = {"e/1/b", "e/1/", "at/h", "e/1/a", "e/10/a", "e/1/b"};
	struct record_set r = {};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_int_equal(put(&r, keys[i], "x", (__s64)i), 0);
	assert_int_equal(r.n, 5);
	for (i = 1; i < r.n; i++)
		assert_true(strcmp(r.all[i - 1].key, r.all[i].key) < 0);
	assert_int_equal(record_set_find(&r, "e/1/b")->modified, 5);
	record_set_del_prefix(&r, "e/1/");
	assert_int_equal(r.n, 2);
	assert_non_null(record_set_find(&r, "e/10/a"));
	record_set_free(&r);
}

/* What is older than what is known changes nothing. */
static void older(void **state)
{
	struct record_set r = {};

	(void)state;
	assert_int_equal(put(&r, "k", "new", 7), 0);
	assert_int_equal(put(&r, "k", "old", 6), 0);
	assert_string_equal(record_set_find(&r, "k")->value, "new");
	assert_false(record_set_del(&r, "k", 6));
	assert_true(record_set_del(&r, "k", 7));
	record_set_free(&r);
}

/* As if so much were there already: the octets are counted, and not looked for. */
static void most(void **state)
{
	struct record_set r = {};

	(void)state;
	assert_int_equal(put(&r, "k", "v", 1), 0);
	assert_int_equal(r.octets, 4);
	assert_int_equal(put(&r, "k", "longer", 2), 0);
	assert_int_equal(r.octets, 9);
	r.octets = MOST - 8;
	assert_int_equal(put(&r, "l", "12345", 3), 0); /* two NULs, too */
	assert_int_equal(r.octets, MOST);
	assert_int_equal(put(&r, "m", "", 4), -E2BIG);
	assert_null(record_set_find(&r, "m"));
	assert_true(record_set_del(&r, "l", 5));
	assert_int_equal(put(&r, "m", "", 4), 0);
	record_set_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(older),
		cmocka_unit_test(most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
