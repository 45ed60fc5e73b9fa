// SPDX-License-Identifier: GPL-2.0-only
/* Who watches sees what his filter says, as it came and as it went, and nobody else's. */
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/map_update.h"
#include "packet.h"

enum { EVENTS_MAX = 32, SNAP = 256, PAGES = 8 };

static const struct outer host2 = {FROM_HOST2};
static const struct outer stranger = {TO_US, .from = "192.0.2.99"};
static const struct spec to_b = {};
static const struct spec to_c = {.dst = MAC_C, .to = IP_C};
static const struct spec spoofed = {.src = MAC_N};
static const struct spec spoofed_to_c = {.dst = MAC_C, .from = IP_B, .to = IP_C};
static const struct spec long_one = {.payload = 2 * SNAP};
static const struct spec ask_b = {.kind = KIND_ARP, .to = IP_B};
static const struct spec to_all = {.dst = MAC_BROADCAST, .to = "10.0.0.255"};
static const struct spec c_to_a = {
	.outer = &host2, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A};
static const struct spec super_to_a = {
	.outer = &host2, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, .payload = 2000};
static const struct spec from_stranger = {
	.outer = &stranger, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A};

static struct seen {
	struct tsw_event event;
	__u8 frame[SNAP];
} seen[EVENTS_MAX];
static size_t n_seen;
static struct perf_buffer *rings[TSW_WATCHERS];

static int map_of(const char *name)
{
	return bpf_object__find_map_fd_by_name(lab_object(), name);
}

static void put(const char *name, __u32 key, const void *value)
{
	assert_int_equal(map_update(map_of(name), &key, value, BPF_ANY), 0);
}

static struct tsw_watch bits(void)
{
	struct tsw_watch watch;
	__u32 zero = 0;

	assert_int_equal(bpf_map_lookup_elem(map_of("tsw_watch"), &zero, &watch), 0);
	return watch;
}

static enum bpf_perf_event_ret take(void *slot, int cpu, struct perf_event_header *header)
{
	const __u8 *raw = (const __u8 *)(header + 1) + sizeof(__u32);
	struct seen *s = &seen[n_seen];

	(void)slot, (void)cpu;
	if (header->type != PERF_RECORD_SAMPLE)
		return LIBBPF_PERF_EVENT_CONT;
	assert_true(n_seen < EVENTS_MAX);
	memcpy(&s->event, raw, sizeof(s->event));
	assert_true(s->event.captured <= SNAP);
	memcpy(s->frame, raw + sizeof(s->event), s->event.captured);
	n_seen++;
	return LIBBPF_PERF_EVENT_CONT;
}

static void open_rings(__u32 slot)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .size = sizeof(attr),
				       .sample_type = PERF_SAMPLE_RAW,
				       .sample_period = 1};
	int cpu[TSW_WATCH_CPUS], key[TSW_WATCH_CPUS];
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpus = cpu, .map_keys = key);

	opts.cpu_cnt = (int)sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < opts.cpu_cnt; i++) {
		cpu[i] = i;
		key[i] = (int)slot * TSW_WATCH_CPUS + i;
	}
	rings[slot] =
		perf_buffer__new_raw(map_of("tsw_watch_events"), PAGES, &attr, take, NULL, &opts);
	assert_non_null(rings[slot]);
}

/* Somebody in that slot, with rings. */
static void watcher(__u32 slot, struct tsw_watcher want)
{
	const struct tsw_watch_meter none[LAB_CPUS] = {};
	struct tsw_watch watch = bits();

	want.owner = 1;
	want.snap = SNAP;
	put("tsw_watchers", slot, &want);
	put("tsw_watch_meters", slot, none);
	watch.drops |= 1U << slot;
	if (want.what)
		watch.frames |= 1U << slot;
	put("tsw_watch", 0, &watch);
	if (!rings[slot])
		open_rings(slot);
}

static int clean(void **state)
{
	const struct tsw_watch none = {};

	(void)state;
	lab_fill();
	counts_clear();
	put("tsw_watch", 0, &none);
	return 0;
}

static int done(void **state)
{
	const struct tsw_watch none = {};

	(void)state;
	put("tsw_watch", 0, &none);
	for (__u32 slot = 0; slot < TSW_WATCHERS; slot++) {
		perf_buffer__free(rings[slot]);
		rings[slot] = NULL;
	}
	return 0;
}

