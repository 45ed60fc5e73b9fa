// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose what an uplink brings is, where the router's conntrack tells: its namespace is another, and
 * has the entries of a tenant's flows. And what a test run does not show: that it gets there.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/conntrack_flow.h"
#include "kernel/system.h"
#include "lab_world.h"
#include "packet.h"

#define RED_INDEX 1
#define PORT 50001 /* none of NAT's: the entry tells, and not the port */
#define BY_WIRE2 .dst = MAC_WIRE2, .src = MAC_ROUTER, .sport = 2000, .dport = PORT
#define V4 BY_WIRE2, .from = IP_WORLD, .to = IP_WIRE2
#define V6 BY_WIRE2, .from = IP6_WORLD, .to = IP6_WIRE2
#define WAIT_MS 2000

static const struct row {
	const char *name;
	struct spec in;
	bool v6, tcp; /* of the entry */
	bool tenants;
} rows[] = {
	{"UDP", {V4}, .tenants = true},
	{"UDP, IPv6", {V6}, .v6 = true, .tenants = true},
	{"TCP", {V4, .kind = KIND_TCP}, .tcp = true, .tenants = true},
	{"TCP, IPv6", {V6, .kind = KIND_TCP}, .tcp = true, .v6 = true, .tenants = true},
	{"first fragment", {V4, .frag = 0x2000, .payload = 40}, .tenants = true},
	{"another port of this host's", {V4, .dport = PORT + 1}},
	{"another port of the world's", {V4, .sport = 2001}},
	{"another address of the world's", {V4, .from = IP_STRANGER}},
	{"another address of this host's", {V4, .to = IP_WIRE}},
	{"another protocol", {V4, .kind = KIND_TCP}},
	{"another family", {V6}},
	{"as the tenant sends it",
	 {V4, .from = IP_A, .to = IP_WORLD, .sport = 1000, .dport = 2000}},
	{"a port of NAT's, no entry", {V4, .dport = TSW_NAT_PORT_LOW}},
	{"an error about it",
	 {V4, .kind = KIND_ICMP, .icmp_type = 3,
	  .rest = "00000000 45000030 00000000 4011 0000 cb007101 cb00714d c35107d0 00100000"},
	 .tenants = true},
	{"an error about it, IPv6",
	 {V6, .kind = KIND_ICMP, .icmp_type = 2,
	  .rest = "00000500 60000000 0010 06 40 20010db8000300000000000000000001"
		  "20010db8007700000000000000000001 c35107d0 00100000"},
	 .v6 = true,
	 .tcp = true,
	 .tenants = true},
	{"an error about its first fragment, IPv6",
	 {V6, .kind = KIND_ICMP, .icmp_type = 2,
	  .rest = "00000500 60000000 0018 2c 40 20010db8000300000000000000000001"
		  "20010db8007700000000000000000001 06000001 00000007 c35107d0 00100000"},
	 .v6 = true,
	 .tcp = true,
	 .tenants = true},
	{"an error about a later one, IPv6",
	 {V6, .kind = KIND_ICMP, .icmp_type = 2,
	  .rest = "00000500 60000000 0018 2c 40 20010db8000300000000000000000001"
		  "20010db8007700000000000000000001 06000009 00000007 c35107d0 00100000"},
	 .v6 = true,
	 .tcp = true},
	{"an error about another",
	 {V4, .kind = KIND_ICMP, .icmp_type = 3,
	  .rest = "00000000 45000030 00000000 4011 0000 cb007101 cb00714d c35207d0 00100000"}},
	{"an error about the other direction",
	 {V4, .kind = KIND_ICMP, .icmp_type = 3,
	  .rest = "00000000 45000030 00000000 4011 0000 cb00714d cb007101 07d0c351 00100000"}},
};

static struct flow flow_of(const struct row *r)
{
	struct flow flow = {.sport = htons(1000),
			    .dport = htons(2000),
			    .nat_port = htons(PORT),
			    .proto = r->tcp ? IPPROTO_TCP : IPPROTO_UDP,
			    .state = r->tcp ? TCP_CONNTRACK_ESTABLISHED : 0,
			    .expiry = 100};

	frame_ip((__u8 *)&flow.src, r->v6 ? IP6_A : IP_A);
	frame_ip((__u8 *)&flow.dst, r->v6 ? IP6_WORLD : IP_WORLD);
	frame_ip((__u8 *)&flow.nat, r->v6 ? IP6_WIRE2 : IP_WIRE2);
	return flow;
}

static void world(void)
{
	lab_uplink(WIRE2, 3);
	lab_uplink_addr(IP_WIRE2, WIRE2);
	lab_uplink_addr(IP6_WIRE2, WIRE2);
	lab_uplink_addr(IP_WIRE, 0);
}

