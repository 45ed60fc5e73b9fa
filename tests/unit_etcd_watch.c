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
	struct fake_answer again[] = {part(WATCHED_2), part(DENIED)};
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
	/* start_revision (3) of the first: 8, behind what was told; progress_notify, watch_id,
	 * fragment. */
	assert_memory_equal(fake.asked,
			    "\x0a\x12\x0a\x03/t/\x12\x03/t0\x18\x08\x20\x01\x38\x02\x40\x01", 20);
	etcd_watch_close(w);
	etcd_close(e);
}

/* A header alone: cluster, term, revision of one octet each; of range 1, created or not. */
static struct fake_answer header(unsigned int cluster, unsigned int term, unsigned int revision,
				 bool created)
{
	char hex[128];

	snprintf(hex, sizeof(hex), "00000000%02x0a0608%02x18%02x20%02x1001%s", created ? 12 : 10,
		 cluster, revision, term, created ? "1801" : "");
	return part(hex);
}

static struct etcd_watch *watch_of(struct etcd *e, __s64 revision)
{
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd_watch *w;

	assert_int_equal(etcd_watch_open(e, &watcher, &w), 0);
	assert_int_equal(etcd_watch_add(w, 1, &range, revision), 0);
	return w;
}

/* Another cluster's id: nothing holds, and what is added then goes to a connection of its own. */
static void another_store(void **state)
{
	struct fake_answer all[] = {header(1, 2, 3, true), header(2, 2, 3, false),
				    header(2, 2, 3, true)};
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w = watch_of(e, 4);
	int i;

	(void)state;
	assert_int_equal(etcd_watch_add(w, 2, &range, 4), 0);
	fake_answers(all, 3);
	run(w, 1);
	assert_string_equal(told, "");
	run(w, 1);
	assert_string_equal(told, "2!-116 1!-116 ");
	assert_int_equal(etcd_watch_add(w, 3, &range, 4), 0);
	*told = '\0';
	for (i = 0; i < 2000 && fake.at < 3; i++)
		etcd_watch_run(w, NULL, 0, 1);
	assert_int_equal(fake.at, 3);
	assert_string_equal(told, "");
	etcd_watch_close(w);
	etcd_close(e);
}

/* The member tells of less than was told before: whether the store is older, or only the member
 * behind, all members tell together. */
static void an_older_store(void **state)
{
	const struct fake_answer now = fake_octets("0000000008"
						   "0a06080118032002");
	const struct fake_answer then = fake_octets("0000000008"
						    "0a06080118082002");
	const struct {
		struct fake_answer first, second;
		const char *told;
	} all[] = {
		{header(1, 2, 3, true), now, "1!-116 "}, /* revision 3, and 7 was read before */
		{header(1, 2, 3, true), then, ""},	 /* it is at 8: the member was behind */
		{header(1, 2, 9, true), now, ""},	 /* no doubt: it is not asked */
		{header(1, 1, 9, true), then, ""}, /* a lower term, and nobody knows another */
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct fake_answer both[] = {all[i].first, all[i].second};
		struct etcd *e = fake_etcd("http://a", NULL, NULL);
		struct etcd_watch *w = watch_of(e, 8);

		fake_answers(both, 2);
		run(w, 1);
		assert_string_equal(told, all[i].told);
		assert_int_equal(fake.at, i < 2 ? 2 : 1);
		etcd_watch_close(w);
		etcd_close(e);
	}
}

/* A range to which nothing happens goes on: what is compacted later, it need not have. */
static void quiet(void **state)
{
	struct fake_answer all[] = {header(1, 2, 3, true), header(1, 2, 20, false),
				    header(1, 2, 20, false)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w = watch_of(e, 4);

	(void)state;
	fake_answers(all, 3);
	run(w, 3);
	assert_string_equal(told, "1=20 ");
	etcd_watch_close(w);
	etcd_close(e);
}

/* Range 1's KEY was put, at revision 7. */
static struct fake_answer event(const char *key, bool fragment)
{
	static uint8_t room[4][128];
	static size_t used;
	uint8_t *to = room[used++ % 4];
	EtcdPb__WatchResponse response = ETCD_PB__WATCH_RESPONSE__INIT;
	EtcdPb__Event event = ETCD_PB__EVENT__INIT, *events[] = {&event};
	EtcdPb__KeyValue kv = ETCD_PB__KEY_VALUE__INIT;
	size_t len;

	kv.key = etcd_bytes(key);
	kv.mod_revision = 7;
	event.kv = &kv;
	response.watch_id = 1;
	response.fragment = fragment;
	response.events = events;
	response.n_events = 1;
	len = etcd_pb__watch_response__pack(&response, to + FRAME_HEAD);
	frame_head(to, len);
	return (struct fake_answer){ETCD_HEAD, to, FRAME_HEAD + len, .more = true};
}

/* What one revision changed, in parts: the mark comes behind the last. */
static void in_parts(void **state)
{
	struct fake_answer all[] = {header(1, 2, 8, true), event("/t/a", true),
				    event("/t/b", false)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w = watch_of(e, 4);

	(void)state;
	fake_answers(all, 3);
	run(w, 2);
	assert_string_equal(told, "1+/t/a ");
	run(w, 1);
	assert_string_equal(told, "1+/t/b 1=7 ");
	etcd_watch_close(w);
	etcd_close(e);
}

static void no_such_range(void **state)
{
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_watch *w = watch_of(e, 4);

	(void)state;
	assert_int_equal(etcd_watch_add(w, 2, &range, 0), -EINVAL);
	assert_int_equal(etcd_watch_add(w, 1, &range, 4), -EEXIST);
	etcd_watch_close(w);
	etcd_close(e);
}

/* EVENTS tells of /t/a, /t/b and that /t/l is gone: what lies outside of a range is no event. */
static void events_outside(void **state)
{
	static const struct {
		struct etcd_range range;
		const char *told;
		size_t odd;
	} all[] = {
		{{"/t/", "/t0"}, "7+/t/a 7+/t/b 7-/t/l 7=7 ", 0},
		{{"/t/", "/t/b"}, "7+/t/a 7=7 ", 2},
		{{"/t/b"}, "7+/t/b 7=7 ", 2},
		{{"/tsw/1/campus/e/100/", "/tsw/1/campus/e/1000"}, "7=7 ", 3},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct fake_answer parts[] = {part(WATCHED), part(EVENTS)};
		struct etcd *e = fake_etcd("http://a", NULL, NULL);
		struct etcd_watch *w;

		assert_int_equal(etcd_watch_open(e, &watcher, &w), 0);
		assert_int_equal(etcd_watch_add(w, 7, &all[i].range, 1), 0);
		fake_answers(parts, 2);
		run(w, 2);
		assert_string_equal(told, all[i].told);
		assert_int_equal(etcd_odd(e), all[i].odd);
		etcd_watch_close(w);
		etcd_close(e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows),	 cmocka_unit_test(follows_on),
		cmocka_unit_test(another_store), cmocka_unit_test(an_older_store),
		cmocka_unit_test(quiet),	 cmocka_unit_test(in_parts),
		cmocka_unit_test(no_such_range), cmocka_unit_test(events_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