/* Runs one frame, and gathers what all watchers saw of it. */
static void run_ctx(enum program program, struct __sk_buff ctx, const struct spec *spec,
		    struct frame *in, struct packet_run *r)
{
	n_seen = 0;
	frame_build(spec, in);
	assert_int_equal(packet_run(program, in, &ctx, r), 0);
	for (__u32 slot = 0; slot < TSW_WATCHERS; slot++)
		if (rings[slot])
			perf_buffer__consume(rings[slot]);
}

static void run(enum program program, __u32 dev, const struct spec *spec, struct frame *in,
		struct packet_run *r)
{
	run_ctx(program, (struct __sk_buff){.ifindex = dev}, spec, in, r);
}

static void assert_seen(size_t i, __u32 tenant, enum tsw_point point, __u32 ifindex,
			const struct frame *f)
{
	const struct tsw_event *e = &seen[i].event;

	assert_true(i < n_seen);
	assert_int_equal(e->tenant, tenant);
	assert_int_equal(e->point, point);
	assert_int_equal(e->ifindex, ifindex);
	assert_int_equal(e->length, f->len);
	assert_int_equal(e->captured, f->len < SNAP ? f->len : SNAP);
	assert_memory_equal(seen[i].frame, f->b, e->captured);
}

/* As it came in and as it goes out, with one number; at the port it is whole again. */
static void in_and_out(void **state)
{
	struct packet_run r;
	struct frame in;
	__u64 number;

	(void)state;
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT});
	run(FROM_PORT, RED_A, &to_c, &in, &r);
	assert_int_equal(n_seen, 2);
	assert_seen(0, RED, TSW_POINT_IN, RED_A, &in);
	assert_seen(1, RED, TSW_POINT_OUT, WIRE, &r.out);
	assert_true(r.out.len > in.len);
	assert_int_equal(seen[1].event.end, TSW_END_SENT);
	assert_int_not_equal(seen[0].event.frame, 0);
	assert_int_equal(seen[0].event.frame, seen[1].event.frame);

	number = seen[0].event.frame;
	run(FROM_WIRE, WIRE, &c_to_a, &in, &r);
	assert_int_equal(n_seen, 2);
	assert_int_not_equal(seen[0].event.frame, number);
	assert_seen(0, RED, TSW_POINT_IN, WIRE, &in);
	assert_seen(1, RED, TSW_POINT_OUT, RED_A, &r.out);
	assert_true(r.out.len < in.len);
	assert_int_equal(seen[1].event.direction, TSW_DIR_FROM_TUNNEL);

	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 2);
	assert_seen(1, RED, TSW_POINT_DROP, RED_A, &in);
	assert_int_equal(seen[0].event.frame, seen[1].event.frame);

	run(FROM_PORT, RED_A, &long_one, &in, &r);
	assert_true(in.len > SNAP);
	assert_seen(0, RED, TSW_POINT_IN, RED_A, &in);
}

/* Other ends than to be sent, and copies of a frame to all. */
static void other_ends(void **state)
{
	const struct __sk_buff super = {.ifindex = WIRE, .gso_size = 500, .gso_segs = 4};
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_OUT});
	run(FROM_PORT, RED_A, &ask_b, &in, &r);
	assert_int_equal(n_seen, 1);
	assert_seen(0, RED, TSW_POINT_OUT, RED_A, &r.out);
	assert_int_equal(seen[0].event.end, TSW_END_ANSWERED);

	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
	run_ctx(FROM_WIRE, super, &super_to_a, &in, &r);
	assert_int_equal(r.verdict, TC_ACT_UNSPEC);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].event.point, TSW_POINT_OUT);
	assert_int_equal(seen[0].event.end, TSW_END_STACK);

	run(FROM_PORT, RED_A, &to_all, &in, &r);
	assert_int_equal(n_seen, 5);
	for (size_t i = 0; i < n_seen; i++) {
		bool last = i == n_seen - 1; /* behind the ports B and N, hosts 2 and 3: itself */

		assert_int_equal(seen[i].event.point, last ? TSW_POINT_OUT : TSW_POINT_COPY);
		assert_int_equal(seen[i].event.end, TSW_END_COPIED);
		assert_int_equal(seen[i].event.frame, seen[0].event.frame);
	}
}

