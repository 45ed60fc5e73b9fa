// SPDX-License-Identifier: GPL-2.0-only
/*
 * IPv6 extension headers beside a policy: what is behind them is judged as if they were not there,
 * and no fragment goes where its first one did not.
 *
 * In red A is in group WEB, C (on host 2) in DB. The rule lets WEB reach DB by UDP at port 53.
 */
#include <stdio.h>

#include "policies.h"

enum { WEB = 1, DB, DNS = 1, OTHER };
enum { ALLOWED = 53, DENIED = 54 };

static const struct outer host2 = {FROM6_HOST2};

static int setup(void **state)
{
	(void)state;
	lab_fill();
	counts_clear();
	lab_policy_begin(RED, TSW_POLICY_ON, false);
	lab_policy_member(RED, MAC_A, WEB, 0);
	lab_policy_member(RED, MAC_C, DB, 0);
	lab_policy_way(&(const struct policy_way){.from = WEB,
						  .to = DB,
						  .proto = IPPROTO_UDP,
						  .length = 16,
						  .port = ALLOWED,
						  .number = DNS});
	return 0;
}

/* UDP from A, behind these headers. */
static int asks(__u8 next, const char *ext, __u16 port)
{
	return policy_sent(FROM_PORT, RED_A,
			   &(const struct spec){.dst = MAC_C,
						.from = IP6_A,
						.to = IP6_C,
						.next = next,
						.ext = ext,
						.sport = 40000,
						.dport = port,
						.payload = 64});
}

/* And from C, to where it came from. */
static int answers(__u8 next, const char *ext, __u16 port)
{
	return policy_sent(FROM_WIRE, WIRE,
			   &(const struct spec){.outer = &host2,
						.src = MAC_C,
						.dst = MAC_A,
						.from = IP6_C,
						.to = IP6_A,
						.next = next,
						.ext = ext,
						.sport = port,
						.dport = 40000,
						.payload = 64});
}

#define assert_denied(result) assert_int_equal(result, TSW_DROP_POLICY_DENIED)
#define assert_passes(result) assert_int_equal(result, 0)

/* RFC 8200 section 4: hop-by-hop 0, routing 43, fragment 44, AH 51, destination options 60. */
#define OPTIONS(next) next "00010400000000"
#define ROUTING(next) next "00040000000000"
#define AH(next) next "02000000000000 0000000000000000"
#define UDP "11"
#define FIRST(next, id) next "000001000000" id
#define LATER(next, id) next "000049000000" id
#define WHOLE(next, id) next "000000000000" id /* RFC 6946: an atomic fragment */

static const struct chain {
	const char *name;
	__u8 next;
	const char *ext;
} chains[] = {
	{"hop-by-hop", 0, OPTIONS(UDP)},
	{"destination options", 60, OPTIONS(UDP)},
	{"routing", 43, ROUTING(UDP)},
	{"authentication", 51, AH(UDP)},
	{"an atomic fragment", 44, WHOLE(UDP, "01")},
	{"hop-by-hop, routing, destination", 0, OPTIONS("2b") ROUTING("3c") OPTIONS(UDP)},
	{"two of a kind", 60, OPTIONS("3c") OPTIONS(UDP)},
	{"hop-by-hop, an atomic fragment, destination", 0,
	 OPTIONS("2c") WHOLE("3c", "02") OPTIONS(UDP)},
};

static void headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(chains); i++) {
		const struct chain *c = &chains[i];

		setup(NULL);
		print_message("%s\n", c->name);
		assert_denied(answers(c->next, c->ext, ALLOWED));
		assert_denied(asks(c->next, c->ext, DENIED));
		assert_passes(asks(c->next, c->ext, ALLOWED));
		assert_passes(answers(c->next, c->ext, ALLOWED));
		assert_passes(answers(0, NULL, ALLOWED)); /* it is one connection */
		assert_denied(answers(c->next, c->ext, DENIED));
	}
}

