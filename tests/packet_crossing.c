// SPDX-License-Identifier: GPL-2.0-only
/*
 * Between the host and the router: what is taken there, and with which mark, and by which uplink it
 * leaves this host. What else a program does with it other suites tell.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "kernel/system.h"
#include "lab_world.h"
#include "packet.h"

#define TENANT 0x74500001 /* marks: a class over red's index */
#define BOUNCE 0x74510001
#define NAMES 0x74520001
#define VOICE 0x74530001
#define HELD 0x74540001
#define SELF 0x74550001
#define WORLD 0x74560000

#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define LOW ((__u32)SECRET)
#define HIGH ((__u32)(SECRET >> 32))
#define OUTWARD .from = IP_A, .to = IP_WORLD
#define OUTWARD6 .from = IP6_A, .to = IP6_WORLD
#define INWARD .from = IP_WORLD, .to = IP_A
#define INWARD6 .from = IP6_WORLD, .to = IP6_A
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50
#define HALF .kind = KIND_RAW, .type = 0x0800, .rest = "44", .payload = 40
#define NOT_STAMPED .verdict = DROPPED, .drop = TSW_DROP_NOT_STAMPED, .tenant = NOBODY
#define NOWHERE .verdict = DROPPED, .drop = TSW_DROP_UNKNOWN_DESTINATION
#define CONSUMED .verdict = DROPPED, .mark_out = 0
#define PASSES(with) .verdict = PASSED, .mark = with, .mark_out = with

#define TO_ROUTER(...) .program = TO_GATEWAY, .in = {DOOR, __VA_ARGS__}
#define LEAVES(...) .program = LEAVE_BLIND, .in = {DOOR, __VA_ARGS__}
#define HOSTS(...) .program = FROM_GATEWAY, .in = {DOOR, __VA_ARGS__}
#define COMES(...) .program = ENTER_WORLD, .in = {DOOR, __VA_ARGS__}
#define GOES(...) .program = LEAVE_WORLD, .in = {DOOR, __VA_ARGS__}

static void unsealed(struct frame *f)
{
	memset(f->b + TSW_MAC_LEN, 0, TSW_MAC_LEN);
}

static void seal_of_another(struct frame *f)
{
	frame_mac(f->b + TSW_MAC_LEN, "02:07:a1:5e:a1:02");
}

static void last_bit(struct frame *f)
{
	f->b[2 * TSW_MAC_LEN - 1] ^= 1;
}

static void of_a_group(struct frame *f)
{
	f->b[0] |= 1;
}

static void slot_3(struct frame *f)
{
	f->b[1] = 3;
}

static void slot_none(struct frame *f)
{
	f->b[1] = TSW_SLOT_NONE;
}

static void no_seal_yet(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.seal = (struct tsw_mac){};
	lab_config_set(&cfg);
}

static void peering(void)
{
	lab_mark(7, RED, BLUE);
}

static void no_record(void)
{
	lab_gateway_unset(RED);
}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, 0, 100);
}

static void peers_everywhere(void)
{
	lab_peer(RED, IP_WORLD, 24, BLUE, 7);
}

static void seal_tenant(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, TENANT, 0);
}

static void seal_bounce(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, BOUNCE, 0);
}

static void seal_voice(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, VOICE, 0);
}

/* The host learns whose connection it is; here it is nobody's. */
static void seal_world(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, 0, 0);
}

