// SPDX-License-Identifier: GPL-2.0-only
/* GRE from other hosts: which of it is ours, by each bit of its header, and whose. */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define GRE_FROM_HOST2 FROM_HOST2, .gre = true
#define GREEN_FROM_HOST2 GRE_FROM_HOST2, .vni = GREEN
#define GREEN_FROM_STRANGER TO_US, .from = IP_STRANGER, .gre = true, .vni = GREEN

static const struct outer green = {GREEN_FROM_HOST2};
static const struct outer green_host3 = {FROM_HOST3, .gre = true, .vni = GREEN};
static const struct outer green_host4 = {FROM6_HOST4, .gre = true, .vni = GREEN};
static const struct outer green_host2_six = {FROM6_HOST2, .gre = true, .vni = GREEN};
static const struct outer green_vxlan = {FROM_HOST2, .vni = GREEN};
static const struct outer green_vxlan_six = {FROM6_HOST2, .vni = GREEN};
static const struct outer red = {GRE_FROM_HOST2}, blue = {FROM_HOST3, .gre = true, .vni = BLUE};
static const struct outer large = {GRE_FROM_HOST2, .vni = LARGE};
static const struct outer large_vxlan = {FROM_HOST2, .vni = LARGE & 0xffffff};
static const struct outer blue_above = {FROM_HOST3, .gre = true, .vni = 1U << 24 | BLUE};
static const struct outer red_highest = {GRE_FROM_HOST2, .vni = 1U << 31 | RED};
static const struct outer nobody = {GRE_FROM_HOST2, .vni = 300};
static const struct outer checksum = {GREEN_FROM_HOST2, .csum = CSUM_DONE};
static const struct outer sequence = {GREEN_FROM_HOST2, .sequence = true};
static const struct outer all_fields = {GREEN_FROM_HOST2, .csum = CSUM_DONE, .sequence = true};
static const struct outer routing = {GREEN_FROM_HOST2, .routing = true};
static const struct outer routing_sequence = {GREEN_FROM_HOST2, .routing = true, .sequence = true};
static const struct outer routing_checksum = {GREEN_FROM_HOST2, .routing = true, .csum = CSUM_DONE};
static const struct outer routing_nobody = {GRE_FROM_HOST2, .vni = 300, .routing = true};
static const struct outer no_key = {GREEN_FROM_HOST2, .no_key = true};
static const struct outer no_key_sequence = {GREEN_FROM_HOST2, .no_key = true, .sequence = true};
static const struct outer ttl_1 = {GREEN_FROM_HOST2, .ttl = 1, .frag = 0x4000};
static const struct outer options = {GREEN_FROM_HOST2, .options = "94040000"};
static const struct outer fragment = {GREEN_FROM_HOST2, .frag = 0x2000};
static const struct outer later = {GREEN_FROM_HOST2, .frag = 0x0001};
static const struct outer other_ip = {GREEN_FROM_HOST2, .to = "192.0.2.9"};
static const struct outer other_mac = {GREEN_FROM_HOST2, .dst = MAC_HOST3};
static const struct outer bad_sum = {GREEN_FROM_HOST2, .bad_sum = true};
static const struct outer as_udp = {GREEN_FROM_HOST2, .proto = 17};
static const struct outer as_ipip = {GREEN_FROM_HOST2, .proto = 4};
static const struct outer vxlan_as_gre = {FROM_HOST2, .proto = 47};
static const struct outer stranger = {GREEN_FROM_STRANGER};
static const struct outer stranger_routing = {GREEN_FROM_STRANGER, .routing = true};
static const struct outer stranger_options = {GREEN_FROM_STRANGER, .options = "94040000"};
static const struct outer stranger_nobody = {TO_US, .from = IP_STRANGER, .gre = true, .vni = 300};
static const struct outer congested = {GREEN_FROM_HOST2, .tos = 3};

#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A
#define WIRE_IN(header, ...) \
	.program = FROM_WIRE, .tenant = GREEN, .in = {__VA_ARGS__, .outer = &(header)}
