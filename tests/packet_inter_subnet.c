// SPDX-License-Identifier: GPL-2.0-only
/*
 * By the gateway from one endpoint of a tenant to another: routed at the sender's port, wherever
 * the gateway is.
 */
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "packet.h"

#define TO_B .to = IP_B
#define TO_B6 .from = IP6_A, .to = IP6_B
#define TO_C .to = IP_C
#define TO_C6 .from = IP6_A, .to = IP6_C
#define IN(...) .in = {.dst = MAC_G, __VA_ARGS__}

/* One hop on, and for the endpoint. */
#define GOT(mac, ...)                              \
	.out = &(const struct spec)                \
	{                                          \
		.ttl = 63, __VA_ARGS__, .dst = mac \
	}
#define TO_PORT_B(...)                                                                         \
	IN(__VA_ARGS__), GOT(MAC_B, __VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(LOCAL), \
						  .to = RED_B
#define SENT(...)                                                     \
	IN(__VA_ARGS__), GOT(MAC_C, __VA_ARGS__, .outer = &to_host2), \
		.host = HOST2, .verdict = REDIRECTED, .moves = MOVE(TX)
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS
#define EXPIRED .drop = TSW_DROP_TTL_EXPIRED
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define OF_RED 0x74500001
#define TCP .kind = KIND_TCP
#define ECHO .kind = KIND_ICMP, .icmp_type = 8, .rest = "12340001"
#define TOLD .verdict = REDIRECTED, .moves = MOVE(ANSWERED), .drop = TSW_DROP_TOO_BIG, .to = RED_A

/* Another network of the tenant, in which B is too. */
#define IP_B_TOO "10.0.7.2"

static const struct outer to_host2 = {};

static void b_has_more(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.n_addrs = 3;
	gw.addr[2].len = 96 + 24;
	frame_ip((__u8 *)&gw.addr[2].addr, "10.0.7.254");
	lab_gateway_set(RED, &gw);
	lab_addr(RED, "10.0.7.254", MAC_G);
	lab_addr(RED, IP_B_TOO, MAC_B);
}

/* What no network of the gateway's has is an endpoint's all the same. */
static void b_has_the_world(void)
{
	lab_addr(RED, IP_WORLD, MAC_B);
}

static void blue_has_the_world(void)
{
	lab_addr(BLUE, IP_WORLD, MAC_B);
}

static void b_has_link_local(void)
{
	lab_addr(RED, "169.254.7.7", MAC_B);
}

static void n_has_link_local(void)
{
	lab_addr(RED, "169.254.1.2", MAC_N);
}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, 0, 0);
}

static void comes_here(void)
{
	lab_gateway(RED, 0, HOST3, 100);
}

static void goes_away(void)
{
	lab_gateway(RED, HOST3, 0, 100);
}

static void tsw_gw_is_gone(void)
{
	const __u32 door = GW;

	lab_unset(M_DEVICES, &door);
	lab_no_door();
}

static void no_record(void)
{
	lab_gateway_unset(RED);
}

static void no_fdb(void)
{
	lab_fdb_unset(RED, MAC_G);
}

static void b_has_no_fdb_entry(void)
{
	lab_fdb_unset(RED, MAC_B);
}

static void b_is_blues_port(void)
{
	lab_fdb(RED, MAC_B, TSW_PLACE_PORT, BLUE_B);
}

static void b_is_gone(void)
{
	const __u32 port = RED_B;

	lab_unset(M_DEVICES, &port);
}

static void mtu_1000(void)
{
	lab_tenant(RED, 1000, 0);
}

static void others_peer_there(void)
{
	lab_peer(RED, IP_B, 32, BLUE, 0x101);
	lab_mark(0x101, RED, BLUE);
}

/* Quoted is the frame as it went on, and who tells is whom it was for. */
static void told_of_c(const struct frame *in, struct frame *out)
{
	const struct spec onward = {TO_C, .dst = MAC_C, .ttl = 63, .payload = in->len - 42};
	struct frame f;

	frame_build(&onward, &f);
	answer_too_big4(&f, out, INNER_MTU);
}