static const struct packet_case cases[] = {
	{"in", TO_ROUTER(OUTWARD), PASSES(TENANT)},
	{"in, IPv6", TO_ROUTER(OUTWARD6), PASSES(TENANT)},
	{"in, held", TO_ROUTER(OUTWARD), PASSES(HELD)},
	{"in, to the gateway itself", TO_ROUTER(.from = IP_A, .to = IP_G), PASSES(SELF)},
	{"in, to its resolver", TO_ROUTER(.from = IP_A, .to = IP_G, .dport = 53), PASSES(NAMES)},
	{"in, blue's", TO_ROUTER(OUTWARD), PASSES(TENANT + 1)},
	{"in, a peering's", TO_ROUTER(OUTWARD), PASSES(0x74500007), .setup = peering},
	{"in, the uplink's slot", TO_ROUTER(OUTWARD), PASSES(TENANT), .change = slot_3,
	 .priority_out = 3},
	{"in, the slot of no route", TO_ROUTER(OUTWARD), PASSES(TENANT), .change = slot_none,
	 .priority_out = TSW_SLOT_NONE},
	{"in, an unknown slot, another priority", TO_ROUTER(OUTWARD), PASSES(TENANT),
	 .priority = TSW_SLOT_NONE},
	{"in, another priority", TO_ROUTER(OUTWARD), PASSES(TENANT), .priority = 9},
	{"in, later fragment", TO_ROUTER(OUTWARD, .frag = 0x0010), PASSES(TENANT)},
	{"in, bounced", TO_ROUTER(OUTWARD), .mark = BOUNCE, NOT_STAMPED},
	{"in, an error's", TO_ROUTER(OUTWARD), .mark = VOICE, NOT_STAMPED},
	{"in, the world's", TO_ROUTER(OUTWARD), .mark = WORLD, NOT_STAMPED},
	{"in, the world's, index of red", TO_ROUTER(OUTWARD), .mark = WORLD | 1, NOT_STAMPED},
	{"in, no mark", TO_ROUTER(OUTWARD), NOT_STAMPED},
	{"in, no class", TO_ROUTER(OUTWARD), .mark = 1, NOT_STAMPED},
	{"in, nobody's index", TO_ROUTER(OUTWARD), .mark = 0x74500077, NOT_STAMPED},
	{"in, no index", TO_ROUTER(OUTWARD), .mark = 0x74500000, NOT_STAMPED},
	{"in, a mark without a seal", TO_ROUTER(OUTWARD), .mark = TENANT, .bare = true,
	 NOT_STAMPED},
	{"in, a stamp without a seal", TO_ROUTER(OUTWARD), .mark = TENANT,
	 .cb = {LOW, HIGH, TENANT, GW}, NOT_STAMPED},
	{"in, the seal is missing", TO_ROUTER(OUTWARD), .mark = TENANT, .change = unsealed,
	 NOT_STAMPED},
	{"in, another's seal", TO_ROUTER(OUTWARD), .mark = TENANT, .change = seal_of_another,
	 NOT_STAMPED},
	{"in, another's by a bit", TO_ROUTER(OUTWARD), .mark = TENANT, .change = last_bit,
	 NOT_STAMPED},
	{"in, no seal yet", TO_ROUTER(OUTWARD), .mark = TENANT, .change = unsealed, NOT_STAMPED,
	 .setup = no_seal_yet},
	{"in, to a group", TO_ROUTER(OUTWARD), .mark = TENANT, .change = of_a_group, CONSUMED},
	{"in, the host's own report",
	 TO_ROUTER(OUTWARD6, .dst = "33:33:00:00:00:16", .to = "ff02::16"), .bare = true, CONSUMED},
	{"in, the host's own", TO_ROUTER(OUTWARD), .bare = true, NOT_STAMPED},
	{"in, the host's own to all", TO_ROUTER(OUTWARD, .dst = MAC_BROADCAST), .bare = true,
	 NOT_STAMPED},
	{"in, half a header", TO_ROUTER(HALF), .mark = TENANT, .drop = TSW_DROP_TRUNCATED},

	{"out", LEAVES(INWARD), PASSES(TENANT), .make = seal_tenant},
	{"out, IPv6", LEAVES(INWARD6), PASSES(TENANT), .make = seal_tenant},
	{"out, to another host", LEAVES(INWARD, .to = IP_C), PASSES(TENANT), .make = seal_tenant},
	{"out, bounced", LEAVES(OUTWARD), PASSES(BOUNCE), .make = seal_bounce, .setup = at_host2},
	{"out, an error", PASSES(VOICE), .make = seal_voice,
	 LEAVES(.from = IP_WIRE, .to = IP_A, .kind = KIND_ICMP, .icmp_type = 11, .rest = "00000000",
		.payload = 40)},
	{"out, to a group's MAC", LEAVES(INWARD, .dst = "01:00:5e:00:00:01"), PASSES(TENANT),
	 .make = seal_tenant},
	{"out, the seal of a frame before", LEAVES(INWARD), PASSES(TENANT), .change = unsealed,
	 .make = seal_tenant},
	{"out, no mark", LEAVES(INWARD), NOT_STAMPED},
	{"out, no mark, to a group", LEAVES(INWARD, .dst = MAC_BROADCAST), CONSUMED},
	{"out, the device's own", LEAVES(INWARD6, .dst = "33:33:00:00:00:16", .to = "ff02::16"),
	 CONSUMED},
	{"out, nobody's index", LEAVES(INWARD), .mark = 0x74500077, NOT_STAMPED},
	{"out, of the way in", LEAVES(INWARD), .mark = HELD, NOT_STAMPED},
	{"out, of the way in to itself", LEAVES(INWARD), .mark = SELF, NOT_STAMPED},
	{"out, for names", LEAVES(INWARD), .mark = NAMES, NOT_STAMPED},
	{"out, the world's", LEAVES(INWARD), .mark = WORLD | 1, NOT_STAMPED},
	{"out, to nobody", LEAVES(INWARD, .to = IP_UNKNOWN), .mark = TENANT, NOWHERE},
	{"out, not IP", LEAVES(RAW), .mark = TENANT, NOWHERE},
	{"out, ARP", LEAVES(.kind = KIND_ARP), .mark = TENANT, NOWHERE},
	{"out, bounced, not IP", LEAVES(RAW), .mark = BOUNCE, NOWHERE, .setup = at_host2},
	{"out, from one of its own", LEAVES(INWARD, .from = IP_B), .mark = TENANT,
	 .drop = TSW_DROP_SPOOFED_IP},
	{"out, from a peer's, in no flow of theirs", LEAVES(INWARD), .mark = TENANT,
	 .drop = TSW_DROP_NOT_PEERED, .setup = peers_everywhere},
	{"out, no record", LEAVES(INWARD), .mark = TENANT, .drop = TSW_DROP_NO_GATEWAY,
	 .setup = no_record},
	{"out, half a header", LEAVES(HALF), .mark = TENANT, .drop = TSW_DROP_TRUNCATED},

	{"to a tenant", HOSTS(INWARD), .verdict = REDIRECTED, .mark = TENANT, .to = RED_A,
	 .moves = MOVE(GATEWAY), .out = &(const struct spec){.src = MAC_G, .dst = MAC_A, INWARD}},
	{"to a tenant, the slot of an uplink", HOSTS(INWARD), .verdict = REDIRECTED, .mark = TENANT,
	 .to = RED_A, .moves = MOVE(GATEWAY), .change = slot_3, .priority_out = 3,
	 .out = &(const struct spec){.src = MAC_G, .dst = MAC_A, INWARD}},
	{"to a tenant, no mark", HOSTS(INWARD), NOT_STAMPED},
	{"to a tenant, of the way in", HOSTS(INWARD), .mark = HELD, NOT_STAMPED},
	{"to a tenant, for names", HOSTS(INWARD), .mark = NAMES, NOT_STAMPED},
	{"to a tenant, the world's", HOSTS(INWARD), .mark = WORLD | 1, NOT_STAMPED},
	{"to a tenant, a mark without a seal", HOSTS(INWARD), .mark = TENANT, .bare = true,
	 NOT_STAMPED},
	{"to a tenant, the seal is missing", HOSTS(INWARD), .mark = TENANT, .change = unsealed,
	 NOT_STAMPED},
	{"to a tenant, another's seal", HOSTS(INWARD), .mark = TENANT, .change = seal_of_another,
	 NOT_STAMPED},
	{"to a tenant, another's by a bit", HOSTS(INWARD), .mark = TENANT, .change = last_bit,
	 NOT_STAMPED},
	{"to a tenant, to a group", HOSTS(INWARD), .mark = TENANT, .change = of_a_group,
	 NOT_STAMPED},
	{"to a tenant, no seal yet", HOSTS(INWARD), .mark = TENANT, .change = unsealed, NOT_STAMPED,
	 .setup = no_seal_yet},
	{"to a tenant, a stamp without a seal", HOSTS(INWARD), .mark = TENANT,
	 .cb = {LOW, HIGH, TENANT, GW}, NOT_STAMPED},
	{"to a tenant, a bounce without a seal", HOSTS(OUTWARD), .mark = BOUNCE, .bare = true,
	 NOT_STAMPED, .setup = at_host2},
	{"to a tenant, an error without a seal", NOT_STAMPED, .mark = VOICE, .bare = true,
	 HOSTS(.from = IP_WIRE, .to = IP_A, .kind = KIND_ICMP, .icmp_type = 11, .rest = "00000000",
	       .payload = 40)},
	{"to a tenant, the device's own chatter", .bare = true, NOT_STAMPED,
	 HOSTS(INWARD6, .dst = "33:33:00:00:00:16", .to = "ff02::16")},
	{"to a tenant, the same to all", HOSTS(INWARD, .dst = MAC_BROADCAST), .mark = TENANT,
	 .bare = true, NOT_STAMPED},

	{"the world's", COMES(INWARD), PASSES(0)},
	{"the world's, IPv6", COMES(INWARD6), PASSES(0)},
	{"the world's, ARP", COMES(.kind = KIND_ARP), PASSES(0)},
	{"the world's, with a tenant's mark", COMES(INWARD), .mark = TENANT, NOT_STAMPED},
	{"the world's, with its own", COMES(INWARD), .mark = WORLD | 3, NOT_STAMPED},
	{"the world's, no seal", COMES(INWARD), .bare = true, NOT_STAMPED},
	{"the world's, a mark without a seal", COMES(INWARD), .bare = true, .mark = TENANT,
	 NOT_STAMPED},
	{"the world's, another's seal", COMES(INWARD), .change = seal_of_another, NOT_STAMPED},
	{"the world's, no seal yet", COMES(INWARD), .change = unsealed, NOT_STAMPED,
	 .setup = no_seal_yet},
	{"the world's, to a group", COMES(INWARD), .change = of_a_group, CONSUMED},

	{"to the world", GOES(OUTWARD), PASSES(WORLD | 3), .make = seal_world},
	{"to the world, IPv6", GOES(OUTWARD6), PASSES(WORLD | 3), .make = seal_world},
	{"to the world, an unknown slot", GOES(OUTWARD), PASSES(WORLD), .make = seal_world},
	{"to the world, the last slot", GOES(OUTWARD), PASSES(WORLD | TSW_SLOT_NONE),
	 .make = seal_world},
	{"to the world, a super-frame", GOES(OUTWARD, .kind = KIND_TCP, .payload = 2000),
	 PASSES(WORLD | 3), .make = seal_world, .gso_size = 500, .gso_segs = 4},
	{"to the world, ARP", GOES(.kind = KIND_ARP), .mark = WORLD, CONSUMED},
	{"to the world, not IP", GOES(RAW), .mark = WORLD, CONSUMED},
	{"to the world, to a group", GOES(OUTWARD, .dst = "01:00:5e:00:00:01"), .mark = WORLD,
	 CONSUMED},
	{"to the world, half a header", GOES(HALF), .mark = WORLD, CONSUMED},
};

