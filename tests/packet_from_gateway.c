// SPDX-License-Identifier: GPL-2.0-only
/* From the router back to a tenant, by the mark in the sealed header. */
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "packet.h"

/* Marks: a class over red's index. */
#define TENANT 0x74500001
#define BOUNCE 0x74510001
#define VOICE 0x74530001
#define HELD 0x74540001
#define SELF 0x74550001

/* What the kernel writes on a frame to the one neighbour of its device, if it is not sealed. */
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define G_TO_A .src = MAC_G, .dst = MAC_A
#define G_TO_C .src = MAC_G, .dst = MAC_C
#define G_TO_G .src = MAC_G, .dst = MAC_G
#define V4 .from = IP_WORLD, .to = IP_A
#define V6 .from = IP6_WORLD, .to = IP6_A
#define TO_C .from = IP_WORLD, .to = IP_C
#define TO_C6 .from = IP6_WORLD, .to = IP6_C
#define OUTWARD .from = IP_A, .to = IP_WORLD
#define OUTWARD6 .from = IP6_A, .to = IP6_WORLD
#define IN(...) .program = FROM_GATEWAY, .in = {DOOR, __VA_ARGS__}

#define TO_A(...)                                                                       \
	IN(__VA_ARGS__), .out = &(const struct spec){G_TO_A, __VA_ARGS__}, .to = RED_A, \
			 .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .mark = TENANT
#define SENT(macs, ...)                                                                           \
	IN(__VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(GATEWAY), .host = HOST2, \
			 .mark = TENANT, .out = &(const struct spec)                              \
	{                                                                                         \
		.outer = &to_host2, macs, __VA_ARGS__                                             \
	}
#define NOT_STAMPED .drop = TSW_DROP_NOT_STAMPED, .tenant = NOBODY
#define FORGED .drop = TSW_DROP_NOT_STAMPED
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define NO_GATEWAY .drop = TSW_DROP_NO_GATEWAY
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50
#define TOLD                                                                                      \
	.verdict = REDIRECTED, .moves = MOVE(ANSWERED), .drop = TSW_DROP_TOO_BIG, .mark = TENANT, \
	.mark_out = TENANT

/* An ICMP error of this host's own, which must not show its address. */
#define IP_OWN "192.0.2.1"
#define IP6_OWN "2001:db8::1"
#define EXPIRED .kind = KIND_ICMP, .icmp_type = 11, .rest = "00000000", .payload = 64
#define EXPIRED6 .kind = KIND_ICMP, .icmp_type = 3, .rest = "00000000", .payload = 64
#define HEARD(from_there, from_g, ...)                                                           \
	IN(from_there, __VA_ARGS__), .verdict = REDIRECTED, .moves = MOVE(GATEWAY), .to = RED_A, \
				     .mark = VOICE, .out = &(const struct spec)                  \
	{                                                                                        \
		G_TO_A, from_g, __VA_ARGS__                                                      \
	}

static const struct outer to_host2 = {}, to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
static const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4};
static const struct outer dscp_46 = {.tos = 0xb8};

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, 0, 100);
}

static void at_host3(void)
{
	lab_gateway(RED, HOST3, 0, 0);
}

static void at_host4(void)
{
	lab_gateway(RED, HOST4, 0, 100);
}

static void at_a_host_that_is_gone(void)
{
	lab_gateway(RED, HOST_GONE, 0, 100);
}

static void no_record(void)
{
	lab_gateway_unset(RED);
}

static void blue_alone_has_it(void)
{
	lab_addr(BLUE, IP_WORLD, MAC_B);
	lab_addr(BLUE, IP6_WORLD, MAC_B);
}

static void a_has_no_fdb_entry(void)
{
	lab_fdb_unset(RED, MAC_A);
}

static void a_is_blues_port(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, BLUE_A);
}

/* Its number is that of a host. */
static void a_is_like_a_host(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, HOST3);
}

static void a_is_a_gateway(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_GATEWAY, RED_A);
}

static void a_is_gone(void)
{
	__u32 port = RED_A;

	lab_unset(M_PORTS, &port);
}

static void a_has_no_device(void)
{
	__u32 port = RED_A;

	lab_unset(M_DEVICES, &port);
}

static void index_is_a_peering(void)
{
	lab_mark(1, RED, BLUE);
}

static void index_is_a_peering_and_at_host2(void)
{
	index_is_a_peering();
	at_host2();
}

static void index_is_blues_peering(void)
{
	lab_mark(1, BLUE, RED);
}

