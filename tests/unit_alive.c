// SPDX-License-Identifier: GPL-2.0-only
/* The record that says that a host is alive: agent/alive.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "agent/alive.h"
#include "etcd_answers.h"
#include "fake_curl.h"

#include <cmocka.h>

#define GRANTED KEPT	/* the answers have the same fields */
#define WRITTEN CREATED /* so have these */

static bool asked(const char *text)
{
	return memmem(fake.asked, fake.asked_len, text, strlen(text));
}

/* etcd refuses the change for a while, because its disk is full. */
static void elsewhere_later(void **state)
{
	const struct log quiet = {};
	const struct fake_answer full = {ETCD_HEAD, .trailers = "grpc-status: 8\n"};
	const struct fake_answer begin[] = {fake_octets(GRANTED), fake_octets(WRITTEN)},
				 refused[] = {fake_octets(KEPT), full},
				 again[] = {fake_octets(GRANTED), fake_octets(WRITTEN)},
				 keep[] = {fake_octets(KEPT)};
	const struct member m = {.cluster = {"campus"}, .host = {"h1"}};
	struct replica rp = {.m = &m, .log = &quiet, .connected = true};
	struct alive a;

	(void)state;
	rp.e = fake_etcd("http://a", NULL, NULL);
	alive_begin(&a, &quiet);
	fake_answers(begin, 2);
	alive_keep(&a, &rp, "default");
	assert_true(a.lease && asked("/tsw/1/campus/alive/h1"));
	assert_false(asked("elsewhere"));

	a.elsewhere = true;
	fake_answers(refused, 2);
	alive_keep(&a, &rp, "default");
	assert_true(asked("\"elsewhere\":true"));

	a.next = 0; /* five seconds later */
	fake_answers(again, 2);
	alive_keep(&a, &rp, "default");
	assert_true(a.lease && asked("\"elsewhere\":true"));

	a.next = 0;
	fake_answers(keep, 1);
	alive_keep(&a, &rp, "default");
	assert_int_equal(fake.at, 1);
	rp.connected = false;
	alive_end(&a, &rp);
	etcd_close(rp.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elsewhere_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
