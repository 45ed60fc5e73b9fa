// SPDX-License-Identifier: GPL-2.0-only
/*
 * By which uplink a frame leaves this host: the slot that it enters the router with, and the device
 * that it gets to from there. The host's routes tell, and what is in place of tsw-up forwards.
 */
#include <string.h>
#include <unistd.h>

#include "lab_world.h"
#include "packet.h"

#define OF_RED 0x74500001
#define SELF_OF_RED 0x74550001
#define NAMES_OF_RED 0x74520001
#define RED_TO_BLUE 0x101
#define WORLD 0x74560000
#define SLOT 3
#define OTHER_SLOT 4
#define NET_SLOT 9
#define IP_BEHIND "198.51.100.99" /* the router */
#define IP6_BEHIND "2001:db8:9::99"
#define IP_NEAR "203.0.113.9" /* on WIRE2's network, unknown there */
#define IP6_NEAR "2001:db8:3::9"
#define IP_FAR "192.0.2.200" /* on WIRE's network */
#define WAIT_MS 2000

#define TO_G .dst = MAC_G
#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = OF_RED, .setup = routes
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define GOES(...)                                                                             \
	.program = TO_WORLD, .in = {DOOR, __VA_ARGS__}, .mark = WORLD, .verdict = REDIRECTED, \
	.setup = routes
/* The router says whose connection it is. */
#define OF_RED_GOES(...)                                                               \
	.program = TO_WORLD, .in = {DOOR, __VA_ARGS__}, .mark = 1, .verdict = DROPPED, \
	.setup = routes
#define NO_UPLINK .verdict = DROPPED, .drop = TSW_DROP_NO_UPLINK, .tenant = NOBODY
#define HOST_ADDRESS .verdict = DROPPED, .drop = TSW_DROP_HOST_ADDRESS, .tenant = NOBODY
#define NOT_STAMPED .verdict = DROPPED, .drop = TSW_DROP_NOT_STAMPED, .tenant = NOBODY

static void forward(const char *on)
{
	lab_sysctl("ipv4/conf/tsup/forwarding", on);
	lab_sysctl("ipv6/conf/tsup/forwarding", on);
}

static void routes(void)
{
	forward("1");
	lab_uplink(WIRE2, SLOT);
	lab_uplink(WIRE, OTHER_SLOT);
	lab_uplink_addr(IP_WIRE2, WIRE2);
	lab_uplink_addr(IP6_WIRE2, WIRE2);
	lab_uplink_addr(IP_WIRE, WIRE);
}

static void wire2_is_no_uplink(void)
{
	const struct tsw_uplink_net gone = {TSW_UPLINK_ANY, WIRE2, {}};

	routes();
	lab_unset(M_UPLINK_SLOTS, &gone);
}

static void two_networks(void)
{
	routes();
	lab_ip("route replace " IP_BEHIND " via " IP_ROUTER "\n"
	       "route replace " IP6_BEHIND " via " IP6_ROUTER "\n");
	lab_uplink_net(WIRE2, IP_ROUTER, NET_SLOT);
	lab_uplink_net(WIRE2, IP6_ROUTER, NET_SLOT);
}

static void address_of_no_uplink(void)
{
	routes();
	lab_uplink_addr(IP_WIRE2, 0);
}

static void not_known_as_its_own(void)
{
	lab_clear(M_UPLINK_ADDRS);
	forward("1");
	lab_uplink(WIRE2, SLOT);
}

static void closed(void)
{
	routes();
	forward("0");
}

static void closed_with_default(void)
{
	closed();
	lab_uplink(0, WIRE2);
}

static void peers(void)
{
	routes();
	lab_peer(RED, IP_NEAR, 32, BLUE, RED_TO_BLUE);
	lab_peer(BLUE, IP_A, 32, RED, 0x102);
	lab_mark(RED_TO_BLUE, RED, BLUE);
	lab_mark(0x102, BLUE, RED);
}

static void names(const char *resolver)
{
	struct tsw_gateway gw;

	routes();
	lab_gateway_get(RED, &gw);
	frame_ip((__u8 *)&gw.resolver[TSW_IPV4], resolver);
	lab_gateway_set(RED, &gw);
	lab_tenant_flag(RED, TSW_TENANT_DNS);
}

static void resolver_near(void)
{
	names(IP_NEAR);
}

static void resolver_far(void)
{
	names(IP_FAR);
}

static void seal_of_another(struct frame *f)
{
	frame_mac(f->b + TSW_MAC_LEN, "02:07:a1:5e:a1:02");
}

#define NAME_SYN TO_G, .to = IP_G, .kind = KIND_TCP, .tcp_flags = 2, .dport = 53

