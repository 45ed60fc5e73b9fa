// SPDX-License-Identifier: GPL-2.0-only
/*
 * A gateway with ranked hosts, each of which is ready: which frames a backup serves, which it sends
 * on, whom all believe, and where flows are that another of them brought.
 */
#include <string.h>

#include "packet.h"

#define OF_RED 0x74500001
#define HELD_OF_RED 0x74540001

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3}, to_host2 = {};
static const struct outer to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};

#define SYN .kind = KIND_TCP, .tcp_flags = 0x02
#define TCP .kind = KIND_TCP
#define PORT(...) .in = {.dst = MAC_G, .to = IP_WORLD, __VA_ARGS__}
#define OUT_OF(header, index, ...)                                                      \
	.program = FROM_WIRE, .in = {.outer = &(header), __VA_ARGS__}, .host = (index), \
	.out = &(const struct spec)                                                     \
	{                                                                               \
		__VA_ARGS__                                                             \
	}
#define TO_WORLD .dst = MAC_G, .to = IP_WORLD
#define D_SENDS(...) OUT_OF(host3, HOST3, .src = MAC_D, .from = IP_D, TO_WORLD, __VA_ARGS__)
#define BY_HOST2(...) OUT_OF(host2, HOST2, .src = MAC_G, .from = IP_A, TO_WORLD, __VA_ARGS__)
#define BY_HOST3(...) OUT_OF(host3, HOST3, .src = MAC_G, .from = IP_A, TO_WORLD, __VA_ARGS__)

#define HERE .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = OF_RED
#define FROM_WIRE_IN .verdict = REDIRECTED, .moves = MOVE(RX) | MOVE(GATEWAY)
#define HERE_FROM_WIRE FROM_WIRE_IN, .mark_out = OF_RED
#define HELD_FROM_WIRE FROM_WIRE_IN, .mark_out = HELD_OF_RED
#define SENT_BY(header, index, ...)                                                     \
	.in = {__VA_ARGS__}, .verdict = REDIRECTED, .moves = MOVE(TX), .host = (index), \
	.out = &(const struct spec)                                                     \
	{                                                                               \
		.outer = &(header), __VA_ARGS__                                         \
	}
#define SENT(...) SENT_BY(to_host2, HOST2, TO_WORLD, __VA_ARGS__)
#define SENT_TO_3(...) SENT_BY(to_host3, HOST3, TO_WORLD, __VA_ARGS__)
#define NOT_LET_ON .verdict = DROPPED, .host = 0, .drop = TSW_DROP_UNKNOWN_DESTINATION
#define WRONG_HOST .verdict = DROPPED, .host = 0, .drop = TSW_DROP_WRONG_HOST

#define FLOW(at, number)                                                                       \
	&(const struct lab_flow)                                                               \
	{                                                                                      \
		.src = IP_A, .dst = IP_WORLD, .sport = 1000, .dport = 2000, .proto = (number), \
		.host = (at)                                                                   \
	}
#define NOW_HERE(number) .flow = FLOW(0, number)

static const struct lab_flow udp_third = {
	.src = IP_A, .dst = IP_WORLD, .sport = 1000, .dport = 2000, .proto = 17, .host = HOST3};

static const struct lab_flow udp_here = {
	.src = IP_A, .dst = IP_WORLD, .sport = 1000, .dport = 2000, .proto = 17, .host = 0};

/* Ranks in order; HOST serves. DOWN: a bit for each. */
static void ranked(__u32 host, __u32 first, __u32 second, __u32 down)
{
	struct tsw_gateway gw;

	lab_gateway(RED, host, 0, 0);
	lab_gateway_get(RED, &gw);
	gw.n_ranks = 2;
	gw.rank[0] = first;
	gw.rank[1] = second;
	gw.down = down;
	gw.flags = TSW_GATEWAY_FLOWS | (first && second ? 0 : TSW_GATEWAY_READY);
	lab_gateway_set(RED, &gw);
}