static void index_is_a_peering_of_a_tenant_gone(void)
{
	lab_mark(1, 300, RED);
}

static void index_is_nobodys(void)
{
	__u32 index = 1;

	lab_unset(M_MARKS, &index);
}

static void index_is_of_a_tenant_gone(void)
{
	lab_mark(1, 300, 0);
}

static void last_index(void)
{
	lab_mark(TSW_GATEWAY_MAX, RED, 0);
}

/* Of the other family first, and then two. */
static void more_addresses(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.n_addrs = 3;
	gw.addr[2] = gw.addr[0];
	gw.addr[0] = gw.addr[1];
	frame_ip((__u8 *)&gw.addr[1].addr, IP_G);
	frame_ip((__u8 *)&gw.addr[2].addr, "10.0.9.9");
	lab_gateway_set(RED, &gw);
}

static void no_address(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.n_addrs = 0;
	lab_gateway_set(RED, &gw);
}

static void mtu_1000(void)
{
	lab_tenant(RED, 1000, 0);
}

static void mtu_1300(void)
{
	lab_tenant(RED, 1300, 0);
}

static void blue_mtu_1000(void)
{
	lab_tenant(BLUE, 1000, 0);
}

static void tsw_gw_is_gone(void)
{
	const __u32 door = GW;

	lab_unset(M_DEVICES, &door);
}

static void mtu_1000_tsw_gw_is_gone(void)
{
	mtu_1000();
	tsw_gw_is_gone();
}

static void ipv6_alone(void)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	gw.n_addrs = 1;
	gw.addr[0] = gw.addr[1];
	lab_gateway_set(RED, &gw);
}

static void here_alone(void)
{
	lab_gateway(RED, 0, 0, 0);
}

/* The answer goes where an endpoint's frame would come from: into the host's routing. */
static void told(const struct frame *in, struct frame *out, const char *mac, __u16 mtu)
{
	struct frame f = *in;

	frame_mac(f.b, mac);
	frame_mac(f.b + 6, MAC_G);
	if (f.b[12] == 0x86)
		answer_too_big6(&f, out, mtu);
	else
		answer_too_big4(&f, out, mtu);
}

static void told_of_c(const struct frame *in, struct frame *out)
{
	told(in, out, MAC_C, INNER_MTU);
}

static void told_of_e(const struct frame *in, struct frame *out)
{
	told(in, out, MAC_E, INNER_MTU_V6);
}

static void told_1000_of_a(const struct frame *in, struct frame *out)
{
	told(in, out, MAC_A, 1000);
}

static void told_1300_of_a(const struct frame *in, struct frame *out)
{
	told(in, out, MAC_A, 1300);
}

