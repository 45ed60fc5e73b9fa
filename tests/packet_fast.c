// SPDX-License-Identifier: GPL-2.0-only
/* A leased flow: what the programs make of its frames, and what is not for them to translate. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "packet.h"

#define SUM_COMPLETE (1U << 2) /* BPF_F_TEST_SKB_CHECKSUM_COMPLETE */
#define OF_RED 0x74500001      /* mark: a class over an index, see abi.h */
#define IP_SNAT "198.51.100.200"
#define IP6_SNAT "2001:db8:55::ffff"
#define SPORT 1000
#define DPORT 2000
#define SNAT_PORT 40000
#define WAY_MTU 1400
#define UDP_CHECK (ETH_HLEN + 20 + 6)
#define IPV4_CHECK (ETH_HLEN + 10)
#define TCP_OFFSET (ETH_HLEN + 20 + 12)

/* The flow of a test: red's A to the world, and back. */
struct lease {
	const char *inside, *outside, *snat;
	__u8 proto;
	int seconds; /* that it has left */
	__u32 generation, in, mtu;
	__u32 port; /* that answers go to straight; 0: none */
	bool ask;   /* the host's routes */
};

static const struct lease leases[] = {
	{IP_A, IP_WORLD, IP_SNAT, 17, 600, 0, WIRE, WAY_MTU},
	{IP_A, IP_WORLD, IP_SNAT, 6, 600, 0, WIRE, WAY_MTU},
	{IP6_A, IP6_WORLD, IP6_SNAT, 17, 600, 0, WIRE, WAY_MTU},
	{IP6_A, IP6_WORLD, IP6_SNAT, 6, 600, 0, WIRE, WAY_MTU},
};

/* RFC 1624: what a sum changes by where these octets are replaced by those. */
static __u32 changed(const void *was, const void *is, size_t len)
{
	const __u16 *from = was, *to = is;
	__u32 sum = 0;

	for (size_t i = 0; i < len / 2; i++)
		sum += to[i] + (__u16)~from[i];
	return sum;
}

static void put(const struct tsw_flow_key *came, const struct tsw_flow_key *left,
		const struct lease *l, bool out)
{
	struct timespec now;
	struct tsw_fast to = {
		.src = left->src,
		.dst = left->dst,
		.sport = left->sport,
		.dport = left->dport,
		.generation = l->generation,
		.addrs = changed(&came->src, &left->src, 2 * sizeof(came->src)),
		.ports = changed(&came->sport, &left->sport, 4),
		.mark = out ? 0 : OF_RED,
		.in = out ? 0 : l->in,
		.out = out ? WIRE2 : l->port,
		.mtu = l->mtu,
	};

	clock_gettime(CLOCK_MONOTONIC, &now);
	to.until = (now.tv_sec + l->seconds) * 1000000000ULL;
	to.asked = out && !l->ask ? to.until : 0;
	frame_mac(to.hw_dst.b, out ? MAC_ROUTER : MAC_A);
	frame_mac(to.hw_src.b, out ? MAC_WIRE2 : MAC_G);
	lab_set(M_FAST, came, &to);
}

static void lease(const struct lease *l)
{
	struct tsw_flow_key inside = {
		.tenant = RED, .sport = htons(SPORT), .dport = htons(DPORT), .proto = l->proto};
	struct tsw_flow_key outside = inside, back, home;

	frame_ip((__u8 *)&inside.src, l->inside);
	frame_ip((__u8 *)&inside.dst, l->outside);
	outside.dst = inside.dst;
	frame_ip((__u8 *)&outside.src, l->snat);
	outside.sport = htons(SNAT_PORT);
	put(&inside, &outside, l, true);
	back = (struct tsw_flow_key){.src = outside.dst,
				     .dst = outside.src,
				     .sport = outside.dport,
				     .dport = outside.sport,
				     .proto = l->proto};
	home = (struct tsw_flow_key){
		.src = inside.dst, .dst = inside.src, .sport = inside.dport, .dport = inside.sport};
	put(&back, &home, l, false);
}

static void lease_all_as(int seconds, __u32 generation, __u32 in, __u32 port)
{
	for (size_t i = 0; i < COUNT(leases); i++) {
		struct lease l = leases[i];

		l.port = port;
		l.seconds = seconds;
		l.generation = generation;
		l.in = in;
		lease(&l);
	}
}

static void leased(void)
{
	lease_all_as(600, 0, WIRE, 0);
}

