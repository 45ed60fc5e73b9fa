// SPDX-License-Identifier: GPL-2.0-only
/* The source guard, and delivery to a port of the same host. */
#include <stdio.h>
#include <string.h>

#include "kernel/netns.h"
#include "packet.h"
#include "kernel/system.h"

/* What becomes of a frame. */
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define SPOOFED_MAC .drop = TSW_DROP_SPOOFED_MAC
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
#define RESERVED .drop = TSW_DROP_RESERVED_MULTICAST
#define VLAN .drop = TSW_DROP_VLAN_TAGGED
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
/* Through the guard, to the copies that go to all: there are none with no members. */
#define NO_COPIES .setup = no_members

#define PORT_N .dev = RED_N
#define DHCP .dst = MAC_BROADCAST, .from = "0.0.0.0", .to = "255.255.255.255"
#define NAMELESS .dst = "33:33:00:00:00:16", .from = "::", .to = "ff02::16"
#define SAYS(type_) NAMELESS, .kind = KIND_ICMP, .icmp_type = type_, .ttl = 255, .rest = "00000000"
#define DAD SAYS(135), .target = "fe80::99"
#define TCP6 .from = IP6_A, .to = IP6_B, .kind = KIND_TCP
#define HOPOPTS_X7                                                            \
	"0000010400000000 0000010400000000 0000010400000000 0000010400000000" \
	"0000010400000000 0000010400000000 0000010400000000"

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void broadcast_off(void)
{
	lab_tenant(RED, 0, 0);
}

static void no_tenant(void)
{
	__u32 red = RED;

	lab_unset(M_TENANTS, &red);
}

