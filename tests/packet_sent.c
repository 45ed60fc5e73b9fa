// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a test run does not show of a frame to another host: its Ethernet addresses and its
 * device, and what the kernel's own VXLAN device makes of it. The program is attached here, and the
 * underlay listened to.
 */
#include <bpf/bpf.h>
#include <string.h>
#include <unistd.h>

#include "packet.h"

#define WAIT_MS 2000
#define VXLAN_DEV 120 /* the kernel's, in place of the tunnel device that is not one */
#define RAW(mac) .kind = KIND_RAW, .type = 0x88b5, .dst = mac, .payload = 50
#define NEW_MAC "02:00:00:00:01:99"

static int red, green, large, violet, wire, wire2; /* taps */

static int set_up(void **state)
{
	red = lab_attach_port(RED_A, "pra1");
	green = lab_attach_port(GREEN_A, "pga1");
	large = lab_attach_port(LARGE_A, "pla1");
	violet = lab_attach_port(VIOLET_A, "pva1");
	wire = lab_tap("wire1");
	wire2 = lab_tap("wire21");
	counts_clear(); /* which makes the hosts' counters */
	(void)state;
	return 0;
}

static int tear_down(void **state)
{
	const int taps[] = {red, green, large, violet, wire, wire2};

	for (size_t i = 0; i < COUNT(taps); i++)
		close(taps[i]);
	lab_detach();
	lab_fill();
	(void)state;
	return 0;
}

static void say(int tap, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	lab_say(tap, &f);
}

/* The kernel's own device numbers its IPv4 packets. */
static void adopt_id(const struct frame *got, struct frame *want)
{
	__u16 sum;

	memcpy(want->b + 18, got->b + 18, 2);
	want->b[24] = want->b[25] = 0;
	sum = frame_checksum(want->b + 14, 20, 0);
	want->b[24] = sum >> 8;
	want->b[25] = sum & 0xff;
}

static void expect(int tap, const struct spec *inner, const struct outer *outer, bool by_kernel)
{
	struct spec spec = *inner;
	struct frame got, want;

	spec.outer = outer;
	frame_build(&spec, &want);
	assert_true(lab_heard(tap, WAIT_MS, &got));
	assert_true(packet_adopt(outer, &got, &want));
	if (by_kernel && !frame_is_v6(outer))
		adopt_id(&got, &want);
	assert_true(frame_equal("sent", &got, &want));
}

static void expect_nothing(void)
{
	struct frame f;

	assert_false(lab_heard(wire, 0, &f));
	assert_false(lab_heard(wire2, 0, &f));
}

static void every_way_once(void)
{
	for (size_t i = 0; i < WAYS; i++) {
		const struct packet_way *way = &packet_ways[i];
		const struct spec v4 = {.dst = way->mac, .to = way->ip, .payload = 50};
		const struct spec v6 = {.dst = way->mac, .from = IP6_A, .to = way->ip6};
		int tap = way->tenant == RED	 ? red
			  : way->tenant == GREEN ? green
			  : way->tenant == LARGE ? large
						 : violet;

		say(tap, &v4);
		expect(wire, &v4, &way->outer, false);
		say(tap, &v6);
		expect(wire, &v6, &way->outer, false);
	}
	expect_nothing();
}

static void every_way(void **state)
{
	every_way_once();
	every_way_once(); /* by the answers that are kept */
	(void)state;
}

/* The next hop that is kept is of the other family then: no frame is lost by it. */
static void other_family(void **state)
{
	const struct outer six = {.dst = MAC_HOST2, .to = IP6_HOST2}, four = {};
	const struct spec inner = {.dst = MAC_C, .payload = 50};
	const __u32 id = HOST2;
	struct tsw_host host;

	assert_false(bpf_map_lookup_elem(lab_map(M_HOSTS), &id, &host));
	for (int i = 0; i < 20; i++) {
		host.family = i % 2 ? TSW_IPV6 : TSW_IPV4;
		lab_set(M_HOSTS, &id, &host);
		lab_changed();
		say(red, &inner);
		expect(wire, &inner, i % 2 ? &six : &four, false);
	}
	expect_nothing();
	(void)state;
}

/* Where the tunnel device does not forward either, the kernel finds the way, by the underlay. */
static void no_forwarding(void **state)
{
	lab_sysctl("ipv4/conf/vx/forwarding", "0");
	lab_sysctl("ipv6/conf/vx/forwarding", "0");
	every_way_once();
	lab_sysctl("ipv4/conf/vx/forwarding", "1");
	lab_sysctl("ipv6/conf/vx/forwarding", "1");
	(void)state;
}

