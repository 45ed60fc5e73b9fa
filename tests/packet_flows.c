// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts of flows: what of each frame is written down, in whose table, and what is not.
 *
 * Red's and blue's flows are counted, in a few buckets each; green's are not.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <string.h>

#include "policies.h"

enum { BUCKETS = 4, ROOM = BUCKETS * TSW_FLOW_BUCKET, SYN = 0x02, ACK = 0x10 };

#define IP_ALL "255.255.255.255"
#define VOICE_MARK 0x74530001 /* as TENANT_MARK, of an ICMP error of the host's own */
#define C_TO_A .outer = &host2, .src = MAC_C, .from = IP_C, .dst = MAC_A, .to = IP_A

static const struct outer host2 = {FROM_HOST2};

/* ---- what there is ---------------------------------------------------------------- */

static void make_table(__u32 tenant)
{
	const struct tsw_flow_table table = {.buckets = BUCKETS};
	const struct tsw_flow_bucket bucket = {.tenant = tenant};
	struct tsw_flow_bucket_key key = {.tenant = tenant};

	lab_set(M_FLOW_TABLES, &tenant, &table);
	for (; key.bucket < BUCKETS; key.bucket++)
		lab_set(M_FLOW_CACHE, &key, &bucket);
}

static void begin(__u32 tenant)
{
	make_table(tenant);
	lab_tenant_flag(tenant, TSW_TENANT_FLOWS);
	lab_port_flag(tenant, NULL, TSW_PORT_FLOWS);
}

static int setup(void **state)
{
	(void)state;
	lab_fill();
	begin(RED);
	begin(BLUE);
	return 0;
}

/* All records of a tenant. */
static size_t records(__u32 tenant, struct tsw_flow_record *all)
{
	struct tsw_flow_bucket_key key = {.tenant = tenant};
	struct tsw_flow_bucket bucket;
	size_t n = 0;

	for (; key.bucket < BUCKETS; key.bucket++) {
		assert_int_equal(bpf_map_lookup_elem(lab_map(M_FLOW_CACHE), &key, &bucket), 0);
		for (size_t i = 0; i < TSW_FLOW_BUCKET; i++)
			if (bucket.record[i].hash)
				all[n++] = bucket.record[i];
	}
	return n;
}

static size_t count(__u32 tenant)
{
	return records(tenant, (struct tsw_flow_record[ROOM]){});
}

/* The only one there is. */
static struct tsw_flow_record only(__u32 tenant)
{
	struct tsw_flow_record all[ROOM];

	assert_int_equal(records(tenant, all), 1);
	assert_true(all[0].first && all[0].last >= all[0].first);
	return all[0];
}

static __u64 evicted(__u32 tenant)
{
	struct tsw_flow_table table = {};

	bpf_map_lookup_elem(lab_map(M_FLOW_TABLES), &tenant, &table);
	return table.evicted;
}

/* ---- frames ----------------------------------------------------------------------- */

static void run(enum program program, __u32 dev, const struct spec *spec, struct __sk_buff ctx)
{
	struct packet_run run;
	struct frame in;

	frame_build(spec, &in);
	ctx.ifindex = dev;
	packet_tell_mark(program, &in, &ctx);
	counts_clear();
	assert_int_equal(packet_run(program, &in, &ctx, &run), 0);
}

#define from(dev, ...) run(FROM_PORT, dev, &(const struct spec){__VA_ARGS__}, (struct __sk_buff){})
#define from_a(...) from(RED_A, __VA_ARGS__)
#define from_wire(...) run(FROM_WIRE, WIRE, &(const struct spec){__VA_ARGS__}, (struct __sk_buff){})
#define from_world(its_mark, ...)                                                            \
	run(FROM_GATEWAY, GW, &(const struct spec){.src = MAC_G, .dst = MAC_G, __VA_ARGS__}, \
	    (struct __sk_buff){.mark = its_mark})

/* A flow as it is expected; of A, where it is not to all. */
struct want {
	__u8 direction;
	__u16 verdict;
	__u8 proto;
	const char *src;
	__u16 sport;
	const char *dst;
	__u16 dport;
};

