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

const struct packet_wire packet_wires[WIRES] = {
	{"VXLAN", {FROM_HOST2}},
	{"GRE", {FROM_HOST2, .gre = true}},
	{"VXLAN over IPv6", {FROM6_HOST2}},
	{"GRE over IPv6", {FROM6_HOST2, .gre = true}},
	{"Geneve", {FROM_HOST2, .geneve = true}},
	{"Geneve over IPv6", {FROM6_HOST2, .geneve = true}},
};

#define TO_C MAC_C, IP_C, IP6_C, HOST2, MAC_HOST2
#define TO_E MAC_E, IP_E, IP6_E, HOST4, MAC_HOST4
#define TO_F MAC_F, IP_F, IP6_F, HOST5, MAC_HOST5
#define SIX .dst = MAC_HOST4, .to = IP6_HOST4

const struct packet_way packet_ways[WAYS] = {
	{"VXLAN", RED, RED_A, TO_C, INNER_MTU, {}},
	{"VXLAN over IPv6", RED, RED_A, TO_E, INNER_MTU_V6, {SIX}},
	{"GRE", GREEN, GREEN_A, TO_C, INNER_MTU_GRE, {.gre = true, .vni = GREEN}},
	{"GRE over IPv6", GREEN, GREEN_A, TO_E, INNER_MTU_GRE_V6, {SIX, .gre = true, .vni = GREEN}},
	{"GRE, a long key", LARGE, LARGE_A, TO_C, INNER_MTU_GRE, {.gre = true, .vni = LARGE}},
	{"GRE over IPv6, a long key",
	 LARGE,
	 LARGE_A,
	 TO_E,
	 INNER_MTU_GRE_V6,
	 {SIX, .gre = true, .vni = LARGE}},
	{"to a host of both families",
	 GREEN,
	 GREEN_A,
	 TO_F,
	 INNER_MTU_GRE_V6,
	 {.dst = MAC_HOST5, .to = IP6_HOST5, .gre = true, .vni = GREEN}},
	{"Geneve", VIOLET, VIOLET_A, TO_C, INNER_MTU, {.geneve = true, .vni = VIOLET}},
	{"Geneve over IPv6",
	 VIOLET,
	 VIOLET_A,
	 TO_E,
	 INNER_MTU_V6,
	 {SIX, .geneve = true, .vni = VIOLET}},
};

/* The test run copies a whole context back; it refuses fields that it does not know of. */
static int run_tc(enum program program, const struct frame *in, const struct __sk_buff *ctx,
		  struct packet_run *run)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->b, .data_size_in = in->len,
		    .data_out = run->out.b, .data_size_out = sizeof(run->out.b), .ctx_in = ctx,
		    .ctx_size_in = sizeof(*ctx), .ctx_out = &run->ctx,
		    .ctx_size_out = sizeof(run->ctx));
	int err = bpf_prog_test_run_opts(lab_program(program), &opts);

	run->verdict = opts.retval;
	run->out.len = opts.data_size_out;
	return err ? -errno : 0;
}

bool packet_is_xdp(enum program program)
{
	return program == XDP || program == XDP_NATIVE;
}

/* What comes back begins with the metadata, which the context tells the length of. */
int packet_run_first(enum program program, const struct frame *in, __u32 first,
		     struct packet_run *run)
{
	struct xdp_md ctx = {.data_end = first, .ingress_ifindex = WIRE}, after = {};
	__u8 out[sizeof(run->meta) + sizeof(run->out.b)];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->b, .data_size_in = in->len,
		    .data_out = out, .data_size_out = sizeof(out), .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .ctx_out = &after, .ctx_size_out = sizeof(after));
	int err = bpf_prog_test_run_opts(lab_program(program), &opts);

	run->verdict = opts.retval;
	if (err || after.data > sizeof(run->meta) || opts.data_size_out < after.data)
		return err ? -errno : -EPROTO;
	run->meta_len = after.data;
	memcpy(run->meta, out, run->meta_len);
	run->out.len = opts.data_size_out - run->meta_len;
	memcpy(run->out.b, out + run->meta_len, run->out.len);
	return 0;
}

int packet_run(enum program program, const struct frame *in, const struct __sk_buff *ctx,
	       struct packet_run *run)
{
	return packet_is_xdp(program) ? packet_run_first(program, in, in->len, run)
				      : run_tc(program, in, ctx, run);
}

