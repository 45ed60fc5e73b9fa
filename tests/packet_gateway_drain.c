// SPDX-License-Identifier: GPL-2.0-only
/*
 * A gateway that moves from host to host: which flows are served here, which by the host
 * that has them: the sender's port decides. Each host's part is played here in turn; host 2 plays
 * the other one.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define OF_RED 0x74500001
#define HELD_OF_RED 0x74540001
#define SELF_OF_RED 0x74550001

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3}, to_host2 = {};
static const struct outer to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
static const struct outer blue_to_host2 = {.vni = BLUE};

#define SYN .kind = KIND_TCP, .tcp_flags = 0x02
#define SYN_ACK .kind = KIND_TCP, .tcp_flags = 0x12
#define TCP .kind = KIND_TCP
#define ICMP(type_) .kind = KIND_ICMP, .icmp_type = type_, .rest = "12340001"
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50

/* From a port; from an endpoint on another host; from the other host's gateway. */
#define PORT(...) .in = {.dst = MAC_G, .to = IP_WORLD, __VA_ARGS__}
#define PORT6(...) .in = {.dst = MAC_G, .from = IP6_A, .to = IP6_WORLD, __VA_ARGS__}
#define OUT_OF(header, index, ...)                                                      \
	.program = FROM_WIRE, .in = {.outer = &(header), __VA_ARGS__}, .host = (index), \
	.out = &(const struct spec)                                                     \
	{                                                                               \
		__VA_ARGS__                                                             \
	}
#define TO_WORLD .dst = MAC_G, .to = IP_WORLD
#define C_SENDS(...) OUT_OF(host2, HOST2, .src = MAC_C, .from = IP_C, TO_WORLD, __VA_ARGS__)
#define D_SENDS(...) OUT_OF(host3, HOST3, .src = MAC_D, .from = IP_D, TO_WORLD, __VA_ARGS__)
#define BOUNCED(...) OUT_OF(host2, HOST2, .src = MAC_G, .from = IP_A, TO_WORLD, __VA_ARGS__)
#define BOUNCED6(...) BOUNCED(.from = IP6_A, .to = IP6_WORLD, __VA_ARGS__)
#define BY_HOST3(...) OUT_OF(host3, HOST3, .src = MAC_G, .from = IP_A, TO_WORLD, __VA_ARGS__)

#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY)
#define ENTERS_FROM_WIRE .verdict = REDIRECTED, .moves = MOVE(RX) | MOVE(GATEWAY)
#define HERE ENTERS, .mark_out = OF_RED
#define HELD ENTERS, .mark_out = HELD_OF_RED
#define HERE_FROM_WIRE ENTERS_FROM_WIRE, .mark_out = OF_RED
#define HELD_FROM_WIRE ENTERS_FROM_WIRE, .mark_out = HELD_OF_RED
#define SENT_BY(header, index, ...)                                                     \
	.in = {__VA_ARGS__}, .verdict = REDIRECTED, .moves = MOVE(TX), .host = (index), \
	.out = &(const struct spec)                                                     \
	{                                                                               \
		.outer = &(header), __VA_ARGS__                                         \
	}
#define SENT(...) SENT_BY(to_host2, HOST2, TO_WORLD, __VA_ARGS__)
#define SENT6(...) SENT(.from = IP6_A, .to = IP6_WORLD, __VA_ARGS__)
#define SENT_TO_3(...) SENT_BY(to_host3, HOST3, TO_WORLD, __VA_ARGS__)
#define NOT_LET_ON .verdict = DROPPED, .host = 0, .drop = TSW_DROP_UNKNOWN_DESTINATION
#define WRONG_HOST .verdict = DROPPED, .host = 0, .drop = TSW_DROP_WRONG_HOST
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS

/* What is in tsw_flows: of A, to the world. */
#define FLOW(at, number, ...)                                                          \
	&(const struct lab_flow)                                                       \
	{                                                                              \
		.src = IP_A, .dst = IP_WORLD, .proto = number, .host = at, __VA_ARGS__ \
	}
#define PORTS .sport = 1000, .dport = 2000
#define NOW_HERE(number) .flow = FLOW(0, number, PORTS)
#define NOW_THERE(number) .flow = FLOW(HOST2, number, PORTS)
#define LONG_AGO 181 /* seconds; ten less is not */
#define UNHEARD 31   /* likewise, at a host without endpoints */

