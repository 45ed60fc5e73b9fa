// SPDX-License-Identifier: GPL-2.0-only
/* A server in place of etcd that tells what nobody asked for, or does not come to an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "etcd_answers.h"
#include "fake_curl.h"

#include <cmocka.h>

enum { MANY = 1000 };

static int keep_text(void *context, const struct etcd_entry *entry)
{
	char *text = context;

	sprintf(text + strlen(text), "%s=%s@%lld ", entry->key, entry->value, entry->modified);
	return 0;
}

/* TWO tells of /t/a and /t/b: what lies outside of the range that was asked for is left out. */
static void outside(void **state)
{
	static const struct {
		struct etcd_range range;
		const char *text;
	} all[] = {
		{{"/t/", "/t0"}, "/t/a=1@3 /t/b={\"x\":1}@4 "},
		{{"/t/", "/t/b"}, "/t/a=1@3 "},
		{{"/t/aa", "/t0"}, "/t/b={\"x\":1}@4 "},
		{{"/t/a"}, "/t/a=1@3 "},
		{{"/t/"}, ""},
		{{"/tsw/1/campus/host/", "/tsw/1/campus/host0"}, ""},
		{{"/", "/t"}, ""},
	};
	const struct fake_answer both[] = {fake_octets(TWO), fake_octets(THERE)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	size_t i, left_out = 0;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const bool first = !strncmp(all[i].text, "/t/a", 4);
		const struct etcd_op get = {.kind = ETCD_GET, .range = all[i].range};
		struct etcd_txn txn = {.otherwise = &get, .n_otherwise = 1, .each = keep_text};
		char text[256] = "", found[256] = "";
		__s64 revision = 0;

		fake_answers(both, 2);
		assert_int_equal(etcd_read(e, &all[i].range, &revision, keep_text, text), 0);
		assert_string_equal(text, all[i].text);
		left_out += 2 - !!strstr(text, "/t/a") - !!strstr(text, "/t/b");
		txn.context = found;
		assert_int_equal(etcd_commit(e, &txn, NULL), 0);
		assert_string_equal(found, first ? "/t/a=1@3 " : "");
		left_out += !first;
		assert_int_equal(etcd_odd(e), left_out);
	}
	etcd_close(e);
}

/* A range in place of a put's answer is not taken for what a GET found. */
static void put_that_finds(void **state)
{
	const struct fake_answer all[] = {fake_octets(THERE)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	const struct etcd_op put = {ETCD_PUT, {"/t/a"}, "1"};
	char text[256] = "";
	const struct etcd_txn txn = {
		.otherwise = &put, .n_otherwise = 1, .each = keep_text, .context = text};

	(void)state;
	fake_answers(all, 1);
	assert_int_equal(etcd_commit(e, &txn, NULL), 0);
	assert_string_equal(text, "");
	etcd_close(e);
}

/* `more` (field 3) without an end: the same page again, one before, or one outside. */
static void pages_that_go_round(void **state)
{
	static const char page[] =
		"0000000047" HEADER "042002120f0a042f742f611003180320012a013112150a042f742f"
		"621004180420012a077b2278223a317d18012003";
	static const struct {
		struct etcd_range range;
		int err;
		unsigned int calls;
	} all[] = {
		{{"/t/", "/t0"}, -EPROTO, 2},
		{{"/t/", "/t/b"}, -EPROTO, 1},
		{{"/u/", "/u0"}, -EPROTO, 1},
		{{"/t/a"}, 0, 1}, /* one key has one page */
	};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct fake_answer pages[MANY];
	char text[1024];
	__s64 revision;
	size_t i;

	(void)state;
	pages[0] = fake_octets(page);
	for (i = 1; i < MANY; i++)
		pages[i] = pages[0];
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*text = '\0';
		revision = 0;
		fake_answers(pages, MANY);
		assert_int_equal(etcd_read(e, &all[i].range, &revision, keep_text, text),
				 all[i].err);
		assert_int_equal(fake.calls, all[i].calls);
	}
	etcd_close(e);
}

/* Pages that go on and on: each has a key behind the last one, with a value of 64 KiB. */
static uint8_t *endless_page(unsigned int n, size_t *len)
{
	EtcdPb__RangeResponse page = ETCD_PB__RANGE_RESPONSE__INIT;
	EtcdPb__KeyValue kv = ETCD_PB__KEY_VALUE__INIT, *kvs = &kv;
	EtcdPb__Header header = ETCD_PB__HEADER__INIT;
	static char value[1 << 16];
	char key[16];
	uint8_t *made;

	memset(value, 'x', sizeof(value));
	snprintf(key, sizeof(key), "/t/%08u", n);
	kv.key = etcd_bytes(key);
	kv.value = (ProtobufCBinaryData){sizeof(value), (uint8_t *)value};
	page.header = &header;
	page.kvs = &kvs;
	page.n_kvs = 1;
	page.more = true;
	*len = FRAME_HEAD + etcd_pb__range_response__get_packed_size(&page);
	made = malloc(*len);
	frame_head(made, *len - FRAME_HEAD);
	etcd_pb__range_response__pack(&page, made + FRAME_HEAD);
	return made;
}

static int count(void *context, const struct etcd_entry *entry)
{
	(void)entry;
	++*(size_t *)context;
	return 0;
}

/* 256 MiB of a range are more than any cluster has. */
static void pages_without_end(void **state)
{
	enum { PAGES = 5000 };
	static struct fake_answer all[PAGES];
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	__s64 revision = 0;
	size_t n = 0;
	unsigned int i;

	(void)state;
	for (i = 0; i < PAGES; i++) {
		all[i] = (struct fake_answer){ETCD_HEAD, .trailers = ETCD_FINE};
		all[i].body = endless_page(i, &all[i].len);
	}
	fake_answers(all, PAGES);
	assert_int_equal(etcd_read(e, &range, &revision, count, &n), -E2BIG);
	assert_in_range(n, 4000, 4096);
	assert_int_equal(revision, 0);
	for (i = 0; i < PAGES; i++)
		free((void *)all[i].body);
	etcd_close(e);
}

/* An agent that is told to end does so between two pages. */
static int end_at_three(void *context, const struct etcd_entry *entry)
{
	int *const at = context;

	(void)entry;
	return ++at[0] == 3 && write(at[1], "", 1) != 1 ? -EIO : 0;
}

static void stopped_between_pages(void **state)
{
	const struct etcd_range range = {"/t/", "/t0"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct fake_answer all[8] = {};
	__s64 revision = 0;
	int pair[2], at[2] = {};
	unsigned int i;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	at[1] = pair[1];
	for (i = 0; i < 8; i++) {
		all[i] = (struct fake_answer){ETCD_HEAD, .trailers = ETCD_FINE};
		all[i].body = endless_page(i, &all[i].len);
	}
	etcd_stop_by(e, pair[0]);
	fake_answers(all, 8);
	assert_int_equal(etcd_read(e, &range, &revision, end_at_three, at), -EINTR);
	assert_int_equal(at[0], 3);
	assert_int_equal(fake.calls, 3);
	etcd_stop_by(e, -1);
	assert_int_equal(etcd_read(e, &range, &revision, end_at_three, at), -EHOSTUNREACH);
	assert_int_equal(at[0], 8);
	for (i = 0; i < 8; i++)
		free((void *)all[i].body);
	close(pair[0]);
	close(pair[1]);
	etcd_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outside),
		cmocka_unit_test(put_that_finds),
		cmocka_unit_test(pages_that_go_round),
		cmocka_unit_test(pages_without_end),
		cmocka_unit_test(stopped_between_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
