// SPDX-License-Identifier: GPL-2.0-only
/* Records of a cluster: where they are, how they are written, what a file adds to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/parse.h"
#include "cluster/change.h"
#include "cluster/record.h"
#include "cluster/whole.h"
#include "etcd_answers.h"
#include "fake_curl.h"
#include "record/choice.h"

#include <cmocka.h>

static struct records r = {.m = {.cluster = {"c"}, .host = {"h1"}}};

static void keys(void **state)
{
	struct record_range range;
	char key[MEMBER_KEY];

	(void)state;
	record_key(&r, key, "e/%u/%s", 7, "a");
	assert_string_equal(key, "/tsw/1/c/e/7/a");
	assert_string_equal(record_name(key), "a");
	record_key(&r, key, "host/");
	assert_string_equal(key, "/tsw/1/c/host/");
	assert_string_equal(record_name(key), "");
	/* Behind the pulse, and before all other prefixes. */
	range = record_range(&r, "e/%u/", 7);
	assert_string_equal(range.key, "/tsw/1/c/e/7/!");
	assert_string_equal(range.end, "/tsw/1/c/e/70");
	assert_true(strcmp("/tsw/1/c/e/7/", range.key) < 0);
	assert_true(strcmp("/tsw/1/c/e/7/!", range.key) >= 0);
	assert_true(strcmp("/tsw/1/c/e/77/a", range.end) > 0);
}

/* What is read of it is written so again. */
static void same(enum record_kind kind, const char *text)
{
	union record_spec spec = {};
	char *again;

	assert_int_equal(record_read(kind, text, &spec), 0);
	again = record_text(kind, &spec);
	assert_string_equal(again, text);
	free(again);
}

static void texts(void **state)
{
	struct tsw_endpoint_spec unused = {};

	(void)state;
	same(RECORD_HOST, "{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]}");
	same(RECORD_TENANT, "{\"name\":\"red\",\"id\":7,\"encap\":\"vxlan\",\"broadcast\":true}");
	same(RECORD_ENDPOINT,
	     "{\"name\":\"a\",\"mac\":\"02:00:00:00:00:0a\",\"ip\":[],\"dev\":\"v\","
	     "\"host\":\"h1\",\"rate_out\":1000000}");
	same(RECORD_GATEWAY, "{\"ip\":[\"10.0.0.1/24\"],\"mac\":\"02:00:00:00:00:01\",\"nat\":true,"
			     "\"snat\":[]}");
	same(RECORD_GATEWAY, "{\"ip\":[\"10.0.0.1/24\"],\"mac\":\"02:00:00:00:00:01\",\"nat\":true,"
			     "\"snat\":[],\"resolver\":[\"192.0.2.53\",\"fd01::53\"]}");
	same(RECORD_PUBLISH, "{\"proto\":\"tcp\",\"port\":80,\"to\":\"10.0.0.1:80\"}");
	same(RECORD_PEER, "{\"tenant\":\"a\",\"with\":\"b\",\"prefix\":[]}");
	same(RECORD_PEER,
	     "{\"tenant\":\"a\",\"with\":\"b\",\"proto\":\"udp\",\"port\":53,\"prefix\":[]}");
	/* An endpoint's tenant is in its key, and what is unknown is no record. */
	assert_int_equal(record_read(RECORD_ENDPOINT,
				     "{\"name\":\"a\",\"mac\":\"02:00:00:00:00:0a\","
				     "\"host\":\"h\",\"tenant\":\"t\"}",
				     &unused),
			 -EINVAL);
	assert_int_equal(record_read(RECORD_ENDPOINT, "{\"name\":\"a\"}", &unused), -EINVAL);
	assert_int_equal(record_read(RECORD_ENDPOINT, "x", &unused), -EINVAL);
}

/* An answer to a look, in which the second of three is there. */
static void looks(void **state)
{
	static uint8_t frame[512];
	EtcdPb__TxnResponse txn = ETCD_PB__TXN_RESPONSE__INIT;
	EtcdPb__Header header = ETCD_PB__HEADER__INIT;
	EtcdPb__ResponseOp op[4], *ops[4];
	EtcdPb__RangeResponse range[4];
	EtcdPb__KeyValue kv = ETCD_PB__KEY_VALUE__INIT, *kvs[] = {&kv};
	const struct record_range all = record_range(&r, "e/7/");
	struct look look = {};
	size_t i, len;

	(void)state;
	for (i = 0; i < 4; i++) {
		etcd_pb__range_response__init(&range[i]);
		etcd_pb__response_op__init(&op[i]);
		op[i].response_case = ETCD_PB__RESPONSE_OP__RESPONSE_RANGE;
		op[i].range = &range[i];
		ops[i] = &op[i];
	}
	kv.key = etcd_bytes("/b");
	kv.value = etcd_bytes("{}");
	kv.mod_revision = 5;
	range[1].kvs = kvs;
	range[1].n_kvs = 1;
	range[3].count = 12;
	txn.header = &header;
	txn.succeeded = true;
	txn.responses = ops;
	txn.n_responses = 4;
	len = etcd_pb__txn_response__pack(&txn, frame + FRAME_HEAD);
	frame_head(frame, len);
	r.e = fake_etcd("http://a", NULL, NULL);
	fake_answers((struct fake_answer[]){{ETCD_HEAD, frame, FRAME_HEAD + len, ETCD_FINE}}, 1);
	look_at(&look, "/a");
	look_at(&look, "/b");
	look_at(&look, "/c");
	look_count(&look, &all);
	assert_int_equal(look_read(&r, &look), 0);
	assert_null(look.at[0].value);
	assert_string_equal(look.at[1].value, "{}");
	assert_int_equal(look.at[1].modified, 5);
	assert_null(look.at[2].value);
	assert_int_equal(look.at[3].count, 12);
	look_end(&look);
	etcd_close(r.e);
}