static void b_has_peer(void)
{
	lab_port(RED_B, RED, MAC_B, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void b_is_gone(void)
{
	__u32 port = RED_B;

	lab_unset(M_PORTS, &port);
}

static void blue_alone_has_77(void)
{
	lab_addr(BLUE, "10.0.0.77", MAC_A);
	lab_addr(BLUE, "fd00::77", MAC_A);
}

static void a_has_more(void)
{
	lab_addr(RED, "10.0.0.77", MAC_A);
	lab_addr(RED, "fe80::1", MAC_A);
}

static const struct packet_case cases[] = {
	{"own IPv4 address", .in = {}, TO_B},
	{"own IPv6 address", .in = {.from = IP6_A, .to = IP6_B}, TO_B},
	{"own link-local address", .in = {.from = LL6_A, .to = LL6_B}, TO_B},
	{"one of several own addresses", .in = {.from = "10.0.0.77"}, TO_B, .setup = a_has_more},
	{"listed link-local address", .in = {.from = "fe80::1"}, TO_B, .setup = a_has_more},
	{"a mark from the container is removed", .in = {}, TO_B, .mark = 7},
	{"own MAC, TCP", .in = {.kind = KIND_TCP, .payload = 100}, TO_B},
	{"frame padded by Ethernet", .in = {.payload = 18, .lie = -17}, TO_B},
	{"not IP", .in = {.kind = KIND_RAW, .type = 0x88b5, .payload = 50}, TO_B},
	{"port with its peer elsewhere", .in = {}, .verdict = REDIRECTED, .moves = MOVE(LOCAL),
	 .setup = b_has_peer, .mark = 9},
	{"to tenant blue's own B", .dev = BLUE_A, .in = {}, .verdict = REDIRECTED, .to = BLUE_B,
	 .moves = MOVE(LOCAL), .tenant = BLUE},

	{"foreign MAC", .in = {.src = MAC_B}, SPOOFED_MAC},
	{"foreign MAC, IPv6", .in = {.src = MAC_C, .from = IP6_A, .to = IP6_B}, SPOOFED_MAC},
	{"foreign MAC, not IP", .in = {.src = MAC_UNKNOWN, .type = 0x88b5}, SPOOFED_MAC},
	{"foreign MAC, to a group", .in = {.src = MAC_B, .dst = MAC_BROADCAST}, SPOOFED_MAC},
	{"foreign MAC, reserved group", .in = {.src = MAC_B, .dst = "01:80:c2:00:00:00"},
	 SPOOFED_MAC},

	{"neighbour's IPv4 address", .in = {.from = IP_B}, SPOOFED_IP},
	{"remote endpoint's IPv4 address", .in = {.from = IP_C}, SPOOFED_IP},
	{"IPv4 address of nobody", .in = {.from = IP_UNKNOWN}, SPOOFED_IP},
	{"IPv4 broadcast as source", .in = {.from = "255.255.255.255"}, SPOOFED_IP},
	{"IPv4 loopback as source", .in = {.from = "127.0.0.1"}, SPOOFED_IP},
	{"address that blue alone has", .in = {.from = "10.0.0.77"}, SPOOFED_IP,
	 .setup = blue_alone_has_77},
	{"IPv6 address that blue alone has", .in = {.from = "fd00::77", .to = IP6_B}, SPOOFED_IP,
	 .setup = blue_alone_has_77},
	{"neighbour's IPv6 address", .in = {.from = IP6_B, .to = IP6_C}, SPOOFED_IP},
	{"IPv6 address of nobody", .in = {.from = "fd00::99", .to = IP6_B}, SPOOFED_IP},
	{"own IPv6 address but one bit", .in = {.from = "fd00:0:0:1::1", .to = IP6_B}, SPOOFED_IP},
	{"neighbour's link-local address", .in = {.from = LL6_B, .to = LL6_A}, SPOOFED_IP},
	{"remote link-local address", .in = {.from = LL6_C, .to = LL6_A}, SPOOFED_IP},
	{"link-local address of no interface", .in = {.from = "fe80::", .to = LL6_B}, SPOOFED_IP},
	{"like link-local, longer prefix", .in = {.from = "fe80:0:0:1::1", .to = LL6_B},
	 SPOOFED_IP},
	{"like link-local, other prefix", .in = {.from = "fe80:1::ff:fe00:a", .to = IP6_B},
	 SPOOFED_IP},
	{"like link-local, global", .in = {.from = "fd00::ff:fe00:a", .to = IP6_B}, SPOOFED_IP},
	{"neighbour's IPv4 address, mapped", .in = {.from = "::ffff:10.0.0.2", .to = IP6_B},
	 SPOOFED_IP},
	{"unmapped zero with a tail", .in = {.from = "::1", .to = IP6_B}, SPOOFED_IP},

	{"later fragment, own address", .in = {.frag = 0x2010, .payload = 64}, TO_B},
	{"later fragment, foreign address", .in = {.from = IP_B, .frag = 0x0010}, SPOOFED_IP},
	{"IPv4 options", .in = {.ext = "94040000 01010101", .payload = 40}, TO_B},
	{"IPv4 options, foreign address", .in = {.from = IP_B, .ext = "94040000"}, SPOOFED_IP},
	{"IPv6 extension headers",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 1100010400000000"}, TO_B},
	{"eight IPv6 extension headers",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = HOPOPTS_X7 "1100010400000000"}, TO_B},
	{"nine IPv6 extension headers",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = HOPOPTS_X7 "0000010400000000 1100010400000000"},
	 TRUNCATED},
	{"later IPv6 fragment",
	 .in = {.from = IP6_A, .to = IP6_B, .next = 44, .ext = "1100010112345678"}, TO_B},
	{"extension header cut off",
	 .in = {.from = IP6_A, .to = IP6_B, .next = 60, .ext = "3cff", .lie = -8, .cut = 8},
	 TRUNCATED},
	{"extension headers and ports, and padding",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 1100010400000000", .lie = -4},
	 TO_B},
	{"ports half in the padding",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 1100010400000000", .lie = -5},
	 TRUNCATED},
	{"upper layer in the padding",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 1100010400000000", .lie = -8},
	 TRUNCATED},
	{"extension headers and no upper layer",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 3b00010400000000", .lie = -8},
	 TO_B},
	{"extension header in the padding",
	 .in = {.from = IP6_A, .to = IP6_B, .ext = "3c00010400000000 1100010400000000", .lie = -9},
	 TRUNCATED},

	{"DHCP request", .in = {DHCP, .dport = 67}, NO_COPIES},
	{"DHCP request to one MAC", .in = {DHCP, .dst = MAC_B, .dport = 67}, TO_B},
	{"0.0.0.0 to another port", .in = {DHCP, .dport = 68}, SPOOFED_IP},
	{"0.0.0.0 by TCP", .in = {DHCP, .kind = KIND_TCP, .dport = 67}, SPOOFED_IP},
	{"0.0.0.0 to one address", .in = {DHCP, .to = IP_B, .dport = 67}, SPOOFED_IP},
	{"0.0.0.0 in a later fragment", .in = {DHCP, .dport = 67, .frag = 0x10}, SPOOFED_IP},
	{"0.0.0.0 with no UDP header", .in = {DHCP, .dport = 67, .lie = -8, .cut = 8}, SPOOFED_IP},
	{"0.0.0.0 hidden by options", .in = {DHCP, .dport = 1, .ext = "03e80043"}, SPOOFED_IP},
	{"0.0.0.0, port without addresses", PORT_N, .in = {DHCP, .src = MAC_N}, SPOOFED_IP},
	{"unspecified IPv6: is it taken?", .in = {DAD}, NO_COPIES},
	{"unspecified IPv6: is there a router?", .in = {SAYS(133)}, NO_COPIES},
	{"unspecified IPv6: MLD report", .in = {SAYS(131), .target = "ff02::9"}, NO_COPIES},
	{"unspecified IPv6: MLD done", .in = {SAYS(132), .target = "ff02::9"}, NO_COPIES},
	{"unspecified IPv6: MLDv2 report", .in = {SAYS(143)}, NO_COPIES},
	{"unspecified IPv6: the same behind a router alert", NO_COPIES,
	 .in = {SAYS(143), .ext = "3a00050200000100"}},
	{"unspecified IPv6: MLD query", .in = {SAYS(130), .target = "ff02::9"}, SPOOFED_IP},
	{"unspecified IPv6: router advertisement", .in = {SAYS(134)}, SPOOFED_IP},
	{"unspecified IPv6: neighbour advertisement", .in = {SAYS(136), .target = IP6_A},
	 SPOOFED_IP},
	{"unspecified IPv6: redirect", .in = {SAYS(137), .target = IP6_A}, SPOOFED_IP},
	{"unspecified IPv6: echo request", .in = {SAYS(128)}, SPOOFED_IP},
	{"unspecified IPv6: no ICMP type", .in = {NAMELESS, .proto = 58, .lie = -8, .cut = 8},
	 SPOOFED_IP},
	{"unspecified IPv6 by UDP", .in = {NAMELESS}, SPOOFED_IP},
	{"unspecified IPv6 by TCP", .in = {NAMELESS, .kind = KIND_TCP}, SPOOFED_IP},
	{"unspecified IPv6 by UDP, port without addresses", PORT_N, .in = {NAMELESS, .src = MAC_N},
	 SPOOFED_IP},
	{"unspecified IPv6 in a later fragment", SPOOFED_IP,
	 .in = {NAMELESS, .next = 44, .ext = "3a00010112345678"}},
	{"unspecified IPv6 to one", .in = {DAD, .dst = MAC_B, .to = IP6_B}, SPOOFED_IP},

	{"no addresses: any IPv4", PORT_N, .in = {.src = MAC_N, .from = IP_N}, TO_B},
	{"no addresses: any IPv6", PORT_N, .in = {.src = MAC_N, .from = IP6_N}, TO_B},
	{"no addresses: own link-local", PORT_N, .in = {.src = MAC_N, .from = LL6_N}, TO_B},
	{"no addresses: random link-local", PORT_N, .in = {.src = MAC_N, .from = "fe80::9"}, TO_B},
	{"no addresses: not a neighbour's", PORT_N, .in = {.src = MAC_N, .from = IP_A}, SPOOFED_IP},
	{"no addresses: not a remote one's", PORT_N, .in = {.src = MAC_N, .from = IP_C},
	 SPOOFED_IP},
	{"no addresses: not A's IPv6", PORT_N, .in = {.src = MAC_N, .from = IP6_A}, SPOOFED_IP},
	{"no addresses: not A's link-local", PORT_N, .in = {.src = MAC_N, .from = LL6_A},
	 SPOOFED_IP},
	{"no addresses: not loopback", PORT_N, .in = {.src = MAC_N, .from = "127.0.0.1"},
	 SPOOFED_IP},
	{"no addresses: not this network", PORT_N, .in = {.src = MAC_N, .from = "0.1.2.3"},
	 SPOOFED_IP},
	{"no addresses: not multicast", PORT_N, .in = {.src = MAC_N, .from = "224.0.0.9"},
	 SPOOFED_IP},
	{"no addresses: not broadcast", PORT_N, .in = {.src = MAC_N, .from = "255.255.255.255"},
	 SPOOFED_IP},
	{"no addresses: not IPv6 loopback", PORT_N, .in = {.src = MAC_N, .from = "::1"},
	 SPOOFED_IP},
	{"no addresses: not IPv6 multicast", PORT_N, .in = {.src = MAC_N, .from = "ff02::1"},
	 SPOOFED_IP},
	{"no addresses: not the switch's own", PORT_N, .in = {.src = MAC_N, .from = IP_SERVICE},
	 SPOOFED_IP},
	{"no addresses: not that of IPv6", PORT_N, .in = {.src = MAC_N, .from = IP6_SERVICE},
	 SPOOFED_IP},
	{"no addresses: the one beside it", PORT_N, .in = {.src = MAC_N, .from = "fd00:ec2::254"},
	 TO_B},
	{"no addresses: what blue has is free", PORT_N, .in = {.src = MAC_N, .from = "10.0.0.77"},
	 TO_B, .setup = blue_alone_has_77},

	{"spanning tree", .in = {.dst = "01:80:c2:00:00:00", .type = 0x0027}, RESERVED},
	{"LLDP", .in = {.dst = "01:80:c2:00:00:0e", .type = 0x88cc}, RESERVED},
	{"last of the reserved", .in = {.dst = "01:80:c2:00:00:0f"}, RESERVED},
	{"first that is not reserved", .in = {.dst = "01:80:c2:00:00:10"}, NO_COPIES},
	{"802.1Q in the frame", .in = {.type = 0x8100}, VLAN},
	{"802.1ad in the frame", .in = {.type = 0x88a8}, VLAN},
	{"802.1Q to a group", .in = {.type = 0x8100, .dst = MAC_BROADCAST}, VLAN},

	{"IPv4 longer than its frame", .in = {.lie = 1}, TRUNCATED},
	{"IPv4 cut off", .in = {.payload = 10, .cut = 1}, TRUNCATED},
	{"IPv4 of version 5", .in = {.kind = KIND_RAW, .type = 0x0800, .rest = "55", .payload = 40},
	 TRUNCATED},
	{"IPv4 header of 16 octets",
	 .in = {.kind = KIND_RAW, .type = 0x0800, .rest = "44", .payload = 40}, TRUNCATED},
	{"IPv6 longer than its frame", .in = {.from = IP6_A, .to = IP6_B, .lie = 1}, TRUNCATED},
	{"IPv6 of version 4", .in = {.type = 0x86dd, .payload = 60}, TRUNCATED},
	{"super-frame's length is not binding", .in = {.kind = KIND_TCP, .lie = 1, .payload = 100},
	 TO_B, .gso_size = 100, .gso_segs = 1},
	{"super-frame of no length, as a longer one", TO_B, .gso_size = 100, .gso_segs = 1,
	 .in = {TCP6, .next = 60, .ext = "0600010400000000", .payload = 100, .lie = -140}},

	{"unknown destination", .in = {.dst = MAC_UNKNOWN}, NOWHERE},
	{"to itself", .in = {.dst = MAC_A}, NOWHERE},
	{"to a MAC of zero", .in = {.dst = MAC_NONE}, NOWHERE},
	{"to a port that is gone", .in = {}, NOWHERE, .setup = b_is_gone},
	{"broadcast switched off", .in = {.dst = MAC_BROADCAST}, .drop = TSW_DROP_BROADCAST_OFF,
	 .setup = broadcast_off},
	{"to a group of a tenant that is gone", .in = {.dst = MAC_BROADCAST},
	 .drop = TSW_DROP_BROADCAST_OFF, .setup = no_tenant},
	{"device that is no port", .dev = STRANGE, .in = {}, .drop = TSW_DROP_UNKNOWN_PORT,
	 .tenant = NOBODY},
};

static const struct outer host2 = {FROM_HOST2};

static void in_namespace(bool other)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	assert_int_equal(netns_inode(&cfg.netns), 0);
	cfg.netns += other;
	lab_config_set(&cfg);
}

