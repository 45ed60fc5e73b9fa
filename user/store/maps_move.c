// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/map_update.h"
#include "store/insns.h"
#include "store/maps_move.h"
#include "store/policy_move.h"

enum { FRAME_LEN = 64, LONG = sizeof(__u64), MOST_LONGS = 32, PER_LONG = 3 };

/* The input of the program that adds counters: one CPU's value of one entry. */
struct job {
	__u32 cpu;
	__u32 pad;
	__u8 from[MIGRATE_MOST]; /* keys */
	__u8 to[MIGRATE_MOST];
};

struct entry {
	__u8 from_key[MIGRATE_MOST];
	__u8 key[MIGRATE_MOST];
	__u8 value[MIGRATE_MOST];
};

struct sizes {
	struct bpf_map_info from;
	struct bpf_map_info to;
	bool per_cpu;
	bool devices; /* the kernel takes only existing devices */
};

static int map_info(int fd, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(fd, info, &len) ? -errno : 0;
}

static int fail_move(const struct map_move *m, int err)
{
	if (err == -E2BIG)
		return fail(ENOSPC, "map %s is full", map_name(m->map));
	return fail(err, "cannot move the entries of map %s: %s", map_name(m->map), strerror(-err));
}

static int read_sizes(const struct map_move *m, struct sizes *s)
{
	int err = map_info(m->from, &s->from);

	err = err ?: map_info(m->to, &s->to);
	if (err)
		return fail_move(m, err);
	if (s->from.key_size > MIGRATE_MOST || s->from.value_size > MIGRATE_MOST ||
	    s->to.key_size > MIGRATE_MOST || s->to.value_size > MIGRATE_MOST)
		return fail_move(m, -EMSGSIZE);
	s->per_cpu = s->to.type == BPF_MAP_TYPE_PERCPU_HASH;
	s->devices = s->to.type == BPF_MAP_TYPE_DEVMAP_HASH;
	return 0;
}

static int put_entry(const struct map_move *m, const struct sizes *s, const struct entry *e)
{
	cleanup_free void *zeros = NULL;
	const void *value = e->value;

	if (s->per_cpu) {
		zeros = calloc((size_t)libbpf_num_possible_cpus(), MIGRATE_MOST);
		if (!zeros)
			return -ENOMEM;
		value = zeros;
	}
	if (!map_update(m->to, e->key, value, BPF_NOEXIST) || errno == EEXIST ||
	    (s->devices && (errno == EINVAL || errno == ENODEV)))
		return 0;
	return -errno;
}

/* Overwrites all entries, because an array always has all of them. */
static int move_array(const struct map_move *m, const struct sizes *s)
{
	struct entry e;
	__u32 i;

	for (i = 0; i < s->from.max_entries && i < s->to.max_entries; i++) {
		memset(&e, 0, sizeof(e));
		memcpy(e.key, &i, sizeof(i));
		if (bpf_map_lookup_elem(m->from, e.key, e.value))
			return -errno;
		migrate_entry(m->table, m->abi, m->map, e.key, e.value);
		if (bpf_map_update_elem(m->to, e.key, e.value, BPF_ANY))
			return -errno;
	}
	return 0;
}

/* Calls ACT for each entry. Programs may add and remove entries meanwhile. */
static int for_each(const struct map_move *m, const struct sizes *s,
		    int (*act)(const struct map_move *m, const struct sizes *s, struct entry *e))
{
	cleanup_free struct entry *e = calloc(1, sizeof(*e));
	cleanup_free __u8 *next = calloc(1, MIGRATE_MOST);
	__u64 left = 4ULL * s->from.max_entries; /* a bound: a removed key restarts the walk */
	bool first = true;
	int err = 0;

	if (!e || !next)
		return -ENOMEM;
	while (!err && left-- && !bpf_map_get_next_key(m->from, first ? NULL : next, next)) {
		first = false;
		memset(e, 0, sizeof(*e));
		memcpy(e->from_key, next, s->from.key_size);
		memcpy(e->key, next, s->from.key_size);
		err = act(m, s, e);
	}
	return err;
}

static int move_entry(const struct map_move *m, const struct sizes *s, struct entry *e)
{
	if (!s->per_cpu && bpf_map_lookup_elem(m->from, e->from_key, e->value))
		return errno == ENOENT ? 0 : -errno;
	migrate_entry(m->table, m->abi, m->map, e->key, e->value);
	return put_entry(m, s, e);
}

