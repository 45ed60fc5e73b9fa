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
#include "cluster/group.h"
#include "cluster/record.h"
#include "cluster/whole.h"
#include "etcd_answers.h"
#include "fake_curl.h"
#include "record/choice.h"
#include "record/gateway_find.h"

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
static void same(enum object_kind kind, const char *text)
{
	union record_spec spec = {};
	char *again;

	if (kind == OBJECT_GATEWAY)
		spec.gateway = (struct tsw_gateway_spec)TSW_GATEWAY_DEFAULTS;
	assert_int_equal(record_read(kind, text, &spec), 0);
	again = record_text(kind, &spec);
	assert_string_equal(again, text);
	free(again);
}

static void texts(void **state)
{
	struct tsw_endpoint_spec unused = {};

	(void)state;
	same(OBJECT_HOST, "{\"name\":\"h1\",\"ip\":[\"192.0.2.1\"]}");
	same(OBJECT_TENANT, "{\"name\":\"red\",\"id\":7,\"encap\":\"vxlan\",\"broadcast\":true}");
	same(OBJECT_ENDPOINT,
	     "{\"name\":\"a\",\"mac\":\"02:00:00:00:00:0a\",\"ip\":[],\"dev\":\"v\","
	     "\"host\":\"h1\",\"rate_out\":1000000}");
	same(OBJECT_GATEWAY, "{\"ip\":[\"10.0.0.1/24\"],\"mac\":\"02:00:00:00:00:01\",\"nat\":true,"
			     "\"snat\":[]}");
	same(OBJECT_GATEWAY, "{\"ip\":[\"10.0.0.1/24\"],\"mac\":\"02:00:00:00:00:01\",\"nat\":true,"
			     "\"snat\":[],\"resolver\":[\"192.0.2.53\",\"fd01::53\"]}");
	same(OBJECT_PUBLISH, "{\"proto\":\"tcp\",\"port\":80,\"to\":\"10.0.0.1:80\"}");
	same(OBJECT_TENANT, "{\"name\":\"red\",\"id\":7,\"encap\":\"vxlan\",\"broadcast\":true,"
			    "\"policy\":\"on\",\"default\":\"deny\"}");
	same(OBJECT_ENDPOINT,
	     "{\"name\":\"a\",\"mac\":\"02:00:00:00:00:0a\",\"ip\":[],\"host\":\"h1\","
	     "\"group\":[\"db\",\"web\"]}");
	same(OBJECT_GROUP, "{\"name\":\"web\"}");
	same(OBJECT_POLICY,
	     "{\"name\":\"sql\",\"from\":\"group:web\",\"to\":\"cidr:10.0.0.0/8\",\"proto\":\"tcp\","
	     "\"port\":\"5432-5433\",\"action\":\"deny\",\"priority\":7,\"log\":true}");
	same(OBJECT_PEER, "{\"tenant\":\"a\",\"with\":\"b\",\"prefix\":[]}");
	same(OBJECT_PEER,
	     "{\"tenant\":\"a\",\"with\":\"b\",\"proto\":\"udp\",\"port\":53,\"prefix\":[]}");
	/* An endpoint's tenant is in its key, and what is unknown is no record. */
	assert_int_equal(record_read(OBJECT_ENDPOINT,
				     "{\"name\":\"a\",\"mac\":\"02:00:00:00:00:0a\","
				     "\"host\":\"h\",\"tenant\":\"t\"}",
				     &unused),
			 -EINVAL);
	assert_int_equal(record_read(OBJECT_ENDPOINT, "{\"name\":\"a\"}", &unused), -EINVAL);
	assert_int_equal(record_read(OBJECT_ENDPOINT, "x", &unused), -EINVAL);
}

