// SPDX-License-Identifier: GPL-2.0-only
/* What does not fit the tunnel is answered at the port, octet for octet. */
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "packet.h"

#define TENANT_MTU 1300

#define V4 .dst = MAC_C, .to = IP_C
#define V6 .dst = MAC_C, .from = IP6_A, .to = IP6_C
/* Octets of UDP payload in an IP packet of the given length. */
#define LEN4(octets) .payload = (octets)-28
#define LEN6(octets) .payload = (octets)-48
#define ICMP_OF(type_, code_)                                                          \
	.kind = KIND_ICMP, .icmp_type = type_, .icmp_code = code_, .rest = "00000000", \
	.payload = 1500

#define TOLD .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED), .drop = TSW_DROP_TOO_BIG
#define TOLD4 TOLD, .make = answer4
#define TOLD6 TOLD, .make = answer6
#define NOT_TOLD .drop = TSW_DROP_TOO_BIG
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
/* A test run's super-frame has no type, so that it is the kernel's device that takes it. */
#define FITS \
	.verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(SLOW_TX), .host = HOST2, .setup = slow_path

static void answer4(const struct frame *in, struct frame *out)
{
	answer_too_big4(in, out, INNER_MTU);
}

static void answer6(const struct frame *in, struct frame *out)
{
	answer_too_big6(in, out, INNER_MTU);
}

static void answer4_tenant(const struct frame *in, struct frame *out)
{
	answer_too_big4(in, out, TENANT_MTU);
}

static void answer6_tenant(const struct frame *in, struct frame *out)
{
	answer_too_big6(in, out, TENANT_MTU);
}

static void answer4_jumbo(const struct frame *in, struct frame *out)
{
	answer_too_big4(in, out, 2000);
}

static void tenant_mtu(void)
{
	lab_tenant(RED, TENANT_MTU, TSW_TENANT_BROADCAST);
}

static void tenant_mtu_above(void)
{
	lab_tenant(RED, 9000, TSW_TENANT_BROADCAST);
}

static void blue_mtu(void)
{
	lab_tenant(BLUE, TENANT_MTU, TSW_TENANT_BROADCAST);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void no_ports(void)
{
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST2};

	lab_clear(M_GROUPS);
	lab_ring(RED, TSW_MEMBER_HOSTS, hosts, COUNT(hosts));
}

static void no_hosts(void)
{
	lab_clear(M_GROUPS);
}

