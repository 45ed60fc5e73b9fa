// SPDX-License-Identifier: GPL-2.0-only
/* From a port to the tenant's gateway: answered there, or into the host's routing, or neither. */
#include <stdio.h>
#include <string.h>

#include <tsw/abi_crypt.h>

#include "packet.h"

/* Marks: a class over an index, see abi.h. */
#define OF_RED 0x74500001
#define SELF_OF_RED 0x74550001

#define TO_G .dst = MAC_G, .to = IP_WORLD
#define TO_G6 .dst = MAC_G, .from = IP6_A, .to = IP6_WORLD
#define VXLAN TO_G, .dport = 4789
#define GENEVE TO_G, .dport = 6081
#define TO_WG TO_G, .sport = TSW_CRYPT_PORT, .dport = TSW_CRYPT_PORT
#define GRE(flags, of) TO_G, .proto = 47, .sport = flags, .dport = of
#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = OF_RED
#define ENTERS_ITSELF ENTERS, .mark_out = SELF_OF_RED
#define ANSWERED_TO_A .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define SPOOFED_MAC .drop = TSW_DROP_SPOOFED_MAC
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define DEVICE_GONE .drop = TSW_DROP_DEVICE_GONE
#define NO_GATEWAY .drop = TSW_DROP_NO_GATEWAY
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50

static const struct outer to_host2 = {}, to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
static const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4};
#define SENT(header, ...)                                                                  \
	.in = {__VA_ARGS__}, .out = &(const struct spec){__VA_ARGS__, .outer = &(header)}, \
	.verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST2

#define ARP_FOR(ip) .kind = KIND_ARP, .to = ip
#define ARP_OF_G                                                                                 \
	&(const struct spec)                                                                     \
	{                                                                                        \
		.kind = KIND_ARP, .op = 2, .dst = MAC_A, .src = MAC_G, .from = IP_G, .to = IP_A, \
		.tha = MAC_A                                                                     \
	}
#define NS(of)                                                                              \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 135, .rest = "00000000", .from = IP6_A, \
	.dst = "33:33:ff:00:00:fe", .to = "ff02::1:ff00:fe", .target = of
#define NA_OF_G(ip)                                                                                \
	&(const struct spec)                                                                       \
	{                                                                                          \
		.kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "60000000", .dst = MAC_A, \
		.src = MAC_G, .from = ip, .to = IP6_A, .target = ip, .tail = "0201 0200000000fe"   \
	}

#define ECHO .kind = KIND_ICMP, .rest = "12340001", .payload = 56
#define PING ECHO, .icmp_type = 8, .dst = MAC_G, .to = IP_G
#define PING6 ECHO, .icmp_type = 128, .dst = MAC_G, .from = IP6_A, .to = IP6_G
#define PONG ECHO, .icmp_type = 0, .src = MAC_G, .dst = MAC_A, .from = IP_G, .to = IP_A
#define PONG6 ECHO, .icmp_type = 129, .src = MAC_G, .dst = MAC_A, .from = IP6_G, .to = IP6_A
#define AS(...)                     \
	.out = &(const struct spec) \
	{                           \
		__VA_ARGS__         \
	}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, HOST3, 0);
}

static void at_host3(void)
{
	lab_gateway(RED, HOST3, HOST2, 0);
}

static void at_host4(void)
{
	lab_gateway(RED, HOST4, 0, 0);
}

static void at_a_host_that_is_gone(void)
{
	lab_gateway(RED, HOST_GONE, 0, 0);
}

static void at_host2_without_tsw_gw(void)
{
	lab_no_door();
	at_host2();
}

static void tsw_gw_is_gone(void)
{
	const __u32 door = GW;

	lab_unset(M_DEVICES, &door);
}

static void at_host2_tsw_gw_is_gone(void)
{
	tsw_gw_is_gone();
	at_host2();
}

/* By no other host, and it never was. */
static void here_alone(void)
{
	lab_gateway(RED, 0, 0, 0);
}

static void index_of(__u32 index)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.index = index;
	lab_gateway_set(RED, &gw);
}

static void index_is_blues(void)
{
	index_of(2);
}

static void index_is_nobodys(void)
{
	index_of(77);
}

static void index_is_of_another_tenant_now(void)
{
	lab_mark(1, BLUE, 0);
}

