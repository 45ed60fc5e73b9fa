// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an uplink brings. A tenant's frame goes into the router, sealed and without a mark; others
 * are the host's, and stay as they are. The bench has no number of the router's namespace here, so
 * of TCP and UDP the port alone tells; packet_world_flows.c looks into its conntrack.
 */
#include <string.h>
#include <unistd.h>

#include "lab_world.h"
#include "packet.h"

#define IP_SNAT "198.51.100.200" /* tenants leave as that */
#define IP6_SNAT "2001:db8:55::ffff"
#define IP_TENANTS "198.51.100.128" /* a network of a tenant's without NAT, of 25 and 64 bits */
#define IP6_TENANTS "2001:db8:66::"
#define IP_ELSEWHERE "203.0.113.99" /* no address of this host's */
#define ID 0x1234

#define BY_WIRE2 .dst = MAC_WIRE2, .src = MAC_ROUTER
#define V4 BY_WIRE2, .from = IP_WORLD, .to = IP_WIRE2
#define V6 BY_WIRE2, .from = IP6_WORLD, .to = IP6_WIRE2
#define TCP(port) .kind = KIND_TCP, .sport = 2000, .dport = port
#define UDP(port) .sport = 2000, .dport = port
#define ECHO .kind = KIND_ICMP, .icmp_type = 8, .rest = "12340001", .payload = 20
#define REPLY .kind = KIND_ICMP, .icmp_type = 0, .rest = "12340001", .payload = 20
#define ECHO6 ECHO, .icmp_type = 128
#define REPLY6 REPLY, .icmp_type = 129
#define OTHER .rest = "12350001"
#define SCTP_FROM 5000
#define SCTP_TO 6000
#define SCTP .proto = 132, .sport = SCTP_FROM, .dport = SCTP_TO

#define HOSTS(...)                                                                                \
	.program = FROM_WORLD, .in = {__VA_ARGS__}, .verdict = PASSED, .setup = world, .mark = 5, \
	.mark_out = 5, .priority = 3, .priority_out = 3
/* Whatever mark somebody gave it does not count. */
#define ENTERS(...)                                                                        \
	.program = FROM_WORLD, .in = {__VA_ARGS__}, .verdict = REDIRECTED, .make = sealed, \
	.setup = world, .mark = 0x74500002

/* What ICMP errors quote: as it left this host. */
#define ERROR(type, quote) \
	.kind = KIND_ICMP, .icmp_type = type, .rest = "00000000" quote, .payload = 0
#define ME "cb007101"	 /* IP_WIRE2 */
#define WORLD "cb00714d" /* IP_WORLD */
#define QUOTE4(frag, proto, upper) "45000030 0000" frag "40" proto "0000" ME WORLD upper
#define ME6 "20010db8000300000000000000000001"
#define WORLD6 "20010db8007700000000000000000001"
#define QUOTE6(proto, upper) "60000000 0010" proto "40" ME6 WORLD6 upper
#define FROM_20000 "4e2007d0 00100000" /* in the ports of NAT, to 2000 */
#define FROM_50000 "c35007d0 00100000"
#define AN_ECHO "08000000 12340001"
#define AN_ECHO6 "80000000 12340001"
#define ANOTHER_ECHO "08000000 12350001"
#define A_REPLY "00000000 12340001"

static void sealed(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, 0, 0);
}

static void world(void)
{
	lab_uplink(WIRE2, 3);
	lab_uplink_addr(IP_WIRE2, WIRE2);
	lab_uplink_addr(IP6_WIRE2, WIRE2);
	lab_uplink_addr(IP_WIRE, 0); /* of another device than an uplink */
	lab_publish(TSW_IPV4, 6, 443, RED);
	lab_publish(TSW_IPV6, 17, 53, RED);
	lab_routed(IP_TENANTS, 25, RED);
	lab_routed(IP6_TENANTS, 64, RED);
	lab_snat_user(IP_SNAT);
	lab_snat_user(IP6_SNAT);
}

/* A tenant has sent an echo, and SCTP. */
static void asked(void)
{
	world();
	lab_asked(IP_WORLD, IP_WIRE2, 1, ID, 0);
	lab_asked_sctp(IP_WORLD, SCTP_FROM, IP_WIRE2, SCTP_TO);
	lab_asked_sctp(IP_WORLD, 2000, IP_WIRE2, 20000);
	lab_asked(IP6_WORLD, IP6_WIRE2, 58, ID, 0);
	lab_asked_sctp(IP6_WORLD, SCTP_FROM, IP6_WIRE2, SCTP_TO);
}

/* Long enough ago for conntrack to have forgotten it. */
static void asked_before(void)
{
	world();
	lab_asked(IP_WORLD, IP_WIRE2, 1, ID, 31);
	lab_asked(IP6_WORLD, IP6_WIRE2, 58, ID, 31);
	lab_asked(IP_WORLD, IP_WIRE2, 47, 0, 601);
}

