// SPDX-License-Identifier: GPL-2.0-only
/* The way to another host, as the kernel's routes have it. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "packet.h"

static const struct outer routed = {.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP_ROUTED};
static const struct outer routed6 = {.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP6_ROUTED};
static const struct outer gre_routed = {
	.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP_ROUTED, .gre = true, .vni = GREEN};
static const struct outer gre_routed6 = {
	.dst = MAC_ROUTER, .src = MAC_WIRE2, .to = IP6_ROUTED, .gre = true, .vni = GREEN};
static const struct outer to_host2 = {}, to_host3 = {.dst = MAC_HOST3, .to = IP_HOST3};
static const struct outer to_host4 = {.dst = MAC_HOST4, .to = IP6_HOST4};
static const struct outer gre_host3 = {.dst = MAC_HOST3, .to = IP_HOST3, .gre = true, .vni = GREEN};
static const struct outer to_silent = {.to = IP_SILENT}, to_silent6 = {.to = IP6_SILENT};

#define OUT(header, ...)                                                                   \
	.in = {__VA_ARGS__}, .out = &(const struct spec){__VA_ARGS__, .outer = &(header)}, \
	.verdict = REDIRECTED, .moves = MOVE(TX)
#define RAW(mac) .kind = KIND_RAW, .type = 0x88b5, .dst = mac, .payload = 50
#define NO_ROUTE .drop = TSW_DROP_NO_ROUTE
#define BY_KERNEL .verdict = REDIRECTED, .moves = MOVE(TX) | MOVE(SLOW_TX)
#define GREENS .dev = GREEN_A, .tenant = GREEN
#define LARGES .dev = LARGE_A, .tenant = LARGE

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void gre_devices(void)
{
	lab_config_gre(GRE4, GRE6);
}

static void gre4_alone(void)
{
	lab_config_gre(GRE4, 0);
}

static void gre6_alone(void)
{
	lab_config_gre(0, GRE6);
}

static void large_is_everywhere(void)
{
	lab_fdb(LARGE, MAC_ON_SILENT, TSW_PLACE_HOST, HOST_SILENT);
	slow_path();
}

static void set_underlays(const __u32 *devices, size_t count)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	for (size_t i = 0; i < TSW_UNDERLAYS; i++)
		cfg.underlay[i].ifindex = i < count ? devices[i] : 0;
	lab_config_set(&cfg);
}

static void first_underlay_alone(void)
{
	set_underlays((const __u32[]){WIRE}, 1);
}

static void second_underlay_alone(void)
{
	set_underlays((const __u32[]){WIRE2}, 1);
}

static void no_underlay(void)
{
	set_underlays(NULL, 0);
}

static void most_underlays(void)
{
	set_underlays((const __u32[]){WIRE2, 1001, 1002, 1003, 1004, 1005, 1006, WIRE}, 8);
}

static const struct packet_case cases[] = {
	{"by the second underlay", OUT(routed, .dst = MAC_ON_ROUTED), .host = HOST_ROUTED},
	{"the same, not IP", OUT(routed, RAW(MAC_ON_ROUTED)), .host = HOST_ROUTED},
	{"the same, IPv6", OUT(routed6, .dst = MAC_ON_ROUTED6), .host = HOST6_ROUTED},
	{"the same, IPv6, not IP", OUT(routed6, RAW(MAC_ON_ROUTED6)), .host = HOST6_ROUTED},
	{"the same, GRE", GREENS, OUT(gre_routed, RAW(MAC_ON_ROUTED)), .host = HOST_ROUTED},
	{"the same, GRE over IPv6", GREENS, OUT(gre_routed6, RAW(MAC_ON_ROUTED6)),
	 .host = HOST6_ROUTED},
	{"by no underlay", .in = {.dst = MAC_ON_ROUTED}, NO_ROUTE, .setup = first_underlay_alone},
	{"by no underlay, not IP", .in = {RAW(MAC_ON_ROUTED6)}, NO_ROUTE,
	 .setup = first_underlay_alone},
	{"the only underlay", OUT(routed, .dst = MAC_ON_ROUTED), .host = HOST_ROUTED,
	 .setup = second_underlay_alone},
	{"what was the first underlay", .in = {.dst = MAC_C}, NO_ROUTE,
	 .setup = second_underlay_alone},
	{"no underlay", .in = {.dst = MAC_C}, NO_ROUTE, .setup = no_underlay},
	{"the last of eight", OUT(to_host2, .dst = MAC_C), .host = HOST2, .setup = most_underlays},

	{"by a device that is no underlay", .in = {.dst = MAC_ON_STRAY}, NO_ROUTE},
	{"the same, not IP", .in = {RAW(MAC_ON_STRAY)}, NO_ROUTE},
	{"the same, IPv6", .in = {.dst = MAC_ON_STRAY6}, NO_ROUTE},
	{"the same, GRE", GREENS, .in = {.dst = MAC_ON_STRAY}, NO_ROUTE},
	{"the same, GRE over IPv6", GREENS, .in = {RAW(MAC_ON_STRAY6)}, NO_ROUTE},
	{"the same, with the kernel's device", .in = {.dst = MAC_ON_STRAY}, NO_ROUTE,
	 .setup = slow_path},
	{"no route", .in = {.dst = MAC_ON_NO_ROUTE}, NO_ROUTE},
	{"no route, IPv6", .in = {.dst = MAC_ON_NO_ROUTE6}, NO_ROUTE},
	{"no route, not IP", .in = {RAW(MAC_ON_NO_ROUTE6)}, NO_ROUTE},
	{"no route, not IP, GRE's stand-in", GREENS, .in = {RAW(MAC_ON_NO_ROUTE)}, NO_ROUTE,
	 .setup = slow_path},

	{"neighbour not known", OUT(to_silent, .dst = MAC_ON_SILENT), .host = HOST_SILENT},
	{"neighbour not known, IPv6", OUT(to_silent6, .dst = MAC_ON_SILENT6), .host = HOST6_SILENT},
	{"the same, not IP", .in = {RAW(MAC_ON_SILENT)}, NO_ROUTE},
	{"the same, not IP, IPv6", .in = {RAW(MAC_ON_SILENT6)}, NO_ROUTE},
	{"the same, not IP, GRE", GREENS, .in = {RAW(MAC_ON_SILENT)}, NO_ROUTE},
	{"not IP by the kernel's device", .in = {RAW(MAC_ON_SILENT)}, BY_KERNEL,
	 .host = HOST_SILENT, .setup = slow_path},
	{"not IP by the kernel's device, IPv6", .in = {RAW(MAC_ON_SILENT6)}, BY_KERNEL,
	 .host = HOST6_SILENT, .setup = slow_path},
	{"not IP by its GRE device", GREENS, .in = {RAW(MAC_C)}, BY_KERNEL, .host = HOST2,
	 .setup = gre_devices},
	{"not IP by its GRE device, IPv6", GREENS, .in = {RAW(MAC_E)}, BY_KERNEL, .host = HOST4,
	 .setup = gre_devices},
	{"a long key by its GRE device", LARGES, .in = {RAW(MAC_C)}, BY_KERNEL, .host = HOST2,
	 .setup = gre_devices},
	{"GRE device of the other family", GREENS, OUT(gre_host3, RAW(MAC_D)), .host = HOST3,
	 .setup = gre6_alone},
	{"not IP, unresolved, the other family's device", GREENS, .in = {RAW(MAC_ON_SILENT6)},
	 NO_ROUTE, .setup = gre4_alone},
	{"VXLAN has no use for a GRE device", OUT(to_host3, RAW(MAC_D)), .host = HOST3,
	 .setup = gre_devices},
	{"GRE, neighbour known, needs no stand-in", GREENS, OUT(gre_host3, RAW(MAC_D)),
	 .host = HOST3, .setup = slow_path},
	{"GRE, not known, by VXLAN", GREENS, .in = {RAW(MAC_ON_SILENT)}, BY_KERNEL,
	 .host = HOST_SILENT, .setup = slow_path},
	{"the same, IPv6", GREENS, .in = {RAW(MAC_ON_SILENT6)}, BY_KERNEL, .host = HOST6_SILENT,
	 .setup = slow_path},
	{"a key too long for that", LARGES, .in = {RAW(MAC_ON_SILENT)}, NO_ROUTE,
	 .setup = large_is_everywhere},
	{"IP is fast where all devices are there", OUT(to_host4, .dst = MAC_E), .host = HOST4,
	 .setup = slow_path},

	/* A test run's super-frame has no type, so that adjust_room refuses it. */
	{"refused, no device", .in = {.dst = MAC_C, .payload = 900}, .gso_size = 500, .gso_segs = 2,
	 .size = {2, 942 + 42}, .drop = TSW_DROP_NO_SLOW_PATH},
	{"refused, IPv6", .in = {.dst = MAC_E, .payload = 900}, .gso_size = 500, .gso_segs = 2,
	 .size = {2, 942 + 42}, BY_KERNEL, .host = HOST4, .setup = slow_path},
	{"refused, GRE", GREENS, .in = {.dst = MAC_C, .payload = 900}, .gso_size = 500,
	 .gso_segs = 2, .size = {2, 942 + 42}, BY_KERNEL, .host = HOST2, .setup = gre_devices},
	{"refused, GRE, no device", GREENS, .in = {.dst = MAC_C, .payload = 900}, .gso_size = 500,
	 .gso_segs = 2, .size = {2, 942 + 42}, .drop = TSW_DROP_NO_SLOW_PATH},
	{"refused, GRE, by VXLAN", GREENS, .in = {.dst = MAC_C, .payload = 900}, .gso_size = 500,
	 .gso_segs = 2, .size = {2, 942 + 42}, BY_KERNEL, .host = HOST2, .setup = slow_path},
	{"refused, a key too long for that", LARGES, .in = {.dst = MAC_C, .payload = 900},
	 .gso_size = 500, .gso_segs = 2, .size = {2, 942 + 42}, .drop = TSW_DROP_NO_SLOW_PATH,
	 .setup = slow_path},
};

