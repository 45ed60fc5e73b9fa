// SPDX-License-Identifier: GPL-2.0-only
/* Out to other hosts in each encapsulation, octet for octet: the same frames by all the ways. */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define V6 .from = IP6_A

/* To whom, the way says. */
static const struct {
	const char *name;
	struct spec spec;
} frames[] = {
	{"UDP over IPv4", {.payload = 100}},
	{"an odd length", {.payload = 33}},
	{"UDP over IPv6", {V6, .payload = 100, .flow = 0x54321}},
	{"TCP over IPv4", {.kind = KIND_TCP, .payload = 7}},
	{"TCP over IPv6", {V6, .kind = KIND_TCP, .payload = 7}},
	{"ICMP", {.kind = KIND_ICMP, .icmp_type = 8, .rest = "00010001"}},
	{"ICMPv6", {V6, .kind = KIND_ICMP, .icmp_type = 128, .rest = "00010001"}},
	{"IPv4 options", {.ext = "94040000", .payload = 20}},
	{"IPv6 extension headers", {V6, .ext = "1100010400000000", .payload = 20}},
	{"first IPv4 fragment", {.frag = 0x2000, .id = 7, .payload = 64}},
	{"later IPv4 fragment", {.frag = 0x0008, .id = 7, .payload = 64}},
	{"IPv6 fragment", {V6, .next = 44, .ext = "1100000912345678"}},
	{"another upper protocol", {.proto = 132, .payload = 40}},
	{"inner DF and TTL are not the outer's", {.frag = 0x4000, .ttl = 1}},
	{"a full frame", {.payload = 1300}},
	{"Ethernet's padding is kept", {.payload = 18, .lie = -17}},
	{"ARP reply", {.kind = KIND_ARP, .op = 2}},
	{"not IP", {.kind = KIND_RAW, .type = 0x88b5, .payload = 61}},
	{"not IP, one octet", {.kind = KIND_RAW, .type = 0x88b5, .payload = 1}},
};

static struct spec spec_of(const struct packet_way *way, const struct spec *spec)
{
	struct spec s = *spec;

	s.dst = way->mac;
	s.to = s.from ? way->ip6 : way->ip;
	return s;
}

static void check(const struct packet_way *way, const char *name, const struct spec *spec, int tos)
{
	struct spec in = spec_of(way, spec), out;
	struct outer outer = way->outer;
	char text[128];
	struct packet_case c = {.name = text,
				.program = FROM_PORT,
				.dev = way->dev,
				.tenant = way->tenant,
				.mark = 9,
				.verdict = REDIRECTED,
				.out = &out,
				.moves = MOVE(TX),
				.host = way->host};

	snprintf(text, sizeof(text), "%s, %s, TOS %d", way->name, name, tos);
	in.tos = tos;
	outer.tos = in.kind == KIND_ARP || in.kind == KIND_RAW ? 0 : tos;
	out = c.in = in;
	out.outer = &outer;
	packet_check(&c);
}

static void every_frame(void **state)
{
	for (size_t i = 0; i < COUNT(frames); i++)
		check(*state, frames[i].name, &frames[i].spec, 0);
}

/* DSCP and ECN are copied out: RFC 2983 section 3.1, RFC 6040 section 4.1. */
static void every_tos(void **state)
{
	for (int tos = 0; tos < 256; tos++) {
		check(*state, "IPv4", &frames[0].spec, tos);
		check(*state, "IPv6", &frames[2].spec, tos);
	}
}

static void sent(const struct packet_way *way, const struct spec *spec, struct frame *out)
{
	struct __sk_buff ctx = {.ifindex = way->dev};
	struct spec s = spec_of(way, spec);
	struct packet_run run = {};
	struct frame in;

	frame_build(&s, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
	*out = run.out;
}

/* What tells flows apart in the outer headers: flow label, and UDP source port. */
static __u32 entropy(const struct packet_way *way, const struct spec *spec)
{
	bool v6 = frame_is_v6(&way->outer);
	struct frame f;
	__u32 port;

	sent(way, spec, &f);
	port = f.b[v6 ? 54 : 34] << 8 | f.b[v6 ? 55 : 35];
	if (!way->outer.gre)
		assert_in_range(port, 49152, 65535);
	if (v6)
		return (f.b[15] & 0x0f) << 16 | f.b[16] << 8 | f.b[17];
	return way->outer.gre ? 0 : port;
}

/*
 * The underlay's paths share the load, and no flow is reordered: RFC 7348 section 5, RFC 6438. GRE
 * over IPv4 has no place to tell.
 */
static void outer_headers_follow_the_flow(void **state)
{
	const struct packet_way *way = *state;
	__u32 first = entropy(way, &(const struct spec){}), other = 0;

	for (int i = 0; i < 64; i++) {
		struct spec spec = {.sport = 3000 + i, .payload = i};
		__u32 of_flow = entropy(way, &spec);

		assert_int_equal(of_flow, entropy(way, &spec));
		spec.tos = 0xb8;
		spec.payload += 100;
		assert_int_equal(of_flow, entropy(way, &spec));
		other += of_flow != first;
	}
	if (way->outer.gre && !frame_is_v6(&way->outer))
		assert_int_equal(other, 0);
	else
		assert_in_range(other, 56, 64);
}

/* What one switch sends another takes, which has the same endpoints the other way round. */
static void sent_is_received(void **state)
{
	const struct packet_way *way = *state;
	struct __sk_buff ctx = {.ifindex = WIRE};
	struct spec back = spec_of(way, &frames[2].spec), inner;
	struct outer outer = way->outer;
	struct packet_run run = {};
	struct frame in, want;

	inner = back;
	inner.src = back.dst;
	inner.from = back.to;
	inner.dst = MAC_A;
	inner.to = IP6_A;
	frame_build(&inner, &want);
	outer.dst = MAC_WIRE;
	outer.from = way->outer.to ?: IP_HOST2;
	outer.to = frame_is_v6(&way->outer) ? IP6_WIRE : IP_WIRE;
	inner.outer = &outer;
	frame_build(&inner, &in);
	assert_int_equal(packet_run(FROM_WIRE, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
	assert_int_equal(run.ctx.cb[2], way->tenant);
	assert_int_equal(run.ctx.cb[3], way->dev);
	assert_true(frame_equal(way->name, &run.out, &want));
}

int main(void)
{
	const struct CMUnitTest checks[] = {
		cmocka_unit_test(every_frame),
		cmocka_unit_test(every_tos),
		cmocka_unit_test(outer_headers_follow_the_flow),
		cmocka_unit_test(sent_is_received),
	};

	return packet_main_matrix(&(const struct packet_matrix){
		"encap", checks, COUNT(checks), packet_ways, sizeof(packet_ways[0]), WAYS});
}
