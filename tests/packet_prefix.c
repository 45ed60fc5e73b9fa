// SPDX-License-Identifier: GPL-2.0-only
/* Networks behind endpoints: who may send from them, and where frames for them go. */
#include <string.h>

#include "policies.h"

#define BEHIND "192.168.7.2"
#define BEHIND6 "fd07::2"
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
/* By the gateway's MAC: one hop. */
#define ROUTED(mac, ...)                                               \
	.in = {.dst = MAC_G, __VA_ARGS__}, .out = &(const struct spec) \
	{                                                              \
		.ttl = 63, __VA_ARGS__, .dst = mac                     \
	}
#define FROM_ROUTER(...) .program = FROM_GATEWAY, .in = {DOOR, __VA_ARGS__}, .mark = TENANT_MARK
#define GOT_BY_A(...)                                                                         \
	FROM_ROUTER(__VA_ARGS__), .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(GATEWAY), \
				  .out = &(const struct spec)                                 \
	{                                                                                     \
		.src = MAC_G, .dst = MAC_A, __VA_ARGS__                                       \
	}

static const struct outer to_host2 = {};

static void put(__u32 tenant, const char *ip, __u32 len, const char *mac)
{
	struct tsw_prefix_key key = {.len = 32 + len, .of.tenant = tenant};
	struct tsw_behind behind = {.len = (__u16)len};

	frame_ip((__u8 *)&key.of.addr, ip);
	frame_mac(behind.mac.b, mac);
	lab_set(M_PREFIXES, &key, &behind);
}

static void both(__u32 tenant, const char *mac)
{
	put(tenant, "192.168.7.0", 96 + 24, mac);
	put(tenant, "fd07::", 64, mac);
}

static void behind_a(void)
{
	both(RED, MAC_A);
}

static void behind_b(void)
{
	both(RED, MAC_B);
}

static void behind_c(void)
{
	both(RED, MAC_C);
}

static void behind_blues_a(void)
{
	both(BLUE, MAC_A);
}

/* A part of what is behind A is behind B. The command refuses that; the longest one counts. */
static void part_of_it_behind_b(void)
{
	behind_a();
	put(RED, "192.168.7.0", 96 + 30, MAC_B);
}

/* All IPv4 addresses of the tenant but those that are listed. */
static void nearly_all_behind_a(void)
{
	put(RED, "0.0.0.0", 96, MAC_A);
	put(RED, "fd00::", 16, MAC_A);
}

/* Both ends of all IPv4 addresses, as behind a VPN server, and IPv6 ones that nobody sends from. */
static void the_worlds_ends_behind_a(void)
{
	put(RED, "0.0.0.0", 96 + 1, MAC_A); /* the command takes 64.0.0.0/2 at most */
	put(RED, "192.0.0.0", 96 + 2, MAC_A);
	put(RED, "::", 112, MAC_A);
	put(RED, "ff00::", 8, MAC_A);
}

#define ENDS SPOOFED_IP, .setup = the_worlds_ends_behind_a

