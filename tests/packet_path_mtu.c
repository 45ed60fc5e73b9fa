// SPDX-License-Identifier: GPL-2.0-only
/* ICMP errors about the path to other hosts: what anybody can forge does not get to the kernel. */
#include "packet.h"

#define TO_HOST .dst = MAC_WIRE, .src = MAC_HOST3
#define ERROR(type, code, quote) \
	.kind = KIND_ICMP, .icmp_type = type, .icmp_code = code, .rest = "00000044" quote
#define V4(quote) TO_HOST, .from = IP_STRANGER, .to = IP_WIRE, ERROR(3, 4, quote)
#define V6(quote) TO_HOST, .from = IP6_STRANGER, .to = IP6_WIRE, ERROR(2, 0, quote)

/* The packet that the error is about: an IPv4 or IPv6 header, and eight octets behind it. */
#define REST "c00012b5 05c80000"
#define QUOTE4(proto, src, dst) "450005dc 00004000 40" proto "0000" src dst REST
#define QUOTE6(proto, src, dst) "60000000 05b4" proto "40" src dst REST
#define UDP "11"
#define TCP "06"
#define GRE "2f"
#define US "c0000201"
#define HOST2_4 "c0000202"
#define HOST3_4 "c0000203"
#define NOBODY_4 "c0000242"
#define NET6 "20010db8 00000000 00000000 "
#define US6 NET6 "00000001"
#define HOST2_6 NET6 "00000002"
#define HOST4_6 NET6 "00000004"
#define NOBODY_6 NET6 "00000066"
#define ABOUT_US QUOTE4(UDP, US, HOST2_4)
#define ABOUT_US6 QUOTE6(UDP, US6, HOST4_6)

#define GENEVE4 "450005dc 00004000 4011 0000" US HOST2_4 "c00017c1 05c80000"
#define GENEVE6 "60000000 05b41140" US6 HOST4_6 "c00017c1 05b40000"

#define IN(...) .program = FROM_WIRE, .in = {__VA_ARGS__}
#define FORGED .drop = TSW_DROP_UNTRUSTED_MTU, .tenant = NOBODY
#define ITS_OWN .verdict = PASSED

#define HOP_BY_HOP "3a00010400000000"
#define OPTIONS4(rest) "3c00010400000000 3c00010400000000 3c00010400000000 " rest

/* The kernel forwards from the underlay: what is for others is theirs. */
static void forwards(void)
{
	lab_sysctl("ipv4/conf/wire/forwarding", "1");
	lab_sysctl("ipv6/conf/wire/forwarding", "1");
}

static void other_locals(void)
{
	lab_config_local("203.0.113.1");
	lab_config_local("2001:db8:3::1");
}