/* Its conntrack has no entry for any frame of a test run: then no mark is believed. */
static void no_connection(void **state)
{
	static const __u32 marks[] = {TENANT, BOUNCE, VOICE};

	(void)state;
	if (!system_has_conntrack())
		skip();
	for (size_t i = 0; i < COUNT(marks); i++) {
		const struct packet_case c = {"no connection", .program = LEAVE_GATEWAY,
					      .in = {DOOR, INWARD}, .mark = marks[i],
					      .drop = TSW_DROP_NOT_STAMPED};

		packet_check(&c);
	}
}

static void another_namespace(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.router++;
	lab_config_set(&cfg);
}

static void no_router(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.router = 0;
	lab_config_set(&cfg);
}

/* The router's programs at a device elsewhere: what was moved takes its program along. */
static void elsewhere(void **state)
{
	static const struct packet_case moved[] = {
		{"tsw-gw, in", TO_ROUTER(OUTWARD), .mark = TENANT, NOT_STAMPED},
		{"tsw-gw, out", LEAVES(INWARD), .mark = TENANT, NOT_STAMPED},
		{"tsw-up, in", COMES(INWARD), NOT_STAMPED},
		{"tsw-up, out", GOES(OUTWARD), .mark = WORLD, NOT_STAMPED},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(moved); i++) {
		struct packet_case c = moved[i / 2];

		if (i % 2 && !system_has_kfunc("bpf_cast_to_kern_ctx"))
			continue;
		c.setup = i % 2 ? another_namespace : no_router;
		packet_check(&c);
	}
}