#define A_TO_WORLD .src = IP_A, .dst = IP_WORLD
static const struct lab_flow udp_here = {A_TO_WORLD, PORTS, .proto = 17};
static const struct lab_flow udp_was_here = {A_TO_WORLD, PORTS, .proto = 17, .idle = LONG_AGO};
static const struct lab_flow udp_here_still = {A_TO_WORLD, PORTS, .proto = 17,
					       .idle = LONG_AGO - 10};
static const struct lab_flow tcp_here = {A_TO_WORLD, PORTS, .proto = 6, .idle = LONG_AGO};
static const struct lab_flow echo_here = {A_TO_WORLD, .sport = 0x1234, .proto = 1};
static const struct lab_flow echo6_here = {
	.src = IP6_A, .dst = IP6_WORLD, .sport = 0x1234, .proto = 58};
static const struct lab_flow ds_here = {.src = IP_D, .dst = IP_WORLD, PORTS, .proto = 17};
static const struct lab_flow tcp_there = {A_TO_WORLD, PORTS, .proto = 6, .host = HOST2};
static const struct lab_flow udp_there = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST2};
static const struct lab_flow udp_third = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST3};
static const struct lab_flow udp_unheard = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST3,
					    .idle = UNHEARD};
static const struct lab_flow udp_heard = {A_TO_WORLD, PORTS, .proto = 17, .host = HOST3,
					  .idle = UNHEARD - 10};
static const struct lab_flow tcp_unheard = {A_TO_WORLD, PORTS, .proto = 6, .host = HOST3,
					    .idle = UNHEARD};
static const struct lab_flow blues_here = {.tenant = BLUE, A_TO_WORLD, PORTS, .proto = 17};
/* What was noted of a frame that is no flow's. */
static const struct lab_flow of_nothing = {.src = "::", .dst = "::", .proto = 59};

static void set(__u32 host, __u32 old, int drain, __u32 flags)
{
	lab_gateway(RED, host, old, drain);
	lab_gateway_flags(RED, flags);
}

#define ALL TSW_GATEWAY_ALL
#define WAS_ALL TSW_GATEWAY_WAS_ALL
#define STATE(name, host, old, drain, flags)  \
	static void name(void)                \
	{                                     \
		set(host, old, drain, flags); \
	}

/* It came here, alone. */
STATE(is_new, 0, HOST2, 100, 0)
STATE(is_new_over, 0, HOST2, -5, 0)
STATE(is_new_long_over, 0, HOST2, -11, 0)
STATE(is_new_no_drain, 0, HOST2, 0, 0)

static void is_new_without_tsw_gw(void)
{
	is_new();
	lab_no_door();
}

/* It was everywhere, and came here alone. */
STATE(is_new_from_all, 0, 0, 100, WAS_ALL)
STATE(is_new_from_all_over, 0, 0, -5, WAS_ALL)
STATE(is_new_from_all_long_over, 0, 0, -11, WAS_ALL)

/* It went to host 2. */
STATE(was_here, HOST2, 0, 100, 0)
STATE(was_here_over, HOST2, 0, -5, 0)
STATE(was_here_long_over, HOST2, 0, -11, 0)
STATE(was_here_no_drain, HOST2, 0, 0, 0)

/* It was everywhere, and went to host 2. */
STATE(was_all, HOST2, 0, 100, WAS_ALL)
STATE(was_all_over, HOST2, 0, -5, WAS_ALL)
STATE(was_all_long_over, HOST2, 0, -11, WAS_ALL)

/* It went from host 3 to host 2. */
STATE(is_elsewhere, HOST2, HOST3, 100, 0)
STATE(is_elsewhere_over, HOST2, HOST3, -5, 0)

/* It was here alone, and now is everywhere. */
STATE(was_here_alone, 0, 0, 100, ALL)
STATE(was_here_alone_over, 0, 0, -5, ALL)
STATE(was_here_alone_long_over, 0, 0, -11, ALL)

/* It was on host 2 alone, and now is everywhere. */
STATE(was_there_alone, 0, HOST2, 100, ALL)
STATE(was_there_alone_over, 0, HOST2, -5, ALL)

static void has_flows(void)
{
	lab_gateway_flags(RED, ALL | WAS_ALL | TSW_GATEWAY_FLOWS);
}

