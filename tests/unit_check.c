// SPDX-License-Identifier: GPL-2.0-only
/* `switch check`: maps that fit each other, then one thing wrong, and what is told of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "check_world.h"
#include "object/install.h"

static const struct tsw_mac mac_x = {{2, 9, 9, 9, 9, 9}}, mac_none;
static const __u32 red = RED, blue = BLUE, host2 = HOST, index1 = INDEX;
static const struct tsw_name name_red = {"red"}, name_h2 = {"h2"};
static const struct tsw_fdb_key at_a = {.tenant = RED, .mac = {{2, 0, 0, 0, 0, 1}}},
				at_g = {.tenant = RED, .mac = {{2, 0, 0, 0, 0, 9}}};
static const struct tsw_endpoint_key ep_a = {.tenant = RED, .name = {"a"}},
				     ep_b = {.tenant = RED, .name = {"b"}};

static struct tsw_gateway *gateway(void)
{
	return world_value(MAP_GATEWAYS, &red);
}

static struct tsw_addr_owner *owner_of(const char *text)
{
	const struct tsw_addr_key key = {RED, world_ip(text)};

	return world_value(MAP_ADDRS, &key);
}

static void drop_addr(const char *text)
{
	const struct tsw_addr_key key = {RED, world_ip(text)};

	world_drop(MAP_ADDRS, &key);
}

static struct tsw_group *group(__u32 tenant, __u32 member)
{
	const struct tsw_group_key key = {tenant, member};

	return world_value(MAP_GROUPS, &key);
}

static void nothing(void)
{
}

static void unsettled(void)
{
	t.totals.unsettled = 1;
}

static void name_of_another(void)
{
	*(__u32 *)world_value(MAP_TENANT_IDS, &name_red) = BLUE;
}

static void name_is_gone(void)
{
	world_drop(MAP_TENANT_IDS, &name_red);
}

static void name_of_nobody(void)
{
	const struct tsw_name name = {"green"};
	const __u32 id = 300;

	ADD(MAP_TENANT_IDS, name, id);
}

static void host_is_renamed(void)
{
	struct tsw_host *host = world_value(MAP_HOSTS, &host2);

	memcpy(host->name, "h3", 3);
}

static void host_name_is_gone(void)
{
	world_drop(MAP_HOST_IDS, &name_h2);
}

static void vtep_is_gone(void)
{
	const struct tsw_addr addr = world_ip("fd00::2");

	world_drop(MAP_VTEPS, &addr);
}

static void vtep_of_nobody(void)
{
	const struct tsw_addr addr = world_ip("192.0.2.3");
	const __u32 id = 3;

	ADD(MAP_VTEPS, addr, id);
}

static void vtep_of_another(void)
{
	const struct tsw_addr addr = world_ip("192.0.2.3");

	ADD(MAP_VTEPS, addr, host2);
}

static void gateway_pending(void)
{
	gateway()->flags = TSW_GATEWAY_PENDING;
	gateway()->index = 7; /* of one that is half made nothing else is told */
}

static void gateway_of_nobody(void)
{
	struct tsw_gateway gw = {.mac = mac_x};
	const struct tsw_fdb_key where = {.tenant = 300, .mac = mac_x};
	const struct tsw_fdb at = {.place = TSW_PLACE_GATEWAY};
	const __u32 id = 300;

	ADD(MAP_GATEWAYS, id, gw);
	ADD(MAP_FDB, where, at);
}

static void gateway_lives_elsewhere(void)
{
	struct tsw_fdb *at = world_value(MAP_FDB, &at_g);

	*at = (struct tsw_fdb){TSW_PLACE_HOST, HOST};
	group(RED, TSW_MEMBER_HOST | HOST)->refs = 3;
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints = 3;
}

static void gateway_without_address(void)
{
	drop_addr("10.0.0.9");
	t.totals.addrs--;
}

static void gateway_address_of_another(void)
{
	owner_of("10.0.0.9")->mac = mac_a;
	owner_of("fd00::1")->next = world_ip("10.0.0.9");
}

static void gateway_without_host(void)
{
	gateway()->host = 3;
}

static void index_is_gone(void)
{
	world_drop(MAP_MARKS, &index1);
	t.totals.indexes--;
}