static int expected_action(const struct packet_case *c)
{
	static const int tc[] = {
		[DROPPED] = TC_ACT_SHOT,
		[PASSED] = TC_ACT_UNSPEC,
		[REDIRECTED] = TC_ACT_REDIRECT,
	};

	if (packet_is_xdp(c->program))
		return c->verdict == PASSED ? XDP_PASS : XDP_DROP;
	return tc[c->verdict];
}

/* RFC 7348 section 5 wants the port to be a dynamic one. */
bool packet_adopt(const struct outer *outer, const struct frame *got, struct frame *want)
{
	const bool v6 = frame_is_v6(outer);
	const size_t label_at = ETH_HLEN + 1, sport_at = ETH_HLEN + (v6 ? 40 : 20);

	if (got->len < sport_at + 2)
		return true;
	if (v6 && !outer->flow) {
		want->b[label_at] = (want->b[label_at] & 0xf0) | (got->b[label_at] & 0x0f);
		memcpy(want->b + label_at + 1, got->b + label_at + 1, 2);
	}
	if (outer->gre || outer->sport)
		return true;
	memcpy(want->b + sport_at, got->b + sport_at, 2);
	return got->b[sport_at] >= 0xc0;
}

/* The outer MACs of an IP frame are redirect_neigh's affair, after the program. */
static bool adopt_outer(const struct packet_case *c, const struct frame *got, struct frame *want)
{
	const struct outer *outer = c->out ? c->out->outer : NULL;

	if (!outer)
		return true;
	if (c->in.kind != KIND_ARP && c->in.kind != KIND_RAW)
		memcpy(want->b, got->b, 2 * ETH_ALEN);
	if (packet_adopt(outer, got, want))
		return true;
	fprintf(stderr, "# %s: the outer source port is below 49152\n", c->name);
	return false;
}

/* adjust_room leaves no less than an IP header. */
static void fill_up(const struct packet_case *c, struct frame *want)
{
	static const __u8 zeros[PACKET_LEAST];
	const size_t least = ETH_HLEN + PACKET_LEAST;

	if (c->program != FROM_WIRE || c->verdict != REDIRECTED)
		return;
	if (want->len < least)
		frame_put(want, zeros, least - want->len);
}

enum { SEAL_ASKS = 0x08 };

void packet_seal(struct frame *f, __u32 mark, __u8 slot)
{
	const __be32 its = htonl(mark);

	f->b[0] = 0x02;
	f->b[1] = slot;
	memcpy(f->b + 2, &its, sizeof(its));
	frame_mac(f->b + ETH_ALEN, SEAL);
}

__u32 packet_sealed_mark(const struct frame *f)
{
	struct frame want = *f;
	__be32 mark;

	memcpy(&mark, f->b + 2, sizeof(mark));
	packet_seal(&want, ntohl(mark), f->b[1]);
	want.b[0] |= f->b[0] & SEAL_ASKS;
	return memcmp(&want.b, f->b, 2 * ETH_ALEN) ? 0 : ntohl(mark);
}

bool packet_is_same(const struct frame *in, const struct frame *out)
{
	return in->len == out->len &&
	       !memcmp(in->b + 2 * ETH_ALEN, out->b + 2 * ETH_ALEN, in->len - 2 * ETH_ALEN);
}

static bool enters(const struct packet_case *c)
{
	return c->verdict == REDIRECTED && !c->leased && c->mark_out >> 20 == TSW_MARK_TENANT >> 20;
}

/*
 * By the queue of its device: where the kernel has noted the outer header's protocol, before Linux
 * 6.3; or from an egress.
 */
static bool enters_by_queue(const struct packet_case *c, const struct frame *got)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	if (c->program == FAST_GATEWAY)
		return true;
	return c->in.outer && frame_is_v6(c->in.outer) != (got->b[12] == 0x86) &&
	       !(cfg.flags & TSW_CFG_DECAP_L3);
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
	if (enters(c)) {
		packet_seal(&want, c->mark_out, c->slot);
		want.b[0] |= c->asks ? SEAL_ASKS : 0;
	}
	fill_up(c, &want);
	ok = adopt_outer(c, got, &want);
	return frame_equal(c->name, got, &want) && ok;
}

static bool compare_word(const char *name, const char *what, __u32 got, __u32 want)
{
	if (got != want)
		fprintf(stderr, "# %s: %s is %#x, not %#x\n", name, what, got, want);
	return got == want;
}

