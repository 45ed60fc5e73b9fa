// SPDX-License-Identifier: GPL-2.0-only
/* IPFIX (RFC 7011): the octets of messages, and how flows are spread over them. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tools/flows/ipfix.h"

enum { HEADER = 16, TEMPLATES = 292, ROOM = 64 };

/* What was sent. */
struct sent {
	size_t n;
	size_t len[ROOM];
	__u8 data[ROOM][IPFIX_MOST];
	int refuse; /* of that number -1 */
};

static struct sent sent;

static int take(void *context, const void *octets, size_t len)
{
	struct sent *s = context;

	assert_in_range(len, HEADER, IPFIX_MOST);
	assert_true(s->n < ROOM);
	memcpy(s->data[s->n], octets, len);
	s->len[s->n++] = len;
	return s->refuse && s->n == (size_t)s->refuse ? -1 : 0;
}

static int setup(void **state)
{
	static struct ipfix x;

	memset(&sent, 0, sizeof(sent));
	x = (struct ipfix){
		.domain = 0x01020304, .most = IPFIX_MOST, .send = take, .context = &sent};
	*state = &x;
	return 0;
}

static __u32 number(const __u8 *at, size_t len)
{
	__u32 n = 0;

	while (len--)
		n = n << 8 | *at++;
	return n;
}

static size_t octets(const char *hex, __u8 *to)
{
	size_t n = 0;
	unsigned int octet;

	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		assert_int_equal(sscanf(hex, "%2x", &octet), 1);
		to[n++] = (__u8)octet;
		hex += 2;
	}
	return n;
}

static void assert_octets(const __u8 *got, size_t len, const char *want)
{
	__u8 octet[IPFIX_MOST];

	assert_int_equal(len, octets(want, octet));
	assert_memory_equal(got, octet, len);
}

static struct tsw_flow_record record4(void)
{
	struct tsw_flow_record r = {
		.tuple = {.src.w = {0, 0, htonl(TSW_V4MAPPED), htonl(0x0a000001)},
			  .dst.w = {0, 0, htonl(TSW_V4MAPPED), htonl(0x0a000003)},
			  .ifindex = 7,
			  .sport = htons(40000),
			  .dport = htons(443),
			  .version = 4,
			  .proto = 6,
			  .direction = TSW_FLOW_OUT},
		.src.b = {2, 0, 0, 0, 0, 0x0a},
		.dst.b = {2, 0, 0, 0, 0, 0x0c},
		.tcp_flags = 0x1b,
	};

	return r;
}

static struct tsw_flow_record record6(void)
{
	struct tsw_flow_record r = record4();

	r.tuple.src = (struct tsw_addr){{htonl(0xfd000000), 0, 0, htonl(1)}};
	r.tuple.dst = (struct tsw_addr){{htonl(0xfd000000), 0, 0, htonl(3)}};
	r.tuple.version = 6;
	return r;
}

static struct ipfix_flow flow_of(const struct tsw_flow_record *r)
{
	return (struct ipfix_flow){.tenant = 100,
				   .record = r,
				   .packets = 3,
				   .bytes = 3 * 14 + 1000,
				   .start = 0x0102030405,
				   .end = 0x0102030406,
				   .reason = IPFIX_FORCED_END};
}

/* A message without flows: its header, and four templates. */
static void templates(void **state)
{
	struct ipfix *x = *state;

#define REST                                                                                \
	"00040001 003d0001 00590001 00880001 00ea0004 000a0004 000e0004 00380006 00500006 " \
	"00020008 00010008 00980008 00990008"
	assert_int_equal(ipfix_begin(x, 0x5f000000), 0);
	assert_int_equal(ipfix_end(x), 0);
	assert_int_equal(sent.n, 1);
	assert_octets(sent.data[0], sent.len[0],
		      "000a 0134 5f000000 00000000 01020304"
		      "0002 0124"
		      "0100 0012 00080004 000c0004 00070002 000b0002 00060001" REST
		      "0101 0012 001b0010 001c0010 00070002 000b0002 00060001" REST
		      "0102 0010 00080004 000c0004 00200002" REST
		      "0103 0010 001b0010 001c0010 008b0002" REST);
	assert_int_equal(ipfix_end(x), 0);
	assert_int_equal(sent.n, 1);
}

