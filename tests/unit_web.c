// SPDX-License-Identifier: GPL-2.0-only
/* The page of `tsw web`: who may ask, and what is shown of long answers and of counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/web/guard.h"
#include "tools/web/view.h"

#include <cmocka.h>

static void tokens(void **state)
{
	char token[TOKEN_LEN], other[TOKEN_LEN], given[2 * TOKEN_LEN];
	size_t i;

	(void)state;
	assert_int_equal(token_make(token), 0);
	assert_int_equal(token_make(other), 0);
	assert_int_equal(strlen(token), TOKEN_LEN - 1);
	assert_int_equal(strspn(token, "0123456789abcdef"), TOKEN_LEN - 1);
	assert_string_not_equal(token, other);
	snprintf(given, sizeof(given), "Bearer %s", token);
	assert_true(token_is_given(given, token));
	assert_false(token_is_given(given, other));
	assert_false(token_is_given(token, token));
	assert_false(token_is_given(NULL, token));
	assert_false(token_is_given("Bearer ", token));
	memcpy(given, "Digest", strlen("Digest")); /* a scheme of the same length */
	assert_false(token_is_given(given, token));
	memcpy(given, "Bearer", strlen("Bearer"));
	for (i = strlen("Bearer "); given[i]; i++) {
		given[i] ^= 1;
		assert_false(token_is_given(given, token));
		given[i] ^= 1;
	}
	strcat(given, "0");
	assert_false(token_is_given(given, token));
}

static void names(void **state)
{
	static const char *const own[] = {"localhost", "LocalHost:1", "127.0.0.1:8480", "[::1]",
					  "[::1]:8480"};
	static const char *const foreign[] = {NULL,
					      "",
					      "evil",
					      "localhost.evil",
					      "evil.localhost",
					      "127.0.0.1.evil:80",
					      "127.0.0.10",
					      "localhost:",
					      "localhost:8480evil",
					      "localhost:@evil",
					      "::1",
					      "[::1",
					      " localhost"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_true(host_is_own(own[i]));
	for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		assert_false(host_is_own(foreign[i]));
	assert_true(origin_is_own(NULL, "localhost:1"));
	assert_true(origin_is_own("http://localhost:1", "localhost:1"));
	assert_false(origin_is_own("http://localhost:2", "localhost:1"));
	assert_false(origin_is_own("https://localhost:1", "localhost:1"));
	assert_false(origin_is_own("file://localhost:1", "localhost:1"));
	assert_false(origin_is_own("null", "localhost:1"));
	assert_false(origin_is_own("", "localhost:1"));
}

/* The samples so far, without their times. */
static char *samples(void)
{
	json_t *all = view_drops(), *list = json_object_get(all, "samples"), *one;
	char *text;
	size_t i;

	json_array_foreach(list, i, one)
		json_object_del(one, "at");
	text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(all);
	return text;
}

static void take(const char *drops)
{
	json_t *json = drops ? json_loads(drops, 0, NULL) : NULL;

	view_sample(json);
	json_decref(json);
}

#define ROW(tenant, reason, n) \
	"{\"tenant\":" tenant ",\"reason\":\"" reason "\",\"direction\":\"d\",\"packets\":" #n "}"

static void drops(void **state)
{
	static const struct {
		const char *drops, *last; /* NULL: no sample comes */
	} rows[] = {
		{"[" ROW("\"a\"", "x", 5) "]", NULL}, /* it begins here */
		{"[" ROW("\"a\"", "x", 7) "," ROW("null", "x", 1) "," ROW("\"b\"", "y", 3) "]",
		 "{\"drops\":{\"x\":3,\"y\":3}}"},
		{"[" ROW("\"a\"", "x", 7) "," ROW("null", "x", 1) "," ROW("\"b\"", "y", 3) "]",
		 "{\"drops\":{}}"},
		/* b is gone, and a was made anew. */
		{"[" ROW("\"a\"", "x", 2) "," ROW("null", "x", 1) "]", "{\"drops\":{\"x\":2}}"},
		{NULL, NULL}, /* no answer: what was counted meanwhile is not of this time */
		{"[" ROW("\"a\"", "x", 900) "]", NULL},
		{"[" ROW("\"a\"", "x", 901) "]", "{\"drops\":{\"x\":1}}"},
	};
	char *text, *last;
	size_t i, len;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		take(rows[i].drops);
		text = samples();
		if (rows[i].last) {
			len = strlen(text) - 1 - strlen(rows[i].last);
			last = text + len;
			last[strlen(rows[i].last)] = '\0';
			assert_string_equal(last, rows[i].last);
		}
		free(text);
	}
	/* The oldest go. */
	for (i = 0; i < 3 * DROPS_SAMPLES; i++)
		take("[" ROW("\"a\"", "x", 901) "]");
	text = samples();
	assert_null(strstr(text, "x"));
	free(text);
}

static void endpoints(void **state)
{
	static const struct {
		const char *tenant, *text;
		size_t from;
		json_int_t total, shown;
	} rows[] = {
		{NULL, NULL, 0, 250, 100},    {NULL, NULL, 200, 250, 50},
		{NULL, NULL, 250, 250, 0},    {NULL, NULL, UINT32_MAX, 250, 0},
		{"even", NULL, 0, 125, 100},  {"even", NULL, 100, 125, 25},
		{"none", NULL, 0, 0, 0},      {NULL, "10.0.0.24", 0, 11, 11},
		{"odd", "e7", 0, 6, 6},	      {NULL, "02:00", 0, 250, 100},
		{NULL, "host2", 0, 250, 100}, {NULL, "HOST2", 0, 0, 0},
	};
	json_t *list = json_array(), *view;
	char name[16], ip[32];
	size_t i;

	(void)state;
	for (i = 0; i < 250; i++) {
		snprintf(name, sizeof(name), "e%zu", i);
		snprintf(ip, sizeof(ip), "10.0.0.%zu", i);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:[s], s:s}", "name", name,
						      "tenant", i % 2 ? "odd" : "even", "mac",
						      "02:00", "ip", ip, "host", "host2"));
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		view = view_endpoints(list, rows[i].tenant, rows[i].text, rows[i].from);
		assert_int_equal(json_integer_value(json_object_get(view, "total")), rows[i].total);
		assert_int_equal(json_array_size(json_object_get(view, "endpoints")),
				 rows[i].shown);
		json_decref(view);
	}
	json_decref(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens),
		cmocka_unit_test(names),
		cmocka_unit_test(drops),
		cmocka_unit_test(endpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