#define GOT(header, ...)                                                                       \
	WIRE_IN(header, __VA_ARGS__), .out = &(const struct spec){__VA_ARGS__},                \
				      .verdict = REDIRECTED, .to = GREEN_A, .moves = MOVE(RX), \
				      .host = HOST2
#define PASSES .verdict = PASSED
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST
#define WRONG_HOST .drop = TSW_DROP_WRONG_HOST
#define BAD_HEADER .drop = TSW_DROP_BAD_TUNNEL_HEADER

static void no_green(void)
{
	__u32 tenant = GREEN;

	lab_unset(M_TENANTS, &tenant);
}

static void no_large(void)
{
	__u32 tenant = LARGE;

	lab_unset(M_TENANTS, &tenant);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, TSW_CFG_DECAP_L3);
}

static void gre4(void)
{
	lab_config_gre(GRE4, 0);
	lab_config_flag(0, TSW_CFG_DECAP_L3);
}

static void gre6(void)
{
	lab_config_gre(0, GRE6);
	lab_config_flag(0, TSW_CFG_DECAP_L3);
}

/* RFC 2890: the receiver may look at the sequence, and the kernel's device would. */
static void sequence_0(struct frame *f)
{
	memset(f->b + 14 + 20 + 8, 0, 4);
}