static void index_of_another(void)
{
	((struct tsw_mark *)world_value(MAP_MARKS, &index1))->tenant = BLUE;
}

static void index_of_a_peering(void)
{
	((struct tsw_mark *)world_value(MAP_MARKS, &index1))->peer = BLUE;
}

static void endpoint_nowhere(void)
{
	world_drop(MAP_FDB, &at_a);
	group(RED, TSW_MEMBER_HOST | HOST)->refs--;
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints--;
}

static void endpoint_pending(void)
{
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_b))->flags = TSW_ENDPOINT_PENDING;
}

static void chain_is_torn(void)
{
	owner_of("10.0.0.1")->next = world_ip("10.0.0.77");
}

static void chain_begins_late(void)
{
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_a))->first = world_ip("fd00::1");
}

static void chain_is_a_ring(void)
{
	owner_of("fd00::1")->next = world_ip("10.0.0.1");
}

static void chain_goes_on(void)
{
	owner_of("fd00::1")->next = world_ip("10.0.0.9"); /* which is the gateway's */
}

static void host_of_nobody(void)
{
	((struct tsw_fdb *)world_value(MAP_FDB, &at_a))->id = 3;
	group(RED, TSW_MEMBER_HOSTS)->prev = TSW_MEMBER_HOST | 3;
	group(RED, TSW_MEMBER_HOST | HOST)->refs = 1;
	group(RED, TSW_MEMBER_HOST | HOST)->next = TSW_MEMBER_HOST | 3;
	world_group(RED, TSW_MEMBER_HOST | 3, TSW_MEMBER_HOSTS, 1);
	group(RED, TSW_MEMBER_HOST | 3)->prev = TSW_MEMBER_HOST | HOST;
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints--;
}

static void mac_of_the_gateway(void)
{
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_b))->mac = mac_g;
	drop_addr("10.0.0.9");
	gateway()->n_addrs = 0;
	t.totals.addrs--;
}

static void mac_of_another(void)
{
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_b))->mac = mac_a;
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_a))->first = (struct tsw_addr){};
	drop_addr("10.0.0.1");
	drop_addr("fd00::1");
	t.totals.addrs -= 2;
}

static void endpoint_half_placed(void)
{
	*(struct tsw_fdb *)world_value(MAP_FDB, &at_a) = fdb_nowhere;
	group(RED, TSW_MEMBER_HOST | HOST)->refs--;
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints--;
}

static void endpoint_of_no_tenant(void)
{
	const struct tsw_endpoint_key key = {.tenant = 300, .name = {"z"}};
	const struct tsw_fdb_key where = {.tenant = 300, .mac = mac_x};
	const struct tsw_fdb at = {TSW_PLACE_HOST, HOST};
	const struct tsw_endpoint record = {.mac = mac_x};

	ADD(MAP_ENDPOINTS, key, record);
	ADD(MAP_FDB, where, at);
	t.totals.endpoints++;
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints++;
}

/* Its number is a host's, too. */
static void fdb_port_of_nobody(void)
{
	const struct tsw_fdb_key key = {.tenant = BLUE, .mac = mac_a};
	const struct tsw_fdb at = {TSW_PLACE_PORT, HOST};

	ADD(MAP_FDB, key, at);
}

static void port_of_a_far_one(void)
{
	const struct tsw_port port = {.tenant = RED, .mac = mac_a};

	ADD(MAP_PORTS, host2, port);
}

static void fdb_of_nobody(void)
{
	const struct tsw_fdb_key key = {.tenant = BLUE, .mac = mac_a};
	const struct tsw_fdb at = {.place = TSW_PLACE_GATEWAY};

	ADD(MAP_FDB, key, at);
}

static void moves(const struct tsw_fdb_key *key, struct tsw_fdb from, struct tsw_fdb to)
{
	const struct tsw_move move = {from, to};

	ADD(MAP_MOVES, *key, move);
}

static void move_of_nobody(void)
{
	const struct tsw_fdb_key key = {.tenant = RED, .mac = mac_x};

	moves(&key, (struct tsw_fdb){TSW_PLACE_HOST, HOST}, (struct tsw_fdb){TSW_PLACE_HOST, 3});
}