static void here(void)
{
	in_namespace(false);
}

static void elsewhere(void)
{
	in_namespace(true);
}

#define MARK_OF_RED 0x74500001
#define FROM_C .outer = &host2, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define FROM_WORLD .src = MAC_G, .dst = MAC_A, .from = IP_WORLD, .to = IP_A

/* A device that was moved to another namespace takes its program along: nothing of it is taken. */
static void moved_away(void **state)
{
	static const struct packet_case moved[] = {
		{"a port here", .in = {}, TO_B, .setup = here},
		{"a port elsewhere", .in = {}, .drop = TSW_DROP_UNKNOWN_PORT, .tenant = NOBODY,
		 .setup = elsewhere},
		{"the wire elsewhere", .program = FROM_WIRE, .in = {FROM_C}, .verdict = PASSED,
		 .setup = elsewhere},
		{"the kernel's tunnel elsewhere", .program = FROM_TUNNEL, .in = {},
		 .drop = TSW_DROP_INTERNAL, .tenant = NOBODY, .setup = elsewhere},
		{"the gateway's device elsewhere", .program = FROM_GATEWAY, .in = {FROM_WORLD},
		 .mark = MARK_OF_RED, .drop = TSW_DROP_NOT_STAMPED, .tenant = NOBODY,
		 .setup = elsewhere},
	};

	(void)state;
	if (!system_has_kfunc("bpf_cast_to_kern_ctx"))
		skip();
	for (size_t i = 0; i < COUNT(moved); i++)
		packet_check(&moved[i]);
}

/* No bit of the source MAC goes unread. */
static void every_bit_of_the_mac(void **state)
{
	for (int bit = 0; bit < 48; bit++) {
		__u8 mac[6];
		char text[32];
		struct packet_case c = {.name = text, .in = {.src = text}, SPOOFED_MAC};

		frame_mac(mac, MAC_A);
		mac[bit / 8] ^= 1 << bit % 8;
		snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
			 mac[2], mac[3], mac[4], mac[5]);
		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(every_bit_of_the_mac),
					  cmocka_unit_test(moved_away)};
	const struct packet_suite suite = {"guard", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
