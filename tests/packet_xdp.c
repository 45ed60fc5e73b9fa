// SPDX-License-Identifier: GPL-2.0-only
/* The early drop: tunnel frames for our tenants from no host of ours, and nothing else. */
#include <string.h>

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

static const struct outer gre_host2 = {FROM_HOST2, .gre = true, .vni = GREEN};
static const struct outer six_host4 = {FROM6_HOST4}, six_gre_host4 = {FROM6_HOST4, .gre = true};
static const struct outer gre = {TO_US, .from = IP_STRANGER, .gre = true, .vni = GREEN};
static const struct outer gre_large = {TO_US, .from = IP_STRANGER, .gre = true, .vni = LARGE};
static const struct outer gre_fields = {TO_US,	      .from = IP_STRANGER, .gre = true,
					.vni = LARGE, .csum = CSUM_DONE,   .sequence = true};
static const struct outer gre_routing = {TO_US, .from = IP_STRANGER, .gre = true, .vni = GREEN,
					 .routing = true};
static const struct outer gre_options = {TO_US, .from = IP_STRANGER, .gre = true, .vni = GREEN,
					 .options = "94040000"};
static const struct outer gre_no_key = {TO_US, .from = IP_STRANGER, .gre = true, .no_key = true};
static const struct outer gre_nobody = {TO_US, .from = IP_STRANGER, .gre = true, .vni = 300};
static const struct outer gre_above = {TO_US, .from = IP_STRANGER, .gre = true,
				       .vni = 1U << 24 | BLUE};
static const struct outer gre_version = {TO_US, .from = IP_STRANGER, .gre = true,
					 .flip = 0x00010000};
static const struct outer gre_ip = {TO_US, .from = IP_STRANGER, .gre = true, .flip = 0x65580800};
static const struct outer six = {TO_US6, .from = IP6_STRANGER};
static const struct outer six_gre = {TO_US6, .from = IP6_STRANGER, .gre = true, .vni = GREEN};
static const struct outer six_vni = {TO_US6, .from = IP6_STRANGER, .vni = 300};
static const struct outer six_behind = {TO_US6, .from = IP6_STRANGER, .next = 60,
					.options = "1100010400000000"};
static const struct outer six_first = {TO_US6, .from = IP6_STRANGER, .next = 44,
				       .options = "1100000112345678"};
static const struct outer six_later = {TO_US6, .from = IP6_STRANGER, .next = 44,
				       .options = "1100000812345678"};
static const struct outer six_other = {TO_US6, .from = IP6_STRANGER, .to = "2001:db8::9"};
static const struct outer six_mapped = {TO_US6, .from = "::ffff:" IP_HOST2};
static const struct outer six_ours = {TO_US6, .from = IP6_WIRE, .gre = true};

#define INNER .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define IN(header) .program = XDP, .in = {INNER, .outer = &(header)}
#define PASSES .verdict = PASSED
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

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
	{"VNI of no tenant, the port is ours", IN(other_vni), .drop = TSW_DROP_UNKNOWN_TENANT,
	 .tenant = NOBODY, .setup = slow_path},
	{"the same over IPv6", IN(six_vni), .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY,
	 .setup = slow_path},
	{"the same by GRE", IN(gre_nobody), PASSES, .setup = slow_path},
	{"all 24 bits of the VNI count", IN(vni_above), PASSES},
	{"VNI of a tenant that is gone", IN(stranger), PASSES, .setup = no_red},
	{"to another IP", IN(other_ip), PASSES},
	{"to another port", IN(other_port), PASSES},
	{"not UDP", IN(not_udp), PASSES},
	{"first fragment", IN(first), UNKNOWN_HOST},
	{"later fragment", IN(later), PASSES},
	{"high bit of the fragment offset", IN(last_offset), PASSES},
	{"outer options", IN(options), UNKNOWN_HOST},
	{"outer options like a tunnel header", IN(tricky), UNKNOWN_HOST},
	{"outer VLAN", IN(tagged), PASSES},
	{"another outer protocol", IN(as_ipv6), PASSES},
	{"GRE from a host", IN(gre_host2), PASSES},
	{"IPv6 from a host", IN(six_host4), PASSES},
	{"GRE over IPv6 from a host", IN(six_gre_host4), PASSES},
	{"GRE from a stranger", IN(gre), UNKNOWN_HOST, .tenant = GREEN},
	{"GRE, a long key", IN(gre_large), UNKNOWN_HOST, .tenant = LARGE},
	{"GRE, all fields", IN(gre_fields), UNKNOWN_HOST, .tenant = LARGE},
	{"GRE, routing", IN(gre_routing), UNKNOWN_HOST, .tenant = GREEN},
	{"GRE, options", IN(gre_options), UNKNOWN_HOST, .tenant = GREEN},
	{"GRE, no key", IN(gre_no_key), PASSES},
	{"GRE, key of no tenant", IN(gre_nobody), PASSES},
	{"GRE, blue's key in 24 bits", IN(gre_above), PASSES},
	{"GRE of another version", IN(gre_version), PASSES},
	{"GRE with IP inside", IN(gre_ip), PASSES},
	{"IPv6 from a stranger", IN(six), UNKNOWN_HOST},
	{"GRE over IPv6 from a stranger", IN(six_gre), UNKNOWN_HOST, .tenant = GREEN},
	{"IPv6, VNI of no tenant", IN(six_vni), PASSES},
	{"IPv6, extension header", IN(six_behind), UNKNOWN_HOST},
	{"IPv6, first fragment", IN(six_first), UNKNOWN_HOST},
	{"IPv6, later fragment", IN(six_later), PASSES},
	{"IPv6 to another", IN(six_other), PASSES},
	{"IPv6, IPv4 mapped", IN(six_mapped), UNKNOWN_HOST},
	{"IPv6 from this host itself", IN(six_ours), UNKNOWN_HOST},
	{"plain UDP", .program = XDP, PASSES,
	 .in = {.dst = MAC_WIRE, .from = IP_STRANGER, .to = IP_WIRE}},
	{"plain IPv6", .program = XDP, PASSES, .in = {.dst = MAC_WIRE, .from = IP6_A}},
	{"plain ARP", .program = XDP, PASSES, .in = {.kind = KIND_ARP}},
};

/* In native mode what is not decapsulated is treated alike: all but a sound frame of a host. */
static void native_is_alike(void **state)
{
	int n = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct packet_case c = cases[i];

		if (strstr(c.name, "from a host") == c.name || strstr(c.name, "become a host") ||
		    strstr(c.name, " from a host"))
			continue;
		c.program = XDP_NATIVE;
		packet_check(&c);
		n++;
	}
	assert_in_range(n, COUNT(cases) - 8, COUNT(cases));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(native_is_alike)};
	const struct packet_suite suite = {"xdp", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
