// SPDX-License-Identifier: GPL-2.0-only
/* Calls of etcd's client. selftests/cases/cluster/etcd.sh has them with the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "etcd_answers.h"
#include "fake_curl.h"

#include <cmocka.h>

enum { MANY = 1000 };

/* ---- frames, lines ---------------------------------------------------------------- */

static int keep_len(void *context, const uint8_t *message, size_t len)
{
	size_t **at = context;

	(void)message;
	*(*at)++ = len;
	return 0;
}

static void frames_in_parts(void **state)
{
	static const uint8_t stream[] = {0, 0, 0, 0, 2, 'a', 'b', 0, 0,
					 0, 0, 0, 0, 0, 0,   0,	  1, 'c'};
	size_t part, i, len[8], *at;

	(void)state;
	for (part = 1; part <= sizeof(stream); part++) {
		struct frames f = {};

		at = len;
		for (i = 0; i < sizeof(stream); i += part)
			assert_int_equal(frames_take(&f, stream + i,
						     sizeof(stream) - i < part ? sizeof(stream) - i
									       : part,
						     keep_len, &at),
					 0);
		assert_int_equal(at - len, 3);
		assert_int_equal(len[0], 2);
		assert_int_equal(len[1], 0);
		assert_int_equal(len[2], 1);
		assert_int_equal(f.used, 0);
		frames_free(&f);
	}
}

static void frames_that_are_none(void **state)
{
	static const uint8_t compressed[] = {1, 0, 0, 0, 0};
	static const uint8_t large[] = {0, 0x04, 0, 0, 1};
	size_t len[8], *at = len;
	struct frames f = {};

	(void)state;
	assert_int_equal(frames_take(&f, compressed, 5, keep_len, &at), -EPROTO);
	frames_free(&f);
	assert_int_equal(frames_take(&f, large, 5, keep_len, &at), -EMSGSIZE);
	/* What is only promised takes no memory. */
	assert_true(f.room <= 4096);
	frames_free(&f);
}

static void trailers(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *text;
	} all[] = {
		{"grpc-status: 14", 14, ""},
		{"Grpc-Status:7\r\n", 7, ""},
		{"grpc-status: x", GRPC_NONE, ""},
		{"grpc-status:", GRPC_NONE, ""},
		{"grpc-statuses: 3", GRPC_NONE, ""},
		{"grpc-message: no %6ceader%0", GRPC_NONE, "no leader%0"},
		{"grpc-message: %zz%41", GRPC_NONE, "%zzA"},
		{"grpc-message:", GRPC_NONE, ""},
	};
	char longer[2000] = "grpc-message: ";
	struct answer a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		answer_begin(&a);
		answer_line(&a, all[i].line, strlen(all[i].line));
		assert_int_equal(a.status, all[i].status);
		assert_string_equal(a.text, all[i].text);
	}
	memset(longer + 14, 'x', sizeof(longer) - 15);
	answer_line(&a, longer, sizeof(longer) - 1);
	assert_int_equal(strlen(a.text), sizeof(a.text) - 1);
}

/* ---- calls ------------------------------------------------------------------------ */

static int keep_text(void *context, const struct etcd_entry *entry)
{
	char *text = context;

	sprintf(text + strlen(text), "%s=%s@%lld ", entry->key, entry->value, entry->modified);
	return 0;
}

static void reads(void **state)
{
	const struct etcd_range range = {"/t/", "/t0"};
	const struct fake_answer all[] = {fake_octets(TWO)};
	struct etcd *e = fake_etcd("http://a,http://b:1", NULL, NULL);
	char text[256] = "";
	__s64 revision = 0;

	(void)state;
	fake_answers(all, 1);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), 0);
	assert_string_equal(text, "/t/a=1@3 /t/b={\"x\":1}@4 ");
	assert_int_equal(revision, 4);
	assert_int_equal(etcd_seen(e)->term, 2);
	assert_string_equal(fake.url, "http://a:2379/etcdserverpb.KV/Range");
	/* key 1: "/t/", range_end 2: "/t0", limit 3: 1000 */
	assert_int_equal(fake.asked_len, 13);
	assert_memory_equal(fake.asked, "\x0a\x03/t/\x12\x03/t0\x18\xe8\x07", 13);
	etcd_close(e);
}

