// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames cut anywhere, lengths that lie, and what Ethernet pads, in each encapsulation: XDP
 * leaves all of it to tsw_from_wire.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define INNER .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A, .payload = 21
#define TLVS "0102 03 01 00000000  ffff 7f 00"
#define ARP_REPLY .kind = KIND_ARP, .op = 2, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A

/* What is ours is known from the UDP port or GRE's protocol on, whose it is behind the key. */
struct shape {
	const char *name;
	struct outer outer;
	size_t ours, whose;
};

static const struct shape shapes[] = {
	{"VXLAN", {FROM_HOST2}, 14 + 20 + 8, 14 + 20 + 16},
	{"VXLAN, checksum", {FROM_HOST2, .csum = CSUM_DONE}, 14 + 20 + 8, 14 + 20 + 16},
	{"GRE", {FROM_HOST2, .gre = true}, 14 + 20 + 4, 14 + 20 + 8},
	{"GRE, checksum", {FROM_HOST2, .gre = true, .csum = CSUM_DONE}, 14 + 20 + 4, 14 + 20 + 12},
	{"GRE, sequence", {FROM_HOST2, .gre = true, .sequence = true}, 14 + 20 + 4, 14 + 20 + 8},
	{"VXLAN over IPv6", {FROM6_HOST2}, 14 + 40 + 8, 14 + 40 + 16},
	{"VXLAN over IPv6, checksum", {FROM6_HOST2, .csum = CSUM_DONE}, 14 + 40 + 8, 14 + 40 + 16},
	{"GRE over IPv6", {FROM6_HOST2, .gre = true}, 14 + 40 + 4, 14 + 40 + 8},
	{"GRE over IPv6, all fields",
	 {FROM6_HOST2, .gre = true, .csum = CSUM_DONE, .sequence = true},
	 14 + 40 + 4,
	 14 + 40 + 12},
	{"Geneve", {FROM_HOST2, .geneve = true}, 14 + 20 + 8, 14 + 20 + 16},
	{"Geneve over IPv6, checksum, options",
	 {FROM6_HOST2, .geneve = true, .csum = CSUM_DONE, .tlvs = TLVS},
	 14 + 40 + 8,
	 14 + 40 + 16},
};

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, TSW_CFG_DECAP_L3);
	lab_config_gre(GRE4, GRE6);
	lab_config_geneve(GNV);
}

static struct outer from_stranger(const struct outer *o)
{
	struct outer stranger = *o;

	stranger.from = frame_is_v6(o) ? IP6_STRANGER : IP_STRANGER;
	return stranger;
}

static void expect_tc(struct packet_case *c, const struct shape *s, size_t len)
{
	if (len < s->ours) {
		c->verdict = PASSED;
		return;
	}
	c->drop = TSW_DROP_TRUNCATED;
	if (len < s->whose) {
		c->tenant = NOBODY;
		c->size = (struct tsw_counter){.packets = 1, .bytes = len};
	}
}

static void cut_at_tc(const struct shape *s, size_t whole, size_t len)
{
	struct packet_case c = {"a cut frame", .program = FROM_WIRE,
				.in = {INNER, .outer = &s->outer, .cut = whole - len}};

	expect_tc(&c, s, len);
	packet_check(&c);
}

static void cut_at_xdp(const struct shape *s, size_t whole, size_t len)
{
	struct outer stranger = from_stranger(&s->outer);
	struct packet_case c = {"a cut frame", .program = XDP, .verdict = PASSED,
				.in = {INNER, .outer = &s->outer, .cut = whole - len}};

	packet_check(&c);
	c.program = XDP_NATIVE;
	packet_check(&c);
	c.in.outer = &stranger;
	if (len >= s->whose) {
		c.verdict = DROPPED;
		c.drop = TSW_DROP_UNKNOWN_HOST;
	}
	packet_check(&c);
	c.program = XDP;
	packet_check(&c);
}

static void every_length(void **state)
{
	const struct shape *s = *state;
	struct frame f;

	frame_build(&(const struct spec){INNER, .outer = &s->outer}, &f);
	for (size_t len = 14; len < f.len; len++) {
		cut_at_xdp(s, f.len, len);
		/* A test run at tc refuses what is shorter than its IP header. */
		if (len >= s->ours - (s->outer.gre ? 4 : 8))
			cut_at_tc(s, f.len, len);
	}
}

