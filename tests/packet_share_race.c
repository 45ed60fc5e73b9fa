// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tenant's share of fragments holds where its frames come on two CPUs at once. A share that is
 * taken beyond its room looks unused, so all of it would be free.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "packet.h"

/* As in bpf/gateway/fair_fragments.h. */
enum { TICK = 20, OCTETS = 16, ROOM = 32768, OWN = 1024 };

enum { RED_MARK = 0x74500001, AT_FRAGMENT = ETH_HLEN + 6 };

#define SECONDS 3
#define ROUND_NS 10000000ULL /* a longer round is not looked at: time has given back too much */

static struct race {
	struct frame frame;
	int program, fair;
	atomic_uint round, done, passed, failed;
	atomic_bool over;
} race;

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000ULL + (__u64)now.tv_nsec;
}

static void enter(void)
{
	struct __sk_buff ctx = {.ifindex = GW, .mark = RED_MARK};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = race.frame.b,
		    .data_size_in = (__u32)race.frame.len, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx));

	if (bpf_prog_test_run_opts(race.program, &opts))
		atomic_fetch_add(&race.failed, 1);
	else if (opts.retval != TC_ACT_SHOT)
		atomic_fetch_add(&race.passed, 1);
}

static void *take_part(void *unused)
{
	unsigned int round = 0;

	while (!atomic_load(&race.over)) {
		if (atomic_load(&race.round) == round)
			continue;
		round++;
		enter();
		atomic_store(&race.done, round);
	}
	return unused;
}

/* Leaves that many ticks of red's share. */
static void leave(__u32 ticks)
{
	const struct tsw_fair fair = {.table = 1,
				      .fragments = (__u32)(now_ns() >> TICK) + ROOM - ticks};
	const __u32 red = RED;

	assert_int_equal(map_update(race.fair, &red, &fair, BPF_ANY), 0);
}

static void build(void)
{
	const struct spec spec = {
		.dst = MAC_G, .from = IP_A, .to = IP_WORLD, .sport = 1, .dport = 2, .payload = 100};

	frame_build(&spec, &race.frame);
	race.frame.b[AT_FRAGMENT] = 0x20; /* more fragments follow */
	packet_seal(&race.frame, RED_MARK, 0);
}

static unsigned int passed(void)
{
	return atomic_exchange(&race.passed, 0);
}

/* What is left is enough for one fragment. */
static void one_of_two_passes(void **state)
{
	const __u32 left = (__u32)(race.frame.len + OWN) / OCTETS * 3 / 2;
	const time_t end = time(NULL) + SECONDS;
	unsigned int rounds = 0, wrong = 0;
	pthread_t other;
	__u64 begin;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip(); /* they take turns */
	assert_int_equal(pthread_create(&other, NULL, take_part, NULL), 0);
	while (time(NULL) < end) {
		begin = now_ns();
		leave(left);
		atomic_fetch_add(&race.round, 1);
		enter();
		while (atomic_load(&race.done) != atomic_load(&race.round))
			;
		if (now_ns() - begin < ROUND_NS) {
			rounds++;
			wrong += passed() != 1;
		}
		atomic_store(&race.passed, 0);
	}
	atomic_store(&race.over, true);
	pthread_join(other, NULL);
	print_message("%u rounds, %u of them wrong\n", rounds, wrong);
	assert_int_equal(race.failed, 0);
	assert_true(rounds > 0);
	assert_int_equal(wrong, 0);
}

static void share(void **state)
{
	const __u32 cost = (__u32)(race.frame.len + OWN) / OCTETS;

	(void)state;
	leave(cost / 2);
	enter();
	assert_int_equal(passed(), 0);
	leave(cost * 3 / 2);
	enter();
	enter();
	assert_int_equal(passed(), 1);
	leave(-1U); /* filled by a CPU whose clock is a tick ahead */
	enter();
	assert_int_equal(passed(), 0);
	leave(ROOM + 1000); /* it was full long ago */
	enter();
	assert_int_equal(passed(), 1);
}

static int setup(void **state)
{
	(void)state;
	lab_fill();
	lab_gateways_fill();
	race.program = lab_program_named("tsw_to_gateway");
	race.fair = bpf_object__find_map_fd_by_name(lab_object(), "tsw_fair");
	assert_true(race.fair >= 0);
	build();
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(share, setup),
	cmocka_unit_test_setup(one_of_two_passes, setup),
};

int main(void)
{
	const struct packet_suite suite = {"share race", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