static const struct packet_case cases[] = {
	{"in, by the second device", .in = {TO_G, .to = IP_NEAR}, ENTERS, .asks = true,
	 .slot = SLOT},
	{"in, by a neighbour that is known", .in = {TO_G, .to = IP_ROUTER}, ENTERS, .slot = SLOT},
	{"in, by the first device", .in = {TO_G, .to = IP_FAR}, ENTERS, .asks = true,
	 .slot = OTHER_SLOT},
	{"in, IPv6", .in = {TO_G, .from = IP6_A, .to = IP6_NEAR}, ENTERS, .asks = true,
	 .slot = SLOT},
	{"in, by a router in another network", .in = {TO_G, .to = IP_BEHIND}, ENTERS,
	 .slot = NET_SLOT, .setup = two_networks},
	{"in, by a router in another network, IPv6", .in = {TO_G, .from = IP6_A, .to = IP6_BEHIND},
	 ENTERS, .slot = NET_SLOT, .setup = two_networks},
	{"in, to that router", .in = {TO_G, .to = IP_ROUTER}, ENTERS, .slot = NET_SLOT,
	 .setup = two_networks},
	{"in, to another neighbour", .in = {TO_G, .to = IP_NEAR}, ENTERS, .asks = true,
	 .slot = SLOT, .setup = two_networks},
	{"in, UDP to a port of its own", .in = {TO_G, .to = IP_NEAR, .dport = 53}, ENTERS,
	 .asks = true, .slot = SLOT},
	{"in, later fragment", .in = {TO_G, .to = IP_NEAR, .frag = 0x0010}, ENTERS, .asks = true,
	 .slot = SLOT},
	{"in, a long frame", .in = {TO_G, .to = IP_NEAR, .payload = 3000}, ENTERS, .asks = true,
	 .slot = SLOT},
	{"in, no route", .in = {TO_G, .to = "198.18.0.1"}, ENTERS, .slot = TSW_SLOT_NONE},
	{"in, no route, IPv6", .in = {TO_G, .from = IP6_A, .to = IP6_WORLD}, ENTERS,
	 .slot = TSW_SLOT_NONE},
	{"in, by no uplink", .in = {TO_G, .to = IP_NEAR}, ENTERS, .asks = true,
	 .slot = TSW_SLOT_NONE, .setup = wire2_is_no_uplink},
	{"in, to this host", .in = {TO_G, .to = IP_WIRE2}, ENTERS, .slot = 0},
	{"in, to this host, IPv6", .in = {TO_G, .from = IP6_A, .to = IP6_WIRE2}, ENTERS, .slot = 0},
	{"in, to another address of this host's", .in = {TO_G, .to = IP_WIRE2}, ENTERS, .slot = 0,
	 .setup = address_of_no_uplink},
	{"in, to one that the router does not know", .in = {TO_G, .to = IP_WIRE2}, ENTERS,
	 .slot = TSW_SLOT_NONE, .setup = not_known_as_its_own},
	{"in, nobody may ask", .in = {TO_G, .to = IP_NEAR}, ENTERS, .slot = 0, .setup = closed},
	{"in, nobody may ask, IPv6", .in = {TO_G, .from = IP6_A, .to = IP6_NEAR}, ENTERS, .slot = 0,
	 .setup = closed},
	{"in, to the gateway itself", .in = {TO_G, .to = IP_G}, ENTERS, .mark_out = SELF_OF_RED,
	 .slot = 0},
	{"in, to a peer", .in = {TO_G, .to = IP_NEAR}, ENTERS, .slot = 0,
	 .mark_out = 0x74500000 | RED_TO_BLUE, .setup = peers},
	{"in, for its resolver", .in = {NAME_SYN}, ENTERS, .asks = true, .mark_out = NAMES_OF_RED,
	 .slot = SLOT, .setup = resolver_near},
	{"in, for a resolver elsewhere", .in = {NAME_SYN}, ENTERS, .asks = true,
	 .mark_out = NAMES_OF_RED, .slot = OTHER_SLOT, .setup = resolver_far},

	{"out, from an uplink's address", GOES(.from = IP_WIRE2, .to = IP_NEAR)},
	{"out, IPv6", GOES(.from = IP6_WIRE2, .to = IP6_NEAR)},
	{"out, from another", GOES(.from = IP_A, .to = IP_NEAR)},
	{"out, from an address of another device", GOES(.from = IP_WIRE2, .to = IP_NEAR),
	 .setup = address_of_no_uplink},
	{"out, to this host", GOES(.from = IP_A, .to = IP_WIRE2), HOST_ADDRESS},
	{"out, to this host, IPv6", GOES(.from = IP6_A, .to = IP6_WIRE2), HOST_ADDRESS},
	{"out, to this host from itself", GOES(.from = IP_WIRE2, .to = IP_WIRE), HOST_ADDRESS},
	{"out, red's to this host", OF_RED_GOES(.from = IP_A, .to = IP_WIRE2),
	 .drop = TSW_DROP_HOST_ADDRESS},
	{"out, red's without a route", OF_RED_GOES(.from = IP_A, .to = "198.18.0.1"),
	 .drop = TSW_DROP_NO_UPLINK},
	{"out, red's, half a header",
	 OF_RED_GOES(.kind = KIND_RAW, .type = 0x0800, .rest = "44", .payload = 40),
	 .drop = TSW_DROP_TRUNCATED},
	{"out, no route", GOES(.from = IP_A, .to = "198.18.0.1"), NO_UPLINK},
	{"out, no route, IPv6", GOES(.from = IP6_A, .to = IP6_WORLD), NO_UPLINK},
	{"out, by no uplink", GOES(.from = IP_A, .to = IP_NEAR), NO_UPLINK,
	 .setup = wire2_is_no_uplink},
	{"out, nobody may ask", GOES(.from = IP_A, .to = IP_NEAR), NO_UPLINK, .setup = closed},
	{"out, nobody may ask, from an uplink's", GOES(.from = IP_WIRE2, .to = IP_NEAR),
	 .setup = closed},
	{"out, nobody may ask, a default", GOES(.from = IP_A, .to = IP_NEAR),
	 .setup = closed_with_default},
	{"out, no seal", GOES(.from = IP_WIRE2, .to = IP_NEAR), .bare = true, NOT_STAMPED},
	{"out, no seal and no mark", GOES(.from = IP_WIRE2, .to = IP_NEAR), .bare = true, .mark = 0,
	 NOT_STAMPED},
	{"out, another's seal", GOES(.from = IP_WIRE2, .to = IP_NEAR), NOT_STAMPED,
	 .change = seal_of_another},
	{"out, the host's own to all",
	 GOES(.dst = MAC_BROADCAST, .from = IP_WIRE2, .to = "255.255.255.255"), .bare = true,
	 NOT_STAMPED},
	{"out, half a header", GOES(.kind = KIND_RAW, .type = 0x0800, .rest = "44", .payload = 40),
	 .verdict = DROPPED, .drop = TSW_DROP_TRUNCATED, .tenant = NOBODY},
};