static const struct packet_case cases[] = {
	{"from a network behind it", .in = {.from = BEHIND}, TO_B, .setup = behind_a},
	{"in IPv6", .in = {.from = BEHIND6, .to = IP6_B}, TO_B, .setup = behind_a},
	{"from the address next to it", .in = {.from = "192.168.8.0"}, SPOOFED_IP,
	 .setup = behind_a},
	{"from the last one of it", .in = {.from = "192.168.7.255"}, TO_B, .setup = behind_a},
	{"without the word", .in = {.from = BEHIND}, SPOOFED_IP},
	{"behind a neighbour", .in = {.from = BEHIND}, SPOOFED_IP, .setup = behind_b},
	{"in IPv6, behind a neighbour", .in = {.from = BEHIND6, .to = IP6_B}, SPOOFED_IP,
	 .setup = behind_b},
	{"behind an endpoint of another host", .in = {.from = BEHIND}, SPOOFED_IP,
	 .setup = behind_c},
	{"behind another tenant's endpoint of the same MAC", .in = {.from = BEHIND}, SPOOFED_IP,
	 .setup = behind_blues_a},
	{"the longest network counts", .in = {.from = BEHIND}, SPOOFED_IP,
	 .setup = part_of_it_behind_b},
	{"and no other part", .in = {.from = "192.168.7.4"}, TO_B, .setup = part_of_it_behind_b},
	{"a neighbour's address, within it", .in = {.from = IP_C}, SPOOFED_IP,
	 .setup = nearly_all_behind_a},
	{"in IPv6, a neighbour's within it", .in = {.from = IP6_C, .to = IP6_B}, SPOOFED_IP,
	 .setup = nearly_all_behind_a},
	{"any other address of those", .in = {.from = "192.168.7.2"}, TO_B,
	 .setup = the_worlds_ends_behind_a},
	{"a loopback address within it", .in = {.from = "127.0.0.1"}, ENDS},
	{"this network's, within it", .in = {.from = "0.0.0.1"}, ENDS},
	{"a group's, within it", .in = {.from = "224.0.0.1"}, ENDS},
	{"the broadcast address within it", .in = {.from = "255.255.255.255"}, ENDS},
	{"in IPv6, the loopback address", .in = {.from = "::1", .to = IP6_B}, ENDS},
	{"in IPv6, a group's", .in = {.from = "ff02::1", .to = IP6_B}, ENDS},
	{"ARP of a group's, within it",
	 .in = {.kind = KIND_ARP, .op = 2, .dst = MAC_B, .from = "224.0.0.1", .tha = MAC_B}, ENDS},
	{"without listed addresses, behind a neighbour", .dev = RED_N,
	 .in = {.src = MAC_N, .from = BEHIND}, SPOOFED_IP, .setup = behind_a},
	{"without listed addresses, behind nobody", .dev = RED_N,
	 .in = {.src = MAC_N, .from = BEHIND}, TO_B},
	{"to the router's MAC", .in = {.to = BEHIND}, TO_B, .setup = behind_b},
	{"by the gateway's MAC", ROUTED(MAC_B, .to = BEHIND), TO_B, .setup = behind_b},
	{"in IPv6, by it", ROUTED(MAC_B, .from = IP6_A, .to = BEHIND6), TO_B, .setup = behind_b},
	{"by it to another host", ROUTED(MAC_C, .to = BEHIND, .outer = &to_host2),
	 .in = {.dst = MAC_G, .to = BEHIND}, .verdict = REDIRECTED, .moves = MOVE(TX),
	 .host = HOST2, .setup = behind_c},
	{"by it to oneself", .in = {.dst = MAC_G, .to = BEHIND}, NOWHERE, .setup = behind_a},
	{"by it to what is behind blue's", .in = {.dst = MAC_G, .to = BEHIND},
	 .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = TENANT_MARK,
	 .setup = behind_blues_a},
	{"by it to the world, from a network behind it",
	 .in = {.dst = MAC_G, .from = BEHIND, .to = IP_WORLD}, .verdict = REDIRECTED,
	 .moves = MOVE(GATEWAY), .mark_out = TENANT_MARK, .setup = behind_a},
	{"from the world", GOT_BY_A(.from = IP_WORLD, .to = BEHIND), .setup = behind_a},
	{"from the world in IPv6", GOT_BY_A(.from = IP6_WORLD, .to = BEHIND6), .setup = behind_a},
	{"from the world to what is behind blue's", FROM_ROUTER(.from = IP_WORLD, .to = BEHIND),
	 NOWHERE, .setup = behind_blues_a},
	{"from the world as one of those", FROM_ROUTER(.from = BEHIND, .to = IP_A), SPOOFED_IP,
	 .setup = behind_a},
	{"ARP for one is answered with the router's MAC", .in = {.kind = KIND_ARP, .to = BEHIND},
	 .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .setup = behind_b,
	 .out = &(const struct spec){.kind = KIND_ARP,
				     .op = 2,
				     .dst = MAC_A,
				     .src = MAC_B,
				     .from = BEHIND,
				     .to = IP_A,
				     .tha = MAC_A}},
	{"ARP of the router, as one of those",
	 .in = {.kind = KIND_ARP, .op = 2, .dst = MAC_B, .from = BEHIND, .tha = MAC_B}, TO_B,
	 .setup = behind_a},
	{"ARP of a neighbour, as one of those",
	 .in = {.kind = KIND_ARP, .op = 2, .dst = MAC_B, .from = BEHIND, .tha = MAC_B}, SPOOFED_IP,
	 .setup = behind_b},
};

