// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is in a map of an older layout comes into one of another, with maps of the kernel and
 * layouts that are made up: hashes with contents, devices, counters while programs count.
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "kernel/map_update.h"
#include "store/insns.h"
#include "store/maps_move.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ENTRIES = 1000, LOOPBACK = 1, FRAMES = 100000, PORT = 9, COUNTERS = 14 };

struct old_value {
	__u32 a, b;
};
struct new_value {
	__u64 b;
	__u32 a, c;
};

static void convert(void *key, void *value)
{
	const struct old_value old = *(const struct old_value *)value;
	const __u32 id = *(const __u32 *)key;

	*(__u64 *)key = (__u64)id << 32;
	*(struct new_value *)value = (struct new_value){.b = old.b, .a = old.a, .c = 9};
}

/* Of an array the key is a place, which stays. */
static void convert_value(void *key, void *value)
{
	__u64 ignored = *(const __u32 *)key;

	convert(&ignored, value);
}

static const struct migration table[] = {
	{.from = 100, .map = MAP_FDB, .key = 4, .value = 8, .convert = convert},
	{.from = 100, .map = MAP_CONFIG, .key = 4, .value = 8, .convert = convert_value},
	{},
};

static struct map_move move;

static int make(enum bpf_map_type type, __u32 key, __u32 value, __u32 most)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts,
		    .map_flags = type == BPF_MAP_TYPE_LPM_TRIE ? BPF_F_NO_PREALLOC : 0);
	int fd = bpf_map_create(type, "test", key, value, most, &opts);

	assert_true(fd >= 0);
	return fd;
}

static void begin(enum map map, int from, int to)
{
	move = (struct map_move){.table = table, .abi = 100, .map = map, .from = from, .to = to};
}

static int end(void **state)
{
	close(move.from);
	close(move.to);
	(void)state;
	return 0;
}

static void fill(__u32 begin, __u32 count)
{
	__u32 key;

	for (key = begin; key < begin + count; key++) {
		const struct old_value value = {.a = key * 3, .b = key * 5};

		assert_int_equal(map_update(move.from, &key, &value, BPF_ANY), 0);
	}
}

static void expect(__u32 id)
{
	const __u64 key = (__u64)id << 32;
	const struct new_value want = {.b = id * 5, .a = id * 3, .c = 9};
	struct new_value got;

	assert_int_equal(bpf_map_lookup_elem(move.to, &key, &got), 0);
	assert_memory_equal(&got, &want, sizeof(got));
}

static __u32 count_keys(int fd, __u32 key_size)
{
	__u8 key[64], *last = NULL;
	__u32 n = 0;

	assert_true(key_size <= sizeof(key));
	for (; !bpf_map_get_next_key(fd, last, key); last = key)
		n++;
	return n;
}

static void hash(void **state)
{
	const struct new_value own = {.b = 1};
	const __u64 key = 7ULL << 32;
	struct new_value got;
	__u32 i;

	(void)state;
	begin(MAP_FDB, make(BPF_MAP_TYPE_HASH, 4, 8, 2 * ENTRIES),
	      make(BPF_MAP_TYPE_HASH, 8, 16, 2 * ENTRIES));
	fill(1, ENTRIES);
	assert_int_equal(map_move_entries(&move), 0);
	for (i = 1; i <= ENTRIES; i++)
		expect(i);
	assert_int_equal(count_keys(move.to, 8), ENTRIES);
	/* What has come in meanwhile; and what the new one has is the newer. */
	assert_int_equal(map_update(move.to, &key, &own, BPF_ANY), 0);
	fill(ENTRIES + 1, 10);
	assert_int_equal(map_move_entries(&move), 0);
	expect(ENTRIES + 10);
	assert_int_equal(count_keys(move.to, 8), ENTRIES + 10);
	assert_int_equal(bpf_map_lookup_elem(move.to, &key, &got), 0);
	assert_memory_equal(&got, &own, sizeof(got));
}

static void full(void **state)
{
	(void)state;
	begin(MAP_FDB, make(BPF_MAP_TYPE_HASH, 4, 8, ENTRIES), make(BPF_MAP_TYPE_HASH, 8, 16, 10));
	fill(1, ENTRIES);
	assert_int_equal(map_move_entries(&move), -ENOSPC);
	assert_non_null(strstr(failure()->text, "tsw_fdb"));
}

