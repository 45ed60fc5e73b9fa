// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the verifier had to look at of each program, beside what it was when verifier.txt was
 * written: a program that grows and grows is refused one day by some kernel (at a million).
 *
 * And, where the kernel's clock counts instructions (docs/testing.md, TSW_VM_COUNT), how many a
 * frame takes: what is added for some frames is to cost the others nothing.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "packet.h"
#include "tsw.skel.h"

#define RECORDED "tests/verifier.txt" /* tests run at the top of the tree */
#define MAY_GROW 10		      /* per cent */
#define MAY_TAKE 3		      /* per cent more, a frame */
#define RUNS 100

/* A line of the file: program, kernel, clang, instructions. */
struct record {
	char program[32], kernel[16];
	unsigned int clang, insns;
};

static void this_kernel(char *release, size_t size)
{
	unsigned int major = 0, minor = 0;
	struct utsname system;

	uname(&system);
	assert_int_equal(sscanf(system.release, "%u.%u", &major, &minor), 2);
	snprintf(release, size, "%u.%u", major, minor);
}

static unsigned int verified_insns(const char *program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(lab_program_named(program), &info, &size), 0);
	assert_int_not_equal(info.verified_insns, 0);
	return info.verified_insns;
}

/* The instructions recorded for the same program, kernel and compiler; 0: none. */
static unsigned int recorded_insns(FILE *file, const struct record *now)
{
	struct record old;
	char line[128];

	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		if (sscanf(line, "%31s %15s %u %u", old.program, old.kernel, &old.clang,
			   &old.insns) != 4) {
			fprintf(stderr, "# " RECORDED ": not understood: %s", line);
			fail();
		}
		if (!strcmp(old.program, now->program) && !strcmp(old.kernel, now->kernel) &&
		    old.clang == now->clang)
			return old.insns;
	}
	return 0;
}

static FILE *records(void)
{
	FILE *file = fopen(RECORDED, "re");

	if (!file)
		fprintf(stderr, "# " RECORDED ": %s\n", strerror(errno));
	assert_non_null(file);
	return file;
}

/* Told, and compared with what is recorded, of which it may be PER_CENT more. */
static void compare(FILE *file, const struct record *now, unsigned int per_cent,
		    unsigned int *unknown, unsigned int *grown)
{
	const unsigned int old = recorded_insns(file, now);

	*unknown += !old;
	printf("# verified %s %s %u %u\n", now->program, now->kernel, now->clang, now->insns);
	if (!old || now->insns * 100ULL <= old * (100ULL + per_cent))
		return;
	fprintf(stderr, "# %s, Linux %s, clang %u: %u instructions, more than %u + %u %%\n",
		now->program, now->kernel, now->clang, now->insns, old, per_cent);
	++*grown;
}

static void judge(const struct record *now, unsigned int unknown, unsigned int grown)
{
	assert_int_equal(grown, 0);
	if (!unknown)
		return;
	printf("# nothing in " RECORDED " for Linux %s and clang %u, %u times; "
	       "scripts/kernels.sh record writes it\n",
	       now->kernel, now->clang, unknown);
	skip();
}

static void programs_do_not_grow(void **state)
{
	struct record now = {.clang = TSW_CLANG};
	unsigned int unknown = 0, grown = 0;
	struct bpf_program *program;
	FILE *file = records();

	this_kernel(now.kernel, sizeof(now.kernel));
	bpf_object__for_each_program(program, lab_object()) {
		snprintf(now.program, sizeof(now.program), "%s", bpf_program__name(program));
		now.insns = verified_insns(now.program);
		compare(file, &now, MAY_GROW, &unknown, &grown);
	}
	fclose(file);
	judge(&now, unknown, grown);
	(void)state;
}

/* A TCP frame of an endpoint and, the last, what such a frame is on the underlay. */
static const struct {
	const char *name;
	enum program program;
	__u32 dev;
	struct spec in;
} frames[] = {
	{"tsw_from_port:local", FROM_PORT, RED_A, {.kind = KIND_TCP, .payload = 10}},
	{"tsw_from_port:remote",
	 FROM_PORT,
	 RED_A,
	 {.kind = KIND_TCP, .dst = MAC_C, .to = IP_C, .payload = 10}},
	{"tsw_from_wire:local",
	 FROM_WIRE,
	 WIRE,
	 {.kind = KIND_TCP,
	  .src = MAC_C,
	  .from = IP_C,
	  .dst = MAC_A,
	  .to = IP_A,
	  .payload = 10,
	  .outer = &(const struct outer){FROM_HOST2}}},
};

static __u64 run_time(enum program program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(lab_program(program), &info, &size), 0);
	return info.run_time_ns;
}

/* The least of a frame's runs: the others were interrupted, or found a cache empty. */
static unsigned int insns_of(enum program program, const struct frame *in, __u32 dev)
{
	const struct __sk_buff ctx = {.ifindex = dev};
	__u64 least = UINT_MAX, before, took;
	struct packet_run run;

	counts_clear(); /* they are where the programs find tenants and hosts */
	for (int i = 0; i < RUNS; i++) {
		before = run_time(program);
		assert_int_equal(packet_run(program, in, &ctx, &run), 0);
		assert_int_equal(run.verdict, TC_ACT_REDIRECT);
		took = run_time(program) - before;
		least = took < least ? took : least;
	}
	return (unsigned int)least;
}

static bool clock_counts(void)
{
	const char *count = getenv("TSW_VM_COUNT");

	return count && *count;
}

static void frames_take_no_more(void **state)
{
	struct record now = {.clang = TSW_CLANG};
	unsigned int unknown = 0, grown = 0;
	struct frame in;
	FILE *file;
	int stats;

	if (!clock_counts())
		skip();
	file = records();
	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	assert_return_code(stats, errno);
	this_kernel(now.kernel, sizeof(now.kernel));
	for (size_t i = 0; i < COUNT(frames); i++) {
		frame_build(&frames[i].in, &in);
		snprintf(now.program, sizeof(now.program), "%s", frames[i].name);
		now.insns = insns_of(frames[i].program, &in, frames[i].dev);
		compare(file, &now, MAY_TAKE, &unknown, &grown);
	}
	close(stats);
	fclose(file);
	judge(&now, unknown, grown);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_do_not_grow),
		cmocka_unit_test(frames_take_no_more),
	};
	const struct packet_suite suite = {"verifier", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
