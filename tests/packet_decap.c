// SPDX-License-Identifier: GPL-2.0-only
/* In from other hosts: what is ours, whom it may come from, and what is left of the frame. */
#include <arpa/inet.h>
#include <stdio.h>

#include "packet.h"

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3};
static const struct outer with_csum = {FROM_HOST2, .csum = true};
static const struct outer ttl_1 = {FROM_HOST2, .ttl = 1, .sport = 1};
static const struct outer no_df = {FROM_HOST2, .frag = 0x4000};
static const struct outer blue_host2 = {FROM_HOST2, .vni = BLUE};
static const struct outer blue_host3 = {FROM_HOST3, .vni = BLUE};
static const struct outer stranger = {TO_US, .from = IP_STRANGER};
static const struct outer ourselves = {TO_US, .from = IP_WIRE};
static const struct outer stranger_vni = {TO_US, .from = IP_STRANGER, .vni = 300};
static const struct outer other_vni = {FROM_HOST2, .vni = 300};
static const struct outer other_vni_flags = {FROM_HOST2, .vni = 300, .flip = 0xff000000};
static const struct outer vni_above = {FROM_HOST2, .vni = RED | 1 << 23};
static const struct outer other_ip = {FROM_HOST2, .to = "192.0.2.9"};
static const struct outer group_ip = {FROM_HOST2, .to = "224.0.0.1"};
static const struct outer other_mac = {FROM_HOST2, .dst = MAC_HOST3};
static const struct outer all_macs = {FROM_HOST2, .dst = MAC_BROADCAST};
static const struct outer group_mac = {FROM_HOST2, .dst = "01:00:5e:00:00:01"};
static const struct outer other_port = {FROM_HOST2, .dport = 8472};
static const struct outer not_udp = {FROM_HOST2, .proto = 6};
static const struct outer first_fragment = {FROM_HOST2, .frag = 0x6000};
static const struct outer later_fragment = {FROM_HOST2, .frag = 0x4001};
static const struct outer last_offset = {FROM_HOST2, .frag = 0x5000};
static const struct outer options = {FROM_HOST2, .options = "94040000"};
/* Options that look like UDP and VXLAN headers where these are without options. */
static const struct outer tricky = {FROM_HOST2, .options = "c00012b5 00000000 08000000 00006400"};
static const struct outer most_options = {
	FROM_HOST2, .options = "01010101 01010101 01010101 01010101 01010101"
			       "01010101 01010101 01010101 01010101 01010101"};
static const struct outer options_fragment = {FROM_HOST2, .options = "94040000", .frag = 0x2000};
static const struct outer options_flags = {FROM_HOST2, .options = "94040000", .flip = 0xff000000};
static const struct outer options_vni = {FROM_HOST2, .options = "94040000", .vni = 300};
static const struct outer fragment_vni = {FROM_HOST2, .frag = 0x2000, .vni = 300};
static const struct outer fragment_stranger = {TO_US, .from = IP_STRANGER, .frag = 0x2000};
static const struct outer options_stranger = {TO_US, .from = IP_STRANGER, .options = "94040000"};
static const struct outer flags_stranger = {TO_US, .from = IP_STRANGER, .flip = 0xff000000};
/* Behind a header of 16 octets the port is half of 192.0.2.1, and this is the VNI. */
static const struct outer earlier = {FROM_HOST2, .flip = 0x08000000 ^ RED << 8};
static const struct outer to_zero = {FROM_HOST2, .to = "0.0.0.0"};
static const struct outer bad_sum = {FROM_HOST2, .bad_sum = true};
static const struct outer long_ip = {FROM_HOST2, .ip_lie = 1},
			  short_ip = {FROM_HOST2, .ip_lie = -9};
static const struct outer long_udp = {FROM_HOST2, .udp_lie = 1};
static const struct outer short_udp = {FROM_HOST2, .udp_lie = -58};
static const struct outer congested = {FROM_HOST2, .tos = 3};
static const struct outer tagged = {FROM_HOST2, .type = 0x8100};
static const struct outer as_ipv6 = {FROM_HOST2, .type = 0x86dd};