/* Larger, and else the same: no step is needed. */
static void larger(void **state)
{
	struct old_value got;
	const __u32 key = 5;

	(void)state;
	begin(MAP_PORTS, make(BPF_MAP_TYPE_HASH, 4, 8, ENTRIES),
	      make(BPF_MAP_TYPE_HASH, 4, 8, 2 * ENTRIES));
	fill(1, ENTRIES);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(map_move_counts(&move), 0); /* what is no counter is not added */
	assert_int_equal(count_keys(move.to, 4), ENTRIES);
	assert_int_equal(bpf_map_lookup_elem(move.to, &key, &got), 0);
	assert_int_equal(got.a, 15);
	assert_int_equal(got.b, 25);
}

/* Those that are there; one whose device is gone is in neither. */
static void devices(void **state)
{
	const __u32 lo = LOOPBACK;
	__u32 got = 0;

	(void)state;
	begin(MAP_DEVICES, make(BPF_MAP_TYPE_DEVMAP_HASH, 4, 4, 8),
	      make(BPF_MAP_TYPE_DEVMAP_HASH, 4, 4, 16));
	assert_int_equal(map_update(move.from, &lo, &lo, BPF_ANY), 0);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(bpf_map_lookup_elem(move.to, &lo, &got), 0);
	assert_int_equal(got, lo);
}

static __u32 make_tun(int *fd)
{
	struct ifreq tun = {.ifr_name = "tswtest", .ifr_flags = IFF_TUN | IFF_NO_PI};

	*fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, TUNSETIFF, &tun))
		return 0;
	return if_nametoindex(tun.ifr_name);
}

/* A device that the kernel does not find is no reason to stop, as what is no device is. */
static void devices_gone(void **state)
{
	struct tsw_peer_route_key key = {.len = 999};
	struct tsw_peer_route route = {.peer = 4};
	const __u32 lo = LOOPBACK;
	__u32 other;
	int tun;

	(void)state;
	begin(MAP_DEVICES, make(BPF_MAP_TYPE_DEVMAP_HASH, 4, 4, 8),
	      make(BPF_MAP_TYPE_DEVMAP_HASH, 4, 4, 16));
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	other = make_tun(&tun);
	assert_int_not_equal(other, 0);
	assert_int_equal(map_update(move.from, &lo, &lo, BPF_ANY), 0);
	assert_int_equal(map_update(move.from, &other, &other, BPF_ANY), 0);
	assert_int_equal(unshare(CLONE_NEWNET), 0); /* where it is not */
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(count_keys(move.from, 4), 2);
	assert_int_equal(count_keys(move.to, 4), 1);
	close(tun);
	end(state);
	begin(MAP_PEER_ROUTES, make(BPF_MAP_TYPE_HASH, sizeof(key), sizeof(route), 8),
	      make(BPF_MAP_TYPE_LPM_TRIE, sizeof(key), sizeof(route), 8));
	assert_int_equal(map_update(move.from, &key, &route, BPF_ANY), 0);
	assert_int_equal(map_move_entries(&move), -EINVAL);
	assert_non_null(strstr(failure()->text, "tsw_peer_routes"));
}

