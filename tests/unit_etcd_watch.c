// SPDX-License-Identifier: GPL-2.0-only
/* What etcd's client follows, over a connection that breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "etcd_answers.h"
#include "etcd/watch.h"
#include "fake_curl.h"

#include <cmocka.h>

/* ---- following -------------------------------------------------------------------- */

static char told[1024];

static void on_event(void *context, __u64 id, const struct etcd_entry *entry, bool deleted)
{
	(void)context;
	sprintf(told + strlen(told), "%llu%c%s ", id, deleted ? '-' : '+', entry->key);
}

static void on_mark(void *context, __u64 id, __s64 revision)
{
	(void)context;
	sprintf(told + strlen(told), "%llu=%lld ", id, revision);
}

static void on_lost(void *context, __u64 id, int err)
{
	(void)context;
	sprintf(told + strlen(told), "%llu!%d ", id, err);
}

static void on_state(void *context, int err)
{
	(void)context;
	sprintf(told + strlen(told), err ? "down " : "up ");
}

static const struct etcd_watcher watcher = {on_event, on_mark, on_lost, on_state, NULL};

/* A stream's turn: more comes. */
static struct fake_answer part(const char *hex)
{
	struct fake_answer answer = fake_octets(hex);

	answer.trailers = NULL;
	answer.more = true;
	return answer;
}

static void run(struct etcd_watch *w, size_t turns)
{
	*told = '\0';
	while (turns--)
		etcd_watch_run(w, NULL, 0, 0);
}

static void follows(void **state)
{
	struct fake_answer all[] = {part(WATCHED), part(EVENTS), part(EVENTS), part(COMPACTED)};
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w;

	(void)state;
	assert_int_equal(etcd_watch_open(e, &watcher, &w), 0);
	assert_int_equal(etcd_watch_add(w, 7, &range, 4), 0);
	fake_answers(all, 4);
	run(w, 1);
	assert_string_equal(fake.url, "http://a:2379/etcdserverpb.Watch/Watch");
	run(w, 1);
	/* What was before revision 4 is not told, and nothing twice. */
	assert_string_equal(told, "7+/t/b 7-/t/l 7=7 ");
	run(w, 1);
	assert_string_equal(told, "");
	run(w, 1);
	assert_string_equal(told, "7!-116 ");
	run(w, 1);
	etcd_watch_close(w);
	etcd_close(e);
}

/* It breaks and goes on where it stood; who may not follow is told which range that is. */
static void follows_on(void **state)
{
	struct fake_answer all[] = {part(WATCHED), part(EVENTS), {.code = CURLE_RECV_ERROR}};
	struct fake_answer again[] = {part(WATCHED), part(DENIED)};
	const struct etcd_range range = {"/t/", "/t0"}, other = {"/u/", "/u0"};
	struct etcd *e = fake_etcd("http://a,http://b", NULL, NULL);
	struct etcd_watch *w;
	size_t i;

	(void)state;
	assert_int_equal(etcd_watch_open(e, &watcher, &w), 0);
	assert_int_equal(etcd_watch_add(w, 7, &range, 1), 0);
	fake_answers(all, 3);
	run(w, 3);
	assert_string_equal(told, "7+/t/a 7+/t/b 7-/t/l 7=7 down ");
	assert_int_equal(etcd_watch_add(w, 8, &other, 1), 0);
	fake_answers(again, 2);
	*told = '\0';
	for (i = 0; i < 10000 && !strstr(told, "!"); i++)
		etcd_watch_run(w, NULL, 0, 1);
	assert_string_equal(told, "up 8!-13 ");
	assert_string_equal(fake.url, "http://b:2379/etcdserverpb.Watch/Watch");
	/* start_revision (3) of the first: 8, behind what was told. */
	assert_memory_equal(fake.asked, "\x0a\x0e\x0a\x03/t/\x12\x03/t0\x18\x08", 14);
	etcd_watch_close(w);
	etcd_close(e);
}

/* Another cluster id, or a lower term: a backup was restored, and nothing holds. */
static void another_store(void **state)
{
	struct fake_answer all[] = {
		part(WATCHED),
		part("000000001f0a1908f9bcad898bc0c2b69c0110fce7bca3fb81aafa461808200310011801"),
		part("000000001f0a1908f9bcad898bc0c2b69c0110fce7bca3fb81aafa461808200210011801")};
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w;

	(void)state;
	assert_int_equal(etcd_watch_open(e, &watcher, &w), 0);
	assert_int_equal(etcd_watch_add(w, 1, &range, 4), 0);
	assert_int_equal(etcd_watch_add(w, 2, &range, 4), 0);
	fake_answers(all, 3);
	run(w, 1);
	assert_string_equal(told, "");
	run(w, 1);
	assert_string_equal(told, "2!-116 1!-116 ");
	assert_int_equal(etcd_watch_add(w, 3, &range, 4), 0);
	run(w, 1);
	assert_string_equal(told, "3!-116 ");
	etcd_watch_close(w);
	etcd_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows),
		cmocka_unit_test(follows_on),
		cmocka_unit_test(another_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