/* Of what leaves as this host without ports it is noted who is to be answered. */
static void notes(void **state)
{
	const struct {
		struct spec in;
		__u8 proto;
		__u32 id;
	} rows[] = {
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .kind = KIND_ICMP, .icmp_type = 8,
		  .rest = "12340001"},
		 1,
		 htons(0x1234)},
		{{DOOR, .from = IP6_WIRE2, .to = IP6_WORLD, .kind = KIND_ICMP, .icmp_type = 128,
		  .rest = "43210001"},
		 58,
		 htons(0x4321)},
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .proto = 132, .sport = 5000,
		  .dport = 6000},
		 132,
		 (__u32)htons(5000) << 16 | htons(6000)},
		{{DOOR, .from = IP6_WIRE2, .to = IP6_WORLD, .proto = 47}, 47, 0},
		/* Nothing. */
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD}, 0, 0},
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .kind = KIND_TCP}, 0, 0},
		{{DOOR, .from = IP_A, .to = IP_WORLD, .proto = 132}, 0, 0},
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .proto = 132, .frag = 0x0010}, 0, 0},
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .kind = KIND_ICMP, .icmp_type = 0,
		  .rest = "12340001"},
		 0,
		 0},
		{{DOOR, .from = IP_WIRE2, .to = IP_WORLD, .kind = KIND_ICMP, .icmp_type = 3,
		  .rest = "00000000", .payload = 40},
		 0,
		 0},
	};
	const struct __sk_buff ctx = {.ifindex = UP, .mark = WORLD};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct packet_run run;
		struct frame in = {};

		lab_fill();
		lab_uplink_addr(IP_WIRE2, WIRE2);
		lab_uplink_addr(IP6_WIRE2, WIRE2);
		frame_build(&rows[i].in, &in);
		assert_int_equal(packet_run(LEAVE_WORLD, &in, &ctx, &run), 0);
		assert_int_equal(run.verdict, TC_ACT_UNSPEC);
		if (rows[i].proto ? !lab_asked_is(rows[i].in.to, rows[i].in.from, rows[i].proto,
						  rows[i].id)
				  : !lab_asked_is_empty())
			fail_msg("row %zu", i);
	}
	lab_fill();
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(no_connection),
		cmocka_unit_test(elsewhere),
		cmocka_unit_test(notes),
	};
	const struct packet_suite suite = {"crossing", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