static int never(struct records *records, void *context, bool again)
{
	int *tries = context;

	(void)records;
	assert_int_equal(again, *tries > 0);
	++*tries;
	return -EAGAIN;
}

static int third(struct records *records, void *context, bool again)
{
	int *tries = context;

	(void)records, (void)again;
	return ++*tries == 3 ? 0 : -EAGAIN;
}

static void tries(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(record_change(&r, never, &n), -EAGAIN);
	assert_int_equal(n, 16);
	assert_non_null(strstr(failure()->text, "all the time"));
	n = 0;
	assert_int_equal(record_change(&r, third, &n), 0);
	assert_int_equal(n, 3);
}

static json_t *json(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	return value;
}

/* What the file has is the file's; what it has not is added. */
static void merges(void **state)
{
	static const char file[] =
		"{\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.9\"]}],\"tenants\":[{\"name\":\"a\","
		"\"id\":1,\"endpoints\":[{\"name\":\"x\",\"host\":\"h1\"}]}]}";
	json_t *whole = json("{\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]},"
			     "{\"name\":\"h2\"}],\"tenants\":[{\"name\":\"a\",\"id\":2,\"gateway\":"
			     "{},\"endpoints\":[{\"name\":\"x\",\"host\":\"h2\"},{\"name\":\"y\"}],"
			     "\"publish\":[{\"proto\":\"tcp\",\"port\":1,\"to\":\"1.1.1.1:1\"}]},"
			     "{\"name\":\"b\"}],\"peers\":[{\"tenant\":\"a\",\"with\":\"b\"}]}");
	json_t *into = json(file), *want;

	(void)state;
	assert_int_equal(cluster_merge(into, whole, true), 1);
	want = json(file);
	json_array_append_new(json_object_get(want, "hosts"), json("{\"name\":\"h2\"}"));
	assert_true(json_equal(into, want));
	json_decref(into);
	json_decref(want);
	into = json(file);
	assert_int_equal(cluster_merge(into, whole, false), 1);
	want = json("{\"hosts\":[{\"name\":\"h1\",\"ip\":[\"192.0.2.9\"]},{\"name\":\"h2\"}],"
		    "\"tenants\":[{\"name\":\"a\",\"id\":1,\"gateway\":{},\"endpoints\":[{\"name\":"
		    "\"x\",\"host\":\"h1\"},{\"name\":\"y\"}],\"publish\":[{\"proto\":\"tcp\","
		    "\"port\":1,\"to\":\"1.1.1.1:1\"}]},{\"name\":\"b\"}],"
		    "\"peers\":[{\"tenant\":\"a\",\"with\":\"b\"}]}");
	assert_true(json_equal(into, want));
	json_decref(into);
	json_decref(want);
	json_decref(whole);
}

static void spans(const char *net, const char *first, const char *last)
{
	struct tsw_prefix prefix;
	struct tsw_addr addr;
	struct choice choice;

	assert_int_equal(parse_subnet(net, &prefix), 0);
	choice = choice_of(&prefix);
	assert_int_equal(parse_ip(first, &addr), 0);
	assert_true(choice.first == number_of_addr(&addr));
	assert_int_equal(parse_ip(last, &addr), 0);
	assert_true(choice.last == number_of_addr(&addr));
	assert_true(choice_has(&choice, &addr));
	addr = addr_of_number(choice.last + 1);
	assert_false(choice_has(&choice, &addr));
}

static void nets(void **state)
{
	(void)state;
	spans("10.0.0.0/29", "10.0.0.1", "10.0.0.6");
	spans("10.0.0.0/31", "10.0.0.0", "10.0.0.1");
	spans("10.0.0.4/32", "10.0.0.4", "10.0.0.4");
	spans("fd00::/126", "fd00::1", "fd00::3");
	spans("fd00::/127", "fd00::", "fd00::1");
	spans("fd00::/64", "fd00::1", "fd00::ffff:ffff:ffff:ffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),	 cmocka_unit_test(texts),  cmocka_unit_test(looks),
		cmocka_unit_test(tries), cmocka_unit_test(merges), cmocka_unit_test(nets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
