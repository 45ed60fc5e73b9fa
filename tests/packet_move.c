// SPDX-License-Identifier: GPL-2.0-only
/*
 * An endpoint that moves: what it sends from where it is not yet, what makes it be there, and where
 * it is afterwards.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define A "02000000000a"
#define B "02000000000b"
#define RARP_OF(op, sha, tha)                                   \
	.kind = KIND_RAW, .type = 0x8035, .dst = MAC_BROADCAST, \
	.rest = "0001 0800 0604" op sha "00000000" tha "00000000"
#define RARP RARP_OF("0003", A, A)
#define ARP .kind = KIND_ARP, .dst = MAC_BROADCAST, .to = IP_A
#define ADVERT(flags)                                                                \
	.kind = KIND_ICMP, .icmp_type = 136, .ttl = 255, .dst = "33:33:00:00:00:01", \
	.from = IP6_A, .to = "ff02::1", .rest = flags, .target = IP6_A, .tail = "0201" A
#define FROM_A .c.dev = RED_A
#define GOES_ON .c.verdict = REDIRECTED, .c.to = RED_B, .c.moves = MOVE(LOCAL)
#define HELD .c.drop = TSW_DROP_NOT_HERE_YET
#define WRONG .c.drop = TSW_DROP_WRONG_HOST
/* From A at a host to B here, without its outer header. */
#define WIRE_IN(header) .c.program = FROM_WIRE, .c.dev = WIRE, .c.in = {.outer = &(header)}
#define GOT(header, host_)                                                                        \
	WIRE_IN(header), .c.out = &(const struct spec){}, .c.verdict = REDIRECTED, .c.to = RED_B, \
			 .c.moves = MOVE(RX), .c.host = host_

struct move_case {
	struct packet_case c;
	const struct tsw_fdb *now; /* where A is afterwards */
};

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3};

/* Of red's A, whose port is RED_A. */
static const struct tsw_fdb at_a = {TSW_PLACE_PORT, RED_A}, at_2 = {TSW_PLACE_HOST, HOST2},
			    at_3 = {TSW_PLACE_HOST, HOST3}, at_n = {TSW_PLACE_PORT, RED_N};

static void moves(const struct tsw_fdb *from, const struct tsw_fdb *to, const struct tsw_fdb *now)
{
	const struct tsw_move move = {*from, *to};
	struct tsw_fdb_key key = {.tenant = RED};

	frame_mac(key.mac.b, MAC_A);
	lab_set(M_MOVES, &key, &move);
	lab_set(M_FDB, &key, now);
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP | TSW_PORT_MOVES);
	lab_clear(M_GROUPS);
	lab_gateway(RED, 0, 0, 0); /* nobody else hears of it; see packet_announce.c */
}

/* From host 2 to the port here, and not there yet. */
static void comes(void)
{
	moves(&at_2, &at_a, &at_2);
}

static void has_come(void)
{
	moves(&at_2, &at_a, &at_a);
}

/* From here to host 2. */
static void goes(void)
{
	moves(&at_a, &at_2, &at_a);
}

static void has_gone(void)
{
	moves(&at_a, &at_2, &at_2);
}

/* From host 3 to host 2, as others see it. */
static void passes_by(void)
{
	moves(&at_3, &at_2, &at_3);
}

static void has_passed(void)
{
	moves(&at_3, &at_2, &at_2);
}

/* Neither of both. */
static void is_elsewhere(void)
{
	moves(&at_3, &at_a, &at_2);
}

static void comes_quietly(void)
{
	comes();
	lab_broadcast_off(RED);
}

/* The record is gone; its port still holds back. */
static void has_no_record(void)
{
	struct tsw_fdb_key key = {.tenant = RED};

	comes();
	frame_mac(key.mac.b, MAC_A);
	lab_unset(M_MOVES, &key);
}

static void to_another_port(void)
{
	moves(&at_2, &at_n, &at_2);
}

static void of_blue(void)
{
	struct tsw_fdb_key key = {.tenant = BLUE};
	const struct tsw_move move = {at_3, at_2};

	frame_mac(key.mac.b, MAC_A);
	lab_set(M_MOVES, &key, &move);
	lab_fdb(RED, MAC_A, TSW_PLACE_HOST, HOST3);
}

