// SPDX-License-Identifier: GPL-2.0-only
/* Gateways and other hosts: who may speak as one, what comes in for the one here, what is noted. */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define OF_RED 0x74500001
#define SELF_OF_RED 0x74550001

static const struct outer host2 = {FROM_HOST2};

/* Every wire in turn takes this one's place. */
#define WIRE_IN(...) .program = FROM_WIRE, .in = {__VA_ARGS__, .outer = &host2}
#define GOT(...)                                                                       \
	WIRE_IN(__VA_ARGS__), .out = &(const struct spec){__VA_ARGS__}, .host = HOST2, \
			      .verdict = REDIRECTED
/* From C, who lives on host 2, to the gateway here. */
#define C_TO_G .src = MAC_C, .from = IP_C, .dst = MAC_G, .to = IP_WORLD
#define C_TO_G6 .src = MAC_C, .from = IP6_C, .dst = MAC_G, .to = IP6_WORLD
#define ENTERS(...) GOT(__VA_ARGS__), .moves = MOVE(RX) | MOVE(GATEWAY), .mark_out = OF_RED
/* From the gateway there to an endpoint here. */
#define G_TO_A .src = MAC_G, .from = IP_WORLD, .dst = MAC_A, .to = IP_A
#define G_TO_A6 .src = MAC_G, .from = IP6_WORLD, .dst = MAC_A, .to = IP6_A
#define TO_A(...) GOT(__VA_ARGS__), .moves = MOVE(RX), .to = RED_A
/* From gateway to gateway. */
#define G_TO_G .src = MAC_G, .from = IP_C, .dst = MAC_G, .to = IP_WORLD
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50
#define ICMP(type_) .kind = KIND_ICMP, .icmp_type = type_, .rest = "12340001"

#define WRONG_HOST .drop = TSW_DROP_WRONG_HOST
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define NO_GATEWAY .drop = TSW_DROP_NO_GATEWAY

/* As A's answer will look. */
#define NOTED(...)                         \
	.flow = &(const struct lab_flow)   \
	{                                  \
		__VA_ARGS__, .host = HOST2 \
	}
/* As one comes back from there, to stay here. */
#define BOUNCED(...)                                                                    \
	.flow = &(const struct lab_flow)                                                \
	{                                                                               \
		.dst = IP_WORLD, .sport = 1000, .dport = 2000, .proto = 17, __VA_ARGS__ \
	}
#define A_TO_WORLD .src = IP_A, .dst = IP_WORLD
#define A_TO_WORLD6 .src = IP6_A, .dst = IP6_WORLD
#define PORTS .sport = 2000, .dport = 1000

static void at_host2(void)
{
	lab_gateway(RED, HOST2, HOST3, 0);
}

static void at_host3(void)
{
	lab_gateway(RED, HOST3, HOST4, 100);
}

static void at_host3_was_at_host2(void)
{
	lab_gateway(RED, HOST3, HOST2, 0);
}

static void at_host3_drains(void)
{
	lab_gateway(RED, HOST3, HOST2, 100);
}

static void at_host3_drained(void)
{
	lab_gateway(RED, HOST3, HOST2, -5);
}

static void at_host3_long_drained(void)
{
	lab_gateway(RED, HOST3, HOST2, -11);
}

static void at_host3_was_here(void)
{
	lab_gateway(RED, HOST3, 0, 100);
}

/* What other tenants have says nothing of red's. */
static void blue_alone_at_host2(void)
{
	lab_gateway(RED, HOST3, 0, 0);
	lab_gateway(BLUE, HOST2, 0, 0);
	lab_gateway(GREEN, 0, HOST2, 100);
}

static void no_record(void)
{
	lab_gateway_unset(RED);
}

static void no_fdb(void)
{
	lab_fdb_unset(RED, MAC_G);
}

static void no_gateway(void)
{
	no_record();
	no_fdb();
}

static void another_mac(void)
{
	lab_gateway_mac(RED, MAC_UNKNOWN);
	lab_fdb(RED, MAC_G, TSW_PLACE_GATEWAY, 0);
}