static void served_elsewhere(void)
{
	world();
	lab_gateway(RED, HOST2, 0, 0);
}

/* A backup that may get the port's frames any moment. */
static void ready(void)
{
	served_elsewhere();
	lab_gateway_flags(RED, TSW_GATEWAY_READY);
}

static void up_is_gone(void)
{
	const __u32 up = UP;

	world();
	lab_unset(M_DEVICES, &up);
}

static void no_router(void)
{
	world();
	lab_no_door();
}

static const struct packet_case cases[] = {
	{"a published port", ENTERS(V4, TCP(443))},
	{"a published port, no mark", ENTERS(V4, TCP(443)), .mark = 0},
	{"a published port, SYN", ENTERS(V4, TCP(443), .tcp_flags = 2)},
	{"a published port, IPv6", ENTERS(V6, UDP(53))},
	{"a published port, options", ENTERS(V4, TCP(443), .ext = "94040000")},
	{"a published port, behind a header",
	 ENTERS(V6, UDP(53), .next = 60, .ext = "1100010400000000")},
	{"a published port, first fragment", ENTERS(V4, TCP(443), .frag = 0x2000)},
	{"a published port, IPv6, first fragment",
	 ENTERS(V6, UDP(53), .next = 44, .ext = "1100000112345678")},
	{"a published port, padded", ENTERS(V4, TCP(443), .payload = 30, .lie = -20)},
	{"a published port, a super-frame", ENTERS(V4, TCP(443), .payload = 2000), .gso_size = 500,
	 .gso_segs = 4},
	{"a published port of another of its addresses", ENTERS(V4, TCP(443), .to = IP_WIRE)},
	{"a published port by another uplink", ENTERS(V4, TCP(443), .dst = MAC_WIRE), .dev = WIRE},
	{"a published port, by the underlay's program",
	 ENTERS(V4, TCP(443), .dst = MAC_WIRE, .payload = 20), .program = FROM_WIRE},
	{"a published port of a gateway elsewhere", HOSTS(V4, TCP(443)), .setup = served_elsewhere},
	{"the same, IPv6", HOSTS(V6, UDP(53)), .setup = served_elsewhere},
	{"the same, a backup's", ENTERS(V4, TCP(443)), .setup = ready},
	{"its number of another protocol", HOSTS(V4, UDP(443))},
	{"its number of the other family", HOSTS(V6, TCP(443))},
	{"its number as the source", HOSTS(V4, TCP(22), .sport = 443)},
	{"its number of an address elsewhere", HOSTS(V4, TCP(443), .to = IP_ELSEWHERE)},
	{"to another's MAC", HOSTS(V4, TCP(443), .dst = MAC_UNKNOWN)},
	{"to all MACs", HOSTS(V4, TCP(443), .dst = MAC_BROADCAST)},
	{"to a group's MAC", HOSTS(V6, UDP(53), .dst = "33:33:00:00:00:01")},
	{"a VLAN tag", HOSTS(V4, TCP(443), .type = 0x8100)},
	{"another type", HOSTS(V4, TCP(443), .type = 0x88b5)},
	{"ARP", HOSTS(BY_WIRE2, .kind = KIND_ARP, .from = IP_WORLD, .to = IP_WIRE2)},
	{"ARP for an address that tenants leave as",
	 HOSTS(BY_WIRE2, .kind = KIND_ARP, .from = IP_WORLD, .to = IP_SNAT)},
	{"no TCP header", HOSTS(V4, .proto = 6, .kind = KIND_RAW, .type = 0x0800,
				.rest = "45000016 00000000 4006 0000" WORLD ME "07d0")},
	{"an IP header of 16 octets",
	 HOSTS(V4, .kind = KIND_RAW, .type = 0x0800,
	       .rest = "44000028 00000000 4006 0000" WORLD ME "07d001bb")},
	{"no tsw-up", ENTERS(V4, TCP(443)), .verdict = DROPPED, .setup = up_is_gone,
	 .drop = TSW_DROP_DEVICE_GONE, .tenant = NOBODY},
	{"no router", HOSTS(V4, TCP(443)), .setup = no_router},

	{"SSH", HOSTS(V4, TCP(22), .tcp_flags = 2)},
	{"SSH, IPv6", HOSTS(V6, TCP(22), .tcp_flags = 2)},
	{"DNS", HOSTS(V4, UDP(53))},
	{"VXLAN", HOSTS(V4, UDP(4789))},
	{"Geneve", HOSTS(V4, UDP(6081))},
	{"the first port of NAT", ENTERS(V4, UDP(TSW_NAT_PORT_LOW))},
	{"the last port of NAT", ENTERS(V4, TCP(TSW_NAT_PORT_HIGH))},
	{"the last port of NAT, IPv6", ENTERS(V6, UDP(TSW_NAT_PORT_HIGH))},
	{"below the ports of NAT", HOSTS(V4, TCP(TSW_NAT_PORT_LOW - 1))},
	{"above the ports of NAT", HOSTS(V6, UDP(TSW_NAT_PORT_HIGH + 1))},
	{"from a port of NAT", HOSTS(V4, .sport = TSW_NAT_PORT_LOW, .dport = 40000)},
	{"a port of NAT, an address elsewhere", HOSTS(V4, UDP(20000), .to = IP_ELSEWHERE)},

	{"an address that tenants leave as", ENTERS(V4, TCP(22), .to = IP_SNAT)},
	{"the same, IPv6", ENTERS(V6, UDP(40000), .to = IP6_SNAT)},
	{"the same, an echo", ENTERS(V4, ECHO, .to = IP_SNAT)},
	{"the same, another protocol", ENTERS(V4, SCTP, .to = IP_SNAT)},
	{"the same, later fragment", ENTERS(V4, .to = IP_SNAT, .frag = 0x0010)},
	{"the same, an error",
	 ENTERS(V4, ERROR(3, QUOTE4("0000", "11", FROM_50000)), .to = IP_SNAT)},
	{"the same, to another's MAC", HOSTS(V4, .to = IP_SNAT, .dst = MAC_UNKNOWN)},
	{"beside it", HOSTS(V4, .to = "198.51.100.100")},
	{"a tenant's network", ENTERS(V4, TCP(22), .to = IP_TENANTS)},
	{"its last address", ENTERS(V4, SCTP, .to = "198.51.100.255")},
	{"just below it", HOSTS(V4, .to = "198.51.100.127")},
	{"just above it", HOSTS(V4, .to = "198.51.101.0")},
	{"a tenant's network, IPv6", ENTERS(V6, TCP(22), .to = IP6_TENANTS "1")},
	{"beside it, IPv6", HOSTS(V6, TCP(22), .to = "2001:db8:66:1::")},
	{"a tenant's network, later fragment", ENTERS(V4, .to = IP_TENANTS, .frag = 0x0010)},
	{"no uplink's address, nor a tenant's", HOSTS(V4, ECHO, .to = IP_ELSEWHERE)},

	{"an echo", HOSTS(V4, ECHO), .setup = asked},
	{"an echo, IPv6", HOSTS(V6, ECHO6), .setup = asked},
	{"an answer, not asked for", HOSTS(V4, REPLY)},
	{"an answer, not asked for, IPv6", HOSTS(V6, REPLY6)},
	{"an answer that is asked for", ENTERS(V4, REPLY), .setup = asked},
	{"an answer that comes too late", HOSTS(V4, REPLY), .setup = asked_before},
	{"an answer that comes too late, IPv6", HOSTS(V6, REPLY6), .setup = asked_before},
	{"another protocol, too late", HOSTS(V4, .proto = 47), .setup = asked_before},
	{"an answer that is asked for, IPv6", ENTERS(V6, REPLY6), .setup = asked},
	{"an answer to another", HOSTS(V4, REPLY, OTHER), .setup = asked},
	{"an answer to another, IPv6", HOSTS(V6, REPLY6, OTHER), .setup = asked},
	{"an answer of another", HOSTS(V4, REPLY, .from = IP_STRANGER), .setup = asked},
	{"an answer to another address", HOSTS(V4, REPLY, .to = IP_WIRE), .setup = asked},
	{"ICMP's answer in IPv6", HOSTS(V6, REPLY, .proto = 1), .setup = asked},
	{"an answer without an identifier", .setup = asked,
	 HOSTS(V4, REPLY, .rest = "", .payload = 0)},
	{"a timestamp's answer", HOSTS(V4, REPLY, .icmp_type = 14), .setup = asked},
	{"a neighbour's solicitation", .setup = asked,
	 HOSTS(V6, .kind = KIND_ICMP, .icmp_type = 135, .rest = "00000000", .ttl = 255,
	       .target = IP6_WIRE2)},
	{"SCTP", HOSTS(V4, SCTP)},
	{"SCTP by another port", HOSTS(V4, SCTP, .dport = SCTP_TO + 1), .setup = asked},
	{"SCTP that is asked for", ENTERS(V4, SCTP), .setup = asked},
	{"SCTP that is asked for, IPv6", ENTERS(V6, SCTP), .setup = asked},
	{"SCTP of another", HOSTS(V4, SCTP, .from = IP_STRANGER), .setup = asked},
	{"another protocol", HOSTS(V4, .proto = 47), .setup = asked},

	{"an error about NAT's", ENTERS(V4, ERROR(3, QUOTE4("0000", "11", FROM_20000)))},
	{"the same, TCP", ENTERS(V4, ERROR(3, QUOTE4("4000", "06", FROM_20000)))},
	{"the same, of a router on the way",
	 ENTERS(V4, ERROR(11, QUOTE4("0000", "11", FROM_20000)), .from = IP_STRANGER)},
	{"the same, a parameter", ENTERS(V4, ERROR(12, QUOTE4("0000", "11", FROM_20000)))},
	{"the same, source quench", ENTERS(V4, ERROR(4, QUOTE4("0000", "11", FROM_20000)))},
	{"the same, a redirect", HOSTS(V4, ERROR(5, QUOTE4("0000", "11", FROM_20000)))},
	{"the same, IPv6, unreachable", ENTERS(V6, ERROR(1, QUOTE6("11", FROM_20000)))},
	{"the same, IPv6, too big", ENTERS(V6, ERROR(2, QUOTE6("06", FROM_20000)))},
	{"the same, IPv6, the last kind", ENTERS(V6, ERROR(127, QUOTE6("06", FROM_20000)))},
	{"the same, IPv6, no kind", HOSTS(V6, ERROR(144, QUOTE6("06", FROM_20000)))},
	{"an error about the host's", HOSTS(V4, ERROR(3, QUOTE4("0000", "11", FROM_50000)))},
	{"an error about the host's, IPv6", HOSTS(V6, ERROR(2, QUOTE6("06", FROM_50000)))},
	{"an error about a later fragment", HOSTS(V4, ERROR(3, QUOTE4("0010", "11", FROM_20000)))},
	{"an error that quotes no ports", HOSTS(V4, ERROR(3, QUOTE4("0000", "11", "4e20")))},
	{"an error that quotes half a header", HOSTS(V4, ERROR(3, "45000030 00000000 4011"))},
	{"an error that quotes nothing", HOSTS(V4, ERROR(3, ""))},
	{"an error about an echo", HOSTS(V4, ERROR(3, QUOTE4("0000", "01", AN_ECHO)))},
	{"an error about an echo of a tenant's", .setup = asked,
	 ENTERS(V4, ERROR(3, QUOTE4("0000", "01", AN_ECHO))), .setup = asked},
	{"the same, IPv6", ENTERS(V6, ERROR(2, QUOTE6("3a", AN_ECHO6))), .setup = asked},
	{"an error about another echo", HOSTS(V4, ERROR(3, QUOTE4("0000", "01", ANOTHER_ECHO))),
	 .setup = asked},
	{"an error about an answer", HOSTS(V4, ERROR(3, QUOTE4("0000", "01", A_REPLY))),
	 .setup = asked},
	{"an error about SCTP", HOSTS(V4, ERROR(3, QUOTE4("0000", "84", FROM_20000)))},
	{"an error about SCTP of a tenant's", .setup = asked,
	 ENTERS(V4, ERROR(3, QUOTE4("0000", "84", FROM_20000))), .setup = asked},
};