static void ring_of_a(void)
{
	static const __u32 ring[] = {RED_A};

	lab_ring(RED, TSW_MEMBER_PORTS, ring, COUNT(ring));
}

static void comes_in_ring(void)
{
	comes();
	ring_of_a();
}

static void has_come_in_ring(void)
{
	has_come();
	ring_of_a();
}

static void is_at_another_port(void)
{
	moves(&at_n, &at_a, &at_n);
	ring_of_a();
}

/* Its ifindex is host 2's index. */
static void to_port_like_host(void)
{
	static const struct tsw_fdb like_2 = {TSW_PLACE_PORT, HOST2};

	moves(&at_3, &like_2, &at_3);
}

static const struct move_case cases[] = {
	{{"before it is here: a datagram", .in = {}, .setup = comes}, FROM_A, HELD, .now = &at_2},
	{{"TCP", .in = {.kind = KIND_TCP}, .setup = comes}, FROM_A, HELD, .now = &at_2},
	{{"IPv6", .in = {.from = IP6_A, .to = IP6_B}, .setup = comes}, FROM_A, HELD, .now = &at_2},
	{{"to another host", .in = {.dst = MAC_C, .to = IP_C}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"to all", .in = {.dst = MAC_BROADCAST, .to = "10.0.0.255"}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"ARP for one who is not known", .in = {ARP, .to = IP_UNKNOWN}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"an ARP probe", .in = {ARP, .from = "0.0.0.0"}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"an announcement to one alone", .in = {ARP, .dst = MAC_B}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP to one alone", .in = {RARP, .dst = MAC_B}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP of a neighbour", .in = {RARP_OF("0003", B, B)}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP for a neighbour", .in = {RARP_OF("0003", A, B)}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP of a neighbour for itself", .in = {RARP_OF("0003", B, A)}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"ARP of nobody for nobody", .in = {ARP, .from = "0.0.0.0", .to = "0.0.0.0"},
	  .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"an echo request to all", .in = {ADVERT("00000000"), .icmp_type = 128}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"an advertisement to one, by all's MAC", .in = {ADVERT("20000000"), .to = IP6_B},
	  .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP, a reply", .in = {RARP_OF("0004", A, A)}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"RARP cut off", .in = {RARP, .cut = 1}, .setup = comes}, FROM_A, HELD, .now = &at_2},
	{{"an advertisement that was asked for", .in = {ADVERT("60000000")}, .setup = comes},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"ARP of a neighbour's address", .in = {ARP, .from = IP_B, .to = IP_B}, .setup = comes,
	  .drop = TSW_DROP_SPOOFED_IP},
	 FROM_A,
	 .now = &at_2},
	{{"ARP of a foreign MAC", .in = {ARP, .sha = MAC_B}, .setup = comes,
	  .drop = TSW_DROP_SPOOFED_MAC},
	 FROM_A,
	 .now = &at_2},
	{{"its record is gone", .in = {RARP}, .setup = has_no_record}, FROM_A, HELD, .now = &at_2},
	{{"it goes to another port", .in = {RARP}, .setup = to_another_port},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"it is at neither", .in = {RARP}, .setup = is_elsewhere}, FROM_A, HELD, .now = &at_2},
	{{"what is answered at the port is", .in = {ARP, .to = IP_B}, .setup = comes,
	  .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED),
	  .out = &(const struct spec){.kind = KIND_ARP,
				      .op = 2,
				      .src = MAC_B,
				      .dst = MAC_A,
				      .from = IP_B,
				      .to = IP_A,
				      .tha = MAC_A}},
	 FROM_A,
	 .now = &at_2},

	{{"RARP", .in = {RARP}, .setup = comes}, FROM_A, .now = &at_a},
	{{"RARP, broadcast is off", .in = {RARP}, .setup = comes_quietly}, FROM_A, .now = &at_a},
	{{"an announcement", .in = {ARP}, .setup = comes}, FROM_A, .now = &at_a},
	{{"an announcement as a reply", .in = {ARP, .op = 2, .tha = MAC_A}, .setup = comes},
	 FROM_A,
	 .now = &at_a},
	{{"an advertisement", .in = {ADVERT("20000000")}, .setup = comes}, FROM_A, .now = &at_a},
	{{"its second one", .in = {RARP}, .setup = has_come}, FROM_A, .now = &at_a},
	{{"here: a datagram", .in = {}, .setup = has_come}, FROM_A, GOES_ON, .now = &at_a},
	{{"here, broadcast is off", .in = {.dst = MAC_BROADCAST, .to = "10.0.0.255"},
	  .setup = comes_quietly, .drop = TSW_DROP_NOT_HERE_YET},
	 FROM_A,
	 .now = &at_2},

	{{"before it goes: a datagram", .in = {}, .setup = goes}, FROM_A, GOES_ON, .now = &at_a},
	{{"gone: a datagram", .in = {}, .setup = has_gone}, FROM_A, HELD, .now = &at_2},
	{{"gone: RARP does not bring it back", .in = {RARP}, .setup = has_gone},
	 FROM_A,
	 HELD,
	 .now = &at_2},
	{{"it sends from there", .setup = goes}, GOT(host2, HOST2), .now = &at_2},
	{{"it sends on", .setup = has_gone}, GOT(host2, HOST2), .now = &at_2},
	{{"another host says so", .setup = goes}, WIRE_IN(host3), WRONG, .now = &at_a},
	{{"it comes here, and the old one sends", .setup = comes}, GOT(host2, HOST2), .now = &at_2},
	{{"it has come, and the old one sends", .setup = has_come},
	 WIRE_IN(host2),
	 WRONG,
	 .now = &at_a},

	{{"between others, before", .setup = passes_by}, GOT(host3, HOST3), .now = &at_3},
	{{"between others, the new one sends", .setup = passes_by}, GOT(host2, HOST2), .now = &at_2},
	{{"between others, the old one sends after", .setup = has_passed},
	 WIRE_IN(host3),
	 WRONG,
	 .now = &at_2},
	{{"at neither, the new one sends", .setup = is_elsewhere}, GOT(host2, HOST2), .now = &at_2},
	{{"to a port that looks like the host", .setup = to_port_like_host},
	 WIRE_IN(host2),
	 WRONG,
	 .now = &at_3},
	{{"blue's moves, red's does not", .setup = of_blue}, WIRE_IN(host2), WRONG, .now = &at_3},

	{{"a copy for all, not here", .dev = RED_B, .setup = comes_in_ring,
	  .in = {.src = MAC_B, .from = IP_B, .dst = MAC_BROADCAST, .to = "10.0.0.255"}},
	 .now = &at_2},
	{{"a copy for all, at another port", .dev = RED_B, .setup = is_at_another_port,
	  .in = {.src = MAC_B, .from = IP_B, .dst = MAC_BROADCAST, .to = "10.0.0.255"}},
	 .now = &at_n},
	{{"a copy for all, here", .dev = RED_B, .setup = has_come_in_ring, .moves = MOVE(LOCAL),
	  .in = {.src = MAC_B, .from = IP_B, .dst = MAC_BROADCAST, .to = "10.0.0.255"}},
	 .now = &at_a},
};

static void becomes(void **state)
{
	const struct move_case *row = *state;

	packet_check(&row->c);
}

/* The same once more, for packet_check() puts the maps right. */
static void is_then_at(void **state)
{
	const struct move_case *row = *state;
	struct __sk_buff ctx = {.ifindex = row->c.dev};
	struct tsw_fdb_key key = {.tenant = RED};
	struct packet_run run = {};
	struct tsw_fdb now = {};
	struct frame in = {};
	int err;

	frame_build(&row->c.in, &in);
	frame_mac(key.mac.b, MAC_A);
	row->c.setup();
	err = packet_run(row->c.program, &in, &ctx, &run);
	err = err ?: bpf_map_lookup_elem(lab_map(M_FDB), &key, &now);
	lab_fill();
	assert_int_equal(err, 0);
	assert_int_equal(now.place, row->now->place);
	assert_int_equal(now.id, row->now->id);
}

int main(void)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(becomes),
						   cmocka_unit_test(is_then_at)};
	const struct packet_matrix matrix = {.name = "move",
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = COUNT(cases)};

	return packet_main_matrix(&matrix);
}
