// SPDX-License-Identifier: GPL-2.0-only
/* Rate limits: what passes, what does not, whose budget it is, and how fast that comes back. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "packet.h"

#define SIZE 1000 /* octets of a frame */
#define SLOW 1000 /* bits a second: nothing comes back while a test runs */
#define TEN 9500  /* octets of a bucket that ten such frames find not empty */
#define FIVE 4500
#define PAYLOAD .payload = SIZE - 42

static const struct spec to_b = {PAYLOAD};
static const struct spec to_c = {.dst = MAC_C, .to = IP_C, PAYLOAD};
static const struct spec b_to_a = {.src = MAC_B, .dst = MAC_A, .from = IP_B, .to = IP_A, PAYLOAD};
static const struct outer host2 = {FROM_HOST2};
static const struct spec c_to_a = {
	.outer = &host2, .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A, PAYLOAD};

static int clean(void **state)
{
	(void)state;
	lab_fill();
	counts_clear();
	return 0;
}

/* How many of so many frames are forwarded. */
static int pass(enum program program, __u32 dev, const struct spec *spec, int frames)
{
	struct __sk_buff ctx = {.ifindex = dev};
	struct packet_run run;
	struct frame in;
	int passed = 0;

	frame_build(spec, &in);
	while (frames--) {
		assert_int_equal(packet_run(program, &in, &ctx, &run), 0);
		passed += run.verdict == TC_ACT_REDIRECT;
	}
	return passed;
}

static void assert_limited(__u32 tenant, enum tsw_direction direction, __u64 frames)
{
	struct tsw_counter *c;
	struct counts got;

	counts_read(&got);
	c = &got.drops[lab_slot(tenant)][TSW_DROP_RATE_LIMITED][direction];
	assert_int_equal(c->packets, frames);
	assert_int_equal(c->bytes, frames * SIZE);
	c->packets = c->bytes = 0;
	for (size_t slot = 0; slot <= TENANTS; slot++)
		for (size_t dir = 0; dir < TSW_DIR_MAX; dir++)
			assert_int_equal(got.drops[slot][TSW_DROP_RATE_LIMITED][dir].packets, 0);
}

/* Local and tunnel traffic of all its endpoints have one budget, and no other tenant feels it. */
static void tenant_out(void **state)
{
	const struct spec b_to_c = {.src = MAC_B, .dst = MAC_C, .from = IP_B, .to = IP_C, PAYLOAD};

	(void)state;
	lab_limit(RED, NULL, TSW_RATE_OUT, SLOW, TEN);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 3), 3);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_c, 3), 3);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_c, 9), 4);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_a, 2), 0);
	assert_int_equal(pass(FROM_WIRE, WIRE, &c_to_a, 20), 20);
	assert_int_equal(pass(FROM_PORT, BLUE_A, &to_b, 20), 20);
	assert_limited(RED, TSW_DIR_FROM_ENDPOINT, 7);
}

static void tenant_in(void **state)
{
	const struct spec n_to_b = {.src = MAC_N, .dst = MAC_B, .from = IP_N, .to = IP_B, PAYLOAD};

	(void)state;
	lab_limit(RED, NULL, TSW_RATE_IN, SLOW, TEN);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_a, 3), 3);
	assert_int_equal(pass(FROM_WIRE, WIRE, &c_to_a, 3), 3);
	assert_int_equal(pass(FROM_PORT, RED_N, &n_to_b, 9), 4);
	assert_int_equal(pass(FROM_WIRE, WIRE, &c_to_a, 2), 0);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_c, 20), 20);
	assert_int_equal(pass(FROM_PORT, BLUE_A, &to_b, 20), 20);
	assert_limited(RED, TSW_DIR_TO_ENDPOINT, 7);
}

/* An endpoint's own is part of its tenant's: both must have something left. */
static void endpoint_in_tenant(void **state)
{
	(void)state;
	lab_limit(RED, NULL, TSW_RATE_OUT, SLOW, TEN);
	lab_limit(RED, MAC_A, TSW_RATE_OUT, SLOW, FIVE);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 8), 5);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_a, 8), 5);
	assert_limited(RED, TSW_DIR_FROM_ENDPOINT, 6);
}

