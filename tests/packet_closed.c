// SPDX-License-Identifier: GPL-2.0-only
/* From a port to what is closed to tenants, by default or by the operator. */
#include <string.h>

#include "packet.h"

#define OF_RED 0x74500001 /* a class over an index, see abi.h */

#define TO_G .dst = MAC_G, .to = IP_WORLD
#define TO_G6 .dst = MAC_G, .from = IP6_A, .to = IP6_WORLD
#define ENTERS .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark_out = OF_RED
#define HOST_ADDRESS .drop = TSW_DROP_HOST_ADDRESS

static void metadata_on(void)
{
	lab_gateway_flags(RED, TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL | TSW_GATEWAY_METADATA);
}

static void closed_network(const char *ip, __u32 len, __u32 why)
{
	struct tsw_closed_key key = {.len = len};

	frame_ip((__u8 *)&key.addr, ip);
	lab_set(M_CLOSED, &key, &why);
}

/* The world's networks, 203.0.113.0/24 and that of IPv6. */
static void world_closed(void)
{
	closed_network("203.0.113.0", 96 + 24, TSW_CLOSED_ASKED);
	closed_network("2001:db8:77::", 48, TSW_CLOSED_ASKED);
}

static void nothing_closed(void)
{
	lab_clear(M_CLOSED);
}

static const struct packet_case cases[] = {
	{"to Alibaba's metadata", .in = {TO_G, .to = "100.100.100.200"}, HOST_ADDRESS},
	{"to Azure's", .in = {TO_G, .to = "168.63.129.16"}, HOST_ADDRESS},
	{"to Oracle's", .in = {TO_G, .to = "192.0.0.192"}, HOST_ADDRESS},
	{"to Amazon's, IPv6", .in = {TO_G6, .to = "fd00:ec2::254"}, HOST_ADDRESS},
	{"to Google's, IPv6", .in = {TO_G6, .to = "fd20:ce::254"}, HOST_ADDRESS},
	{"to Oracle's, IPv6", .in = {TO_G6, .to = "fd00:c1::a9fe:a9fe"}, HOST_ADDRESS},
	{"to an address beside Alibaba's", .in = {TO_G, .to = "100.100.100.201"}, ENTERS},
	{"to an address beside Amazon's", .in = {TO_G6, .to = "fd00:ec2::255"}, ENTERS},
	{"to Alibaba's, metadata on", .in = {TO_G, .to = "100.100.100.200"}, ENTERS,
	 .setup = metadata_on},
	{"to Amazon's, IPv6, metadata on", .in = {TO_G6, .to = "fd00:ec2::254"}, ENTERS,
	 .setup = metadata_on},
	{"to IPv4's link-local, metadata on", .in = {TO_G, .to = "169.254.169.254"}, HOST_ADDRESS,
	 .setup = metadata_on},
	{"to Akamai's, IPv6", .in = {TO_G6, .to = "fd00:a9fe:a9fe::1"}, HOST_ADDRESS},
	{"to Scaleway's, IPv6", .in = {TO_G6, .to = "fd00:42::42"}, HOST_ADDRESS},
	{"to Alibaba's, later fragment", HOST_ADDRESS,
	 .in = {TO_G, .to = "100.100.100.200", .frag = 0x0010}},
	{"to Alibaba's, an ICMP error", HOST_ADDRESS,
	 .in = {TO_G, .to = "100.100.100.200", .kind = KIND_ICMP, .icmp_type = 3,
		.rest = "00000000"}},
	{"to Alibaba's, IPv4-mapped", .in = {TO_G6, .to = "::ffff:100.100.100.200"}, HOST_ADDRESS},
	{"to Amazon's, IPv4 in IPv6", .in = {TO_G6, .to = "fd00:ec2::254", .proto = 4},
	 HOST_ADDRESS},
	{"to Amazon's, behind a header", HOST_ADDRESS,
	 .in = {TO_G6, .to = "fd00:ec2::254", .next = 60, .ext = "1100010400000000"}},
	{"to Azure's, nothing closed", .in = {TO_G, .to = "168.63.129.16"}, ENTERS,
	 .setup = nothing_closed},
	{"to link-local, nothing closed", .in = {TO_G, .to = "169.254.169.254"}, HOST_ADDRESS,
	 .setup = nothing_closed},
	{"to a network that is closed", .in = {TO_G}, HOST_ADDRESS, .setup = world_closed},
	{"to a network that is closed, IPv6", .in = {TO_G6}, HOST_ADDRESS, .setup = world_closed},
	{"beside it", .in = {TO_G, .to = "203.0.112.255"}, ENTERS, .setup = world_closed},
};

int main(void)
{
	const struct packet_suite suite = {"closed", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
