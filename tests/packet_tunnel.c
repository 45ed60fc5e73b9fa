// SPDX-License-Identifier: GPL-2.0-only
/* Out to other hosts: the encapsulated frame, octet for octet. */
#include <arpa/inet.h>

#include "packet.h"

static const struct outer to_host2 = {};
static const struct outer to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
static const struct outer to_silent = {.to = IP_SILENT};
static const struct outer blue_to_host3 = {.to = IP_HOST3, .vni = BLUE};
static const struct outer dscp_46 = {.tos = 0xb8};
static const struct outer ect1 = {.tos = 1}, ect0 = {.tos = 2}, ce = {.tos = 3};
static const struct outer all_tos = {.tos = 0xff};
static const struct outer long_vni = {.vni = 0xabcdef};
static const struct outer last_vni = {.vni = 0xffffff};
static const struct outer other_port = {.dport = 8472};
static const struct outer other_local = {.from = "192.0.2.77"};

/* A frame that goes out as it is behind an outer header. */
#define SENT(header, ...)                                                                  \
	.in = {__VA_ARGS__}, .out = &(const struct spec){__VA_ARGS__, .outer = &(header)}, \
	.verdict = REDIRECTED, .moves = MOVE(TX), .host = HOST2
#define V4 .dst = MAC_C, .to = IP_C
#define V6 .dst = MAC_C, .from = IP6_A, .to = IP6_C
#define NO_ROUTE .drop = TSW_DROP_NO_ROUTE
#define BY_KERNEL .verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(SLOW_TX), .host = HOST2

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void vni_of_three_octets(void)
{
	lab_port(RED_A, 0xabcdef, MAC_A, 0);
	lab_tenant(0xabcdef, 0, 0);
	lab_fdb(0xabcdef, MAC_C, TSW_PLACE_HOST, HOST2);
}

static void vni_of_ones(void)
{
	lab_port(RED_A, 0xffffff, MAC_A, 0);
	lab_tenant(0xffffff, 0, 0);
	lab_fdb(0xffffff, MAC_C, TSW_PLACE_HOST, HOST2);
}

static void port_8472(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.port = htons(8472);
	lab_config_set(&cfg);
}

static void local_77(void)
{
	lab_config_local("192.0.2.77");
}

static void underlay_elsewhere(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.underlay[0].ifindex = STRANGE;
	lab_config_set(&cfg);
}

static void underlay_gone(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.underlay[0].ifindex = 0;
	lab_config_set(&cfg);
}