/* All entries that both have, each converted, over what was there. */
static void array(void **state)
{
	const struct old_value value = {.a = 3, .b = 5};
	const struct new_value want = {.b = 5, .a = 3, .c = 9}, before = {.c = 1};
	struct new_value got;
	__u32 i;

	(void)state;
	begin(MAP_CONFIG, make(BPF_MAP_TYPE_ARRAY, 4, 8, 3), make(BPF_MAP_TYPE_ARRAY, 4, 16, 4));
	for (i = 0; i < 3; i++)
		assert_int_equal(map_update(move.from, &i, &value, BPF_ANY), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(map_update(move.to, &i, &before, BPF_ANY), 0);
	assert_int_equal(map_move_entries(&move), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(bpf_map_lookup_elem(move.to, &i, &got), 0);
		assert_memory_equal(&got, i < 3 ? &want : &before, sizeof(got));
	}
	end(state);
	begin(MAP_CONFIG, make(BPF_MAP_TYPE_ARRAY, 4, 8, 3), make(BPF_MAP_TYPE_ARRAY, 4, 16, 2));
	assert_int_equal(map_move_entries(&move), 0);
}

static void too_large(void **state)
{
	(void)state;
	begin(MAP_PORTS, make(BPF_MAP_TYPE_HASH, 4, MIGRATE_MOST + 8, 4),
	      make(BPF_MAP_TYPE_HASH, 4, 8, 4));
	assert_int_equal(map_move_entries(&move), -EMSGSIZE);
	assert_int_equal(map_move_counts(&move), -EMSGSIZE);
	end(state);
	begin(MAP_PORTS, make(BPF_MAP_TYPE_HASH, 4, 8, 4),
	      make(BPF_MAP_TYPE_HASH, MIGRATE_MOST + 8, 8, 4));
	assert_int_equal(map_move_entries(&move), -EMSGSIZE);
}

static void routes(void **state)
{
	struct tsw_peer_route_key key = {.len = 64, .tenant = 3};
	struct tsw_peer_route route = {.peer = 4, .index = 5};

	(void)state;
	begin(MAP_PEER_ROUTES, make(BPF_MAP_TYPE_LPM_TRIE, sizeof(key), sizeof(route), 8),
	      make(BPF_MAP_TYPE_LPM_TRIE, sizeof(key), sizeof(route), 16));
	assert_int_equal(map_update(move.from, &key, &route, BPF_ANY), 0);
	key.len = 128;
	assert_int_equal(map_update(move.from, &key, &route, BPF_ANY), 0);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(count_keys(move.to, sizeof(key)), 2);
}

static __u64 sum(int fd, __u32 key, int counter)
{
	const int cpus = libbpf_num_possible_cpus();
	__u64 value[cpus * COUNTERS], all = 0;
	int i;

	assert_int_equal(bpf_map_lookup_elem(fd, &key, value), 0);
	for (i = 0; i < cpus; i++)
		all += value[i * COUNTERS + counter];
	return all;
}

static void set(int fd, __u32 key, __u64 each)
{
	const int cpus = libbpf_num_possible_cpus();
	__u64 value[cpus * COUNTERS];
	int i;

	for (i = 0; i < cpus * COUNTERS; i++)
		value[i] = each + i % COUNTERS;
	assert_int_equal(map_update(fd, &key, value, BPF_ANY), 0);
}

static void begin_counters(void)
{
	begin(MAP_STATS, make(BPF_MAP_TYPE_PERCPU_HASH, 4, COUNTERS * 8, 16),
	      make(BPF_MAP_TYPE_PERCPU_HASH, 4, COUNTERS * 8, 32));
}

/* First as zeros, then added; again adds nothing. */
static void counters(void **state)
{
	const int cpus = libbpf_num_possible_cpus();
	int i, round;

	(void)state;
	begin_counters();
	set(move.from, 1, 1000);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(sum(move.to, 1, 0), 0);
	set(move.to, 1, 7);
	set(move.from, 2, 500); /* meanwhile */
	for (round = 0; round < 2; round++) {
		assert_int_equal(map_move_entries(&move), 0);
		assert_int_equal(map_move_counts(&move), 0);
		for (i = 0; i < COUNTERS; i++) {
			assert_int_equal(sum(move.from, 1, i), 0);
			assert_int_equal(sum(move.to, 1, i), cpus * (1007 + 2 * i));
			assert_int_equal(sum(move.to, 2, i), cpus * (500 + i));
		}
	}
}

/* Of another length and with other keys: what both have is added, on whatever CPU. */
static void counters_differ(void **state)
{
	const int cpus = libbpf_num_possible_cpus();
	const __u64 key = 1ULL << 32;
	__u64 value[cpus * COUNTERS], all[COUNTERS] = {};
	int longer, i;

	(void)state;
	for (longer = 0; longer < 2; longer++) {
		const int from = longer ? 2 : COUNTERS, to = longer ? COUNTERS : 2;

		begin(MAP_FDB, make(BPF_MAP_TYPE_PERCPU_HASH, 4, from * 8, 4),
		      make(BPF_MAP_TYPE_PERCPU_HASH, 8, to * 8, 4));
		set(move.from, 1, 1000);
		assert_int_equal(map_move_entries(&move), 0);
		assert_int_equal(map_move_counts(&move), 0);
		assert_int_equal(bpf_map_lookup_elem(move.to, &key, value), 0);
		for (i = 0; i < cpus * to; i++)
			all[i % to] += value[i];
		end(state);
	}
	for (i = 0; i < COUNTERS; i++)
		assert_int_equal(all[i] >= 2000 * (__u64)cpus, i < 2);
	begin_counters(); /* to be closed */
}

/* Of a host's the counters alone: next hops are asked for anew. */
static void counters_of_hosts(void **state)
{
	const int cpus = libbpf_num_possible_cpus();
	struct tsw_host_stats stats[cpus];
	const __u32 host = 2;
	__u64 packets = 0, until = 0;
	int i;

	(void)state;
	begin(MAP_HOST_STATS, make(BPF_MAP_TYPE_PERCPU_HASH, 4, sizeof(*stats), 4),
	      make(BPF_MAP_TYPE_PERCPU_HASH, 4, sizeof(*stats), 4));
	memset(stats, 1, sizeof(stats));
	assert_int_equal(map_update(move.from, &host, stats, BPF_ANY), 0);
	assert_int_equal(map_move_entries(&move), 0);
	assert_int_equal(map_move_counts(&move), 0);
	assert_int_equal(bpf_map_lookup_elem(move.to, &host, stats), 0);
	for (i = 0; i < cpus; i++) {
		packets += stats[i].rx.packets;
		until += stats[i].hop[0].until;
	}
	assert_int_equal(packets, cpus * 0x0101010101010101ULL);
	assert_int_equal(until, 0);
}

/* Counts frames as tsw's programs do, in the first counter of entry 1. */
static int load_counter(int map)
{
	const struct bpf_insn insns[] = {
		STORE_IMM(BPF_REG_10, -4, 1),
		MAP(1, map),
		UPPER,
		MOVE_REG(2, BPF_REG_10),
		ADD_IMM(2, -4),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_NULL(0, 3),
		LOAD_LONG(1, 0, 0),
		ADD_IMM(1, 1),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 0, 1, 0, 0),
		MOVE_IMM(0, 0),
		EXIT,
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "test", "GPL", insns, COUNT(insns), NULL);

	assert_true(fd >= 0);
	return fd;
}