static const struct packet_case cases[] = {
	{"IPv4, one octet too long", .in = {V4, LEN4(INNER_MTU + 1), .frag = 0x4000}, TOLD4},
	{"IPv4 without DF", .in = {V4, LEN4(INNER_MTU + 1), .id = 5}, TOLD4},
	{"IPv4, far too long", .in = {V4, LEN4(3500), .frag = 0x4000}, TOLD4},
	{"IPv4, an odd length", .in = {V4, LEN4(1777), .tos = 0xb8, .frag = 0x4000}, TOLD4},
	{"IPv4 options are quoted", .in = {V4, LEN4(1500), .ext = "94040000 01010101"}, TOLD4},
	{"TCP over IPv4", .in = {V4, .kind = KIND_TCP, .payload = 1500, .frag = 0x4000}, TOLD4},
	{"IPv6, one octet too long", .in = {V6, LEN6(INNER_MTU + 1)}, TOLD6},
	{"IPv6, far too long", .in = {V6, LEN6(3500), .flow = 0x54321, .tos = 0x28}, TOLD6},
	{"IPv6 extension headers are quoted", .in = {V6, LEN6(1500), .ext = "1100010400000000"},
	 TOLD6},
	{"TCP over IPv6", .in = {V6, .kind = KIND_TCP, .payload = 1500}, TOLD6},
	{"with a mark", .in = {V4, LEN4(1500)}, TOLD4, .mark = 3},
	{"port with its peer elsewhere", .in = {V4, LEN4(1500)}, TOLD4, .to = 0,
	 .setup = a_has_peer},
	{"tenant's own MTU, IPv4", .in = {V4, LEN4(TENANT_MTU + 1)}, TOLD, .make = answer4_tenant,
	 .setup = tenant_mtu},
	{"tenant's own MTU, IPv6", .in = {V6, LEN6(TENANT_MTU + 1)}, TOLD, .make = answer6_tenant,
	 .setup = tenant_mtu},
	{"a tenant's MTU that the underlay has not", .in = {V4, LEN4(INNER_MTU + 1)}, TOLD4,
	 .setup = tenant_mtu_above},
	{"blue's MTU is not red's", .in = {V4, LEN4(INNER_MTU + 1)}, TOLD4, .setup = blue_mtu},
	{"blue is told blue's", .dev = BLUE_A, .in = {V4, LEN4(TENANT_MTU + 1)}, TOLD, .to = BLUE_A,
	 .make = answer4_tenant, .tenant = BLUE, .setup = blue_mtu},

	{"echo request, IPv4", .in = {V4, ICMP_OF(8, 0)}, TOLD4},
	{"echo reply, IPv4", .in = {V4, ICMP_OF(0, 0)}, TOLD4},
	{"echo request, IPv6", .in = {V6, ICMP_OF(128, 0)}, TOLD6},
	{"echo reply, IPv6", .in = {V6, ICMP_OF(129, 0)}, TOLD6},
	{"first IPv4 fragment", .in = {V4, LEN4(1500), .frag = 0x2000}, TOLD4},
	{"first IPv6 fragment", .in = {V6, LEN6(1500), .next = 44, .ext = "1100000112345678"},
	 TOLD6},

	{"unreachable", .in = {V4, ICMP_OF(3, 1)}, NOT_TOLD},
	{"fragmentation needed itself", .in = {V4, ICMP_OF(3, 4)}, NOT_TOLD},
	{"source quench", .in = {V4, ICMP_OF(4, 0)}, NOT_TOLD},
	{"redirect", .in = {V4, ICMP_OF(5, 0)}, NOT_TOLD},
	{"time exceeded", .in = {V4, ICMP_OF(11, 0)}, NOT_TOLD},
	{"parameter problem", .in = {V4, ICMP_OF(12, 0)}, NOT_TOLD},
	{"unreachable, IPv6", .in = {V6, ICMP_OF(1, 0)}, NOT_TOLD},
	{"packet too big itself", .in = {V6, ICMP_OF(2, 0)}, NOT_TOLD},
	{"time exceeded, IPv6", .in = {V6, ICMP_OF(3, 0)}, NOT_TOLD},
	{"parameter problem, IPv6", .in = {V6, ICMP_OF(4, 0)}, NOT_TOLD},
	{"last type of errors, IPv6", .in = {V6, ICMP_OF(127, 0)}, NOT_TOLD},
	{"error behind an extension header", NOT_TOLD,
	 .in = {V6, ICMP_OF(1, 0), .next = 60, .ext = "3a00010400000000"}},
	{"later IPv4 fragment", .in = {V4, LEN4(1500), .frag = 0x2001}, NOT_TOLD},
	{"later IPv6 fragment", .in = {V6, LEN6(1500), .next = 44, .ext = "1100000912345678"},
	 NOT_TOLD},
	{"not IP", .in = {.kind = KIND_RAW, .type = 0x88b5, .dst = MAC_C, .payload = 1500},
	 NOT_TOLD},
	{"broadcast", .in = {.dst = MAC_BROADCAST, LEN4(1500)}, NOT_TOLD, .setup = no_ports},
	{"unicast MAC, multicast IPv4", .in = {V4, LEN4(1500), .to = "224.0.0.5"}, NOT_TOLD},
	{"unicast MAC, broadcast IPv4", .in = {V4, LEN4(1500), .to = "255.255.255.255"}, NOT_TOLD},
	{"unicast MAC, multicast IPv6", .in = {V6, LEN6(1500), .to = "ff02::5"}, NOT_TOLD},
	{"broadcast where no host is a member", .in = {.dst = MAC_BROADCAST, LEN4(1500)},
	 .setup = no_hosts},

	{"long, but on this host", .in = {LEN4(3000)}, TO_B},
	{"longer than the tenant's, but here", .in = {LEN4(1400)}, TO_B, .setup = tenant_mtu},

	{"segment size beyond the frame's end", .gso_size = 5000, .gso_segs = 1, FITS,
	 .in = {V4, .kind = KIND_TCP, .payload = 100}},
	{"SCTP super-frame", .gso_size = 0xffff, .gso_segs = 2, FITS, .size = {2, 1042 + 42},
	 .in = {V4, .proto = 132, .payload = 1000}},
	{"TCP super-frame whose segments fit", .gso_size = INNER_MTU - 52, .gso_segs = 2, FITS,
	 .in = {V4, .kind = KIND_TCP, .payload = 2000}, .size = {2, 2066 + 66}},
	{"TCP super-frame, one octet too long", .gso_size = INNER_MTU - 51, .gso_segs = 2, TOLD4,
	 .in = {V4, .kind = KIND_TCP, .payload = 2000}, .size = {2, 2066 + 66}},
	{"TCP over IPv6, segments fit", .gso_size = INNER_MTU - 72, .gso_segs = 2, FITS,
	 .in = {V6, .kind = KIND_TCP, .payload = 2000}, .size = {2, 2086 + 86}},
	{"TCP over IPv6, one octet too long", .gso_size = INNER_MTU - 71, .gso_segs = 2, TOLD6,
	 .in = {V6, .kind = KIND_TCP, .payload = 2000}, .size = {2, 2086 + 86}},
	{"UDP super-frame whose segments fit", .gso_size = INNER_MTU - 28, .gso_segs = 2, FITS,
	 .in = {V4, .payload = 2000}, .size = {2, 2042 + 42}},
	{"UDP super-frame, one octet too long", .gso_size = INNER_MTU - 27, .gso_segs = 2, TOLD4,
	 .in = {V4, .payload = 2000}, .size = {2, 2042 + 42}},
};