/* `more` (field 3) is set in the first: the second begins behind its last key, at its revision. */
static void reads_pages(void **state)
{
	const struct etcd_range range = {"/t/", "/t0"};
	const struct fake_answer all[] = {
		fake_octets("0000000047" HEADER
			    "042002120f0a042f742f611003180320012a013112150a042f742f"
			    "621004180420012a077b2278223a317d18012003"),
		fake_octets(NONE_LEFT)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	char text[256] = "";
	__s64 revision = 0;

	(void)state;
	fake_answers(all, 2);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), 0);
	assert_string_equal(text, "/t/a=1@3 /t/b={\"x\":1}@4 ");
	assert_int_equal(revision, 4); /* not 9, which the second tells */
	assert_memory_equal(fake.asked, "\x0a\x05/t/b\0\x12\x03/t0\x18\xe8\x07\x20\x04", 17);
	etcd_close(e);
}

static void commits(void **state)
{
	const struct etcd_if absent = {"/t/a", 0};
	const struct etcd_op put = {ETCD_PUT, {"/t/a"}, "1"}, get = {ETCD_GET, {"/t/a"}};
	char text[256] = "";
	const struct etcd_txn txn = {&absent, &put, &get, 1, 1, 1, keep_text, text};
	struct etcd_txn many = {.then = &put, .n_then = ETCD_OPS + 1};
	const struct fake_answer all[] = {fake_octets(CREATED), fake_octets(THERE)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	__s64 revision;

	(void)state;
	fake_answers(all, 2);
	assert_int_equal(etcd_commit(e, &txn, &revision), 1);
	assert_int_equal(revision, 3);
	assert_string_equal(text, "");
	assert_int_equal(etcd_commit(e, &txn, &revision), 0);
	assert_string_equal(text, "/t/a=1@3 ");
	assert_int_equal(etcd_commit(e, &many, &revision), -E2BIG);
	etcd_close(e);
}

static void tell_op(void *context, const struct etcd_op *op, __s64 count)
{
	char *text = context;

	snprintf(text + strlen(text), 64, "%d %s %lld ", op->kind, op->range.key, (long long)count);
}

static bool asked_for(const char *octets, size_t len)
{
	return memmem(fake.asked, fake.asked_len, octets, len);
}

/* A dry run asks for its rights by a condition that never holds, and then only reads. */
static void commits_dry(void **state)
{
	const struct etcd_if absent = {"/t/a", 0};
	const struct etcd_op put = {ETCD_PUT, {"/t/a"}, "value"}, get = {ETCD_GET, {"/t/a"}};
	char found[256] = "", told[256] = "";
	const struct etcd_txn txn = {&absent, &put, &get, 1, 1, 1, keep_text, found};
	const struct fake_answer all[] = {fake_octets(THERE), fake_octets(ONE_FOUND),
					  fake_octets(THERE), fake_octets(THERE)};
	const struct fake_answer denied = {
		ETCD_HEAD, .trailers = "grpc-status: 7\ngrpc-message: permission denied\n"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	__s64 revision, lease = 1;

	(void)state;
	fake_answers(all, 4);
	etcd_dry(e, tell_op, told);
	assert_int_equal(etcd_commit(e, &txn, &revision), 1);
	assert_string_equal(told, "1 /t/a 1 ");
	assert_false(asked_for("value", 5));
	assert_int_equal(fake.calls, 2);
	assert_int_equal(etcd_commit(e, &txn, &revision), 0); /* the condition does not hold */
	assert_string_equal(told, "1 /t/a 1 ");
	assert_string_equal(found, "/t/a=1@3 ");
	assert_int_equal(etcd_lease(e, 5, &lease), 0);
	assert_int_equal(lease, 0);
	assert_int_equal(fake.calls, 4);
	fake_answers(&denied, 1);
	assert_int_equal(etcd_commit(e, &txn, &revision), -EACCES);
	assert_int_equal(fake.calls, 1);
	assert_true(asked_for("value", 5));
	assert_true(asked_for("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
	etcd_close(e);
}

static void leases(void **state)
{
	const struct fake_answer all[] = {fake_octets(KEPT), fake_octets(ENDED),
					  fake_octets(STATUS)};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	struct etcd_member member;

	(void)state;
	fake_answers(all, 3);
	assert_int_equal(etcd_lease_keep(e, 3746047141616978701), 0);
	assert_int_equal(etcd_lease_keep(e, 3746047141616978701), -ENOENT);
	assert_int_equal(etcd_member(e, 0, &member), 0);
	assert_string_equal(member.url, "http://a:2379");
	assert_string_equal(member.version, "3.4.23");
	assert_true(member.leader);
	assert_int_equal(etcd_member(e, 1, &member), -ENOENT);
	assert_string_equal(member.url, "");
	etcd_close(e);
}

static const struct {
	struct fake_answer answer;
	int err;
	const char *text;
	bool elsewhere;
} refused[] = {
	{{ETCD_HEAD, .trailers = "grpc-status: 14\ngrpc-message: no leader\n"},
	 -EHOSTUNREACH,
	 "no leader",
	 true},
	{{ETCD_HEAD, .trailers = "grpc-status: 4\n"}, -EHOSTUNREACH, "no reason", true},
	{{ETCD_HEAD, .trailers = "grpc-status: 7\ngrpc-message: permission denied\n"},
	 -EACCES,
	 "permission denied",
	 false},
	{{ETCD_HEAD, .trailers = "grpc-status: 8\ngrpc-message: space exceeded\n"},
	 -ENOSPC,
	 "space exceeded",
	 false},
	{{ETCD_HEAD, .trailers = "grpc-status: 11\ngrpc-message: compacted\n"},
	 -ESTALE,
	 "compacted",
	 false},
	{{ETCD_HEAD, .trailers = "grpc-status: 99\ngrpc-message: \x1b[2J\n"}, -EIO, "\\x1b", false},
	{{ETCD_HEAD, .trailers = ETCD_FINE}, -EPROTO, "an empty answer", true},
	{{ETCD_HEAD}, -EPROTO, "ended its answer early", true},
	{{"HTTP/1.1 404 Not Found\ncontent-type: text/html\n", "<html>", 6},
	 -EPROTO,
	 "does not answer like etcd (HTTP status 404)",
	 true},
	{{ETCD_HEAD, "\1\0\0\0\0", 5}, -EPROTO, "does not answer like etcd", true},
	{{ETCD_HEAD, "\0\0\0\0\2\x0a\xff", 7}, -EPROTO, "does not answer like etcd", true},
	{{.code = CURLE_OPERATION_TIMEDOUT}, -EHOSTUNREACH, "cannot reach etcd", true},
};

/* What is told of each answer; another member is asked where that may help. */
static void refusals(void **state)
{
	const struct etcd_range range = {"/t/"};
	static struct fake_answer all[MANY];
	struct fake_answer both[2];
	char text[256];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct etcd *e = fake_etcd("http://a,http://b", NULL, NULL);
		__s64 revision = 0;

		/* By whoever is asked, and as often. */
		for (k = 0; k < MANY; k++)
			all[k] = refused[i].answer;
		fake_answers(all, MANY);
		e->timeout_ms = 1;
		*text = '\0';
		assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), refused[i].err);
		assert_non_null(strstr(failure()->text, refused[i].text));
		assert_int_equal(revision, 0);
		/* By the first alone. */
		e->at = 0;
		e->timeout_ms = 5000;
		both[0] = refused[i].answer;
		both[1] = fake_octets(TWO);
		fake_answers(both, 2);
		assert_int_equal(etcd_read(e, &range, &revision, keep_text, text),
				 refused[i].elsewhere ? 0 : refused[i].err);
		assert_int_equal(e->at, refused[i].elsewhere);
		etcd_close(e);
	}
}

static void nobody_there(void **state)
{
	struct etcd *e = fake_etcd("http://a,http://b", NULL, NULL);
	const struct etcd_range range = {"/t/"};
	__s64 revision = 0;

	(void)state;
	fake_answers(NULL, 0);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, NULL), -EHOSTUNREACH);
	assert_true(fake.calls >= 2);
	etcd_close(e);
}