static void alone(void) /* no other host has endpoints */
{
	has_flows();
	lab_clear(M_GROUPS);
}

static void left(void) /* host 3 is not known any more */
{
	alone();
	lab_unset(M_HOSTS, &(const __u32){HOST3});
}

/* Blue's gateway moves, red's does not. */
static void blue_moves(void)
{
	lab_gateway(BLUE, 0, HOST2, 100);
	lab_gateway(GREEN, HOST2, 0, 100);
	lab_gateway(LARGE, HOST2, HOST3, 100);
}

/* One of these, and what is noted already. */
#define NOTED(state, flow)               \
	static void state##_##flow(void) \
	{                                \
		state();                 \
		lab_flow(&(flow));       \
	}

NOTED(is_new, udp_here)
NOTED(is_new, udp_was_here)
NOTED(is_new, udp_here_still)
NOTED(is_new, tcp_here)
NOTED(is_new, echo_here)
NOTED(is_new, echo6_here)
NOTED(is_new, udp_there)
NOTED(is_new, tcp_there)
NOTED(is_new, udp_third)
NOTED(is_new, ds_here)
NOTED(is_new, blues_here)
NOTED(is_new_over, udp_there)
NOTED(is_new_over, tcp_there)
NOTED(is_new_over, udp_third)
NOTED(was_here, udp_there)
NOTED(was_here, udp_here)
NOTED(was_here, tcp_there)
NOTED(was_here_over, udp_third)
NOTED(is_elsewhere, udp_there)
NOTED(is_elsewhere, udp_third)
NOTED(is_elsewhere, udp_here)
NOTED(is_elsewhere_over, udp_third)
NOTED(was_there_alone, udp_here)
NOTED(was_there_alone_over, udp_third)
NOTED(has_flows, udp_third)
NOTED(has_flows, tcp_there)
NOTED(has_flows, udp_unheard)
NOTED(alone, udp_heard)
NOTED(alone, udp_unheard)
NOTED(alone, tcp_unheard)
NOTED(left, udp_third)
NOTED(left, tcp_unheard)
NOTED(was_here_alone, udp_third)