int map_move_entries(const struct map_move *m)
{
	struct sizes s;
	int err = read_sizes(m, &s);

	if (err)
		return err;
	if (m->map == MAP_POLICY_CONNS)
		err = policy_conns_move(&(const struct policy_move){.from = m->from,
								    .to = m->to,
								    .policies = m->policies,
								    .most = s.from.max_entries,
								    .config = m->config});
	else if (s.to.type == BPF_MAP_TYPE_ARRAY)
		err = move_array(m, &s);
	else
		err = for_each(m, &s, move_entry);
	return err ? fail_move(m, err) : 0;
}

/* The number of counters at the beginning of an entry. */
static size_t n_counters(const struct map_move *m, const struct sizes *s)
{
	__u32 least = s->from.value_size < s->to.value_size ? s->from.value_size : s->to.value_size;

	/* Cached copies follow the counters. Programs read them again. */
	if (m->map == MAP_HOST_STATS)
		least = offsetof(struct tsw_host_stats, host);
	if (m->map == MAP_STATS)
		least = offsetof(struct tsw_tenant_stats, tenant);
	return least / LONG < MOST_LONGS ? least / LONG : MOST_LONGS;
}

static size_t add_insns(struct bpf_insn *to, const struct map_move *m, int job, size_t n)
{
	const struct bpf_insn begin[] = {
		MAP_VALUE(6, job),
		UPPER,
		MAP(1, m->from),
		UPPER,
		MOVE_REG(2, 6),
		ADD_IMM(2, offsetof(struct job, from)),
		LOAD(3, 6, offsetof(struct job, cpu)),
		CALL(BPF_FUNC_map_lookup_percpu_elem),
		IF_NULL(0, 9 + PER_LONG * n), /* to the last two */
		MOVE_REG(7, 0),
		MAP(1, m->to),
		UPPER,
		MOVE_REG(2, 6),
		ADD_IMM(2, offsetof(struct job, to)),
		CALL(BPF_FUNC_map_lookup_elem),
		IF_NULL(0, 2 + PER_LONG * n),
	};
	size_t used = sizeof(begin) / sizeof(begin[0]), i;

	memcpy(to, begin, sizeof(begin));
	for (i = 0; i < n; i++) {
		to[used++] = LOAD_LONG(1, 7, (__s16)(i * LONG));
		to[used++] = ATOMIC_ADD_LONG(0, (__s16)(i * LONG), 1);
		to[used++] = STORE_LONG_IMM(7, (__s16)(i * LONG), 0);
	}
	to[used++] = MOVE_IMM(0, 0);
	to[used++] = EXIT;
	to[used++] = MOVE_IMM(0, 1);
	to[used++] = EXIT;
	return used;
}

/*
 * Loads a BPF program that adds the counters, for two reasons. Its run cannot be killed half-way.
 * And no count of other programs on this CPU is lost: they run in interrupts, and so before or
 * after each addition, which is one instruction.
 */
static int load_adder(const struct map_move *m, int job, size_t n)
{
	struct bpf_insn insns[32 + PER_LONG * MOST_LONGS];
	size_t used = add_insns(insns, m, job, n);

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "tsw_add_counts", "GPL", insns, used, NULL);
}

static int run_adder(int prog)
{
	__u8 frame[FRAME_LEN] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame));

	if (bpf_prog_test_run_opts(prog, &opts))
		return -errno;
	return opts.retval ? -ENOENT : 0;
}

struct adding {
	struct map_move move; /* must be first, because for_each() passes it on */
	int prog;
	int job;
};

static int add_entry(const struct map_move *m, const struct sizes *s, struct entry *e)
{
	const struct adding *adding = (const struct adding *)m;
	const int cpus = libbpf_num_possible_cpus();
	struct job job = {};
	const __u32 zero = 0;
	int err = 0;

	(void)s;
	memcpy(job.from, e->from_key, MIGRATE_MOST);
	migrate_entry(m->table, m->abi, m->map, e->key, e->value);
	memcpy(job.to, e->key, MIGRATE_MOST);
	for (job.cpu = 0; !err && job.cpu < (__u32)cpus; job.cpu++) {
		err = bpf_map_update_elem(adding->job, &zero, &job, BPF_ANY) ? -errno : 0;
		err = err ?: run_adder(adding->prog);
	}
	return err;
}

int map_move_counts(const struct map_move *m)
{
	struct adding adding = {.move = *m};
	cleanup_close int job = -1;
	cleanup_close int prog = -1;
	struct sizes s;
	int err = read_sizes(m, &s);

	if (err || !s.per_cpu)
		return err;
	job = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tsw_job", sizeof(__u32), sizeof(struct job), 1,
			     NULL);
	if (job < 0)
		return fail_move(m, job);
	prog = load_adder(m, job, n_counters(m, &s));
	if (prog < 0)
		return fail_move(m, prog);
	adding.job = job;
	adding.prog = prog;
	err = for_each(&adding.move, &s, add_entry);
	return err ? fail_move(m, err) : 0;
}
