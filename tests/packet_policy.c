// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tenant's policy: who reaches whom by rules, whose answers pass, and what an attacker tries.
 *
 * In red A is in group WEB, C (on host 2) in DB, B in none; the rule SQL lets WEB reach DB by TCP
 * at 5432. What A sends is judged as it leaves its port, what C sends as it comes from host 2.
 */
#include <string.h>

#include "policies.h"

enum { WEB = 1, DB = 2, OPS = 3 };
enum { SQL = 1, OTHER, THIRD };
enum { NET = 1, PART, WORLD };

#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10

#define A_TO_C .dst = MAC_C, .to = IP_C
#define C_TO_A .outer = &host2, .src = MAC_C, .from = IP_C, .dst = MAC_A, .to = IP_A
#define A_TO_B .dst = MAC_B, .to = IP_B
#define B_TO_A .src = MAC_B, .from = IP_B, .dst = MAC_A, .to = IP_A
#define A_TO_WORLD .dst = MAC_G, .to = IP_WORLD
#define RARP .dst = MAC_BROADCAST, .kind = KIND_RAW, .type = 0x8035, .rest = "0001080006040003"
#define REQUEST .kind = KIND_TCP, .sport = 40000, .dport = 5432
#define REPLY .kind = KIND_TCP, .sport = 5432, .dport = 40000

static const struct outer host2 = {FROM_HOST2};

static const struct policy_way sql = {
	.from = WEB, .to = DB, .proto = IPPROTO_TCP, .length = 16, .port = 5432, .number = SQL};

static int setup(void **state)
{
	(void)state;
	lab_fill();
	lab_policy_begin(RED, TSW_POLICY_ON, false);
	lab_policy_member(RED, MAC_A, WEB, 0);
	lab_policy_member(RED, MAC_C, DB, 0);
	lab_policy_way(&sql);
	return 0;
}

#define from_a(...) policy_sent(FROM_PORT, RED_A, &(const struct spec){__VA_ARGS__})
#define from_b(...) policy_sent(FROM_PORT, RED_B, &(const struct spec){__VA_ARGS__})
#define from_c(...) policy_sent(FROM_WIRE, WIRE, &(const struct spec){__VA_ARGS__})
#define from_world(...) \
	policy_sent(FROM_GATEWAY, GW, &(const struct spec){.src = MAC_G, .dst = MAC_G, __VA_ARGS__})
#define assert_passes(result) assert_int_equal(result, 0)
#define assert_denied(result) assert_int_equal(result, TSW_DROP_POLICY_DENIED)

static void by_rule(void **state)
{
	(void)state;
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_denied(from_a(A_TO_C, REQUEST, .dport = 5433, .tcp_flags = SYN));
	assert_denied(from_a(A_TO_C, .sport = 40000, .dport = 5432)); /* UDP */
	assert_denied(
		from_c(C_TO_A, .kind = KIND_TCP, .sport = 40000, .dport = 5432, .tcp_flags = SYN));
	assert_int_equal(lab_policy_hits(RED, SQL), 1);
	assert_int_equal(lab_policy_hits(RED, 0), 3);
	assert_int_equal(lab_policy_conns(RED), 1);
}

/* An answer passes where the question went, and at its ends alone. */
static void answers(void **state)
{
	(void)state;
	assert_denied(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK)); /* without a SYN */
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK));
	assert_passes(from_c(C_TO_A, REPLY));
	assert_denied(from_c(C_TO_A, REPLY, .dport = 40001));
	assert_denied(from_c(C_TO_A, REPLY, .sport = 5431));
	assert_denied(from_c(C_TO_A, .sport = 5432, .dport = 40000)); /* UDP */
	assert_denied(from_c(C_TO_A, REPLY, .from = IP_D, .src = MAC_C));
	assert_denied(from_a(.dst = MAC_D, .to = IP_C, REQUEST)); /* its address, another's MAC */
	/* The other way about it would be a connection of C's. */
	assert_denied(from_c(C_TO_A, REPLY, .tcp_flags = SYN));
}

/* Who is in no group: by the default, but not to those who are, nor from them. */
static void by_default(void **state)
{
	(void)state;
	lab_port(RED_N, RED, MAC_N, TSW_PORT_POLICY);
	assert_denied(from_b(B_TO_A));
	assert_denied(from_a(A_TO_B));
	assert_passes(from_b(.src = MAC_B, .from = IP_B, .dst = MAC_N, .to = IP_N));
	lab_policy_begin(RED, TSW_POLICY_ON, true);
	assert_denied(from_b(.src = MAC_B, .from = IP_B, .dst = MAC_N, .to = IP_N));
}

