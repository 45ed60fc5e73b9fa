// SPDX-License-Identifier: GPL-2.0-only
/* Addresses that move between endpoints: who may take them, by which frames, and who has them. */
#include <bpf/bpf.h>
#include <string.h>

#include "counts.h"
#include "lab_vip.h"
#include "packet.h"

#define VIP LAB_VIP
#define VIP6 LAB_VIP6
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define ALL "ff:ff:ff:ff:ff:ff"

#define ARP(ip) .kind = KIND_ARP, .from = ip, .to = ip, .dst = ALL
#define PROBE(ip) .kind = KIND_ARP, .from = "0.0.0.0", .to = ip
#define TELLS(ip) .kind = KIND_ARP, .op = 2, .from = ip, .to = IP_B, .dst = MAC_B, .tha = MAC_B
#define ND(type) .kind = KIND_ICMP, .ttl = 255, .icmp_type = type
#define ADVERT(ip)                                                                      \
	ND(136), .from = ip, .to = "ff02::1", .dst = "33:33:00:00:00:01", .target = ip, \
		 .rest = "20000000"
#define DAD(ip)                                                                                    \
	ND(135), .from = "::", .to = "ff02::1:ff00:100", .dst = "33:33:ff:00:01:00", .target = ip, \
		 .rest = "00000000"
#define ASK6(ip)                                                                      \
	ND(135), .from = IP6_A, .to = "ff02::1:ff00:100", .dst = "33:33:ff:00:01:00", \
		 .target = ip, .rest = "00000000"
#define BY_B .dev = RED_B
#define BY_N .dev = RED_N
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
/* From C, which lives on host 2, to all. */
#define BY_C(...) .program = FROM_WIRE, .in = {.src = MAC_C, .outer = &host2, __VA_ARGS__}
#define HEARD .moves = MOVE(RX), .host = HOST2

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3};

struct vip_case {
	struct packet_case c;
	const char *ip, *mac; /* who has IP afterwards; NULL: nobody */
	unsigned int changes;
};

static void c(void)
{
	lab_vip_had_by(MAC_C);
}

static void b_where_broadcast_is_off(void)
{
	lab_vip_had_by(MAC_B);
	lab_broadcast_off(RED);
}

static void b_without_the_port(void)
{
	lab_vip_had_by(MAC_B);
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP);
}

static void b_has_another(void)
{
	lab_vip_had_by(MAC_B);
	lab_vip(RED, "10.0.0.101", MAC_B);
}

static void b_lists_it(void)
{
	lab_vip_had_by(NULL);
	lab_addr(RED, VIP, MAC_B);
}

#define ANSWER_OF_B                                                                              \
	&(const struct spec)                                                                     \
	{                                                                                        \
		.kind = KIND_ARP, .op = 2, .dst = MAC_N, .to = IP_N, .tha = MAC_N, .src = MAC_B, \
		.from = VIP                                                                      \
	}

#define ANSWER_TO_A                                                                              \
	&(const struct spec)                                                                     \
	{                                                                                        \
		.kind = KIND_ARP, .op = 2, .dst = MAC_A, .to = IP_A, .tha = MAC_A, .src = MAC_B, \
		.from = VIP                                                                      \
	}
#define TOLD_N                                                                          \
	&(const struct spec)                                                            \
	{                                                                               \
		.kind = KIND_ARP, .op = 2, .dst = MAC_N, .to = "0.0.0.0", .tha = MAC_N, \
		.src = MAC_B, .from = VIP                                               \
	}
#define ANSWER6_TO_A                                                                   \
	&(const struct spec)                                                           \
	{                                                                              \
		ND(136), .rest = "60000000", .src = MAC_B, .dst = MAC_A, .from = VIP6, \
			 .to = IP6_A, .target = VIP6, .tail = "0201 02000000000b"      \
	}