static const struct packet_case cases[] = {
	{"about VXLAN", IN(V4(ABOUT_US)), FORGED},
	{"about VXLAN, IPv6", IN(V6(ABOUT_US6)), FORGED},
	{"about GRE", IN(V4(QUOTE4(GRE, US, HOST2_4))), FORGED},
	{"about GRE, IPv6", IN(V6(QUOTE6(GRE, US6, HOST4_6))), FORGED},
	{"about Geneve", IN(V4(GENEVE4)), FORGED},
	{"about Geneve, IPv6", IN(V6(GENEVE6)), FORGED},
	{"about an echo request", IN(V4(QUOTE4("01", US, HOST3_4))), FORGED},
	{"about an echo request, IPv6", IN(V6(QUOTE6("3a", US6, HOST2_6))), FORGED},
	{"about extension headers", IN(V6(QUOTE6("00", US6, HOST2_6))), FORGED},
	{"from the host itself", IN(V4(ABOUT_US), .from = IP_HOST2), FORGED},
	{"to another address of this host", IN(V4(ABOUT_US), .to = "203.0.113.1"), FORGED},
	{"the same, IPv6", IN(V6(ABOUT_US6), .to = "2001:db8:3::1"), FORGED},
	{"to the VTEP, where it is another one", IN(V4(ABOUT_US)), FORGED, .setup = other_locals},
	{"from another source", IN(V4(QUOTE4(UDP, "0a000001", HOST2_4))), FORGED},
	{"the same, IPv6", IN(V6(QUOTE6(UDP, NOBODY_6, HOST4_6))), FORGED},
	{"behind options", IN(V4(ABOUT_US), .ext = "94040000 01010101"), FORGED},
	{"behind most options", FORGED,
	 IN(V4(ABOUT_US), .ext = "0101010101010101010101010101010101010101"
				 "0101010101010101010101010101010101010101")},
	{"behind hop-by-hop options", IN(V6(ABOUT_US6), .next = 0, .ext = HOP_BY_HOP), FORGED},
	{"behind three headers", FORGED,
	 IN(V6(ABOUT_US6), .next = 0, .ext = "2b00010400000000 3c00000000000000 3a00010400000000")},
	{"behind seven headers", FORGED,
	 IN(V6(ABOUT_US6), .next = 60, .ext = OPTIONS4(OPTIONS4("3a00010400000000")))},
	{"behind more than anybody sends", FORGED,
	 IN(V6(ABOUT_US6), .next = 60, .ext = OPTIONS4(OPTIONS4(OPTIONS4("3a00010400000000"))))},
	{"its first part", IN(V4(ABOUT_US), .frag = 0x2000), FORGED},
	{"its first part, which quotes nothing", FORGED, IN(V4(""), .frag = 0x2000)},
	{"its first part, which quotes TCP", FORGED,
	 IN(V4(QUOTE4(TCP, US, HOST2_4)), .frag = 0x2000)},
	{"its first part, IPv6", IN(V6(""), .next = 44, .ext = "3a00000112345678"), FORGED},
	{"its only part, IPv6", IN(V6(ABOUT_US6), .next = 44, .ext = "3a00000012345678"), FORGED},
	{"to all MACs", IN(V4(ABOUT_US), .dst = MAC_BROADCAST), FORGED},
	{"to a group of MACs, IPv6", IN(V6(ABOUT_US6), .dst = "33:33:00:00:00:01"), FORGED},
	{"where the host forwards", IN(V4(ABOUT_US)), FORGED, .setup = forwards},
	{"where the host forwards, IPv6", IN(V6(ABOUT_US6)), FORGED, .setup = forwards},

	{"about TCP", IN(V4(QUOTE4(TCP, US, HOST2_4))), ITS_OWN},
	{"about TCP, IPv6", IN(V6(QUOTE6(TCP, US6, HOST2_6))), ITS_OWN},
	{"about UDP to somebody else", IN(V4(QUOTE4(UDP, US, NOBODY_4))), ITS_OWN},
	{"about UDP to somebody else, IPv6", IN(V6(QUOTE6(UDP, US6, NOBODY_6))), ITS_OWN},
	{"another code", IN(V4(ABOUT_US), .icmp_code = 3), ITS_OWN},
	{"another type", IN(V4(ABOUT_US), .icmp_type = 11), ITS_OWN},
	{"another type, IPv6", IN(V6(ABOUT_US6), .icmp_type = 1), ITS_OWN},
	{"an echo request", IN(V4(ABOUT_US), .icmp_type = 8, .icmp_code = 0), ITS_OWN},
	{"an echo request, IPv6", IN(V6(ABOUT_US6), .icmp_type = 128), ITS_OWN},
	{"a later part", IN(V4(ABOUT_US), .frag = 0x0010), ITS_OWN},
	{"a later part, IPv6", IN(V6(ABOUT_US6), .next = 44, .ext = "3a00001012345678"), ITS_OWN},
	{"cut off in what it quotes", IN(V4(ABOUT_US), .cut = 9), ITS_OWN},
	{"cut off in what it quotes, IPv6", IN(V6(ABOUT_US6), .cut = 9), ITS_OWN},
	{"no error: the same octets as UDP", IN(V4(ABOUT_US), .proto = 17), ITS_OWN},
	{"to another MAC", IN(V4(ABOUT_US), .dst = MAC_HOST4), ITS_OWN},
	{"on its way to somebody else", IN(V4(ABOUT_US), .to = IP_HOST2), ITS_OWN,
	 .setup = forwards},
	{"on its way to somebody else, IPv6", IN(V6(ABOUT_US6), .to = IP6_HOST4), ITS_OWN,
	 .setup = forwards},
};

int main(void)
{
	const struct packet_suite suite = {"path_mtu", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