/* What the programs send to another host has the pass, by the fast way and the slow one. */
static __u32 expected_priority(const struct packet_case *c)
{
	bool sends =
		c->program == FROM_PORT || c->program == FROM_GATEWAY || c->program == FAST_GATEWAY;

	return sends && c->verdict == REDIRECTED && c->host ? PASS_DOWN : c->priority_out;
}

static void stamp(__u32 *cb, __u32 what, __u32 ifindex)
{
	cb[0] = (__u32)SECRET;
	cb[1] = SECRET >> 32;
	cb[2] = what;
	cb[3] = ifindex;
}

static bool crosses(enum program program)
{
	return program == FROM_GATEWAY || program == TO_GATEWAY || program == ENTER_WORLD ||
	       program == TO_WORLD;
}

void packet_tell_mark(enum program program, struct frame *in, struct __sk_buff *ctx)
{
	if (program == FAST_GATEWAY && ctx->mark) {
		stamp(ctx->cb, ctx->mark, ctx->ifindex);
	} else if (crosses(program)) {
		packet_seal(in, ctx->mark, 0);
		if (program != TO_GATEWAY) /* where a mark is of a frame that was queued */
			ctx->mark = 0;
	}
}

/* A case's own cb is in place of the stamp. */
static void tell_mark(const struct packet_case *c, struct frame *in, struct __sk_buff *ctx)
{
	static const __u32 none[5];
	const bool own = memcmp(c->cb, none, sizeof(none)) != 0;

	memcpy(ctx->cb, c->cb, sizeof(c->cb));
	if (!c->bare && !own)
		packet_tell_mark(c->program, in, ctx);
}

static bool compare_ctx(const struct packet_case *c, const __u32 *came,
			const struct packet_run *run)
{
	__u32 tenant = c->tenant ? c->tenant : RED, cb[5];
	bool ok = compare_word(c->name, "mark", run->ctx.mark, enters(c) ? 0 : c->mark_out);

	ok &= compare_word(c->name, "priority", run->ctx.priority, expected_priority(c));

	memcpy(cb, came, sizeof(cb));
	if (c->program == TO_PORT || c->program == FAST_GATEWAY)
		cb[0] = cb[1] = 0; /* the stamp is good for once */
	if (c->to)
		stamp(cb, tenant, c->to);
	else if (c->leased && c->mark_out)
		stamp(cb, c->mark_out, GW);
	else if (c->to_router)
		stamp(cb, CROSSING, c->to_router);
	else if (enters(c) && enters_by_queue(c, &run->out))
		stamp(cb, CROSSING, GW);
	for (int i = 0; i < 5; i++)
		ok &= compare_word(c->name, "cb", run->ctx.cb[i], cb[i]);
	return ok;
}

static enum tsw_direction direction(enum program program)
{
	static const enum tsw_direction to[XDP_NATIVE + 1] = {
		[FROM_PORT] = TSW_DIR_FROM_ENDPOINT,
		[TO_PORT] = TSW_DIR_TO_ENDPOINT,
		[FROM_WIRE] = TSW_DIR_FROM_TUNNEL,
		[TO_WIRE] = TSW_DIR_TO_TUNNEL,
		[FROM_TUNNEL] = TSW_DIR_FROM_TUNNEL,
		[FROM_GATEWAY] = TSW_DIR_FROM_GATEWAY,
		[FAST_GATEWAY] = TSW_DIR_FROM_GATEWAY,
		[TO_GATEWAY] = TSW_DIR_TO_GATEWAY,
		[LEAVE_GATEWAY] = TSW_DIR_FROM_GATEWAY,
		[LEAVE_BLIND] = TSW_DIR_FROM_GATEWAY,
		[ENTER_WORLD] = TSW_DIR_FROM_GATEWAY,
		[LEAVE_WORLD] = TSW_DIR_TO_GATEWAY,
		[FROM_WORLD] = TSW_DIR_TO_GATEWAY,
		[TO_WORLD] = TSW_DIR_TO_GATEWAY,
		[XDP] = TSW_DIR_FROM_TUNNEL,
		[XDP_NATIVE] = TSW_DIR_FROM_TUNNEL,
	};

	return to[program];
}

/*
 * Counted is the inner frame; of one cut off too, by what the outer header leaves. Padding
 * counts while nobody has looked at where the packet ends.
 */