/* By no other host, and it never was; then the same with what says that it was by all. */
static void here_alone(void)
{
	lab_gateway(RED, 0, 0, 0);
}

static void here_alone_was_all(void)
{
	lab_gateway(RED, 0, 0, 100);
	lab_gateway_flags(RED, TSW_GATEWAY_WAS_ALL);
}

static void here_alone_was_all_long_ago(void)
{
	lab_gateway(RED, 0, 0, -11);
	lab_gateway_flags(RED, TSW_GATEWAY_WAS_ALL);
}

static void here_alone_was_at_host2(void)
{
	lab_gateway(RED, 0, HOST2, 100);
}

static void here_alone_was_at_host3(void)
{
	lab_gateway(RED, 0, HOST3, 100);
}

static void at_host3_was_all(void)
{
	lab_gateway(RED, HOST3, 0, 100);
	lab_gateway_flags(RED, TSW_GATEWAY_WAS_ALL);
}

static void at_host3_was_all_long_ago(void)
{
	lab_gateway(RED, HOST3, 0, -11);
	lab_gateway_flags(RED, TSW_GATEWAY_WAS_ALL);
}

/* From one to all: what the first sends until it is drained is no other's. */
static void all_was_at(__u32 host, int drain)
{
	lab_gateway(RED, 0, host, drain);
	lab_gateway_flags(RED, TSW_GATEWAY_ALL);
}

static void all_was_at_host2(void)
{
	all_was_at(HOST2, 100);
}

static void all_was_at_host2_over(void)
{
	all_was_at(HOST2, -5);
}

static void all_was_at_host2_long_ago(void)
{
	all_was_at(HOST2, -11);
}

static void all_was_at_host3(void)
{
	all_was_at(HOST3, 100);
}

static void tsw_gw_is_gone(void)
{
	const __u32 door = GW;

	lab_unset(M_DEVICES, &door);
}

static void index_is_blues(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.index = 2;
	lab_gateway_set(RED, &gw);
}

static void has_flows(__u32 tenant)
{
	lab_gateway_flags(tenant, TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL | TSW_GATEWAY_FLOWS);
}

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void the_same_of_blue(void)
{
	has_flows(RED);
	has_flows(BLUE);
	lab_flow(&(const struct lab_flow){
		.tenant = BLUE, A_TO_WORLD, PORTS, .proto = 17, .host = HOST3});
}

static void a_noted_already(void)
{
	has_flows(RED);
	lab_flow(&(const struct lab_flow){A_TO_WORLD, PORTS, .proto = 17, .host = HOST3});
}

static void c_noted_elsewhere(void)
{
	has_flows(RED);
	lab_flow(&(const struct lab_flow){.src = IP_C,
					  .dst = IP_WORLD,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 17,
					  .host = HOST3});
}