/* What has no ports is met by rules without a protocol alone. */
static void no_ports(void **state)
{
	(void)state;
	assert_denied(asks(50, OPTIONS(UDP), ALLOWED)); /* ESP, RFC 4303 */
	assert_denied(asks(59, OPTIONS(UDP), ALLOWED)); /* no next header */
	assert_denied(asks(60, OPTIONS("3b"), ALLOWED));
	lab_policy_way(&(const struct policy_way){.from = WEB, .to = DB, .number = OTHER});
	assert_denied(answers(50, OPTIONS(UDP), ALLOWED));
	assert_passes(asks(50, OPTIONS(UDP), ALLOWED));
	assert_passes(answers(50, OPTIONS(UDP), ALLOWED));
	assert_denied(answers(59, OPTIONS(UDP), ALLOWED));
	assert_passes(asks(59, OPTIONS(UDP), ALLOWED));
}

/* What cannot be seen passes by no rule at all. */
static void too_long(void **state)
{
	static const char nine[] = OPTIONS("3c") OPTIONS("3c") OPTIONS("3c") OPTIONS("3c")
		OPTIONS("3c") OPTIONS("3c") OPTIONS("3c") OPTIONS("3c") OPTIONS(UDP);

	(void)state;
	lab_policy_way(&(const struct policy_way){.number = OTHER});
	assert_int_equal(asks(60, nine, ALLOWED), TSW_DROP_TRUNCATED);
	assert_passes(asks(60, nine + sizeof(OPTIONS("3c")) - 1, ALLOWED));
}

/* A packet in fragments; in front of its fragment header others. */
static const struct parts {
	const char *name;
	__u8 next;
	const char *first, *later, *another;
} parts[] = {
	{"alone", 44, FIRST(UDP, "01"), LATER(UDP, "01"), LATER(UDP, "02")},
	{"behind hop-by-hop", 0, OPTIONS("2c") FIRST(UDP, "01"), OPTIONS("2c") LATER(UDP, "01"),
	 OPTIONS("2c") LATER(UDP, "02")},
	{"behind destination options and routing", 60, OPTIONS("2b") ROUTING("2c") FIRST(UDP, "01"),
	 OPTIONS("2b") ROUTING("2c") LATER(UDP, "01"),
	 OPTIONS("2b") ROUTING("2c") LATER(UDP, "02")},
	{"in front of destination options", 44, FIRST("3c", "01") OPTIONS(UDP), LATER("3c", "01"),
	 LATER("3c", "02")},
	{"behind an atomic one", 44, WHOLE("2c", "02") FIRST(UDP, "01"),
	 WHOLE("2c", "02") LATER(UDP, "01"), WHOLE("2c", "01") LATER(UDP, "02")},
};

static void fragments(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++) {
		const struct parts *p = &parts[i];

		setup(NULL);
		print_message("%s\n", p->name);
		assert_denied(asks(p->next, p->later, ALLOWED)); /* before the first */
		assert_denied(asks(p->next, p->first, DENIED));
		assert_denied(asks(p->next, p->later, DENIED));
		assert_passes(asks(p->next, p->first, ALLOWED));
		assert_passes(asks(p->next, p->later, ALLOWED));
		assert_denied(asks(p->next, p->another, ALLOWED));
		assert_denied(answers(p->next, p->later, ALLOWED)); /* the other way about */
		assert_passes(answers(p->next, p->first, ALLOWED));
		assert_passes(answers(p->next, p->later, ALLOWED));
	}
}

/* The number of a packet that has passed in front of a fragment of another. */
static void borrowed(void **state)
{
	(void)state;
	assert_passes(asks(44, FIRST(UDP, "01"), ALLOWED));
	assert_denied(asks(44, WHOLE("2c", "01") LATER(UDP, "02"), ALLOWED));
	assert_denied(asks(44, FIRST("2c", "01") LATER(UDP, "02"), ALLOWED));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(headers), TEST(no_ports), TEST(too_long), TEST(fragments), TEST(borrowed),
	};
	const struct packet_suite suite = {"policy IPv6", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
