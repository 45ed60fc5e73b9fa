// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tenant's share of connections at a gateway's host holds against destinations that somebody has
 * chosen who knows the programs, and against all that conntrack has entries for.
 *
 * Frames of red come in by tsw-gw, as its mark says, and go to the world.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "packet.h"

enum { SYN = 0x02, RED_MARK = 0x74500001 };
enum { SHARE = 1000, HALF = 100, DESTINATIONS = 1 << 14, AT_DST = ETH_HLEN + 24 };

static int program, fair;

static int setup(void **state)
{
	static __u32 table;
	const struct tsw_fair fresh = {.table = ++table};
	const __u32 red = RED;

	(void)state;
	lab_fill();
	lab_gateways_fill();
	program = lab_program_named("tsw_to_gateway");
	fair = bpf_object__find_map_fd_by_name(lab_object(), "tsw_fair");
	assert_true(fair >= 0);
	assert_int_equal(map_update(fair, &red, &fresh, BPF_ANY), 0);
	return 0;
}

static void limit(__u32 connections, __u32 half_open)
{
	const __u32 red = RED;
	struct tsw_fair now;

	assert_int_equal(bpf_map_lookup_elem(fair, &red, &now), 0);
	now.connections = connections;
	now.half_open = half_open;
	assert_int_equal(map_update(fair, &red, &now, BPF_ANY), 0);
}

/* QUEUED: it has been here before. */
static int enter(const struct frame *f, bool sealed, bool queued)
{
	struct __sk_buff ctx = {.ifindex = GW, .mark = queued ? RED_MARK : 0};
	struct frame in;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in.b, .data_size_in = (__u32)f->len,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx));

	in.len = f->len;
	memcpy(in.b, f->b, f->len);
	if (sealed)
		packet_seal(&in, RED_MARK, 0);
	assert_int_equal(bpf_prog_test_run_opts(program, &opts), 0);
	return (int)opts.retval;
}

static bool enters(const struct frame *f, bool sealed)
{
	return enter(f, sealed, true) != TC_ACT_SHOT;
}

static bool goes(const struct frame *f)
{
	return enters(f, true);
}

/*
 * The nth of 65536 destinations, which differ in octets 4, 9, 12, 15 and 16. In a hash that
 * multiplies word after word, what differs in the first is cancelled in the second.
 */
static void choose(struct frame *f, const struct frame *from, unsigned int nth)
{
	const __u32 x = nth & 0xff, y = nth >> 8;
	__u8 *to = f->b + AT_DST;

	*f = *from;
	to[3] ^= x;
	to[11] ^= y;
	to[8] ^= y >> 5;
	to[15] ^= y << 3;
}

static unsigned int chosen(const struct spec *spec)
{
	struct frame from, f;
	unsigned int n = 0;

	frame_build(spec, &from);
	for (unsigned int i = 0; i < DESTINATIONS; i++) {
		choose(&f, &from, i);
		n += goes(&f);
	}
	return n;
}

#define TO_WORLD .dst = MAC_G, .from = IP6_A, .to = IP6_WORLD
#define TO_WORLD4 .dst = MAC_G, .from = IP_A, .to = IP_WORLD

/* The mark alone, which any program of the host can set, does not make a frame a tenant's. */
static void unsealed(void **state)
{
	const struct spec spec = {TO_WORLD, .sport = 999, .dport = 2000};
	struct frame f;

	(void)state;
	frame_build(&spec, &f);
	assert_false(enters(&f, false));
	assert_true(enters(&f, true));
}

static void connections(void **state)
{
	unsigned int n;

	(void)state;
	limit(SHARE, TSW_FAIR_NONE);
	n = chosen(&(const struct spec){TO_WORLD, .sport = 1000, .dport = 2000});
	print_message("of %d chosen connections a share of %d holds %u\n", DESTINATIONS, SHARE, n);
	assert_in_range(n, SHARE / 2, SHARE);
}

static void half_open(void **state)
{
	unsigned int n;

	(void)state;
	limit(TSW_FAIR_NONE, HALF);
	n = chosen(&(const struct spec){TO_WORLD, .kind = KIND_TCP, .tcp_flags = SYN});
	print_message("of %d chosen connections %u of %d are half open\n", DESTINATIONS, n, HALF);
	assert_in_range(n, HALF, HALF);
}

/* Behind NAT those to one destination are in a part of the buckets. */
static void shared_ports(void **state)
{
	unsigned int n;

	(void)state;
	lab_gateway_flags(RED, TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL | TSW_GATEWAY_NAT);
	limit(SHARE, TSW_FAIR_NONE);
	/* Another port: a connection that was seen in this tick is not looked up again. */
	n = chosen(&(const struct spec){TO_WORLD, .sport = 1001, .dport = 2000});
	print_message("behind NAT a share of %d holds %u\n", SHARE, n);
	assert_in_range(n, SHARE / 2, SHARE);
}