static void assert_is(const struct tsw_flow_record *got, const struct want *w)
{
	struct tsw_flow_tuple want = {.ifindex = strcmp(w->dst, IP_ALL) ? RED_A : 0,
				      .sport = htons(w->sport),
				      .dport = htons(w->dport),
				      .verdict = w->verdict,
				      .proto = w->proto,
				      .direction = w->direction};

	want.version = frame_ip((__u8 *)&want.src, w->src) ? 6 : 4;
	frame_ip((__u8 *)&want.dst, w->dst);
	assert_memory_equal(&got->tuple, &want, sizeof(want));
}

#define assert_flow(got, ...) assert_is(got, &(const struct want){__VA_ARGS__})

static void assert_macs(const struct tsw_flow_record *got, const char *src, const char *dst)
{
	__u8 mac[TSW_MAC_LEN];

	frame_mac(mac, src);
	assert_memory_equal(&got->src, mac, sizeof(mac));
	frame_mac(mac, dst);
	assert_memory_equal(&got->dst, mac, sizeof(mac));
}

/* ---- tests ------------------------------------------------------------------------ */

static void out_and_again(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .to = IP_C, .payload = 100);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_UDP, IP_A, 1000, IP_C, 2000);
	assert_macs(&r, MAC_A, MAC_C);
	assert_int_equal(r.packets, 1);
	assert_int_equal(r.bytes, 14 + 20 + 8 + 100);
	assert_int_equal(r.first, r.last);
	from_a(.dst = MAC_C, .to = IP_C, .payload = 50);
	r = only(RED);
	assert_int_equal(r.packets, 2);
	assert_int_equal(r.bytes, 2 * (14 + 20 + 8) + 150);
	assert_true(r.last > r.first);
	from_a(.dst = MAC_C, .to = IP_C, .dport = 2001);
	assert_int_equal(count(RED), 2);
	assert_int_equal(count(BLUE), 0);
}

/* To a port of this host it is counted once, at the sender's. */
static void on_one_host(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_B, .to = IP_B);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_UDP, IP_A, 1000, IP_B, 2000);
}

static void in(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_wire(C_TO_A, .payload = 30);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_IN, 0, IPPROTO_UDP, IP_C, 1000, IP_A, 2000);
	assert_macs(&r, MAC_C, MAC_A);
	assert_int_equal(r.bytes, 14 + 20 + 8 + 30); /* without outer headers */
}

static void in_to_all(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_wire(.outer = &host2, .src = MAC_C, .from = IP_C, .dst = MAC_BROADCAST, .to = IP_ALL);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_IN, 0, IPPROTO_UDP, IP_C, 1000, IP_ALL, 2000);
	assert_int_equal(r.packets, 1);
}

static void by_the_gateway(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_world(TENANT_MARK, .from = IP_WORLD, .to = IP_A);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_IN, 0, IPPROTO_UDP, IP_WORLD, 1000, IP_A, 2000);
	assert_macs(&r, MAC_G, MAC_A);
	/* To another host: it is counted there. */
	from_world(TENANT_MARK, .from = IP_WORLD, .to = IP_C);
	only(RED);
	from_a(.dst = MAC_G, .to = IP_WORLD);
	assert_int_equal(count(RED), 2);
}

/* The host's own address is told by no account. */
static void voice(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_world(VOICE_MARK, .from = IP_ROUTER, .to = IP_A, .kind = KIND_ICMP, .icmp_type = 3,
		   .icmp_code = 4, .rest = "00000000");
	r = only(RED);
	assert_flow(&r, TSW_FLOW_IN, 0, IPPROTO_ICMP, IP_G, 0x0304, IP_A, 0);
}

static void version6(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .from = IP6_A, .to = IP6_C, .kind = KIND_TCP, .tcp_flags = SYN);
	from_a(.dst = MAC_C, .from = IP6_A, .to = IP6_C, .kind = KIND_TCP, .tcp_flags = ACK);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_TCP, IP6_A, 1000, IP6_C, 2000);
	assert_int_equal(r.tcp_flags, SYN | ACK);
	assert_int_equal(r.packets, 2);
}

static void icmp(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .to = IP_C, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00010001");
	from_a(.dst = MAC_C, .to = IP_C, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00010002");
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_ICMP, IP_A, 0x0800, IP_C, 0);
	assert_int_equal(r.tcp_flags, 0);
}

/* All of a packet's fragments are one flow, and the first is no other. */
static void fragments(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .tcp_flags = SYN, .frag = 0x2000,
	       .payload = 100);
	from_a(.dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .frag = 0x0010, .payload = 100);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_TCP, IP_A, 0, IP_C, 0);
	assert_int_equal(r.packets, 2);
	assert_int_equal(r.tcp_flags, 0);
}

