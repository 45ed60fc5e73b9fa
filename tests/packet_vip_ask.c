// SPDX-License-Identifier: GPL-2.0-only
/* Who has a vip: what a host asks that does not know, who answers, and who may not. */
#include <bpf/bpf.h>
#include <string.h>

#include "counts.h"
#include "lab_vip.h"
#include "packet.h"

#define VIP LAB_VIP
#define VIP6 LAB_VIP6
#define ALL "ff:ff:ff:ff:ff:ff"
#define RED_MARK 0x74500001 /* to red, from the router */
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define LL_A "fe80::ff:fe00:a"
#define LL_G "fe80::ff:fe00:fe"

/* To a host that asked in the gateway's name. */
#define ANSWER .kind = KIND_ARP, .op = 2, .from = VIP, .to = IP_G, .dst = MAC_G, .tha = MAC_G
#define QUESTION .kind = KIND_ARP, .to = VIP
#define ND(type) .kind = KIND_ICMP, .ttl = 255, .icmp_type = type
#define ASK6(ip)                                                                      \
	ND(135), .from = IP6_A, .to = "ff02::1:ff00:100", .dst = "33:33:ff:00:01:00", \
		 .target = ip, .rest = "00000000"
#define BY_ROUTER .program = FROM_GATEWAY, .dev = GW, .mark = RED_MARK
#define BY_A .program = FROM_PORT, .dev = RED_A

static const struct outer host3 = {FROM_HOST3};

/* A packet for a vip that nobody has becomes the question, which goes to all of the tenant. */
static const struct question {
	const char *name;
	enum program program;
	__u32 dev, mark;
	struct spec in, out;
} questions[] = {
	{"from the router", BY_ROUTER, .in = {DOOR, .from = IP_WORLD, .to = VIP},
	 .out = {.kind = KIND_ARP, .src = MAC_G, .from = IP_G, .to = VIP, .dst = ALL}},
	{"from the router, IPv6", BY_ROUTER, .in = {DOOR, .from = IP6_WORLD, .to = VIP6},
	 .out = {ASK6(VIP6), .src = MAC_G, .from = LL_G, .tail = "0101 0200000000fe"}},
	{"from an endpoint to its gateway's MAC", BY_A, .in = {.dst = MAC_G, .to = VIP},
	 .out = {.kind = KIND_ARP, .to = VIP, .dst = ALL}},
	{"from an endpoint, IPv6", BY_A, .in = {.dst = MAC_G, .from = IP6_A, .to = VIP6},
	 .out = {ASK6(VIP6), .from = LL_A, .tail = "0101 02000000000a"}},
};

/* The gateway asks as its address in the vip's network. Here that is not its first one. */
static void of_two_networks(void)
{
	struct tsw_gateway gw;

	lab_vip_nobody();
	lab_broadcast_off(RED);
	lab_gateway_get(RED, &gw);
	gw.addr[gw.n_addrs++] = gw.addr[0];
	frame_ip((__u8 *)&gw.addr[0].addr, "10.9.0.254");
	lab_gateway_set(RED, &gw);
	counts_clear();
}

static __u64 drops(enum tsw_direction direction)
{
	static struct counts counts;

	counts_read(&counts);
	assert_int_equal(counts.drops[lab_slot(RED)][TSW_DROP_BROADCAST_OFF][direction].packets, 0);
	return counts.drops[lab_slot(RED)][TSW_DROP_UNKNOWN_DESTINATION][direction].packets;
}