/* ---- by the devices ------------------------------------------------------------------ */

/* The next hop is the kernel's to find, as for what the host sends itself. */
static void leaves_by(int inside, const struct spec *in, int heard, const char *src,
		      const char *dst)
{
	struct spec out = *in;
	struct frame f = {}, want = {};

	frame_build(in, &f);
	packet_seal(&f, WORLD | SLOT, 0);
	lab_say(inside, &f);
	out.src = src;
	out.dst = dst;
	frame_build(&out, &want);
	assert_true(lab_heard(heard, WAIT_MS, &f));
	assert_true(frame_equal("heard", &f, &want));
}

static void leaves(void **state)
{
	const struct spec near = {.from = IP_WIRE2, .to = IP_ROUTER, .payload = 40};
	const struct spec near6 = {.from = IP6_WIRE2, .to = IP6_ROUTER, .payload = 40};
	const struct spec routed = {.from = IP_A, .to = IP_ROUTED, .payload = 40};
	const struct spec other = {.from = IP_WIRE, .to = IP_HOST2, .payload = 40};
	const int wire = lab_tap("wire1"), wire2 = lab_tap("wire21");
	struct frame f = {};
	int inside;

	(void)state;
	lab_router_make();
	routes();
	lab_router_enter();
	inside = lab_tap("tsup1");
	lab_router_leave();
	lab_attach_tc(UP, false, lab_program(TO_WORLD));
	leaves_by(inside, &near, wire2, MAC_WIRE2, MAC_ROUTER);
	leaves_by(inside, &near6, wire2, MAC_WIRE2, MAC_ROUTER);
	leaves_by(inside, &routed, wire2, MAC_WIRE2, MAC_ROUTER);
	leaves_by(inside, &other, wire, MAC_WIRE, MAC_HOST2);
	frame_build(&near, &f);
	lab_say(inside, &f); /* no seal */
	assert_false(lab_heard(wire, 0, &f) || lab_heard(wire2, 0, &f));
	lab_detach();
	lab_fill();
	close(inside);
	close(wire);
	close(wire2);
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(leaves)};
	const struct packet_suite suite = {"uplink", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