/* Each CPU has its own copy of the FIB's answers. */
static int stay_on_this_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	return cpu;
}

static int verdict_of(__u32 dev, const struct spec *spec)
{
	struct __sk_buff ctx = {.ifindex = dev};
	struct packet_run run = {};
	struct frame in;

	frame_build(spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	return run.verdict;
}

/* Runs a frame until its verdict is `want`, a second at most. */
static void wait_for(__u32 dev, const struct spec *spec, int want)
{
	int verdict = verdict_of(dev, spec);

	for (int ms = 0; verdict != want && ms < 1000; ms++) {
		usleep(1000);
		verdict = verdict_of(dev, spec);
	}
	assert_int_equal(verdict, want);
}

static void is_followed(__u32 dev, const struct spec *spec, const char *route)
{
	char command[128];

	wait_for(dev, spec, TC_ACT_REDIRECT);
	snprintf(command, sizeof(command), "route add %s\n", route);
	lab_ip(command);
	wait_for(dev, spec, TC_ACT_SHOT);
	snprintf(command, sizeof(command), "route del %s\n", route);
	lab_ip(command);
	wait_for(dev, spec, TC_ACT_REDIRECT);
}

/* The FIB's answer may be kept for some jiffies, and no longer. */
static void a_changed_route_is_followed(void **state)
{
	stay_on_this_cpu();
	is_followed(RED_A, &(const struct spec){.dst = MAC_D}, "unreachable " IP_HOST3 "/32");
	is_followed(RED_A, &(const struct spec){.dst = MAC_E}, "unreachable " IP6_HOST4 "/128");
	is_followed(GREEN_A, &(const struct spec){.dst = MAC_D}, "unreachable " IP_HOST3 "/32");
	is_followed(GREEN_A, &(const struct spec){.dst = MAC_E}, "unreachable " IP6_HOST4 "/128");
	(void)state;
}

/* What the FIB is asked for is the frame that will be sent. */
static void rules_see_the_tunnel(void **state)
{
	static const struct {
		const char *rule;
		__u32 dev;
		struct spec spec;
		bool meets;
	} rules[] = {
		{"from " IP_WIRE " to " IP_HOST3, RED_A, {.dst = MAC_D}, true},
		{"from " IP_HOST2, RED_A, {.dst = MAC_D}, false},
		{"from " IP6_WIRE " to " IP6_HOST4, RED_A, {.dst = MAC_E}, true},
		{"from " IP6_HOST2, RED_A, {.dst = MAC_E}, false},
		{"ipproto udp dport 4789 to " IP_HOST3, RED_A, {.dst = MAC_D}, true},
		{"ipproto udp dport 4789 to " IP6_HOST4, RED_A, {.dst = MAC_E}, true},
		{"ipproto udp sport 49152-49167", RED_A, {.dst = MAC_D}, true},
		{"ipproto udp sport 1-49151", RED_A, {.dst = MAC_D}, false},
		{"ipproto tcp to " IP_HOST3, RED_A, {.dst = MAC_D}, false},
		{"from " IP_WIRE " to " IP_HOST3, GREEN_A, {.dst = MAC_D}, true},
		{"from " IP6_WIRE " to " IP6_HOST4, GREEN_A, {.dst = MAC_E}, true},
		{"iif vx to " IP_HOST3, RED_A, {.dst = MAC_D}, true},
	};
	char command[128];

	for (size_t i = 0; i < COUNT(rules); i++) {
		const char *family = strstr(rules[i].rule, "2001") ? "-6" : "-4";

		snprintf(command, sizeof(command), "ip %s rule add pref 5 %s unreachable", family,
			 rules[i].rule);
		lab_run(command);
		counts_clear();
		assert_int_equal(verdict_of(rules[i].dev, &rules[i].spec),
				 rules[i].meets ? TC_ACT_SHOT : TC_ACT_REDIRECT);
		snprintf(command, sizeof(command), "ip %s rule del pref 5", family);
		lab_run(command);
		counts_clear();
		assert_int_equal(verdict_of(rules[i].dev, &rules[i].spec), TC_ACT_REDIRECT);
	}
	(void)state;
}

/* Where the tunnel device does not forward either, the kernel routes each frame. */
static void no_forwarding(void **state)
{
	const struct packet_case v4 = {"v4", OUT(to_host3, .dst = MAC_D), .host = HOST3};
	const struct packet_case v6 = {"v6", OUT(to_host4, .dst = MAC_E), .host = HOST4};
	const struct packet_case other = {"not IP", .in = {RAW(MAC_D)}, NO_ROUTE};
	const struct packet_case kernel = {"not IP by the kernel", .in = {RAW(MAC_D)}, BY_KERNEL,
					   .host = HOST3, .setup = slow_path};

	lab_sysctl("ipv4/conf/vx/forwarding", "0");
	lab_sysctl("ipv6/conf/vx/forwarding", "0");
	packet_check(&v4);
	packet_check(&v6);
	packet_check(&other);
	packet_check(&kernel);
	lab_sysctl("ipv4/conf/vx/forwarding", "1");
	lab_sysctl("ipv6/conf/vx/forwarding", "1");
	(void)state;
}

/* The answer that this CPU keeps for a host's flows of one kind. */
static struct tsw_hop hop_kept(int cpu, __u32 host, __u32 bucket)
{
	static struct tsw_host_stats each[LAB_CPUS];

	assert_int_equal(bpf_map_lookup_elem(lab_map(M_HOST_STATS), &host, each), 0);
	return each[cpu].hop[bucket];
}

/* Asks for a flow; its answer goes to one of the buckets, whose number is returned. */
static int ask(int cpu, __u32 dev, __u32 host, __u16 sport)
{
	int bucket = -1;

	counts_clear();
	assert_int_equal(verdict_of(dev, &(const struct spec){.dst = MAC_D, .sport = sport}),
			 TC_ACT_REDIRECT);
	for (int i = 0; i < TSW_HOPS; i++) {
		if (!hop_kept(cpu, host, i).until)
			continue;
		assert_int_equal(bucket, -1);
		bucket = i;
	}
	assert_in_range(bucket, 0, TSW_HOPS - 1);
	return bucket;
}

/* Which device and next hop each bucket has; they do not change from flow to flow. */
static void buckets_of(int cpu, __u32 dev, __u32 host, struct tsw_hop hops[TSW_HOPS])
{
	memset(hops, 0, TSW_HOPS * sizeof(*hops));
	for (int flow = 0; flow < 256; flow++) {
		int bucket = ask(cpu, dev, host, 3000 + flow);
		struct tsw_hop hop = hop_kept(cpu, host, bucket);

		assert_true(hop.ifindex == WIRE || hop.ifindex == WIRE2);
		assert_int_equal(hop.mtu, UNDERLAY_MTU);
		if (hops[bucket].until) {
			assert_int_equal(hop.ifindex, hops[bucket].ifindex);
			assert_memory_equal(hop.addr, hops[bucket].addr, sizeof(hop.addr));
		}
		hops[bucket] = hop;
	}
	for (int i = 0; i < TSW_HOPS; i++)
		assert_int_not_equal(hops[i].until, 0);
}

/*
 * How many of five hosts have flows by both ways. The kernel's hash is another at each boot. The
 * VTEP's address is on none of the two devices, as where there are several: from Linux 6.15 on the
 * one which has it would be preferred.
 */
static int hosts_by_both_ways(__u32 dev, const char *format)
{
	int cpu = stay_on_this_cpu(), both = 0;
	struct tsw_hop hops[TSW_HOPS];
	char ip[64];

	for (int i = 0; i < 5; i++) {
		bool wire = false, wire2 = false;

		snprintf(ip, sizeof(ip), format, 65 + i);
		lab_clear(M_HOSTS);
		lab_config_local("198.51.100.1");
		lab_config_local("2001:db8:9::1");
		lab_host(HOST_TWO_WAYS, ip);
		lab_fdb(RED, MAC_D, TSW_PLACE_HOST, HOST_TWO_WAYS);
		lab_fdb(GREEN, MAC_D, TSW_PLACE_HOST, HOST_TWO_WAYS);
		buckets_of(cpu, dev, HOST_TWO_WAYS, hops);
		for (int b = 0; b < TSW_HOPS; b++) {
			wire |= hops[b].ifindex == WIRE;
			wire2 |= hops[b].ifindex == WIRE2;
		}
		both += wire && wire2;
	}
	lab_fill();
	return both;
}

/* Until when the answer for a host is kept that is asked for now, if none is kept yet. */
static __u64 kept_until(int cpu, __u32 host, const char *mac)
{
	__u64 until = 0;

	verdict_of(RED_A, &(const struct spec){.dst = mac});
	for (int i = 0; i < TSW_HOPS && !until; i++)
		until = hop_kept(cpu, host, i).until;
	return until;
}

/*
 * A frame costs no question of its own: an answer is kept, though time goes by, which another
 * host's answer tells. Where too much of it has gone, try again.
 */
static void answers_are_kept(void **state)
{
	const int cpu = stay_on_this_cpu();
	static struct tsw_host_stats none[LAB_CPUS];
	const __u32 other = HOST2;
	__u64 first = 0, now, again = 1;

	for (int try = 0; first != again && try < 1000; try++) {
		counts_clear();
		first = now = kept_until(cpu, HOST3, MAC_D);
		for (int asked = 0; now == first && asked < 10000; asked++) {
			map_update(lab_map(M_HOST_STATS), &other, none, BPF_ANY);
			now = kept_until(cpu, other, MAC_C);
		}
		again = kept_until(cpu, HOST3, MAC_D);
	}
	assert_int_equal(first, again);
	(void)state;
}

static void two_ways(void **state)
{
	/* By addresses alone: all flows to a host go one way. */
	lab_sysctl("ipv4/fib_multipath_hash_policy", "0");
	assert_int_equal(hosts_by_both_ways(RED_A, "198.51.100.%d"), 0);
	lab_sysctl("ipv4/fib_multipath_hash_policy", "1");
	assert_in_range(hosts_by_both_ways(RED_A, "198.51.100.%d"), 3, 5);
	assert_in_range(hosts_by_both_ways(GREEN_A, "198.51.100.%d"), 3, 5);
	/* Over IPv6 the flow label counts, but not with ports. */
	lab_sysctl("ipv6/fib_multipath_hash_policy", "0");
	assert_in_range(hosts_by_both_ways(RED_A, "2001:db8:9::%x"), 3, 5);
	assert_in_range(hosts_by_both_ways(GREEN_A, "2001:db8:9::%x"), 3, 5);
	lab_sysctl("ipv6/fib_multipath_hash_policy", "1");
	assert_in_range(hosts_by_both_ways(RED_A, "2001:db8:9::%x"), 3, 5);
	lab_sysctl("ipv6/fib_multipath_hash_policy", "0");
	lab_sysctl("ipv4/fib_multipath_hash_policy", "0");
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {
		cmocka_unit_test(a_changed_route_is_followed),
		cmocka_unit_test(rules_see_the_tunnel),
		cmocka_unit_test(no_forwarding),
		cmocka_unit_test(answers_are_kept),
		cmocka_unit_test(two_ways),
	};
	const struct packet_suite suite = {"route", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