/* The underlay's MTU is asked, not remembered. */
static void underlay_mtu(void **state)
{
	const struct packet_case told = {"underlay of 2050", .in = {V4, LEN4(2001)}, TOLD,
					 .make = answer4_jumbo};
	const struct packet_case fits = {
		"fits 2050",
		.in = {V4, LEN4(2000)},
		.out = &(const struct spec){V4, LEN4(2000), .outer = &(const struct outer){}},
		.verdict = REDIRECTED,
		.moves = MOVE(TX),
		.host = HOST2};

	lab_ip("link set wire mtu 2050\n");
	packet_check(&told);
	packet_check(&fits);
	lab_ip("link set wire mtu 1500\n");
	(void)state;
}

static __u16 told; /* the MTU that is expected in an answer */

static void answer_told(const struct frame *in, struct frame *out)
{
	if (in->b[12] == 0x08)
		answer_too_big4(in, out, told);
	else
		answer_too_big6(in, out, told);
}

static void all_devices(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
	lab_config_gre(GRE4, GRE6);
	lab_config_geneve(GNV);
}

static void tenants_mtu(void)
{
	for (size_t i = 0; i < WAYS; i++)
		lab_tenant(packet_ways[i].tenant, TENANT_MTU, TSW_TENANT_BROADCAST);
}

static void tenants_mtu_above(void)
{
	for (size_t i = 0; i < WAYS; i++)
		lab_tenant(packet_ways[i].tenant, 9000, TSW_TENANT_BROADCAST);
}

static void way_fits(const struct packet_way *way, const struct spec *spec, void (*setup)(void))
{
	struct spec out = *spec;
	struct packet_case c = {"it fits",	   .dev = way->dev,   .tenant = way->tenant,
				.in = *spec,	   .out = &out,	      .verdict = REDIRECTED,
				.moves = MOVE(TX), .host = way->host, .setup = setup};

	out.outer = &way->outer;
	packet_check(&c);
}

static void way_tells(const struct packet_way *way, const struct spec *spec, void (*setup)(void))
{
	struct packet_case c = {"too long", .dev = way->dev, .tenant = way->tenant, .in = *spec,
				TOLD,	    .to = way->dev,  .make = answer_told,   .setup = setup};

	packet_check(&c);
}

static struct spec of_length(const struct packet_way *way, bool v6, __u16 octets)
{
	if (v6)
		return (struct spec){.dst = way->mac, .from = IP6_A, .to = way->ip6, LEN6(octets)};
	return (struct spec){.dst = way->mac, .to = way->ip, LEN4(octets)};
}