static const struct packet_case cases[] = {
	{"in to the world", ENTERS(C_TO_G)},
	{"in to the world, IPv6", ENTERS(C_TO_G6)},
	{"in to the world, TCP", ENTERS(C_TO_G, .kind = KIND_TCP, .payload = 9)},
	{"in to the world, echo", ENTERS(C_TO_G, ICMP(8))},
	{"in to the world, later fragment", ENTERS(C_TO_G, .frag = 0x0010)},
	{"in to the world, a long frame", ENTERS(C_TO_G6, .payload = 1300)},
	{"in to the gateway itself", ENTERS(C_TO_G, .to = IP_G), .mark_out = SELF_OF_RED},
	{"echo is answered at the sender's port alone", ENTERS(C_TO_G, .to = IP_G, ICMP(8)),
	 .mark_out = SELF_OF_RED},
	{"in to this host's VTEP, which nftables knows", ENTERS(C_TO_G, .to = IP_WIRE)},
	{"from what a neighbour has", WIRE_IN(C_TO_G, .from = IP_D), SPOOFED_IP},
	{"from what an endpoint here has", WIRE_IN(C_TO_G, .from = IP_A), SPOOFED_IP},
	{"from nobody's address", WIRE_IN(C_TO_G, .from = IP_UNKNOWN), SPOOFED_IP},
	{"from nobody's address, IPv6", WIRE_IN(C_TO_G6, .from = "fd00::99"), SPOOFED_IP},
	{"from the gateway's address", WIRE_IN(C_TO_G, .from = IP_G), SPOOFED_IP},
	{"from the world", WIRE_IN(C_TO_G, .from = IP_WORLD, .to = IP_G), SPOOFED_IP},
	{"from link-local", WIRE_IN(C_TO_G6, .from = LL6_C), HOST_ADDRESS},
	{"from another host's endpoint", WIRE_IN(C_TO_G, .src = MAC_D, .from = IP_D), WRONG_HOST},
	{"from an endpoint here", WIRE_IN(C_TO_G, .src = MAC_A, .from = IP_A), WRONG_HOST},
	{"to a VTEP", WIRE_IN(C_TO_G, .to = IP_HOST3), HOST_ADDRESS},
	{"to WireGuard's port of it", HOST_ADDRESS,
	 WIRE_IN(C_TO_G, .to = IP_HOST3, .sport = 51820, .dport = 51820)},
	{"to the sender's VTEP", WIRE_IN(C_TO_G6, .to = IP6_HOST2), HOST_ADDRESS},
	{"to loopback", WIRE_IN(C_TO_G, .to = "127.0.0.1"), HOST_ADDRESS},
	{"to multicast", WIRE_IN(C_TO_G6, .to = "ff0e::1"), HOST_ADDRESS},
	{"to a neighbour by it", WIRE_IN(C_TO_G, .to = IP_A), NOWHERE},
	{"not IP", WIRE_IN(C_TO_G, RAW), NOWHERE},
	{"ARP to its MAC", WIRE_IN(C_TO_G, .kind = KIND_ARP), NOWHERE},
	{"never on to another host", WIRE_IN(C_TO_G), NOWHERE, .setup = at_host3},
	{"never back", WIRE_IN(C_TO_G), NOWHERE, .setup = at_host2},
	{"never on to the gateway itself", WIRE_IN(C_TO_G, .to = IP_G), NOWHERE, .setup = at_host3},
	{"nor by a note", ENTERS(C_TO_G), .setup = c_noted_elsewhere,
	 .flow = &(const struct lab_flow){.src = IP_C,
					  .dst = IP_WORLD,
					  .sport = 1000,
					  .dport = 2000,
					  .proto = 17,
					  .host = HOST3}},
	{"in, no record", WIRE_IN(C_TO_G), NO_GATEWAY, .setup = no_record},
	{"in, none at all", WIRE_IN(C_TO_G), NOWHERE, .setup = no_gateway},
	{"in, no tsw-gw", WIRE_IN(C_TO_G), NO_GATEWAY, .setup = lab_no_door},
	{"in, tsw-gw is gone", WIRE_IN(C_TO_G), .drop = TSW_DROP_DEVICE_GONE,
	 .setup = tsw_gw_is_gone},
	{"in, the index is blue's", WIRE_IN(C_TO_G), NO_GATEWAY, .setup = index_is_blues},
	{"in, IPv4-mapped", WIRE_IN(C_TO_G6, .to = "::ffff:203.0.113.77"), HOST_ADDRESS},
	{"in to nobody of its own network", WIRE_IN(C_TO_G, .to = IP_UNKNOWN), NOWHERE},
	{"in to nobody of it, IPv6", WIRE_IN(C_TO_G6, .to = "fd00::99"), NOWHERE},
	{"in, here alone", ENTERS(C_TO_G), .setup = here_alone},
	{"in, here alone, which was all", ENTERS(C_TO_G), .setup = here_alone_was_all},
	{"in, a mark", ENTERS(C_TO_G), .mark = 0x74500002},

	{"another host's gateway, where all serve", TO_A(G_TO_A),
	 NOTED(A_TO_WORLD, PORTS, .proto = 17)},
	{"the same, IPv6", TO_A(G_TO_A6), NOTED(A_TO_WORLD6, PORTS, .proto = 17)},
	{"the same, TCP", TO_A(G_TO_A, .kind = KIND_TCP), NOTED(A_TO_WORLD, PORTS, .proto = 6)},
	{"the same, echo", TO_A(G_TO_A, ICMP(8)), NOTED(A_TO_WORLD, .sport = 0x1234, .proto = 1)},
	{"the same, echo, IPv6", TO_A(G_TO_A6, ICMP(128)),
	 NOTED(A_TO_WORLD6, .sport = 0x1234, .proto = 58)},
	{"the same, ARP", TO_A(G_TO_A, .kind = KIND_ARP, .op = 2)},
	{"the same, to all", WIRE_IN(G_TO_A, .dst = MAC_BROADCAST), .moves = MOVE(RX),
	 .host = HOST2, .setup = no_members},
	{"noted anew, from another host", TO_A(G_TO_A), .setup = a_noted_already,
	 NOTED(A_TO_WORLD, PORTS, .proto = 17)},
	{"its fdb entry is not there yet", TO_A(G_TO_A), .setup = no_fdb,
	 NOTED(A_TO_WORLD, PORTS, .proto = 17)},
	{"the serving host's", TO_A(G_TO_A), .setup = at_host2},
	{"the serving host's, IPv6", TO_A(G_TO_A6), .setup = at_host2},
	{"the serving host's, ARP", TO_A(G_TO_A, .kind = KIND_ARP, .op = 2), .setup = at_host2},
	{"not the serving host's", WIRE_IN(G_TO_A), WRONG_HOST, .setup = at_host3},
	{"not the serving host's, IPv6", WIRE_IN(G_TO_A6), WRONG_HOST, .setup = at_host3},
	{"not the serving host's, ARP", WIRE_IN(G_TO_A, .kind = KIND_ARP, .op = 2), WRONG_HOST,
	 .setup = at_host3},
	{"not the serving host's, to all", WIRE_IN(G_TO_A, .dst = MAC_BROADCAST), WRONG_HOST,
	 .setup = at_host3},
	{"not the serving host's, to the gateway", WIRE_IN(G_TO_G), WRONG_HOST, .setup = at_host3},
	{"not the serving host's, not IP", WIRE_IN(G_TO_A, RAW), WRONG_HOST, .setup = at_host3},
	{"blue's serving host's", WIRE_IN(G_TO_A), WRONG_HOST, .setup = blue_alone_at_host2},
	{"the old host's, while it drains", TO_A(G_TO_A), .setup = at_host3_drains},
	{"the old host's, just after", TO_A(G_TO_A), .setup = at_host3_drained},
	{"the old host's, later", WIRE_IN(G_TO_A), WRONG_HOST, .setup = at_host3_long_drained},
	{"the old host's, no drain", WIRE_IN(G_TO_A), WRONG_HOST, .setup = at_host3_was_at_host2},
	{"here alone", WIRE_IN(G_TO_A), WRONG_HOST, .setup = here_alone},
	{"here alone, ARP", WIRE_IN(G_TO_A, .kind = KIND_ARP, .op = 2), WRONG_HOST,
	 .setup = here_alone},
	{"here alone, to the gateway", WIRE_IN(G_TO_G), WRONG_HOST, .setup = here_alone},
	{"here alone, which was all: not noted", TO_A(G_TO_A), .setup = here_alone_was_all},
	{"the same, long ago", WIRE_IN(G_TO_A), WRONG_HOST, .setup = here_alone_was_all_long_ago},
	{"here alone, it was there: not noted", TO_A(G_TO_A), .setup = here_alone_was_at_host2},
	{"here alone, it was elsewhere", WIRE_IN(G_TO_A), WRONG_HOST,
	 .setup = here_alone_was_at_host3},
	{"elsewhere, which was all", TO_A(G_TO_A), .setup = at_host3_was_all},
	{"the same, some time ago", WIRE_IN(G_TO_A), WRONG_HOST,
	 .setup = at_host3_was_all_long_ago},
	{"all, it was there: what it had is not noted", TO_A(G_TO_A), .setup = all_was_at_host2},
	{"the same, just after", TO_A(G_TO_A), .setup = all_was_at_host2_over},
	{"the same, later: noted", TO_A(G_TO_A), .setup = all_was_at_host2_long_ago,
	 NOTED(A_TO_WORLD, PORTS, .proto = 17)},
	{"all, it was at another: noted", TO_A(G_TO_A), .setup = all_was_at_host3,
	 NOTED(A_TO_WORLD, PORTS, .proto = 17)},
	{"where this one drains", WIRE_IN(G_TO_A), WRONG_HOST, .setup = at_host3_was_here},
	{"without a record", WIRE_IN(G_TO_A), WRONG_HOST, .setup = no_record},
	{"without any", WIRE_IN(G_TO_A), WRONG_HOST, .setup = no_gateway},
	{"a MAC that was the gateway's", WIRE_IN(G_TO_A), WRONG_HOST, .setup = another_mac},
	{"never on to an endpoint elsewhere", WIRE_IN(G_TO_A, .dst = MAC_D), NOWHERE},
	{"to nobody", WIRE_IN(G_TO_A, .dst = MAC_UNKNOWN), NOWHERE},
	{"to the link's own group", WIRE_IN(G_TO_A, .dst = "01:80:c2:00:00:00"),
	 .drop = TSW_DROP_RESERVED_MULTICAST},

	{"gateway to gateway, where all serve", ENTERS(G_TO_G), BOUNCED(.src = IP_C)},
	{"the same from nobody's address", WIRE_IN(G_TO_G, .from = IP_UNKNOWN), SPOOFED_IP,
	 BOUNCED(.src = IP_UNKNOWN)},
	{"the same from the world", WIRE_IN(G_TO_G, .from = IP_WORLD, .to = "192.88.99.1"),
	 SPOOFED_IP, BOUNCED(.src = IP_WORLD, .dst = "192.88.99.1")},
	{"the same to a neighbour", WIRE_IN(G_TO_G, .to = IP_A), NOWHERE,
	 BOUNCED(.src = IP_C, .dst = IP_A)},
	{"the same to a VTEP", WIRE_IN(G_TO_G, .to = IP_HOST3), HOST_ADDRESS,
	 BOUNCED(.src = IP_C, .dst = IP_HOST3)},
	{"gateway to gateway that is not here", WIRE_IN(G_TO_G), NOWHERE, .setup = at_host2},
};