static const struct packet_case cases[] = {
	{"UDP over IPv4", SENT(to_host2, V4, .payload = 100)},
	{"UDP over IPv4, an odd length", SENT(to_host2, V4, .payload = 33)},
	{"UDP over IPv6", SENT(to_host2, V6, .payload = 100, .flow = 0x54321)},
	{"TCP over IPv4", SENT(to_host2, V4, .kind = KIND_TCP, .payload = 7)},
	{"TCP over IPv6", SENT(to_host2, V6, .kind = KIND_TCP, .payload = 7)},
	{"ICMP", SENT(to_host2, V4, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00010001")},
	{"ICMPv6", SENT(to_host2, V6, .kind = KIND_ICMP, .icmp_type = 128, .rest = "00010001")},
	{"IPv4 options", SENT(to_host2, V4, .ext = "94040000", .payload = 20)},
	{"IPv6 extension headers", SENT(to_host2, V6, .ext = "1100010400000000", .payload = 20)},
	{"first IPv4 fragment", SENT(to_host2, V4, .frag = 0x2000, .id = 7, .payload = 64)},
	{"later IPv4 fragment", SENT(to_host2, V4, .frag = 0x0008, .id = 7, .payload = 64)},
	{"IPv6 fragment", SENT(to_host2, V6, .next = 44, .ext = "1100000912345678")},
	{"another upper protocol", SENT(to_host2, V4, .proto = 132, .payload = 40)},
	{"inner DF and TTL are not the outer's", SENT(to_host2, V4, .frag = 0x4000, .ttl = 1)},
	{"a full frame", SENT(to_host2, V4, .payload = INNER_MTU - 28)},
	{"ARP reply", SENT(to_host2, .kind = KIND_ARP, .op = 2, .dst = MAC_C, .to = IP_C)},
	{"not IP", SENT(to_host2, .kind = KIND_RAW, .type = 0x88b5, .dst = MAC_C, .payload = 61)},
	{"ARP reply to host 3", SENT(to_host3, .kind = KIND_ARP, .op = 2, .dst = MAC_D, .to = IP_D),
	 .host = HOST3},
	{"to host 3", SENT(to_host3, .dst = MAC_D, .to = IP_D), .host = HOST3},
	{"a mark from the container is removed", SENT(to_host2, V4), .mark = 9},

	{"DSCP of IPv4", SENT(dscp_46, V4, .tos = 0xb8)},
	{"DSCP of IPv6", SENT(dscp_46, V6, .tos = 0xb8, .flow = 0xfffff)},
	{"all bits of IPv4's TOS", SENT(all_tos, V4, .tos = 0xff)},
	{"all bits of IPv6's traffic class", SENT(all_tos, V6, .tos = 0xff)},
	{"ECT(1) of IPv4", SENT(ect1, V4, .tos = 1)},
	{"ECT(0) of IPv4", SENT(ect0, V4, .tos = 2)},
	{"CE of IPv4", SENT(ce, V4, .tos = 3)},
	{"ECT(1) of IPv6", SENT(ect1, V6, .tos = 1)},
	{"ECT(0) of IPv6", SENT(ect0, V6, .tos = 2)},
	{"CE of IPv6", SENT(ce, V6, .tos = 3)},

	{"blue's C is on host 3", .dev = BLUE_A, SENT(blue_to_host3, V4), .host = HOST3,
	 .tenant = BLUE},
	{"a VNI of three octets", SENT(long_vni, V4), .moves = 0, .setup = vni_of_three_octets},
	{"the last VNI", SENT(last_vni, V4), .moves = 0, .setup = vni_of_ones},
	{"another port", SENT(other_port, V4), .setup = port_8472},
	{"another local address", SENT(other_local, V4), .setup = local_77},

	{"neighbour not known yet", SENT(to_silent, .dst = MAC_ON_SILENT), .host = HOST_SILENT},
	{"not IP, neighbour not known yet", NO_ROUTE,
	 .in = {.kind = KIND_RAW, .type = 0x88b5, .dst = MAC_ON_SILENT}},
	{"no route", .in = {.dst = MAC_ON_NO_ROUTE}, NO_ROUTE},
	{"not IP, no route", .in = {.dst = MAC_ON_NO_ROUTE, .kind = KIND_RAW, .type = 0x88b5},
	 NO_ROUTE},
	{"the route leads elsewhere", .in = {V4}, NO_ROUTE, .setup = underlay_elsewhere},
	{"no underlay", .in = {V4}, NO_ROUTE, .setup = underlay_gone},
	{"host that is gone", .in = {.dst = MAC_ON_GONE}, .drop = TSW_DROP_UNKNOWN_DESTINATION},

	{"ARP reply by the kernel's device", BY_KERNEL, .setup = slow_path,
	 .in = {.kind = KIND_ARP, .op = 2, .dst = MAC_C, .to = IP_C}},
	{"not IP by the kernel's device", BY_KERNEL, .setup = slow_path, .mark = 5,
	 .in = {.kind = KIND_RAW, .type = 0x88b5, .dst = MAC_C}},
	{"the same to a silent host", BY_KERNEL, .host = HOST_SILENT, .setup = slow_path,
	 .in = {.kind = KIND_RAW, .type = 0x88b5, .dst = MAC_ON_SILENT}},
	{"IP is fast where the device is there", SENT(to_host2, V4), .setup = slow_path},
};

int main(void)
{
	const struct packet_suite suite = {"tunnel", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
