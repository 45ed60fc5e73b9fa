// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers: red and blue let each other's networks in. Between all others, and outside of these
 * networks, nothing passes.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"

/* Where both agree; their other addresses are the same ones, and stay each one's own. */
#define RED_NET "10.1.0.0"
#define RED_NET6 "fd01::"
#define BLUE_NET "10.2.0.0"
#define BLUE_NET6 "fd02::"
#define RED_IP "10.1.0.1" /* of A, as are those below */
#define RED_IP6 "fd01::1"
#define RED_TOO "10.1.0.2"
#define RED_C "10.1.0.3"
#define BLUE_IP "10.2.0.1"
#define BLUE_IP6 "fd02::1"
#define BLUE_C "10.2.0.3"
#define MAC_G2 "02:74:00:00:00:c8" /* of blue's gateway */

#define RED_TO_BLUE 0x101
#define BLUE_TO_RED 0x102
#define RED_TO_GREEN 0x103

#define PORT(...) .in = {.dst = MAC_G, .from = RED_IP, .to = BLUE_IP, __VA_ARGS__}
#define PORT6(...) .in = {.dst = MAC_G, .from = RED_IP6, .to = BLUE_IP6, __VA_ARGS__}
#define BLUE_PORT(...)                 \
	.dev = BLUE_A, .tenant = BLUE, \
	.in = {.dst = MAC_G2, .from = BLUE_IP, .to = RED_IP, __VA_ARGS__}
#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY)
#define TO_BLUE ENTERS, .mark_out = 0x74500000 | RED_TO_BLUE
#define TO_RED ENTERS, .mark_out = 0x74500000 | BLUE_TO_RED
#define TO_WORLD ENTERS, .mark_out = 0x74500001
#define NOT_PEERED .drop = TSW_DROP_NOT_PEERED
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define WRONG_HOST .drop = TSW_DROP_WRONG_HOST
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define NO_GATEWAY .drop = TSW_DROP_NO_GATEWAY
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS

/* From blue's gateway, which is on host 3, to red's, which is here. */
#define G2_TO_G .src = MAC_G2, .dst = MAC_G
#define FROM_BLUE .from = BLUE_IP, .to = RED_IP
#define FROM_BLUE6 .from = BLUE_IP6, .to = RED_IP6
#define WIRE_IN(header, ...) .program = FROM_WIRE, .in = {.outer = &(header), __VA_ARGS__}
#define COMES(...)                                                                             \
	WIRE_IN(host3, __VA_ARGS__), .out = &(const struct spec){__VA_ARGS__},                 \
				     .verdict = REDIRECTED, .moves = MOVE(RX) | MOVE(GATEWAY), \
				     .host = HOST3, .mark_out = 0x74500000 | BLUE_TO_RED