/* Of 10,000 connections to one destination, of a tenant that leaves as an address of N tenants. */
static unsigned int of_users(__u32 users, __u16 port)
{
	struct spec spec = {TO_WORLD, .dport = port};
	struct tsw_gateway gw;
	unsigned int n = 0;
	struct frame f;

	lab_gateway_get(RED, &gw);
	gw.flags |= TSW_GATEWAY_NAT;
	frame_ip((__u8 *)&gw.snat[TSW_IPV6], "2001:db8:9::77");
	lab_gateway_set(RED, &gw);
	lab_set(M_SNAT_USERS, &gw.snat[TSW_IPV6], &users);
	limit(32768, TSW_FAIR_NONE);
	for (int i = 0; i < 10000; i++) {
		spec.sport = 10000 + i;
		frame_build(&spec, &f);
		n += goes(&f);
	}
	print_message("of %u tenants that leave as one address one has %u of 10000\n", users, n);
	return n;
}

/* An address of its own has all ports for one tenant; of one that others use it has a quarter. */
static void shared_snat(void **state)
{
	const unsigned int quarter = (TSW_NAT_PORT_HIGH - TSW_NAT_PORT_LOW + 1) / 4;

	(void)state;
	assert_in_range(of_users(2, 3000), quarter * 4 / 5, quarter);
	assert_in_range(of_users(1, 3001), 9000, 10000);
}

/* Whatever ports there are. */
static void fewer_ports(void **state)
{
	struct tsw_config cfg, few;

	(void)state;
	lab_config(&cfg);
	few = cfg;
	few.nat_low = 10000;
	few.nat_high = 10999;
	lab_config_set(&few);
	assert_in_range(of_users(2, 3002), 100, 1000 / 4);
	lab_config_set(&cfg);
}

/* ---- what has an entry in conntrack ---------------------------------------------------------- */

enum { FEW = 40, TRIES = 250 };

/* Frames that differ in one octet: so many go. */
static unsigned int differing(const struct spec *spec, size_t at)
{
	struct frame f;
	unsigned int n = 0;

	frame_build(spec, &f);
	for (int i = 0; i < TRIES; i++, f.b[at]++)
		n += goes(&f);
	return n;
}

#define V4 (ETH_HLEN + 20)
#define V6 (ETH_HLEN + 40)

#define ICMP4(type) TO_WORLD4, .kind = KIND_ICMP, .icmp_type = (type), .rest = "00010001"
#define ICMP6(type) TO_WORLD, .kind = KIND_ICMP, .icmp_type = (type), .rest = "00010001"

static const struct kind_of {
	const char *name;
	struct spec spec;
	size_t at;
	bool counts;
} kinds[] = {
	{"UDP", {TO_WORLD4}, V4, true},
	{"echo", {ICMP4(8)}, V4 + 4, true},
	{"code", {TO_WORLD4, .kind = KIND_ICMP, .icmp_type = 8, .rest = "f0010001"}, V4 + 1, true},
	{"timestamp", {ICMP4(13)}, V4 + 4, true},
	{"echo, IPv6", {ICMP6(128)}, V6 + 4, true},
	{"node information", {ICMP6(139)}, V6 + 4, true},
	{"its code",
	 {TO_WORLD, .kind = KIND_ICMP, .icmp_type = 139, .rest = "f0010001"},
	 V6 + 1,
	 true},
	{"an error", {ICMP4(3)}, V4 + 4, false},
	{"an answer", {ICMP6(140)}, V6 + 4, false},
	{"UDP-Lite", {TO_WORLD4, .proto = IPPROTO_UDPLITE}, V4 + 1, true},
	{"DCCP", {TO_WORLD, .proto = IPPROTO_DCCP}, V6 + 1, true},
	{"SCTP", {TO_WORLD, .proto = IPPROTO_SCTP}, V6 + 3, true},
	{"calls of PPTP", {TO_WORLD4, .proto = IPPROTO_GRE, .sport = 0x3001}, V4 + 7, true},
	{"GRE of version 0", {TO_WORLD4, .proto = IPPROTO_GRE, .sport = 0x3000}, V4 + 7, false},
	{"another protocol, by addresses", {TO_WORLD, .proto = 99}, AT_DST + 15, true},
};

static void counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct kind_of *k = &kinds[i];
		unsigned int n;

		setup(NULL);
		limit(FEW, TSW_FAIR_NONE);
		n = differing(&k->spec, k->at);
		if (k->counts ? n > FEW || n < FEW / 2 : n != TRIES)
			fail_msg("%s: %u of %d go", k->name, n, TRIES);
	}
}