static void told_of_c6(const struct frame *in, struct frame *out)
{
	const struct spec onward = {TO_C6, .dst = MAC_C, .ttl = 63, .payload = in->len - 62};
	struct frame f;

	frame_build(&onward, &f);
	answer_too_big6(&f, out, INNER_MTU);
}

/* What no spec tells: its 0 is the usual. */
static void no_hop4(struct frame *f)
{
	const __u32 was = f->b[24] << 8 | f->b[25], sum = was + (f->b[22] << 8);

	f->b[22] = 0;
	f->b[24] = (sum + (sum >> 16)) >> 8;
	f->b[25] = sum + (sum >> 16);
}

static void no_hop6(struct frame *f)
{
	f->b[21] = 0;
}

static const struct packet_case cases[] = {
	{"to a port", TO_PORT_B(TO_B)},
	{"to a port, IPv6", TO_PORT_B(TO_B6)},
	{"to a port, TCP", TO_PORT_B(TO_B, TCP, .payload = 100)},
	{"to a port, TCP, IPv6", TO_PORT_B(TO_B6, TCP, .payload = 100)},
	{"to a port, a checksum that is left", TO_PORT_B(TO_B, TCP, .left = true)},
	{"to a port, echo", TO_PORT_B(TO_B, ECHO)},
	{"to a port, another protocol", TO_PORT_B(TO_B, .proto = 132)},
	{"to a port, options", TO_PORT_B(TO_B, .ext = "94040000")},
	{"to a port, an extension header", TO_PORT_B(TO_B6, .next = 60, .ext = "1100010400000000")},
	{"to a port, later fragment", TO_PORT_B(TO_B, .frag = 0x0010, .id = 7)},
	{"to a port, DF and TOS", TO_PORT_B(TO_B, .frag = 0x4000, .tos = 0xb9)},
	{"to a port, a long frame", TO_PORT_B(TO_B, .payload = 3000)},
	{"to a port, a super-frame", TO_PORT_B(TO_B, TCP, .payload = 2000), .gso_size = 500,
	 .gso_segs = 4, .size = {4, 2066 + 3 * 66}},
	{"to a port, a mark from the container", TO_PORT_B(TO_B), .mark = 0x74500002},
	{"to a port, one without addresses sends", .dev = RED_N,
	 TO_PORT_B(TO_B, .src = MAC_N, .from = IP_N)},
	{"to host 2", SENT(TO_C)},
	{"to host 2, IPv6", SENT(TO_C6)},
	{"to host 2, TCP", SENT(TO_C, TCP, .payload = 100)},
	{"to host 2, a full frame", SENT(TO_C, .payload = INNER_MTU - 28)},
	{"to host 3", IN(.to = IP_D), .verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST3,
	 .out = &(const struct spec){.dst = MAC_D,
				     .to = IP_D,
				     .ttl = 63,
				     .outer = &(const struct outer){.dst = MAC_HOST3,
								    .to = IP_HOST3}}},
	{"blue's", .dev = BLUE_A, .tenant = BLUE, TO_PORT_B(TO_B), .to = BLUE_B},
	{"green's", .dev = GREEN_A, .tenant = GREEN, TO_PORT_B(TO_B6), .to = GREEN_B},
	{"to another network of the tenant", TO_PORT_B(.to = IP_B_TOO), .setup = b_has_more},
	{"to its gateway's address there", IN(.to = "10.0.7.254"), .verdict = REDIRECTED,
	 .moves = MOVE(GATEWAY), .mark_out = 0x74550001, .setup = b_has_more},
	{"to nobody there", IN(.to = "10.0.7.9"), NOWHERE, .setup = b_has_more},
	{"to an address in no network", TO_PORT_B(.to = IP_WORLD), .setup = b_has_the_world},
	{"to what blue alone has", IN(.to = IP_WORLD), .verdict = REDIRECTED,
	 .moves = MOVE(GATEWAY), .mark_out = OF_RED, .setup = blue_has_the_world},
	{"not to the peer that has it too", TO_PORT_B(TO_B), .setup = others_peer_there},

	{"two hops left", TO_PORT_B(TO_B, .ttl = 2), GOT(MAC_B, TO_B, .ttl = 1)},
	{"two hops left, IPv6", TO_PORT_B(TO_B6, .ttl = 2), GOT(MAC_B, TO_B6, .ttl = 1)},
	{"all hops left", TO_PORT_B(TO_B, .ttl = 255), GOT(MAC_B, TO_B, .ttl = 254)},
	{"all hops left, IPv6", TO_PORT_B(TO_B6, .ttl = 255), GOT(MAC_B, TO_B6, .ttl = 254)},
	{"half of them", TO_PORT_B(TO_B, .ttl = 128), GOT(MAC_B, TO_B, .ttl = 127)},
	{"the last hop", IN(TO_B, .ttl = 1), EXPIRED},
	{"the last hop, IPv6", IN(TO_B6, .ttl = 1), EXPIRED},
	{"the last hop, to a host", IN(TO_C, .ttl = 1), EXPIRED},
	{"no hop, IPv6", IN(TO_B6), .change = no_hop6, EXPIRED},
	{"no hop", IN(TO_B), .change = no_hop4, EXPIRED},
	{"the last hop, at once", .in = {TO_B, .ttl = 1}, .verdict = REDIRECTED,
	 .moves = MOVE(LOCAL), .to = RED_B},

	{"the gateway elsewhere", TO_PORT_B(TO_B), .setup = at_host2},
	{"the gateway elsewhere, to a host", SENT(TO_C), .setup = at_host2},
	{"the gateway comes", TO_PORT_B(TO_B), .setup = comes_here},
	{"the gateway comes, a connection begins", TO_PORT_B(TO_B, TCP, .tcp_flags = 2),
	 .setup = comes_here},
	{"the gateway comes, to a host", SENT(TO_C), .setup = comes_here},
	{"the gateway goes", TO_PORT_B(TO_B6), .setup = goes_away},
	{"no tsw-gw", TO_PORT_B(TO_B), .setup = tsw_gw_is_gone},
	{"its fdb entry is not there", IN(TO_B), NOWHERE, .setup = no_fdb},
	{"no record, but an entry", TO_PORT_B(TO_B), .setup = no_record},

	{"to itself", IN(.to = IP_A), NOWHERE},
	{"to itself, IPv6", IN(.from = IP6_A, .to = IP6_A), NOWHERE},
	{"to a MAC of nobody", IN(TO_B), NOWHERE, .setup = b_has_no_fdb_entry},
	{"to a port of blue's", IN(TO_B), NOWHERE, .setup = b_is_blues_port},
	{"to a device that is gone", IN(TO_B), .drop = TSW_DROP_DEVICE_GONE, .setup = b_is_gone},
	{"from a neighbour's address", IN(TO_B, .from = IP_C), SPOOFED_IP},
	{"from the gateway's", IN(TO_B, .from = IP_G), SPOOFED_IP},
	{"to link-local", IN(TO_B6, .to = LL6_B), HOST_ADDRESS},
	{"from link-local", IN(TO_B6, .from = LL6_A), HOST_ADDRESS},
	{"from link-local to it", IN(.from = LL6_A, .to = LL6_B), HOST_ADDRESS},
	{"to link-local, IPv4", IN(.to = "169.254.7.7"), HOST_ADDRESS, .setup = b_has_link_local},
	{"from link-local, IPv4", .dev = RED_N, IN(TO_B, .src = MAC_N, .from = "169.254.1.2"),
	 HOST_ADDRESS, .setup = n_has_link_local},
	{"IPv4-mapped", IN(TO_B6, .to = "::ffff:10.0.0.2"), HOST_ADDRESS},
	{"IPv4-mapped, to a host", IN(TO_B6, .to = "::ffff:10.0.0.3"), HOST_ADDRESS},
	{"by a neighbour's MAC: no hop", .in = {.dst = MAC_C, TO_B},
	 .out = &(const struct spec){.dst = MAC_C, TO_B, .outer = &to_host2}, .verdict = REDIRECTED,
	 .moves = MOVE(TX), .host = HOST2},

	{"too big for the tunnel", IN(TO_C, .payload = 1500), TOLD, .make = told_of_c},
	{"too big for the tunnel, IPv6", IN(TO_C6, .payload = 1500), TOLD, .make = told_of_c6},
	{"the tenant's MTU, to a port", TO_PORT_B(TO_B, .payload = 1400), .setup = mtu_1000},
};

int main(void)
{
	const struct packet_suite suite = {"inter_subnet", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