/* A lease opens no way that is closed: it may be of a time before the host was known. */
static void leased_to_hosts(void)
{
	static const struct lease to[] = {
		{IP_A, IP_HOST2, IP_SNAT, 17, 600, 0, WIRE, WAY_MTU},
		{IP6_A, IP6_HOST4, IP6_SNAT, 17, 600, 0, WIRE, WAY_MTU},
	};

	for (size_t i = 0; i < COUNT(to); i++)
		lease(&to[i]);
}

static void straight(void)
{
	lease_all_as(600, 0, WIRE, RED_A);
}

static void moved_to_a_host(void)
{
	straight();
	lab_fdb(RED, MAC_A, TSW_PLACE_HOST, HOST2);
}

static void moved_to_a_port(void)
{
	straight();
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, RED_B);
}

static void endpoint_is_gone(void)
{
	straight();
	lab_fdb_unset(RED, MAC_A);
}

static void lease_is_over(void)
{
	lease_all_as(-1, 0, WIRE, 0);
}

static void lease_is_old(void)
{
	lease_all_as(600, 1, WIRE, 0);
}

static void rules_are_newer(void)
{
	leased();
	lab_changed();
}

static void comes_by_another_device(void)
{
	lease_all_as(600, 0, WIRE2, 0);
}

/* The next hop, which is the destination itself, has that Ethernet address. */
static void asks(const char *forwarding, const char *mac)
{
	char commands[256];

	lab_sysctl("ipv4/conf/tsup/forwarding", forwarding);
	lab_sysctl("ipv6/conf/tsup/forwarding", forwarding);
	snprintf(commands, sizeof(commands),
		 "route replace %s dev wire2\n"
		 "neigh replace %s lladdr %s dev wire2\nneigh replace %s lladdr %s dev wire2\n",
		 IP6_WORLD, IP_WORLD, mac, IP6_WORLD, mac);
	lab_ip(commands);
	for (size_t i = 0; i < COUNT(leases); i++) {
		struct lease l = leases[i];

		l.ask = true;
		lease(&l);
	}
}

static void asked(void)
{
	asks("1", MAC_ROUTER);
}

static void asked_another_neighbour(void)
{
	asks("1", MAC_HOST3);
}

static void asked_nobody(void)
{
	asks("0", MAC_ROUTER);
}

static void no_sum(struct frame *f)
{
	memset(f->b + UDP_CHECK, 0, 2);
}

static void no_sum_either(const struct frame *in, struct frame *out)
{
	memcpy(out->b + UDP_CHECK, in->b + UDP_CHECK, 2);
}

static void bad_ip_sum(struct frame *f)
{
	f->b[IPV4_CHECK] ^= 1;
}

static void short_tcp_header(struct frame *f)
{
	f->b[TCP_OFFSET] = 0x40;
}

static void long_tcp_header(struct frame *f)
{
	f->b[TCP_OFFSET] = 0xf0;
}

static void short_udp(struct frame *f)
{
	f->b[ETH_HLEN + 20 + 5] -= 1;
}

static void padded(struct frame *f)
{
	const __u8 zeros[6] = {};

	frame_put(f, zeros, sizeof(zeros));
}

#define TO_G .dst = MAC_G, .to = IP_WORLD
#define TO_G6 .dst = MAC_G, .from = IP6_A, .to = IP6_WORLD
#define OUT .dst = MAC_ROUTER, .src = MAC_WIRE2, .from = IP_SNAT, .to = IP_WORLD, .sport = SNAT_PORT
#define OUT6 OUT, .from = IP6_SNAT, .to = IP6_WORLD
#define IN .dst = MAC_WIRE, .src = MAC_HOST2, .from = IP_WORLD, .to = IP_SNAT, .sport = DPORT
#define BACK IN, .dport = SNAT_PORT
#define BACK6 BACK, .from = IP6_WORLD, .to = IP6_SNAT
#define HOME IN, .to = IP_A, .dport = SPORT
#define HOME6 HOME, .from = IP6_WORLD, .to = IP6_A
#define TCP .kind = KIND_TCP

#define LEAVES(...)                                                                       \
	.out = &(const struct spec){__VA_ARGS__}, .verdict = REDIRECTED, .setup = leased, \
	.moves = MOVE(GATEWAY)
