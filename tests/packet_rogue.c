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

static void dns_on(void)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
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
#define NS_OF_SERVICE                                                                      \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 135, .rest = "00000000", .src = MAC_A, \
	.dst = "33:33:ff:00:02:53", .to = "ff02::1:ff00:253", .target = IP6_SERVICE
#define NA_OF_SERVICE                                                                            \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "60000000", .src = MAC_SERVICE, \
	.from = IP6_SERVICE, .dst = MAC_A, .target = IP6_SERVICE, .tail = "0201 02747377a9fd"
#define SERVICE_ANSWER                                                                   \
	&(const struct spec)                                                             \
	{                                                                                \
		.kind = KIND_ARP, .op = 2, .src = MAC_SERVICE, .dst = MAC_A, .to = IP_A, \
		.from = IP_SERVICE, .tha = MAC_A                                         \
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
	{"ARP for who answers", .in = {.kind = KIND_ARP, .to = IP_SERVICE}, .verdict = REDIRECTED,
	 .to = RED_A, .moves = MOVE(ANSWERED), .out = SERVICE_ANSWER, .setup = dhcp_on},
	{"the same where nobody does", .in = {.kind = KIND_ARP, .to = IP_SERVICE},
	 .setup = no_members},
	{"the same by IPv6", .in = {NS_OF_SERVICE, .from = LL6_A}, .verdict = REDIRECTED,
	 .to = RED_A, .moves = MOVE(ANSWERED), .setup = dns_on,
	 .out = &(const struct spec){NA_OF_SERVICE, .to = LL6_A}},
	{"the same before it has an address", .in = {NS_OF_SERVICE, .from = "::"},
	 .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .setup = dhcp_on,
	 .out = &(const struct spec){NA_OF_SERVICE, .to = "ff02::1", .dst = "33:33:00:00:00:01",
				     .rest = "20000000"}},
	{"the same where nobody answers", .in = {NS_OF_SERVICE, .from = LL6_A},
	 .setup = no_members},
	{"one that speaks as it",
	 .in = {ND, .icmp_type = 136, .rest = "20000000", .target = IP6_SERVICE, .src = MAC_N,
		.from = LL6_N},
	 .dev = RED_N, .drop = TSW_DROP_SPOOFED_IP},
	{"as that of IPv4", .in = {.kind = KIND_ARP, .op = 2, .src = MAC_N, .from = IP_SERVICE},
	 .dev = RED_N, .drop = TSW_DROP_SPOOFED_IP},
};

int main(void)
{
	const struct packet_suite suite = {"rogue", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