static void off_and_audit(void **state)
{
	(void)state;
	lab_policy_mode(RED, TSW_POLICY_OFF);
	assert_passes(from_b(B_TO_A));
	assert_int_equal(lab_policy_hits(RED, 0), 0);
	lab_policy_mode(RED, TSW_POLICY_AUDIT);
	assert_passes(from_b(B_TO_A));
	assert_int_equal(lab_policy_hits(RED, 0), 1);
}

/* The higher priority; at one, what denies. */
static void priorities(void **state)
{
	const struct policy_way deny = {
		.from = WEB, .proto = IPPROTO_TCP, .number = OTHER, .deny = true};
	struct policy_way way = deny;

	(void)state;
	way.priority = 999;
	lab_policy_way(&way);
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	way.priority = 1000;
	lab_policy_way(&way);
	assert_denied(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	way = sql;
	way.priority = 1001;
	lab_policy_way(&way);
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
}

/* A rule that goes ends what it let begin, in both directions, at the next frame. */
static void rule_goes(void **state)
{
	(void)state;
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK));
	lab_policy_way_unset(&sql);
	assert_denied(from_c(C_TO_A, REPLY));
	assert_denied(from_a(A_TO_C, REQUEST));
	lab_policy_way(&sql);
	/* The answer alone brings it back, for the rule allows the connection that it is of. */
	assert_passes(from_c(C_TO_A, REPLY));
	lab_policy_member(RED, MAC_A, OPS, 0);
	assert_denied(from_c(C_TO_A, REPLY));
	assert_denied(from_a(A_TO_C, REQUEST));
}

/* A change that is being written has no effect yet. */
static void half_a_change(void **state)
{
	const struct tsw_policy_way_key key = {
		.tenant = RED, .from = WEB, .to = DB, .proto = IPPROTO_UDP};
	const struct tsw_policy_way way = {
		.generation = ~0U, .then = {OTHER, TSW_POLICY_WEIGHT(1, TSW_POLICY_ALLOW, 0)}};

	(void)state;
	lab_policy_way(
		&(const struct policy_way){.from = OPS, .proto = IPPROTO_UDP, .number = THIRD});
	lab_set(M_POLICY_WAYS, &key, &way);
	assert_denied(from_a(A_TO_C));
}

static void ranges(void **state)
{
	/* 80-83 and 84-84 */
	struct policy_way way = {
		.to = DB, .proto = IPPROTO_TCP, .length = 14, .port = 80, .number = OTHER};

	(void)state;
	lab_policy_way(&way);
	way.length = 16;
	way.port = 84;
	lab_policy_way(&way);
	assert_denied(from_a(A_TO_C, .kind = KIND_TCP, .dport = 79));
	assert_passes(from_a(A_TO_C, .kind = KIND_TCP, .dport = 80));
	assert_passes(from_a(A_TO_C, .kind = KIND_TCP, .dport = 83));
	assert_passes(from_a(A_TO_C, .kind = KIND_TCP, .dport = 84));
	assert_denied(from_a(A_TO_C, .kind = KIND_TCP, .dport = 85));
	assert_denied(from_a(A_TO_C, .dport = 80));
}

static void any_protocol(void **state)
{
	(void)state;
	lab_policy_way(&(const struct policy_way){.from = WEB, .to = DB, .number = OTHER});
	assert_passes(from_a(A_TO_C));
	assert_passes(from_a(A_TO_C, .proto = 47));
	assert_passes(from_a(A_TO_C, .kind = KIND_RAW, .type = 0x88b5, .rest = "00"));
	assert_denied(from_c(C_TO_A, .kind = KIND_RAW, .type = 0x88b5, .rest = "00"));
}

static void several_groups(void **state)
{
	(void)state;
	lab_policy_member(RED, MAC_B, OPS, WEB);
	assert_passes(from_b(.src = MAC_B, .from = IP_B, A_TO_C, REQUEST, .tcp_flags = SYN));
	lab_policy_member(RED, MAC_B, OPS, 0);
	assert_denied(from_b(.src = MAC_B, .from = IP_B, A_TO_C, REQUEST, .tcp_flags = SYN));
}

static void ping(void **state)
{
	(void)state;
	lab_policy_way(&(const struct policy_way){
		.from = WEB, .to = DB, .proto = IPPROTO_ICMP, .number = OTHER});
	assert_passes(from_a(A_TO_C, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00010001"));
	assert_passes(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 0, .rest = "00010001"));
	assert_denied(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 8, .rest = "00020001"));
	assert_passes(from_a(.dst = MAC_C, .to = IP6_C, .from = IP6_A, .kind = KIND_ICMP,
			     .icmp_type = 128, .rest = "00010001"));
}