/* ---- later fragments --------------------------------------------------------------- */

/* Both get them: the frame goes on to the host as it is, and a copy to the router. */
static void both_get(const struct spec *spec, int up)
{
	const struct __sk_buff ctx = {.ifindex = WIRE2};
	struct packet_run run;
	struct frame in = {}, copy, want;

	frame_build(spec, &in);
	want = in;
	packet_seal(&want, 0, 0);
	assert_int_equal(packet_run(FROM_WORLD, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_UNSPEC);
	assert_true(frame_equal("the host's", &run.out, &in));
	assert_true(lab_heard(up, 2000, &copy));
	assert_true(frame_equal("the router's", &copy, &want));
	assert_false(lab_heard(up, 0, &copy));
}

static void later_fragments(void **state)
{
	const int up = lab_tap("tsup1");

	(void)state;
	world();
	both_get(&(const struct spec){V4, .frag = 0x0010, .payload = 40}, up);
	both_get(&(const struct spec){V4, .frag = 0x2010, .payload = 40}, up);
	both_get(&(const struct spec){V6, .next = 44, .ext = "1100001812345678", .payload = 40},
		 up);
	close(up);
	lab_fill();
}

/* To an address that is not this host's there is none to copy. */
static void fragments_of_others(void **state)
{
	const struct spec spec = {V4, .frag = 0x0010, .to = IP_ELSEWHERE};
	const struct __sk_buff ctx = {.ifindex = WIRE2};
	const int up = lab_tap("tsup1");
	struct packet_run run;
	struct frame in = {};

	(void)state;
	world();
	frame_build(&spec, &in);
	assert_int_equal(packet_run(FROM_WORLD, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_UNSPEC);
	assert_true(frame_equal("the host's", &run.out, &in));
	assert_false(lab_heard(up, 0, &in));
	close(up);
	lab_fill();
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(later_fragments),
		cmocka_unit_test(fragments_of_others),
	};
	const struct packet_suite suite = {"world", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