/* ---- policy ------------------------------------------------------------------------ */

enum { WEB = 1, NET = 2, RULE = 3 };

#define A_TO_B(...) \
	policy_sent(FROM_PORT, RED_A, &(const struct spec){.dst = MAC_B, .to = IP_B, __VA_ARGS__})
#define B_TO_A(...)                   \
	policy_sent(FROM_PORT, RED_B, \
		    &(const struct spec){.src = MAC_B, .dst = MAC_A, .from = IP_B, __VA_ARGS__})

static int policy(void **state)
{
	(void)state;
	lab_fill();
	lab_policy_begin(RED, TSW_POLICY_ON, false);
	lab_policy_member(RED, MAC_B, WEB, 0);
	lab_policy_cidr(RED, "192.168.7.0", 96 + 24, NET);
	both(RED, MAC_A);
	return 0;
}

/* A rule about the network holds for it alone, in either direction. */
static void rule_of_cidr(void **state)
{
	static const struct policy_way from = {
		.from = TSW_POLICY_CIDR | NET, .to = WEB, .number = RULE};
	static const struct policy_way to = {
		.from = WEB, .to = TSW_POLICY_CIDR | NET, .number = RULE};

	(void)state;
	assert_int_equal(A_TO_B(.from = BEHIND), TSW_DROP_POLICY_DENIED);
	lab_policy_way(&from);
	assert_int_equal(A_TO_B(.from = BEHIND), 0);
	assert_int_equal(A_TO_B(), TSW_DROP_POLICY_DENIED);
	assert_int_equal(B_TO_A(.to = BEHIND, .dport = 9), TSW_DROP_POLICY_DENIED);
	lab_policy_way(&to);
	assert_int_equal(B_TO_A(.to = BEHIND, .dport = 9), 0);
	assert_int_equal(B_TO_A(.to = IP_A, .dport = 9), TSW_DROP_POLICY_DENIED);
}

/* The router's groups are those of the networks behind it. A CIDR is no group. */
static void rule_of_group(void **state)
{
	static const struct policy_way way = {.from = WEB, .to = WEB, .number = RULE};

	(void)state;
	lab_policy_member(RED, MAC_B, 0, 0);
	assert_int_equal(A_TO_B(.from = BEHIND), 0);
	lab_policy_member(RED, MAC_A, WEB, 0);
	assert_int_equal(A_TO_B(.from = BEHIND), TSW_DROP_POLICY_DENIED);
	lab_policy_member(RED, MAC_B, WEB, 0);
	lab_policy_way(&way);
	assert_int_equal(A_TO_B(.from = BEHIND), 0);
}

/* A neighbour's CIDRs are not asked for: it is not behind A. */
static void not_of_others(void **state)
{
	static const struct policy_way way = {
		.from = WEB, .to = TSW_POLICY_CIDR | NET, .number = RULE};

	(void)state;
	lab_policy_way(&way);
	both(RED, MAC_C);
	assert_int_equal(B_TO_A(.to = BEHIND, .dport = 9), TSW_DROP_POLICY_DENIED);
}

int main(void)
{
	static const struct CMUnitTest more[] = {cmocka_unit_test_setup(rule_of_cidr, policy),
						 cmocka_unit_test_setup(rule_of_group, policy),
						 cmocka_unit_test_setup(not_of_others, policy)};
	const struct packet_suite suite = {"prefix", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