/* The answers, at the port; and what does not belong to what is noted. */
static const struct outer to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
#define PORT(...) .in = {.dst = MAC_G, .to = IP_WORLD, __VA_ARGS__}
#define GOES_OUT .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = OF_RED, .flow = &noted
#define GOES_BACK(...)                                                              \
	PORT(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST3, \
			   .out = &(const struct spec)                              \
	{                                                                           \
		.dst = MAC_G, .to = IP_WORLD, __VA_ARGS__, .outer = &to_host3       \
	}

static const struct lab_flow noted = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST3};
static const struct lab_flow noted_of_blue = {
	.tenant = BLUE, A_TO_WORLD, PORTS, .proto = 17, .host = HOST3};

static void noted_and_at_host3(void)
{
	lab_gateway(RED, HOST3, 0, 0);
	lab_flow(&noted);
}

static const struct lab_flow noted_by_host2 = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST2};
static const struct lab_flow forgotten = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST3,
					  .idle = 181};

static void noted_by_host2_and_at_host3(void)
{
	lab_gateway(RED, HOST3, 0, 0);
	lab_flow(&noted_by_host2);
}

static void noted_here_alone(void)
{
	here_alone();
	lab_flow(&noted);
}

static void noted_before_any_was(void)
{
	lab_flow(&noted);
}