static void fragments6(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	/* Of UDP, at offset 64, more to come. */
	from_a(.dst = MAC_C, .from = IP6_A, .to = IP6_C, .ext = "1100004100000007", .next = 44,
	       .payload = 100);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, 0, IPPROTO_UDP, IP6_A, 0, IP6_C, 0);
}

static void super_frame(void **state)
{
	const struct spec spec = {.dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .payload = 3000};
	struct tsw_flow_record r;

	(void)state;
	run(FROM_PORT, RED_A, &spec, (struct __sk_buff){.gso_size = 1000, .gso_segs = 3});
	r = only(RED);
	assert_int_equal(r.packets, 3);
	assert_int_equal(r.bytes, frame_inner_len(&spec) + 2 * (frame_inner_len(&spec) - 3000));
}

/* Who sends in another's name is known by its port. */
static void by_port(void **state)
{
	struct tsw_flow_record all[ROOM];

	(void)state;
	from(RED_A, .src = MAC_C, .from = IP_C, .dst = MAC_N, .to = IP_N);
	from(RED_B, .src = MAC_C, .from = IP_C, .dst = MAC_N, .to = IP_N);
	assert_int_equal(records(RED, all), 2);
	assert_int_equal(all[0].tuple.verdict, TSW_DROP_SPOOFED_MAC);
	assert_int_equal(all[0].tuple.ifindex + all[1].tuple.ifindex, RED_A + RED_B);
}

/* What is dropped is a flow of its own, with the reason; ports are told apart by it as well. */
static void dropped(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.from = IP_D, .dst = MAC_C, .to = IP_C);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, TSW_DROP_SPOOFED_IP, IPPROTO_UDP, IP_D, 1000, IP_C, 2000);
	from_a(.from = IP_D, .dst = MAC_C, .to = IP_C);
	assert_int_equal(only(RED).packets, 2);
	from_a(.dst = MAC_C, .to = IP_C);
	assert_int_equal(count(RED), 2);
}

/* Audit mode lets it pass, and the flow says so; it may still be dropped for another reason. */
static void audited(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	lab_policy_begin(RED, TSW_POLICY_AUDIT, true);
	from_a(.dst = MAC_C, .to = IP_C);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, TSW_FLOW_AUDITED, IPPROTO_UDP, IP_A, 1000, IP_C, 2000);
	lab_policy_begin(RED, TSW_POLICY_AUDIT, false);
	from_a(.dst = MAC_C, .to = IP_C);
	assert_int_equal(count(RED), 2);
}

static void dropped_for(__u16 reason)
{
	struct tsw_flow_record all[ROOM];
	size_t n = records(RED, all), i, found = 0;

	for (i = 0; i < n; i++)
		found += all[i].tuple.verdict == reason;
	assert_int_equal(found, 1);
}

static void reasons(void **state)
{
	(void)state;
	from_a(.dst = MAC_UNKNOWN, .to = IP_UNKNOWN);
	dropped_for(TSW_DROP_UNKNOWN_DESTINATION);
	from_a(.src = MAC_B, .dst = MAC_C, .to = IP_C);
	dropped_for(TSW_DROP_SPOOFED_MAC);
	from_a(.dst = MAC_ON_NO_ROUTE, .to = IP_UNKNOWN);
	dropped_for(TSW_DROP_NO_ROUTE);
	lab_limit(RED, MAC_A, TSW_RATE_OUT, 1000, 1);
	from_a(.dst = MAC_C, .to = IP_C);
	from_a(.dst = MAC_C, .to = IP_C);
	dropped_for(TSW_DROP_RATE_LIMITED);
}

/* The answer that it does not fit takes the frame's place, and is none of its flow. */
static void too_big(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .to = IP_C, .frag = 0x4000, .payload = 1460);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_OUT, TSW_DROP_TOO_BIG, IPPROTO_UDP, IP_A, 1000, IP_C, 2000);
	assert_int_equal(r.packets, 1);
	assert_int_equal(r.bytes, 14 + 20 + 8 + 1460);
}

static void by_policy(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	lab_policy_begin(RED, TSW_POLICY_ON, true);
	from_wire(C_TO_A);
	r = only(RED);
	assert_flow(&r, TSW_FLOW_IN, TSW_DROP_POLICY_DENIED, IPPROTO_UDP, IP_C, 1000, IP_A, 2000);
}

