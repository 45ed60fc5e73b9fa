// SPDX-License-Identifier: GPL-2.0-only
/* Packets and octets as they would be on the wire, exact on all CPUs at once. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "packet.h"

#define FRAMES 20000
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define TCP4 .kind = KIND_TCP
#define TCP6 .kind = KIND_TCP, .from = IP6_A, .to = IP6_B
#define NOWHERE .dst = MAC_UNKNOWN

/* A super-frame of n segments with headers of h octets each, and p octets in all of them. */
#define SEGMENTS(n, h, p) .size = {n, (n) * (h) + (p)}

static const struct packet_case cases[] = {
	{"one frame", .in = {.payload = 100}, TO_B, .size = {1, 142}},
	{"the shortest frame", .in = {.kind = KIND_RAW, .type = 0x88b5, .payload = 1}, TO_B,
	 .size = {1, 15}},
	{"TCP", .in = {TCP4, .payload = 2000}, .gso_size = 500, .gso_segs = 4, TO_B,
	 SEGMENTS(4, 66, 2000)},
	{"TCP, a short last segment", .in = {TCP4, .payload = 1501}, .gso_size = 500, .gso_segs = 4,
	 TO_B, SEGMENTS(4, 66, 1501)},
	{"TCP, segments not counted", .in = {TCP4, .payload = 2000}, .gso_size = 500, TO_B,
	 SEGMENTS(4, 66, 2000)},
	{"TCP, not counted, a short last one", .in = {TCP4, .payload = 2001}, .gso_size = 500, TO_B,
	 SEGMENTS(5, 66, 2001)},
	{"TCP, more segments than are counted", .in = {TCP4, .payload = 2001}, .gso_size = 1,
	 .gso_segs = 3, TO_B, SEGMENTS(2001, 66, 2001)},
	{"UDP over IPv6, more segments than are counted", .gso_size = 2, .gso_segs = 500,
	 .in = {.from = IP6_A, .to = IP6_B, .payload = 2000}, TO_B, SEGMENTS(1000, 62, 2000)},
	{"a tunnel inside: its headers are no segment", .in = {.payload = 2030}, .gso_size = 1000,
	 .gso_segs = 2, TO_B, SEGMENTS(2, 42, 2030)},
	{"TCP over IPv6", .in = {TCP6, .payload = 2000}, .gso_size = 1000, .gso_segs = 2, TO_B,
	 SEGMENTS(2, 86, 2000)},
	{"TCP behind an extension header",
	 .in = {TCP6, .next = 60, .ext = "0600010400000000", .payload = 2000}, .gso_size = 1000,
	 TO_B, SEGMENTS(2, 94, 2000)},
	{"TCP behind IPv4 options", .in = {TCP4, .ext = "94040000", .payload = 2000},
	 .gso_size = 1000, TO_B, SEGMENTS(2, 70, 2000)},
	{"UDP", .in = {.payload = 3000}, .gso_size = 1000, .gso_segs = 3, TO_B,
	 SEGMENTS(3, 42, 3000)},
	{"UDP over IPv6, not counted", .in = {.from = IP6_A, .to = IP6_B, .payload = 3001},
	 .gso_size = 1000, TO_B, SEGMENTS(4, 62, 3001)},
	{"one segment left of a super-frame", .in = {TCP4, .payload = 400}, .gso_size = 500,
	 .gso_segs = 1, TO_B, SEGMENTS(1, 66, 400)},
	{"a later fragment cannot be segmented", .in = {.frag = 0x10, .payload = 2000},
	 .gso_size = 500, .gso_segs = 4, .drop = TSW_DROP_BAD_OFFLOAD, .size = {1, 2042}},
	{"dropped super-frame", .in = {NOWHERE, TCP4, .payload = 2000}, .gso_size = 500,
	 .gso_segs = 4, .drop = TSW_DROP_UNKNOWN_DESTINATION, SEGMENTS(4, 66, 2000)},
	{"nothing sent for want of a tunnel device", .in = {.dst = MAC_C, TCP4, .payload = 2000},
	 .gso_size = 500, .gso_segs = 4, .drop = TSW_DROP_NO_SLOW_PATH, SEGMENTS(4, 66, 2000)},
};

static void *worker(void *arg)
{
	const struct spec specs[] = {
		{.payload = 10},			   /* to B: local */
		{.dst = MAC_C, .to = IP_C, .payload = 20}, /* to host 2 */
		{.src = MAC_B, .payload = 30},		   /* spoofed */
		{.kind = KIND_ARP},			   /* answered */
	};
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run run;
	struct frame in;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((uintptr_t)arg, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < FRAMES; i++) {
		frame_build(&specs[i % COUNT(specs)], &in);
		if (packet_run(FROM_PORT, &in, &ctx, &run))
			return "failed";
	}
	return NULL;
}

static void expect(struct tsw_counter *c, __u64 packets, __u64 bytes)
{
	*c = (struct tsw_counter){.packets = packets, .bytes = packets * bytes};
}

/* All counters, from all CPUs at once, to the last octet. */
static void on_all_cpus(void **state)
{
	struct counts got, want = {};
	pthread_t threads[16];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	__u64 each;
	void *failed;

	cpus = cpus < 16 ? cpus : 16;
	each = cpus * FRAMES / 4;
	counts_clear();
	for (long i = 0; i < cpus; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, worker, (void *)i), 0);
	for (long i = 0; i < cpus; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	counts_read(&got);
	expect(&want.stats[0][LOCAL], each, 52);
	expect(&want.stats[0][TX], each, 62);
	expect(&want.hosts[HOST2][0], each, 62);
	expect(&want.drops[0][TSW_DROP_SPOOFED_MAC][TSW_DIR_FROM_ENDPOINT], each, 72);
	expect(&want.stats[0][ANSWERED], each, 42);
	assert_true(counts_equal("all CPUs", &got, &want));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest more[] = {cmocka_unit_test(on_all_cpus)};
	const struct packet_suite suite = {"counters", cases, COUNT(cases), more, COUNT(more)};

	return packet_main(&suite);
}
