// SPDX-License-Identifier: GPL-2.0-only
/* The early drop: tunnel frames for our tenants from no host of ours, and nothing else. */
#include "packet.h"

static const struct outer host2 = {FROM_HOST2};
static const struct outer bad_flags = {FROM_HOST2, .flip = 0xff000000};
static const struct outer stranger = {TO_US, .from = IP_STRANGER};
static const struct outer ourselves = {TO_US, .from = IP_WIRE};
static const struct outer blue_stranger = {TO_US, .from = IP_STRANGER, .vni = BLUE};
static const struct outer stranger_flags = {TO_US, .from = IP_STRANGER, .flip = 0x08000000};
static const struct outer other_vni = {TO_US, .from = IP_STRANGER, .vni = 300};
static const struct outer vni_above = {TO_US, .from = IP_STRANGER, .vni = RED | 1 << 23};
static const struct outer other_ip = {TO_US, .from = IP_STRANGER, .to = "192.0.2.9"};
static const struct outer other_port = {TO_US, .from = IP_STRANGER, .dport = 8472};
static const struct outer not_udp = {TO_US, .from = IP_STRANGER, .proto = 6};
static const struct outer first = {TO_US, .from = IP_STRANGER, .frag = 0x6000};
static const struct outer later = {TO_US, .from = IP_STRANGER, .frag = 0x4001};
static const struct outer last_offset = {TO_US, .from = IP_STRANGER, .frag = 0x5000};
static const struct outer no_df = {TO_US, .from = IP_STRANGER, .frag = 0x4000};
static const struct outer options = {TO_US, .from = IP_STRANGER, .options = "94040000"};
/* Options that look like UDP and VXLAN headers where these are without options. */
static const struct outer tricky = {TO_US, .from = IP_STRANGER,
				    .options = "c00012b5 00000000 08000000 00006400"};
static const struct outer tagged = {TO_US, .from = IP_STRANGER, .type = 0x8100};
static const struct outer as_ipv6 = {TO_US, .from = IP_STRANGER, .type = 0x86dd};

#define INNER .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define IN(header) .program = XDP, .in = {INNER, .outer = &(header)}
#define PASSES .verdict = PASSED
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST

static void no_red(void)
{
	__u32 red = RED;

	lab_unset(M_TENANTS, &red);
}

static void host2_is_gone(void)
{
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, IP_HOST2);
	lab_unset(M_VTEPS, &addr);
}

static void stranger_is_added(void)
{
	lab_host(HOST_GONE, IP_STRANGER);
}

static const struct packet_case cases[] = {
	{"from a host", IN(host2), PASSES},
	{"from a host, bad flags are not this program's", IN(bad_flags), PASSES},
	{"from a stranger", IN(stranger), UNKNOWN_HOST},
	{"from a stranger, DF clear", IN(no_df), UNKNOWN_HOST},
	{"from a stranger, no I flag", IN(stranger_flags), UNKNOWN_HOST},
	{"from this host itself", IN(ourselves), UNKNOWN_HOST},
	{"from a host that is gone", IN(host2), UNKNOWN_HOST, .setup = host2_is_gone},
	{"from a stranger who has become a host", IN(stranger), PASSES, .setup = stranger_is_added},
	{"from a stranger to blue", IN(blue_stranger), UNKNOWN_HOST, .tenant = BLUE},
	{"a long frame from a stranger", .program = XDP, UNKNOWN_HOST,
	 .in = {INNER, .payload = 1400, .outer = &stranger}},
	{"not IP inside", .program = XDP, UNKNOWN_HOST,
	 .in = {.kind = KIND_ARP, .outer = &stranger}},
	{"VNI of no tenant", IN(other_vni), PASSES},
	{"all 24 bits of the VNI count", IN(vni_above), PASSES},
	{"VNI of a tenant that is gone", IN(stranger), PASSES, .setup = no_red},
	{"to another IP", IN(other_ip), PASSES},
	{"to another port", IN(other_port), PASSES},
	{"not UDP", IN(not_udp), PASSES},
	{"first fragment", IN(first), PASSES},
	{"later fragment", IN(later), PASSES},
	{"high bit of the fragment offset", IN(last_offset), PASSES},
	{"outer options", IN(options), PASSES},
	{"outer options like a tunnel header", IN(tricky), PASSES},
	{"outer VLAN", IN(tagged), PASSES},
	{"another outer protocol", IN(as_ipv6), PASSES},
	{"plain UDP", .program = XDP, PASSES,
	 .in = {.dst = MAC_WIRE, .from = IP_STRANGER, .to = IP_WIRE}},
	{"plain IPv6", .program = XDP, PASSES, .in = {.dst = MAC_WIRE, .from = IP6_A}},
	{"plain ARP", .program = XDP, PASSES, .in = {.kind = KIND_ARP}},
};

/* Cut anywhere: what is no whole VXLAN header is not ours to drop. */
static void every_length(void **state)
{
	for (size_t len = 14; len < 14 + 50 + 10; len++) {
		struct packet_case c = {"a cut frame", IN(stranger), UNKNOWN_HOST};
		struct frame whole;

		frame_build(&c.in, &whole);
		c.in.cut = whole.len - len;
		if (len < 50) {
			c.drop = TSW_DROP_NONE;
			c.verdict = PASSED;
		}
		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(every_length)};
	const struct packet_suite suite = {"xdp", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