/* Of whom nobody asked there is none; what is no IP has none. */
static void none(void **state)
{
	struct tsw_flow_table off = {.entries = ROOM};
	const __u32 red = RED;

	(void)state;
	from_a(.kind = KIND_ARP, .dst = MAC_BROADCAST, .to = IP_B);
	from(GREEN_A, .dst = MAC_C, .to = IP_C);
	assert_int_equal(count(RED) + count(BLUE), 0);
	lab_set(M_FLOW_TABLES, &red, &off);
	from_a(.dst = MAC_C, .to = IP_C);
	lab_unset(M_FLOW_TABLES, &red);
	from_a(.dst = MAC_C, .to = IP_C);
	assert_int_equal(count(RED), 0);
}

/* The port says it, and nothing of the frame before this one is left. */
static void nothing_stale(void **state)
{
	struct tsw_flow_record r;

	(void)state;
	from_a(.dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .tcp_flags = SYN);
	from(GREEN_A, .dst = MAC_C, .to = IP_C);
	from_a(.kind = KIND_ARP, .dst = MAC_BROADCAST, .to = IP_B);
	from_a(.dst = MAC_C, .to = IP_C, .lie = 10); /* truncated: there is nothing to note */
	r = only(RED);
	assert_int_equal(r.packets, 1);
	from_a(.dst = MAC_C, .to = IP_C, .proto = 47);
	assert_int_equal(count(RED), 2);
	assert_int_equal(count(BLUE), 0);
}

/* The same frame in both tenants, and the room of a bucket that was another's a moment ago. */
static void tenants_apart(void **state)
{
	const struct tsw_flow_bucket others = {.tenant = BLUE};
	struct tsw_flow_bucket_key key = {.tenant = RED};

	(void)state;
	from_a(.dst = MAC_B, .to = IP_B);
	from(BLUE_A, .dst = MAC_B, .to = IP_B);
	assert_int_equal(only(RED).packets, 1);
	assert_int_equal(only(BLUE).packets, 1);
	for (; key.bucket < BUCKETS; key.bucket++)
		lab_set(M_FLOW_CACHE, &key, &others);
	from_a(.dst = MAC_B, .to = IP_B);
	assert_int_equal(count(RED), 0);
}

/* A full table evicts its own tenant's flows, the silent ones first. */
static void full(void **state)
{
	struct tsw_flow_record all[ROOM], r;
	size_t n, i, kept = 0;

	(void)state;
	from(BLUE_A, .dst = MAC_B, .to = IP_B);
	r = only(BLUE);
	for (i = 0; i < 10 * ROOM; i++) {
		from_a(.dst = MAC_C, .to = IP_C, .sport = 5000 + i);
		from_a(.dst = MAC_C, .to = IP_C, .dport = 53);
	}
	n = records(RED, all);
	assert_in_range(n, ROOM - 2, ROOM);
	assert_int_equal(evicted(RED), 10 * ROOM + 1 - n);
	for (i = 0; i < n; i++)
		if (all[i].tuple.dport == htons(53))
			kept = all[i].packets;
	assert_int_equal(kept, 10 * ROOM);
	assert_int_equal(evicted(BLUE), 0);
	assert_memory_equal((struct tsw_flow_record[]){only(BLUE)}, &r, sizeof(r));
}

/* Two places to choose from: nearly all of the table is used before anything has to go. */
static void fills(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ROOM * 3 / 4; i++)
		from_a(.dst = MAC_C, .to = IP_C, .sport = 5000 + i);
	assert_int_equal(evicted(RED), 0);
	assert_int_equal(count(RED), ROOM * 3 / 4);
	for (i = 0; i < ROOM * 3 / 4; i++)
		from_a(.dst = MAC_C, .to = IP_C, .sport = 5000 + i);
	assert_int_equal(count(RED), ROOM * 3 / 4);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(out_and_again), TEST(on_one_host),	   TEST(in),
		TEST(in_to_all),     TEST(by_the_gateway), TEST(voice),
		TEST(version6),	     TEST(icmp),	   TEST(fragments),
		TEST(fragments6),    TEST(super_frame),	   TEST(dropped),
		TEST(audited),	     TEST(reasons),	   TEST(too_big),
		TEST(by_policy),     TEST(none),	   TEST(by_port),
		TEST(nothing_stale), TEST(tenants_apart),  TEST(full),
		TEST(fills),
	};
	const struct packet_suite suite = {"flows", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