/* From red's C on host 2 to A, delivered without its outer header. */
#define GOT(header, ...)                                                              \
	.program = FROM_WIRE, .in = {__VA_ARGS__, .outer = &(header)},                \
	.out = &(const struct spec){__VA_ARGS__}, .verdict = REDIRECTED, .to = RED_A, \
	.moves = MOVE(RX), .host = HOST2
#define WIRE_IN(header, ...) .program = FROM_WIRE, .in = {__VA_ARGS__, .outer = &(header)}
#define PASSES .verdict = PASSED
#define OF_NOBODY .drop = TSW_DROP_UNKNOWN_TENANT, .tenant = NOBODY
#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A
#define ARP_REPLY .kind = KIND_ARP, .op = 2, V4
#define RAW(ethertype, octets) V4, .kind = KIND_RAW, .type = ethertype, .payload = octets
#define UNKNOWN_HOST .drop = TSW_DROP_UNKNOWN_HOST
#define WRONG_HOST .drop = TSW_DROP_WRONG_HOST
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
#define VLAN .drop = TSW_DROP_VLAN_TAGGED
#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define TO_KERNEL .verdict = PASSED, .priority_out = PASS_UP

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void old_kernel(void)
{
	lab_config_flag(0, TSW_CFG_DECAP_L3);
	a_has_peer();
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void slow_path_old_kernel(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, TSW_CFG_DECAP_L3);
}

static void port_8472(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.port = htons(8472);
	lab_config_set(&cfg);
}

static void port_513(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.port = htons(513);
	lab_config_set(&cfg);
}

static void no_red(void)
{
	__u32 red = RED;

	lab_unset(M_TENANTS, &red);
}

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void broadcast_off(void)
{
	lab_tenant(RED, 0, 0);
}

/* Indices of hosts and of devices are numbers of different kinds. */
static void port_like_host(void)
{
	lab_fdb(RED, MAC_C, TSW_PLACE_PORT, HOST2);
}

static void host_like_port(void)
{
	lab_host(RED_B, "192.0.2.102");
	lab_fdb(RED, MAC_D, TSW_PLACE_HOST, RED_B);
}

static void a_is_gone(void)
{
	__u32 port = RED_A;

	lab_unset(M_PORTS, &port);
}

static void no_local(void)
{
	lab_config_no_local(TSW_IPV4);
}

static void first_octet(struct frame *f, __u8 value)
{
	__u16 sum;

	f->b[14] = value;
	f->b[24] = f->b[25] = 0;
	sum = frame_checksum(f->b + 14, 20, 0);
	f->b[24] = sum >> 8;
	f->b[25] = sum & 0xff;
}

static void ihl_4(struct frame *f)
{
	first_octet(f, 0x44);
}

static void version_6(struct frame *f)
{
	first_octet(f, 0x65);
}

