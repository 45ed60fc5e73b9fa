// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers, as in packet_peers.c: frames from other hosts, what an index opens, and frames from the
 * router to a tenant.
 */
#include "lab_peers.h"

#define PORT(...) .in = {.dst = MAC_G, .from = RED_IP, .to = BLUE_IP, __VA_ARGS__}
#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY)
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

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3}, to_host2 = {};
static const struct outer green3 = {FROM_HOST3, .vni = GREEN};

static void red_long_elsewhere(void)
{
	lab_peers_both();
	lab_gateway(RED, HOST2, 0, -11);
}

static void blue_here_alone(void)
{
	lab_peers_both();
	lab_gateway(BLUE, 0, 0, 0);
}

static void blue_here_alone_was_all(void)
{
	lab_peers_both();
	lab_gateway(BLUE, 0, 0, 100);
	lab_gateway_flags(BLUE, TSW_GATEWAY_WAS_ALL);
}

/* An index opens nothing but for whom it stands. */
static void index_of_nobody(void)
{
	const __u32 index = RED_TO_BLUE;

	lab_peers_both();
	lab_unset(M_MARKS, &index);
}

static void index_of_the_other(void)
{
	lab_peers_both();
	lab_peers_red_says(BLUE_TO_RED);
}

static void index_of_reds_own(void)
{
	lab_peers_both();
	lab_peers_red_says(1);
}

static void at_host3_index_of_red(void)
{
	lab_peers_both();
	lab_gateway(BLUE, HOST3, 0, 0);
	lab_peers_blue_says(RED_TO_BLUE);
}

static void blue_at_host3(void)
{
	lab_peers_both();
	lab_gateway(BLUE, HOST3, 0, 0);
}

static void blue_was_at_host3(void)
{
	lab_peers_both();
	lab_gateway(BLUE, HOST4, HOST3, 100);
}

static void blue_long_elsewhere(void)
{
	lab_peers_both();
	lab_gateway(BLUE, HOST4, HOST3, -11);
}

static void at_host3_one_half(void)
{
	blue_at_host3();
	lab_peers_red_says(0);
}

static void at_host3_other_half(void)
{
	blue_at_host3();
	lab_peers_blue_says(0);
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
	lab_peers_both();
	lab_port(RED_N, RED, MAC_G2, 0);
	lab_fdb(RED, MAC_G2, TSW_PLACE_PORT, RED_N);
}

static void neither_here(void)
{
	lab_peers_red_elsewhere();
	lab_gateway(BLUE, HOST3, 0, 0);
}

static const struct packet_case cases[] = {
	{"from the peer's gateway", COMES(G2_TO_G, FROM_BLUE), .setup = blue_at_host3},
	{"from the peer's gateway, IPv6", COMES(G2_TO_G, FROM_BLUE6), .setup = blue_at_host3},
	{"where all serve", COMES(G2_TO_G, FROM_BLUE), .setup = lab_peers_both},
	{"to nobody of red's", COMES(G2_TO_G, FROM_BLUE, .to = "10.1.0.77"),
	 .setup = blue_at_host3},
	{"from where it was until now", COMES(G2_TO_G, FROM_BLUE), .setup = blue_was_at_host3},
	{"from where it was", WIRE_IN(host3, G2_TO_G, FROM_BLUE), WRONG_HOST,
	 .setup = blue_long_elsewhere},
	{"was here: what peers send stays", COMES(G2_TO_G, FROM_BLUE),
	 .setup = lab_peers_red_was_here},
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
	 .setup = lab_peers_both,
	 .flow =
		 &(const struct lab_flow){
			 .src = BLUE_IP, .dst = RED_IP, .sport = 1000, .dport = 2000, .proto = 17}},
	{"by an endpoint of red's", WIRE_IN(host2, .src = MAC_C, .dst = MAC_G, FROM_BLUE),
	 SPOOFED_IP, .setup = lab_peers_both},
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

	{"out: both gateways here", TO_A(FROM_BLUE), BY_PEERING, .setup = lab_peers_both},
	{"out: forged, by red's own mark", OUT(FROM_BLUE), NOT_PEERED, .setup = lab_peers_both},
	{"out: red's elsewhere, by that one", TO_G(FROM_BLUE), BY_PEERING,
	 .setup = lab_peers_red_elsewhere},
	{"the same, IPv6", TO_G(FROM_BLUE6), BY_PEERING, .setup = lab_peers_red_elsewhere},
	{"the same, an endpoint elsewhere", TO_G(FROM_BLUE, .to = RED_C), BY_PEERING,
	 .setup = lab_peers_red_elsewhere},
	{"out: red's elsewhere, from the world", TO_A(.from = IP_WORLD, .to = RED_IP),
	 .setup = lab_peers_red_elsewhere},
	{"out: red's elsewhere, one half", TO_A(FROM_BLUE), BY_PEERING,
	 .setup = lab_peers_red_elsewhere_one_half},
	{"out: neither is here", TO_A(FROM_BLUE), BY_PEERING, .setup = neither_here},
	{"out: by a peering's index, to who began", TO_A(FROM_BLUE),
	 .mark = 0x74500000 | RED_TO_BLUE, .setup = lab_peers_both},
	{"out: by the other direction's, to blue", OUT(.from = RED_IP, .to = BLUE_IP),
	 .mark = 0x74500000 | BLUE_TO_RED, .verdict = REDIRECTED, .moves = MOVE(GATEWAY),
	 .tenant = BLUE, .to = BLUE_A, .setup = lab_peers_both,
	 .out = &(const struct spec){.src = MAC_G2, .dst = MAC_A, .from = RED_IP, .to = BLUE_IP}},
	{"out: an address of red's by blue's direction", OUT(FROM_BLUE),
	 .mark = 0x74500000 | BLUE_TO_RED, SPOOFED_IP, .tenant = BLUE, .setup = lab_peers_both},
	{"out: bounced with a peering's index", TO_G(.from = RED_IP, .to = BLUE_IP),
	 .mark = 0x74510000 | RED_TO_BLUE, .setup = lab_peers_red_was_here,
	 .out = &(const struct spec){.outer = &to_host2,
				     .src = MAC_G,
				     .dst = MAC_G,
				     .from = RED_IP,
				     .to = BLUE_IP}},
};

int main(void)
{
	const struct packet_suite suite = {"peers_in", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