/* The data set of a message that has one: what is behind the templates. */
static const __u8 *set_of(const struct ipfix_flow *flow, struct ipfix *x, size_t *len)
{
	const size_t before = sent.n;
	size_t skip;

	assert_int_equal(ipfix_begin(x, 1), 0);
	assert_int_equal(ipfix_add(x, flow), 0);
	assert_int_equal(ipfix_end(x), 0);
	assert_int_equal(sent.n, before + 1);
	skip = HEADER + number(sent.data[before] + HEADER + 2, 2);
	*len = sent.len[before] - skip;
	return sent.data[before] + skip;
}

static void data4(void **state)
{
	const struct tsw_flow_record r = record4();
	const struct ipfix_flow flow = flow_of(&r);
	size_t len;
	const __u8 *set = set_of(&flow, *state, &len);

	assert_octets(set, len,
		      "0100 004d 0a000001 0a000003 9c40 01bb 1b"
		      "06 00 40 04 00000064 00000007 00000000 02000000000a 02000000000c"
		      "0000000000000003 00000000000003e8 0000000102030405 0000000102030406");
}

static void data6(void **state)
{
	struct tsw_flow_record r = record6();
	struct ipfix_flow flow;
	const __u8 *set;
	size_t len;

	r.tuple.direction = TSW_FLOW_IN;
	r.tuple.verdict = TSW_DROP_POLICY_DENIED;
	flow = flow_of(&r);
	flow.reason = IPFIX_ACTIVE_TIMEOUT;
	set = set_of(&flow, *state, &len);
	assert_octets(set, len,
		      "0101 0065 fd000000000000000000000000000001 fd000000000000000000000000000003"
		      "9c40 01bb 1b"
		      "06 01 81 02 00000064 00000000 00000007 02000000000a 02000000000c"
		      "0000000000000003 00000000000003e8 0000000102030405 0000000102030406");
}

/* Type and code, and no ports. */
static void icmp(void **state)
{
	struct tsw_flow_record r = record4();
	struct ipfix_flow flow;
	const __u8 *set;
	size_t len;

	r.tuple.proto = 1;
	r.tuple.sport = htons(0x0304);
	r.tuple.dport = 0;
	flow = flow_of(&r);
	set = set_of(&flow, *state, &len);
	assert_octets(set, len,
		      "0102 004a 0a000001 0a000003 0304"
		      "01 00 40 04 00000064 00000007 00000000 02000000000a 02000000000c"
		      "0000000000000003 00000000000003e8 0000000102030405 0000000102030406");
	r = record6();
	r.tuple.proto = 58;
	r.tuple.sport = htons(0x8000);
	flow = flow_of(&r);
	set = set_of(&flow, *state, &len);
	assert_int_equal(number(set, 2), 259);
	assert_int_equal(number(set + 4 + 32, 2), 0x8000);
	/* The other family's ICMP is a protocol as any other. */
	r.tuple.proto = 1;
	set = set_of(&flow, *state, &len);
	assert_int_equal(number(set, 2), 257);
}

static void verdicts(void **state)
{
	static const struct {
		__u16 verdict;
		__u8 status;
	} cases[] = {
		{TSW_DROP_NONE, 64},	      {TSW_DROP_POLICY_DENIED, 129},
		{TSW_DROP_NO_ROUTE, 131},     {TSW_DROP_TOO_BIG, 133},
		{TSW_DROP_RATE_LIMITED, 138}, {TSW_DROP_SPOOFED_IP, 140},
		{TSW_DROP_DEVICE_GONE, 128},
	};
	struct tsw_flow_record r = record4();
	struct ipfix_flow flow = flow_of(&r);
	const __u8 *set;
	size_t len, i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r.tuple.verdict = cases[i].verdict;
		set = set_of(&flow, *state, &len);
		assert_int_equal(set[4 + 8 + 5 + 2], cases[i].status);
	}
}