static const struct packet_case cases[] = {
	{"UDP over IPv4", GOT(host2, V4, .payload = 100)},
	{"UDP over IPv6", GOT(host2, V6, .payload = 100, .flow = 0x54321)},
	{"TCP over IPv4", GOT(host2, V4, .kind = KIND_TCP, .payload = 9)},
	{"TCP over IPv6", GOT(host2, V6, .kind = KIND_TCP, .payload = 9)},
	{"IPv4 options inside", GOT(host2, V4, .ext = "94040000", .payload = 20)},
	{"IPv4 fragment inside", GOT(host2, V4, .frag = 0x0010, .payload = 20)},
	{"extension headers inside", GOT(host2, V6, .ext = "1100010400000000")},
	{"ARP reply", GOT(host2, ARP_REPLY)},
	{"ARP reply, padded by Ethernet", GOT(host2, ARP_REPLY, .payload = 18)},
	{"not IP", GOT(host2, RAW(0x88b5, 33))},
	{"with an outer UDP checksum", GOT(with_csum, V4, .payload = 99)},
	{"IPv6 with an outer UDP checksum", GOT(with_csum, V6, .payload = 99)},
	{"ARP with an outer UDP checksum", GOT(with_csum, ARP_REPLY)},
	{"last TTL, low source port", GOT(ttl_1, V4)},
	{"DF clear", GOT(no_df, V4)},
	{"from host 3", GOT(host3, V4, .src = MAC_D, .from = IP_D), .host = HOST3},
	{"a mark from before", GOT(host2, V4), .mark = 77},
	{"another UDP port", GOT(other_port, V4), .setup = port_8472},
	{"blue from its own C", GOT(blue_host3, V4), .to = BLUE_A, .host = HOST3, .tenant = BLUE},

	{"IPv4 to a peer elsewhere", GOT(host2, V4), .to = 0, .setup = a_has_peer},
	{"ARP is read anew by the port", GOT(host2, ARP_REPLY), .setup = a_has_peer},
	{"not IP likewise", GOT(host2, RAW(0x88b5, 33)), .setup = a_has_peer},
	{"IPv4 on an old kernel", GOT(host2, V4), .to = 0, .setup = old_kernel},
	{"IPv6 on an old kernel", GOT(host2, V6), .setup = old_kernel},

	{"VNI of no tenant", WIRE_IN(other_vni, V4), PASSES},
	{"VNI of no tenant, a mark", WIRE_IN(other_vni, V4), PASSES, .mark = 5, .mark_out = 5},
	{"VNI of no tenant, bad flags", WIRE_IN(other_vni_flags, V4), PASSES},
	{"VNI of no tenant, from a stranger", WIRE_IN(stranger_vni, V4), PASSES},
	{"VNI of no tenant, the port is ours", WIRE_IN(other_vni, V4, .payload = 9), OF_NOBODY,
	 .setup = slow_path},
	{"the same, bad flags", WIRE_IN(other_vni_flags, V4), OF_NOBODY, .setup = slow_path},
	{"the same, from a stranger", WIRE_IN(stranger_vni, V4), OF_NOBODY, .setup = slow_path},
	{"the same, options", WIRE_IN(options_vni, V4), OF_NOBODY, .setup = slow_path},
	{"the same, another port", WIRE_IN(other_port, V4), PASSES, .setup = slow_path},
	{"all 24 bits of the VNI count", WIRE_IN(vni_above, V4), PASSES},
	{"VNI of a tenant that is gone", WIRE_IN(host2, V4), PASSES, .setup = no_red},
	{"to another IP", WIRE_IN(other_ip, V4), PASSES},
	{"to a group", WIRE_IN(group_ip, V4), PASSES},
	{"to another MAC", WIRE_IN(other_mac, V4), PASSES},
	{"to the broadcast MAC", WIRE_IN(all_macs, V4), PASSES},
	{"to a multicast MAC", WIRE_IN(group_mac, V4), PASSES},
	{"to another port", WIRE_IN(other_port, V4), PASSES},
	{"to 4789 where another is ours", WIRE_IN(host2, V4), PASSES, .setup = port_8472},
	{"not UDP", WIRE_IN(not_udp, V4), PASSES},
	{"later fragment", WIRE_IN(later_fragment, V4), PASSES},
	{"high bit of the fragment offset", WIRE_IN(last_offset, V4), PASSES},
	{"outer VLAN", WIRE_IN(tagged, V4), PASSES},
	{"another outer protocol", WIRE_IN(as_ipv6, V4), PASSES},
	{"no tunnel frame at all", .program = FROM_WIRE, PASSES,
	 .in = {.dst = MAC_WIRE, .src = MAC_HOST2, .from = IP_HOST2, .to = IP_WIRE}},

	{"outer IPv4 checksum wrong", WIRE_IN(bad_sum, V4), .verdict = PASSED},
	{"outer IPv4 longer than the frame", WIRE_IN(long_ip, V4), TRUNCATED},
	{"outer IPv4 shorter than the frame", WIRE_IN(short_ip, V4), TRUNCATED},
	{"outer UDP longer than its packet", WIRE_IN(long_udp, V4), TRUNCATED},
	{"outer UDP of its header alone", WIRE_IN(short_udp, V4), TRUNCATED},
	{"congestion met that cannot be told, super-frame", WIRE_IN(congested, V4), .gso_size = 10,
	 .gso_segs = 2, .size = {2, 42 + 42}, .drop = TSW_DROP_ECN_INVALID, .setup = slow_path},
	{"first fragment", WIRE_IN(first_fragment, V4), .drop = TSW_DROP_OUTER_FRAGMENT},
	{"outer options", WIRE_IN(options, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"outer options like a tunnel header", WIRE_IN(tricky, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"all outer options there can be", WIRE_IN(most_options, V4),
	 .drop = TSW_DROP_OUTER_OPTIONS},
	{"options in a first fragment", WIRE_IN(options_fragment, V4),
	 .drop = TSW_DROP_OUTER_FRAGMENT},
	{"options and bad flags", WIRE_IN(options_flags, V4), .drop = TSW_DROP_OUTER_OPTIONS},
	{"options, VNI of no tenant", WIRE_IN(options_vni, V4), PASSES},
	{"first fragment, VNI of no tenant", WIRE_IN(fragment_vni, V4), PASSES},
	{"first fragment from a stranger", WIRE_IN(fragment_stranger, V4), UNKNOWN_HOST},
	{"options from a stranger", WIRE_IN(options_stranger, V4), UNKNOWN_HOST},
	{"bad flags from a stranger", WIRE_IN(flags_stranger, V4), UNKNOWN_HOST},
	{"IPv4 header of 16 octets", WIRE_IN(host2, V4), PASSES, .change = ihl_4},
	{"the same, red's VNI 4 octets earlier", WIRE_IN(earlier, V4), PASSES, .change = ihl_4,
	 .setup = port_513},
	{"IPv4 of version 6", WIRE_IN(host2, V4), PASSES, .change = version_6},
	{"this host has no IPv4", WIRE_IN(to_zero, V4), PASSES, .setup = no_local},
	{"from a stranger", WIRE_IN(stranger, V4), UNKNOWN_HOST},
	{"from this host itself", WIRE_IN(ourselves, V4), UNKNOWN_HOST},
	{"C does not live on host 3", WIRE_IN(host3, V4), WRONG_HOST},
	{"blue's C does not live on host 2", WIRE_IN(blue_host2, V4), WRONG_HOST, .tenant = BLUE},
	{"a local endpoint's MAC", WIRE_IN(host2, V4, .src = MAC_B), WRONG_HOST},
	{"the receiver's own MAC", WIRE_IN(host2, V4, .src = MAC_A), WRONG_HOST},
	{"a multicast MAC", WIRE_IN(host2, V4, .src = "01:00:5e:00:00:01"), WRONG_HOST},
	{"the broadcast MAC", WIRE_IN(host2, V4, .src = MAC_BROADCAST), WRONG_HOST},
	{"a MAC of zero", WIRE_IN(host2, V4, .src = MAC_NONE), WRONG_HOST},
	{"a local endpoint's MAC, broadcast",
	 WIRE_IN(host2, V4, .src = MAC_B, .dst = MAC_BROADCAST), WRONG_HOST},
	{"a MAC of host 3's", WIRE_IN(host2, V4, .src = MAC_D), WRONG_HOST},
	{"a MAC of nobody", WIRE_IN(host2, V4, .src = MAC_UNKNOWN), WRONG_HOST},
	{"a port numbered like the host", WIRE_IN(host2, V4), WRONG_HOST, .setup = port_like_host},
	{"ARP from the wrong host", WIRE_IN(host3, ARP_REPLY), WRONG_HOST},
	{"broadcast from the wrong host", WIRE_IN(host3, V4, .dst = MAC_BROADCAST), WRONG_HOST},
	{"reserved group from the wrong host", WIRE_IN(host3, V4, .dst = "01:80:c2:00:00:00"),
	 WRONG_HOST},

	{"802.1Q inside", WIRE_IN(host2, V4, .type = 0x8100), VLAN},
	{"802.1ad inside", WIRE_IN(host2, V4, .type = 0x88a8), VLAN},
	{"spanning tree inside", WIRE_IN(host2, V4, .dst = "01:80:c2:00:00:00"),
	 .drop = TSW_DROP_RESERVED_MULTICAST},
	{"LLDP inside", WIRE_IN(host2, RAW(0x88cc, 9), .dst = "01:80:c2:00:00:0e"),
	 .drop = TSW_DROP_RESERVED_MULTICAST},
	{"half an IPv4 header inside", WIRE_IN(host2, RAW(0x0800, 19)), TRUNCATED},
	{"half an IPv6 header inside", WIRE_IN(host2, RAW(0x86dd, 39)), TRUNCATED},
	{"IPv4 of version 0 inside", WIRE_IN(host2, RAW(0x0800, 60)), TRUNCATED},
	{"IPv6 of version 4 inside", WIRE_IN(host2, V4, .type = 0x86dd, .payload = 60), TRUNCATED},
	{"IPv4 longer than its frame", WIRE_IN(host2, V4, .lie = 1), TRUNCATED},
	{"IPv6 longer than its frame", WIRE_IN(host2, V6, .lie = 1), TRUNCATED},

	{"to a MAC of nobody", WIRE_IN(host2, V4, .dst = MAC_UNKNOWN), NOWHERE},
	{"never on to another host", WIRE_IN(host2, V4, .dst = MAC_D, .to = IP_D), NOWHERE},
	{"nor to the port numbered like it", WIRE_IN(host2, V4, .dst = MAC_D), NOWHERE,
	 .setup = host_like_port},
	{"never back to where it came from", WIRE_IN(host2, V4, .dst = MAC_C), NOWHERE},
	{"to a port that is gone", WIRE_IN(host2, V4), NOWHERE, .setup = a_is_gone},
	{"broadcast switched off", WIRE_IN(host2, V4, .dst = MAC_BROADCAST),
	 .drop = TSW_DROP_BROADCAST_OFF, .setup = broadcast_off},
	{"broadcast with no port to go to", WIRE_IN(host2, V4, .dst = MAC_BROADCAST),
	 .moves = MOVE(RX), .host = HOST2, .setup = no_members},

	{"UDP super-frame, no tunnel device", WIRE_IN(host2, V4, .payload = 2000), .gso_size = 500,
	 .gso_segs = 4, .drop = TSW_DROP_NO_SLOW_PATH, .size = {4, 2042 + 3 * 42}},
	{"UDP super-frame", WIRE_IN(host2, V4, .payload = 2000), .gso_size = 500, .gso_segs = 4,
	 TO_KERNEL, .setup = slow_path},
	{"UDP super-frame from a stranger", WIRE_IN(stranger, V4, .payload = 2000), .gso_size = 500,
	 .gso_segs = 4, UNKNOWN_HOST, .setup = slow_path},
	{"UDP super-frame from the wrong host", WIRE_IN(host3, V4, .payload = 2000),
	 .gso_size = 500, .gso_segs = 4, WRONG_HOST, .setup = slow_path,
	 .size = {4, 2042 + 3 * 42}},
	{"TCP super-frame over IPv6, old kernel", TO_KERNEL, .gso_size = 500, .gso_segs = 4,
	 WIRE_IN(host2, V6, .kind = KIND_TCP, .payload = 2000), .setup = slow_path_old_kernel},
};

/* The kernel's own device drops a frame with any reserved bit set, and so does the switch. */
static void every_bit_of_the_flags(void **state)
{
	for (int bit = 0; bit < 40; bit++) {
		const struct outer outer = {FROM_HOST2, .flip = bit < 32 ? 1U << bit : 0,
					    .reserved = bit < 32 ? 0 : 1 << (bit - 32)};
		const struct packet_case c = {"a bit of the VXLAN header", WIRE_IN(outer, V4),
					      .drop = TSW_DROP_BAD_TUNNEL_HEADER};

		packet_check(&c);
	}
	(void)state;
}

/* What is told of VXLAN's UDP port or of a certain kernel is not so by the other wires. */
static bool is_of_all_wires(const struct packet_case *c)
{
	return c->in.outer == &host2 && !c->gso_size && !c->change && c->setup != port_8472 &&
	       c->setup != old_kernel && c->setup != a_has_peer;
}

static void every_wire(void **state)
{
	const struct packet_wire *wire = *state;
	char name[128];
	int n = 0;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct packet_case c = cases[i];

		if (!is_of_all_wires(&c))
			continue;
		snprintf(name, sizeof(name), "%s: %s", wire->name, c.name);
		c.name = name;
		c.in.outer = &wire->outer;
		packet_check(&c);
		n++;
	}
	assert_in_range(n, 30, COUNT(cases));
}

int main(void)
{
	struct CMUnitTest more[1 + WIRES] = {cmocka_unit_test(every_bit_of_the_flags)};
	const struct packet_suite suite = {"decap", cases, COUNT(cases), more, COUNT(more)};

	for (size_t i = 0; i < WIRES; i++)
		more[1 + i] = (struct CMUnitTest){
			.name = packet_wires[i].name,
			.test_func = every_wire,
			.initial_state = (void *)&packet_wires[i],
		};
	return packet_main(&suite);
}
