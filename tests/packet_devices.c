// SPDX-License-Identifier: GPL-2.0-only
/* A port's device is written again, as `switch upgrade` does, while frames go to it. */
#include <pthread.h>
#include <stdatomic.h>

#include "devices.h"
#include "packet.h"

/* Where the entry was replaced, one frame in fifty found none. */
#define WRITES 200000
#define FRAMES 20000

static atomic_bool over, gave_up;
static atomic_uint sent;

static void *send(void *unused)
{
	const struct spec spec = {.dst = MAC_B};
	const struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run run;
	struct frame in;

	frame_build(&spec, &in);
	while (!over && !packet_run(FROM_PORT, &in, &ctx, &run))
		sent++;
	gave_up = !over;
	return unused;
}

static void written_again(void **state)
{
	struct counts counts;
	pthread_t sender;

	lab_program(FROM_PORT); /* loaded before two threads ask for it */
	counts_clear();
	assert_int_equal(pthread_create(&sender, NULL, send, NULL), 0);
	for (int i = 0; i < WRITES || (sent < FRAMES && !gave_up); i++)
		assert_int_equal(devices_put(lab_map(M_DEVICES), RED_B), 0);
	over = true;
	pthread_join(sender, NULL);
	assert_false(gave_up);
	counts_read(&counts);
	assert_int_equal(counts.stats[lab_slot(RED)][LOCAL].packets, sent);
	assert_int_equal(
		counts.drops[lab_slot(RED)][TSW_DROP_DEVICE_GONE][TSW_DIR_FROM_ENDPOINT].packets,
		0);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(written_again)};
	const struct packet_suite suite = {"devices", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