static void move_of_one_elsewhere(void)
{
	moves(&at_a, (struct tsw_fdb){TSW_PLACE_HOST, 3}, (struct tsw_fdb){TSW_PLACE_HOST, 4});
}

static void move_to_no_host(void)
{
	moves(&at_a, (struct tsw_fdb){TSW_PLACE_HOST, HOST}, (struct tsw_fdb){TSW_PLACE_HOST, 3});
}

static void addr_of_nobody(void)
{
	world_addr("10.0.0.66", &mac_x, NULL);
	t.totals.addrs++;
}

static void limit_of_nobody(void)
{
	const struct tsw_limit_key key = {.tenant = RED, .mac = mac_x};
	const struct tsw_limit limit = {};

	ADD(MAP_LIMITS, key, limit);
}

static void limit_of_no_tenant(void)
{
	const struct tsw_limit_key key = {.tenant = 300, .mac = mac_none};
	const struct tsw_limit limit = {};

	ADD(MAP_LIMITS, key, limit);
}

static void port_of_nobody(void)
{
	const struct tsw_port port = {.tenant = RED, .mac = mac_a};
	const __u32 ifindex = 7;

	ADD(MAP_PORTS, ifindex, port);
}

static void refs_are_wrong(void)
{
	group(RED, TSW_MEMBER_HOST | HOST)->refs = 1;
}

static void ring_is_open(void)
{
	group(RED, TSW_MEMBER_HOST | HOST)->next = TSW_MEMBER_HOST | HOST;
}

static void ring_is_one_way(void)
{
	group(RED, TSW_MEMBER_HOSTS)->prev = TSW_MEMBER_HOSTS;
}

static void ring_leaves_out(void)
{
	group(RED, TSW_MEMBER_HOSTS)->next = group(RED, TSW_MEMBER_HOSTS)->prev = TSW_MEMBER_HOSTS;
}

static void ring_has_another(void)
{
	const struct tsw_group_key key = {RED, TSW_MEMBER_HOST | HOST};

	world_drop(MAP_GROUPS, &key);
	world_group(RED, TSW_MEMBER_HOST | 3, TSW_MEMBER_HOSTS, 2);
	group(RED, TSW_MEMBER_HOSTS)->next = TSW_MEMBER_HOST | 3;
	group(RED, TSW_MEMBER_HOSTS)->prev = TSW_MEMBER_HOST | 3;
}

static void ring_has_one_more(void)
{
	world_group(RED, TSW_MEMBER_HOST | 3, TSW_MEMBER_HOSTS, 0);
	group(RED, TSW_MEMBER_HOST | 3)->prev = TSW_MEMBER_HOST | HOST;
	group(RED, TSW_MEMBER_HOST | HOST)->next = TSW_MEMBER_HOST | 3;
	group(RED, TSW_MEMBER_HOSTS)->prev = TSW_MEMBER_HOST | 3;
}

static void ports_ring_is_gone(void)
{
	const struct tsw_group_key key = {BLUE, TSW_MEMBER_PORTS};

	world_drop(MAP_GROUPS, &key);
}

static void ring_of_nobody(void)
{
	world_group(300, TSW_MEMBER_PORTS, TSW_MEMBER_PORTS, 0);
}

static void tenant_counts_wrong(void)
{
	((struct tsw_tenant *)world_value(MAP_TENANTS, &blue))->endpoints = 1;
}

static void host_counts_wrong(void)
{
	((struct tsw_host *)world_value(MAP_HOSTS, &host2))->endpoints = 3;
}

static void totals_are_wrong(void)
{
	t.totals = (struct tsw_totals){};
}