static void noted_long_ago(void)
{
	has_flows(RED);
	lab_flow(&forgotten);
}

static const struct packet_case answers[] = {
	{"the answer goes back", GOES_BACK(.sport = 2000, .dport = 1000), .flow = &noted,
	 .setup = a_noted_already},
	{"the same where the gateway is there", GOES_BACK(.sport = 2000, .dport = 1000),
	 .flow = &noted, .setup = noted_and_at_host3},
	{"the gateway is elsewhere alone: no note counts", GOES_BACK(.sport = 2000, .dport = 1000),
	 .flow = &noted_by_host2, .setup = noted_by_host2_and_at_host3},
	{"here alone: no note counts", PORT(.sport = 2000, .dport = 1000), GOES_OUT,
	 .setup = noted_here_alone},
	{"no note was ever made", PORT(.sport = 2000, .dport = 1000), GOES_OUT,
	 .setup = noted_before_any_was},
	{"what was noted long ago", PORT(.sport = 2000, .dport = 1000), GOES_OUT,
	 .setup = noted_long_ago},
	{"another source port", PORT(.sport = 2001, .dport = 1000), GOES_OUT,
	 .setup = a_noted_already},
	{"another port there", PORT(.sport = 2000, .dport = 1001), GOES_OUT,
	 .setup = a_noted_already},
	{"ports the other way round", PORT(.sport = 1000, .dport = 2000), GOES_OUT,
	 .setup = a_noted_already},
	{"another address there", PORT(.sport = 2000, .dport = 1000, .to = "203.0.113.78"),
	 GOES_OUT, .setup = a_noted_already},
	{"another protocol", PORT(.sport = 2000, .dport = 1000, .kind = KIND_TCP), GOES_OUT,
	 .setup = a_noted_already},
	{"blue's is noted, not red's", PORT(.sport = 2000, .dport = 1000), GOES_OUT,
	 .setup = the_same_of_blue, .flow = &noted_of_blue},
};