/* ---- for how long it counts ------------------------------------------------------------------ */

static __u32 conns_tick(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec * 1000000000ULL + now.tv_nsec) >> TSW_FAIR_TICK & TSW_CONN_UNTIL;
}

/* Of the one connection that red has: in how many ticks it is free. 0: it has none. */
static __u32 left(void)
{
	const int conns = bpf_object__find_map_fd_by_name(lab_object(), "tsw_conns");
	struct tsw_conn_bucket bucket;
	struct tsw_conn_key key, *at = NULL;
	const __u32 red = RED;
	struct tsw_fair now;
	__u32 most = 0;

	assert_int_equal(bpf_map_lookup_elem(fair, &red, &now), 0);
	while (!bpf_map_get_next_key(conns, at, &key)) {
		at = &key;
		if (key.tenant != RED || key.table != now.table ||
		    bpf_map_lookup_elem(conns, &key, &bucket))
			continue;
		for (int i = 0; i < TSW_CONN_ENTRIES; i++)
			if ((bucket.entry[i] & TSW_CONN_UNTIL) > most)
				most = bucket.entry[i] & TSW_CONN_UNTIL;
	}
	return most ? most - conns_tick() : 0;
}

static void put_timeouts(const struct tsw_timeouts *now)
{
	const int map = bpf_object__find_map_fd_by_name(lab_object(), "tsw_timeouts");
	const __u32 zero = 0;

	assert_int_equal(map_update(map, &zero, now, BPF_ANY), 0);
}

static __u32 ticks(__u32 seconds)
{
	return (__u32)(seconds * 1000000000ULL >> TSW_FAIR_TICK) + 2;
}

#define TCP_TO_WORLD TO_WORLD4, .kind = KIND_TCP, .sport = 4000, .dport = 80
enum { FIN = 0x01, ACK = 0x10, TICK_OFF = 1 };

static const struct time_of {
	const char *name;
	enum tsw_timeout as;
	struct spec first, then;
	bool goes_on;
} times[] = {
	{"half open", TSW_TIMEOUT_TCP_SYN_SENT, {TCP_TO_WORLD, .tcp_flags = SYN}, {}, false},
	{"open", TSW_TIMEOUT_TCP_ESTABLISHED, {TCP_TO_WORLD, .tcp_flags = ACK}, {}, false},
	{"half closed",
	 TSW_TIMEOUT_TCP_CLOSE_WAIT,
	 {TCP_TO_WORLD, .tcp_flags = ACK},
	 {TCP_TO_WORLD, .tcp_flags = FIN | ACK},
	 true},
	{"closing",
	 TSW_TIMEOUT_TCP_CLOSING,
	 {TCP_TO_WORLD, .tcp_flags = ACK},
	 {TCP_TO_WORLD, .tcp_flags = FIN | ACK},
	 true},
	{"UDP", TSW_TIMEOUT_UDP, {TO_WORLD4}, {}, false},
	{"echo", TSW_TIMEOUT_ICMP, {ICMP4(8)}, {}, false},
	{"echo, IPv6", TSW_TIMEOUT_ICMPV6, {ICMP6(128)}, {}, false},
	{"SCTP", TSW_TIMEOUT_SCTP, {TO_WORLD, .proto = IPPROTO_SCTP}, {}, false},
	{"DCCP", TSW_TIMEOUT_DCCP, {TO_WORLD, .proto = IPPROTO_DCCP}, {}, false},
	{"GRE", TSW_TIMEOUT_GRE, {TO_WORLD, .proto = IPPROTO_GRE}, {}, false},
	{"another protocol", TSW_TIMEOUT_GENERIC, {TO_WORLD, .proto = 99}, {}, false},
};

/* No processor has looked at anything in this tick. */
static void forget_seen(void)
{
	const int map = bpf_object__find_map_fd_by_name(lab_object(), "tsw_fair_seen");
	const __u32 zero = 0;
	void *none = calloc(libbpf_num_possible_cpus(), sizeof(struct tsw_fair_seen));

	assert_non_null(none);
	assert_int_equal(map_update(map, &zero, none, BPF_ANY), 0);
	free(none);
}

static const struct tsw_gateway *own_words; /* red's gateway, other than the lab's */