#define COMES(...)                                                                        \
	.out = &(const struct spec){__VA_ARGS__}, .verdict = REDIRECTED, .setup = leased, \
	.program = FROM_WIRE, .mark_out = OF_RED, .leased = true
#define TO_A(...)                                                                        \
	.out = &(const struct spec){__VA_ARGS__, .ttl = 63, .dst = MAC_A, .src = MAC_G}, \
	.verdict = REDIRECTED, .setup = straight, .program = FROM_WIRE, .to = RED_A,     \
	.moves = MOVE(GATEWAY)
/* On to tsw_fast_gateway, which finds out where that is now. */
#define ASKS(...) COMES(__VA_ARGS__, .ttl = 63, .dst = MAC_A, .src = MAC_G)
/* By the router, as it is. */
#define SLOW .verdict = REDIRECTED, .setup = leased, .moves = MOVE(GATEWAY), .mark_out = OF_RED
#define SLOW_BACK .verdict = PASSED, .setup = leased, .program = FROM_WIRE

static const struct packet_case cases[] = {
	{"out, UDP", .in = {TO_G, .payload = 33}, LEAVES(OUT, .ttl = 63, .payload = 33)},
	{"out, TCP", .in = {TO_G, TCP, .payload = 33}, LEAVES(OUT, TCP, .ttl = 63, .payload = 33)},
	{"out, PSH and URG", .in = {TO_G, TCP, .tcp_flags = 0x38},
	 LEAVES(OUT, TCP, .tcp_flags = 0x38, .ttl = 63)},
	{"out, ECE and CWR", .in = {TO_G, TCP, .tcp_flags = 0xd0},
	 LEAVES(OUT, TCP, .tcp_flags = 0xd0, .ttl = 63)},
	{"out, IPv6, UDP", .in = {TO_G6, .payload = 33}, LEAVES(OUT6, .ttl = 63, .payload = 33)},
	{"out, IPv6, TCP", .in = {TO_G6, TCP}, LEAVES(OUT6, TCP, .ttl = 63)},
	{"out, the last hop", .in = {TO_G, .ttl = 2}, LEAVES(OUT, .ttl = 1)},
	{"out, IPv6, the last hop", .in = {TO_G6, .ttl = 2}, LEAVES(OUT6, .ttl = 1)},
	{"out, most hops", .in = {TO_G, .ttl = 255}, LEAVES(OUT, .ttl = 254)},
	{"out, DSCP, ECN and identification", .in = {TO_G, .tos = 0xb9, .id = 0xffff},
	 LEAVES(OUT, .tos = 0xb9, .id = 0xffff, .ttl = 63)},
	{"out, IPv6, DSCP, ECN and flow label", .in = {TO_G6, .tos = 0xbb, .flow = 0xfedcb},
	 LEAVES(OUT6, .tos = 0xbb, .flow = 0xfedcb, .ttl = 63)},
	{"out, do not fragment", .in = {TO_G, .frag = 0x4000},
	 LEAVES(OUT, .frag = 0x4000, .ttl = 63)},
	{"out, UDP without a checksum", .in = {TO_G}, .change = no_sum, LEAVES(OUT, .ttl = 63),
	 .make = no_sum_either},
	{"out, as long as the way takes", .in = {TO_G, .payload = WAY_MTU - 28},
	 LEAVES(OUT, .ttl = 63, .payload = WAY_MTU - 28)},
	{"out, IPv6, as long as the way takes", .in = {TO_G6, .payload = WAY_MTU - 48},
	 LEAVES(OUT6, .ttl = 63, .payload = WAY_MTU - 48)},
	{"back, UDP", .in = {BACK, .payload = 33}, COMES(HOME, .ttl = 63, .payload = 33)},
	{"back, TCP", .in = {BACK, TCP, .payload = 33}, COMES(HOME, TCP, .ttl = 63, .payload = 33)},
	{"back, IPv6, UDP", .in = {BACK6, .payload = 33}, COMES(HOME6, .ttl = 63, .payload = 33)},
	{"back, IPv6, TCP", .in = {BACK6, TCP}, COMES(HOME6, TCP, .ttl = 63)},
	{"back, congestion experienced", .in = {BACK, TCP, .tos = 3},
	 COMES(HOME, TCP, .tos = 3, .ttl = 63)},
	{"back, UDP without a checksum", .in = {BACK}, .change = no_sum, COMES(HOME, .ttl = 63),
	 .make = no_sum_either},

	{"straight back, UDP", .in = {BACK, .payload = 33}, TO_A(HOME, .payload = 33)},
	{"straight back, TCP", .in = {BACK, TCP, .payload = 33}, TO_A(HOME, TCP, .payload = 33)},
	{"straight back, IPv6, UDP", .in = {BACK6, .payload = 33}, TO_A(HOME6, .payload = 33)},
	{"straight back, IPv6, TCP", .in = {BACK6, TCP}, TO_A(HOME6, TCP)},
	{"straight back, no hop left", .in = {BACK, .ttl = 1}, SLOW_BACK, .setup = straight},
	{"straight back, FIN", .in = {BACK, TCP, .tcp_flags = 0x11}, SLOW_BACK, .setup = straight},
	{"straight back, to one that is on a host now", .in = {BACK}, ASKS(HOME),
	 .setup = moved_to_a_host},
	{"straight back, to one at another port now", .in = {BACK}, ASKS(HOME),
	 .setup = moved_to_a_port},
	{"straight back, to one that is gone", .in = {BACK, TCP}, ASKS(HOME, TCP),
	 .setup = endpoint_is_gone},

	{"SYN", .in = {TO_G, TCP, .tcp_flags = 0x02}, SLOW},
	{"SYN and ACK", .in = {TO_G, TCP, .tcp_flags = 0x12}, SLOW},
	{"FIN", .in = {TO_G, TCP, .tcp_flags = 0x11}, SLOW},
	{"RST", .in = {TO_G, TCP, .tcp_flags = 0x04}, SLOW},
	{"RST and ACK", .in = {TO_G, TCP, .tcp_flags = 0x14}, SLOW},
	{"no ACK", .in = {TO_G, TCP, .tcp_flags = 0x08}, SLOW},
	{"a TCP header of 16 octets", .in = {TO_G, TCP}, .change = short_tcp_header, SLOW},
	{"a TCP header beyond the end", .in = {TO_G, TCP}, .change = long_tcp_header, SLOW},
	{"UDP, shorter than its packet", .in = {TO_G, .payload = 8}, .change = short_udp, SLOW},
	{"the first fragment", .in = {TO_G, .frag = 0x2000, .payload = 64}, SLOW},
	{"options", .in = {TO_G, .ext = "94040000"}, SLOW},
	{"IPv6, destination options", .in = {TO_G6, .ext = "1100010400000000", .next = 60}, SLOW},
	{"no hop left", .in = {TO_G, .ttl = 1}, SLOW},
	{"IPv6, no hop left", .in = {TO_G6, .ttl = 1}, SLOW},
	{"too long for the way", .in = {TO_G, .payload = WAY_MTU - 27}, SLOW},
	{"IPv6, too long for the way", .in = {TO_G6, .payload = WAY_MTU - 47}, SLOW},
	{"padded", .in = {TO_G, TCP}, .change = padded, SLOW},
	{"IPv6, padded", .in = {TO_G6, TCP}, .change = padded, SLOW},
	{"the header's checksum is wrong", .in = {TO_G}, .change = bad_ip_sum, SLOW},
	{"another source port", .in = {TO_G, .sport = SPORT + 1}, SLOW},
	{"another destination port", .in = {TO_G, .dport = DPORT + 1}, SLOW},
	{"another protocol", .in = {TO_G, .proto = 132}, SLOW},
	{"ICMP", .in = {TO_G, .kind = KIND_ICMP, .icmp_type = 8, .rest = "03e807d0"}, SLOW},
	{"the lease is over", .in = {TO_G}, SLOW, .setup = lease_is_over},
	{"the lease is of other rules", .in = {TO_G}, SLOW, .setup = lease_is_old},
	{"the rules have changed since", .in = {TO_G6}, SLOW, .setup = rules_are_newer},
	{"another tenant's, with the same addresses", .in = {TO_G}, SLOW, .dev = BLUE_A,
	 .tenant = BLUE, .mark_out = OF_RED + 1},
	{"to a host", .in = {TO_G, .to = IP_HOST2}, .drop = TSW_DROP_HOST_ADDRESS,
	 .setup = leased_to_hosts},
	{"to a host, IPv6", .in = {TO_G6, .to = IP6_HOST4}, .drop = TSW_DROP_HOST_ADDRESS,
	 .setup = leased_to_hosts},
	{"routes are asked", .in = {TO_G}, LEAVES(OUT, .ttl = 63), .setup = asked},
	{"routes are asked, IPv6", .in = {TO_G6, TCP}, LEAVES(OUT6, TCP, .ttl = 63),
	 .setup = asked},
	{"another neighbour", .in = {TO_G}, SLOW, .slot = TSW_SLOT_NONE,
	 .setup = asked_another_neighbour},
	{"another neighbour, IPv6", .in = {TO_G6}, SLOW, .slot = TSW_SLOT_NONE,
	 .setup = asked_another_neighbour},
	{"routes that cannot be asked", .in = {TO_G}, SLOW, .setup = asked_nobody},
	{"back, by another device", .in = {BACK}, SLOW_BACK, .setup = comes_by_another_device},
	{"back, the lease is over", .in = {BACK}, SLOW_BACK, .setup = lease_is_over},
	{"back, the rules have changed", .in = {BACK, TCP}, SLOW_BACK, .setup = rules_are_newer},
	{"back, RST", .in = {BACK, TCP, .tcp_flags = 0x04}, SLOW_BACK},
	{"back, FIN", .in = {BACK, TCP, .tcp_flags = 0x11}, SLOW_BACK},
	{"back, a fragment", .in = {BACK, .frag = 0x2000, .payload = 64}, SLOW_BACK},
	{"back, IPv6, no hop left", .in = {BACK6, .ttl = 1}, SLOW_BACK},
	{"back, padded", .in = {BACK, TCP}, .change = padded, SLOW_BACK},
	{"back, not to this host's MAC", .in = {BACK, .dst = MAC_UNKNOWN}, SLOW_BACK},
	{"back, to a group", .in = {BACK, .dst = MAC_BROADCAST}, SLOW_BACK},
	{"what goes out does not come in",
	 .in = {IN, .from = IP_A, .to = IP_WORLD, .sport = SPORT, .dport = DPORT}, SLOW_BACK},
};