/* From the host's routing, to red. */
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define BY_PEERING .mark = 0x74500000 | RED_TO_BLUE
#define OUT(...) .program = FROM_GATEWAY, .mark = 0x74500001, .in = {DOOR, __VA_ARGS__}
#define TO_A(...)                                                                     \
	OUT(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .to = RED_A, \
			  .out = &(const struct spec)                                 \
	{                                                                             \
		.src = MAC_G, .dst = MAC_A, __VA_ARGS__                               \
	}
#define TO_G(...)                                                                                  \
	OUT(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(GATEWAY), .host = HOST2, \
			  .out = &(const struct spec)                                              \
	{                                                                                          \
		.outer = &to_host2, G2_TO_G, __VA_ARGS__                                           \
	}
#define SENT(header, ...)                                                                    \
	PORT(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST2,          \
			   .out = &(const struct spec)                                       \
	{                                                                                    \
		.outer = &(header), .dst = MAC_G, .from = RED_IP, .to = BLUE_IP, __VA_ARGS__ \
	}

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3}, to_host2 = {};
static const struct outer green3 = {FROM_HOST3, .vni = GREEN};

/* Red's half is red's route, and blue's is blue's. */
static void red_says(__u32 index)
{
	lab_peer(RED, BLUE_NET, 24, BLUE, index);
	lab_peer(RED, BLUE_NET6, 64, BLUE, index);
}

static void blue_says(__u32 index)
{
	lab_peer(BLUE, RED_NET, 24, RED, index);
	lab_peer(BLUE, RED_NET6, 64, RED, index);
}

/* Their addresses; green and large have the same, and no peers. */
static void addresses(void)
{
	static const __u32 all[] = {RED, BLUE, GREEN, LARGE};

	lab_gateway_mac(BLUE, MAC_G2);
	for (size_t i = 0; i < COUNT(all); i++) {
		if (all[i] == BLUE)
			continue;
		lab_addr(all[i], RED_IP, MAC_A);
		lab_addr(all[i], RED_IP6, MAC_A);
		lab_addr(all[i], RED_C, MAC_C);
	}
	lab_addr(RED, RED_TOO, MAC_A);
	lab_addr(BLUE, BLUE_IP, MAC_A);
	lab_addr(BLUE, BLUE_IP6, MAC_A);
	lab_addr(BLUE, BLUE_C, MAC_C);
	lab_mark(RED_TO_BLUE, RED, BLUE);
	lab_mark(BLUE_TO_RED, BLUE, RED);
}

static void both(void)
{
	addresses();
	red_says(RED_TO_BLUE);
	blue_says(BLUE_TO_RED);
}

static void neither(void)
{
	addresses();
	red_says(0);
	blue_says(0);
}

static void red_alone(void)
{
	both();
	blue_says(0);
}

static void blue_alone(void)
{
	both();
	red_says(0);
}

static void no_route_back(void)
{
	addresses();
	red_says(RED_TO_BLUE);
}

static void back_to_green(void)
{
	both();
	lab_peer(BLUE, RED_NET, 24, GREEN, BLUE_TO_RED);
}

static void part_is_greens(void)
{
	both();
	lab_mark(RED_TO_GREEN, RED, GREEN);
	lab_peer(RED, "10.2.0.128", 25, GREEN, RED_TO_GREEN);
	lab_peer(GREEN, RED_NET, 24, RED, 0x104);
}

static void one_address(void)
{
	both();
	lab_peer(BLUE, RED_NET, 24, RED, 0);
	lab_peer(BLUE, RED_IP, 32, RED, BLUE_TO_RED);
}

static void red_has_blues_address(void)
{
	both();
	lab_addr(RED, BLUE_IP, MAC_B);
}

static void behind_reds_a(const char *ip)
{
	struct tsw_prefix_key key = {.len = 32 + 96 + 24, .of.tenant = RED};
	struct tsw_behind behind = {.len = 96 + 24};

	frame_ip((__u8 *)&key.of.addr, ip);
	frame_mac(behind.mac.b, MAC_A);
	lab_set(M_PREFIXES, &key, &behind);
}

/* What is behind red's A is in a network that green and blue agreed on, and red did not. */
static void greens_behind_a(void)
{
	both();
	behind_reds_a("10.3.0.0");
	lab_peer(BLUE, "10.3.0.0", 24, GREEN, 0x105);
	lab_peer(GREEN, BLUE_NET, 24, BLUE, 0x106);
}

static void more_of_red_behind_a(void)
{
	both();
	behind_reds_a("10.3.0.0");
}

/* The command refuses it. */
static void blues_behind_a(void)
{
	both();
	behind_reds_a(BLUE_NET);
}

static void red_elsewhere(void)
{
	both();
	lab_gateway(RED, HOST2, 0, 0);
}

static void red_is_new_here(void)
{
	both();
	lab_gateway(RED, 0, HOST2, 100);
}

static void red_was_here(void)
{
	both();
	lab_gateway(RED, HOST2, 0, 100);
}

static void red_long_elsewhere(void)
{
	both();
	lab_gateway(RED, HOST2, 0, -11);
}

static void blue_here_alone(void)
{
	both();
	lab_gateway(BLUE, 0, 0, 0);
}

static void blue_here_alone_was_all(void)
{
	both();
	lab_gateway(BLUE, 0, 0, 100);
	lab_gateway_flags(BLUE, TSW_GATEWAY_WAS_ALL);
}

/* An index opens nothing but for whom it stands. */
static void index_of_nobody(void)
{
	const __u32 index = RED_TO_BLUE;

	both();
	lab_unset(M_MARKS, &index);
}

static void index_of_the_other(void)
{
	both();
	red_says(BLUE_TO_RED);
}

static void index_of_reds_own(void)
{
	both();
	red_says(1);
}

static void at_host3_index_of_red(void)
{
	both();
	lab_gateway(BLUE, HOST3, 0, 0);
	blue_says(RED_TO_BLUE);
}

static void blue_at_host3(void)
{
	both();
	lab_gateway(BLUE, HOST3, 0, 0);
}

static void blue_was_at_host3(void)
{
	both();
	lab_gateway(BLUE, HOST4, HOST3, 100);
}

static void blue_long_elsewhere(void)
{
	both();
	lab_gateway(BLUE, HOST4, HOST3, -11);
}

static void at_host3_one_half(void)
{
	blue_at_host3();
	red_says(0);
}

static void at_host3_other_half(void)
{
	blue_at_host3();
	blue_says(0);
}

static void at_host3_back_to_green(void)
{
	blue_at_host3();
	lab_peer(BLUE, RED_NET, 24, GREEN, BLUE_TO_RED);
}

static void at_host3_red_elsewhere(void)
{
	blue_at_host3();
	lab_gateway(RED, HOST4, 0, 0);
}

static void at_host3_no_red(void)
{
	blue_at_host3();
	lab_gateway_unset(RED);
}

static void at_host3_no_blue(void)
{
	blue_at_host3();
	lab_gateway_unset(BLUE);
}

/* An endpoint may have any MAC that is free in its own tenant. */
static void at_host3_same_mac(void)
{
	blue_at_host3();
	lab_fdb(RED, MAC_G2, TSW_PLACE_HOST, HOST3);
}

static void port_with_the_mac(void)
{
	both();
	lab_port(RED_N, RED, MAC_G2, 0);
	lab_fdb(RED, MAC_G2, TSW_PLACE_PORT, RED_N);
}

static void red_elsewhere_one_half(void)
{
	red_elsewhere();
	red_says(0);
}

static void neither_here(void)
{
	red_elsewhere();
	lab_gateway(BLUE, HOST3, 0, 0);
}

static const struct packet_case cases[] = {
	{"to the peer", PORT(), TO_BLUE, .setup = both},
	{"to the peer, IPv6", PORT6(), TO_BLUE, .setup = both},
	{"to the peer, TCP", PORT(.kind = KIND_TCP, .tcp_flags = 2), TO_BLUE, .setup = both},
	{"to nobody of the peer's", PORT(.to = "10.2.0.77"), TO_BLUE, .setup = both},
	{"blue to red", BLUE_PORT(), TO_RED, .setup = both},
	{"blue to red, IPv6", BLUE_PORT(.from = BLUE_IP6, .to = RED_IP6), TO_RED, .setup = both},
	{"green, which has none", .dev = GREEN_A, .tenant = GREEN, PORT(), ENTERS,
	 .mark_out = 0x74500003, .setup = both},
	{"from a network behind A, which they did not agree on", PORT(.from = "10.3.0.5"),
	 NOT_PEERED, .setup = more_of_red_behind_a},
	{"from one behind A, in green's name", PORT(.from = "10.3.0.5"), NOT_PEERED,
	 .setup = greens_behind_a},
	{"as blue's, behind A", PORT(.from = BLUE_IP, .to = "10.2.0.2"), NOWHERE,
	 .setup = blues_behind_a},
	{"the peer's own frame, as of one behind A", OUT(FROM_BLUE), BY_PEERING, SPOOFED_IP,
	 .setup = blues_behind_a},
	{"beyond the peer's network", PORT(.to = "10.2.1.1"), TO_WORLD, .setup = both},
	{"before it", PORT(.to = "10.1.255.255"), TO_WORLD, .setup = both},
	{"beyond it, IPv6", PORT6(.to = "fd02:0:0:1::1"), TO_WORLD, .setup = both},
	{"to the world", PORT(.to = IP_WORLD), TO_WORLD, .setup = both},
	{"to the world from there", PORT(.from = IP_A, .to = IP_WORLD), TO_WORLD, .setup = both},
	{"from an address not agreed on", PORT(.from = IP_A), NOT_PEERED, .setup = both},
	{"the same, IPv6", PORT6(.from = IP6_A), NOT_PEERED, .setup = both},
	{"blue, from one not agreed on", BLUE_PORT(.from = IP_A), NOT_PEERED, .setup = both},
	{"one address of all is agreed on", PORT(), TO_BLUE, .setup = one_address},
	{"and another is not", PORT(.from = RED_TOO), NOT_PEERED, .setup = one_address},
	{"from a neighbour's", PORT(.from = RED_C), SPOOFED_IP, .setup = both},
	{"from the peer's", PORT(.from = BLUE_IP), SPOOFED_IP, .setup = both},
	{"from the peer's, no addresses", .dev = RED_N, SPOOFED_IP, .setup = both,
	 PORT(.src = MAC_N, .from = BLUE_IP, .to = IP_WORLD)},
	{"the peer's to itself, no addresses", .dev = RED_N, SPOOFED_IP, .setup = both,
	 PORT(.src = MAC_N, .from = BLUE_IP, .to = BLUE_C)},
	{"neither has said so", PORT(), NOT_PEERED, .setup = neither},
	{"red alone has", PORT(), NOT_PEERED, .setup = red_alone},
	{"blue alone has", PORT(), NOT_PEERED, .setup = blue_alone},
	{"red alone has, from blue", BLUE_PORT(), NOT_PEERED, .setup = red_alone},
	{"blue alone has, from blue", BLUE_PORT(), NOT_PEERED, .setup = blue_alone},
	{"blue does not know of it", PORT(), NOT_PEERED, .setup = no_route_back},
	{"blue has it of green", PORT(), NOT_PEERED, .setup = back_to_green},
	{"a part of it is green's", PORT(.to = "10.2.0.200"), ENTERS,
	 .mark_out = 0x74500000 | RED_TO_GREEN, .setup = part_is_greens},
	{"the rest is blue's", PORT(.to = "10.2.0.127"), TO_BLUE, .setup = part_is_greens},
	{"what is red's too is not the peer's", PORT(), .verdict = REDIRECTED, .to = RED_B,
	 .moves = MOVE(LOCAL), .setup = red_has_blues_address,
	 .out = &(const struct spec){.dst = MAC_B, .from = RED_IP, .to = BLUE_IP, .ttl = 63}},
	{"to the peer's own gateway", PORT(.to = "10.2.0.254"), TO_BLUE, .setup = both},
	{"to the peer by its gateway's MAC", PORT(.dst = MAC_G2), NOWHERE, .setup = both},
	{"not IP", PORT(.kind = KIND_RAW, .type = 0x88b5, .payload = 50), NOWHERE, .setup = both},
	{"the gateway elsewhere", SENT(to_host2), .setup = red_elsewhere},
	{"the same, one half", SENT(to_host2), .setup = red_elsewhere_one_half},
	{"new here: a connection begins", PORT(.kind = KIND_TCP, .tcp_flags = 2), TO_BLUE,
	 .setup = red_is_new_here,
	 .flow = &(const struct lab_flow){.src = RED_IP,
					  .dst = BLUE_IP,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 6}},
	{"new here: not known", SENT(to_host2), .setup = red_is_new_here},
	{"new here: from an endpoint elsewhere", .program = FROM_WIRE, .verdict = REDIRECTED,
	 .moves = MOVE(RX) | MOVE(GATEWAY), .host = HOST2, .mark_out = 0x74500000 | RED_TO_BLUE,
	 .in = {.outer = &host2, .src = MAC_C, .dst = MAC_G, .from = RED_C, .to = BLUE_IP},
	 .out = &(const struct spec){.src = MAC_C, .dst = MAC_G, .from = RED_C, .to = BLUE_IP},
	 .setup = red_is_new_here},
	{"was here: a connection begins", SENT(to_host2, .kind = KIND_TCP, .tcp_flags = 2),
	 .setup = red_was_here,
	 .flow = &(const struct lab_flow){.src = RED_IP,
					  .dst = BLUE_IP,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 6,
					  .host = HOST2}},
	{"was here", PORT(), ENTERS, .mark_out = 0x74540000 | RED_TO_BLUE, .setup = red_was_here},

	{"from the peer's gateway", COMES(G2_TO_G, FROM_BLUE), .setup = blue_at_host3},
	{"from the peer's gateway, IPv6", COMES(G2_TO_G, FROM_BLUE6), .setup = blue_at_host3},
	{"where all serve", COMES(G2_TO_G, FROM_BLUE), .setup = both},
	{"to nobody of red's", COMES(G2_TO_G, FROM_BLUE, .to = "10.1.0.77"),
	 .setup = blue_at_host3},
	{"from where it was until now", COMES(G2_TO_G, FROM_BLUE), .setup = blue_was_at_host3},
	{"from where it was", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = blue_long_elsewhere},
	{"was here: what peers send stays", COMES(G2_TO_G, FROM_BLUE), .setup = red_was_here},
	{"was here, over: what peers send", WIRE_IN(host3, G2_TO_G, FROM_BLUE), NOWHERE,
	 .setup = red_long_elsewhere},
	{"the peer's is here alone", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = blue_here_alone},
	{"the peer's is here alone, and was all", COMES(G2_TO_G, FROM_BLUE),
	 .setup = blue_here_alone_was_all},
	{"the index is of nobody", PORT(), NO_GATEWAY, .setup = index_of_nobody},
	{"the index is of blue's direction", PORT(), NO_GATEWAY, .setup = index_of_the_other},
	{"the index is of red's own", PORT(), ENTERS, .mark_out = 0x74500001,
	 .setup = index_of_reds_own},
	{"from the peer's gateway, the index is red's", WIRE_IN(host3, G2_TO_G, FROM_BLUE),
	 NO_GATEWAY, .setup = at_host3_index_of_red},
	{"from where it is not", WIRE_IN(host2, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = blue_at_host3},
	{"to an endpoint at once", WIRE_IN(host3, .src = MAC_G2, .dst = MAC_A, FROM_BLUE),
	 WRONG_HOST, .setup = blue_at_host3},
	{"to all", WIRE_IN(host3, .src = MAC_G2, .dst = MAC_BROADCAST, FROM_BLUE), WRONG_HOST,
	 .setup = blue_at_host3},
	{"ARP", WIRE_IN(host3, G2_TO_G, .kind = KIND_ARP), WRONG_HOST, .setup = blue_at_host3},
	{"from outside of the peer's", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .from = IP_WORLD),
	 WRONG_HOST, .setup = blue_at_host3},
	{"from what is red's", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .from = RED_C), WRONG_HOST,
	 .setup = blue_at_host3},
	{"by green's id", WIRE_IN(green3, G2_TO_G, FROM_BLUE), WRONG_HOST, .tenant = GREEN,
	 .setup = blue_at_host3},
	{"red has not said so", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = at_host3_one_half},
	{"blue has not said so", WIRE_IN(host3, G2_TO_G, FROM_BLUE), NOT_PEERED,
	 .setup = at_host3_other_half},
	{"blue has it of green", WIRE_IN(host3, G2_TO_G, FROM_BLUE), NOT_PEERED,
	 .setup = at_host3_back_to_green},
	{"to what is not agreed on", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .to = IP_A), NOWHERE,
	 .setup = blue_at_host3},
	{"on to the world", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .to = IP_WORLD), NOT_PEERED,
	 .setup = blue_at_host3},
	{"back to the peer", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .to = BLUE_C), NOT_PEERED,
	 .setup = blue_at_host3},
	{"to a VTEP", WIRE_IN(host3, G2_TO_G, FROM_BLUE, .to = IP_HOST2), HOST_ADDRESS,
	 .setup = blue_at_host3},
	{"by red's own gateway", WIRE_IN(host3, .src = MAC_G, .dst = MAC_G, FROM_BLUE), SPOOFED_IP,
	 .setup = both,
	 .flow = &(const struct lab_flow){.src = BLUE_IP,
					  .dst = RED_IP,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 17}},
	{"by an endpoint of red's", WIRE_IN(host2, .src = MAC_C, .dst = MAC_G, FROM_BLUE),
	 SPOOFED_IP, .setup = both},
	{"by one with the gateway's MAC", WIRE_IN(host3, G2_TO_G, FROM_BLUE), SPOOFED_IP,
	 .setup = at_host3_same_mac},
	{"by a MAC of nobody", WIRE_IN(host3, .src = MAC_UNKNOWN, .dst = MAC_G, FROM_BLUE),
	 WRONG_HOST, .setup = blue_at_host3},
	{"by a port with the gateway's MAC", .dev = RED_N, SPOOFED_IP,
	 PORT(.src = MAC_G2, .from = BLUE_IP, .to = "10.1.0.77"), .setup = port_with_the_mac},
	{"the same to what is red's own", .dev = RED_N, .verdict = REDIRECTED, .to = RED_A,
	 .moves = MOVE(LOCAL), PORT(.src = MAC_G2, .from = BLUE_IP, .to = RED_IP),
	 .out =
		 &(const struct spec){
			 .src = MAC_G2, .from = BLUE_IP, .dst = MAC_A, .to = RED_IP, .ttl = 63},
	 .setup = port_with_the_mac},
	{"red's gateway is not here", WIRE_IN(host3, G2_TO_G, FROM_BLUE), NOWHERE,
	 .setup = at_host3_red_elsewhere},
	{"red has no gateway", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = at_host3_no_red},
	{"blue has no gateway", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = at_host3_no_blue},

	{"out: both gateways here", TO_A(FROM_BLUE), BY_PEERING, .setup = both},
	{"out: forged, by red's own mark", OUT(FROM_BLUE), NOT_PEERED, .setup = both},
	{"out: red's elsewhere, by that one", TO_G(FROM_BLUE), BY_PEERING, .setup = red_elsewhere},
	{"the same, IPv6", TO_G(FROM_BLUE6), BY_PEERING, .setup = red_elsewhere},
	{"the same, an endpoint elsewhere", TO_G(FROM_BLUE, .to = RED_C), BY_PEERING,
	 .setup = red_elsewhere},
	{"out: red's elsewhere, from the world", TO_A(.from = IP_WORLD, .to = RED_IP),
	 .setup = red_elsewhere},
	{"out: red's elsewhere, one half", TO_A(FROM_BLUE), BY_PEERING,
	 .setup = red_elsewhere_one_half},
	{"out: neither is here", TO_A(FROM_BLUE), BY_PEERING, .setup = neither_here},
	{"out: by a peering's index, to who began", TO_A(FROM_BLUE),
	 .mark = 0x74500000 | RED_TO_BLUE, .setup = both},
	{"out: by the other direction's, to blue", OUT(.from = RED_IP, .to = BLUE_IP),
	 .mark = 0x74500000 | BLUE_TO_RED, .verdict = REDIRECTED, .moves = MOVE(GATEWAY),
	 .tenant = BLUE, .to = BLUE_A, .setup = both,
	 .out = &(const struct spec){.src = MAC_G2, .dst = MAC_A, .from = RED_IP, .to = BLUE_IP}},
	{"out: an address of red's by blue's direction", OUT(FROM_BLUE),
	 .mark = 0x74500000 | BLUE_TO_RED, SPOOFED_IP, .tenant = BLUE, .setup = both},
	{"out: bounced with a peering's index", TO_G(.from = RED_IP, .to = BLUE_IP),
	 .mark = 0x74510000 | RED_TO_BLUE, .setup = red_was_here,
	 .out = &(const struct spec){.outer = &to_host2,
				     .src = MAC_G,
				     .dst = MAC_G,
				     .from = RED_IP,
				     .to = BLUE_IP}},
};

int main(void)
{
	const struct packet_suite suite = {"peers", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