/* As long as SECONDS says for its state, where all others have one second. */
static void lasts(const struct time_of *of, __u32 seconds)
{
	struct tsw_timeouts now = {};
	struct frame f;

	setup(NULL);
	forget_seen();
	if (own_words)
		lab_gateway_set(RED, own_words);
	limit(FEW, TSW_FAIR_NONE);
	for (int i = 0; seconds && i < TSW_TIMEOUT_COUNT; i++)
		now.seconds[i] = i == (int)of->as ? seconds : 1;
	put_timeouts(&now);
	frame_build(&of->first, &f);
	assert_true(goes(&f));
	if (of->goes_on) {
		frame_build(&of->then, &f);
		assert_true(goes(&f));
	}
}

static void kept(void **state)
{
	static const __u32 defaults[] = {
#define X(NAME, seconds) [TSW_TIMEOUT_##NAME] = (seconds),
		TSW_TIMEOUTS(X)
#undef X
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		const __u32 without = times[i].as == TSW_TIMEOUT_TCP_CLOSE_WAIT
					      ? defaults[TSW_TIMEOUT_TCP_CLOSING]
					      : defaults[times[i].as];

		print_message("%s\n", times[i].name);
		lasts(&times[i], 5000);
		assert_in_range(left(), ticks(5000) - TICK_OFF, ticks(5000));
		lasts(&times[i], 0);
		assert_in_range(left(), ticks(without) - TICK_OFF, ticks(without));
	}
	put_timeouts(&(const struct tsw_timeouts){});
}

/* A tenant's own word goes ahead of the host's. */
static void own_word(void **state)
{
	const struct time_of udp = {"", TSW_TIMEOUT_UDP, {TO_WORLD4}, {}, false};
	const struct time_of closing = {"",
					TSW_TIMEOUT_TCP_CLOSE_WAIT,
					{TCP_TO_WORLD, .tcp_flags = ACK},
					{TCP_TO_WORLD, .tcp_flags = FIN | ACK},
					true};
	struct tsw_gateway gw;

	(void)state;
	lab_gateway_get(RED, &gw);
	gw.timeout[TSW_TIMEOUT_UDP] = 700;
	gw.timeout[TSW_TIMEOUT_TCP_CLOSE_WAIT] = 4000;
	own_words = &gw;
	lasts(&udp, 5000);
	assert_in_range(left(), ticks(700) - TICK_OFF, ticks(700));
	lasts(&closing, 5000);
	assert_in_range(left(), ticks(4000) - TICK_OFF, ticks(4000));
	own_words = NULL;
	lasts(&udp, 5000);
	assert_in_range(left(), ticks(5000) - TICK_OFF, ticks(5000));
	put_timeouts(&(const struct tsw_timeouts){});
}

/* A flow that goes on for longer than conntrack's two seconds is a stream, with each frame anew. */
static void streams(void **state)
{
	const struct tsw_timeouts now = {
		.seconds = {[TSW_TIMEOUT_UDP] = 100, [TSW_TIMEOUT_UDP_STREAM] = 3000}};
	const struct spec spec = {TO_WORLD4};
	struct frame f;

	(void)state;
	forget_seen();
	limit(FEW, TSW_FAIR_NONE);
	put_timeouts(&now);
	frame_build(&spec, &f);
	assert_true(goes(&f));
	assert_in_range(left(), ticks(100) - TICK_OFF, ticks(100));
	for (int i = 0; i < 4; i++) {
		usleep(1100000);
		assert_true(goes(&f));
	}
	assert_in_range(left(), ticks(3000) - TICK_OFF, ticks(3000));
	put_timeouts(&(const struct tsw_timeouts){});
}

/* The datagrams of a batch come to conntrack one after the other, from the first that does. */
static void queued(void **state)
{
	const struct spec udp = {TO_WORLD}, tcp = {TO_WORLD, .kind = KIND_TCP, .tcp_flags = SYN};
	struct frame f;

	(void)state;
	frame_build(&tcp, &f);
	assert_int_equal(enter(&f, true, false), TC_ACT_UNSPEC);
	frame_build(&udp, &f);
	assert_int_equal(enter(&f, false, false), TC_ACT_SHOT);
	assert_int_equal(enter(&f, true, false), TC_ACT_REDIRECT);
	assert_int_equal(enter(&f, true, false), TC_ACT_REDIRECT);
	assert_int_equal(enter(&f, true, true), TC_ACT_UNSPEC);
	assert_int_equal(enter(&f, true, false), TC_ACT_UNSPEC);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(unsealed),     TEST(connections), TEST(half_open),
					   TEST(shared_ports), TEST(shared_snat), TEST(fewer_ports),
					   TEST(counted),      TEST(queued),	  TEST(kept),
					   TEST(streams),      TEST(own_word)};
	const struct packet_suite suite = {"share", NULL, 0, tests, sizeof(tests) / sizeof(*tests)};

	return packet_main(&suite);
}
