// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "base/err.h"
#include "base/text.h"
#include "check/maps.h"
#include "object/flood_list.h"

#include <cmocka.h>

#include "base/log.h"
#include "check_world.h"
#include "store/tsw.h"

enum { ROWS = 16, TEXT = 1024 };

const struct tsw_mac mac_a = {{2, 0, 0, 0, 0, 1}}, mac_b = {{2, 0, 0, 0, 0, 2}},
		     mac_g = {{2, 0, 0, 0, 0, 9}};
struct tsw t;
static struct snapshot s;

/* ---- the maps --------------------------------------------------------------------- */

struct tsw_addr world_ip(const char *text)
{
	struct tsw_addr addr = addr_from_v4(0);

	if (inet_pton(AF_INET, text, &addr.w[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &addr), 1);
	return addr;
}

static void index_again(enum map map)
{
	const struct rows *r = &s.rows[map];

	lookup_free(&s.in[map]);
	assert_int_equal(lookup_make(&s.in[map], r->keys, r->n, r->key_size, r->key_size), 0);
}

void world_add(enum map map, const void *key, size_t key_size, const void *value, size_t value_size)
{
	struct rows *r = &s.rows[map];

	if (!r->keys) {
		r->key_size = key_size;
		r->value_size = value_size;
		r->keys = calloc(ROWS, key_size);
		r->values = calloc(ROWS, value_size);
	}
	assert_true(r->n < ROWS);
	memcpy(r->keys + r->n * key_size, key, key_size);
	memcpy(r->values + r->n * value_size, value, value_size);
	r->n++;
	index_again(map);
}

static size_t find(enum map map, const void *key)
{
	const struct rows *r = &s.rows[map];
	size_t i;

	for (i = 0; i < r->n; i++)
		if (!memcmp(row_key(r, i), key, r->key_size))
			return i;
	fail_msg("no such entry in %s", map_name(map));
	return 0;
}

void *world_value(enum map map, const void *key)
{
	return s.rows[map].values + find(map, key) * s.rows[map].value_size;
}

void world_drop(enum map map, const void *key)
{
	struct rows *r = &s.rows[map];
	const size_t i = find(map, key), last = --r->n;

	memcpy(r->keys + i * r->key_size, r->keys + last * r->key_size, r->key_size);
	memcpy(r->values + i * r->value_size, r->values + last * r->value_size, r->value_size);
	index_again(map);
}

static void add_tenant(__u32 id, const char *text, __u32 endpoints)
{
	struct tsw_tenant tenant = {.endpoints = endpoints};
	struct tsw_name name = {};

	snprintf(tenant.name, sizeof(tenant.name), "%s", text);
	snprintf(name.s, sizeof(name.s), "%s", text);
	ADD(MAP_TENANTS, id, tenant);
	ADD(MAP_TENANT_IDS, name, id);
}

void world_addr(const char *text, const struct tsw_mac *mac, const char *next)
{
	const struct tsw_addr_key key = {RED, world_ip(text)};
	struct tsw_addr_owner owner = {.mac = *mac};

	if (next)
		owner.next = world_ip(next);
	ADD(MAP_ADDRS, key, owner);
}

void world_endpoint(const char *text, const struct tsw_mac *mac, const char *first,
		    struct tsw_fdb at)
{
	const struct tsw_fdb_key where = {.tenant = RED, .mac = *mac};
	struct tsw_endpoint record = {.mac = *mac};
	struct tsw_endpoint_key key = {.tenant = RED};

