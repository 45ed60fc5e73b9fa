// SPDX-License-Identifier: GPL-2.0-only
/* The runner: one frame through one program, and all that may have come of it compared. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packet.h"

/* The test run copies a whole context back; it refuses fields that it does not know of. */
int packet_run(enum program program, const struct frame *in, const struct __sk_buff *ctx,
	       struct packet_run *run)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->b, .data_size_in = in->len,
		    .data_out = run->out.b, .data_size_out = sizeof(run->out.b));
	int err;

	if (program != XDP) {
		opts.ctx_in = ctx;
		opts.ctx_size_in = sizeof(*ctx);
		opts.ctx_out = &run->ctx;
		opts.ctx_size_out = sizeof(run->ctx);
	}
	err = bpf_prog_test_run_opts(lab_program(program), &opts);
	run->verdict = opts.retval;
	run->out.len = opts.data_size_out;
	return err ? -errno : 0;
}

static int expected_action(const struct packet_case *c)
{
	static const int tc[] = {
		[DROPPED] = TC_ACT_SHOT,
		[PASSED] = TC_ACT_UNSPEC,
		[REDIRECTED] = TC_ACT_REDIRECT,
	};

	if (c->program == XDP)
		return c->verdict == PASSED ? XDP_PASS : XDP_DROP;
	return tc[c->verdict];
}

/*
 * The outer source port cannot be foretold, but its range can (RFC 7348 section 5);
 * the outer MACs of an IP frame are redirect_neigh's affair, after the program.
 */
static bool adopt_outer(const struct packet_case *c, const struct frame *got, struct frame *want)
{
	const struct outer *outer = c->out ? c->out->outer : NULL;
	const size_t sport_at = ETH_HLEN + 20;

	if (!outer || got->len < sport_at + 2)
		return true;
	if (c->in.kind != KIND_ARP && c->in.kind != KIND_RAW)
		memcpy(want->b, got->b, 2 * ETH_ALEN);
	if (outer->sport)
		return true;
	memcpy(want->b + sport_at, got->b + sport_at, 2);
	if (got->b[sport_at] >= 0xc0)
		return true;
	fprintf(stderr, "# %s: the outer source port is below 49152\n", c->name);
	return false;
}

static bool compare_frame(const struct packet_case *c, const struct frame *got,
			  const struct frame *in)
{
	struct frame want = *in;
	bool ok;

	if (c->out)
		frame_build(c->out, &want);
	if (c->make)
		c->make(in, &want);
	ok = adopt_outer(c, got, &want);
	return frame_equal(c->name, got, &want) && ok;
}

static bool compare_word(const char *name, const char *what, __u32 got, __u32 want)
{
	if (got != want)
		fprintf(stderr, "# %s: %s is %#x, not %#x\n", name, what, got, want);
	return got == want;
}

static bool compare_ctx(const struct packet_case *c, const struct packet_run *run)
{
	__u32 tenant = c->tenant ? c->tenant : RED, cb[5];
	bool ok = compare_word(c->name, "mark", run->ctx.mark, c->mark_out);

	memcpy(cb, c->cb, sizeof(cb));
	if (c->to) {
		cb[0] = (__u32)SECRET;
		cb[1] = SECRET >> 32;
		cb[2] = tenant;
		cb[3] = c->to;
	} else if (c->program == TO_PORT) {
		cb[0] = cb[1] = 0; /* the stamp is good for once */
	}
	for (int i = 0; i < 5; i++)
		ok &= compare_word(c->name, "cb", run->ctx.cb[i], cb[i]);
	return ok;
}

static enum tsw_direction direction(enum program program)
{
	if (program == FROM_PORT)
		return TSW_DIR_FROM_ENDPOINT;
	return program == TO_PORT ? TSW_DIR_TO_ENDPOINT : TSW_DIR_FROM_TUNNEL;
}

/* Counted is the inner frame; of one cut off too, by what the outer header leaves. */
static size_t counted_len(const struct packet_case *c, size_t len)
{
	return c->in.outer ? len - TSW_VXLAN4_OVERHEAD : len;
}

static void expected_counts(const struct packet_case *c, size_t len, struct counts *want)
{
	__u32 slot = c->tenant == NOBODY ? 2 : c->tenant == BLUE;
	struct tsw_counter size = c->size;

	if (!size.packets)
		size = (struct tsw_counter){.packets = 1, .bytes = counted_len(c, len)};
	if (c->drop)
		want->drops[slot][c->drop][direction(c->program)] = size;
	for (int i = 0; i < MOVES; i++)
		if (c->moves & MOVE(i))
			want->stats[slot][i] = size;
	if (c->host)
		want->hosts[c->host][c->program != FROM_PORT] = size;
}

static bool compare_run(const struct packet_case *c, struct packet_run *run, const struct frame *in)
{
	struct counts got = {}, want = {};
	bool ok = compare_word(c->name, "the verdict", run->verdict, expected_action(c));

	if (c->verdict != DROPPED)
		ok &= compare_frame(c, &run->out, in);
	if (c->verdict != DROPPED && c->program != XDP)
		ok &= compare_ctx(c, run);
	counts_read(&got);
	expected_counts(c, in->len, &want);
	return counts_equal(c->name, &got, &want) && ok;
}

void packet_check(const struct packet_case *c)
{
	struct __sk_buff ctx = {
		.ifindex = c->dev,
		.mark = c->mark,
		.gso_size = c->gso_size,
		.gso_segs = c->gso_segs,
	};
	struct packet_run run = {};
	struct frame in = {};
	int err;
	bool ok;

	if (!c->dev)
		ctx.ifindex = c->program == FROM_PORT || c->program == TO_PORT ? RED_A : WIRE;
	memcpy(ctx.cb, c->cb, sizeof(ctx.cb));
	frame_build(&c->in, &in);
	if (c->setup)
		c->setup();
	counts_clear();
	err = packet_run(c->program, &in, &ctx, &run);
	if (err)
		fprintf(stderr, "# %s: test run: %s\n", c->name, strerror(-err));
	ok = !err && compare_run(c, &run, &in);
	if (c->setup)
		lab_fill();
	assert_true(ok);
}

static void run_case(void **state)
{
	packet_check(*state);
}

/* cmocka's own macro wants to see an array; this one is made from the table. */
static int run_all(const struct packet_suite *suite)
{
	size_t n = suite->count + suite->more_count;
	struct CMUnitTest *tests = calloc(n, sizeof(*tests));
	int failed;

	if (!tests)
		return 1;
	for (size_t i = 0; i < suite->count; i++)
		tests[i] = (struct CMUnitTest){
			.name = suite->cases[i].name,
			.test_func = run_case,
			.initial_state = (void *)&suite->cases[i],
		};
	for (size_t i = 0; i < suite->more_count; i++)
		tests[suite->count + i] = suite->more[i];
	failed = _cmocka_run_group_tests(suite->name, tests, n, NULL, NULL);
	free(tests);
	return failed;
}

int packet_main(const struct packet_suite *suite)
{
	int failed;

	if (geteuid()) {
		printf("1..1\nok 1 - %s # SKIP needs root\n", suite->name);
		return 0;
	}
	if (lab_open()) {
		printf("1..1\nnot ok 1 - %s: the programs do not load here\n", suite->name);
		return 1;
	}
	failed = run_all(suite);
	lab_close();
	return failed ? 1 : 0;
}
