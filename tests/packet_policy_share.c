// SPDX-License-Identifier: GPL-2.0-only
/*
 * An endpoint's share of the connections that its tenant's policy follows. A, here, may ask C, on
 * another host, by UDP and TCP at any port, and so may B. A takes what it can get.
 */
#include <string.h>

#include "policies.h"

enum { ASKS = 1, SERVES, UDP_OPEN = 1, TCP_OPEN };
enum { SYN = 0x02, ACK = 0x10 };
enum { SHARE = 300, FLOOD = 6000, FEW = 40 };

static const struct outer of_red = {FROM_HOST2};

struct who {
	__u32 dev;
	const char *mac, *ip;
};

static const struct who a = {RED_A, MAC_A, IP_A}, b = {RED_B, MAC_B, IP_B};

static int setup(void **state)
{
	(void)state;
	lab_fill();
	counts_clear();
	lab_policy_begin(RED, TSW_POLICY_ON, true);
	lab_policy_connections(RED, SHARE);
	lab_policy_member(RED, MAC_A, ASKS, 0);
	lab_policy_member(RED, MAC_B, ASKS, 0);
	lab_policy_member(RED, MAC_C, SERVES, 0);
	lab_policy_way(&(const struct policy_way){
		.from = ASKS, .to = SERVES, .proto = IPPROTO_UDP, .number = UDP_OPEN});
	lab_policy_way(&(const struct policy_way){
		.from = ASKS, .to = SERVES, .proto = IPPROTO_TCP, .number = TCP_OPEN});
	return 0;
}

static bool asks(const struct who *who, enum kind kind, unsigned int port, __u8 flags)
{
	return policy_passes(FROM_PORT, who->dev,
			     &(const struct spec){.kind = kind,
						  .src = who->mac,
						  .from = who->ip,
						  .dst = MAC_C,
						  .to = IP_C,
						  .sport = (__u16)port,
						  .dport = 53,
						  .tcp_flags = flags});
}

static bool answers(const struct who *who, enum kind kind, unsigned int port)
{
	return policy_passes(FROM_WIRE, WIRE,
			     &(const struct spec){.outer = &of_red,
						  .kind = kind,
						  .src = MAC_C,
						  .from = IP_C,
						  .dst = who->mac,
						  .to = who->ip,
						  .sport = 53,
						  .dport = (__u16)port,
						  .tcp_flags = SYN | ACK});
}

/* So many of N connections begin and are answered. */
static unsigned int begin(const struct who *who, enum kind kind, unsigned int first, unsigned int n)
{
	unsigned int good = 0;

	for (unsigned int i = 0; i < n; i++)
		good += asks(who, kind, first + i, SYN) && answers(who, kind, first + i);
	return good;
}

/* So many are still there: what C says in them is an answer. */
static unsigned int known(const struct who *who, enum kind kind, unsigned int first, unsigned int n)
{
	unsigned int good = 0;

	for (unsigned int i = 0; i < n; i++)
		good += answers(who, kind, first + i);
	return good;
}

static void full_of_udp(void **state)
{
	(void)state;
	assert_int_equal(begin(&a, KIND_UDP, 1, FLOOD), FLOOD);
	assert_int_equal(begin(&b, KIND_UDP, 20000, FEW), FEW);
	assert_int_equal(begin(&b, KIND_TCP, 30000, FEW), FEW);
}

static void full_of_tcp(void **state)
{
	unsigned int n;

	(void)state;
	n = begin(&a, KIND_TCP, 1, FLOOD);
	assert_in_range(n, SHARE, SHARE * 8 / 5);
	assert_int_equal(begin(&b, KIND_UDP, 20000, FEW), FEW);
	assert_int_equal(begin(&b, KIND_TCP, 30000, FEW), FEW);
}

/* What others have stays, whatever one more begins. */
static void others_stay(void **state)
{
	(void)state;
	assert_int_equal(begin(&b, KIND_UDP, 20000, FEW), FEW);
	assert_int_equal(begin(&b, KIND_TCP, 30000, FEW), FEW);
	begin(&a, KIND_UDP, 1, FLOOD);
	begin(&a, KIND_TCP, 1, FLOOD);
	assert_int_equal(known(&b, KIND_UDP, 20000, FEW), FEW);
	assert_int_equal(known(&b, KIND_TCP, 30000, FEW), FEW);
}

/* What begins is not pushed out before its answer is there. */
static void in_between(void **state)
{
	unsigned int good = 0;

	(void)state;
	begin(&a, KIND_UDP, 1, FLOOD);
	for (unsigned int i = 0; i < FEW; i++) {
		asks(&b, KIND_TCP, 30000 + i, SYN);
		begin(&a, KIND_UDP, 1 + i * 100, 100);
		for (unsigned int j = 0; j < 100; j++)
			asks(&a, KIND_UDP, 10000 + i * 100 + j, 0);
		good += answers(&b, KIND_TCP, 30000 + i);
	}
	assert_int_equal(good, FEW);
}

/* Of its own the endpoint gives up what is not TCP, or not answered; open TCP stays. */
static void own(void **state)
{
	unsigned int n;

	(void)state;
	assert_int_equal(begin(&a, KIND_TCP, 1, 100), 100);
	assert_int_equal(begin(&a, KIND_UDP, 1, FLOOD), FLOOD);
	for (unsigned int i = 0; i < FLOOD; i++)
		asks(&a, KIND_UDP, 10000 + i, 0);
	assert_int_equal(known(&a, KIND_TCP, 1, 100), 100);
	n = begin(&a, KIND_TCP, 40000, FLOOD);
	assert_in_range(n, 200, SHARE * 8 / 5 - 100);
	assert_int_equal(known(&a, KIND_TCP, 1, 100), 100);
}

/* Two that take all they can have about the same. */
static void halves(void **state)
{
	unsigned int of_a, of_b;

	(void)state;
	for (unsigned int i = 0; i < FLOOD; i++) {
		begin(&a, KIND_UDP, 1 + i, 1);
		begin(&a, KIND_UDP, 10001 + i, 1);
		begin(&b, KIND_UDP, 1 + i, 1);
	}
	of_a = known(&a, KIND_UDP, 1, FLOOD) + known(&a, KIND_UDP, 10001, FLOOD);
	of_b = known(&b, KIND_UDP, 1, FLOOD);
	print_message("of %d places A has %u, B %u\n", TSW_POLICY_BUCKETS(SHARE) * 8, of_a, of_b);
	assert_in_range(of_b, SHARE / 2, SHARE);
	assert_in_range(of_a, SHARE / 2, SHARE);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(full_of_udp), TEST(full_of_tcp), TEST(others_stay),
					   TEST(in_between),  TEST(own),	 TEST(halves)};
	const struct packet_suite suite = {"policy share", NULL, 0, tests,
					   sizeof(tests) / sizeof(*tests)};

	return packet_main(&suite);
}