/* What is neither wanted as it comes in nor as it goes out, but by its MAC if it is dropped. */
static void drops_of_one(void **state)
{
	struct tsw_watcher want = {.what = TSW_WATCH_MAC};
	struct packet_run r;
	struct frame in;

	(void)state;
	frame_mac(want.mac.b, MAC_C);
	watcher(0, want);
	run(FROM_PORT, RED_A, &to_c, &in, &r);
	assert_int_equal(n_seen, 0);
	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 0);
	run(FROM_PORT, RED_A, &spoofed_to_c, &in, &r);
	assert_int_equal(n_seen, 1);
	assert_seen(0, RED, TSW_POINT_DROP, RED_A, &in);
}

/* A slot whose owner is gone, or whose bit is off, sees nothing while others do. */
static void nobodys_slot(void **state)
{
	const struct tsw_watcher all = {.what = TSW_WATCH_IN | TSW_WATCH_OUT};
	struct tsw_watcher nobody = all;
	struct tsw_watch watch;
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, all);
	watcher(1, all);
	nobody.snap = SNAP;
	put("tsw_watchers", 0, &nobody);
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 2);
	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 2);

	watcher(0, all);
	watch = bits();
	watch.frames = watch.drops = 1 << 1;
	put("tsw_watch", 0, &watch);
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 2);
	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 2);
}

/* Both tenants have the same addresses: each watcher has his own tenant's frames, and no other. */
static void one_tenant(void **state)
{
	const struct tsw_watcher red = {.what = TSW_WATCH_IN | TSW_WATCH_OUT, .tenant = RED};
	const __u32 ports[] = {RED_A, BLUE_A};
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(1, red);
	for (size_t i = 0; i < COUNT(ports); i++) {
		run(FROM_PORT, ports[i], &to_b, &in, &r);
		assert_int_equal(r.verdict, TC_ACT_REDIRECT);
		assert_int_equal(n_seen, ports[i] == RED_A ? 2 : 0);
		run(FROM_PORT, ports[i], &spoofed, &in, &r);
		assert_int_equal(r.verdict, TC_ACT_SHOT);
		assert_int_equal(n_seen, ports[i] == RED_A ? 2 : 0);
	}
	/* Whose tenant is not known is nobody's. */
	run(FROM_PORT, STRANGE, &to_b, &in, &r);
	assert_int_equal(n_seen, 0);
}

static void drops_alone(void **state)
{
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(3, (struct tsw_watcher){});
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 0);
	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 1);
	assert_seen(0, RED, TSW_POINT_DROP, RED_A, &in);
	assert_int_equal(seen[0].event.reason, TSW_DROP_SPOOFED_MAC);
	assert_int_equal(seen[0].event.direction, TSW_DIR_FROM_ENDPOINT);
	run(FROM_WIRE, WIRE, &from_stranger, &in, &r);
	assert_int_equal(n_seen, 1);
	assert_seen(0, RED, TSW_POINT_DROP, WIRE, &in);
	assert_int_equal(seen[0].event.reason, TSW_DROP_UNKNOWN_HOST);
	run(TO_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].event.reason, TSW_DROP_NOT_STAMPED);
}

static void drops_at_xdp(void **state)
{
	const enum program programs[] = {XDP, XDP_NATIVE};
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, (struct tsw_watcher){.tenant = RED});
	watcher(1, (struct tsw_watcher){.tenant = BLUE});
	for (size_t i = 0; i < COUNT(programs); i++) {
		run(programs[i], WIRE, &from_stranger, &in, &r);
		assert_int_equal(n_seen, 1);
		assert_int_equal(seen[0].event.reason, TSW_DROP_UNKNOWN_HOST);
		assert_int_equal(seen[0].event.tenant, RED);
		assert_int_equal(seen[0].event.length, in.len);
		assert_memory_equal(seen[0].frame, in.b, seen[0].event.captured);
	}
}

/* XDP takes the outer headers off: they are seen before. */
static void in_at_xdp(void **state)
{
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT, .tenant = RED});
	run(XDP_NATIVE, WIRE, &c_to_a, &in, &r);
	assert_true(r.out.len < in.len);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].event.point, TSW_POINT_IN);
	assert_int_equal(seen[0].event.length, in.len);
	assert_memory_equal(seen[0].frame, in.b, seen[0].event.captured);
}