static void attach_to_lo(int prog)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = LOOPBACK, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = prog);
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd;

	assert_int_equal(unshare(CLONE_NEWNET), 0);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &lo), 0);
	close(fd);
	assert_int_equal(bpf_tc_hook_create(&hook), 0);
	assert_int_equal(bpf_tc_attach(&hook, &opts), 0);
}

/* A socket that takes what is sent, or nobody would be silent about it. */
static int sink(struct sockaddr_in *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_port = htons(PORT),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_int_equal(bind(fd, (const struct sockaddr *)at, sizeof(*at)), 0);
	return fd;
}

/* Another process, on any CPU. */
static pid_t start_sender(const struct sockaddr_in *to)
{
	pid_t pid = fork();
	int fd, i, n = 0;

	if (pid)
		return pid;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	for (i = 0; i < FRAMES; i++)
		n += sendto(fd, "x", 1, 0, (const struct sockaddr *)to, sizeof(*to)) == 1;
	_exit(n == FRAMES ? 0 : 1);
}

static void counters_in_use(void **state)
{
	const int cpus = libbpf_num_possible_cpus();
	__u64 moved = 0;
	struct sockaddr_in to;
	int status = 1, prog, fd;
	pid_t pid;

	(void)state;
	begin_counters();
	set(move.to, 1, 0);
	prog = load_counter(move.to);
	attach_to_lo(prog);
	fd = sink(&to);
	pid = start_sender(&to);
	while (!waitpid(pid, &status, WNOHANG)) {
		set(move.from, 1, 1);
		assert_int_equal(map_move_counts(&move), 0);
		moved += cpus;
	}
	assert_int_equal(status, 0);
	assert_true(moved > 0);
	assert_int_equal(sum(move.to, 1, 0), moved + FRAMES);
	close(fd);
	close(prog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hash, end),
		cmocka_unit_test_teardown(full, end),
		cmocka_unit_test_teardown(larger, end),
		cmocka_unit_test_teardown(devices, end),
		cmocka_unit_test_teardown(devices_gone, end),
		cmocka_unit_test_teardown(array, end),
		cmocka_unit_test_teardown(too_large, end),
		cmocka_unit_test_teardown(routes, end),
		cmocka_unit_test_teardown(counters, end),
		cmocka_unit_test_teardown(counters_differ, end),
		cmocka_unit_test_teardown(counters_of_hosts, end),
		cmocka_unit_test_teardown(counters_in_use, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
