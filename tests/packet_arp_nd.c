// SPDX-License-Identifier: GPL-2.0-only
/* ARP and neighbour discovery: guarded, and answered at the port. */
#include "packet.h"

#define ANSWERED_TO_A .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define SPOOFED_MAC .drop = TSW_DROP_SPOOFED_MAC
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
/* Not answered, but on to all others like any broadcast: there are none with no members. */
#define ASKED_OF_ALL .setup = no_members

/* What red's A asks for, and what it is told. */
#define ARP .kind = KIND_ARP
#define ARP_ANSWER .kind = KIND_ARP, .op = 2, .dst = MAC_A, .to = IP_A, .tha = MAC_A
#define ARP_OF_B                                       \
	&(const struct spec)                           \
	{                                              \
		ARP_ANSWER, .src = MAC_B, .from = IP_B \
	}

#define HEX_A "02000000000a"
#define HEX_B "02000000000b"
#define SOURCE_A "0101" HEX_A
#define SOURCE_B "0101" HEX_B
#define TARGET_A "0201" HEX_A
#define TARGET_B "0201" HEX_B
#define NONCE "0e01 112233445566"
#define ND .kind = KIND_ICMP, .ttl = 255, .from = IP6_A
#define NS                                                                    \
	ND, .icmp_type = 135, .rest = "00000000", .dst = "33:33:ff:00:00:02", \
	    .to = "ff02::1:ff00:2", .target = IP6_B
#define NA                                                                                     \
	ND, .icmp_type = 136, .rest = "20000000", .dst = "33:33:00:00:00:01", .to = "ff02::1", \
	    .target = IP6_A
#define RS ND, .icmp_type = 133, .rest = "00000000", .dst = "33:33:00:00:00:02", .to = "ff02::2"
#define RA                                                                                      \
	ND, .icmp_type = 134, .rest = "40000000 00000000 00000000", .dst = "33:33:00:00:00:01", \
	    .to = "ff02::1"
#define NA_ANSWER                                                                          \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "60000000", .dst = MAC_A, \
	.to = IP6_A
#define NA_OF_B                                                                           \
	&(const struct spec)                                                              \
	{                                                                                 \
		NA_ANSWER, .src = MAC_B, .from = IP6_B, .target = IP6_B, .tail = TARGET_B \
	}
/* To all nodes, not solicited: RFC 4861 section 7.2.4. */
#define DAD_ANSWER .dst = "33:33:00:00:00:01", .to = "ff02::1", .rest = "20000000"
#define HOP_BY_HOP "3a00010400000000"
#define FRAGMENT_FIRST "3a00000112345678"
#define AUTHENTICATION "3a04000012345678 00000001 000102030405060708090a0b"

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void broadcast_off(void)
{
	lab_tenant(RED, 0, 0);
}

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

/* Blue's addresses are somebody else's, so that an answer tells whose table it is from. */
static void blue_differs(void)
{
	lab_addr(BLUE, IP_B, MAC_D);
	lab_addr(BLUE, IP6_B, MAC_D);
	lab_addr(BLUE, "10.0.0.77", MAC_B);
	lab_clear(M_GROUPS);
}