static const struct {
	void (*damage)(void);
	const char *want, *part;
} wrongs[] = {
	{nothing, "", NULL},
	{unsettled, "unsettled default", "was killed"},
	{name_of_another, "tenant_name red; tenant_name red", "leads to id 200"},
	{name_is_gone, "tenant_name red", "id 100 is not found"},
	{name_of_nobody, "tenant_name green", "leads to id 300"},
	{host_is_renamed, "host_name h2; host_name h3", "leads to id 2"},
	{host_name_is_gone, "host_name h2", "id 2 is not found"},
	{vtep_is_gone, "host_entry h2", "its address fd00::2"},
	{vtep_of_nobody, "host_entry 192.0.2.3", "leads to no host"},
	{vtep_of_another, "host_entry 192.0.2.3", "leads to no host"},
	{gateway_pending, "unfinished red", "about its gateway"},
	{gateway_of_nobody, "gateway_entry 300", "tenant of this gateway is gone"},
	{gateway_lives_elsewhere, "gateway_entry red", "does not lead to it"},
	{gateway_without_address, "gateway_entry red", "does not lead to it"},
	{gateway_address_of_another, "gateway_entry red; count red", "does not lead to it"},
	{gateway_without_host, "gateway_entry red", "host that serves its gateway"},
	{index_is_gone, "gateway_entry red", "its gateway's index 1"},
	{index_of_another, "gateway_entry red", "its gateway's index 1"},
	{index_of_a_peering, "gateway_entry red", "its gateway's index 1"},
	{endpoint_nowhere, "orphan_endpoint red/a", "its place is not known"},
	{endpoint_pending, "unfinished red/b", "completes or removes it"},
	{chain_is_torn, "endpoint_entry red/a", "not one chain"},
	{chain_begins_late, "endpoint_entry red/a", "not one chain"},
	{chain_is_a_ring, "endpoint_entry red/a", "not one chain"},
	{chain_goes_on, "", NULL}, /* to what is not its own: there it ends */
	{host_of_nobody, "endpoint_entry red/a", "its host is gone"},
	{mac_of_the_gateway, "endpoint_entry red/b; stray_entry tsw_fdb",
	 "also has its MAC 02:00:00:00:00:09"},
	{mac_of_another, "endpoint_entry red/b; stray_entry tsw_fdb; count red",
	 "also has its MAC 02:00:00:00:00:01"},
	{endpoint_half_placed, "orphan_endpoint red/a", "its place is not known"},
	{endpoint_of_no_tenant, "endpoint_entry 300/z", "its tenant is gone"},
	{fdb_port_of_nobody, "stray_entry tsw_fdb; broadcast_group blue", NULL},
	{port_of_a_far_one, "stray_entry tsw_ports", NULL},
	{fdb_of_nobody, "stray_entry tsw_fdb", "\"blue\" MAC 02:00:00:00:00:01"},
	{move_of_nobody, "stray_entry tsw_moves", "\"red\" MAC 02:09:09:09:09:09"},
	{move_of_one_elsewhere, "stray_entry tsw_moves", "\"red\" MAC 02:00:00:00:00:01"},
	{move_to_no_host, "endpoint_entry red/a; broadcast_group red", "its host is gone"},
	{addr_of_nobody, "stray_entry tsw_addrs; count red", "\"red\" address 10.0.0.66"},
	{limit_of_nobody, "stray_entry tsw_limits", "\"red\" MAC 02:09:09:09:09:09"},
	{limit_of_no_tenant, "stray_entry tsw_limits", "\"300\" MAC 00:00:00:00:00:00"},
	{port_of_nobody, "stray_entry tsw_ports", "\"red\" device 7"},
	{refs_are_wrong, "broadcast_group red", "hosts"},
	{ring_is_open, "broadcast_group red", "hosts"},
	{ring_is_one_way, "broadcast_group red", "hosts"},
	{ring_leaves_out, "broadcast_group red", "hosts"},
	{ring_has_another, "broadcast_group red", "hosts"},
	{ring_has_one_more, "broadcast_group red; stray_entry tsw_groups", "hosts"},
	{ports_ring_is_gone, "broadcast_group blue", "ports"},
	{ring_of_nobody, "stray_entry tsw_groups", "1 entries"},
	{tenant_counts_wrong, "count blue", "0 endpoints and 1"},
	{host_counts_wrong, "count h2", "2 endpoints and 3"},
	{totals_are_wrong,
	 "count tenants; count hosts; count endpoints; count addresses; "
	 "count indexes",
	 "there are 2 and 0"},
};

static void one_wrong(void **state)
{
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		world_build(state);
		wrongs[i].damage();
		snprintf(name, sizeof(name), "the one of %zu", i);
		world_expect(name, wrongs[i].want, wrongs[i].part);
		world_done(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_wrong),
	};

	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