static const struct vip_case cases[] = {
	{{"a member announces a free vip by ARP: it has it", .in = {ARP(VIP)},
	  .setup = lab_vip_nobody},
	 VIP,
	 MAC_A},
	{{"an announcement gives no other vip of the member", .in = {ARP(VIP)},
	  .setup = lab_vip_nobody},
	 VIP6,
	 NULL},
	{{"an announcement takes the vip from another member", .in = {ARP(VIP)},
	  .setup = lab_vip_b},
	 VIP,
	 MAC_A,
	 1},
	{{"an announcement takes the vip from a member on another host", .in = {ARP(VIP)},
	  .setup = c},
	 VIP,
	 MAC_A,
	 1},
	{{"the holder announces it again: no change is counted", .in = {ARP(VIP)},
	  .setup = lab_vip_a},
	 VIP,
	 MAC_A},
	{{"an ARP reply to all announces, too", .in = {ARP(VIP), .op = 2}, .setup = lab_vip_b},
	 VIP,
	 MAC_A,
	 1},
	{{"an announcement counts with broadcast off", .in = {ARP(VIP)},
	  .setup = b_where_broadcast_is_off},
	 VIP,
	 MAC_A,
	 1},
	{{"an unsolicited advertisement from the vip announces", .in = {ADVERT(VIP6)},
	  .setup = lab_vip_b},
	 VIP6,
	 MAC_A,
	 1},
	{{"an unsolicited advertisement from another own address announces",
	  .in = {ADVERT(VIP6), .from = IP6_A}, .setup = lab_vip_b},
	 VIP6,
	 MAC_A,
	 1},
	{{"a solicited advertisement takes nothing from the holder",
	  .in = {ADVERT(VIP6), .from = IP6_A, .rest = "60000000"}, SPOOFED_IP, .setup = lab_vip_b},
	 VIP6,
	 MAC_B},
	{{"an advertisement without the override flag takes nothing",
	  .in = {ADVERT(VIP6), .from = IP6_A, .rest = "00000000"}, SPOOFED_IP, .setup = lab_vip_b},
	 VIP6,
	 MAC_B},
	{{"an advertisement with hop limit 64 takes nothing", .in = {ADVERT(VIP6), .ttl = 64},
	  SPOOFED_IP, .setup = lab_vip_b},
	 VIP6,
	 MAC_B},
	{{"an ARP reply to one neighbour takes a free vip", .in = {TELLS(VIP)}, TO_B,
	  .setup = lab_vip_nobody},
	 VIP,
	 MAC_A},
	{{"an ARP reply to one neighbour takes nothing from the holder", .in = {TELLS(VIP)},
	  SPOOFED_IP, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"an ARP announcement to one MAC takes nothing", .in = {ARP(VIP), .dst = MAC_B},
	  SPOOFED_IP, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"an announcement with another's MAC in ARP is refused", .in = {ARP(VIP), .sha = MAC_B},
	  .drop = TSW_DROP_SPOOFED_MAC, .setup = c},
	 VIP,
	 MAC_C},
	{{"an endpoint without the word takes nothing from the holder", BY_N,
	  .in = {.src = MAC_N, ARP(VIP)}, SPOOFED_IP, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"an endpoint without the word does not get a free vip", BY_N,
	  .in = {.src = MAC_N, ARP(VIP)}, SPOOFED_IP, .setup = lab_vip_nobody},
	 VIP,
	 NULL},
	{{"a port without TSW_PORT_VIP announces nothing", .in = {ARP(VIP)}, SPOOFED_IP,
	  .setup = b_without_the_port},
	 VIP,
	 MAC_B},
	{{"a member cannot announce an address that is no vip", .in = {ARP("10.0.0.101")},
	  SPOOFED_IP, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a member cannot announce another member's vip", .in = {ARP("10.0.0.101")}, SPOOFED_IP,
	  .setup = b_has_another},
	 "10.0.0.101",
	 MAC_B},
	{{"a vip that an endpoint lists by now is not taken", .in = {ARP(VIP)}, SPOOFED_IP,
	  .setup = b_lists_it},
	 VIP,
	 MAC_B},

	{{"the holder sends from the vip", .in = {.from = VIP, .to = IP_B}, TO_B,
	  .setup = lab_vip_a},
	 VIP,
	 MAC_A},
	{{"a member that lost the vip cannot send from it", .in = {.from = VIP, .to = IP_B},
	  SPOOFED_IP, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a member cannot send from the vip before it announces it",
	  .in = {.from = VIP, .to = IP_B}, SPOOFED_IP, .setup = lab_vip_nobody},
	 VIP,
	 NULL},
	{{"nor from an IPv6 vip", .in = {.from = VIP6, .to = IP6_B}, SPOOFED_IP,
	  .setup = lab_vip_nobody},
	 VIP6,
	 NULL},

	{{"the switch answers ARP for the vip with its holder's MAC", BY_N,
	  .in = {.kind = KIND_ARP, .src = MAC_N, .from = IP_N, .to = VIP}, .verdict = REDIRECTED,
	  .to = RED_N, .moves = MOVE(ANSWERED), .out = ANSWER_OF_B, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"ARP for a free vip goes on to the others", BY_N,
	  .in = {.kind = KIND_ARP, .src = MAC_N, .from = IP_N, .to = VIP}, .setup = lab_vip_nobody},
	 VIP,
	 NULL},
	{{"the switch answers a member's ARP for the vip, too", .in = {.kind = KIND_ARP, .to = VIP},
	  .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .out = ANSWER_TO_A,
	  .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"the switch answers a member's solicitation for the vip", .in = {ASK6(VIP6)},
	  .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .out = ANSWER6_TO_A,
	  .setup = lab_vip_b},
	 VIP6,
	 MAC_B},
	{{"a solicitation for a free vip goes on to the others", .in = {ASK6(VIP6)},
	  .setup = lab_vip_nobody},
	 VIP6,
	 NULL},
	{{"an ARP probe of an endpoint without the word is answered", BY_N,
	  .in = {.src = MAC_N, PROBE(VIP)}, .verdict = REDIRECTED, .to = RED_N,
	  .moves = MOVE(ANSWERED), .out = TOLD_N, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a member's ARP probe goes on to the holder", .in = {PROBE(VIP)}, .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a member's duplicate address detection goes on to the holder", .in = {DAD(VIP6)},
	  .setup = lab_vip_b},
	 VIP6,
	 MAC_B},

	{{"a member on another host announces by ARP", BY_C(ARP(VIP)), HEARD, .setup = lab_vip_b},
	 VIP,
	 MAC_C,
	 1},
	{{"a member on another host announces by an advertisement", BY_C(ADVERT(VIP6)), HEARD,
	  .setup = lab_vip_b},
	 VIP6,
	 MAC_C,
	 1},
	{{"its announcement counts with broadcast off", BY_C(ARP(VIP)), HEARD,
	  .setup = b_where_broadcast_is_off},
	 VIP,
	 MAC_C,
	 1},
	{{"an endpoint of another host without the word takes nothing", .program = FROM_WIRE,
	  .in = {.src = MAC_D, .outer = &host3, ARP(VIP)}, .moves = MOVE(RX), .host = HOST3,
	  .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a host cannot announce for a member of another host", .program = FROM_WIRE,
	  .in = {.src = MAC_C, .outer = &host3, ARP(VIP)}, .drop = TSW_DROP_WRONG_HOST,
	  .setup = lab_vip_b},
	 VIP,
	 MAC_B},
	{{"a host cannot announce for a member of this host", .program = FROM_WIRE,
	  .in = {.src = MAC_A, .outer = &host2, ARP(VIP)}, .drop = TSW_DROP_WRONG_HOST,
	  .setup = lab_vip_b},
	 VIP,
	 MAC_B},
};