static void one_endpoint(void **state)
{
	struct tsw_watcher want = {.what = TSW_WATCH_IN | TSW_WATCH_OUT | TSW_WATCH_MAC,
				   .tenant = RED};
	struct packet_run r;
	struct frame in;

	(void)state;
	frame_mac(want.mac.b, MAC_C);
	watcher(0, want);
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 0);
	run(FROM_PORT, RED_A, &to_c, &in, &r);
	assert_int_equal(n_seen, 2);
	run(FROM_WIRE, WIRE, &c_to_a, &in, &r);
	assert_int_equal(n_seen, 2);
	run(FROM_PORT, BLUE_A, &to_c, &in, &r);
	assert_int_equal(n_seen, 0);
	run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(n_seen, 0);
}

/* What is too much is counted, and nothing else. */
static void not_too_fast(void **state)
{
	struct tsw_watch_meter meter[LAB_CPUS] = {};
	struct packet_run r;
	struct frame in;
	__u64 missed = 0;
	size_t told = 0;
	__u32 slot = 2;

	(void)state;
	watcher(slot,
		(struct tsw_watcher){.interval = 3600000000000ULL, .burst = 4 * 3600000000000ULL});
	for (int i = 0; i < 10 * (int)sysconf(_SC_NPROCESSORS_ONLN); i++) {
		run(FROM_PORT, RED_A, &spoofed, &in, &r);
		told += n_seen;
	}
	assert_int_equal(bpf_map_lookup_elem(map_of("tsw_watch_meters"), &slot, meter), 0);
	for (size_t i = 0; i < LAB_CPUS; i++)
		missed += meter[i].missed;
	/* And one more each, once the clock has moved on: the meter may go into debt. */
	assert_in_range(told, 4, 5 * (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(told + missed, 10 * sysconf(_SC_NPROCESSORS_ONLN));
}

/* A frame that is followed is metered as it comes in, and its drop is not metered again. */
static void frames_not_too_fast(void **state)
{
	const __u64 hour = 3600000000000ULL;
	cpu_set_t before, one;
	struct packet_run r;
	struct frame in;
	size_t told = 0;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT,
					.interval = hour,
					.burst = 4 * hour});
	for (int i = 0; i < 10; i++) {
		run(FROM_PORT, RED_A, &spoofed, &in, &r);
		told += n_seen;
	}
	/* Two of each, and of one more that a meter in debt lets through. */
	assert_in_range(told, 8, 10);
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_OUT, .interval = hour});
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(n_seen, 0);
	/* Too much is for a while: another one every 10 ms. */
	watcher(0, (struct tsw_watcher){.interval = 10000000, .burst = 10000000});
	for (int i = told = 0; told < 6 && i < 100000; i++, told += n_seen)
		run(FROM_PORT, RED_A, &spoofed, &in, &r);
	assert_int_equal(told, 6);
	sched_setaffinity(0, sizeof(before), &before);
}

/* What finds no room is lost, and whoever is slow is still there. */
static void full_ring(void **state)
{
	const struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT});
	frame_build(&to_b, &in);
	for (int i = 0; i < 2 * PAGES * 4096 / (int)sizeof(struct tsw_event); i++) {
		assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &r), 0);
		assert_int_equal(r.verdict, TC_ACT_REDIRECT);
	}
	assert_int_equal(bits().frames, 1);
	assert_int_equal(bits().drops, 1);
}

/* Killed: its rings are gone, and the next frame turns off what it had turned on. */
static void nobody_left(void **state)
{
	struct packet_run r;
	struct frame in;

	(void)state;
	watcher(0, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT});
	watcher(1, (struct tsw_watcher){.what = TSW_WATCH_IN | TSW_WATCH_OUT});
	perf_buffer__free(rings[0]);
	rings[0] = NULL;
	run(FROM_PORT, RED_A, &to_b, &in, &r);
	assert_int_equal(r.verdict, TC_ACT_REDIRECT);
	assert_int_equal(n_seen, 2); /* the other's */
	assert_int_equal(bits().frames, 1 << 1);
	assert_int_equal(bits().drops, 1 << 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clean, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_and_out),   TEST(other_ends),	       TEST(one_tenant),
		TEST(drops_alone),  TEST(drops_of_one),	       TEST(nobodys_slot),
		TEST(drops_at_xdp), TEST(in_at_xdp),	       TEST(one_endpoint),
		TEST(not_too_fast), TEST(frames_not_too_fast), TEST(full_ring),
		TEST(nobody_left),
	};
	const struct packet_suite suite = {"watch", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
