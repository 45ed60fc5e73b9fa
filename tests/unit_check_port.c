// SPDX-License-Identifier: GPL-2.0-only
/*
 * `switch check` of ports here, whose devices the kernel must know, which needs root; how full it
 * is; and what of all that repair makes anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <bpf/bpf.h>
#include <cmocka.h>

#include "check_world.h"
#include "kernel/map_update.h"
#include "record/share.h"
#include "object/install.h"

static const __u32 red = RED;
static const struct tsw_fdb_key at_a = {.tenant = RED, .mac = {{2, 0, 0, 0, 0, 1}}};
static const struct tsw_endpoint_key ep_a = {.tenant = RED, .name = {"a"}};

enum { LOOPBACK = 1 };

static const struct tsw_mac mac_p = {{2, 0, 0, 0, 0, 3}};
static const __u32 lo = LOOPBACK;

static struct tsw_port *add_port(void)
{
	const struct tsw_group_key ports = {RED, TSW_MEMBER_PORTS};
	const struct tsw_port port = {.tenant = RED, .flags = TSW_PORT_GUARD_IP, .mac = mac_p};
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "test", sizeof(lo), sizeof(lo), 1, NULL);

	if (fd < 0)
		skip();
	assert_int_equal(map_update(fd, &lo, &lo, BPF_ANY), 0);
	t.maps.fd[MAP_DEVICES] = fd;
	world_endpoint("p", &mac_p, "10.0.0.3", (struct tsw_fdb){TSW_PLACE_PORT, LOOPBACK});
	world_addr("10.0.0.3", &mac_p, NULL);
	((struct tsw_share *)world_value(MAP_SHARES, &red))->addrs++;
	world_group(RED, LOOPBACK, TSW_MEMBER_PORTS, 1);
	*(struct tsw_group *)world_value(MAP_GROUPS, &ports) =
		(struct tsw_group){.next = LOOPBACK, .prev = LOOPBACK};
	ADD(MAP_PORTS, lo, port);
	t.totals.addrs++;
	t.totals.endpoints++;
	((struct tsw_tenant *)world_value(MAP_TENANTS, &red))->endpoints++;
	return world_value(MAP_PORTS, &lo);
}

static void ports(void **state)
{
	struct tsw_port *port = add_port();
	const struct tsw_port right = *port;

	(void)state;
	world_expect("a port", "", NULL);
	port->tenant = BLUE;
	world_expect("of another tenant", "endpoint_entry red/p; stray_entry tsw_ports",
		     "is not its own");
	*port = right;
	port->mac = mac_a;
	world_expect("of another", "endpoint_entry red/p; stray_entry tsw_ports", "is not its own");
	*port = right;
	port->flags |= TSW_PORT_MOVES;
	world_expect("of one that does not move", "endpoint_entry red/p", "it does not move");
	*port = right;
	port->flags = 0;
	world_expect("not guarded", "endpoint_entry red/p", "the guard of its device");
	*port = right;
	((struct tsw_endpoint *)world_value(MAP_ENDPOINTS, &ep_a))->first = (struct tsw_addr){};
	world_drop(MAP_PORTS, &lo);
	world_expect("both", "endpoint_entry red/a; endpoint_entry red/p", "not one chain");
	assert_int_equal(bpf_map_delete_elem(t.maps.fd[MAP_DEVICES], &lo), 0);
	world_expect("gone", "endpoint_entry red/a; orphan_endpoint red/p", NULL);
}

/* The entry of the fdb leads to another device. */
static void port_elsewhere(void **state)
{
	const struct tsw_port port = *add_port();
	const __u32 other = 77;

	(void)state;
	world_drop(MAP_PORTS, &lo);
	ADD(MAP_PORTS, other, port);
	world_expect("elsewhere", "endpoint_entry red/p; stray_entry tsw_ports", NULL);
}

/* Nine of ten, and eight. */
static void nearly_full(void **state)
{
	(void)state;
	world_warn("at first", "");
	t.config.max_tenants = 2;
	t.config.max_endpoints = 3;
	world_warn("all tenants", "nearly_full tenants");
	t.config.max_endpoints = 2;
	world_warn("all endpoints too", "nearly_full tenants; nearly_full endpoints");
	world_tenants(7);
	t.config.max_endpoints = 100;
	t.config.max_tenants = 10;
	world_warn("nine of ten", "nearly_full tenants");
	t.config.max_tenants = 11;
	world_warn("nine of eleven", "");
}

/* Of a tenant's share: endpoints, and addresses, of which each may have four. */
static void shares(void **state)
{
	struct tsw_share *share = world_value(MAP_SHARES, &red);

	(void)state;
	share->endpoints = 3;
	world_warn("two of three", "");
	share->endpoints = 2;
	world_warn("two of two", "nearly_full red");
	share->endpoints = 1;
	world_warn("two of one", "nearly_full red");
	share->endpoints = 100;
	world_warn("all that the switch has", "");
	t.config.max_endpoints = 10000;
	share->endpoints = 0;
	t.totals.addrs = 3;
	world_warn("seven eighths", "");
	share->addrs = 3;
	world_expect("the gateway's counted, too", "count red", "2 addresses and 3 are counted");
	world_drop(MAP_SHARES, &red);
	world_expect("not counted", "count red", "2 addresses and 0 are counted");
}

/* What is there, of how many, by seven eighths and 1024 at least. */
static void share_sizes(void **state)
{
	static const struct {
		__u32 max, given, endpoints, addrs;
	} all[] = {
		{65536, 0, 57344, 229376},
		{1172, 0, 1026, 4104},
		{1160, 0, 1024, 4096},
		{1024, 0, 1024, 4106},
		{3, 0, 3, 22},
		{65536, 5, 5, 20},
		{65536, 65535, 65535, 262140},
		{65536, 1 << 24, 1 << 24, 262154},
	};
	struct tsw_config config = {.max_tenants = 5};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		config.max_endpoints = all[i].max;
		assert_int_equal(share_endpoints(&config, all[i].given), all[i].endpoints);
		assert_int_equal(share_addrs(&config, all[i].endpoints), all[i].addrs);
	}
}

/* What repair makes anew: nothing that is pending, nowhere, or a gateway's. */
static void damaged(void **state)
{
	struct tsw_endpoint *a = world_value(MAP_ENDPOINTS, &ep_a);

	(void)state;
	assert_int_equal(world_damaged(), 0);
	a->first = (struct tsw_addr){};
	assert_int_equal(world_damaged(), 1);
	a->flags = TSW_ENDPOINT_PENDING;
	assert_int_equal(world_damaged(), 0);
	a->flags = 0;
	*(struct tsw_fdb *)world_value(MAP_FDB, &at_a) = fdb_nowhere;
	assert_int_equal(world_damaged(), 0);
	((struct tsw_gateway *)world_value(MAP_GATEWAYS, &red))->n_addrs = 0;
	assert_int_equal(world_damaged(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_build, world_done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ports),  TEST(port_elsewhere),	     TEST(nearly_full),
		TEST(shares), cmocka_unit_test(share_sizes), TEST(damaged),
	};

	return cmocka_run_group_tests_name("check of ports", tests, NULL, NULL);
}
