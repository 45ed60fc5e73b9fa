// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leases come and go while frames are translated by them. The room of one that goes is another's at
 * once: a frame that is at it on another CPU must not get that one's addresses.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "packet.h"

enum { SNAT_PORT = 40000, DPORT = 2000, RED_INDEX = 1, BLUE_INDEX = 2 };

#define SECONDS 2
#define LONGEST 30 /* more, where others have the processors and no frame has met its lease */
#define OF_TENANT 0x74500000U
#define IP_SNAT "198.51.100.200"

/* An answer of the world's to SNAT_PORT + index, to an endpoint of that tenant's. */
struct flow {
	struct tsw_flow_key key;
	struct tsw_fast to;
};

static struct flow flow(__u32 index)
{
	struct flow f = {
		.key = {.sport = htons(DPORT),
			.dport = htons((__u16)(SNAT_PORT + index)),
			.proto = IPPROTO_UDP},
		.to = {.until = ~0ULL >> 1, .mark = OF_TENANT | index, .in = WIRE},
	};

	frame_ip((__u8 *)&f.key.src, IP_WORLD);
	frame_ip((__u8 *)&f.key.dst, IP_SNAT);
	memset(&f.to.src, (int)index, sizeof(f.to.src));
	memset(&f.to.dst, (int)index, sizeof(f.to.dst));
	f.to.sport = f.to.dport = (__be16)(index << 8 | index);
	return f;
}

struct others {
	struct flow red, blue;
	int map;
	atomic_bool over;
};

/* Red's goes, blue's takes its room; and back. */
static void *come_and_go(void *context)
{
	struct others *o = context;

	while (!atomic_load(&o->over)) {
		bpf_map_update_elem(o->map, &o->red.key, &o->red.to, BPF_ANY);
		bpf_map_delete_elem(o->map, &o->red.key);
		bpf_map_update_elem(o->map, &o->blue.key, &o->blue.to, BPF_ANY);
		bpf_map_delete_elem(o->map, &o->blue.key);
	}
	return NULL;
}

/* Of the octets that a lease has written, those that are not of INDEX. */
static unsigned int strange(const struct frame *f, __u32 index)
{
	unsigned int n = 0, i;

	for (i = ETH_HLEN + 12; i < ETH_HLEN + 24; i++)
		n += f->b[i] != index;
	return n;
}

static void no_frame_gets_anothers_addresses(void **state)
{
	struct others o = {
		.red = flow(RED_INDEX), .blue = flow(BLUE_INDEX), .map = lab_map(M_FAST)};
	const struct spec spec = {.dst = MAC_WIRE,
				  .src = MAC_HOST2,
				  .from = IP_WORLD,
				  .to = IP_SNAT,
				  .sport = DPORT,
				  .dport = SNAT_PORT + RED_INDEX};
	const time_t end = time(NULL) + SECONDS + 1, last = end + LONGEST;
	unsigned int translated = 0, wrong = 0;
	struct __sk_buff ctx = {};
	struct frame in, out;
	pthread_t thread;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in.b, .ctx_in = &ctx, .ctx_out = &ctx,
		    .data_out = out.b);

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip(); /* they take turns */
	in.len = 0;
	frame_build(&spec, &in);
	assert_int_equal(pthread_create(&thread, NULL, come_and_go, &o), 0);
	while (time(NULL) < end || (!translated && time(NULL) < last)) {
		ctx = (struct __sk_buff){.ifindex = WIRE};
		opts.ctx_size_in = opts.ctx_size_out = sizeof(ctx);
		opts.data_size_in = in.len;
		opts.data_size_out = sizeof(out.b);
		if (bpf_prog_test_run_opts(lab_program(FROM_WIRE), &opts))
			fail_msg("%s", strerror(errno));
		if (opts.retval != TC_ACT_REDIRECT)
			continue;
		translated++;
		wrong += ctx.mark != (OF_TENANT | RED_INDEX) || strange(&out, RED_INDEX);
	}
	atomic_store(&o.over, true);
	pthread_join(thread, NULL);
	print_message("%u frames were translated, %u of them wrongly\n", translated, wrong);
	assert_true(translated > 0);
	assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_frame_gets_anothers_addresses),
};

int main(void)
{
	const struct packet_suite suite = {"fast race", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