/* Counts of frames that cannot be are no count of octets beyond all measure. */
static void too_short(void **state)
{
	const struct tsw_flow_record r = record4();
	struct ipfix_flow flow = flow_of(&r);
	const __u8 *set;
	size_t len;

	flow.bytes = 14;
	set = set_of(&flow, *state, &len);
	assert_octets(set + len - 24, 8, "0000000000000000");
}

/* All sets of a message are whole; returns how many records are in it. */
static size_t count_records(const __u8 *message, size_t len)
{
	static const size_t record[] = {73, 97, 70, 94};
	size_t at = HEADER, n = 0;

	assert_int_equal(number(message + 2, 2), len);
	while (at < len) {
		const __u32 id = number(message + at, 2), set = number(message + at + 2, 2);

		assert_true(set >= 4 && at + set <= len);
		if (id != 2) {
			assert_in_range(id, 256, 259);
			assert_int_equal((set - 4) % record[id - 256], 0);
			assert_true(set > 4);
			n += (set - 4) / record[id - 256];
		}
		at += set;
	}
	assert_int_equal(at, len);
	return n;
}

/* Over as many messages as it takes; each says how many records were in those before. */
static void spread(void **state)
{
	const struct tsw_flow_record v4 = record4(), v6 = record6();
	const struct ipfix_flow flow4 = flow_of(&v4), flow6 = flow_of(&v6);
	struct ipfix *x = *state;
	size_t i, records = 0;

	x->most = IPFIX_LEAST;
	x->sequence = 0xffffffff - 9;
	assert_int_equal(ipfix_begin(x, 1), 0);
	for (i = 0; i < 60; i++)
		assert_int_equal(ipfix_add(x, i % 7 ? &flow4 : &flow6), 0);
	assert_int_equal(ipfix_end(x), 0);
	assert_true(sent.n > 60 * 73 / IPFIX_LEAST);
	for (i = 0; i < sent.n; i++) {
		assert_in_range(sent.len[i], HEADER, IPFIX_LEAST);
		assert_int_equal(number(sent.data[i] + 8, 4), (__u32)(0xffffffff - 9 + records));
		assert_int_equal(number(sent.data[i] + HEADER, 2) == 2, i == 0);
		records += count_records(sent.data[i], sent.len[i]);
	}
	assert_int_equal(records, 60);
	assert_int_equal(x->sequence, 50);
	/* Templates again, with the next round. */
	assert_int_equal(ipfix_begin(x, 2), 0);
	assert_int_equal(ipfix_end(x), 0);
	assert_int_equal(number(sent.data[sent.n - 1] + HEADER, 2), 2);
	assert_int_equal(number(sent.data[sent.n - 1] + 8, 4), 50);
}

static void as_full_as_can_be(void **state)
{
	const struct tsw_flow_record r = record4();
	const struct ipfix_flow flow = flow_of(&r);
	struct ipfix *x = *state;
	size_t n = (IPFIX_MOST - HEADER - TEMPLATES - 4) / 73, i;

	x->most = HEADER + TEMPLATES + 4 + n * 73;
	assert_int_equal(ipfix_begin(x, 1), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(ipfix_add(x, &flow), 0);
	assert_int_equal(ipfix_end(x), 0);
	assert_int_equal(sent.n, 1);
	assert_int_equal(sent.len[0], x->most);
	assert_int_equal(count_records(sent.data[0], sent.len[0]), n);
}

static void refused(void **state)
{
	const struct tsw_flow_record r = record4();
	const struct ipfix_flow flow = flow_of(&r);
	struct ipfix *x = *state;
	size_t i;
	int err = 0;

	sent.refuse = 1;
	assert_int_equal(ipfix_begin(x, 1), 0);
	for (i = 0; !err && i < 60; i++)
		err = ipfix_add(x, &flow);
	assert_int_equal(err, -1);
	assert_int_equal(sent.n, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(templates), TEST(data4),	  TEST(data6),	TEST(icmp),
		TEST(verdicts),	 TEST(too_short), TEST(spread), TEST(as_full_as_can_be),
		TEST(refused),
	};

	return cmocka_run_group_tests_name("ipfix", tests, NULL, NULL);
}