static void by_the_router(void **state)
{
	const struct outer four = {.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP_ROUTED};
	const struct outer six = {.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP6_ROUTED};
	const struct spec to_four = {.dst = MAC_ON_ROUTED}, to_six = {.dst = MAC_ON_ROUTED6};
	struct outer gre = six;

	say(red, &to_four);
	expect(wire2, &to_four, &four, false);
	say(red, &to_six);
	expect(wire2, &to_six, &six, false);
	gre.gre = true;
	gre.vni = GREEN;
	say(green, &to_six);
	expect(wire2, &to_six, &gre, false);
	expect_nothing();
	(void)state;
}

/* A neighbour's new address is used at once, whatever is kept of the route. */
static void neighbour_moves(void **state)
{
	const struct outer before = {}, after = {.dst = NEW_MAC};
	const struct spec spec = {.dst = MAC_C, .to = IP_C};

	say(red, &spec);
	expect(wire, &spec, &before, false);
	lab_ip("neigh replace " IP_HOST2 " lladdr " NEW_MAC " dev wire nud permanent\n");
	say(red, &spec);
	expect(wire, &spec, &after, false);
	lab_ip("neigh replace " IP_HOST2 " lladdr " MAC_HOST2 " dev wire nud permanent\n");
	(void)state;
}

/* The kernel's device, asked by the tunnel key. */
static void make_vxlan(void)
{
	struct tsw_config cfg;

	lab_ip("link add vxr index 120 type vxlan external dstport 4789 srcport 49152 65535 "
	       "nolearning udp6zerocsumtx udp6zerocsumrx\n"
	       "link set vxr addrgenmode none\nlink set vxr up\n");
	lab_sysctl("ipv6/conf/vxr/disable_ipv6", "0");
	lab_sysctl("ipv4/conf/vxr/forwarding", "1");
	lab_sysctl("ipv6/conf/vxr/forwarding", "1");
	lab_config(&cfg);
	cfg.tunnel = VXLAN_DEV;
	cfg.flags |= TSW_CFG_SLOW_PATH;
	lab_config_set(&cfg);
}

static void by_the_kernel(void **state)
{
	const struct outer to_host2 = {.tos = 0xb8}, to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
	const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4}, plain = {};
	const struct spec all = {.dst = MAC_BROADCAST, .to = "10.0.0.255", .tos = 0xb8};
	struct outer marked = to_host3;

	make_vxlan();
	say(red, &(const struct spec){RAW(MAC_C)});
	expect(wire, &(const struct spec){RAW(MAC_C)}, &plain, true);
	say(red, &(const struct spec){RAW(MAC_D)});
	expect(wire, &(const struct spec){RAW(MAC_D)}, &to_host3, true);
	say(red, &(const struct spec){RAW(MAC_E)});
	expect(wire, &(const struct spec){RAW(MAC_E)}, &to_host4, true);
	/* DSCP is told by the key; the device adds ECN. */
	say(red, &all);
	expect(wire, &all, &to_host2, true);
	marked.tos = 0xb8;
	expect(wire, &all, &marked, true);
	expect_nothing();
	lab_ip("link del vxr\n");
	(void)state;
}

/* For GRE the device only finds the neighbour: VXLAN, with the key for its VNI. */
static void vxlan_stands_in(void **state)
{
	const struct outer by_vxlan = {.dst = NEW_MAC, .to = IP_SILENT, .vni = GREEN};
	const struct outer by_gre = {.dst = NEW_MAC, .to = IP_SILENT, .vni = GREEN, .gre = true};
	const struct spec asks = {
		.kind = KIND_ARP, .src = MAC_WIRE, .from = IP_WIRE, .to = IP_SILENT};
	const struct spec raw = {RAW(MAC_ON_SILENT)};
	struct frame got, want;

	make_vxlan();
	say(green, &raw);
	frame_build(&asks, &want);
	assert_true(lab_heard(wire, WAIT_MS, &got));
	assert_true(frame_equal("the kernel asks", &got, &want));
	lab_ip("neigh replace " IP_SILENT " lladdr " NEW_MAC " dev wire nud permanent\n");
	expect(wire, &raw, &by_vxlan, true);
	say(green, &raw);
	expect(wire, &raw, &by_gre, false);
	lab_ip("neigh del " IP_SILENT " dev wire\nlink del vxr\n");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_family, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_forwarding, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_the_router, set_up, tear_down),
		cmocka_unit_test_setup_teardown(neighbour_moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_the_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(vxlan_stands_in, set_up, tear_down),
	};
	const struct packet_suite suite = {"sent", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
