// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decapsulation at XDP: what comes of a sound frame and what is told of it, and that a frame with
 * anything odd is left to tsw_from_wire as it is.
 */
#include <errno.h>
#include <linux/if_ether.h>
#include <string.h>

#include "packet.h"

#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A

/* Neither who it is from nor where it goes inside is looked at here. */
static const struct spec inners[] = {
	{V4, .payload = 33},
	{V6, .payload = 1000, .tos = 0xff},
	{V4, .kind = KIND_TCP},
	{V4, .payload = 0, .lie = 9},
	{V4, .dst = MAC_BROADCAST},
	{V4, .src = MAC_B, .dst = MAC_UNKNOWN},
	{V4, .type = 0x8100},
	{.kind = KIND_ARP},
	{V4, .kind = KIND_RAW, .type = 0x88b5, .payload = 1},
	{V4, .kind = KIND_RAW, .type = 0x88b5},
};

static void put(struct frame *f, __u32 word)
{
	frame_put(f, &word, sizeof(word));
}

/* As xdp_meta.h has it: secret, tenant, host, the frame's own destination, outer TOS. */
static void expect_meta(struct frame *meta, const struct outer *o, __u32 host, const __u8 *dst)
{
	meta->len = 0;
	put(meta, (__u32)SECRET);
	put(meta, SECRET >> 32);
	put(meta, o->vni ?: RED);
	put(meta, host);
	frame_put(meta, dst, 6);
	frame_put(meta, &o->tos, 1);
	frame_put(meta, "", 1);
}

static void counts_are_none(const char *name)
{
	struct counts counts, none = {};

	counts_read(&counts);
	assert_true(counts_equal(name, &counts, &none));
}

static void decapsulated(const struct spec *inner, const struct outer *outer, __u32 host)
{
	struct packet_run run = {};
	struct frame in, want, meta, got;
	struct spec spec = *inner;

	frame_build(&spec, &want);
	expect_meta(&meta, outer, host, want.b);
	frame_mac(want.b, NOBODYS_MAC);
	spec.outer = outer;
	frame_build(&spec, &in);
	counts_clear();
	assert_int_equal(packet_run(XDP_NATIVE, &in, NULL, &run), 0);
	assert_int_equal(run.verdict, XDP_PASS);
	got.len = run.meta_len;
	memcpy(got.b, run.meta, run.meta_len);
	assert_true(frame_equal("metadata", &got, &meta));
	assert_true(frame_equal("decapsulated", &run.out, &want));
	counts_are_none("decapsulated");
}

static void sound(void **state)
{
	const struct packet_wire *wire = *state;

	for (size_t i = 0; i < COUNT(inners); i++)
		for (int tos = 0; tos < 256; tos += 15) {
			struct outer outer = wire->outer;

			outer.tos = tos;
			decapsulated(&inners[i], &outer, HOST2);
			outer.flow = 0xfffff;
			outer.ttl = 1;
			outer.vni = BLUE;
			outer.sequence = outer.gre;
			decapsulated(&inners[i], &outer, HOST2);
			outer.vni = outer.gre ? LARGE : GREEN;
			outer.from = frame_is_v6(&outer) ? IP6_HOST5 : IP_HOST5;
			decapsulated(&inners[i], &outer, HOST5);
		}
}

static void untouched(const struct outer *outer, __u16 cut)
{
	const struct packet_case c = {"left to tsw_from_wire", .program = XDP_NATIVE,
				      .verdict = PASSED,
				      .in = {V4, .payload = 50, .cut = cut, .outer = outer}};

	packet_check(&c);
}

static void odd(void **state)
{
	const struct outer base = ((const struct packet_wire *)*state)->outer;
	const bool v6 = frame_is_v6(&base);
	struct outer o;

#define ODD(...)                  \
	do {                      \
		o = base;         \
		__VA_ARGS__;      \
		untouched(&o, 0); \
	} while (0)
	ODD(o.csum = CSUM_DONE);
	ODD(o.csum = CSUM_LEFT);
	ODD(o.csum = CSUM_DONE, o.csum_lie = 1);
	ODD(o.padding = 1);
	ODD(o.padding = 46);
	ODD(o.ip_lie = 1, o.udp_lie = 1);
	ODD(o.ip_lie = -1, o.udp_lie = -1);
	ODD(o.ip_lie = -1);
	ODD(o.ip_lie = -100, o.udp_lie = -100);
	ODD(o.flip = o.gre ? 0x08000000 : 0x01000000);
	ODD(o.vni = 300);
	if (!base.gre) {
		ODD(o.udp_lie = 1);
		ODD(o.udp_lie = -1);
		if (!base.geneve) /* whose reserved bits are not looked at */
			ODD(o.reserved = 1);
	} else {
		ODD(o.routing = true);
		ODD(o.no_key = true);
	}
	if (v6) {
		ODD(o.next = 60, o.options = base.gre ? "2f00010400000000" : "1100010400000000");
		ODD(o.next = 44, o.options = base.gre ? "2f00000112345678" : "1100000112345678");
	} else {
		ODD(o.options = "94040000");
		ODD(o.frag = 0x2000);
		ODD(o.bad_sum = true);
	}
#undef ODD
	o = base;
	untouched(&o, 1);
}

/*
 * A driver that parts frames puts any number of octets into the first buffer: what cannot be read
 * there is left to tsw_from_wire, which sees the frame whole; none is lost. Linux 6.18 lets a test
 * run say where the first buffer ends.
 */
static void in_buffers(void **state)
{
	const struct packet_wire *wire = *state;
	struct spec spec = {V4, .payload = 300};
	struct frame in, inner;
	struct packet_run run;
	__u32 readable;

	frame_build(&spec, &inner);
	spec.outer = &wire->outer;
	frame_build(&spec, &in);
	if (packet_run_first(XDP_NATIVE, &in, in.len - 1, &run) == -EINVAL)
		skip(); /* before Linux 6.18 */
	frame_mac(inner.b, NOBODYS_MAC);
	readable = in.len - inner.len + ETH_HLEN;
	for (__u32 first = ETH_HLEN; first <= in.len; first++) {
		const struct frame *want = first < readable ? &in : &inner;

		run = (struct packet_run){};
		counts_clear();
		assert_int_equal(packet_run_first(XDP_NATIVE, &in, first, &run), 0);
		assert_int_equal(run.verdict, XDP_PASS);
		assert_true(frame_equal("in two buffers", &run.out, want));
		counts_are_none("in two buffers");
	}
}

/* Thirteen octets inside, and all lengths say so: less than an Ethernet header. */
static void less_than_a_header(void **state)
{
	struct outer outer = ((const struct packet_wire *)*state)->outer;
	struct packet_case c = {"thirteen octets", .program = XDP_NATIVE, .verdict = PASSED,
				.in = {V4, .kind = KIND_RAW, .type = 0x88b5, .cut = 1}};

	outer.ip_lie = outer.udp_lie = -1;
	c.in.outer = &outer;
	packet_check(&c);
	c.program = FROM_WIRE;
	c.verdict = DROPPED;
	c.drop = TSW_DROP_TRUNCATED;
	packet_check(&c);
}

int main(void)
{
	const struct CMUnitTest checks[] = {
		cmocka_unit_test(sound),
		cmocka_unit_test(odd),
		cmocka_unit_test(in_buffers),
		cmocka_unit_test(less_than_a_header),
	};

	return packet_main_matrix(&(const struct packet_matrix){
		"xdp_native", checks, COUNT(checks), packet_wires, sizeof(packet_wires[0]), WIRES});
}