static const struct packet_case cases[] = {
	{"UDP over IPv4", GOT(green, V4, .payload = 77)},
	{"UDP over IPv6", GOT(green, V6, .payload = 77)},
	{"TCP over IPv4", GOT(green, V4, .kind = KIND_TCP, .payload = 5)},
	{"ARP", GOT(green, .kind = KIND_ARP, .op = 2, V4)},
	{"not IP", GOT(green, .kind = KIND_RAW, .type = 0x88b5, V4, .payload = 33)},
	{"from host 3", GOT(green_host3, V4, .src = MAC_D, .from = IP_D), .host = HOST3},
	{"from host 4", GOT(green_host4, V4, .src = MAC_E, .from = IP_E), .host = HOST4},
	{"from host 2 by IPv6", GOT(green_host2_six, V6)},
	{"in VXLAN", GOT(green_vxlan, V4)},
	{"in VXLAN over IPv6", GOT(green_vxlan_six, V4)},
	{"red's in GRE", GOT(red, V4), .to = RED_A, .tenant = RED},
	{"blue's in GRE", GOT(blue, V4), .to = BLUE_A, .tenant = BLUE, .host = HOST3},
	{"a key of 25 bits", GOT(large, V4), .to = LARGE_A, .tenant = LARGE},
	{"its last 24 bits in VXLAN are red's", GOT(large_vxlan, V4), .to = RED_A, .tenant = RED},
	{"last TTL, DF clear", GOT(ttl_1, V4)},
	{"with a checksum", GOT(checksum, V4, .payload = 31)},
	{"with a sequence", GOT(sequence, V4, .payload = 31)},
	{"the same once more", GOT(sequence, V4, .payload = 31)},
	{"an earlier one", GOT(sequence, V4, .payload = 31), .change = sequence_0},
	{"with all fields", GOT(all_fields, V4, .payload = 31)},
	{"all fields, not IP", GOT(all_fields, .kind = KIND_ARP, .op = 2, V4)},

	{"no key", WIRE_IN(no_key, V4), PASSES},
	{"no key, a sequence", WIRE_IN(no_key_sequence, V4), PASSES},
	{"key of no tenant", WIRE_IN(nobody, V4), PASSES},
	{"key of no tenant, VXLAN's port is ours", WIRE_IN(nobody, V4), PASSES, .setup = slow_path},
	{"key of a tenant that is gone", WIRE_IN(green, V4), PASSES, .setup = no_green},
	{"a long key that is gone, red's in 24 bits", WIRE_IN(large, V4), PASSES,
	 .setup = no_large},
	{"a long key, blue's in 24 bits", WIRE_IN(blue_above, V4), PASSES},
	{"the longest key, red's in 24 bits", WIRE_IN(red_highest, V4), PASSES},
	{"to another IP", WIRE_IN(other_ip, V4), PASSES},
	{"to another MAC", WIRE_IN(other_mac, V4), PASSES},
	{"later fragment", WIRE_IN(later, V4), PASSES},
	{"outer IPv4 checksum wrong", WIRE_IN(bad_sum, V4), PASSES},
	{"another protocol: UDP", WIRE_IN(as_udp, V4), PASSES},
	{"another protocol: IP in IP", WIRE_IN(as_ipip, V4), PASSES},
	{"VXLAN named GRE", WIRE_IN(vxlan_as_gre, V4), PASSES},
	{"key of no tenant, routing", WIRE_IN(routing_nobody, V4), PASSES},
	{"key of no tenant from a stranger", WIRE_IN(stranger_nobody, V4), PASSES},

	{"routing", WIRE_IN(routing, V4), BAD_HEADER},
	{"routing and a sequence", WIRE_IN(routing_sequence, V4), BAD_HEADER},
	{"routing and a checksum", WIRE_IN(routing_checksum, V4), BAD_HEADER},
	{"options", WIRE_IN(options, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"first fragment", WIRE_IN(fragment, V4), .drop = TSW_DROP_OUTER_FRAGMENT},
	{"from a stranger", WIRE_IN(stranger, V4), UNKNOWN_HOST},
	{"from a stranger, routing", WIRE_IN(stranger_routing, V4), UNKNOWN_HOST},
	{"from a stranger, options", WIRE_IN(stranger_options, V4), UNKNOWN_HOST},
	{"C does not live on host 3", WIRE_IN(green_host3, V4), WRONG_HOST},
	{"nor on host 4", WIRE_IN(green_host4, V4), WRONG_HOST},
	{"blue's C lives on host 3", WIRE_IN(green_host3, V4), WRONG_HOST},
	{"congestion that cannot be told", WIRE_IN(congested, V4), .drop = TSW_DROP_ECN_INVALID},

	{"super-frame, no GRE device", WIRE_IN(green, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, .size = {2, 962 + 62}, .drop = TSW_DROP_NO_SLOW_PATH, .setup = slow_path},
	{"super-frame, one of the other family", WIRE_IN(green, V6, .payload = 900),
	 .gso_size = 500, .gso_segs = 2, .size = {2, 962 + 62}, .drop = TSW_DROP_NO_SLOW_PATH,
	 .setup = gre6},
	{"super-frame to its GRE device", WIRE_IN(green, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = gre4},
	{"super-frame over IPv6 to its GRE device", WIRE_IN(green_host2_six, V4, .payload = 900),
	 .gso_size = 500, .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = gre6},
	{"VXLAN to the VXLAN device", WIRE_IN(green_vxlan, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, PASSES, .priority_out = PASS_UP, .setup = slow_path},
	{"VXLAN, a GRE device alone", WIRE_IN(green_vxlan, V6, .payload = 900), .gso_size = 500,
	 .gso_segs = 2, .size = {2, 962 + 62}, .drop = TSW_DROP_NO_SLOW_PATH, .setup = gre4},
};

/* RFC 2784 section 2.3: a reserved bit that is set. Version and protocol make it another's. */
static void every_bit_of_the_header(void **state)
{
	for (int bit = 0; bit < 32; bit++) {
		const bool ours = bit >= 16 + 3 && bit < 16 + 12;
		const struct outer outer = {GREEN_FROM_HOST2, .flip = 1U << bit};
		struct packet_case c = {"a bit of the GRE header", WIRE_IN(outer, V4)};

		if (bit == 16 + 12) /* a sequence: what is read as one is the inner frame's */
			continue;
		if (ours)
			c.drop = TSW_DROP_BAD_TUNNEL_HEADER;
		else
			c.verdict = PASSED;
		packet_check(&c);
	}
	(void)state;
}

/* Each bit of the key counts. */
static void every_bit_of_the_key(void **state)
{
	for (int bit = 0; bit < 32; bit++) {
		const struct outer outer = {GRE_FROM_HOST2, .vni = GREEN ^ 1U << bit};
		const struct packet_case c = {"a bit of the key", WIRE_IN(outer, V4), PASSES};

		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(every_bit_of_the_header),
		cmocka_unit_test(every_bit_of_the_key),
	};
	const struct packet_suite suite = {"gre", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
