// SPDX-License-Identifier: GPL-2.0-only
/* From other hosts over IPv6: what is ours, extension headers, and whom it may come from. */
#include <stdio.h>
#include <string.h>

#include "packet.h"
#include "kernel/system.h"

#define FROM_STRANGER6 TO_US6, .from = IP6_STRANGER

static const struct outer host2 = {FROM6_HOST2}, host4 = {FROM6_HOST4};
static const struct outer host5 = {TO_US6, .from = IP6_HOST5};
static const struct outer host5_four = {TO_US, .from = IP_HOST5};
static const struct outer label = {FROM6_HOST2, .flow = 0xfffff, .ttl = 1};
static const struct outer blue_host5 = {TO_US6, .from = IP6_HOST5, .vni = BLUE};
static const struct outer blue_host4 = {FROM6_HOST4, .vni = BLUE};
static const struct outer stranger = {FROM_STRANGER6};
static const struct outer ourselves = {TO_US6, .from = IP6_WIRE};
static const struct outer mapped = {TO_US6, .from = "::ffff:" IP_HOST2};
static const struct outer mapped_gre = {TO_US6, .from = "::ffff:" IP_HOST2, .gre = true};
static const struct outer other_vni = {FROM6_HOST2, .vni = 300};
static const struct outer other_port = {FROM6_HOST2, .dport = 8472};
static const struct outer group_mac = {FROM6_HOST2, .dst = "33:33:00:00:00:01"};
static const struct outer other_mac = {FROM6_HOST2, .dst = MAC_HOST3};
static const struct outer all_nodes = {FROM6_HOST2, .to = "ff02::1"};
static const struct outer to_zero = {FROM6_HOST2, .to = "::"};
static const struct outer tcp = {FROM6_HOST2, .proto = 6};
static const struct outer as_ipv4 = {FROM6_HOST2, .type = 0x0800};
static const struct outer tagged = {FROM6_HOST2, .type = 0x8100};
static const struct outer bad_flags = {FROM6_HOST2, .flip = 1};
static const struct outer stranger_flags = {FROM_STRANGER6, .flip = 1};

/* Extension headers of RFC 8200 section 4, each before UDP or GRE. */
#define BEHIND(next_, header, ...)                                             \
	{                                                                      \
		FROM6_HOST2, .next = (next_), .options = header, ##__VA_ARGS__ \
	}
static const struct outer hop_by_hop = BEHIND(0, "1100010400000000");
static const struct outer destination = BEHIND(60, "1100010400000000");
static const struct outer routing = BEHIND(43, "1100040000000000");
static const struct outer longer = BEHIND(60, "1101010c 00000000 00000000 00000000");
static const struct outer longest = BEHIND(60, "11020114 00000000 00000000 00000000 00000000"
					       "00000000");
static const struct outer two = BEHIND(0, "3c00010400000000 1100010400000000");
static const struct outer authentication = BEHIND(51, "1101000000000000 0000000000000000");
static const struct outer encrypted = BEHIND(50, "1100010400000000");
static const struct outer no_next = BEHIND(59, "1100010400000000");
static const struct outer gre_behind = BEHIND(60, "2f00010400000000", .gre = true);
static const struct outer tcp_behind = BEHIND(60, "0600010400000000");
static const struct outer behind_vni = BEHIND(60, "1100010400000000", .vni = 300);
static const struct outer behind_flags = BEHIND(60, "1100010400000000", .flip = 1);
static const struct outer first = BEHIND(44, "1100000112345678");
static const struct outer atomic = BEHIND(44, "1100000012345678");
static const struct outer reserved = BEHIND(44, "1107000612345678");
static const struct outer later = BEHIND(44, "1100000812345678");
static const struct outer last_offset = BEHIND(44, "1100800012345678");
static const struct outer gre_first = BEHIND(44, "2f00000112345678", .gre = true);
static const struct outer first_vni = BEHIND(44, "1100000112345678", .vni = 300);
static const struct outer first_stranger = {FROM_STRANGER6, .next = 44,
					    .options = "1100000112345678"};