/* A token is fetched once, and again when it has expired; not for ever. */
static void tokens(void **state)
{
	static const struct fake_answer old = {
		ETCD_HEAD,
		.trailers = "grpc-status: 16\ngrpc-message: etcdserver: invalid auth token\n"};
	const struct etcd_range range = {"/t/"};
	const struct fake_answer all[] = {fake_octets(TOKEN), fake_octets(TWO), old,
					  fake_octets(TOKEN), fake_octets(TWO)};
	const struct fake_answer never[] = {old, fake_octets(TOKEN), old, fake_octets(TOKEN), old};
	struct etcd *e = fake_etcd("http://a", "host", "word");
	char text[256] = "";
	__s64 revision = 0;

	(void)state;
	fake_answers(all, 5);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), 0);
	assert_string_equal(fake.token, "vxBYOTBdWmBrwtwr.24");
	assert_int_equal(fake.calls, 2);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), 0);
	assert_int_equal(fake.calls, 5);
	fake_answers(never, 5);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), -EACCES);
	assert_int_equal(fake.calls, 3);
	etcd_close(e);
}

/* The password is read for each sign-in: it may have been changed since the last one. */
static void passwords(void **state)
{
	static const struct fake_answer old = {
		ETCD_HEAD,
		.trailers = "grpc-status: 16\ngrpc-message: etcdserver: invalid auth token\n"};
	const struct etcd_range range = {"/t/"};
	const struct fake_answer first[] = {fake_octets(TOKEN), fake_octets(TWO)};
	struct etcd *e = fake_etcd("http://a", "host", "word\nsecond line");
	__s64 revision = 0;

	(void)state;
	fake_answers(first, 0);
	assert_int_not_equal(etcd_read(e, &range, &revision, NULL, NULL), 0);
	assert_memory_equal(fake.asked, "\x0a\x04host\x12\x04word", 12);
	fake_answers(first, 2);
	assert_int_equal(etcd_read(e, &range, &revision, NULL, NULL), 0);
	fake_answers(&old, 1);
	fake_password("next\r\n");
	etcd_read(e, &range, &revision, NULL, NULL);
	assert_memory_equal(fake.asked, "\x0a\x04host\x12\x04next", 12);
	fake_password("");
	assert_int_equal(etcd_read(e, &range, &revision, NULL, NULL), -EINVAL);
	assert_non_null(strstr(failure()->text, "has no password"));
	fake_password("\n");
	assert_int_equal(etcd_read(e, &range, &revision, NULL, NULL), -EINVAL);
	assert_non_null(strstr(failure()->text, "is empty"));
	fake_answers(first, 2);
	fake_password("word");
	assert_int_equal(etcd_read(e, &range, &revision, NULL, NULL), 0);
	etcd_close(e);
}

/* A key or a value with a NUL is none of ours, and not taken for what stands before it. */
static void odd_entries(void **state)
{
	const struct fake_answer all[] = {
		fake_octets("0000000045" HEADER "042002120f0a042f740061100318032001"
			    "2a013112150a042f742f621004180420012a077b2200223a317d2002")};
	const struct etcd_range range = {"/t/"};
	struct etcd *e = fake_etcd("http://a", NULL, NULL);
	char text[256] = "";
	__s64 revision = 0;

	(void)state;
	fake_answers(all, 1);
	assert_int_equal(etcd_read(e, &range, &revision, keep_text, text), 0);
	assert_string_equal(text, "");
	assert_int_equal(etcd_odd(e), 2);
	etcd_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_in_parts), cmocka_unit_test(frames_that_are_none),
		cmocka_unit_test(trailers),	   cmocka_unit_test(reads),
		cmocka_unit_test(reads_pages),	   cmocka_unit_test(commits),
		cmocka_unit_test(commits_dry),	   cmocka_unit_test(leases),
		cmocka_unit_test(refusals),	   cmocka_unit_test(nobody_there),
		cmocka_unit_test(tokens),	   cmocka_unit_test(odd_entries),
		cmocka_unit_test(passwords),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