static void no_record(void)
{
	lab_gateway_unset(RED);
}

/* All that says that red has one; blue has one still. */
static void no_gateway(void)
{
	struct tsw_addr_key key = {.tenant = RED};

	lab_gateway_unset(RED);
	lab_fdb_unset(RED, MAC_G);
	frame_ip((__u8 *)&key.addr, IP_G);
	lab_unset(M_ADDRS, &key);
	frame_ip((__u8 *)&key.addr, IP6_G);
	lab_unset(M_ADDRS, &key);
	lab_clear(M_GROUPS);
}

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void last_index(void)
{
	index_of(TSW_GATEWAY_MAX);
	lab_mark(TSW_GATEWAY_MAX, RED, 0);
}

/* Eight, of which the last is asked for. */
static void most_addresses(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.n_addrs = TSW_GATEWAY_ADDRS;
	gw.addr[7] = gw.addr[0];
	gw.addr[0] = (struct tsw_prefix){};
	lab_gateway_set(RED, &gw);
}

/* What is behind the count is no address of it. */
static void fewer_addresses(void)
{
	struct tsw_gateway gw;
	struct tsw_addr_key key = {.tenant = RED};

	lab_gateway_get(RED, &gw);
	gw.n_addrs = 0;
	lab_gateway_set(RED, &gw);
	frame_ip((__u8 *)&key.addr, IP_G);
	lab_unset(M_ADDRS, &key);
}

static void n_is_b(void)
{
	lab_addr(RED, IP_N, MAC_B);
}

static void n_is_listed(void)
{
	lab_addr(RED, IP_N, MAC_N);
	lab_addr(RED, "169.254.1.2", MAC_N);
	lab_addr(RED, "0.0.0.0", MAC_N);
}

static void blue_has_the_world(void)
{
	lab_addr(BLUE, IP_WORLD, MAC_B);
	lab_addr(BLUE, IP6_WORLD, MAC_B);
	lab_peer(BLUE, IP_WORLD, 24, GREEN, 9);
	lab_gateway(BLUE, HOST2, 0, 100);
}