static void becomes(void **state)
{
	const struct vip_case *row = *state;

	packet_check(&row->c);
}

/* The same once more, for packet_check() puts the maps right. */
static void is_then_of(void **state)
{
	const struct vip_case *row = *state;
	const struct packet_case *one = &row->c;
	struct __sk_buff ctx = {.ifindex = one->dev		       ? one->dev
					   : one->program == FROM_WIRE ? WIRE
								       : RED_A};
	const struct tsw_addr_key red = lab_vip_key(RED, row->ip),
				  blue = lab_vip_key(BLUE, row->ip);
	struct tsw_addr_owner before = {}, now = {}, others = {};
	struct tsw_taken taken = {};
	struct packet_run run = {};
	struct frame in = {};
	__u8 mac[6] = {};
	int err;

	frame_build(&one->in, &in);
	one->setup();
	bpf_map_lookup_elem(lab_map(M_ADDRS), &blue, &before);
	err = packet_run(one->program, &in, &ctx, &run);
	bpf_map_lookup_elem(lab_map(M_ADDRS), &red, &now);
	bpf_map_lookup_elem(lab_map(M_ADDRS), &blue, &others);
	bpf_map_lookup_elem(lab_map(M_TAKEN), &red, &taken);
	lab_fill();
	assert_int_equal(err, 0);
	if (row->mac)
		frame_mac(mac, row->mac);
	assert_memory_equal(now.mac.b, mac, sizeof(mac));
	assert_memory_equal(&others, &before, sizeof(others));
	assert_int_equal(taken.changes, row->changes);
	assert_int_equal(taken.recent, row->changes);
}

/* Two that take it from each other again and again are told from one that fails over. */
static void counts_changes(void **state)
{
	const struct tsw_addr_key key = lab_vip_key(RED, VIP);
	struct __sk_buff ctx = {};
	struct tsw_taken taken = {};
	struct packet_run run;
	struct frame in;

	(void)state;
	lab_vip_nobody();
	for (int i = 0; i < 11; i++) {
		const struct spec spec = {.src = i % 2 ? MAC_B : MAC_A, ARP(VIP)};

		ctx.ifindex = i % 2 ? RED_B : RED_A;
		frame_build(&spec, &in);
		assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	}
	bpf_map_lookup_elem(lab_map(M_TAKEN), &key, &taken);
	lab_fill();
	assert_int_equal(taken.changes, 10);
	assert_int_equal(taken.recent, 10);
	assert_true(taken.at);
}

int main(void)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(becomes),
						   cmocka_unit_test(is_then_of)};
	static const struct CMUnitTest more[] = {cmocka_unit_test(counts_changes)};
	const struct packet_matrix matrix = {.name = "vip",
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = COUNT(cases)};
	const struct packet_suite suite = {.name = "vip", .more = more, .more_count = COUNT(more)};

	return packet_main_matrix(&matrix) ?: packet_main(&suite);
}