static const struct packet_case cases[] = {
	{"new host: a connection begins", PORT(SYN), HERE, NOW_HERE(6), .setup = is_new},
	{"new host: one begins, ECN", PORT(TCP, .tcp_flags = 0xc2), HERE, NOW_HERE(6),
	 .setup = is_new},
	{"new host: one begins, IPv6", PORT6(SYN), HERE, .setup = is_new,
	 .flow = FLOW(0, 6, PORTS, .src = IP6_A, .dst = IP6_WORLD)},
	{"new host: one begins that was there", PORT(SYN), HERE, NOW_HERE(6),
	 .setup = is_new_tcp_there},
	{"new host: a connection not known", SENT(TCP), .setup = is_new},
	{"new host: the same, IPv6", SENT6(TCP), .setup = is_new},
	{"new host: one that is here, idle", PORT(TCP), HERE, .flow = &tcp_here,
	 .setup = is_new_tcp_here},
	{"new host: SYN and ACK", SENT(SYN_ACK), .setup = is_new},
	{"new host: a reset", SENT(TCP, .tcp_flags = 0x04), .setup = is_new},
	{"new host: UDP not known", SENT(), .setup = is_new},
	{"new host: UDP not known, IPv6", SENT6(), .setup = is_new},
	{"new host: UDP that is here", PORT(), HERE, .flow = &udp_here, .setup = is_new_udp_here},
	{"new host: the same, quiet for long", PORT(), HERE, .flow = &udp_here,
	 .setup = is_new_udp_here_still},
	{"new host: the same, for too long", SENT(), .flow = &udp_here,
	 .setup = is_new_udp_was_here},
	{"new host: UDP that is there", SENT(), .flow = &udp_there, .setup = is_new_udp_there},
	{"new host: UDP that was at a third", SENT(), .flow = &udp_third,
	 .setup = is_new_udp_third},
	{"new host: another port", SENT(.sport = 1001), .flow = &udp_here,
	 .setup = is_new_udp_here},
	{"new host: another port there", SENT(.dport = 1), .flow = &udp_here,
	 .setup = is_new_udp_here},
	{"new host: another address", SENT(.to = "203.0.113.78"), .flow = &udp_here,
	 .setup = is_new_udp_here},
	{"new host: another protocol", SENT(TCP), .flow = &udp_here, .setup = is_new_udp_here},
	{"new host: blue has the same here", SENT(), .flow = &blues_here,
	 .setup = is_new_blues_here},
	{"new host: an echo not known", SENT(ICMP(8)), .setup = is_new},
	{"new host: an echo that is here", PORT(ICMP(8)), HERE, .flow = &echo_here,
	 .setup = is_new_echo_here},
	{"new host: an echo of another id", SENT(ICMP(8), .rest = "12350001"), .flow = &echo_here,
	 .setup = is_new_echo_here},
	{"new host: an echo that is here, IPv6", PORT6(ICMP(128)), HERE, .flow = &echo6_here,
	 .setup = is_new_echo6_here},
	{"new host: an echo of another id, IPv6", SENT6(ICMP(128), .rest = "12330001"),
	 .flow = &echo6_here, .setup = is_new_echo6_here},
	{"new host: a later fragment", SENT(.frag = 0x0010), .setup = is_new},
	{"new host: another protocol still", SENT(.proto = 132), .setup = is_new},
	{"new host: what the old one noted", SENT(TCP), .flow = &tcp_there,
	 .setup = is_new_tcp_there},
	{"new host: to the gateway itself", SENT(.to = IP_G), .setup = is_new},
	{"new host: to the gateway itself, IPv6", SENT6(.to = IP6_G), .setup = is_new},
	{"new host: a connection to it", PORT(SYN, .to = IP_G), ENTERS, .mark_out = SELF_OF_RED,
	 .flow = FLOW(0, 6, PORTS, .dst = IP_G), .setup = is_new},
	{"new host: not IP", SENT(RAW), .setup = is_new},
	{"new host: a connection to a VTEP", PORT(SYN, .to = IP_HOST3), HOST_ADDRESS,
	 .flow = FLOW(0, 6, PORTS, .dst = IP_HOST3), .setup = is_new},
	{"new host: from no listed address", .dev = RED_N, PORT(SYN, .src = MAC_N, .from = IP_N),
	 SPOOFED_IP, .flow = FLOW(0, 6, PORTS, .src = IP_N), .setup = is_new},
	{"new host: no tsw-gw, a connection begins", PORT(SYN), .drop = TSW_DROP_NO_GATEWAY,
	 NOW_HERE(6), .setup = is_new_without_tsw_gw},
	{"new host: no tsw-gw, UDP not known", SENT(), .setup = is_new_without_tsw_gw},
	{"new host: a mark from the container", SENT(), .mark = 0x74500002, .setup = is_new},

	{"new host: bounced", BOUNCED(), HERE_FROM_WIRE, NOW_HERE(17), .setup = is_new},
	{"new host: bounced, TCP", BOUNCED(TCP), HERE_FROM_WIRE, NOW_HERE(6), .setup = is_new},
	{"new host: bounced, IPv6", BOUNCED6(), HERE_FROM_WIRE,
	 .flow = FLOW(0, 17, PORTS, .src = IP6_A, .dst = IP6_WORLD), .setup = is_new},
	{"new host: bounced, echo", BOUNCED(ICMP(8)), HERE_FROM_WIRE, .flow = &echo_here,
	 .setup = is_new},
	{"new host: bounced, what was there", BOUNCED(TCP), HERE_FROM_WIRE, NOW_HERE(6),
	 .setup = is_new_tcp_there},
	{"new host: bounced, to the gateway itself", BOUNCED(.to = IP_G), ENTERS_FROM_WIRE,
	 .mark_out = SELF_OF_RED, .flow = FLOW(0, 17, PORTS, .dst = IP_G), .setup = is_new},
	{"new host: bounced, to a VTEP", BOUNCED(.to = IP_HOST3), .verdict = DROPPED, .host = 0,
	 HOST_ADDRESS, .flow = FLOW(0, 17, PORTS, .dst = IP_HOST3), .setup = is_new},
	{"new host: bounced, not IP", BOUNCED(RAW), NOT_LET_ON, .flow = &of_nothing,
	 .setup = is_new},
	{"new host: bounced when all is over here", BOUNCED(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_new_over},
	{"new host: bounced long after", BOUNCED(), WRONG_HOST, .setup = is_new_long_over},
	{"new host: by a host that was not it", BY_HOST3(), WRONG_HOST, .setup = is_new},
	{"new host: from an endpoint on the old one", C_SENDS(), HERE_FROM_WIRE, .setup = is_new},
	{"new host: from one on a third", D_SENDS(), HERE_FROM_WIRE, .setup = is_new},
	{"new host: the same, which is here", D_SENDS(), HERE_FROM_WIRE, .flow = &ds_here,
	 .setup = is_new_ds_here},
	{"new host: the same, a connection begins", D_SENDS(SYN), HERE_FROM_WIRE, .setup = is_new},

	{"over: a connection not known", PORT(TCP), HERE, .setup = is_new_over},
	{"over: a connection begins", PORT(SYN), HERE, .setup = is_new_over},
	{"over: UDP", PORT(), HERE, .setup = is_new_over},
	{"over: to the gateway itself", PORT(.to = IP_G), ENTERS, .mark_out = SELF_OF_RED,
	 .setup = is_new_over},
	{"over: not IP", PORT(RAW), NOT_LET_ON, .setup = is_new_over},
	{"over: to a VTEP", PORT(.to = IP_HOST3), HOST_ADDRESS, .setup = is_new_over},
	{"over: what the old host had", PORT(), HERE, .flow = &udp_there,
	 .setup = is_new_over_udp_there},
	{"over: a connection begins that it had", PORT(SYN), HERE, .flow = &tcp_there,
	 .setup = is_new_over_tcp_there},
	{"over: what a third host had", PORT(), HERE, .flow = &udp_third,
	 .setup = is_new_over_udp_third},
	{"over: from the old host's endpoint", C_SENDS(), HERE_FROM_WIRE, .setup = is_new_over},
	{"no drain: UDP", PORT(), HERE, .setup = is_new_no_drain},
	{"no drain: a connection not known", PORT(TCP), HERE, .setup = is_new_no_drain},
	{"no drain: from the old host's gateway", BOUNCED(), WRONG_HOST, .setup = is_new_no_drain},
	{"no drain: from an endpoint", C_SENDS(), HERE_FROM_WIRE, .setup = is_new_no_drain},

	{"new from all: a connection begins", PORT(SYN), HERE, .setup = is_new_from_all},
	{"new from all: a connection", PORT(TCP), HERE, .setup = is_new_from_all},
	{"new from all: UDP", PORT(), HERE, .setup = is_new_from_all},
	{"new from all: bounced", BOUNCED(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_new_from_all},
	{"new from all: bounced by any", BY_HOST3(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_new_from_all},
	{"new from all: from an endpoint", D_SENDS(), HERE_FROM_WIRE, .setup = is_new_from_all},
	{"new from all, over: bounced", BY_HOST3(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = is_new_from_all_over},
	{"new from all, long over: bounced", BY_HOST3(), WRONG_HOST,
	 .setup = is_new_from_all_long_over},
	{"new from all, long over: UDP", PORT(), HERE, .setup = is_new_from_all_long_over},

	{"old host: UDP", PORT(), HELD, .setup = was_here},
	{"old host: UDP, IPv6", PORT6(), HELD, .setup = was_here},
	{"old host: UDP that is there", SENT(), .flow = &udp_there, .setup = was_here_udp_there},
	{"old host: UDP that is here", PORT(), HERE, .flow = &udp_here, .setup = was_here_udp_here},
	{"old host: a connection begins", SENT(SYN), NOW_THERE(6), .setup = was_here},
	{"old host: a connection", PORT(TCP), HELD, .setup = was_here},
	{"old host: one that is there", SENT(TCP), .flow = &tcp_there, .setup = was_here_tcp_there},
	{"old host: an answer to one", PORT(SYN_ACK), HELD, .setup = was_here},
	{"old host: an echo", PORT(ICMP(8)), HELD, .setup = was_here},
	{"old host: a later fragment", PORT(.frag = 0x0010), HELD, .setup = was_here},
	{"old host: to the gateway itself", PORT(.to = IP_G), ENTERS, .mark_out = SELF_OF_RED,
	 .setup = was_here},
	{"old host: to a VTEP", PORT(.to = IP_HOST2), HOST_ADDRESS, .setup = was_here},
	{"old host: not IP", PORT(RAW), NOT_LET_ON, .setup = was_here},
	{"old host: from no listed address", .dev = RED_N, PORT(.src = MAC_N, .from = IP_N),
	 SPOOFED_IP, .setup = was_here},
	{"old host: from the new one's gateway", BOUNCED(), NOT_LET_ON, .setup = was_here},
	{"old host: the same, IPv6", BOUNCED6(TCP), NOT_LET_ON, .setup = was_here},
	{"old host: the same, to itself", BOUNCED(.to = IP_G), NOT_LET_ON, .setup = was_here},
	{"old host: from another's", BY_HOST3(), WRONG_HOST, .setup = was_here},
	{"old host: from an endpoint on the new one", C_SENDS(), HELD_FROM_WIRE, .setup = was_here},
	{"old host: a connection from there", C_SENDS(TCP), HELD_FROM_WIRE, .setup = was_here},
	{"old host: to itself from there", C_SENDS(.to = IP_G), ENTERS_FROM_WIRE,
	 .mark_out = SELF_OF_RED, .setup = was_here},
	{"old host: from one on a third", D_SENDS(), HELD_FROM_WIRE, .setup = was_here},
	{"old host, over", SENT(), .setup = was_here_over},
	{"old host, over: a connection", SENT(TCP), .setup = was_here_over},
	{"old host, over: a connection begins", SENT(SYN), .setup = was_here_over},
	{"old host, over: what a third host had", SENT(), .flow = &udp_third,
	 .setup = was_here_over_udp_third},
	{"old host, over: from the new one's gateway", BOUNCED(), NOT_LET_ON,
	 .setup = was_here_over},
	{"old host, just over: from an endpoint", C_SENDS(), HELD_FROM_WIRE,
	 .setup = was_here_over},
	{"old host, long over: from an endpoint", C_SENDS(), NOT_LET_ON,
	 .setup = was_here_long_over},
	{"old host, long over: from the new one's gateway", BOUNCED(), NOT_LET_ON,
	 .setup = was_here_long_over},
	{"old host, no drain: from an endpoint", C_SENDS(), NOT_LET_ON, .setup = was_here_no_drain},
	{"old host, no drain: UDP", SENT(), .setup = was_here_no_drain},

	{"was all: UDP", PORT(), HELD, .setup = was_all},
	{"was all: a connection begins", SENT(SYN), NOW_THERE(6), .setup = was_all},
	{"was all: from an endpoint", D_SENDS(), HELD_FROM_WIRE, .setup = was_all},
	{"was all: from the new one's gateway", BOUNCED(), NOT_LET_ON, .setup = was_all},
	{"was all: from another one's", BY_HOST3(), NOT_LET_ON, .setup = was_all},
	{"was all, over: from an endpoint", D_SENDS(), HELD_FROM_WIRE, .setup = was_all_over},
	{"was all, long over: from another one's gateway", BY_HOST3(), WRONG_HOST,
	 .setup = was_all_long_over},
	{"was all, long over: from an endpoint", D_SENDS(), NOT_LET_ON, .setup = was_all_long_over},
	{"was all, over: UDP", SENT(), .setup = was_all_over},

	{"third host: UDP", SENT_TO_3(), .setup = is_elsewhere},
	{"third host: a connection", SENT_TO_3(TCP), .setup = is_elsewhere},
	{"third host: a connection begins", SENT(SYN), NOW_THERE(6), .setup = is_elsewhere},
	{"third host: UDP at the new one", SENT(), .flow = &udp_there,
	 .setup = is_elsewhere_udp_there},
	{"third host: UDP at the old one", SENT_TO_3(), .flow = &udp_third,
	 .setup = is_elsewhere_udp_third},
	{"third host: UDP that was here", SENT_TO_3(), .flow = &udp_here,
	 .setup = is_elsewhere_udp_here},
	{"third host: to the gateway itself", SENT_TO_3(.to = IP_G), .setup = is_elsewhere},
	{"third host: not IP", SENT_TO_3(RAW), .setup = is_elsewhere},
	{"third host: from the new one's gateway", BOUNCED(), NOT_LET_ON, .setup = is_elsewhere},
	{"third host: from the old one's", BY_HOST3(), NOT_LET_ON, .setup = is_elsewhere},
	{"third host: from an endpoint on the new one", C_SENDS(), NOT_LET_ON,
	 .setup = is_elsewhere},
	{"third host, over: UDP", SENT(), .setup = is_elsewhere_over},
	{"third host, over: a connection begins", SENT(SYN), .setup = is_elsewhere_over},
	{"third host, over: UDP at the old one", SENT(), .flow = &udp_third,
	 .setup = is_elsewhere_over_udp_third},

	{"everywhere, was here alone", PORT(), HERE, .setup = was_here_alone},
	{"everywhere: a connection begins", PORT(SYN), HERE, .setup = was_here_alone},
	{"everywhere: the flag of notes is not set", PORT(), HERE, .flow = &udp_third,
	 .setup = was_here_alone_udp_third},
	{"everywhere: bounced", BY_HOST3(), HERE_FROM_WIRE, NOW_HERE(17), .setup = was_here_alone},
	{"everywhere: from an endpoint elsewhere", D_SENDS(), HELD_FROM_WIRE,
	 .setup = was_here_alone},
	{"everywhere: to itself from there", D_SENDS(.to = IP_G), ENTERS_FROM_WIRE,
	 .mark_out = SELF_OF_RED, .setup = was_here_alone},
	{"everywhere, over: from an endpoint elsewhere", D_SENDS(), HELD_FROM_WIRE,
	 .setup = was_here_alone_over},
	{"everywhere, long over: the same", D_SENDS(), HERE_FROM_WIRE,
	 .setup = was_here_alone_long_over},

	{"everywhere, was there alone: UDP", SENT(), .setup = was_there_alone},
	{"everywhere, was there: UDP that is here", PORT(), HERE, .flow = &udp_here,
	 .setup = was_there_alone_udp_here},
	{"everywhere, was there: a connection begins", PORT(SYN), HERE, NOW_HERE(6),
	 .setup = was_there_alone},
	{"everywhere, was there: bounced", BOUNCED(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = was_there_alone},
	{"everywhere, was there: bounced by a third", BY_HOST3(), HERE_FROM_WIRE, NOW_HERE(17),
	 .setup = was_there_alone},
	{"everywhere, was there: from an endpoint", D_SENDS(), HERE_FROM_WIRE,
	 .setup = was_there_alone},
	{"everywhere, was there, over: UDP", PORT(), HERE, .setup = was_there_alone_over},
	{"the same, the flag of notes is not set", PORT(), HERE, .flow = &udp_third,
	 .setup = was_there_alone_over_udp_third},

	{"everywhere: at a third host", SENT_TO_3(), .flow = &udp_third,
	 .setup = has_flows_udp_third},
	{"everywhere: the same, not heard from there", SENT_TO_3(), .flow = &udp_unheard,
	 .setup = has_flows_udp_unheard},
	{"everywhere: where no endpoint is", SENT_TO_3(), .flow = &udp_heard,
	 .setup = alone_udp_heard},
	{"everywhere: the same, not heard from there", PORT(), HERE, NOW_HERE(17),
	 .setup = alone_udp_unheard},
	{"everywhere: a connection there", SENT_TO_3(TCP), .flow = &tcp_unheard,
	 .setup = alone_tcp_unheard},
	{"everywhere: at a host that left", PORT(), HERE, NOW_HERE(17), .setup = left_udp_third},
	{"everywhere: a connection there", PORT(TCP), HERE, NOW_HERE(6), .setup = left_tcp_unheard},
	{"everywhere: another flow", PORT(TCP), HERE, .flow = &udp_third,
	 .setup = has_flows_udp_third},
	{"everywhere: a new connection is not noted", PORT(SYN), HERE, .setup = has_flows},
	{"everywhere: a new connection of those ports", PORT(SYN), HERE, NOW_HERE(6),
	 .setup = has_flows_tcp_there},
	{"everywhere: its old one", SENT(TCP), .flow = &tcp_there, .setup = has_flows_tcp_there},

	{"others' gateways move: UDP", PORT(), HERE, .setup = blue_moves},
	{"others' gateways move: a connection", PORT(TCP), HERE, .setup = blue_moves},
	{"others' gateways move: blue's", .dev = BLUE_A, .tenant = BLUE, SENT(),
	 .out = &(const struct spec){.outer = &blue_to_host2, TO_WORLD}, .setup = blue_moves},
	{"others' gateways move: green's", .dev = GREEN_A, .tenant = GREEN, PORT(), HELD,
	 .mark_out = 0x74540003, .setup = blue_moves},
};

int main(void)
{
	const struct packet_suite suite = {"gateway_drain", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