static const struct outer behind_stranger = {FROM_STRANGER6, .next = 60,
					     .options = "1100010400000000"};

#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A
#define ARP_REPLY .kind = KIND_ARP, .op = 2, V4
#define WIRE_IN(header, ...) .program = FROM_WIRE, .in = {__VA_ARGS__, .outer = &(header)}
#define GOT(header, ...)                                                                     \
	WIRE_IN(header, __VA_ARGS__), .out = &(const struct spec){__VA_ARGS__},              \
				      .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(RX), \
				      .host = HOST2
#define PASSES .verdict = PASSED
#define OPTIONS .drop = TSW_DROP_OUTER_OPTIONS
#define FRAGMENT .drop = TSW_DROP_OUTER_FRAGMENT
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST

static void no_ipv6(void)
{
	lab_config_no_local(TSW_IPV6);
}

static void host2_is_gone(void)
{
	lab_vtep_unset(IP6_HOST2);
}

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void old_kernel(void)
{
	lab_config_flag(0, TSW_CFG_DECAP_L3);
	a_has_peer();
}

static void slow_path_old_kernel(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, TSW_CFG_DECAP_L3);
}

static void version_4(struct frame *f)
{
	f->b[14] = 0x40;
}

static const struct packet_case cases[] = {
	{"UDP over IPv4", GOT(host2, V4, .payload = 100)},
	{"UDP over IPv6", GOT(host2, V6, .payload = 100)},
	{"ARP", GOT(host2, ARP_REPLY)},
	{"any label, last hop", GOT(label, V4)},
	{"from host 4", GOT(host4, V4, .src = MAC_E, .from = IP_E), .host = HOST4},
	{"from host 5", GOT(host5, V4, .src = MAC_F, .from = IP_F), .host = HOST5},
	{"from host 5 by IPv4", GOT(host5_four, V4, .src = MAC_F, .from = IP_F), .host = HOST5},
	{"blue's E is on host 5", GOT(blue_host5, V4, .src = MAC_E, .from = IP_E), .to = BLUE_A,
	 .host = HOST5, .tenant = BLUE},

	{"version 4", WIRE_IN(host2, V4), PASSES, .change = version_4},
	{"no IPv6 here", WIRE_IN(host2, V4), PASSES, .setup = no_ipv6},
	{"no IPv6 here, to no address", WIRE_IN(to_zero, V4), PASSES, .setup = no_ipv6},
	{"VNI of no tenant", WIRE_IN(other_vni, V4), PASSES},
	{"VNI of no tenant, the port is ours", WIRE_IN(other_vni, V4),
	 .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY, .setup = slow_path_old_kernel},
	{"another port", WIRE_IN(other_port, V4), PASSES},
	{"to all nodes", WIRE_IN(all_nodes, V4), PASSES},
	{"to a multicast MAC", WIRE_IN(group_mac, V4), PASSES},
	{"to another MAC", WIRE_IN(other_mac, V4), PASSES},
	{"TCP", WIRE_IN(tcp, V4), PASSES},
	{"named IPv4", WIRE_IN(as_ipv4, V4), PASSES},
	{"802.1Q", WIRE_IN(tagged, V4), PASSES},

	{"hop-by-hop options", WIRE_IN(hop_by_hop, V4), OPTIONS},
	{"destination options", WIRE_IN(destination, V4), OPTIONS},
	{"routing header", WIRE_IN(routing, V4), OPTIONS},
	{"options of 16 octets", WIRE_IN(longer, V4), OPTIONS},
	{"options of 24 octets", WIRE_IN(longest, V4), OPTIONS},
	{"options before GRE", WIRE_IN(gre_behind, V4), OPTIONS},
	{"options, bad flags", WIRE_IN(behind_flags, V4), OPTIONS},
	{"first fragment", WIRE_IN(first, V4), FRAGMENT},
	{"fragment of a whole packet", WIRE_IN(atomic, V4), FRAGMENT},
	{"fragment header's reserved bits", WIRE_IN(reserved, V4), FRAGMENT},
	{"first fragment of GRE", WIRE_IN(gre_first, V4), FRAGMENT},
	{"later fragment", WIRE_IN(later, V4), PASSES},
	{"highest bit of the offset", WIRE_IN(last_offset, V4), PASSES},
	{"two extension headers", WIRE_IN(two, V4), PASSES},
	{"authentication header", WIRE_IN(authentication, V4), PASSES},
	{"encrypted", WIRE_IN(encrypted, V4), PASSES},
	{"no next header", WIRE_IN(no_next, V4), PASSES},
	{"options before TCP", WIRE_IN(tcp_behind, V4), PASSES},
	{"options, VNI of no tenant", WIRE_IN(behind_vni, V4), PASSES},
	{"first fragment, VNI of no tenant", WIRE_IN(first_vni, V4), PASSES},
	{"options from a stranger", WIRE_IN(behind_stranger, V4), UNKNOWN_HOST},
	{"first fragment from a stranger", WIRE_IN(first_stranger, V4), UNKNOWN_HOST},

	{"from a stranger", WIRE_IN(stranger, V4), UNKNOWN_HOST},
	{"from this host itself", WIRE_IN(ourselves, V4), UNKNOWN_HOST},
	{"from a stranger, bad flags", WIRE_IN(stranger_flags, V4), UNKNOWN_HOST},
	{"from a host that is gone", WIRE_IN(host2, V4), UNKNOWN_HOST, .setup = host2_is_gone},
	{"bad flags", WIRE_IN(bad_flags, V4), .drop = TSW_DROP_BAD_TUNNEL_HEADER},
	{"a host's IPv4 address, mapped", WIRE_IN(mapped, V4), UNKNOWN_HOST},
	{"the same by GRE", WIRE_IN(mapped_gre, V4), UNKNOWN_HOST},
	{"C does not live on host 4", WIRE_IN(host4, V4), .drop = TSW_DROP_WRONG_HOST},
	{"blue's E does not live on host 4", WIRE_IN(blue_host4, V4, .src = MAC_E),
	 .drop = TSW_DROP_WRONG_HOST, .tenant = BLUE},

	{"IPv6 on an old kernel", GOT(host2, V6), .to = 0, .setup = old_kernel},
	{"IPv4 on an old kernel", GOT(host2, V4), .setup = old_kernel},
	{"ARP is read anew by the port", GOT(host2, ARP_REPLY), .setup = a_has_peer},
	{"TCP super-frame over IPv4, old kernel", WIRE_IN(host2, V4, .kind = KIND_TCP),
	 .gso_size = 500, .gso_segs = 2, PASSES, .priority_out = PASS_UP,
	 .setup = slow_path_old_kernel},
};