/* What no rule or group can be, and what a newer version may have made of one. */
static void odd_policies(void **state)
{
	static const char *const rules[] = {
		"{\"name\":\"a\",\"from\":\"any\"}",
		"{\"name\":\"a\",\"from\":\"any\",\"to\":\"group:none\"}",
		"{\"name\":\"a\",\"from\":\"any\",\"to\":\"cidr:10.0.0.1/8\"}",
		"{\"name\":\"a\",\"from\":\"any\",\"to\":\"any\",\"proto\":\"icmp\",\"port\":\"1\"}",
		"{\"name\":\"a\",\"from\":\"any\",\"to\":\"any\",\"priority\":0}",
		"{\"name\":\"a\",\"from\":\"any\",\"to\":\"any\",\"later\":1}",
	};
	static const char *const groups[] = {"\"web\"", "{}", "{\"name\":\"none\"}",
					     "{\"name\":\"a/b\"}",
					     "{\"name\":\"web\",\"later\":1}"};
	union record_spec spec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		spec = (union record_spec){.policy = TSW_POLICY_DEFAULTS};
		assert_int_equal(record_read(OBJECT_POLICY, rules[i], &spec), -EINVAL);
	}
	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		spec = (union record_spec){};
		assert_int_equal(record_read(OBJECT_GROUP, groups[i], &spec), -EINVAL);
	}
}

/* Groups and rules are below one prefix; any other key is told as a wrong group. */
static void policy_keys(void **state)
{
	(void)state;
	assert_true(record_is_kind(OBJECT_POLICY, "/tsw/1/c/policy/7/rule/a"));
	assert_false(record_is_kind(OBJECT_GROUP, "/tsw/1/c/policy/7/rule/a"));
	assert_true(record_is_kind(OBJECT_GROUP, "/tsw/1/c/policy/7/group/rule"));
	assert_false(record_is_kind(OBJECT_POLICY, "/tsw/1/c/policy/7/group/rule"));
	assert_true(record_is_kind(OBJECT_GROUP, "/tsw/1/c/policy/7/other/a"));
	assert_true(record_is_kind(OBJECT_HOST, "/tsw/1/c/host/rule"));
}

static bool has_condition(const struct change *c, const char *key, __s64 modified)
{
	size_t i;

	for (i = 0; i < c->n_conditions; i++)
		if (!strcmp(c->condition[i].key, key) && c->condition[i].modified == modified)
			return true;
	return false;
}

/* What names a group is written where that is there, of the tenant that was seen. */
static void policy_conditions(void **state)
{
	static char claim[] = "{\"owner\":\"red\",\"nonce\":\"1\"}", group[] = "{\"name\":\"web\"}";
	const struct tsw_tenant_spec tenant = {.name = {"red"}, .id = 7},
				     other = {.name = {"blue"}};
	struct seen seen[] = {{.key = "/tsw/1/c/vni/7", .value = claim, .modified = 5},
			      {.key = "/tsw/1/c/policy/7/group/web", .value = group, .modified = 9},
			      {.key = "/tsw/1/c/policy/7/group/db"}};
	const struct look look = {.at = seen, .n = 3};
	struct change c;

	(void)state;
	change_begin(&c);
	assert_int_equal(policy_change(&r, &tenant, &look, false, &c), 0);
	assert_int_equal(group_need(&c, &seen[1], &tenant.name), 0);
	assert_int_equal(c.n_conditions, 2);
	assert_true(has_condition(&c, "/tsw/1/c/vni/7", 5));
	assert_true(has_condition(&c, "/tsw/1/c/policy/7/group/web", 9));
	assert_int_equal(c.n_steps, 1);
	assert_string_equal(c.step[0].range.key, "/tsw/1/c/policy/7/");
	assert_int_equal(group_need(&c, &seen[2], &tenant.name), -ENOENT);
	assert_string_equal(failure()->text, "tenant \"red\" has no group \"db\"");
	assert_int_equal(policy_change(&r, &other, &look, false, &c), -EAGAIN);
	assert_int_equal(policy_change(&r, &other, &look, true, &c), -EINVAL);
	assert_int_equal(c.n_conditions, 2);
	change_end(&c);
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
	look_at_key(&look, "/a");
	look_at_key(&look, "/b");
	look_at_key(&look, "/c");
	look_count(&look, &r, "e/7/");
	assert_int_equal(look_read(&r, &look), 0);
	assert_null(look.at[0].value);
	assert_string_equal(look.at[1].value, "{}");
	assert_int_equal(look.at[1].modified, 5);
	assert_null(look.at[2].value);
	assert_int_equal(look.at[3].count, 12);
	look_end(&look);
	etcd_close(r.e);
}

