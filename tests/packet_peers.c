// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers: red and blue let each other's networks in. Between all others, and outside of these
 * networks, nothing passes. Frames from ports; packet_peers_in.c has those from hosts and the
 * router.
 */
#include "lab_peers.h"

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
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define FROM_BLUE .from = BLUE_IP, .to = RED_IP
/* From the host's routing, to red. */
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define BY_PEERING .mark = 0x74500000 | RED_TO_BLUE
#define OUT(...) .program = FROM_GATEWAY, .mark = 0x74500001, .in = {DOOR, __VA_ARGS__}
#define SENT(header, ...)                                                                    \
	PORT(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST2,          \
			   .out = &(const struct spec)                                       \
	{                                                                                    \
		.outer = &(header), .dst = MAC_G, .from = RED_IP, .to = BLUE_IP, __VA_ARGS__ \
	}

static const struct outer host2 = {FROM_HOST2}, to_host2 = {};

static void neither(void)
{
	lab_peers_addresses();
	lab_peers_red_says(0);
	lab_peers_blue_says(0);
}

static void red_alone(void)
{
	lab_peers_both();
	lab_peers_blue_says(0);
}

static void blue_alone(void)
{
	lab_peers_both();
	lab_peers_red_says(0);
}

static void no_route_back(void)
{
	lab_peers_addresses();
	lab_peers_red_says(RED_TO_BLUE);
}

static void back_to_green(void)
{
	lab_peers_both();
	lab_peer(BLUE, RED_NET, 24, GREEN, BLUE_TO_RED);
}

static void part_is_greens(void)
{
	lab_peers_both();
	lab_mark(RED_TO_GREEN, RED, GREEN);
	lab_peer(RED, "10.2.0.128", 25, GREEN, RED_TO_GREEN);
	lab_peer(GREEN, RED_NET, 24, RED, 0x104);
}

static void one_address(void)
{
	lab_peers_both();
	lab_peer(BLUE, RED_NET, 24, RED, 0);
	lab_peer(BLUE, RED_IP, 32, RED, BLUE_TO_RED);
}

static void red_has_blues_address(void)
{
	lab_peers_both();
	lab_addr(RED, BLUE_IP, MAC_B);
}

/* What is behind red's A is in a network that green and blue agreed on, and red did not. */
static void greens_behind_a(void)
{
	lab_peers_both();
	lab_peers_behind_reds_a("10.3.0.0");
	lab_peer(BLUE, "10.3.0.0", 24, GREEN, 0x105);
	lab_peer(GREEN, BLUE_NET, 24, BLUE, 0x106);
}

static void more_of_red_behind_a(void)
{
	lab_peers_both();
	lab_peers_behind_reds_a("10.3.0.0");
}

static void red_is_new_here(void)
{
	lab_peers_both();
	lab_gateway(RED, 0, HOST2, 100);
}

static const struct packet_case cases[] = {
	{"to the peer", PORT(), TO_BLUE, .setup = lab_peers_both},
	{"to the peer, IPv6", PORT6(), TO_BLUE, .setup = lab_peers_both},
	{"to the peer, TCP", PORT(.kind = KIND_TCP, .tcp_flags = 2), TO_BLUE,
	 .setup = lab_peers_both},
	{"to nobody of the peer's", PORT(.to = "10.2.0.77"), TO_BLUE, .setup = lab_peers_both},
	{"blue to red", BLUE_PORT(), TO_RED, .setup = lab_peers_both},
	{"blue to red, IPv6", BLUE_PORT(.from = BLUE_IP6, .to = RED_IP6), TO_RED,
	 .setup = lab_peers_both},
	{"green, which has none", .dev = GREEN_A, .tenant = GREEN, PORT(), ENTERS,
	 .mark_out = 0x74500003, .setup = lab_peers_both},
	{"from a network behind A, which they did not agree on", PORT(.from = "10.3.0.5"),
	 NOT_PEERED, .setup = more_of_red_behind_a},
	{"from one behind A, in green's name", PORT(.from = "10.3.0.5"), NOT_PEERED,
	 .setup = greens_behind_a},
	{"as blue's, behind A", PORT(.from = BLUE_IP, .to = "10.2.0.2"), NOWHERE,
	 .setup = lab_peers_blues_behind_a},
	{"the peer's own frame, as of one behind A", OUT(FROM_BLUE), BY_PEERING, SPOOFED_IP,
	 .setup = lab_peers_blues_behind_a},
	{"beyond the peer's network", PORT(.to = "10.2.1.1"), TO_WORLD, .setup = lab_peers_both},
	{"before it", PORT(.to = "10.1.255.255"), TO_WORLD, .setup = lab_peers_both},
	{"beyond it, IPv6", PORT6(.to = "fd02:0:0:1::1"), TO_WORLD, .setup = lab_peers_both},
	{"to the world", PORT(.to = IP_WORLD), TO_WORLD, .setup = lab_peers_both},
	{"to the world from there", PORT(.from = IP_A, .to = IP_WORLD), TO_WORLD,
	 .setup = lab_peers_both},
	{"from an address not agreed on", PORT(.from = IP_A), NOT_PEERED, .setup = lab_peers_both},
	{"the same, IPv6", PORT6(.from = IP6_A), NOT_PEERED, .setup = lab_peers_both},
	{"blue, from one not agreed on", BLUE_PORT(.from = IP_A), NOT_PEERED,
	 .setup = lab_peers_both},
	{"one address of all is agreed on", PORT(), TO_BLUE, .setup = one_address},
	{"and another is not", PORT(.from = RED_TOO), NOT_PEERED, .setup = one_address},
	{"from a neighbour's", PORT(.from = RED_C), SPOOFED_IP, .setup = lab_peers_both},
	{"from the peer's", PORT(.from = BLUE_IP), SPOOFED_IP, .setup = lab_peers_both},
	{"from the peer's, no addresses", .dev = RED_N, SPOOFED_IP, .setup = lab_peers_both,
	 PORT(.src = MAC_N, .from = BLUE_IP, .to = IP_WORLD)},
	{"the peer's to itself, no addresses", .dev = RED_N, SPOOFED_IP, .setup = lab_peers_both,
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
	{"to the peer's own gateway", PORT(.to = "10.2.0.254"), TO_BLUE, .setup = lab_peers_both},
	{"to the peer by its gateway's MAC", PORT(.dst = MAC_G2), NOWHERE, .setup = lab_peers_both},
	{"not IP", PORT(.kind = KIND_RAW, .type = 0x88b5, .payload = 50), NOWHERE,
	 .setup = lab_peers_both},
	{"the gateway elsewhere", SENT(to_host2), .setup = lab_peers_red_elsewhere},
	{"the same, one half", SENT(to_host2), .setup = lab_peers_red_elsewhere_one_half},
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
	 .setup = lab_peers_red_was_here,
	 .flow = &(const struct lab_flow){.src = RED_IP,
					  .dst = BLUE_IP,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 6,
					  .host = HOST2}},
	{"was here", PORT(), ENTERS, .mark_out = 0x74540000 | RED_TO_BLUE,
	 .setup = lab_peers_red_was_here},
};

int main(void)
{
	const struct packet_suite suite = {"peers", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