/*
 * A device that sums all octets gives the sum with the frame, and what the stack checks later is
 * that one: it must fit what the frame has become. The kernel compares them behind the run.
 */
static void fits_the_devices_sum(void **state)
{
	struct __sk_buff ctx = {};
	struct frame in, out;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &ctx, .ctx_size_in = sizeof(ctx),
		    .data_in = in.b, .data_out = out.b, .data_size_out = sizeof(out.b),
		    .flags = SUM_COMPLETE);

	(void)state;
	leased();
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct packet_case *c = &cases[i];

		if (!c->out)
			continue;
		in.len = 0;
		frame_build(&c->in, &in);
		if (c->change)
			c->change(&in);
		ctx.ifindex = c->program == FROM_WIRE ? WIRE : RED_A;
		opts.data_size_in = in.len;
		opts.data_size_out = sizeof(out.b);
		if (!bpf_prog_test_run_opts(lab_program(c->program), &opts))
			continue;
		if (errno == EINVAL)
			skip(); /* this kernel does not know the flag */
		fail_msg("%s: %s", c->name, strerror(errno));
	}
	lab_fill();
}

/* Of so many frames straight back, those that get to the port. */
static unsigned int come_home(unsigned int frames)
{
	const struct spec spec = {BACK};
	const struct __sk_buff ctx = {.ifindex = WIRE};
	struct packet_run run;
	struct frame in = {};
	unsigned int i, n = 0;

	frame_build(&spec, &in);
	for (i = 0; i < frames; i++) {
		assert_int_equal(packet_run(FROM_WIRE, &in, &ctx, &run), 0);
		n += run.verdict == TC_ACT_REDIRECT;
	}
	return n;
}

static void comes_to_no_port_of_anothers(void **state)
{
	(void)state;
	straight();
	assert_int_equal(come_home(1), 1);
	lease_all_as(600, 0, WIRE, BLUE_A);
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, BLUE_A);
	assert_int_equal(come_home(1), 0);
	lab_fill();
}

static void comes_as_fast_as_the_port_may_get(void **state)
{
	(void)state;
	straight();
	lab_limit(RED, MAC_A, TSW_RATE_IN, 1, 4 * 42 - 1);
	assert_int_equal(come_home(9), 4);
	lab_fill();
}

static const struct CMUnitTest more[] = {
	cmocka_unit_test(comes_to_no_port_of_anothers),
	cmocka_unit_test(comes_as_fast_as_the_port_may_get),
	cmocka_unit_test(fits_the_devices_sum),
};

int main(void)
{
	const struct packet_suite suite = {"fast", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
