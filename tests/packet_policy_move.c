// SPDX-License-Identifier: GPL-2.0-only
/*
 * An upgrade from ABI 6, which has other buckets: connections that a policy follows go on, for
 * those as well that begin or are answered while the old programs still run.
 *
 * A, here, reaches C, on another host, by UDP at 53. Nothing else may pass, so each answer of C's
 * that does is one by its entry.
 */
#include <bpf/bpf.h>
#include <string.h>
#include <unistd.h>

#include "base/tick.h"
#include "kernel/map_update.h"
#include "policies.h"
#include "store/policy_move.h"

enum { WEB = 1, DB, DNS = 1, FIRST = 20000, N = 400, MORE = 50 };

static const struct outer of_red = {FROM_HOST2};
static struct tsw_config config;
static struct policy_move move;

static int setup(void **state)
{
	(void)state;
	lab_fill();
	counts_clear();
	lab_policy_begin(RED, TSW_POLICY_ON, true);
	lab_policy_connections(RED, 1000);
	lab_policy_member(RED, MAC_A, WEB, 0);
	lab_policy_member(RED, MAC_C, DB, 0);
	lab_policy_way(&(const struct policy_way){.from = WEB,
						  .to = DB,
						  .proto = IPPROTO_UDP,
						  .length = 16,
						  .port = 53,
						  .number = DNS});
	return 0;
}

static bool asks(unsigned int nth)
{
	return policy_passes(
		FROM_PORT, RED_A,
		&(const struct spec){
			.dst = MAC_C, .to = IP_C, .sport = (__u16)(FIRST + nth), .dport = 53});
}

static bool answers(unsigned int nth)
{
	return policy_passes(FROM_WIRE, WIRE,
			     &(const struct spec){.outer = &of_red,
						  .src = MAC_C,
						  .from = IP_C,
						  .dst = MAC_A,
						  .to = IP_A,
						  .sport = 53,
						  .dport = (__u16)(FIRST + nth)});
}

static unsigned int answered(unsigned int first, unsigned int n)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < n; i++)
		passed += answers(first + i);
	return passed;
}

/* As the lab's own. */
static int make_old(void)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int fd, btf;

	assert_int_equal(bpf_obj_get_info_by_fd(lab_map(M_POLICY_CONNS), &info, &len), 0);
	btf = bpf_btf_get_fd_by_id(info.btf_id);
	assert_true(btf >= 0);
	opts.btf_fd = (__u32)btf;
	opts.btf_key_type_id = info.btf_key_type_id;
	opts.btf_value_type_id = info.btf_value_type_id;
	move.most = info.max_entries;
	fd = bpf_map_create(BPF_MAP_TYPE_HASH, "old", info.key_size, info.value_size, move.most,
			    &opts);
	assert_true(fd >= 0);
	close(btf);
	return fd;
}

static size_t keys(int map)
{
	struct tsw_policy_conn_key key, *last = NULL;
	size_t n = 0;

	for (; !bpf_map_get_next_key(map, last, &key); last = &key)
		n++;
	return n;
}

/* All that the switch follows into the old map, in buckets that no hash has chosen. */
static void make_it_old(void)
{
	struct tsw_policy_conn_key key, *last = NULL;
	struct tsw_policy_bucket bucket;

	for (; !bpf_map_get_next_key(lab_map(M_POLICY_CONNS), last, &key); last = &key) {
		struct tsw_policy_conn_key old = key;

		if (key.bucket == TSW_POLICY_SPARE)
			continue;
		assert_int_equal(bpf_map_lookup_elem_flags(lab_map(M_POLICY_CONNS), &key, &bucket,
							   BPF_F_LOCK),
				 0);
		old.bucket ^= 1 << 16;
		assert_int_equal(map_update(move.from, &old, &bucket, BPF_ANY), 0);
	}
	lab_clear(M_POLICY_CONNS);
}

static void begin(void)
{
	lab_config(&config);
	move.from = make_old();
	move.to = lab_map(M_POLICY_CONNS);
	move.policies = lab_map(M_POLICIES);
	move.config = &config;
}

static void all_go_on(void **state)
{
	size_t n;

	(void)state;
	begin();
	for (unsigned int i = 0; i < N; i++)
		assert_true(asks(i));
	make_it_old();
	assert_int_equal(answered(0, N), 0);
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(answered(0, N), N);
	assert_int_equal(lab_policy_conns(RED), N);
	n = keys(move.to);
	/* Nothing comes twice, and what programs know by now is the newer. */
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(lab_policy_conns(RED), N);
	assert_int_equal(keys(move.to), n);
	close(move.from);
}

/* Begun between the two times: beside what the new map has. */
static void meanwhile(void **state)
{
	int late;

	(void)state;
	begin();
	for (unsigned int i = 0; i < MORE; i++)
		assert_true(asks(N + i));
	make_it_old();
	late = move.from;
	begin();
	for (unsigned int i = 0; i < N; i++)
		assert_true(asks(i));
	make_it_old();
	assert_int_equal(policy_conns_move(&move), 0);
	close(move.from);
	move.from = late;
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(answered(0, N + MORE), N + MORE);
	assert_int_equal(lab_policy_conns(RED), N + MORE);
	close(move.from);
}

/* Of what was answered between the two times, that is known afterwards. */
static void answered_meanwhile(void **state)
{
	struct tsw_policy_conn_key key;
	struct tsw_policy_bucket bucket;
	int i;

	(void)state;
	begin();
	assert_true(asks(0));
	make_it_old();
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(bpf_map_get_next_key(move.from, NULL, &key), 0);
	assert_int_equal(bpf_map_lookup_elem_flags(move.from, &key, &bucket, BPF_F_LOCK), 0);
	for (i = 0; !bucket.conn[i].until; i++)
		;
	bucket.conn[i].state |= TSW_POLICY_ANSWERED;
	bucket.conn[i].until = tick_now() + 300;
	assert_int_equal(map_update(move.from, &key, &bucket, BPF_F_LOCK), 0);
	assert_int_equal(policy_conns_move(&move), 0);
	lab_policy_age(RED, 100);
	assert_true(answers(0));
	close(move.from);
}

/* What is over, and what the tenant has forgotten, is left. */
static void over(void **state)
{
	(void)state;
	begin();
	assert_true(asks(0));
	lab_policy_age(RED, 40);
	assert_true(asks(1));
	make_it_old();
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(lab_policy_conns(RED), 1);
	lab_clear(M_POLICY_CONNS);
	lab_policy_table(RED, 4711);
	assert_int_equal(policy_conns_move(&move), 0);
	assert_int_equal(keys(move.to), 0);
	close(move.from);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(all_go_on), TEST(meanwhile),
					   TEST(answered_meanwhile), TEST(over)};
	const struct packet_suite suite = {"policy move", NULL, 0, tests,
					   sizeof(tests) / sizeof(*tests)};

	return packet_main(&suite);
}