/* One after the other: what the first leaves makes the second go back. */
static void noted_and_answered(void **state)
{
	const struct spec in = {G_TO_A, .outer = &host2};
	const struct spec out = {.dst = MAC_G, .to = IP_WORLD, .sport = 2000, .dport = 1000};
	struct __sk_buff from_wire = {.ifindex = WIRE}, from_a = {.ifindex = RED_A};
	struct packet_run run = {};
	struct counts counts;
	struct frame f;

	counts_clear();
	frame_build(&in, &f);
	assert_int_equal(packet_run(FROM_WIRE, &f, &from_wire, &run), 0);
	frame_build(&out, &f);
	assert_int_equal(packet_run(FROM_PORT, &f, &from_a, &run), 0);
	counts_read(&counts);
	assert_int_equal(counts.hosts[HOST2][0].packets, 1);
	assert_int_equal(run.ctx.mark, 0);
	lab_fill();
	(void)state;
}

static void every_wire(void **state)
{
	const struct packet_wire *wire = *state;
	char name[128];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct packet_case c = cases[i];

		snprintf(name, sizeof(name), "%s: %s", wire->name, c.name);
		c.name = name;
		c.in.outer = &wire->outer;
		packet_check(&c);
	}
}

static void answer(void **state)
{
	packet_check(*state);
}

int main(void)
{
	struct CMUnitTest more[WIRES + COUNT(answers) + 1];
	const struct packet_suite suite = {"gateway_wire", cases, COUNT(cases), more, COUNT(more)};

	for (size_t i = 0; i < WIRES; i++)
		more[i] = (struct CMUnitTest){
			.name = packet_wires[i].name,
			.test_func = every_wire,
			.initial_state = (void *)&packet_wires[i],
		};
	for (size_t i = 0; i < COUNT(answers); i++)
		more[WIRES + i] = (struct CMUnitTest){
			.name = answers[i].name,
			.test_func = answer,
			.initial_state = (void *)&answers[i],
		};
	more[WIRES + COUNT(answers)] = (struct CMUnitTest)cmocka_unit_test(noted_and_answered);
	return packet_main(&suite);
}
