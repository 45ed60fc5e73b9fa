// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checksums of the outer header: right, wrong, and as a sender on a virtual wire leaves them to a
 * device.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"
#include "kernel/system.h"

/* A port with which no wrong sum happens to be that of a checksum left to the device. */
#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .sport = 4321
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A, .sport = 4321

/* The lengths are the payload's: odd, even, and about where the sum is taken piece by piece. */
static const __u16 lengths[] = {0,   1,	  2,   3,    20,   41,	 62,   63,   64,   65,	77,
				78,  79,  120, 127,  128,  129,	 200,  255,  256,  257, 500,
				511, 512, 513, 1001, 1400, 1471, 1500, 1501, 2000, 3001};

static const struct spec inners[] = {
	{V4},
	{V6},
	{V4, .kind = KIND_TCP},
	{V6, .kind = KIND_TCP},
	{V4, .ext = "94040000"},
	{V6, .next = 60, .ext = "1100010400000000"},
	{V4, .frag = 0x0010},
	{V4, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00010001"},
	{V4, .kind = KIND_RAW, .type = 0x88b5},
};

static void check(const struct spec *inner, const struct outer *outer, bool right)
{
	char name[64];
	struct packet_case c = {name, .program = FROM_WIRE, .in = *inner, .out = inner};

	snprintf(name, sizeof(name), "checksum, %zu octets, wrong by %#x", frame_inner_len(inner),
		 outer->csum_lie);
	c.in.outer = outer;
	if (right) {
		c.verdict = REDIRECTED;
		c.to = RED_A;
		c.moves = MOVE(RX);
		c.host = HOST2;
	} else {
		c.drop = TSW_DROP_BAD_CHECKSUM;
	}
	packet_check(&c);
}

/* Each inner frame, each length. */
static void right(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;

	outer.csum = CSUM_DONE;
	for (size_t i = 0; i < COUNT(inners); i++)
		for (size_t l = 0; l < COUNT(lengths); l++) {
			struct spec inner = inners[i];

			inner.payload = lengths[l] + 20 * (inner.kind == KIND_RAW);
			outer.sequence = outer.gre && l % 2;
			check(&inner, &outer, true);
		}
}

/* One bit of the checksum, whatever the length. */
static void wrong(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;

	outer.csum = CSUM_DONE;
	for (size_t i = 0; i < COUNT(inners); i++)
		for (size_t l = 0; l < COUNT(lengths); l++) {
			struct spec inner = inners[i];

			inner.payload = lengths[l];
			outer.csum_lie = 1U << (l + i) % 16;
			check(&inner, &outer, false);
		}
}

/* Any octet of the inner packet, from the hop limit on: before it are lengths and protocols. */
static void any_octet(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;
	const struct spec spec = {V6, .payload = 300, .outer = &outer};
	struct __sk_buff ctx = {.ifindex = WIRE};
	struct packet_run run = {};
	struct counts counts;
	struct frame in = {};

	outer.csum = CSUM_DONE;
	for (size_t at = frame_outer_len(&outer) + 14 + 7; !in.len || at < in.len; at++) {
		frame_build(&spec, &in);
		in.b[at] ^= 1 << at % 8;
		counts_clear();
		assert_int_equal(packet_run(FROM_WIRE, &in, &ctx, &run), 0);
		counts_read(&counts);
		assert_int_equal(run.verdict, TC_ACT_SHOT);
		assert_int_equal(
			counts.drops[0][TSW_DROP_BAD_CHECKSUM][TSW_DIR_FROM_TUNNEL].packets, 1);
	}
}

/*
 * The outer one is the pseudo-header's sum; GRE has none, its field is zero then. A test run's
 * frame is not one that was left to a device, which the kernel tells from Linux 6.2 on.
 */
static void outer_left(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;
	bool taken = !outer.gre || !system_has_kfunc("bpf_cast_to_kern_ctx");

	outer.csum = CSUM_LEFT;
	for (size_t i = 0; i < COUNT(inners); i++)
		for (size_t l = 0; l < COUNT(lengths); l++) {
			struct spec inner = inners[i];

			inner.payload = lengths[l] + 20 * (inner.kind == KIND_RAW);
			inner.left = l % 2 && inner.kind != KIND_RAW && inner.kind != KIND_ICMP;
			outer.csum_lie = 0;
			check(&inner, &outer, taken);
			outer.csum_lie = 1U << l % 16;
			check(&inner, &outer, false);
		}
}

/* The inner one is, and the outer one counts it as what it will be. */
static void inner_left(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;

	outer.csum = CSUM_DONE;
	for (size_t i = 0; i < 6; i++)
		for (size_t l = 0; l < COUNT(lengths); l++) {
			struct spec inner = inners[i];

			inner.payload = lengths[l];
			inner.left = true;
			outer.csum_lie = 0;
			check(&inner, &outer, true);
			outer.csum_lie = 1U << l % 16;
			check(&inner, &outer, false);
		}
}

/* UDP says by zero that there is none (RFC 768, RFC 6935); GRE by its flag. */
static void zero(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;
	struct spec inner = {V4, .payload = 9};

	check(&inner, &outer, true);
	/* 0xffff is what zero sums up to: one of these payloads has it. */
	outer.csum = CSUM_DONE;
	for (int id = 0; id < 65536; id += 97) {
		inner.id = id;
		check(&inner, &outer, true);
	}
}

int main(void)
{
	const struct CMUnitTest checks[] = {
		cmocka_unit_test(right),      cmocka_unit_test(wrong),
		cmocka_unit_test(any_octet),  cmocka_unit_test(outer_left),
		cmocka_unit_test(inner_left), cmocka_unit_test(zero),
	};

	return packet_main_matrix(&(const struct packet_matrix){
		"csum", checks, COUNT(checks), packet_wires, sizeof(packet_wires[0]), WIRES});
}