static int never(struct records *records, void *context, bool again, struct change *c)
{
	int *tries = context;

	(void)records, (void)c;
	assert_int_equal(again, *tries > 0);
	++*tries;
	return -EAGAIN;
}

static int third(struct records *records, void *context, bool again, struct change *c)
{
	int *tries = context;

	(void)records, (void)again, (void)c;
	return ++*tries == 3 ? 0 : -EAGAIN;
}

static void tries(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(record_change(&r, never, NULL, &n), -EAGAIN);
	assert_int_equal(n, 16);
	assert_non_null(strstr(failure()->text, "all the time"));
	n = 0;
	assert_int_equal(record_change(&r, third, NULL, &n), 0);
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

/* Of one name there is one rule, whatever else it says; a group is its name. */
static void merges_policies(void **state)
{
	json_t *whole =
		json("{\"tenants\":[{\"name\":\"a\",\"groups\":[\"db\",\"web\"],\"policies\":"
		     "[{\"name\":\"x\",\"to\":\"any\",\"proto\":\"udp\"},{\"name\":\"y\",\"to\":"
		     "\"any\"}]}]}");
	json_t *into =
		json("{\"tenants\":[{\"name\":\"a\",\"groups\":[\"web\"],\"policies\":[{\"name\":"
		     "\"x\",\"to\":\"any\",\"proto\":\"tcp\"}]}]}");
	json_t *want =
		json("{\"tenants\":[{\"name\":\"a\",\"groups\":[\"web\",\"db\"],\"policies\":"
		     "[{\"name\":\"x\",\"to\":\"any\",\"proto\":\"tcp\"},{\"name\":\"y\",\"to\":"
		     "\"any\"}]}]}");

	(void)state;
	cluster_merge(into, whole, false);
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

/* A flag of the map stands for on, except that of `fast`, which stands for off. */
static void gateway_flags(void **state)
{
	struct tsw_gateway_spec spec = gateway_defaults(0x010203), again;
	const struct tsw_mac mac = {{0x02, 0x74, 0x00, 0x01, 0x02, 0x03}};
	struct tsw_gateway gw = {.flags = TSW_GATEWAY_PENDING};

	(void)state;
	assert_true(spec.nat && spec.fast && !spec.metadata);
	assert_memory_equal(&spec.mac, &mac, sizeof(mac));
	gateway_from_spec(&spec, &gw);
	assert_int_equal(gw.flags, TSW_GATEWAY_PENDING | TSW_GATEWAY_NAT);
	gateway_to_spec(&gw, &again);
	assert_true(again.nat && again.fast && !again.metadata);
	spec.nat = spec.fast = false;
	spec.metadata = true;
	gateway_from_spec(&spec, &gw);
	assert_int_equal(gw.flags, TSW_GATEWAY_PENDING | TSW_GATEWAY_SLOW | TSW_GATEWAY_METADATA);
	gateway_to_spec(&gw, &again);
	assert_true(!again.nat && !again.fast && again.metadata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test(texts),
		cmocka_unit_test(gateway_flags),
		cmocka_unit_test(looks),
		cmocka_unit_test(tries),
		cmocka_unit_test(merges),
		cmocka_unit_test(nets),
		cmocka_unit_test(odd_policies),
		cmocka_unit_test(policy_keys),
		cmocka_unit_test(policy_conditions),
		cmocka_unit_test(merges_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