/* What the tenant's limit refuses is not taken from the endpoint's. */
static void refused_is_given_back(void **state)
{
	struct tsw_bucket own;

	(void)state;
	lab_limit(RED, NULL, TSW_RATE_IN, SLOW, FIVE);
	lab_limit(RED, MAC_A, TSW_RATE_IN, SLOW, TEN);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_a, 5), 5);
	own = lab_bucket(RED, MAC_A, TSW_RATE_IN);
	assert_int_equal(pass(FROM_PORT, RED_B, &b_to_a, 30), 0);
	assert_int_equal(lab_bucket(RED, MAC_A, TSW_RATE_IN).full_at, own.full_at);
	assert_limited(RED, TSW_DIR_TO_ENDPOINT, 30);
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* One left alone for long has what it is to begin with; until then, all that it saved up. */
static void begins_with_less(void **state)
{
	const __u64 rate = 100000; /* it fills in less than the machine has been up */
	struct tsw_bucket bucket;

	(void)state;
	lab_limit(RED, MAC_A, TSW_RATE_OUT, rate, TEN);
	bucket = lab_bucket(RED, MAC_A, TSW_RATE_OUT);
	bucket.lacks = 5000 * TSW_LIMIT_BITS / rate;
	lab_bucket_set(RED, MAC_A, TSW_RATE_OUT, &bucket);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 8), 5);
	bucket.full_at = now_ns() * TSW_LIMIT_UNITS - bucket.depth / 2;
	lab_bucket_set(RED, MAC_A, TSW_RATE_OUT, &bucket);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 13), 10);
}

/* The entry is looked at where the port says so, and may be gone by then. */
static void port_tells(void **state)
{
	(void)state;
	lab_limit(RED, NULL, TSW_RATE_OUT, SLOW, FIVE);
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 20), 20);
	lab_limit(RED, NULL, TSW_RATE_OUT, SLOW, FIVE);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 20), 5);
	lab_clear(M_LIMITS);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 20), 20);
}

/* How much later a tenant's bucket that is half full will be full after that frame, in units. */
static __u64 cost_of(const struct spec *spec, const struct __sk_buff *ctx)
{
	struct tsw_bucket bucket;
	struct packet_run run;
	struct frame in;
	__u64 before;

	lab_limit(RED, NULL, TSW_RATE_OUT, SLOW, TEN);
	bucket = lab_bucket(RED, NULL, TSW_RATE_OUT);
	before = bucket.full_at = now_ns() * TSW_LIMIT_UNITS + bucket.depth / 2;
	lab_bucket_set(RED, NULL, TSW_RATE_OUT, &bucket);
	frame_build(spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
	return lab_bucket(RED, NULL, TSW_RATE_OUT).full_at - before;
}

/* A super-frame is as many octets as its segments with their headers, not one frame too many. */
static void super_frames(void **state)
{
	const struct spec spec = {.kind = KIND_TCP, .payload = 2000};
	struct __sk_buff ctx = {.ifindex = RED_A, .gso_size = 500, .gso_segs = 4};

	(void)state;
	assert_int_equal(cost_of(&spec, &ctx), (2000 + 4 * 66) * TSW_LIMIT_BITS / SLOW);
}

/* The kernel counts segments in 16 bits: of more it tells what is left, and so does a guest. */
static void too_few_segments(void **state)
{
	const struct spec spec = {.kind = KIND_TCP, .payload = 2000};
	struct __sk_buff ctx = {.ifindex = RED_A, .gso_size = 1, .gso_segs = 3};

	(void)state;
	assert_int_equal(cost_of(&spec, &ctx), (2000 + 2000 * 66) * TSW_LIMIT_BITS / SLOW);
}

/*
 * Segments of one octet behind long headers are more octets than 64 bits can count the time of:
 * they cost what they are, to hundreds.
 */
static void endless_super_frame(void **state)
{
	enum { FIRST = 2048, SECOND = 256 }; /* octets of the options headers */
	enum { ETH_HEAD = 14, IP6_HEAD = 40, TCP_HEAD = 32 };
	static char ext[2 * (FIRST + SECOND) + 1];
	const struct spec spec = {.kind = KIND_TCP,
				  .from = IP6_A,
				  .to = IP6_B,
				  .ext = ext,
				  .next = 60,
				  .payload = 100};
	struct __sk_buff ctx = {.ifindex = RED_A, .gso_size = 1, .gso_segs = 65535};
	__u64 octets, cost;

	(void)state;
	memset(ext, '0', sizeof(ext) - 1);
	memcpy(ext, "3cff", 4);		    /* options again; 255 * 8 octets more */
	memcpy(ext + 2 * FIRST, "061f", 4); /* TCP; 31 * 8 */
	octets = 100 + 65535ULL * (ETH_HEAD + IP6_HEAD + FIRST + SECOND + TCP_HEAD);
	assert_true(octets > 1ULL << 27);
	cost = cost_of(&spec, &ctx) / (TSW_LIMIT_BITS / SLOW);
	assert_in_range(cost, octets - 256, octets);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_b, 3), 0);
}

