// SPDX-License-Identifier: GPL-2.0-only
/* What entries of older ABIs become, and versions as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "abi3.h"
#include "abi4.h"
#include "abi5.h"
#include "store/migrate.h"
#include "base/version.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each field has a value of its own. */
static const struct abi3_config old_config = {
	.abi = 3,
	.flags = 5,
	.secret = 0x0102030405060708,
	.local = {{1, 2, 3, 4}, {5, 6, 7, 8}},
	.underlay = {{11, 1, 2}, {12, 2, 1}, {13, 0, 1}, {14}, {15}, {16}, {17}, {18, 1, 3}},
	.tunnel = 21,
	.gre = {22, 23},
	.port = 24,
	.attach = 1,
	.xdp_asked = 0xffff,
	.max_endpoints = 25,
	.max_tenants = 26,
	.netns = 27,
	.flags_asked = 1,
	.gateway = 28,
	.name = "a host",
};

static void config(void **state)
{
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {};
	union {
		struct abi3_config old;
		struct tsw_config now;
		__u8 room[MIGRATE_MOST];
	} value = {.room = {}};

	(void)state;
	value.old = old_config;
	migrate_entry(migrations, 3, MAP_CONFIG, key, &value);
	assert_int_equal(value.now.abi, TSW_ABI_VERSION);
	assert_int_equal(value.now.flags,
			 (old_config.flags & ~0x10U) | TSW_CFG_OLD_WAY | TSW_CFG_OLD_DOOR);
#define SAME(field) \
	assert_memory_equal(&value.now.field, &old_config.field, sizeof(old_config.field))
	SAME(secret);
	SAME(local);
	SAME(underlay);
	SAME(tunnel);
	SAME(gre);
	SAME(port);
	SAME(attach);
	SAME(xdp_asked);
	SAME(max_endpoints);
	SAME(max_tenants);
	SAME(netns);
	SAME(flags_asked);
	SAME(name);
	assert_int_equal(value.now.gateway, 0);
	assert_int_equal(value.now.version, 0);
	assert_int_equal(value.now.generation, 0);
	assert_int_equal(value.now.build, 0);
	assert_int_equal(value.now.geneve, 0);
	assert_int_not_equal(value.now.pass, 0);
}

/* What ABI 4 has is what ABI 5 begins with; the pass is another number than the secret. */
static void config_4(void **state)
{
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {};
	union {
		struct abi4_config old;
		struct tsw_config now;
		__u8 room[MIGRATE_MOST];
	} value = {.room = {}}, was;

	(void)state;
	for (size_t i = 0; i < sizeof(value.old); i++)
		value.room[i] = i * 7 + 1;
	value.old.abi = 4;
	value.old.flags = 5;
	was = value;
	was.now.gateway = 0;
	migrate_entry(migrations, 4, MAP_CONFIG, key, &value);
	assert_int_equal(value.now.abi, TSW_ABI_VERSION);
	assert_int_equal(value.now.flags, 5 | TSW_CFG_OLD_WAY | TSW_CFG_OLD_DOOR);
	assert_int_equal(value.now.gateway, 0);
	value.now.gateway = was.now.gateway;
	assert_memory_equal(&value.now.secret, &was.old.secret,
			    sizeof(was.old) - offsetof(struct abi4_config, secret));
	assert_int_not_equal(value.now.pass, 0);
	assert_int_not_equal(value.now.pass, value.now.secret);
}

/* A gateway of ABI 5 has no resolver; all else is where it was, and so is the configuration. */
static void gateway_5(void **state)
{
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {9};
	union {
		struct abi5_gateway old;
		struct tsw_gateway now;
		struct tsw_config config;
		__u8 room[MIGRATE_MOST];
	} value = {.room = {}}, was;
	static const struct tsw_addr none[TSW_FAMILIES];

	(void)state;
	for (size_t i = 0; i < sizeof(value.old); i++)
		value.room[i] = i * 7 + 1;
	was = value;
	migrate_entry(migrations, 5, MAP_GATEWAYS, key, &value);
	assert_int_equal(key[0], 9);
	assert_memory_equal(&value, &was, offsetof(struct tsw_gateway, resolver));
	assert_memory_equal(value.now.resolver, none, sizeof(none));
	value = was;
	value.config.abi = 5;
	migrate_entry(migrations, 5, MAP_CONFIG, key, &value);
	assert_int_equal(value.config.abi, TSW_ABI_VERSION);
	was.config.flags = (was.config.flags & ~0x10U) | TSW_CFG_OLD_DOOR;
	was.config.gateway = 0;
	was.config.nsid = -1;
	assert_memory_equal(&value.config.flags, &was.config.flags,
			    sizeof(was.config) - sizeof(was.config.abi));
}