static const struct packet_case arp_cases[] = {
	{"ARP for a neighbour", .in = {ARP}, ANSWERED_TO_A, .out = ARP_OF_B},
	{"ARP for a remote endpoint", .in = {ARP, .to = IP_C}, ANSWERED_TO_A,
	 .out = &(const struct spec){ARP_ANSWER, .src = MAC_C, .from = IP_C}},
	{"ARP to one MAC", .in = {ARP, .dst = MAC_B, .tha = MAC_B}, ANSWERED_TO_A, .out = ARP_OF_B},
	{"ARP padded by Ethernet", .in = {ARP, .payload = 18}, ANSWERED_TO_A,
	 .out = &(const struct spec){ARP_ANSWER, .src = MAC_B, .from = IP_B, .payload = 18}},
	{"ARP with a mark", .in = {ARP}, .mark = 3, ANSWERED_TO_A, .out = ARP_OF_B},
	{"ARP where broadcast is off", .in = {ARP}, ANSWERED_TO_A, .out = ARP_OF_B,
	 .setup = broadcast_off},
	{"ARP at a port with its peer elsewhere", .in = {ARP}, ANSWERED_TO_A, .to = 0,
	 .out = ARP_OF_B, .setup = a_has_peer},
	{"ARP of a port without addresses", .dev = RED_N, .in = {ARP, .src = MAC_N, .from = IP_N},
	 ANSWERED_TO_A, .to = RED_N,
	 .out = &(const struct spec){ARP_ANSWER, .src = MAC_B, .from = IP_B, .dst = MAC_N,
				     .tha = MAC_N, .to = IP_N}},
	{"red's ARP, blue differs", .in = {ARP}, ANSWERED_TO_A, .out = ARP_OF_B,
	 .setup = blue_differs},
	{"blue's ARP, blue differs", .dev = BLUE_A, .in = {ARP}, ANSWERED_TO_A, .to = BLUE_A,
	 .tenant = BLUE, .out = &(const struct spec){ARP_ANSWER, .src = MAC_D, .from = IP_B},
	 .setup = blue_differs},
	{"red's ARP for what blue has", .in = {ARP, .to = "10.0.0.77"}, .setup = blue_differs},
	{"probe for a neighbour's address", .in = {ARP, .from = "0.0.0.0"}, ANSWERED_TO_A,
	 .out = &(const struct spec){ARP_ANSWER, .src = MAC_B, .from = IP_B, .to = "0.0.0.0"}},
	{"probe for the own address", .in = {ARP, .from = "0.0.0.0", .to = IP_A}, ASKED_OF_ALL},
	{"announcement, as a request", .in = {ARP, .to = IP_A}, ASKED_OF_ALL},
	{"announcement, as a reply", .in = {ARP, .op = 2, .to = IP_A, .tha = MAC_A}, ASKED_OF_ALL},
	{"ARP for an address of nobody", .in = {ARP, .to = IP_UNKNOWN}, ASKED_OF_ALL},
	{"the same where broadcast is off", .in = {ARP, .to = IP_UNKNOWN},
	 .drop = TSW_DROP_BROADCAST_OFF, .setup = broadcast_off},
	{"reverse ARP in ARP's clothes", .in = {ARP, .op = 4, .dst = MAC_B}, TRUNCATED},
	{"ARP reply to a neighbour", .in = {ARP, .op = 2, .dst = MAC_B, .tha = MAC_B}, TO_B},

	{"ARP, foreign MAC in it", .in = {ARP, .sha = MAC_B}, SPOOFED_MAC},
	{"ARP, foreign MAC on it", .in = {ARP, .src = MAC_B, .sha = MAC_A}, SPOOFED_MAC},
	{"ARP, foreign address", .in = {ARP, .from = IP_B, .to = IP_C}, SPOOFED_IP},
	{"ARP, address of nobody", .in = {ARP, .from = IP_UNKNOWN}, SPOOFED_IP},
	{"announcement of a foreign address", .in = {ARP, .from = IP_B}, SPOOFED_IP},
	{"reply with a foreign address", .in = {ARP, .op = 2, .from = IP_B, .to = IP_C},
	 SPOOFED_IP},
	{"reply with a foreign MAC", .in = {ARP, .op = 2, .dst = MAC_B, .sha = MAC_C}, SPOOFED_MAC},
	{"reply from 0.0.0.0", .in = {ARP, .op = 2, .from = "0.0.0.0"}, SPOOFED_IP},
	{"no addresses: a neighbour's", .dev = RED_N, .in = {ARP, .src = MAC_N}, SPOOFED_IP},
	{"ARP cut off", .in = {ARP, .cut = 1}, TRUNCATED},
	{"ARP of other hardware", TRUNCATED,
	 .in = {.kind = KIND_RAW, .type = 0x0806, .rest = "0006 0800 0604 0001", .payload = 20}},
	{"ARP of another protocol", TRUNCATED,
	 .in = {.kind = KIND_RAW, .type = 0x0806, .rest = "0001 86dd 0604 0001", .payload = 20}},
	{"ARP of long MACs", TRUNCATED,
	 .in = {.kind = KIND_RAW, .type = 0x0806, .rest = "0001 0800 0804 0001", .payload = 20}},
	{"ARP of long addresses", TRUNCATED,
	 .in = {.kind = KIND_RAW, .type = 0x0806, .rest = "0001 0800 0610 0001", .payload = 20}},
};