/* What the switch itself says at a port is nobody's traffic. */
static void answers(void **state)
{
	const struct spec arp = {.kind = KIND_ARP},
			  big = {.dst = MAC_C, .to = IP_C, .payload = 2000};

	(void)state;
	lab_limit(RED, MAC_A, TSW_RATE_OUT, SLOW, FIVE);
	lab_limit(RED, NULL, TSW_RATE_IN, SLOW, FIVE);
	assert_int_equal(pass(FROM_WIRE, WIRE, &c_to_a, 20), 5);
	counts_clear();
	assert_int_equal(pass(FROM_PORT, RED_A, &big, 1), 1);
	assert_int_equal(pass(FROM_PORT, RED_A, &to_c, 20), 3);
	assert_int_equal(pass(FROM_PORT, RED_A, &arp, 20), 20);
	assert_limited(RED, TSW_DIR_FROM_ENDPOINT, 17);
}

/* A copy counts for whom it is for: the others get theirs. */
static void copies(void **state)
{
	const struct spec all = {.dst = MAC_BROADCAST, PAYLOAD};
	struct counts got;

	(void)state;
	lab_limit(RED, MAC_B, TSW_RATE_IN, SLOW, FIVE);
	pass(FROM_PORT, RED_A, &all, 8);
	assert_limited(RED, TSW_DIR_TO_ENDPOINT, 3);
	counts_read(&got);
	assert_int_equal(got.stats[0][LOCAL].packets, 8 + 5); /* to N, to B */
}

/* In frames of SIZE: what a broadcast of that size costs its sender and the sender's tenant. */
static void assert_broadcast_costs(__u32 tenant, __u32 dev, __u64 frames)
{
	const struct spec all = {.dst = MAC_BROADCAST, PAYLOAD};
	struct tsw_bucket own, of_all;
	__u64 full_at;

	lab_limit(tenant, NULL, TSW_RATE_OUT, SLOW, TEN);
	lab_limit(tenant, MAC_A, TSW_RATE_OUT, SLOW, TEN);
	own = lab_bucket(tenant, MAC_A, TSW_RATE_OUT);
	of_all = lab_bucket(tenant, NULL, TSW_RATE_OUT);
	full_at = own.full_at = of_all.full_at = now_ns() * TSW_LIMIT_UNITS + own.depth / 2;
	lab_bucket_set(tenant, MAC_A, TSW_RATE_OUT, &own);
	lab_bucket_set(tenant, NULL, TSW_RATE_OUT, &of_all);
	pass(FROM_PORT, dev, &all, 1);
	full_at += frames * SIZE * TSW_LIMIT_BITS / SLOW;
	assert_int_equal(lab_bucket(tenant, MAC_A, TSW_RATE_OUT).full_at, full_at);
	assert_int_equal(lab_bucket(tenant, NULL, TSW_RATE_OUT).full_at, full_at);
}