static const struct packet_case cases[] = {
	{"ARP for the gateway", .in = {ARP_FOR(IP_G)}, ANSWERED_TO_A, .out = ARP_OF_G},
	{"the same where it is elsewhere", .in = {ARP_FOR(IP_G)}, ANSWERED_TO_A, .out = ARP_OF_G,
	 .setup = at_host2},
	{"ARP for the gateway that others have", .in = {ARP_FOR(IP_G)}, .setup = no_gateway},
	{"ND for the gateway", .in = {NS(IP6_G)}, ANSWERED_TO_A, .out = NA_OF_G(IP6_G)},
	{"ND for its link-local address", .in = {NS(LL6_G)}, ANSWERED_TO_A, .out = NA_OF_G(LL6_G)},
	{"ARP in the gateway's name", .in = {ARP_FOR(IP_B), .from = IP_G}, SPOOFED_IP},
	{"ARP reply in its name", .in = {ARP_FOR(IP_B), .op = 2, .dst = MAC_B, .from = IP_G},
	 SPOOFED_IP},
	{"ARP with its MAC in it", .in = {ARP_FOR(IP_B), .sha = MAC_G}, SPOOFED_MAC},
	{"frame with its MAC", .in = {.src = MAC_G}, SPOOFED_MAC},
	{"frame with its MAC to itself", .in = {TO_G, .src = MAC_G}, SPOOFED_MAC},
	{"frame with its address", .in = {TO_G, .from = IP_G}, SPOOFED_IP},
	{"frame with its IPv6 address", .in = {TO_G6, .from = IP6_G}, SPOOFED_IP},
	{"frame with its link-local address", .in = {.from = LL6_G, .to = IP6_B}, SPOOFED_IP},
	{"no addresses, frame with its address", .dev = RED_N,
	 .in = {TO_G, .src = MAC_N, .from = IP_G}, SPOOFED_IP},

	{"echo", .in = {PING}, AS(PONG), ANSWERED_TO_A},
	{"echo, IPv6", .in = {PING6}, AS(PONG6), ANSWERED_TO_A},
	{"echo, a code", .in = {PING, .icmp_code = 9}, AS(PONG, .icmp_code = 9), ANSWERED_TO_A},
	{"echo, an odd length", .in = {PING, .payload = 3}, AS(PONG, .payload = 3), ANSWERED_TO_A},
	{"echo, nothing in it", .in = {PING6, .payload = 0}, AS(PONG6, .payload = 0),
	 ANSWERED_TO_A},
	{"echo, as long as can be", .in = {PING, .payload = 1472}, AS(PONG, .payload = 1472),
	 ANSWERED_TO_A},
	{"echo, IPv4 options", .in = {PING, .ext = "94040000"}, AS(PONG, .ext = "94040000"),
	 ANSWERED_TO_A},
	{"echo, DF and an id", .in = {PING, .frag = 0x4000, .id = 7},
	 AS(PONG, .frag = 0x4000, .id = 7), ANSWERED_TO_A},
	{"echo, padded", .in = {PING, .lie = -20}, AS(PONG, .lie = -20), ANSWERED_TO_A},
	{"echo, a mark from the container", .in = {PING}, AS(PONG), ANSWERED_TO_A,
	 .mark = 0x74500002},
	{"echo from link-local", .in = {PING6, .from = LL6_A}, AS(PONG6, .to = LL6_A),
	 ANSWERED_TO_A},
	{"echo at a port with its peer elsewhere", .in = {PING}, AS(PONG), ANSWERED_TO_A, .to = 0,
	 .setup = a_has_peer},
	{"echo at a port without addresses", .dev = RED_N, .in = {PING, .src = MAC_N, .from = IP_N},
	 AS(PONG, .dst = MAC_N, .to = IP_N), ANSWERED_TO_A, .to = RED_N},
	{"echo, the gateway elsewhere", .in = {PING}, AS(PONG), ANSWERED_TO_A, .setup = at_host2},
	{"echo, IPv6, the gateway elsewhere", .in = {PING6}, AS(PONG6), ANSWERED_TO_A,
	 .setup = at_host4},
	{"echo, no tsw-gw", .in = {PING}, AS(PONG), ANSWERED_TO_A, .setup = lab_no_door},
	{"echo to the last address", .in = {PING}, AS(PONG), ANSWERED_TO_A,
	 .setup = most_addresses},
	{"echo to what is its address no more", .in = {PING}, ENTERS, .setup = fewer_addresses},
	{"echo with a foreign address", .in = {PING, .from = IP_B}, SPOOFED_IP},
	{"echo to the world", .in = {PING, .to = IP_WORLD}, ENTERS},
	{"echo to its other family's address", .in = {PING, .from = IP6_A, .to = IP6_G},
	 ENTERS_ITSELF},
	{"echo to it by a neighbour's MAC", .in = {PING, .dst = MAC_B}, .verdict = REDIRECTED,
	 .to = RED_B, .moves = MOVE(LOCAL)},
	{"echo reply to it", .in = {PING, .icmp_type = 0}, ENTERS_ITSELF},
	{"ICMP timestamp to it", .in = {PING, .icmp_type = 13}, ENTERS_ITSELF},
	{"ICMPv6 echo reply to it", .in = {PING6, .icmp_type = 129}, ENTERS_ITSELF},
	{"ICMP's echo in IPv6", .in = {PING6, .icmp_type = 8}, ENTERS_ITSELF},
	{"ICMP's number in IPv6", .in = {PING6, .proto = 1}, ENTERS_ITSELF},
	{"ICMPv6's number in IPv4", .in = {PING, .proto = 58, .icmp_type = 128}, ENTERS_ITSELF},
	{"echo, first fragment", .in = {PING, .frag = 0x2000}, ENTERS_ITSELF},
	{"echo, later fragment", .in = {PING, .frag = 0x0001}, ENTERS_ITSELF},
	{"echo, IPv6, a fragment", ENTERS_ITSELF,
	 .in = {PING6, .next = 44, .ext = "3a00000112345678"}},
	{"echo, IPv6, behind a header", ENTERS_ITSELF,
	 .in = {PING6, .next = 60, .ext = "3a00010400000000"}},
	{"echo, no ICMP header", .in = {PING, .rest = "", .payload = 0, .cut = 4, .lie = -4},
	 ENTERS_ITSELF},

	{"to the gateway itself, UDP", .in = {TO_G, .to = IP_G}, ENTERS_ITSELF},
	{"to the gateway itself, TCP", .in = {TO_G, .to = IP_G, .kind = KIND_TCP}, ENTERS_ITSELF},
	{"to the gateway itself, IPv6", .in = {TO_G6, .to = IP6_G}, ENTERS_ITSELF},
	{"to the last of its addresses", .in = {TO_G, .to = IP_G}, ENTERS_ITSELF,
	 .setup = most_addresses},

	{"to the world", .in = {TO_G}, ENTERS},
	{"to the world, IPv6", .in = {TO_G6}, ENTERS},
	{"to the world, TCP", .in = {TO_G, .kind = KIND_TCP, .tcp_flags = 2}, ENTERS},
	{"to the world, another protocol", .in = {TO_G, .proto = 132}, ENTERS},
	{"to the world, fragment", .in = {TO_G, .frag = 0x2000}, ENTERS},
	{"to the world, later fragment", .in = {TO_G, .frag = 0x0010}, ENTERS},
	{"to the world, options", .in = {TO_G, .ext = "94040000"}, ENTERS},
	{"to the world, at its last hop", .in = {TO_G, .ttl = 1}, ENTERS},
	{"to the world, a long frame", .in = {TO_G, .payload = 3000}, ENTERS},
	{"to the world, a mark from the container", .in = {TO_G}, ENTERS, .mark = 0x74500002},
	{"a super-frame", .in = {TO_G, .kind = KIND_TCP, .payload = 2000}, ENTERS, .gso_size = 500,
	 .gso_segs = 4, .size = {4, 2066 + 3 * 66}},
	{"blue's gateway and addresses differ", .in = {TO_G}, ENTERS, .setup = blue_has_the_world},
	{"the same, IPv6", .in = {TO_G6}, ENTERS, .setup = blue_has_the_world},
	{"the last index", .in = {TO_G}, ENTERS, .mark_out = 0x7450ffff, .setup = last_index},
	{"blue's", .dev = BLUE_A, .tenant = BLUE, .in = {TO_G}, ENTERS, .mark_out = 0x74500002},
	{"green's", .dev = GREEN_A, .tenant = GREEN, .in = {TO_G}, ENTERS, .mark_out = 0x74500003},
	{"large's", .dev = LARGE_A, .tenant = LARGE, .in = {TO_G}, ENTERS, .mark_out = 0x74500004},
	{"violet's", .dev = VIOLET_A, .tenant = VIOLET, .in = {TO_G}, ENTERS,
	 .mark_out = 0x74500005},

	{"from a neighbour's address", .in = {TO_G, .from = IP_B}, SPOOFED_IP},
	{"from nobody's address", .in = {TO_G, .from = IP_UNKNOWN}, SPOOFED_IP},
	{"from a neighbour's address, IPv6", .in = {TO_G6, .from = IP6_B}, SPOOFED_IP},
	{"from an IPv4-mapped address", .in = {TO_G6, .from = "::ffff:10.0.0.1"}, SPOOFED_IP},
	{"from link-local", .in = {TO_G6, .from = LL6_A}, HOST_ADDRESS},
	{"no addresses", .dev = RED_N, .in = {TO_G, .src = MAC_N, .from = IP_N}, SPOOFED_IP},
	{"no addresses, IPv6", .dev = RED_N, .in = {TO_G6, .src = MAC_N, .from = IP6_N},
	 SPOOFED_IP},
	{"no addresses, IPv4 link-local", .dev = RED_N,
	 .in = {TO_G, .src = MAC_N, .from = "169.254.1.2"}, SPOOFED_IP},
	{"no guard, but IPv4 link-local is listed", .dev = RED_N,
	 .in = {TO_G, .src = MAC_N, .from = "169.254.1.2"}, HOST_ADDRESS, .setup = n_is_listed},
	{"no addresses, to the gateway itself", .dev = RED_N,
	 .in = {TO_G, .src = MAC_N, .from = IP_N, .to = IP_G}, SPOOFED_IP},
	{"no addresses, a neighbour's", .dev = RED_N, .in = {TO_G, .src = MAC_N, .from = IP_N},
	 SPOOFED_IP, .setup = n_is_b},
	{"no guard, but listed", .dev = RED_N, .in = {TO_G, .src = MAC_N, .from = IP_N}, ENTERS,
	 .setup = n_is_listed},
	{"DHCP", SPOOFED_IP, .in = {.dst = MAC_G, .from = "0.0.0.0", .to = IP_WORLD, .dport = 67}},
	{"DHCP to one MAC", SPOOFED_IP,
	 .in = {.dst = MAC_G, .from = "0.0.0.0", .to = "255.255.255.255", .dport = 67}},

	{"to a host's VTEP", .in = {TO_G, .to = IP_HOST2}, HOST_ADDRESS},
	{"to a host's VTEP, IPv6", .in = {TO_G6, .to = IP6_HOST4}, HOST_ADDRESS},
	{"to a host's other VTEP", .in = {TO_G, .to = IP_HOST5}, HOST_ADDRESS},
	{"to its port of WireGuard's", .in = {TO_WG, .to = IP_HOST2}, HOST_ADDRESS},
	{"to that of IPv6", .in = {TO_WG, TO_G6, .to = IP6_HOST4}, HOST_ADDRESS},
	{"to that of IPv6, behind a header", HOST_ADDRESS,
	 .in = {TO_WG, TO_G6, .to = IP6_HOST4, .next = 60, .ext = "1100010400000000"}},
	{"to that, later fragment", .in = {TO_WG, .to = IP_HOST2, .frag = 0x0010}, HOST_ADDRESS},
	{"to a host, an ICMP error", HOST_ADDRESS,
	 .in = {TO_G, .to = IP_HOST2, .kind = KIND_ICMP, .icmp_type = 3, .rest = "00000000"}},
	{"to a host, IPv4 in IPv6", .in = {TO_G6, .to = IP6_HOST4, .proto = 4}, HOST_ADDRESS},
	{"to WireGuard's port of who is no host", .in = {TO_WG}, ENTERS},
	{"to this host's, which nftables knows", .in = {TO_G, .to = IP_WIRE}, ENTERS},
	{"to this host's, IPv6", .in = {TO_G6, .to = IP6_WIRE}, ENTERS},
	{"VXLAN to a host that is not known", .in = {VXLAN}, HOST_ADDRESS},
	{"the same, IPv6", .in = {TO_G6, .dport = 4789}, HOST_ADDRESS},
	{"the same, first fragment", .in = {VXLAN, .frag = 0x2000}, HOST_ADDRESS},
	{"the same, later fragment", .in = {VXLAN, .frag = 0x0010}, ENTERS},
	{"the same, options", .in = {VXLAN, .ext = "94040000"}, HOST_ADDRESS},
	{"the same, IPv6, behind a header", HOST_ADDRESS,
	 .in = {TO_G6, .dport = 4789, .next = 60, .ext = "1100010400000000"}},
	{"the same, IPv6, first fragment", HOST_ADDRESS,
	 .in = {TO_G6, .dport = 4789, .next = 44, .ext = "1100000112345678"}},
	{"the same, the rest of a chain in the padding", .drop = TSW_DROP_TRUNCATED,
	 .in = {TO_G6, .next = 44, .ext = "3c00000112345678 3c00010400000000 1100010400000000",
		.lie = -16}},
	{"TCP of that port", .in = {VXLAN, .kind = KIND_TCP}, ENTERS},
	{"the next port", .in = {TO_G, .dport = 4790}, ENTERS},
	{"to Geneve's port", .in = {GENEVE}, HOST_ADDRESS},
	{"to Geneve's port, IPv6", .in = {TO_G6, .dport = 6081}, HOST_ADDRESS},
	{"from that port", .in = {TO_G, .sport = 4789}, ENTERS},
	{"GRE to a host that is not known", .in = {GRE(0x2000, 0x6558)}, HOST_ADDRESS},
	{"the same, IPv6", .in = {GRE(0x2000, 0x6558), TO_G6}, HOST_ADDRESS},
	{"the same, sequence, checksum", .in = {GRE(0xb000, 0x6558)}, HOST_ADDRESS},
	{"the same, later fragment", .in = {GRE(0x2000, 0x6558), .frag = 0x0010}, ENTERS},
	{"GRE without a key", .in = {GRE(0, 0x6558)}, ENTERS},
	{"GRE for IPv4", .in = {GRE(0x2000, 0x0800)}, ENTERS},
	{"PPTP", .in = {GRE(0x2001, 0x880b)}, ENTERS},
	{"VXLAN, the gateway elsewhere", SENT(to_host2, VXLAN), .setup = at_host2},
	{"to multicast", .in = {TO_G, .to = "224.0.0.1"}, HOST_ADDRESS},
	{"to the last multicast", .in = {TO_G, .to = "239.255.255.255"}, HOST_ADDRESS},
	{"to what is reserved", .in = {TO_G, .to = "240.0.0.1"}, HOST_ADDRESS},
	{"to all", .in = {TO_G, .to = "255.255.255.255"}, HOST_ADDRESS},
	{"to the switch's own", .in = {TO_G, .to = IP_SERVICE}, HOST_ADDRESS},
	{"to that of IPv6", .in = {TO_G6, .to = IP6_SERVICE}, HOST_ADDRESS},
	{"beside it", .in = {TO_G6, .to = "fd00:ec2::252"}, ENTERS},
	{"to multicast, IPv6", .in = {TO_G6, .to = "ff0e::1"}, HOST_ADDRESS},
	{"to all nodes, IPv6", .in = {TO_G6, .to = "ff02::1"}, HOST_ADDRESS},
	{"to loopback", .in = {TO_G, .to = "127.0.0.1"}, HOST_ADDRESS},
	{"to the last of loopback", .in = {TO_G, .to = "127.255.255.255"}, HOST_ADDRESS},
	{"just below loopback", .in = {TO_G, .to = "126.255.255.255"}, ENTERS},
	{"just above loopback", .in = {TO_G, .to = "128.0.0.0"}, ENTERS},
	{"to loopback, IPv6", .in = {TO_G6, .to = "::1"}, HOST_ADDRESS},
	{"to 0.0.0.0", .in = {TO_G, .to = "0.0.0.0"}, HOST_ADDRESS},
	{"to this network", .in = {TO_G, .to = "0.255.0.1"}, HOST_ADDRESS},
	{"just above it", .in = {TO_G, .to = "1.0.0.0"}, ENTERS},
	{"to ::", .in = {TO_G6, .to = "::"}, HOST_ADDRESS},
	{"to link-local", .in = {TO_G, .to = "169.254.169.254"}, HOST_ADDRESS},
	{"just below link-local", .in = {TO_G, .to = "169.253.255.255"}, ENTERS},
	{"just above link-local", .in = {TO_G, .to = "169.255.0.0"}, ENTERS},
	{"to link-local, IPv6", .in = {TO_G6, .to = LL6_B}, HOST_ADDRESS},
	{"to link-local of nobody", .in = {TO_G6, .to = "fe80::1"}, HOST_ADDRESS},
	{"to the last of link-local", .in = {TO_G6, .to = "febf::1"}, HOST_ADDRESS},
	{"just above link-local, IPv6", .in = {TO_G6, .to = "fec0::1"}, ENTERS},
	{"to its own link-local address", .in = {TO_G6, .to = LL6_G}, HOST_ADDRESS},
	{"to an IPv4-mapped address", .in = {TO_G6, .to = "::ffff:203.0.113.77"}, HOST_ADDRESS},
	{"to the gateway itself, IPv4-mapped", .in = {TO_G6, .to = "::ffff:10.0.0.254"},
	 HOST_ADDRESS},
	{"echo to it, IPv4-mapped", .in = {PING6, .to = "::ffff:10.0.0.254"}, HOST_ADDRESS},
	{"to a VTEP, IPv4-mapped", .in = {TO_G6, .to = "::ffff:192.0.2.2"}, HOST_ADDRESS},
	{"to nobody of its own network", .in = {TO_G, .to = IP_UNKNOWN}, NOWHERE},
	{"to the first address of it", .in = {TO_G, .to = "10.0.0.0"}, NOWHERE},
	{"to the last address of it", .in = {TO_G, .to = "10.0.0.255"}, NOWHERE},
	{"just below it", .in = {TO_G, .to = "9.255.255.255"}, ENTERS},
	{"just above it", .in = {TO_G, .to = "10.0.1.0"}, ENTERS},
	{"to nobody of it, IPv6", .in = {TO_G6, .to = "fd00::99"}, NOWHERE},
	{"to the last of it, IPv6", .in = {TO_G6, .to = "fd00::ffff:ffff:ffff:ffff"}, NOWHERE},
	{"just below it, IPv6", .in = {TO_G6, .to = "fcff:ffff:ffff:ffff:ffff::1"}, ENTERS},
	{"just above it, IPv6", .in = {TO_G6, .to = "fd00:0:0:1::"}, ENTERS},
	{"to nobody of its last network", .in = {TO_G, .to = IP_UNKNOWN}, NOWHERE,
	 .setup = most_addresses},
	{"its networks are not there any more", .in = {TO_G, .to = IP_UNKNOWN}, ENTERS,
	 .setup = fewer_addresses},
	{"not IP", .in = {TO_G, RAW}, NOWHERE},
	{"ARP to its MAC, for nobody", .in = {ARP_FOR(IP_UNKNOWN), .dst = MAC_G}, NOWHERE},
	{"ARP reply to its MAC", .in = {ARP_FOR(IP_G), .op = 2, .dst = MAC_G}, NOWHERE},
	{"not IP, of any kind", .in = {TO_G, RAW, .type = 0x0600}, NOWHERE},

	{"elsewhere", SENT(to_host2, TO_G), .setup = at_host2},
	{"elsewhere, IPv6", SENT(to_host2, TO_G6), .setup = at_host2},
	{"elsewhere, to the gateway itself", SENT(to_host2, TO_G, .to = IP_G), .setup = at_host2},
	{"elsewhere, echo reply to it", SENT(to_host2, PING, .icmp_type = 0), .setup = at_host2},
	{"elsewhere, on host 3", SENT(to_host3, TO_G), .host = HOST3, .setup = at_host3},
	{"elsewhere, over IPv6", SENT(to_host4, TO_G), .host = HOST4, .setup = at_host4},
	{"elsewhere, no tsw-gw here", SENT(to_host2, TO_G), .setup = at_host2_without_tsw_gw},
	{"elsewhere, from a neighbour's address", .in = {TO_G, .from = IP_B}, SPOOFED_IP,
	 .setup = at_host2},
	{"on a host that is gone", .in = {TO_G}, NOWHERE, .setup = at_a_host_that_is_gone},
	{"elsewhere, not IP", SENT(to_host2, TO_G, RAW), .setup = at_host2},
	{"elsewhere, tsw-gw is gone", SENT(to_host2, TO_G), .setup = at_host2_tsw_gw_is_gone},
	{"here alone", .in = {TO_G}, ENTERS, .setup = here_alone},
	{"here alone, to the gateway itself", .in = {TO_G, .to = IP_G}, ENTERS_ITSELF,
	 .setup = here_alone},

	{"no record", .in = {TO_G}, NO_GATEWAY, .setup = no_record},
	{"no record, echo", .in = {PING}, NO_GATEWAY, .setup = no_record},
	{"no record, not IP", .in = {TO_G, RAW}, NO_GATEWAY, .setup = no_record},
	{"no tsw-gw", .in = {TO_G}, NO_GATEWAY, .setup = lab_no_door},
	{"no tsw-gw, IPv6", .in = {TO_G6}, NO_GATEWAY, .setup = lab_no_door},
	{"tsw-gw is gone", .in = {TO_G}, DEVICE_GONE, .setup = tsw_gw_is_gone},
	{"tsw-gw is gone, to the gateway itself", .in = {TO_G, .to = IP_G}, DEVICE_GONE,
	 .setup = tsw_gw_is_gone},
	{"tsw-gw is gone, echo", .in = {PING}, AS(PONG), ANSWERED_TO_A, .setup = tsw_gw_is_gone},
	{"the index is blue's", .in = {TO_G}, NO_GATEWAY, .setup = index_is_blues},
	{"the index is blue's, to the gateway itself", .in = {TO_G, .to = IP_G}, NO_GATEWAY,
	 .setup = index_is_blues},
	{"the index is nobody's", .in = {TO_G}, NO_GATEWAY, .setup = index_is_nobodys},
	{"the index is blue's by now", .in = {TO_G6}, NO_GATEWAY,
	 .setup = index_is_of_another_tenant_now},
	{"no gateway, though others have one", .in = {TO_G}, NOWHERE, .setup = no_gateway},
};

int main(void)
{
	const struct packet_suite suite = {"gateway", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