/* MARK: with which it crosses over, where it does. */
static bool enters_as(const struct row *r, __u32 mark)
{
	const struct __sk_buff ctx = {.ifindex = WIRE2};
	struct frame in = {}, want;
	struct packet_run run;

	frame_build(&r->in, &in);
	assert_int_equal(packet_run(FROM_WORLD, &in, &ctx, &run), 0);
	want = in;
	if (run.verdict == TC_ACT_REDIRECT)
		packet_seal(&want, mark, 0);
	else
		assert_int_equal(run.verdict, TC_ACT_UNSPEC);
	assert_true(frame_equal(r->name, &run.out, &want));
	return run.verdict == TC_ACT_REDIRECT;
}

static bool enters(const struct row *r)
{
	return enters_as(r, 0);
}

static void conntrack_tells(void **state)
{
	(void)state;
	if (!system_has_conntrack())
		skip();
	lab_router_make();
	world();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct flow flow = flow_of(&rows[i]);

		assert_false(enters(&rows[i]));
		assert_int_equal(conntrack_put(RED_INDEX, &flow), 0);
		if (enters(&rows[i]) != rows[i].tenants)
			fail_msg("%s: %s the router", rows[i].name,
				 rows[i].tenants ? "not into" : "into");
		assert_int_equal(conntrack_del(RED_INDEX, &flow), 0);
		assert_false(enters(&rows[i]));
	}
	lab_fill();
}

/* In what the helper of a tenant expects, any port of the world's may begin. */
static const struct row expected[] = {
	{"UDP", {V4}, .tenants = true},
	{"UDP, IPv6", {V6}, .v6 = true, .tenants = true},
	{"TCP", {V4, .kind = KIND_TCP}, .tcp = true, .tenants = true},
	{"TCP, IPv6", {V6, .kind = KIND_TCP}, .tcp = true, .v6 = true, .tenants = true},
	{"another port of the world's", {V4, .sport = 2001}, .tenants = true},
	{"another port of this host's", {V4, .dport = PORT + 1}},
	{"another address of the world's", {V4, .from = IP_STRANGER}},
	{"another address of this host's", {V4, .to = IP_WIRE}},
	{"another protocol", {V4, .kind = KIND_TCP}},
	{"an error about it",
	 {V4, .kind = KIND_ICMP, .icmp_type = 3,
	  .rest = "00000000 45000030 00000000 4011 0000 cb007101 cb00714d c35107d0 00100000"},
	 .tenants = true},
};

static void helper_tells(void **state)
{
	const __u32 mark = TSW_MARK_EXPECTED | RED_INDEX;
	struct tsw_expected as = {.index = RED_INDEX};

	(void)state;
	lab_router_make();
	world();
	for (size_t i = 0; i < COUNT(expected); i++) {
		const struct row *r = &expected[i];
		const char *peer = r->v6 ? IP6_WORLD : IP_WORLD;
		const char *own = r->v6 ? IP6_WIRE2 : IP_WIRE2;
		const __u8 proto = r->tcp ? IPPROTO_TCP : IPPROTO_UDP;

		assert_false(enters(r));
		as.seen = clock_kernel_ns();
		lab_expected(peer, own, proto, PORT, &as);
		if (enters_as(r, mark) != r->tenants)
			fail_msg("%s: %s the router", r->name, r->tenants ? "not into" : "into");
		as.seen -= TSW_EXPECTED_IDLE + 1000000000;
		lab_expected(peer, own, proto, PORT, &as);
		assert_false(enters(r));
	}
	lab_fill();
}

/* As another host's of the underlay sends it, in front of the kernel's own reading. */
static void say(int wire, const struct spec *spec, const char *tag)
{
	struct frame f = {};

	frame_build(spec, &f);
	if (tag) {
		memmove(f.b + 16, f.b + 12, f.len - 12);
		memcpy(f.b + 12, tag, 4);
		f.len += 4;
	}
	lab_say(wire, &f);
}

static void gets_there(void **state)
{
	const struct spec in = {.dst = MAC_WIRE2,
				.src = MAC_ROUTER,
				.from = IP_WORLD,
				.to = IP_WIRE2,
				.kind = KIND_TCP,
				.dport = 443,
				.payload = 40};
	const int wire = lab_tap("wire21");
	struct frame got, want = {};
	int up;

	(void)state;
	lab_router_make();
	lab_router_enter();
	up = lab_tap("tsup1");
	lab_router_leave();
	world();
	lab_publish(TSW_IPV4, 6, 443, RED);
	lab_attach_tc(WIRE2, false, lab_program(FROM_WORLD));
	say(wire, &in, NULL);
	frame_build(&in, &want);
	packet_seal(&want, 0, 0);
	assert_true(lab_heard(up, WAIT_MS, &got));
	assert_true(frame_equal("entered", &got, &want));
	say(wire, &in, "\x81\0\0\5");
	say(wire, &in, "\x81\0\0\0");
	say(wire, &in, "\x88\xa8\0\5");
	assert_false(lab_heard(up, 0, &got));
	lab_detach();
	lab_fill();
	close(up);
	close(wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conntrack_tells),
		cmocka_unit_test(helper_tells),
		cmocka_unit_test(gets_there),
	};
	const struct packet_suite suite = {"world_flows", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