/* An error passes if it is about a connection that is known, and goes to who sent the packet. */
static void errors(void **state)
{
	/* 10.0.0.1:40000 > 10.0.0.3:5432, TCP */
#define QUOTE(sport, dport)       \
	"00000000"                \
	"45000028000040004006000" \
	"00a0000010a000003" sport dport "00000000"

	(void)state;
	assert_denied(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("9c40", "1538")));
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("9c40", "1538")));
	assert_denied(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("9c41", "1538")));
	/* About an answer, whatever was judged on this CPU before it. */
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_a(A_TO_C, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = "00000000"
				     "450000280000400040060000"
				     "0a0000030a000001"
				     "15389c4000000000"));
	/* Another's, that the receiver has not sent. */
	assert_denied(from_b(B_TO_A, .to = IP_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("9c40", "1538")));
	assert_int_equal(lab_policy_conns(RED), 1);
}

static void fragments(void **state)
{
	(void)state;
	lab_policy_way(&(const struct policy_way){.from = WEB,
						  .to = DB,
						  .proto = IPPROTO_UDP,
						  .length = 16,
						  .port = 53,
						  .number = OTHER});
	/* The first is missing. */
	assert_denied(from_a(A_TO_C, .frag = 0x2010, .id = 7, .payload = 100));
	assert_denied(from_a(A_TO_C, .frag = 0x2000, .id = 7, .dport = 54, .payload = 120));
	assert_denied(from_a(A_TO_C, .frag = 0x0010, .id = 7, .payload = 100));
	assert_passes(from_a(A_TO_C, .frag = 0x2000, .id = 7, .dport = 53, .payload = 120));
	assert_passes(from_a(A_TO_C, .frag = 0x0010, .id = 7, .payload = 100));
	assert_denied(from_a(A_TO_C, .frag = 0x0010, .id = 8, .payload = 100));
	assert_denied(from_c(C_TO_A, .frag = 0x0010, .id = 7, .payload = 100));
	/* One that would replace a part of the first. */
	assert_denied(from_a(A_TO_C, .frag = 0x0001, .id = 7, .payload = 100));
	assert_denied(from_a(A_TO_C, .frag = 0x0002, .id = 7, .payload = 100));
	assert_passes(from_a(A_TO_C, .frag = 0x0003, .id = 7, .payload = 100));
	/* A TCP header that is cut before its flags. */
	assert_int_equal(from_a(A_TO_C, REQUEST, .frag = 0x2000, .id = 9, .cut = 8),
			 TSW_DROP_TRUNCATED);
}

static void always(void **state)
{
	(void)state;
	assert_passes(from_a(.kind = KIND_ARP, .dst = MAC_C, .to = IP_C, .op = 2, .tha = MAC_C));
	assert_passes(from_c(C_TO_A, .kind = KIND_ARP, .op = 2, .tha = MAC_A));
	assert_passes(from_b(.src = MAC_B, .from = IP_B, .dst = MAC_C, .to = IP_C, .sport = 68,
			     .dport = 67));
	assert_denied(from_b(.src = MAC_B, .from = IP_B, .dst = MAC_C, .to = IP_C, .sport = 69,
			     .dport = 67));
	assert_passes(from_a(.dst = MAC_G, .to = IP_G, .kind = KIND_ICMP, .icmp_type = 8,
			     .rest = "00010001"));
	/* An endpoint has moved: its host tells all, and so does theirs. */
	assert_int_not_equal(from_a(RARP), TSW_DROP_POLICY_DENIED);
	assert_int_not_equal(from_c(RARP, .outer = &host2, .src = MAC_C), TSW_DROP_POLICY_DENIED);
	/* But not to the world, and not from it. */
	assert_denied(from_a(A_TO_WORLD, .sport = 68, .dport = 67));
	assert_denied(
		from_a(.dst = MAC_G, .from = IP6_A, .to = IP6_WORLD, .sport = 546, .dport = 547));
	assert_denied(from_world(.from = IP_WORLD, .to = IP_A, .sport = 68, .dport = 67));
	assert_denied(from_world(.from = IP6_WORLD, .to = IP6_A, .sport = 546, .dport = 547));
}