static const struct packet_case cases[] = {
	{"to a port", TO_A(V4)},
	{"to a port, IPv6", TO_A(V6)},
	{"to a port, TCP", TO_A(V4, .kind = KIND_TCP, .payload = 100)},
	{"to a port, a checksum that is left", TO_A(V6, .kind = KIND_TCP, .left = true)},
	{"to a port, later fragment", TO_A(V4, .frag = 0x0010)},
	{"to a port, options", TO_A(V4, .ext = "94040000")},
	{"to a port, last hop", TO_A(V4, .ttl = 1)},
	{"to a port, a long frame", TO_A(V4, .payload = 3000)},
	{"to a port, a super-frame", TO_A(V4, .kind = KIND_TCP, .payload = 2000), .gso_size = 500,
	 .gso_segs = 4, .size = {4, 2066 + 3 * 66}},
	{"to a port, link-local of the endpoint", TO_A(V6, .to = LL6_A)},
	{"to a port with its peer elsewhere", TO_A(V4), .setup = a_has_peer},
	{"to a port, the gateway being elsewhere", TO_A(V4), .setup = at_host3},
	{"to a port, no way in", TO_A(V4), .setup = lab_no_door},
	{"the last index", TO_A(V4), .mark = 0x7450ffff, .setup = last_index},
	{"blue's", TO_A(V4), .to = BLUE_A, .mark = 0x74500002, .tenant = BLUE},
	{"green's", TO_A(V4), .to = GREEN_A, .mark = 0x74500003, .tenant = GREEN},
	{"large's", TO_A(V6), .to = LARGE_A, .mark = 0x74500004, .tenant = LARGE},
	{"violet's", TO_A(V4), .to = VIOLET_A, .mark = 0x74500005, .tenant = VIOLET},
	{"from a neighbour's address, forged outside", IN(V4, .from = IP_B, .to = IP_A),
	 .mark = TENANT, .drop = TSW_DROP_SPOOFED_IP},

	{"to host 2", SENT(G_TO_C, TO_C)},
	{"to host 2, IPv6", SENT(G_TO_C, TO_C6, .payload = 33)},
	{"to host 2, a full frame", SENT(G_TO_C, TO_C, .payload = INNER_MTU - 28)},
	{"to nobody", IN(V4, .to = IP_UNKNOWN), .mark = TENANT, NOWHERE},
	{"to what blue alone has", IN(V4, .from = IP_UNKNOWN, .to = IP_WORLD), .mark = TENANT,
	 NOWHERE, .setup = blue_alone_has_it},
	{"the same, IPv6", IN(V6, .to = IP6_WORLD), .mark = TENANT, NOWHERE,
	 .setup = blue_alone_has_it},
	{"to an endpoint without addresses", IN(V4, .to = IP_N), .mark = TENANT, NOWHERE},
	{"to the gateway itself", IN(V4, .to = IP_G), .mark = TENANT, NOWHERE},
	{"to its link-local address", IN(V6, .to = LL6_G), .mark = TENANT, NOWHERE},
	{"to a group", IN(V4, .to = "224.0.0.1"), .mark = TENANT, NOWHERE},
	{"to all", IN(V4, .to = "255.255.255.255"), .mark = TENANT, NOWHERE},
	{"to a MAC of nobody", IN(V4), .mark = TENANT, NOWHERE, .setup = a_has_no_fdb_entry},
	{"to a port of blue's", IN(V4), .mark = TENANT, NOWHERE, .setup = a_is_blues_port},
	{"to a gateway numbered like a port", IN(V4), .mark = TENANT, NOWHERE,
	 .setup = a_is_a_gateway},
	{"to a port that is gone", IN(V4), .mark = TENANT, NOWHERE, .setup = a_is_gone},
	{"to a device that is gone", IN(V4), .mark = TENANT, .drop = TSW_DROP_DEVICE_GONE,
	 .setup = a_has_no_device},
	{"no record", IN(V4), .mark = TENANT, NO_GATEWAY, .setup = no_record},
	{"not IP", IN(RAW), .mark = TENANT, NOWHERE},
	{"ARP", IN(.kind = KIND_ARP), .mark = TENANT, NOWHERE},
	{"half a header", IN(.kind = KIND_RAW, .type = 0x0800, .rest = "44", .payload = 40),
	 .mark = TENANT, .drop = TSW_DROP_TRUNCATED},
	{"a VLAN tag", IN(V4, .type = 0x8100), .mark = TENANT, .drop = TSW_DROP_VLAN_TAGGED},

	{"no mark", IN(V4), NOT_STAMPED},
	{"no mark, IPv6", IN(V6), NOT_STAMPED},
	{"no mark, ARP", IN(.kind = KIND_ARP), NOT_STAMPED},
	{"no class", IN(V4), .mark = 1, NOT_STAMPED},
	{"no index", IN(V4), .mark = 0x74500000, NOT_STAMPED},
	{"an index of nobody", IN(V4), .mark = 0x74500006, NOT_STAMPED},
	{"an index that was red's", IN(V4), .mark = TENANT, NOT_STAMPED, .setup = index_is_nobodys},
	{"an index above all", IN(V4), .mark = 0x7450ffff, NOT_STAMPED},
	{"an index of a tenant that is gone", IN(V4), .mark = TENANT, NO_GATEWAY, .tenant = NOBODY,
	 .setup = index_is_of_a_tenant_gone},
	{"a peering's index", TO_A(V4), .setup = index_is_a_peering},
	{"a peering's index, to a host", SENT(G_TO_C, TO_C), .setup = index_is_a_peering},
	{"a peering's index, of blue's", TO_A(V4), .to = BLUE_A, .tenant = BLUE,
	 .setup = index_is_blues_peering},
	{"a peering's index, an error", HEARD(.from = IP_OWN, .from = IP_G, .to = IP_A, EXPIRED),
	 .setup = index_is_a_peering},
	{"a peering's index, bounced", SENT(G_TO_G, OUTWARD), .mark = BOUNCE,
	 .setup = index_is_a_peering_and_at_host2},
	{"a peering's index, of a tenant that is gone", IN(V4), .mark = TENANT, NO_GATEWAY,
	 .tenant = NOBODY, .setup = index_is_a_peering_of_a_tenant_gone},
	{"a class that is no more", IN(OUTWARD), .mark = 0x74520001, NOT_STAMPED,
	 .setup = at_host2},
	{"a mark of the way in", IN(V4), .mark = HELD, NOT_STAMPED},
	{"another of the way in", IN(V4), .mark = SELF, NOT_STAMPED},
	{"a class above all", IN(V4), .mark = 0x74560001, NOT_STAMPED},
	{"a class below all", IN(V4), .mark = 0x744f0001, NOT_STAMPED},
	{"the tunnel's mark", IN(V4), .mark = TUNNEL_MARK, NOT_STAMPED},
	{"an error of this host's", HEARD(.from = IP_OWN, .from = IP_G, .to = IP_A, EXPIRED)},
	{"the same, an odd length",
	 HEARD(.from = IP_OWN, .from = IP_G, .to = IP_A, EXPIRED, .payload = 31)},
	{"the same, options",
	 HEARD(.from = IP_OWN, .from = IP_G, .to = IP_A, EXPIRED, .ext = "94040000")},
	{"the same, IPv6", HEARD(.from = IP6_OWN, .from = IP6_G, .to = IP6_A, EXPIRED6)},
	{"the same, IPv6, an odd length",
	 HEARD(.from = IP6_OWN, .from = IP6_G, .to = IP6_A, EXPIRED6, .payload = 1)},
	{"in the first address of its family",
	 HEARD(.from = IP_OWN, .from = IP_G, .to = IP_A, EXPIRED), .setup = more_addresses},
	{"the same, IPv6", HEARD(.from = IP6_OWN, .from = IP6_G, .to = IP6_A, EXPIRED6),
	 .setup = more_addresses},
	{"an error, no address to speak from", IN(.from = IP_OWN, .to = IP_A, EXPIRED),
	 .mark = VOICE, NO_GATEWAY, .setup = no_address},
	{"an error, no address of its family", IN(.from = IP_OWN, .to = IP_A, EXPIRED),
	 .mark = VOICE, NO_GATEWAY, .setup = ipv6_alone},
	{"the same, IPv6", HEARD(.from = IP6_OWN, .from = IP6_G, .to = IP6_A, EXPIRED6),
	 .setup = ipv6_alone},
	{"an error, no record", IN(.from = IP_OWN, .to = IP_A, EXPIRED), .mark = VOICE, NO_GATEWAY,
	 .setup = no_record},
	{"an error to nobody", IN(.from = IP_OWN, .to = IP_UNKNOWN, EXPIRED), .mark = VOICE,
	 NOWHERE},
	{"an error, not ICMPv6", IN(.from = IP6_OWN, .to = IP6_A), .mark = VOICE,
	 .drop = TSW_DROP_INTERNAL},

	{"bounced", SENT(G_TO_G, OUTWARD), .mark = BOUNCE, .setup = at_host2},
	{"bounced, IPv6", SENT(G_TO_G, OUTWARD6), .mark = BOUNCE, .setup = at_host2},
	{"bounced, its TOS", SENT(G_TO_G, OUTWARD, .tos = 0xb8), .mark = BOUNCE, .setup = at_host2,
	 .out = &(const struct spec){.outer = &dscp_46, G_TO_G, OUTWARD, .tos = 0xb8}},
	{"bounced over IPv6", SENT(G_TO_G, OUTWARD), .mark = BOUNCE, .host = HOST4,
	 .setup = at_host4, .out = &(const struct spec){.outer = &to_host4, G_TO_G, OUTWARD}},
	{"bounced to host 3", SENT(G_TO_G, OUTWARD), .mark = BOUNCE, .host = HOST3,
	 .setup = at_host3, .out = &(const struct spec){.outer = &to_host3, G_TO_G, OUTWARD}},
	{"bounced where all serve", SENT(G_TO_G, .from = IP_C, .to = IP_WORLD), .mark = BOUNCE},
	{"the same, host 3's", SENT(G_TO_G, .from = IP_D, .to = IP_WORLD), .mark = BOUNCE,
	 .host = HOST3,
	 .out = &(const struct spec){.outer = &to_host3, G_TO_G, .from = IP_D, .to = IP_WORLD}},
	{"bounced where it is here alone", SENT(G_TO_G, .from = IP_C, .to = IP_WORLD),
	 .mark = BOUNCE, .setup = here_alone},
	{"the same, an endpoint here", IN(OUTWARD), .mark = BOUNCE, NOWHERE},
	{"the same, its port numbered like a host", IN(OUTWARD), .mark = BOUNCE, NOWHERE,
	 .setup = a_is_like_a_host},
	{"the same, nobody's address", IN(OUTWARD, .from = IP_UNKNOWN), .mark = BOUNCE, NOWHERE},
	{"the same, the gateway's address", IN(OUTWARD, .from = IP_G), .mark = BOUNCE, NOWHERE},
	{"bounced to a host that is gone", IN(OUTWARD), .mark = BOUNCE, NOWHERE,
	 .setup = at_a_host_that_is_gone},
	{"bounced, no record", IN(OUTWARD), .mark = BOUNCE, NO_GATEWAY, .setup = no_record},

	{"too big", IN(TO_C, .payload = 1500), TOLD, .make = told_of_c},
	{"too big, IPv6", IN(TO_C6, .payload = 1500), TOLD, .make = told_of_c},
	{"too big, over IPv6", IN(.from = IP_WORLD, .to = IP_E, .payload = 1500), TOLD,
	 .make = told_of_e},
	{"too big by one", IN(TO_C, .payload = INNER_MTU - 28 + 1), TOLD, .make = told_of_c},
	{"too big, TCP with DF", TOLD, .make = told_of_c,
	 IN(TO_C, .kind = KIND_TCP, .frag = 0x4000, .payload = 1500)},
	{"too big, an error", IN(TO_C, EXPIRED, .payload = 1500), .mark = TENANT,
	 .drop = TSW_DROP_TOO_BIG},
	{"too big, a fragment", IN(TO_C, .frag = 0x0010, .payload = 1500), .mark = TENANT,
	 .drop = TSW_DROP_TOO_BIG},
	{"the tenant's MTU", TO_A(V4, .payload = 1000 - 28), .setup = mtu_1000},
	{"the tenant's MTU, IPv6", TO_A(V6, .payload = 1300 - 48), .setup = mtu_1300},
	{"above the tenant's MTU", IN(V4, .payload = 1000 - 28 + 1), TOLD, .make = told_1000_of_a,
	 .setup = mtu_1000},
	{"above the tenant's MTU, DF", IN(V4, .frag = 0x4000, .payload = 1400), TOLD,
	 .make = told_1000_of_a, .setup = mtu_1000},
	{"above the tenant's MTU, IPv6", IN(V6, .payload = 1300 - 48 + 1), TOLD,
	 .make = told_1300_of_a, .setup = mtu_1300},
	{"above the tenant's MTU, an error", IN(V4, EXPIRED, .payload = 1000), .mark = TENANT,
	 .drop = TSW_DROP_TOO_BIG, .setup = mtu_1000},
	{"above the tenant's MTU, tsw-gw is gone", IN(V4, .payload = 1000), .mark = TENANT,
	 .drop = TSW_DROP_TOO_BIG, .setup = mtu_1000_tsw_gw_is_gone},
	{"above blue's MTU, which is not red's", TO_A(V4, .payload = 1400), .setup = blue_mtu_1000},
	{"above the tenant's MTU, a super-frame", TO_A(V4, .kind = KIND_TCP, .payload = 2000),
	 .gso_size = 500, .gso_segs = 4, .size = {4, 2066 + 3 * 66}, .setup = mtu_1000},
	{"too big, tsw-gw is gone", IN(TO_C, .payload = 1500), .mark = TENANT,
	 .drop = TSW_DROP_TOO_BIG, .setup = tsw_gw_is_gone},
	{"too big, no way in", IN(TO_C, .payload = 1500), .mark = TENANT, .drop = TSW_DROP_TOO_BIG,
	 .setup = lab_no_door},
};

/* By every way that there is to another host. */
static void every_way(void **state)
{
	for (size_t i = 0; i < WAYS; i++) {
		const struct packet_way *w = &packet_ways[i];
		__u32 slot = lab_slot(w->tenant);
		const struct spec out = {.outer = &w->outer,
					 .src = MAC_G,
					 .dst = w->mac,
					 .from = IP_WORLD,
					 .to = w->ip};
		const struct spec out6 = {.outer = &w->outer,
					  .src = MAC_G,
					  .dst = w->mac,
					  .from = IP6_WORLD,
					  .to = w->ip6,
					  .kind = KIND_TCP};
		struct packet_case c = {w->name,
					IN(.from = IP_WORLD, .to = w->ip),
					.mark = 0x74500001 + slot,
					.verdict = REDIRECTED,
					.moves = MOVE(TX) | MOVE(GATEWAY),
					.tenant = w->tenant,
					.host = w->host,
					.out = &out};

		packet_check(&c);
		c.in = (struct spec){DOOR, .from = IP6_WORLD, .to = w->ip6, .kind = KIND_TCP};
		c.out = &out6;
		packet_check(&c);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(every_way)};
	const struct packet_suite suite = {"from_gateway", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
