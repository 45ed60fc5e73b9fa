// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "mutate.h"
#include "told.h"

size_t asked_hex(const char *text, __u8 *to)
{
	unsigned int octet;
	size_t n = 0;

	for (; text && sscanf(text, "%2x", &octet) == 1; text += 2)
		to[n++] = (__u8)octet;
	return n;
}

void asked_settle(struct frame *f)
{
	const bool v6 = f->b[12] == 0x86;
	const size_t head = v6 ? 54 : 34; /* where UDP begins */
	const __u16 ip = htons((__u16)(f->len - (v6 ? head : 14)));
	const __u16 udp = htons((__u16)(f->len - head));
	__u16 sum;

	memcpy(f->b + head + 4, &udp, 2);
	memset(f->b + head + 6, 0, 2);
	memcpy(f->b + (v6 ? 18 : 16), &ip, 2);
	if (v6)
		return;
	memset(f->b + 24, 0, 2);
	sum = frame_checksum(f->b + 14, 20, 0);
	memcpy(f->b + 24, &sum, 2);
}

void asked_run(const struct frame *in, __u16 gso_size, struct packet_run *run)
{
	const struct __sk_buff ctx = {
		.ifindex = RED_A, .gso_size = gso_size, .gso_segs = gso_size ? 1 : 0};

	assert_int_equal(packet_run(FROM_PORT, in, &ctx, run), 0);
}

static void expect(const struct asked *a, const struct frame *in, struct counts *want)
{
	const struct tsw_counter once = {1, in->len};
	const bool flood = a->passed && a->all;
	const enum tsw_drop drop = flood ? TSW_DROP_BROADCAST_OFF : a->drop;

	*want = (struct counts){};
	if (drop)
		want->drops[lab_slot(RED)][drop][TSW_DIR_FROM_ENDPOINT] = once;
	else if (a->passed)
		want->stats[lab_slot(RED)][LOCAL] = once;
	else if (a->told)
		want->stats[lab_slot(RED)][ANSWERED] = once;
}

void asked_check(const struct asked *want, const struct frame *in, asked_read *read,
		 struct packet_run *run)
{
	const bool goes = want->told || (want->passed && !want->all);
	char text[TOLD_TEXT] = "";
	struct counts got, counts;

	counts_clear();
	expect(want, in, &counts);
	asked_run(in, want->gso_size, run);
	counts_read(&got);
	assert_true(counts_equal(want->name, &got, &counts));
	assert_int_equal(run->verdict, goes ? TC_ACT_REDIRECT : TC_ACT_SHOT);
	if (!want->told)
		return;
	assert_false(lab_reply_is_busy()); /* the next frame may be answered, too */
	assert_true(read(&run->out, text));
	assert_string_equal(text, want->told);
}

void asked_mutated(const struct asked_mutations *m)
{
	const long n = mutate_times();
	char text[TOLD_TEXT] = "";
	long i, answered = 0;
	struct packet_run ran;
	struct frame in;

	for (i = 0; i < n; i++) {
		in = m->base[mutate_chance(m->n)];
		mutate(&in, m->from, m->head);
		asked_run(&in, 0, &ran);
		answered += ran.verdict == TC_ACT_REDIRECT;
		if (m->is_right(&in, &ran))
			continue;
		m->read(&ran.out, text);
		print_error("after %ld mutated requests: %s\n", i, text);
		assert_true(m->is_right(&in, &ran));
	}
	assert_false(lab_reply_is_busy());
	print_message("# %ld mutated requests, %ld answered\n", n, answered);
	assert_true(answered > n / 100 && answered < n);
}

int asked_main(const struct asked_suite *s)
{
	const size_t count = s->row_count + s->more_count;
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	const struct packet_suite suite = {s->name, s->cases, s->case_count, tests, count};
	const char *row = s->rows;
	int failed = 1;
	size_t i;

	for (i = 0; tests && i < s->row_count; i++, row += s->row_size)
		tests[i] = (struct CMUnitTest){*(const char *const *)row, s->one, NULL, NULL,
					       (void *)row};
	if (tests) {
		memcpy(tests + i, s->more, s->more_count * sizeof(*tests));
		failed = packet_main(&suite);
	}
	free(tests);
	return failed;
}
