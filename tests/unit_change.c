// SPDX-License-Identifier: GPL-2.0-only
/* Changes of a cluster's records: who gets a claim, whose answer was lost, what is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "cluster/change.h"
#include "etcd_answers.h"
#include "fake_curl.h"

#include <cmocka.h>

static struct etcd *e;

static int begin(void **state)
{
	(void)state;
	e = fake_etcd("http://a", NULL, NULL);
	return 0;
}

static int end(void **state)
{
	(void)state;
	etcd_close(e);
	return 0;
}

struct found {
	const char *key, *value;
	__s64 modified;
};

/*
 * An answer to a transaction, at revision 9: what `otherwise` found of each key that it asks for,
 * in that order. No key: it is not there.
 */
static struct fake_answer answer(bool succeeded, const struct found *found, size_t n)
{
	static uint8_t frame[2048];
	EtcdPb__Header header = ETCD_PB__HEADER__INIT;
	EtcdPb__TxnResponse txn = ETCD_PB__TXN_RESPONSE__INIT;
	EtcdPb__ResponseOp op[4], *ops[4];
	EtcdPb__RangeResponse range[4];
	EtcdPb__KeyValue kv[4], *kvs[4];
	size_t i, len;

	header.revision = 9;
	txn.header = &header;
	txn.succeeded = succeeded;
	for (i = 0; i < n; i++) {
		etcd_pb__key_value__init(&kv[i]);
		kv[i].key = etcd_bytes(found[i].key ?: "");
		kv[i].value = etcd_bytes(found[i].value ?: "");
		kv[i].mod_revision = found[i].modified;
		kvs[i] = &kv[i];
		etcd_pb__range_response__init(&range[i]);
		range[i].kvs = &kvs[i];
		range[i].n_kvs = found[i].key != NULL;
		etcd_pb__response_op__init(&op[i]);
		op[i].response_case = ETCD_PB__RESPONSE_OP__RESPONSE_RANGE;
		op[i].range = &range[i];
		ops[i] = &op[i];
	}
	txn.responses = ops;
	txn.n_responses = n;
	len = etcd_pb__txn_response__pack(&txn, frame + FRAME_HEAD);
	frame_head(frame, len);
	return (struct fake_answer){ETCD_HEAD, frame, FRAME_HEAD + len, ETCD_FINE};
}

/* A change that begins: a claim, a record of its own. */
static void claim(struct change *c)
{
	change_begin(c);
	change_claim(c, "/vni/7", "red", 0, CLAIM_GIVEN);
	change_put(c, "/tenant/red", "{}", 0);
}

static void is_done(void **state)
{
	const struct fake_answer all[] = {answer(true, NULL, 0)};
	EtcdPb__TxnRequest *asked;
	char owner[CHANGE_TEXT], nonce[CHANGE_NONCE];
	struct change c;
	__s64 revision;

	(void)state;
	claim(&c);
	assert_int_equal(strlen(c.nonce), CHANGE_NONCE - 1);
	fake_answers(all, 1);
	assert_int_equal(change_commit(e, &c, &revision), 0);
	assert_int_equal(revision, 9);
	asked = etcd_pb__txn_request__unpack(NULL, fake.asked_len, fake.asked);
	assert_int_equal(asked->n_compare, 2);
	assert_int_equal(asked->compare[1]->target, ETCD_PB__COMPARE__TARGET__MOD);
	assert_int_equal(asked->compare[1]->mod_revision, 0);
	assert_memory_equal(asked->compare[1]->key.data, "/tenant/red", 11);
	assert_int_equal(asked->n_success, 2);
	assert_int_equal(asked->n_failure, 2);
	asked->success[0]->put->value.data[asked->success[0]->put->value.len - 1] = '}';
	etcd_pb__txn_request__free_unpacked(asked, NULL);
	claim_read(c.step[0].value, owner, nonce);
	assert_string_equal(owner, "red");
	assert_string_equal(nonce, c.nonce);
	change_end(&c);
}