static const struct packet_case nd_cases[] = {
	{"NS for a neighbour", .in = {NS, .tail = SOURCE_A}, ANSWERED_TO_A, .out = NA_OF_B},
	{"NS without options", .in = {NS}, ANSWERED_TO_A, .out = NA_OF_B},
	{"NS to one MAC", .in = {NS, .dst = MAC_B, .to = IP6_B}, ANSWERED_TO_A, .out = NA_OF_B},
	{"NS with a nonce", .in = {NS, .tail = SOURCE_A NONCE}, ANSWERED_TO_A, .out = NA_OF_B},
	{"NS, padded by Ethernet", .in = {NS, .payload = 7, .lie = -7}, ANSWERED_TO_A,
	 .out = NA_OF_B},
	{"NS, traffic class and flow label", .in = {NS, .tos = 0xc0, .flow = 5}, ANSWERED_TO_A,
	 .out = NA_OF_B},
	{"NS for a remote endpoint", .in = {NS, .target = IP6_C}, ANSWERED_TO_A,
	 .out = &(const struct spec){NA_ANSWER, .src = MAC_C, .from = IP6_C, .target = IP6_C,
				     .tail = "0201 02000000000c"}},
	{"NS for a link-local address", .in = {NS, .from = LL6_A, .target = LL6_B}, ANSWERED_TO_A,
	 .out = &(const struct spec){NA_ANSWER, .src = MAC_B, .from = LL6_B, .to = LL6_A,
				     .target = LL6_B, .tail = TARGET_B}},
	{"NS at a port with its peer elsewhere", .in = {NS}, ANSWERED_TO_A, .to = 0, .out = NA_OF_B,
	 .setup = a_has_peer},
	{"red's NS, blue differs", .in = {NS}, ANSWERED_TO_A, .out = NA_OF_B,
	 .setup = blue_differs},
	{"blue's NS, blue differs", .dev = BLUE_A, .in = {NS}, ANSWERED_TO_A, .to = BLUE_A,
	 .tenant = BLUE, .setup = blue_differs,
	 .out = &(const struct spec){NA_ANSWER, .src = MAC_D, .from = IP6_B, .target = IP6_B,
				     .tail = "0201 02000000000d"}},
	{"DAD for a neighbour's address", .in = {NS, .from = "::"}, ANSWERED_TO_A,
	 .out = &(const struct spec){NA_ANSWER, DAD_ANSWER, .src = MAC_B, .from = IP6_B,
				     .target = IP6_B, .tail = TARGET_B}},
	{"DAD for a neighbour's link-local", .in = {NS, .from = "::", .target = LL6_B},
	 ANSWERED_TO_A,
	 .out = &(const struct spec){NA_ANSWER, DAD_ANSWER, .src = MAC_B, .from = LL6_B,
				     .target = LL6_B, .tail = TARGET_B}},
	{"DAD for the own address", .in = {NS, .from = "::", .target = IP6_A}, ASKED_OF_ALL},
	{"DAD for the own link-local", .in = {NS, .from = "::", .target = LL6_A}, ASKED_OF_ALL},
	{"NS for an address of nobody", .in = {NS, .target = "fd00::99"}, ASKED_OF_ALL},
	{"NS for a link-local of nobody", .in = {NS, .target = "fe80::ff:fe00:ee"}, ASKED_OF_ALL},
	{"NA for the own address", .in = {NA, .tail = TARGET_A}, ASKED_OF_ALL},
	{"NA to a neighbour", .in = {NA, .dst = MAC_B, .to = IP6_B, .tail = TARGET_A}, TO_B},
	{"RS", .in = {RS, .tail = SOURCE_A}, ASKED_OF_ALL},
	{"RA", .in = {RA, .tail = SOURCE_A}, .drop = TSW_DROP_ROGUE_SERVER},
	{"echo request", .in = {ND, .icmp_type = 128, .rest = "00010001", .payload = 40}, TO_B},
	{"like an option, but an echo", .in = {ND, .icmp_type = 128, .rest = "00010001" SOURCE_B},
	 TO_B},

	{"NS, foreign source option", .in = {NS, .tail = SOURCE_B}, SPOOFED_MAC},
	{"NS, foreign second option", .in = {NS, .tail = SOURCE_A SOURCE_B}, SPOOFED_MAC},
	{"NS, foreign behind a nonce", .in = {NS, .tail = NONCE SOURCE_B}, SPOOFED_MAC},
	{"NS, foreign target option", .in = {NS, .tail = TARGET_B}, SPOOFED_MAC},
	{"NS, foreign behind a long option",
	 .in = {NS, .tail = "0e02 0000000000000000 000000000000" SOURCE_B}, SPOOFED_MAC},
	{"NS, foreign address", .in = {NS, .from = IP6_C, .tail = SOURCE_A}, SPOOFED_IP},
	{"NS, foreign MAC on it", .in = {NS, .src = MAC_C, .tail = SOURCE_A}, SPOOFED_MAC},
	{"NA, foreign target", .in = {NA, .target = IP6_B, .tail = TARGET_A}, SPOOFED_IP},
	{"NA, foreign link-local target", .in = {NA, .target = LL6_B, .tail = TARGET_A},
	 SPOOFED_IP},
	{"NA, target of nobody", .in = {NA, .target = "fd00::99", .tail = TARGET_A}, SPOOFED_IP},
	{"NA, foreign target option", .in = {NA, .tail = TARGET_B}, SPOOFED_MAC},
	{"no addresses: NA for a neighbour's", .dev = RED_N, SPOOFED_IP,
	 .in = {NA, .src = MAC_N, .from = IP6_N, .target = IP6_A}},
	{"redirect to a neighbour's MAC",
	 .in = {ND, .icmp_type = 137, .dst = MAC_B, .to = IP6_B, .rest = "00000000",
		.target = IP6_C, .tail = "00000000000000000000000000000000" TARGET_B},
	 SPOOFED_MAC},
	{"RS, foreign source option", .in = {RS, .tail = SOURCE_B}, SPOOFED_MAC},
	{"RA, foreign source option", .in = {RA, .tail = SOURCE_B}, SPOOFED_MAC},
	{"RA from a neighbour's link-local", .in = {RA, .from = LL6_B, .tail = SOURCE_A},
	 SPOOFED_IP},

	{"option of no length", .in = {NS, .tail = "0100 000000000000"}, TRUNCATED},
	{"eleven options",
	 .in = {NS, .tail = NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE SOURCE_A},
	 ANSWERED_TO_A, .out = NA_OF_B},
	{"foreign eleventh option",
	 .in = {NS, .tail = NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE SOURCE_B},
	 SPOOFED_MAC},
	{"as many options as are read",
	 .in = {NS,
		.tail = NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE SOURCE_A},
	 ANSWERED_TO_A, .out = NA_OF_B},
	{"NS from beyond a router", .in = {NS, .ttl = 64}, ASKED_OF_ALL},
	{"NS in an IPv4 packet",
	 .in = {.dst = MAC_B,
		.to = IP_B,
		.proto = 58,
		.kind = KIND_ICMP,
		.icmp_type = 135,
		.rest = "00000000",
		.target = IP6_B},
	 TO_B},
	{"NS for a mapped address", .in = {NS, .target = "::ffff:10.0.0.2"}, SPOOFED_IP},
	{"more options than are read",
	 .in = {NS, .tail = NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE NONCE
			    SOURCE_B},
	 TRUNCATED},
	{"NS cut off", .in = {NS, .lie = -1, .cut = 1}, TRUNCATED},
	{"NA cut off", .in = {NA, .lie = -9, .cut = 9}, TRUNCATED},
	{"ICMPv6 with no octets",
	 .in = {.from = IP6_A, .to = IP6_B, .proto = 58, .lie = -8, .cut = 8}, TRUNCATED},

	{"NS behind a hop-by-hop header", .in = {NS, .next = 0, .ext = HOP_BY_HOP}, ANSWERED_TO_A,
	 .out = NA_OF_B},
	{"foreign NS behind hop-by-hop", .in = {NS, .tail = SOURCE_B, .ext = HOP_BY_HOP},
	 SPOOFED_MAC},
	{"foreign NS behind destination options",
	 .in = {NS, .tail = SOURCE_B, .next = 60, .ext = HOP_BY_HOP}, SPOOFED_MAC},
	{"foreign NS behind routing", .in = {NS, .tail = SOURCE_B, .next = 43, .ext = HOP_BY_HOP},
	 SPOOFED_MAC},
	{"foreign NS behind authentication",
	 .in = {NS, .tail = SOURCE_B, .next = 51, .ext = AUTHENTICATION}, SPOOFED_MAC},
	{"foreign NS in a first fragment",
	 .in = {NS, .tail = SOURCE_B, .next = 44, .ext = FRAGMENT_FIRST}, SPOOFED_MAC},
	{"foreign NA behind two headers",
	 .in = {NA, .target = IP6_B, .next = 0, .ext = "3c00010400000000" HOP_BY_HOP}, SPOOFED_IP},
};

int main(void)
{
	static struct packet_case all[COUNT(arp_cases) + COUNT(nd_cases)];
	const struct packet_suite suite = {"arp_nd", all, COUNT(all), NULL, 0};

	for (size_t i = 0; i < COUNT(all); i++)
		all[i] = i < COUNT(arp_cases) ? arp_cases[i] : nd_cases[i - COUNT(arp_cases)];
	return packet_main(&suite);
}