	snprintf(key.name.s, sizeof(key.name.s), "%s", text);
	if (first)
		record.first = world_ip(first);
	ADD(MAP_ENDPOINTS, key, record);
	ADD(MAP_FDB, where, at);
}

void world_group(__u32 tenant, __u32 member, __u32 other, __u32 refs)
{
	const struct tsw_group_key key = {tenant, member};
	const struct tsw_group node = {.next = other, .prev = other, .refs = refs};

	ADD(MAP_GROUPS, key, node);
}

static void add_host(void)
{
	struct tsw_host host = {.addr = {world_ip("192.0.2.2"), world_ip("fd00::2")},
				.endpoints = 2};
	struct tsw_name name = {.s = "h2"};
	__u32 id = HOST;

	memcpy(host.name, "h2", 3);
	ADD(MAP_HOSTS, id, host);
	ADD(MAP_HOST_IDS, name, id);
	ADD(MAP_VTEPS, host.addr[0], id);
	ADD(MAP_VTEPS, host.addr[1], id);
}

static void add_gateway(void)
{
	struct tsw_gateway gw = {.index = INDEX, .mac = mac_g, .n_addrs = 1};
	const struct tsw_fdb_key where = {.tenant = RED, .mac = mac_g};
	const struct tsw_fdb at = {.place = TSW_PLACE_GATEWAY};
	const struct tsw_mark mark = {.tenant = RED};
	const __u32 red = RED;

	gw.addr[0] = (struct tsw_prefix){world_ip("10.0.0.9"), 96 + 24};
	ADD(MAP_GATEWAYS, red, gw);
	ADD(MAP_MARKS, gw.index, mark);
	ADD(MAP_FDB, where, at);
	world_addr("10.0.0.9", &mac_g, NULL);
}

int world_build(void **state)
{
	const struct tsw_fdb there = {TSW_PLACE_HOST, HOST};
	const struct tsw_limit_key all = {.tenant = RED}, one = {.tenant = RED, .mac = mac_a};
	const struct tsw_limit limit = {};
	const struct tsw_share share = {.addrs = 2}; /* without the gateway's */
	const __u32 red = RED;

	(void)state;
	memset(&s, 0, sizeof(s));
	t = (struct tsw){.maps = MAPS_CLOSED, .instance = "default"};
	t.config.max_tenants = t.config.max_endpoints = 100;
	t.totals = (struct tsw_totals){
		.tenants = 2, .hosts = 1, .endpoints = 2, .addrs = 3, .indexes = 1};
	add_tenant(RED, "red", 2);
	ADD(MAP_SHARES, red, share);
	add_tenant(BLUE, "blue", 0);
	add_host();
	world_endpoint("a", &mac_a, "10.0.0.1", there);
	world_endpoint("b", &mac_b, NULL, there);
	world_addr("10.0.0.1", &mac_a, "fd00::1");
	world_addr("fd00::1", &mac_a, NULL);
	add_gateway();
	ADD(MAP_LIMITS, all, limit);
	ADD(MAP_LIMITS, one, limit);
	world_group(RED, TSW_MEMBER_PORTS, TSW_MEMBER_PORTS, 0);
	world_group(RED, TSW_MEMBER_HOSTS, TSW_MEMBER_HOST | HOST, 0);
	world_group(RED, TSW_MEMBER_HOST | HOST, TSW_MEMBER_HOSTS, 2);
	world_group(BLUE, TSW_MEMBER_PORTS, TSW_MEMBER_PORTS, 0);
	world_group(BLUE, TSW_MEMBER_HOSTS, TSW_MEMBER_HOSTS, 0);
	return 0;
}

int world_done(void **state)
{
	(void)state;
	maps_close(&t.maps);
	snapshot_free(&s);
	return 0;
}

/* ---- what is told ------------------------------------------------------------------ */

static void list(const json_t *problems, const char *part, char text[TEXT])
{
	size_t used = 0, i;
	json_t *one;

	*text = '\0';
	json_array_foreach(problems, i, one) {
		const char *what = NULL, *object = NULL, *detail = NULL;

		json_unpack(one, "{s:s, s:s, s:s}", "what", &what, "object", &object, "detail",
			    &detail);
		used += (size_t)snprintf(text + used, TEXT - used, "%s%s %s", i ? "; " : "", what,
					 object);
		if (part && !i && !strstr(detail, part))
			fail_msg("\"%s\" does not say \"%s\"", detail, part);
	}
}

/* Everything that looks at the maps alone. */
static void check(json_t *problems, json_t *warnings)
{
	struct owners owners;

	assert_int_equal(owners_make(&s, &owners), 0);
	check_objects(&t, &s, problems);
	check_endpoints(&t, &s, &owners, problems);
	check_strays(&s, &owners, problems);
	flood_lists_check(&s, problems);
	check_counts(&t, &s, problems, warnings); /* which finds no map of drops */
	owners_free(&owners);
}

static void assert_told(const char *name, const char *want, const char *part, bool warn)
{
	json_t *problems = json_array(), *warnings = json_array();
	char text[TEXT];

	check(problems, warnings);
	list(warn ? warnings : problems, part, text);
	if (strcmp(text, want))
		fail_msg("%s:\n  is     %s\n  wanted %s", name, text, want);
	json_decref(problems);
	json_decref(warnings);
}

void world_expect(const char *name, const char *want, const char *part)
{
	assert_told(name, want, part, false);
}

void world_warn(const char *name, const char *want)
{
	assert_told(name, want, NULL, true);
}

size_t world_damaged(void)
{
	struct owners owners;
	size_t n = 0, i;

	assert_int_equal(owners_make(&s, &owners), 0);
	for (i = 0; i < owners.n; i++)
		n += endpoint_is_damaged(&t, &s, &owners.all[i]);
	owners_free(&owners);
	return n;
}

void world_tenants(__u32 n)
{
	char name[16];

	for (; n; n--) {
		snprintf(name, sizeof(name), "t%u", n);
		add_tenant(1000 + n, name, 0);
	}
}
