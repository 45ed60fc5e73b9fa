// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the verifier had to look at of each program, beside what it was when verifier.txt was
 * written: a program that grows and grows is refused one day by some kernel (at a million).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "packet.h"
#include "tsw.skel.h"

#define RECORDED "tests/verifier.txt" /* tests run at the top of the tree */
#define MAY_GROW 10		      /* per cent */

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

static void programs_do_not_grow(void **state)
{
	struct record now = {.clang = TSW_CLANG};
	unsigned int unknown = 0, grown = 0, old;
	FILE *file = fopen(RECORDED, "re");
	struct bpf_program *program;

	if (!file)
		fprintf(stderr, "# " RECORDED ": %s\n", strerror(errno));
	assert_non_null(file);
	this_kernel(now.kernel, sizeof(now.kernel));
	bpf_object__for_each_program(program, lab_object())
	{
		snprintf(now.program, sizeof(now.program), "%s", bpf_program__name(program));
		now.insns = verified_insns(now.program);
		old = recorded_insns(file, &now);
		unknown += !old;
		printf("# verified %s %s %u %u\n", now.program, now.kernel, now.clang, now.insns);
		if (!old || now.insns * 100ULL <= old * (100ULL + MAY_GROW))
			continue;
		fprintf(stderr, "# %s, Linux %s, clang %u: %u instructions, more than %u + %u %%\n",
			now.program, now.kernel, now.clang, now.insns, old, MAY_GROW);
		grown++;
	}
	fclose(file);
	assert_int_equal(grown, 0);
	if (unknown) {
		printf("# nothing in " RECORDED " for Linux %s and clang %u, %u programs; "
		       "scripts/kernels.sh record writes it\n",
		       now.kernel, now.clang, unknown);
		skip();
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(programs_do_not_grow)};
	const struct packet_suite suite = {"verifier", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