static size_t counted_len(const struct packet_case *c, size_t len)
{
	size_t headers = frame_outer_len(c->in.outer);

	if (c->in.outer && c->verdict != DROPPED)
		headers += c->in.outer->padding;
	return len > headers ? len - headers : 0;
}

static void expected_counts(const struct packet_case *c, size_t len, struct counts *want)
{
	int slot = c->tenant ? lab_slot(c->tenant) : 0;
	bool received = direction(c->program) == TSW_DIR_FROM_TUNNEL;
	struct tsw_counter size = c->size;

	if (!size.packets)
		size = (struct tsw_counter){.packets = 1, .bytes = counted_len(c, len)};
	if (c->drop)
		want->drops[slot][c->drop][direction(c->program)] = size;
	for (int i = 0; i < MOVES; i++)
		if (c->moves & MOVE(i))
			want->stats[slot][i] = size;
	if (c->host)
		want->hosts[c->host][received] = size;
}

/* CAME: the stamp, or what is in its place. */
static bool compare_run(const struct packet_case *c, const __u32 *came, struct packet_run *run,
			const struct frame *in)
{
	struct counts got = {}, want = {};
	bool ok = compare_word(c->name, "the verdict", run->verdict, expected_action(c));

	if (c->verdict != DROPPED)
		ok &= compare_frame(c, &run->out, in);
	if (c->verdict != DROPPED && !packet_is_xdp(c->program))
		ok &= compare_ctx(c, came, run);
	if (packet_is_xdp(c->program))
		ok &= compare_word(c->name, "the metadata's length", run->meta_len, 0);
	if (c->verdict != DROPPED && lab_reply_is_busy()) {
		fprintf(stderr, "# %s: the room for answers is not free again\n", c->name);
		ok = false;
	}
	if (!lab_flow_is(c->flow)) {
		fprintf(stderr, "# %s: tsw_flows is not as it should be\n", c->name);
		ok = false;
	}
	counts_read(&got);
	expected_counts(c, in->len, &want);
	return counts_equal(c->name, &got, &want) && ok;
}

static __u32 device(enum program program)
{
	static const __u32 devices[XDP_NATIVE + 1] = {
		[FROM_PORT] = RED_A, [TO_PORT] = RED_A,	   [FROM_GATEWAY] = GW, [FAST_GATEWAY] = GW,
		[TO_GATEWAY] = GW,   [LEAVE_GATEWAY] = GW, [LEAVE_BLIND] = GW,	[ENTER_WORLD] = UP,
		[LEAVE_WORLD] = UP,  [FROM_WORLD] = WIRE2, [TO_WORLD] = UP,
	};

	return devices[program] ?: WIRE;
}

void packet_check(const struct packet_case *c)
{
	struct __sk_buff ctx = {
		.ifindex = c->dev,
		.mark = c->mark,
		.priority = c->priority,
		.gso_size = c->gso_size,
		.gso_segs = c->gso_segs,
	};
	struct packet_run run = {};
	struct frame in = {};
	int err;
	bool ok;

	if (!c->dev)
		ctx.ifindex = device(c->program);
	frame_build(&c->in, &in);
	tell_mark(c, &in, &ctx);
	if (c->change)
		c->change(&in);
	if (c->setup)
		c->setup();
	counts_clear();
	err = packet_run(c->program, &in, &ctx, &run);
	if (err)
		fprintf(stderr, "# %s: test run: %s\n", c->name, strerror(-err));
	ok = !err && compare_run(c, ctx.cb, &run, &in);
	if (c->setup || !lab_flow_is(NULL))
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

int packet_main_matrix(const struct packet_matrix *m)
{
	size_t count = m->check_count * m->row_count;
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	const struct packet_suite suite = {m->name, NULL, 0, tests, count};
	char(*names)[128] = calloc(count, sizeof(*names));
	int failed = 1;

	for (size_t i = 0; tests && names && i < count; i++) {
		const char *row = (const char *)m->rows + i / m->check_count * m->row_size;

		tests[i] = m->checks[i % m->check_count];
		tests[i].initial_state = (void *)row;
		snprintf(names[i], sizeof(names[i]), "%s: %s", *(const char *const *)row,
			 tests[i].name);
		tests[i].name = names[i];
	}
	if (tests && names)
		failed = packet_main(&suite);
	free(tests);
	free(names);
	return failed;
}
