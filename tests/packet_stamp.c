// SPDX-License-Identifier: GPL-2.0-only
/* Enforcement on the way out: what the switch has not stamped for this port stays out. */
#include <string.h>

#include "packet.h"

#define LOW ((__u32)SECRET)
#define HIGH ((__u32)(SECRET >> 32))
#define LET_IN .program = TO_PORT, .verdict = PASSED
/* A neighbour's frame comes back by the ingress of the port that it is for, see TSW_PORT_XDP. */
#define COMES_BACK .in = {.src = MAC_B, .dst = MAC_A, .from = IP_B, .to = IP_A}
#define REFUSED COMES_BACK, .drop = TSW_DROP_SPOOFED_MAC, .setup = a_has_xdp
#define NOT_STAMPED .program = TO_PORT, .drop = TSW_DROP_NOT_STAMPED

static void a_is_gone(void)
{
	__u32 port = RED_A;

	lab_unset(M_PORTS, &port);
}

static void a_is_blue(void)
{
	lab_port(RED_A, BLUE, MAC_A, 0);
}

static void a_has_xdp(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_XDP);
}

static const struct packet_case cases[] = {
	{"stamped", LET_IN, .in = {}, .cb = {LOW, HIGH, RED, RED_A}},
	{"stamped, with a mark", LET_IN, .in = {}, .cb = {LOW, HIGH, RED, RED_A}, .mark = 4,
	 .mark_out = 4},
	{"stamped, IPv6", LET_IN, .in = {.from = IP6_B}, .cb = {LOW, HIGH, RED, RED_A}},
	{"stamped, ARP", LET_IN, .in = {.kind = KIND_ARP}, .cb = {LOW, HIGH, RED, RED_A}},
	{"stamped for blue's port", LET_IN, .dev = BLUE_B, .in = {},
	 .cb = {LOW, HIGH, BLUE, BLUE_B}, .tenant = BLUE},
	{"no stamp", NOT_STAMPED, .in = {}},
	{"no stamp, ARP", NOT_STAMPED, .in = {.kind = KIND_ARP}},
	{"no stamp, a VLAN tag", NOT_STAMPED, .in = {.type = 0x8100}},
	{"no stamp, broadcast", NOT_STAMPED, .in = {.dst = MAC_BROADCAST}},
	{"no stamp, the tunnel's mark", NOT_STAMPED, .in = {}, .mark = TUNNEL_MARK},
	{"no secret", NOT_STAMPED, .in = {}, .cb = {0, 0, RED, RED_A}},
	{"half the secret", NOT_STAMPED, .in = {}, .cb = {LOW, 0, RED, RED_A}},
	{"the other half", NOT_STAMPED, .in = {}, .cb = {0, HIGH, RED, RED_A}},
	{"halves swapped", NOT_STAMPED, .in = {}, .cb = {HIGH, LOW, RED, RED_A}},
	{"stamped for blue", NOT_STAMPED, .in = {}, .cb = {LOW, HIGH, BLUE, RED_A}},
	{"stamped for no tenant", NOT_STAMPED, .in = {}, .cb = {LOW, HIGH, 0, RED_A}},
	{"stamped for another port", NOT_STAMPED, .in = {}, .cb = {LOW, HIGH, RED, RED_B}},
	{"stamped for blue's A", NOT_STAMPED, .in = {}, .cb = {LOW, HIGH, BLUE, BLUE_A}},
	{"red's stamp at blue's port", NOT_STAMPED, .dev = BLUE_A, .in = {},
	 .cb = {LOW, HIGH, RED, BLUE_A}, .tenant = BLUE},
	{"the port is blue's by now", NOT_STAMPED, .in = {}, .cb = {LOW, HIGH, RED, RED_A},
	 .tenant = BLUE, .setup = a_is_blue},
	{"device that is no port", .program = TO_PORT, .dev = STRANGE, .in = {},
	 .cb = {LOW, HIGH, RED, STRANGE}, .drop = TSW_DROP_UNKNOWN_PORT, .tenant = NOBODY},
	{"port that is gone", .program = TO_PORT, .in = {}, .cb = {LOW, HIGH, RED, RED_A},
	 .drop = TSW_DROP_UNKNOWN_PORT, .tenant = NOBODY, .setup = a_is_gone},

	{"back, stamped", COMES_BACK, .cb = {LOW, HIGH, RED, RED_A}, .verdict = REDIRECTED,
	 .to = RED_A, .setup = a_has_xdp},
	{"back, the port has no XDP", COMES_BACK, .cb = {LOW, HIGH, RED, RED_A},
	 .drop = TSW_DROP_SPOOFED_MAC},
	{"back, no stamp", REFUSED},
	{"back, no secret", REFUSED, .cb = {0, 0, RED, RED_A}},
	{"back, half the secret", REFUSED, .cb = {LOW, 0, RED, RED_A}},
	{"back, stamped for blue", REFUSED, .cb = {LOW, HIGH, BLUE, RED_A}},
	{"back, stamped for another port", REFUSED, .cb = {LOW, HIGH, RED, RED_B}},

	{"tunnel device, no tunnel's metadata", .program = FROM_TUNNEL, .dev = TUNNEL, .in = {},
	 .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
	{"the same with the pass", .program = FROM_TUNNEL, .dev = TUNNEL, .in = {},
	 .priority = PASS_UP, .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY},
};

static void every_bit(void **state)
{
	for (int bit = 0; bit < 128; bit++) {
		struct packet_case c = {"a bit of the stamp", NOT_STAMPED, .in = {},
					.cb = {LOW, HIGH, RED, RED_A}};

		c.cb[bit / 32] ^= 1U << bit % 32;
		packet_check(&c);
	}
	(void)state;
}

/* What one program stamps the other lets in: once, at this port, and nowhere else. */
static void from_port_to_port(void **state)
{
	static const __u32 ports[] = {RED_A, RED_B, RED_N, BLUE_A, BLUE_B, STRANGE};
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run stamped = {}, run = {};
	struct frame in;

	frame_build(&(const struct spec){}, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &stamped), 0);
	for (size_t i = 0; i < COUNT(ports); i++) {
		memcpy(ctx.cb, stamped.ctx.cb, sizeof(ctx.cb));
		ctx.ifindex = ports[i];
		assert_int_equal(packet_run(TO_PORT, &in, &ctx, &run), 0);
		assert_int_equal(run.verdict, ports[i] == RED_B ? TC_ACT_UNSPEC : TC_ACT_SHOT);
		memcpy(ctx.cb, run.ctx.cb, sizeof(ctx.cb));
		assert_int_equal(packet_run(TO_PORT, &in, &ctx, &run), 0);
		assert_int_equal(run.verdict, TC_ACT_SHOT);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(every_bit),
		cmocka_unit_test(from_port_to_port),
	};
	const struct packet_suite suite = {"stamp", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