/* At the border, and one octet beyond. */
static void way_border(const struct packet_way *way, __u16 mtu, void (*setup)(void))
{
	told = mtu;
	for (int v6 = 0; v6 < 2; v6++) {
		struct spec fits = of_length(way, v6, mtu), long_one = of_length(way, v6, mtu + 1);

		way_fits(way, &fits, setup);
		way_tells(way, &long_one, setup);
	}
}

static void way_not_ip(const struct packet_way *way, __u16 mtu)
{
	struct spec raw = {.kind = KIND_RAW, .type = 0x88b5, .dst = way->mac, .payload = mtu};
	struct packet_case c = {"too long, not IP", .dev = way->dev, .tenant = way->tenant,
				NOT_TOLD};

	way_fits(way, &raw, NULL);
	raw.payload++;
	c.in = raw;
	packet_check(&c);
}

/* A super-frame's segments count, not itself. */
static void way_super_frame(const struct packet_way *way, __u16 mtu, bool v6)
{
	const int headers = v6 ? 72 : 52;
	struct spec spec = of_length(way, v6, 0);
	struct packet_case c = {"a super-frame",
				.dev = way->dev,
				.tenant = way->tenant,
				.gso_size = mtu - headers,
				.gso_segs = 2,
				FITS,
				.size = {2, 2000 + 2 * (14 + headers)},
				.host = way->host,
				.setup = all_devices};

	spec.kind = KIND_TCP;
	spec.payload = 2000;
	c.in = spec;
	packet_check(&c);
	told = mtu;
	c = (struct packet_case){"a super-frame, too long",
				 .dev = way->dev,
				 .tenant = way->tenant,
				 .in = spec,
				 .gso_size = mtu - headers + 1,
				 .gso_segs = 2,
				 TOLD,
				 .to = way->dev,
				 .make = answer_told,
				 .size = c.size};
	packet_check(&c);
}

static __u32 configured; /* the MTU of each host's route */

static void routes_mtu(void)
{
	for (__u32 host = HOST2; host < HOSTS; host++)
		lab_host_mtu(host, configured);
}

/* The route's own MTU, as the command read it. */
static void way_route_mtu(const struct packet_way *way, __u32 route_mtu, __u16 mtu)
{
	configured = route_mtu;
	way_border(way, mtu, routes_mtu);
}

/*
 * What the FIB tells is not believed: of a route with a locked MTU it is the same as of one whose
 * MTU an ICMP error told.
 */
static void way_learned_mtu(const struct packet_way *way, int learned)
{
	const char *host = way->outer.to ?: IP_HOST2;
	char command[128];

	snprintf(command, sizeof(command), "route add %s dev wire mtu lock %d\n", host, learned);
	lab_ip(command);
	way_border(way, way->mtu, NULL);
	way_route_mtu(way, 1450, way->mtu - 50);
	snprintf(command, sizeof(command), "route del %s dev wire\n", host);
	lab_ip(command);
}

static void every_way(void **state)
{
	const struct packet_way *way = *state;

	way_border(way, way->mtu, NULL);
	way_border(way, TENANT_MTU, tenants_mtu);
	way_border(way, way->mtu, tenants_mtu_above);
	way_not_ip(way, way->mtu);
	way_super_frame(way, way->mtu, false);
	way_super_frame(way, way->mtu, true);
	way_route_mtu(way, 1400, way->mtu - 100);
	way_route_mtu(way, 9000, way->mtu);
	way_learned_mtu(way, 1300);
	lab_ip("link set wire mtu 1450\n");
	way_border(way, way->mtu - 50, NULL);
	lab_ip("link set wire mtu 1500\n");
}

int main(void)
{
	struct CMUnitTest more[1 + WAYS] = {cmocka_unit_test(underlay_mtu)};
	const struct packet_suite suite = {"mtu", cases, COUNT(cases), more, COUNT(more)};

	for (size_t i = 0; i < WAYS; i++)
		more[1 + i] = (struct CMUnitTest){
			.name = packet_ways[i].name,
			.test_func = every_way,
			.initial_state = (void *)&packet_ways[i],
		};
	return packet_main(&suite);
}