static void drains(__u32 old)
{
	struct tsw_gateway gw;
	struct tsw_gateway moving;

	lab_gateway_get(RED, &gw);
	lab_gateway(RED, gw.host, old, 100);
	lab_gateway_get(RED, &moving);
	gw.old = old;
	gw.drain_until = moving.drain_until;
	lab_gateway_set(RED, &gw);
}

static void is_backup(void)
{
	ranked(HOST2, HOST2, 0, 0);
}

static void gave_it_up(void)
{
	is_backup();
	drains(0);
}

static void is_first(void)
{
	ranked(0, 0, HOST2, 0);
}

static void stands_in(void)
{
	ranked(0, HOST2, 0, 1);
}

static void waits_and_has_it(void)
{
	ranked(HOST2, 0, HOST2, 0);
	lab_flow(&udp_here);
}

static void is_lame_and_has_it(void)
{
	ranked(HOST2, 0, HOST2, 1);
	lab_flow(&udp_here);
}

static void is_none(void)
{
	ranked(HOST2, HOST2, HOST3, 0);
}

static void is_none_and_third_has_it(void)
{
	is_none();
	lab_flow(&udp_third);
}

static void is_none_and_third_is_dead(void)
{
	ranked(HOST2, HOST2, HOST3, 2);
	lab_flow(&udp_third);
}

static void is_backup_and_a_stranger_has_it(void)
{
	is_backup();
	lab_flow(&udp_third);
}

static const struct packet_case cases[] = {
	{"backup: its own port's goes to who serves", SENT(), .setup = is_backup},
	{"backup: the same, a connection begins", SENT(SYN), .setup = is_backup},
	{"backup: UDP from elsewhere is served", D_SENDS(), HERE_FROM_WIRE, .setup = is_backup},
	{"backup: a connection from elsewhere begins", D_SENDS(SYN), HERE_FROM_WIRE,
	 .setup = is_backup},
	{"backup: one that goes on may be another's", D_SENDS(TCP), HELD_FROM_WIRE,
	 .setup = is_backup},
	{"backup: sent on to it, it is here", BY_HOST2(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_backup},
	{"backup: a connection sent on to it does not go round", BY_HOST2(TCP), HERE_FROM_WIRE,
	 NOW_HERE(6), .setup = is_backup},
	{"backup: sent on by who is no rank", BY_HOST3(), WRONG_HOST, .setup = is_backup},
	{"backup: a flow at who is no rank goes to who serves", SENT(), .flow = &udp_third,
	 .setup = is_backup_and_a_stranger_has_it},
	{"gave it up: what is held stays, the rest goes on", D_SENDS(), HELD_FROM_WIRE,
	 .setup = gave_it_up},
	{"gave it up: sent on to it does not go round", BY_HOST2(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = gave_it_up},

	{"first: its own port's", PORT(), HERE, .setup = is_first},
	{"first: a connection from elsewhere goes on", D_SENDS(TCP), HERE_FROM_WIRE,
	 .setup = is_first},
	{"first: the backup's gateway is believed", BY_HOST2(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_first},
	{"stands in: its own port's", PORT(TCP), HERE, .setup = stands_in},
	{"stands in: from elsewhere", D_SENDS(TCP), HERE_FROM_WIRE, .setup = stands_in},
	{"stands in: the first is believed still", BY_HOST2(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = stands_in},

	{"waits: a flow that is here stays", PORT(), HERE, .flow = &udp_here,
	 .setup = waits_and_has_it},
	{"lame: it goes to who serves", SENT(), .flow = &udp_here, .setup = is_lame_and_has_it},

	{"none: to who serves", SENT(), .setup = is_none},
	{"none: a flow that is at the other stays there", SENT_TO_3(), .flow = &udp_third,
	 .setup = is_none_and_third_has_it},
	{"none: not where that is dead", SENT(), .flow = &udp_third,
	 .setup = is_none_and_third_is_dead},
	{"none: from elsewhere is not let on", D_SENDS(), NOT_LET_ON, .setup = is_none},
	{"none: nor what one of them sends on", BY_HOST3(), NOT_LET_ON, .setup = is_none},
};

int main(void)
{
	const struct packet_suite suite = {"gateway_ranks", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
