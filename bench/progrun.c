// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a pinned program needs for a frame, by BPF_PROG_TEST_RUN, in nanoseconds.
 *
 *     progrun PIN DEV RUNS HEX...
 *
 * Each frame is run RUNS times, each time as it was at first: a repeat within one call would meet
 * its own work, and a frame that was encapsulated is another one. So each call runs the program
 * once, and the median is told; beside it that of a program that does nothing, since taking the
 * time takes time, too. Prints {"ns": …, "nothing": …, "verdict": …} for each frame.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "err.h"
#include "parse.h"

enum { FRAME_MAX = 9000, RUNS_MAX = 1000000 };

struct frame {
	size_t len;
	unsigned char octets[FRAME_MAX];
};

static int misread(const char *what, const char *text)
{
	fprintf(stderr, "progrun: %s: %s\n", what, text);
	return 2;
}

static int frame_read(const char *hex, struct frame *f)
{
	int used;

	for (f->len = 0; *hex; hex += 2, f->len++)
		if (f->len == FRAME_MAX || sscanf(hex, "%2hhx%n", &f->octets[f->len], &used) != 1 ||
		    used != 2)
			return -EINVAL;
	return f->len < 14 ? -EINVAL : 0;
}

static int load_nothing(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "nothing", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), NULL);
}

static int by_value(const void *a, const void *b)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return (x > y) - (x < y);
}

/* The median of RUNS; -errno. */
static int run(int prog, __u32 ifindex, const struct frame *f, __u32 runs, __u32 *verdict)
{
	struct __sk_buff skb = {.ifindex = ifindex};
	__u32 *ns = calloc(runs, sizeof(*ns)), i;
	int err = ns ? 0 : -ENOMEM, median = 0;

	for (i = 0; !err && i < runs; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->octets,
			    .data_size_in = (__u32)f->len, .ctx_in = &skb,
			    .ctx_size_in = sizeof(skb), .repeat = 1);

		err = bpf_prog_test_run_opts(prog, &opts) ? -errno : 0;
		ns[i] = opts.duration;
		*verdict = opts.retval;
	}
	if (!err) {
		qsort(ns, runs, sizeof(*ns), by_value);
		median = (int)ns[runs / 2];
	}
	free(ns);
	return err ?: median;
}

static int show(int prog, int nothing, __u32 ifindex, const struct frame *f, __u32 runs)
{
	__u32 verdict = 0, unused;
	const int ns = run(prog, ifindex, f, runs, &verdict);
	const int empty = ns < 0 ? ns : run(nothing, ifindex, f, runs, &unused);

	if (empty < 0) {
		fprintf(stderr, "progrun: the program does not run: %s\n", strerror(-empty));
		return 1;
	}
	printf("{\"ns\": %d, \"nothing\": %d, \"verdict\": %u}\n", ns, empty, verdict);
	return 0;
}

int main(int argc, char **argv)
{
	int prog, nothing, i, err = 0;
	struct frame f;
	__u32 ifindex, runs;

	if (argc < 5)
		return misread("usage", "progrun PIN DEV RUNS HEX...");
	ifindex = if_nametoindex(argv[2]);
	if (!ifindex)
		return misread("no such device", argv[2]);
	if (parse_number(argv[3], 1, RUNS_MAX, &runs))
		return misread("RUNS", failure()->text);
	prog = bpf_obj_get(argv[1]);
	nothing = load_nothing();
	if (prog < 0 || nothing < 0)
		return misread(argv[1], strerror(errno));
	for (i = 4; !err && i < argc; i++) {
		if (frame_read(argv[i], &f))
			return misread("no frame in hex", argv[i]);
		err = show(prog, nothing, ifindex, &f, runs);
	}
	close(prog);
	close(nothing);
	return err;
}
