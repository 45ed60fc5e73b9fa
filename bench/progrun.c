// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a pinned program needs for a frame, by BPF_PROG_TEST_RUN, in nanoseconds.
 *
 *     bench_progrun PIN DEV RUNS HEX...
 *
 * Each frame is run RUNS times, each time as it was at first: a repeat within one call would meet
 * its own work, and a frame that was encapsulated is another one. So each call runs the program
 * once, and the median is told; beside it that of a program that does nothing, since taking the
 * time takes time, too. Prints {"ns": …, "nothing": …, "verdict": …} for each frame.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"

enum { FRAME_MAX = 9000, RUNS_MAX = 1000000 };

struct frame {
	size_t len;
	unsigned char octets[FRAME_MAX];
};

static int frame_read(const char *hex, struct frame *f)
{
	f->len = strlen(hex) / 2;
	if (f->len < ETH_HLEN || f->len > FRAME_MAX || strlen(hex) % 2 ||
	    hex[strspn(hex, "0123456789abcdefABCDEF")])
		return misuse("%s is no frame in hex", quoted(hex));
	for (size_t i = 0; i < f->len; i++)
		sscanf(hex + 2 * i, "%2hhx", &f->octets[i]);
	return 0;
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

	if (empty < 0)
		return fail(empty, "the program does not run: %s", strerror(-empty));
	printf("{\"ns\": %d, \"nothing\": %d, \"verdict\": %u}\n", ns, empty, verdict);
	return 0;
}

static int measure(char **arg)
{
	__u32 ifindex = if_nametoindex(arg[1]), runs;
	int prog, nothing, err;
	struct frame f;

	if (!ifindex)
		return fail(errno, "no device %s here: %s", quoted(arg[1]), strerror(errno));
	err = parse_number(arg[2], 1, RUNS_MAX, &runs);
	if (err)
		return err;
	prog = bpf_obj_get(arg[0]);
	if (prog < 0)
		return fail(errno, "no program %s: %s", quoted(arg[0]), strerror(errno));
	nothing = load_nothing();
	if (nothing < 0)
		return fail(nothing, "cannot load a program: %s", strerror(-nothing));
	for (arg += 3; !err && *arg; arg++) {
		err = frame_read(*arg, &f);
		err = err ?: show(prog, nothing, ifindex, &f, runs);
	}
	return err;
}

int main(int argc, char **argv)
{
	int err = argc < 5 ? misuse("usage: bench_progrun PIN DEV RUNS HEX...") : measure(argv + 1);

	if (err)
		fprintf(stderr, "bench_progrun: %s\n", failure()->text);
	return err ? failure()->status : EXIT_DONE;
}