/* To the world: by CIDRs, the one in which another is has its say, too. */
static void world(void **state)
{
	const struct policy_way https = {.from = WEB,
					 .to = TSW_POLICY_CIDR | NET,
					 .proto = IPPROTO_TCP,
					 .length = 16,
					 .port = 443,
					 .number = OTHER};
	struct policy_way part = https;

	(void)state;
	assert_denied(from_a(A_TO_WORLD, .kind = KIND_TCP, .dport = 443, .tcp_flags = SYN));
	lab_policy_cidr(RED, "203.0.113.0", 120, NET);
	lab_policy_way(&https);
	assert_passes(from_a(A_TO_WORLD, .kind = KIND_TCP, .dport = 443, .tcp_flags = SYN));
	assert_denied(from_a(A_TO_WORLD, .kind = KIND_TCP, .dport = 80, .tcp_flags = SYN));
	assert_passes(from_b(.src = MAC_B, .from = IP_B, A_TO_WORLD));
	part.to = TSW_POLICY_CIDR | PART;
	part.number = THIRD;
	part.deny = true;
	lab_policy_cidr(RED, "203.0.113.64", 122, PART);
	assert_passes(from_a(A_TO_WORLD, .kind = KIND_TCP, .dport = 443, .tcp_flags = SYN));
	lab_policy_way(&part);
	assert_denied(from_a(A_TO_WORLD, .kind = KIND_TCP, .dport = 443, .tcp_flags = SYN));
}

/* To all: who is in a group would be reached, too. */
static void broadcast(void **state)
{
	const struct spec all = {.src = MAC_B,
				 .from = IP_B,
				 .dst = MAC_BROADCAST,
				 .to = "255.255.255.255",
				 .dport = 5353};

	(void)state;
	assert_denied(policy_sent(FROM_PORT, RED_B, &all));
	lab_policy_way(&(const struct policy_way){
		.proto = IPPROTO_UDP, .length = 16, .port = 5353, .number = OTHER});
	assert_int_not_equal(policy_sent(FROM_PORT, RED_B, &all), TSW_DROP_POLICY_DENIED);
}

/* The share of a tenant's connections: what was answered stays, what was not makes room. */
static void full(void **state)
{
	int passed = 0, i;

	(void)state;
	lab_policy_connections(RED, 5); /* one bucket */
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK));
	for (i = 0; i < 200; i++)
		passed += !from_a(A_TO_C, REQUEST, .sport = 50000 + i, .tcp_flags = SYN);
	assert_int_equal(passed, 200);
	assert_passes(from_c(C_TO_A, REPLY));
	for (i = passed = 0; i < 40; i++) {
		if (from_a(A_TO_C, REQUEST, .sport = 51000 + i, .tcp_flags = SYN))
			break;
		from_c(C_TO_A, REPLY, .dport = 51000 + i, .tcp_flags = SYN | ACK);
		passed++;
	}
	assert_in_range(passed, 4, 7);
	assert_int_equal(from_a(A_TO_C, REQUEST, .sport = 52000, .tcp_flags = SYN),
			 TSW_DROP_POLICY_FULL);
	lab_policy_begin(BLUE, TSW_POLICY_ON, false);
	assert_passes(from_c(C_TO_A, REPLY));
}

static void time_passes(void **state)
{
	(void)state;
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	lab_policy_age(RED, 31);
	assert_denied(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK));
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = SYN | ACK));
	lab_policy_age(RED, 7000);
	assert_passes(from_c(C_TO_A, REPLY));
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = FIN | ACK));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = FIN | ACK));
	assert_passes(from_c(C_TO_A, REPLY));
	lab_policy_age(RED, 61);
	assert_denied(from_c(C_TO_A, REPLY));
	assert_passes(from_a(A_TO_C, REQUEST, .tcp_flags = SYN));
	assert_passes(from_c(C_TO_A, REPLY, .tcp_flags = RST));
	lab_policy_age(RED, 11);
	assert_denied(from_c(C_TO_A, REPLY));
}

/* The other tenant has the same addresses, and no policy. */
static void not_others(void **state)
{
	const struct __sk_buff ctx = {.ifindex = BLUE_A};
	struct packet_run run;
	struct frame in;

	(void)state;
	frame_build(&(const struct spec){A_TO_B}, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
	assert_denied(from_a(A_TO_B));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_rule),	    TEST(answers),	  TEST(by_default),    TEST(off_and_audit),
		TEST(priorities),   TEST(rule_goes),	  TEST(half_a_change), TEST(ranges),
		TEST(any_protocol), TEST(several_groups), TEST(ping),	       TEST(errors),
		TEST(fragments),    TEST(always),	  TEST(world),	       TEST(broadcast),
		TEST(full),	    TEST(time_passes),	  TEST(not_others),
	};
	const struct packet_suite suite = {"policy", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
