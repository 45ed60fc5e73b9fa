// SPDX-License-Identifier: GPL-2.0-only
/* Who speaks as a DHCP server or a router, and may or may not. */
#include "packet.h"

static void a_is_server(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP | TSW_PORT_SERVER);
}

static void dhcp_on(void)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_clear(M_GROUPS);
}

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define ROGUE .drop = TSW_DROP_ROGUE_SERVER
#define SIX .from = IP6_A, .to = IP6_B
#define ND .kind = KIND_ICMP, .ttl = 255, .from = LL6_A, .to = LL6_B
#define RA ND, .icmp_type = 134, .rest = "40000000 00000000 00000000"
#define REDIRECT_ND ND, .icmp_type = 137, .rest = "00000000", .target = IP6_B
#define SERVICE_ANSWER                                                                           \
	&(const struct spec)                                                                     \
	{                                                                                        \
		.kind = KIND_ARP, .op = 2, .src = "02:74:73:77:a9:fd", .dst = MAC_A, .to = IP_A, \
		.from = "169.254.169.253", .tha = MAC_A                                          \
	}

static const struct packet_case cases[] = {
	{"to a client of DHCP", .in = {.dport = 68}, ROGUE},
	{"to a client, from a server's port", .in = {.sport = 67, .dport = 68}, ROGUE},
	{"to all clients", .in = {.dport = 68, .dst = MAC_BROADCAST, .to = "255.255.255.255"},
	 ROGUE},
	{"to a client, with IPv4 options", .in = {.dport = 68, .ext = "94040000"}, ROGUE},
	{"to a client, a first fragment", .in = {.dport = 68, .frag = 0x2000, .payload = 64},
	 ROGUE},
	{"to a client of DHCPv6", .in = {SIX, .dport = 546}, ROGUE},
	{"the same behind extension headers", .in = {SIX, .dport = 546, .ext = "1100010400000000"},
	 ROGUE},
	{"a router's advertisement", .in = {RA}, ROGUE},
	{"a router's redirect", .in = {REDIRECT_ND}, ROGUE},
	{"a server: to a client of DHCP", .in = {.dport = 68}, TO_B, .setup = a_is_server},
	{"a server: to a client of DHCPv6", .in = {SIX, .dport = 546}, TO_B, .setup = a_is_server},
	{"a server: a router's advertisement", .in = {RA}, TO_B, .setup = a_is_server},
	{"IPv6 to 68", .in = {SIX, .dport = 68}, TO_B},
	{"IPv4 to 546", .in = {.dport = 546}, TO_B},
	{"TCP to 68", .in = {.kind = KIND_TCP, .dport = 68}, TO_B},
	{"from 68 to a neighbour", .in = {.sport = 68}, TO_B},
	{"ARP for who answers", .in = {.kind = KIND_ARP, .to = "169.254.169.253"},
	 .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .out = SERVICE_ANSWER,
	 .setup = dhcp_on},
	{"the same where nobody does", .in = {.kind = KIND_ARP, .to = "169.254.169.253"},
	 .setup = no_members},
};

int main(void)
{
	const struct packet_suite suite = {"rogue", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