static void old_kernel(void)
{
	lab_config_flag(0, TSW_CFG_DECAP_L3);
}

static void check_got(const struct spec *inner, const struct outer *outer, void (*setup)(void))
{
	struct packet_case c = {
		"padded or short", .program = FROM_WIRE,  .in = *inner,
		.out = inner,	   .verdict = REDIRECTED, .to = RED_A,
		.moves = MOVE(RX), .host = HOST2,	  .setup = setup,
	};

	c.in.outer = outer;
	packet_check(&c);
}

/* What Ethernet pads is not the inner frame's, and no checksum counts it. */
static void padding_goes(void **state)
{
	const struct spec inner[] = {{INNER},
				     {INNER, .kind = KIND_TCP, .payload = 0},
				     {ARP_REPLY},
				     {ARP_REPLY, .kind = KIND_RAW, .type = 0x88b5, .payload = 3}};
	struct outer outer = ((const struct shape *)*state)->outer;

	for (size_t i = 0; i < COUNT(inner); i++)
		for (int padding = 0; padding < 50; padding += 1 + padding / 4) {
			outer.padding = padding;
			check_got(&inner[i], &outer, NULL);
		}
}

/* IPv4 that is shorter than an IPv6 header comes as it was sent; what is not IP may be padded. */
static void short_frames(void **state)
{
	const struct outer *outer = &((const struct shape *)*state)->outer;

	for (int payload = 0; payload < 42; payload++) {
		const struct spec udp = {
			.src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .payload = payload};
		const struct spec raw = {.src = MAC_C,
					 .dst = MAC_A,
					 .kind = KIND_RAW,
					 .type = 0x88b5,
					 .payload = payload};

		check_got(&udp, outer, NULL);
		check_got(&udp, outer, old_kernel);
		check_got(&raw, outer, NULL);
		check_got(&raw, outer, old_kernel);
	}
}

/* Length fields that lie, by each number of octets: what they leave must hold the inner frame. */
static void lengths_lie(void **state)
{
	const struct shape *s = *state;
	const bool vxlan = !s->outer.gre;

	for (int lie = -120; lie <= 120; lie++) {
		struct outer by_ip = s->outer, by_udp = s->outer, by_both = s->outer;
		struct packet_case c = {"a length that lies", .program = FROM_WIRE,
					.in = {INNER, .outer = &by_ip}, .drop = TSW_DROP_TRUNCATED};

		if (!lie)
			continue;
		by_ip.ip_lie = by_udp.udp_lie = by_both.ip_lie = by_both.udp_lie = lie;
		by_both.csum = CSUM_NONE;
		if (vxlan || lie > 0)
			packet_check(&c);
		c.in.outer = vxlan ? &by_udp : &by_both;
		if (vxlan)
			packet_check(&c);
		/* An inner packet that is longer than what is left of its frame. */
		c.in.outer = &by_both;
		if (s->outer.csum == CSUM_NONE)
			packet_check(&c);
	}
}

/*
 * GRO writes no lengths that hold: a super-frame's are not binding. The inner family is the
 * other one, so that all of these are left to the kernel.
 */
static void super_frame(void **state)
{
	struct outer outer = ((const struct shape *)*state)->outer;
	struct packet_case c = {
		"a super-frame",	 .program = FROM_WIRE, .in = {INNER, .payload = 1000},
		.gso_size = 500,	 .gso_segs = 2,	       .verdict = PASSED,
		.priority_out = PASS_UP, .setup = slow_path};

	if (frame_is_v6(&outer)) {
		c.in.from = IP_C;
		c.in.to = IP_A;
	}
	c.in.outer = &outer;
	for (int lie = -500; lie <= 500; lie += 250) {
		outer.ip_lie = outer.udp_lie = lie;
		packet_check(&c);
	}
}

int main(void)
{
	const struct CMUnitTest checks[] = {
		cmocka_unit_test(every_length), cmocka_unit_test(padding_goes),
		cmocka_unit_test(short_frames), cmocka_unit_test(lengths_lie),
		cmocka_unit_test(super_frame),
	};

	return packet_main_matrix(&(const struct packet_matrix){
		"lengths", checks, COUNT(checks), shapes, sizeof(shapes[0]), COUNT(shapes)});
}