/* Who served alone is the first and only of its ranks; of those that all serve there are none. */
static void gateway_5_ranks(void **state)
{
	static const struct {
		__u32 host, flags, n, ready;
	} all[] = {{7, TSW_GATEWAY_NAT, 1, 0},
		   {0, TSW_GATEWAY_NAT, 1, TSW_GATEWAY_READY},
		   {0, TSW_GATEWAY_ALL, 0, 0}};
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {9};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		union {
			struct abi5_gateway old;
			struct tsw_gateway now;
			__u8 room[MIGRATE_MOST];
		} value = {.old = {.host = all[i].host, .flags = all[i].flags}};

		migrate_entry(migrations, 5, MAP_GATEWAYS, key, &value);
		assert_int_equal(value.now.n_ranks, all[i].n);
		assert_int_equal(value.now.rank[0], all[i].host);
		assert_int_equal(value.now.flags, all[i].flags | all[i].ready);
		assert_int_equal(value.now.flip, TSW_FLIP_NONE);
	}
}

/* ABI 6 has the same layout: a tenant's limits stay, and its table of connections is another. */
static void fair_6(void **state)
{
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {9};
	union {
		struct tsw_fair now;
		struct tsw_config config;
		__u8 room[MIGRATE_MOST];
	} value = {.now = {.connections = 1000,
			   .half_open = 100,
			   .table = 4711,
			   .slice = {7, 8},
			   .begun = {9, 10},
			   .neighbours = 11,
			   .errors = 12}},
	  was;
	static const __u32 none[TSW_FAIR_SLICES];

	(void)state;
	migrate_entry(migrations, 6, MAP_FAIR, key, &value);
	assert_int_equal(key[0], 9);
	assert_int_equal(value.now.connections, 1000);
	assert_int_equal(value.now.half_open, 100);
	assert_int_not_equal(value.now.table, 4711);
	assert_memory_equal(value.now.slice, none, sizeof(none));
	assert_memory_equal(value.now.begun, none, sizeof(none));
	assert_int_equal(value.now.neighbours, 11);
	assert_int_equal(value.now.errors, 12);
	for (size_t i = 0; i < sizeof(value.config); i++)
		value.room[i] = i * 7 + 1;
	value.config.abi = 6;
	was = value;
	migrate_entry(migrations, 6, MAP_CONFIG, key, &value);
	assert_int_equal(value.config.abi, TSW_ABI_VERSION);
	was.config.flags = (was.config.flags & ~0x10U) | TSW_CFG_OLD_DOOR;
	was.config.gateway = 0;
	was.config.nsid = -1;
	assert_memory_equal(&value.config.flags, &was.config.flags,
			    sizeof(was.config) - sizeof(was.config.abi));
	assert_non_null(migrate_first(migrations, 6, MAP_POLICY_CONNS));
	assert_null(migrate_first(migrations, 6, MAP_POLICIES));
}

/* Without a gateway there was no door, and there is none to be moved. */
static void config_7(void **state)
{
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {};
	union {
		struct tsw_config now;
		__u8 room[MIGRATE_MOST];
	} value = {.now = {.abi = 7, .flags = TSW_CFG_SLOW_PATH}};

	(void)state;
	migrate_entry(migrations, 7, MAP_CONFIG, key, &value);
	assert_int_equal(value.now.abi, TSW_ABI_VERSION);
	assert_int_equal(value.now.flags, TSW_CFG_SLOW_PATH);
	assert_int_equal(value.now.nsid, -1);
}

