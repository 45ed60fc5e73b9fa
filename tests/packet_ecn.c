// SPDX-License-Identifier: GPL-2.0-only
/* Congestion marks through the tunnel's end: RFC 6040 section 4.2, figure 4. */
#include <stdio.h>
#include <stdlib.h>

#include "packet.h"

enum { NOT_ECT, ECT1, ECT0, CE, NONE };

/* [inner][outer] -> what is forwarded; NONE: dropped. */
static const int forwarded[4][4] = {
	[NOT_ECT] = {[NOT_ECT] = NOT_ECT, [ECT1] = NOT_ECT, [ECT0] = NOT_ECT, [CE] = NONE},
	[ECT1] = {[NOT_ECT] = ECT1, [ECT1] = ECT1, [ECT0] = ECT1, [CE] = CE},
	[ECT0] = {[NOT_ECT] = ECT0, [ECT1] = ECT1, [ECT0] = ECT0, [CE] = CE},
	[CE] = {[NOT_ECT] = CE, [ECT1] = CE, [ECT0] = CE, [CE] = CE},
};

/* Frames of red's C to A; the outer DSCP differs, and is forgotten with its header. */
static const struct {
	const char *name;
	struct spec spec;
	__u8 outer_dscp;
} frames[] = {
	{"IPv4", {.src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .payload = 31}, 0},
	{"IPv4 with DSCP",
	 {.src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .tos = 0xb8, .id = 99},
	 0x88},
	{"IPv4 with options",
	 {.src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .ext = "94040000"},
	 0x28},
	{"IPv6",
	 {.src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A, .flow = 0xabcde, .payload = 31},
	 0},
	{"IPv6 with DSCP",
	 {.src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A, .tos = 0xfc, .flow = 0xfffff},
	 0x04},
};

static void check(const struct spec *base, const char *name, int inner, struct outer *outer)
{
	struct spec in = *base, out = *base;
	struct packet_case c = {.name = name, .program = FROM_WIRE};
	int want = forwarded[inner][outer->tos & 3];

	in.tos |= inner;
	in.outer = outer;
	out.tos |= want;
	c.in = in;
	if (want == NONE) {
		c.drop = TSW_DROP_ECN_INVALID;
	} else {
		c.verdict = REDIRECTED;
		c.out = &out;
		c.to = RED_A;
		c.moves = MOVE(RX);
		c.host = HOST2;
	}
	packet_check(&c);
}

/* All sixteen for one kind of frame, by each wire, with and without an outer checksum. */
static void all_sixteen(void **state)
{
	const size_t i = (uintptr_t)*state;
	char name[128];

	for (int n = 0; n < 32 * WIRES; n++) {
		const struct packet_wire *wire = &packet_wires[n >> 5];
		struct outer outer = wire->outer;

		outer.tos = frames[i].outer_dscp | (n >> 2 & 3);
		outer.csum = n >> 4 & 1;
		snprintf(name, sizeof(name), "%s, %s, inner %d, outer %d%s", wire->name,
			 frames[i].name, n & 3, n >> 2 & 3, outer.csum ? ", checksum" : "");
		check(&frames[i].spec, name, n & 3, &outer);
	}
}

/* The header's checksum is mended and not made anew: try it where it wraps around. */
static void every_checksum(void **state)
{
	struct outer outer = {FROM_HOST2, .tos = CE};
	struct __sk_buff ctx = {.ifindex = WIRE};
	struct packet_run run;
	struct frame in, want;

	for (int id = 0; id < 65536; id += 5) {
		struct spec spec = {.src = MAC_C,
				    .dst = MAC_A,
				    .from = IP_C,
				    .to = IP_A,
				    .tos = id % 2 ? ECT1 : ECT0,
				    .id = id,
				    .outer = &outer};

		frame_build(&spec, &in);
		spec.tos = CE;
		spec.outer = NULL;
		frame_build(&spec, &want);
		assert_int_equal(packet_run(FROM_WIRE, &in, &ctx, &run), 0);
		assert_true(frame_equal("a checksum", &run.out, &want));
	}
	(void)state;
}

/* No congestion mark in what has no place for it. */
static void not_ip(void **state)
{
	for (int tos = 0; tos < 4 * WIRES; tos++) {
		struct outer outer = packet_wires[tos / 4].outer;
		const struct spec out = {.kind = KIND_ARP,
					 .op = 2,
					 .src = MAC_C,
					 .dst = MAC_A,
					 .from = IP_C,
					 .to = IP_A};
		struct packet_case c = {"ARP",
					.program = FROM_WIRE,
					.in = out,
					.out = &out,
					.verdict = REDIRECTED,
					.to = RED_A,
					.moves = MOVE(RX),
					.host = HOST2};

		outer.tos = tos % 4;
		c.in.outer = &outer;
		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	struct CMUnitTest tests[COUNT(frames) + 2] = {
		cmocka_unit_test(every_checksum),
		cmocka_unit_test(not_ip),
	};
	const struct packet_suite suite = {"ecn", NULL, 0, tests, COUNT(tests)};

	for (size_t i = 0; i < COUNT(frames); i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = frames[i].name,
			.test_func = all_sixteen,
			.initial_state = (void *)(uintptr_t)i,
		};
	return packet_main(&suite);
}