/* Every bit of the destination counts. */
static void every_bit_of_the_address(void **state)
{
	struct outer outer = {FROM6_HOST2};
	struct packet_case c = {"a bit of the address", WIRE_IN(outer, V4), PASSES};
	char text[64];

	outer.to = text;
	for (int bit = 0; bit < 128; bit++) {
		__u8 b[16];

		frame_ip(b, IP6_WIRE);
		b[bit / 8] ^= 1 << bit % 8;
		snprintf(text, sizeof(text), "%x:%x:%x:%x:%x:%x:%x:%x", b[0] << 8 | b[1],
			 b[2] << 8 | b[3], b[4] << 8 | b[5], b[6] << 8 | b[7], b[8] << 8 | b[9],
			 b[10] << 8 | b[11], b[12] << 8 | b[13], b[14] << 8 | b[15]);
		packet_check(&c);
	}
	(void)state;
}

/* redirect_peer keeps skb->protocol, which is exact where the kernel can be told. */
static void to_a_peer(void **state)
{
	struct packet_case c = {"IPv4 to a peer elsewhere", GOT(host2, V4), .setup = a_has_peer};

	if (system_kernel_is_least(6, 3))
		c.to = 0;
	packet_check(&c);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(every_bit_of_the_address),
		cmocka_unit_test(to_a_peer),
	};
	const struct packet_suite suite = {"v6", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