/* What was in the way is told, and whose it is. */
static void is_anothers(void **state)
{
	const struct found found[] = {{"/vni/7", "{\"owner\":\"blue\",\"nonce\":\"00\"}", 4},
				      {"/tenant/red", "{}", 5}};
	const struct found alone[] = {{NULL}, {"/tenant/red", "{}", 5}};
	struct change c;

	(void)state;
	claim(&c);
	fake_answers((struct fake_answer[]){answer(false, found, 2)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EEXIST);
	assert_string_equal(c.key, "/vni/7");
	assert_string_equal(c.owner, "blue");
	/* A record has no owner. */
	fake_answers((struct fake_answer[]){answer(false, alone, 2)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EEXIST);
	assert_string_equal(c.key, "/tenant/red");
	assert_string_equal(c.owner, "");
	change_end(&c);
}

/* Its first answer was lost: the second finds its own number in the way. */
static void was_done(void **state)
{
	char value[CHANGE_TEXT];
	struct found found[] = {{"/vni/7", value, 5}, {"/tenant/red", "{}", 5}};
	struct change c;

	(void)state;
	claim(&c);
	snprintf(value, sizeof(value), "%s", c.step[0].value);
	fake_answers((struct fake_answer[]){{.code = CURLE_RECV_ERROR}, answer(false, found, 2)},
		     2);
	e->timeout_ms = 5000;
	assert_int_equal(change_commit(e, &c, NULL), 0);
	assert_int_equal(fake.calls, 2);
	/* The same number under a key that was not asked for proves nothing. */
	found[0].key = "/vni/8";
	fake_answers((struct fake_answer[]){answer(false, found, 2)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EEXIST);
	change_end(&c);
}

/* A record that was read at revision 3 is there at 5. */
static void was_changed(void **state)
{
	const struct found found[] = {{"/tenant/red", "{}", 5}};
	struct change c;

	(void)state;
	change_begin(&c);
	change_put(&c, "/tenant/red", "{\"x\":1}", 3);
	change_del(&c, "/vni/7", 3);
	fake_answers((struct fake_answer[]){answer(false, found, 1)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EAGAIN);
	/* Gone is changed, too. */
	fake_answers((struct fake_answer[]){answer(false, NULL, 0)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EAGAIN);
	change_end(&c);
}

/* Pulses are first, once each; what is only looked at has no step, and what is written no look. */
static void is_more(void **state)
{
	EtcdPb__TxnRequest *asked;
	struct change c;
	char pulse[80];

	(void)state;
	change_begin(&c);
	snprintf(pulse, sizeof(pulse), "{\"by\":\"h1\",\"nonce\":\"%s\"}", c.nonce);
	change_put(&c, "/tenant/red", "{}", 3);
	change_pulse(&c, "/tenant/", "h1");
	change_clear(&c, "/ip/7/", "/ip/70");
	change_pulse(&c, "/e/7/", "h1");
	change_pulse(&c, "/tenant/", "h1");
	change_check(&c, "/host/h1", 4);
	change_empty(&c, "/e/7/!", "/e/70");
	change_unchanged(&c, "/ip/7/!", "/ip/70", 9);
	change_write(&c, "/rest/7/a", "{}", 77);
	fake_answers((struct fake_answer[]){answer(true, NULL, 0)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), 0);
	asked = etcd_pb__txn_request__unpack(NULL, fake.asked_len, fake.asked);
	assert_int_equal(asked->n_success, 5);
	assert_memory_equal(asked->success[0]->put->key.data, "/tenant/", 8);
	assert_int_equal(asked->success[0]->put->value.len, strlen(pulse));
	assert_memory_equal(asked->success[0]->put->value.data, pulse, strlen(pulse));
	assert_memory_equal(asked->success[1]->put->key.data, "/e/7/", 5);
	assert_memory_equal(asked->success[2]->put->key.data, "/tenant/red", 11);
	assert_memory_equal(asked->success[3]->delete_range->range_end.data, "/ip/70", 6);
	assert_int_equal(asked->success[4]->put->lease, 77);
	assert_int_equal(asked->n_compare, 4);
	assert_int_equal(asked->compare[1]->result, ETCD_PB__COMPARE__RESULT__EQUAL);
	assert_int_equal(asked->compare[1]->mod_revision, 4);
	/* Of a range all are older than the revision after the one that was read. */
	assert_int_equal(asked->compare[2]->result, ETCD_PB__COMPARE__RESULT__LESS);
	assert_int_equal(asked->compare[2]->mod_revision, 1);
	assert_int_equal(asked->compare[3]->result, ETCD_PB__COMPARE__RESULT__LESS);
	assert_int_equal(asked->compare[3]->mod_revision, 10);
	assert_memory_equal(asked->compare[2]->range_end.data, "/e/70", 5);
	/* The range may be long: nothing of it is asked for. */
	assert_int_equal(asked->n_failure, 2);
	etcd_pb__txn_request__free_unpacked(asked, NULL);
	/* What is in the range is not told: read again. */
	fake_answers((struct fake_answer[]){answer(false, NULL, 0)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EAGAIN);
	change_end(&c);
}

/* An orphan is taken over as it was read; that it was ours already is known by the number. */
static void is_taken_over(void **state)
{
	char value[CHANGE_TEXT];
	const struct found found[] = {{"/vni/7", value, 5}};
	struct change c;

	(void)state;
	change_begin(&c);
	change_claim(&c, "/vni/7", "red", 3, CLAIM_GIVEN);
	snprintf(value, sizeof(value), "%s", c.step[0].value);
	fake_answers((struct fake_answer[]){answer(false, found, 1)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), 0);
	snprintf(value, sizeof(value), "{\"owner\":\"blue\",\"nonce\":\"1\"}");
	fake_answers((struct fake_answer[]){answer(false, found, 1)}, 1);
	assert_int_equal(change_commit(e, &c, NULL), -EAGAIN);
	change_end(&c);
}

static void too_much(void **state)
{
	struct change c;
	int i;

	(void)state;
	change_begin(&c);
	for (i = 0; i <= ETCD_OPS; i++)
		change_del(&c, "/x", 1);
	assert_int_equal(change_commit(e, &c, NULL), -E2BIG);
	change_end(&c);
	change_begin(&c);
	change_claim(&c, "/x", "\xff", 0, CLAIM_GIVEN);
	change_put(&c, "/y", "{}", 0);
	assert_int_equal(change_commit(e, &c, NULL), -EINVAL);
	change_end(&c);
}

static void no_claims(void **state)
{
	static const char *const all[] = {"",
					  "x",
					  "[]",
					  "{}",
					  "{\"owner\":1}",
					  "{\"owner\":\"a\"}",
					  "{\"nonce\":\"a\"}",
					  "{\"owner\":\"a\",\"nonce\":1}"};
	char owner[CHANGE_TEXT], nonce[CHANGE_NONCE];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		claim_read(all[i], owner, nonce);
		assert_string_equal(owner, "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_done), TEST(is_anothers),   TEST(was_done), TEST(was_changed),
		TEST(is_more), TEST(is_taken_over), TEST(too_much), TEST(no_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