/* One question a second, but each packet is counted as lost. */
static void asks(void **state)
{
	const struct tsw_addr_key keys[] = {lab_vip_key(RED, VIP), lab_vip_key(RED, VIP6)};
	struct tsw_taken taken = {};

	(void)state;
	for (size_t i = 0; i < COUNT(questions); i++) {
		const struct question *q = &questions[i];
		struct __sk_buff ctx = {.ifindex = q->dev, .mark = q->mark};
		struct packet_run run[3] = {};
		struct frame in, want;

		of_two_networks();
		frame_build(&q->in, &in);
		frame_build(&q->out, &want);
		packet_tell_mark(q->program, &in, &ctx);
		for (size_t k = 0; k < COUNT(run); k++)
			assert_int_equal(packet_run(q->program, &in, &ctx, &run[k]), 0);
		bpf_map_lookup_elem(lab_map(M_TAKEN), &keys[i % 2], &taken);
		assert_int_equal(drops(q->mark ? TSW_DIR_FROM_GATEWAY : TSW_DIR_FROM_ENDPOINT),
				 COUNT(run));
		lab_fill();
		assert_true(frame_equal(q->name, &run[0].out, &want));
		/* Perhaps a second has begun since. */
		assert_true(run[1].out.b[0] != want.b[0] || run[2].out.b[0] != want.b[0]);
		assert_true(taken.asked);
	}
}

/* The router asked for one that has a holder by now, for whom it did not judge the packet. */
static void asks_too_late(void **state)
{
	const struct spec spec = {DOOR, .from = IP_WORLD, .to = VIP};
	struct __sk_buff ctx = {.ifindex = GW, .mark = RED_MARK};
	struct packet_run run = {};
	struct frame in;

	(void)state;
	lab_vip_a();
	counts_clear();
	frame_build(&spec, &in);
	packet_tell_mark(FROM_GATEWAY, &in, &ctx);
	in.b[0] |= 0x08; /* CROSSING_ASKS */
	assert_int_equal(packet_run(FROM_GATEWAY, &in, &ctx, &run), 0);
	assert_int_equal(drops(TSW_DIR_FROM_GATEWAY), 1);
	lab_fill();
	assert_int_equal(run.verdict, TC_ACT_SHOT);
	assert_true(packet_is_same(&in, &run.out));
}

/* What the holder answers at the gateway's MAC goes to all, because any host may have asked. */
static void spreads_answers(void **state)
{
	const struct spec specs[] = {{ANSWER},
				     {ND(136), .from = VIP6, .to = LL_G, .dst = MAC_G,
				      .target = VIP6, .rest = "60000000"}};
	const struct tsw_mac all = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct packet_run run = {};
	struct frame in;

	(void)state;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct __sk_buff ctx = {.ifindex = RED_A};

		lab_vip_a();
		frame_build(&specs[i], &in);
		assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
		lab_fill();
		assert_memory_equal(run.out.b, &all, sizeof(all));
	}
}

static const struct packet_case forged[] = {
	{"an answer of an endpoint without the word", .dev = RED_N, .in = {ANSWER, .src = MAC_N},
	 .drop = TSW_DROP_SPOOFED_IP, .setup = lab_vip_nobody},
	{"an answer of a member, where another has it", .in = {ANSWER}, .drop = TSW_DROP_SPOOFED_IP,
	 .setup = lab_vip_b},
	{"an answer in a member's name, from a host where it is not", .program = FROM_WIRE,
	 .in = {ANSWER, .src = MAC_C, .outer = &host3}, .drop = TSW_DROP_WRONG_HOST,
	 .setup = lab_vip_nobody},
	{"a question in the gateway's name, from a host that does not serve it",
	 .program = FROM_WIRE,
	 .in = {QUESTION, .src = MAC_G, .from = IP_G, .dst = ALL, .outer = &host3},
	 .drop = TSW_DROP_WRONG_HOST, .setup = lab_vip_nobody},
	{"a question in a neighbour's name", .in = {QUESTION, .from = IP_B},
	 .drop = TSW_DROP_SPOOFED_IP, .setup = lab_vip_nobody},
};

int main(void)
{
	static const struct CMUnitTest more[] = {cmocka_unit_test(asks),
						 cmocka_unit_test(asks_too_late),
						 cmocka_unit_test(spreads_answers)};
	const struct packet_suite suite = {"vip_ask", forged, COUNT(forged), more, COUNT(more)};

	return packet_main(&suite);
}