/* A broadcast is as many frames as there are hosts which get it, and one where there are none. */
static void broadcast(void **state)
{
	const __u32 five[] = {TSW_MEMBER_HOST | HOST2, TSW_MEMBER_HOST | HOST3,
			      TSW_MEMBER_HOST | HOST4, TSW_MEMBER_HOST | HOST5,
			      TSW_MEMBER_HOST | HOST_NO_ROUTE};

	(void)state;
	assert_broadcast_costs(RED, RED_A, 2);
	assert_broadcast_costs(GREEN, GREEN_A, 2);
	lab_ring(RED, TSW_MEMBER_HOSTS, five, COUNT(five));
	assert_broadcast_costs(RED, RED_A, 4);
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
	assert_broadcast_costs(RED, RED_A, 4);
	lab_ring(RED, TSW_MEMBER_HOSTS, five, 1);
	assert_broadcast_costs(RED, RED_A, 1);
	lab_ring(RED, TSW_MEMBER_HOSTS, five, 0);
	assert_broadcast_costs(RED, RED_A, 1);
}

#define FAST 8000000ULL /* bits a second: a frame a millisecond */
#define RUN_NS 400000000ULL

struct sender {
	pthread_t thread;
	long cpu;
	__u64 passed;
};

static void *send_for_a_while(void *arg)
{
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct sender *sender = arg;
	struct packet_run run;
	__u64 end = now_ns() + RUN_NS;
	struct frame in;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sender->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	frame_build(&to_b, &in);
	while (now_ns() < end) {
		if (packet_run(FROM_PORT, &in, &ctx, &run))
			return "failed";
		sender->passed += run.verdict == TC_ACT_REDIRECT;
	}
	return NULL;
}

/*
 * From all CPUs at once into an empty bucket: as much passes as comes in, to a frame for each CPU.
 * Eight seconds can be saved up, and what is left is taken in the end, so that CPUs which are
 * taken away for a while lose nothing.
 */
static void keeps_the_rate(void **state)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct sender senders[16] = {};
	struct tsw_bucket bucket;
	__u64 start, before, least, most, passed = 0;
	void *failed;
	int more;

	(void)state;
	cpus = cpus < 16 ? cpus : 16;
	lab_limit(RED, NULL, TSW_RATE_OUT, FAST, FAST);
	bucket = lab_bucket(RED, NULL, TSW_RATE_OUT);
	start = now_ns();
	bucket.full_at = start * TSW_LIMIT_UNITS + bucket.depth;
	lab_bucket_set(RED, NULL, TSW_RATE_OUT, &bucket);
	for (long i = 0; i < cpus; i++) {
		senders[i].cpu = i;
		assert_int_equal(
			pthread_create(&senders[i].thread, NULL, send_for_a_while, &senders[i]), 0);
	}
	for (long i = 0; i < cpus; i++) {
		assert_int_equal(pthread_join(senders[i].thread, &failed), 0);
		assert_null(failed);
		passed += senders[i].passed;
	}
	do {
		before = now_ns();
		more = pass(FROM_PORT, RED_A, &to_b, 1);
		passed += more;
	} while (more);
	least = (before - start) * FAST / 8 / SIZE / 1000000000;
	most = (now_ns() - start) * FAST / 8 / SIZE / 1000000000;
	assert_in_range(passed, least, most + cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tenant_out, clean),
		cmocka_unit_test_setup(tenant_in, clean),
		cmocka_unit_test_setup(endpoint_in_tenant, clean),
		cmocka_unit_test_setup(refused_is_given_back, clean),
		cmocka_unit_test_setup(begins_with_less, clean),
		cmocka_unit_test_setup(port_tells, clean),
		cmocka_unit_test_setup(super_frames, clean),
		cmocka_unit_test_setup(too_few_segments, clean),
		cmocka_unit_test_setup(endless_super_frame, clean),
		cmocka_unit_test_setup(answers, clean),
		cmocka_unit_test_setup(copies, clean),
		cmocka_unit_test_setup(broadcast, clean),
		cmocka_unit_test_setup(keeps_the_rate, clean),
	};
	const struct packet_suite suite = {"limit", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