/* From one version to the next, whatever they are, to today's. */
static void steps(void **state)
{
	const struct migration *step, *last = NULL;

	(void)state;
	for (step = migrations; step->from; last = step++) {
		assert_true(step->from >= TSW_ABI_OLDEST && step->from < TSW_ABI_VERSION);
		assert_true(!last || last->from <= step->from);
		assert_true(step->map < MAP_COUNT);
		assert_true(step->key && step->key <= MIGRATE_MOST);
		assert_true(step->value && step->value <= MIGRATE_MOST);
	}
	step = migrate_first(migrations, 3, MAP_CONFIG);
	assert_non_null(step);
	assert_int_equal(step->value, sizeof(struct abi3_config));
	step = migrate_first(migrations, 4, MAP_CONFIG);
	assert_non_null(step);
	assert_int_equal(step->value, sizeof(struct abi4_config));
	step = migrate_first(migrations, 3, MAP_GATEWAYS);
	assert_non_null(step);
	assert_int_equal(step->value, sizeof(struct abi5_gateway));
	step = migrate_first(migrations, 5, MAP_CONFIG);
	assert_non_null(step);
	assert_int_equal(step->value, offsetof(struct tsw_config, zone));
	step = migrate_first(migrations, 3, MAP_HOSTS);
	assert_non_null(step);
	assert_int_equal(step->value, offsetof(struct tsw_host, zone));
	assert_null(migrate_first(migrations, TSW_ABI_VERSION, MAP_CONFIG));
	assert_null(migrate_first(migrations, 3, MAP_FDB));
}

/* A made-up map: {a, b}; then {b, a}; then the key has twice as much, and c is new. */
struct first {
	__u32 a, b;
};
struct second {
	__u32 b, a;
};
struct third {
	__u32 b, a, c;
};

static void swap_fields(void *key, void *value)
{
	const struct first old = *(const struct first *)value;

	(void)key;
	*(struct second *)value = (struct second){.a = old.a, .b = old.b};
}

static void double_key(void *key, void *value)
{
	const __u32 old = *(const __u32 *)key;

	*(__u64 *)key = 2ULL * old;
	((struct third *)value)->c = 77;
}

static void chain(void **state)
{
	const struct migration table[] = {
		{.from = 100, .map = MAP_FDB, .key = 4, .value = 8, .convert = swap_fields},
		{.from = 100, .map = MAP_PORTS, .key = 4, .value = 4},
		{.from = 102, .map = MAP_FDB, .key = 4, .value = 8, .convert = double_key},
		{},
	};
	const struct {
		__u32 from;
		__u64 key;
		struct third value;
	} wanted[] = {
		{100, 10, {.a = 1, .b = 2, .c = 77}}, /* both */
		{101, 10, {.a = 2, .b = 1, .c = 77}}, /* the second alone */
		{102, 10, {.a = 2, .b = 1, .c = 77}},
		{103, 5, {.a = 2, .b = 1, .c = 0}},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(wanted); i++) {
		__u64 key[MIGRATE_MOST / sizeof(__u64)] = {5};
		__u32 value[MIGRATE_MOST / sizeof(__u32)] = {1, 2};

		migrate_entry(table, wanted[i].from, MAP_FDB, key, value);
		assert_true(key[0] == wanted[i].key);
		assert_memory_equal(value, &wanted[i].value, sizeof(wanted[i].value));
	}
	assert_ptr_equal(migrate_first(table, 101, MAP_FDB), &table[2]);
	assert_ptr_equal(migrate_first(table, 99, MAP_PORTS), &table[1]);
	assert_null(migrate_first(table, 101, MAP_PORTS));
}

static void versions(void **state)
{
	(void)state;
	assert_int_equal(version_number("0.1.0"), 0x100);
	assert_int_equal(version_number("1.2.3"), 0x10203);
	assert_int_equal(version_number("255.255.255"), 0xffffff);
	assert_true(version_number("0.9.200") < version_number("0.10.0"));
	assert_int_equal(version_number("1.2"), 0);
	assert_int_equal(version_number("1.2.3x"), 0);
	assert_int_equal(version_number("1.256.3"), 0);
	assert_int_equal(version_number(""), 0);
	assert_true(version_number(TSW_VERSION) > 0);
	assert_string_equal(version_text(0x10203), "1.2.3");
	assert_string_equal(version_text(version_number(TSW_VERSION)), TSW_VERSION);
	assert_null(version_text(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(config),    cmocka_unit_test(config_4),
		cmocka_unit_test(gateway_5), cmocka_unit_test(gateway_5_ranks),
		cmocka_unit_test(fair_6),    cmocka_unit_test(config_7),
		cmocka_unit_test(steps),     cmocka_unit_test(chain),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
