// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that claim to be what they are not: a policy judges them by what their receiver makes of
 * them.
 *
 * In red A is in group WEB, C (on host 2) and B in DB.
 */
#include "policies.h"

enum { WEB = 1, DB };
enum { DENY = 1, ALL, PING };

static const struct outer host2 = {FROM_HOST2};

#define A_TO_C .dst = MAC_C, .to = IP_C
#define A6_TO_C .dst = MAC_C, .from = IP6_A, .to = IP6_C
#define C_TO_A .outer = &host2, .src = MAC_C, .from = IP_C, .dst = MAC_A, .to = IP_A
#define C6_TO_A .outer = &host2, .src = MAC_C, .from = IP6_C, .dst = MAC_A, .to = IP6_A

static int setup(void **state)
{
	(void)state;
	lab_fill();
	lab_policy_begin(RED, TSW_POLICY_ON, false);
	lab_policy_member(RED, MAC_A, WEB, 0);
	lab_policy_member(RED, MAC_B, DB, 0);
	lab_policy_member(RED, MAC_C, DB, 0);
	return 0;
}

static void allow_all(void)
{
	lab_policy_way(&(const struct policy_way){.number = ALL});
}

/* WEB may talk to all, but not to DB; and DB to all. */
static void deny_one(void)
{
	allow_all();
	lab_policy_way(&(const struct policy_way){
		.from = WEB, .to = DB, .number = DENY, .priority = 2000, .deny = true});
	lab_policy_way(&(const struct policy_way){
		.from = DB, .to = WEB, .number = DENY, .priority = 2000, .deny = true});
}

static void allow_ping(void)
{
	lab_policy_way(&(const struct policy_way){
		.from = WEB, .to = DB, .proto = IPPROTO_ICMP, .number = PING});
}

#define from_a(...) policy_sent(FROM_PORT, RED_A, &(const struct spec){__VA_ARGS__})
#define from_c(...) policy_sent(FROM_WIRE, WIRE, &(const struct spec){__VA_ARGS__})
#define assert_passes(result) assert_int_equal(result, 0)
#define assert_denied(result) assert_int_equal(result, TSW_DROP_POLICY_DENIED)
#define assert_group_unicast(result) assert_int_equal(result, TSW_DROP_GROUP_UNICAST)
/* A copy to all ends in none: what matters is that nothing was dropped. */
#define assert_copied(result) assert_int_equal(result, -1)

/* To all Ethernet stations, and to one by IP. */
static void to_all_for_one(void **state)
{
	static const char *const all[] = {MAC_BROADCAST, "01:00:5e:00:00:01", "33:33:00:00:00:01"};

	(void)state;
	deny_one();
	assert_denied(from_a(A_TO_C));
	for (size_t i = 0; i < COUNT(all); i++) {
		assert_group_unicast(from_a(A_TO_C, .dst = all[i]));
		assert_group_unicast(from_a(A6_TO_C, .dst = all[i]));
		assert_group_unicast(from_a(A_TO_C, .dst = all[i], .frag = 0x2010, .payload = 64));
		assert_group_unicast(from_c(C_TO_A, .dst = all[i]));
		assert_group_unicast(from_c(C6_TO_A, .dst = all[i]));
		assert_group_unicast(from_a(.dst = all[i], .to = IP_UNKNOWN));
	}
	/* A server's answer may be a broadcast to the address that it gives, RFC 2131 4.1. */
	assert_copied(from_c(C_TO_A, .dst = MAC_BROADCAST, .sport = 67, .dport = 68));
	assert_group_unicast(from_c(C_TO_A, .dst = MAC_BROADCAST, .sport = 67, .dport = 69));
	setup(NULL);
	allow_all();
	for (size_t i = 0; i < COUNT(all); i++) {
		assert_copied(from_a(.dst = all[i], .to = "224.0.0.251"));
		assert_copied(from_a(.dst = all[i], .to = "255.255.255.255"));
		assert_copied(from_a(.dst = all[i], .from = IP6_A, .to = "ff02::fb"));
		assert_copied(from_c(C_TO_A, .dst = all[i], .to = "224.0.0.251"));
		assert_copied(from_c(C6_TO_A, .dst = all[i], .to = "ff02::fb"));
	}
	/* Where nobody is in a group, no rule is about one. */
	lab_fill();
	lab_policy_begin(RED, TSW_POLICY_ON, false);
	assert_copied(from_a(A_TO_C, .dst = MAC_BROADCAST));
	setup(NULL);
	lab_policy_mode(RED, TSW_POLICY_OFF);
	assert_copied(from_a(A_TO_C, .dst = MAC_BROADCAST));
}

/* The broadcast address of a network is one for all, where the network is known. */
static void directed_broadcast(void **state)
{
	(void)state;
	allow_all();
	lab_gateway_unset(RED);
	assert_group_unicast(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255"));
	lab_net(RED, "10.0.0.0", 120);
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255"));
	assert_copied(from_c(C_TO_A, .dst = MAC_BROADCAST, .to = "10.0.0.255"));
	assert_group_unicast(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.127"));
	assert_group_unicast(from_a(.dst = MAC_BROADCAST, .to = "10.0.1.255"));
	lab_net(RED, "10.0.0.0", 121);
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.127"));
	assert_group_unicast(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255"));
	lab_net(RED, "10.0.0.254", 127);
	assert_group_unicast(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255"));
	lab_fill();
	setup(NULL);
	allow_all();
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255")); /* the gateway's */
}

/* What goes to all gets to nobody to whom a rule denies it. B here is in DB. */
static void copies(void **state)
{
	(void)state;
	deny_one();
	assert_denied(from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255"));
	assert_denied(from_a(.dst = "01:00:5e:00:00:01", .to = "224.0.0.1"));
	assert_denied(from_a(.dst = "33:33:ff:00:00:02", .from = IP6_A, .to = "ff02::1:ff00:2"));
	assert_denied(from_a(.dst = MAC_BROADCAST, .to = "10.0.0.255"));
	assert_denied(from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255", .frag = 0x2000));
	assert_denied(from_c(C_TO_A, .dst = MAC_BROADCAST, .to = "255.255.255.255"));
	assert_int_equal(lab_policy_hits(RED, DENY), 6);
	/* What a LAN cannot be without. */
	assert_copied(
		from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255", .sport = 68, .dport = 67));
	assert_copied(from_a(.dst = "33:33:ff:00:00:02", .from = IP6_A, .to = "ff02::1:ff00:2",
			     .kind = KIND_ICMP, .icmp_type = 136, .ttl = 255, .rest = "00000000",
			     .target = IP6_A));
	lab_policy_mode(RED, TSW_POLICY_AUDIT);
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255"));
	assert_int_equal(lab_policy_hits(RED, DENY), 7);
	lab_policy_mode(RED, TSW_POLICY_ON);
	/* The one that counts is of its port, and of its weight. */
	lab_policy_way(&(const struct policy_way){.from = WEB,
						  .to = DB,
						  .proto = IPPROTO_UDP,
						  .length = 16,
						  .port = 5353,
						  .number = PING,
						  .priority = 3000});
	assert_copied(from_a(.dst = "01:00:5e:00:00:fb", .to = "224.0.0.251", .dport = 5353));
	assert_denied(from_a(.dst = "01:00:5e:00:00:fb", .to = "224.0.0.251", .dport = 5354));
	/* B is in no group, then A. */
	lab_policy_member(RED, MAC_B, 0, 0);
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255"));
	lab_policy_member(RED, MAC_B, DB, 0);
	lab_policy_member(RED, MAC_A, 0, 0);
	assert_copied(from_a(.dst = MAC_BROADCAST, .to = "255.255.255.255"));
}

/* An audit tells of it, and drops nothing. */
static void audited(void **state)
{
	(void)state;
	deny_one();
	lab_policy_mode(RED, TSW_POLICY_AUDIT);
	assert_copied(from_a(A_TO_C, .dst = MAC_BROADCAST));
	assert_int_equal(lab_policy_hits(RED, 0), 1);
}

/* ICMP's number of the other family: what the receiver does not take for neighbour discovery. */
static void other_family(void **state)
{
	static const __u8 types[] = {130, 131, 132, 133, 135, 136, 143};

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++)
		assert_denied(from_a(A_TO_C, .kind = KIND_ICMP, .proto = 58, .icmp_type = types[i],
				     .rest = "00010001"));
	assert_passes(from_a(A6_TO_C, .kind = KIND_ICMP, .icmp_type = 135, .ttl = 255,
			     .rest = "00000000", .target = IP6_C));
	/* Rules for ICMP are for each family's own. */
	allow_ping();
	assert_denied(from_a(A_TO_C, .kind = KIND_ICMP, .proto = 58, .icmp_type = 128,
			     .rest = "00010001"));
	assert_denied(
		from_a(A6_TO_C, .kind = KIND_ICMP, .proto = 1, .icmp_type = 8, .rest = "00010001"));
	assert_passes(from_a(A6_TO_C, .kind = KIND_ICMP, .icmp_type = 128, .rest = "00010001"));
	/* Nor are the ports of one family's DHCP free in the other. */
	assert_denied(from_a(A_TO_C, .sport = 546, .dport = 547));
	assert_denied(from_a(A6_TO_C, .sport = 68, .dport = 67));
	assert_passes(from_a(A6_TO_C, .sport = 546, .dport = 547));
	assert_passes(from_a(A_TO_C, .sport = 68, .dport = 67));
}

/* What pads a frame is not of its packet: no flags, no ports, no question is in it. */
static void in_the_padding(void **state)
{
#define SYN_CUT .kind = KIND_TCP, .sport = 40000, .dport = 5432
	(void)state;
	lab_policy_way(&(const struct policy_way){.from = WEB,
						  .to = DB,
						  .proto = IPPROTO_TCP,
						  .length = 16,
						  .port = 5432,
						  .number = ALL});
	/* Eight octets of TCP, ACK is behind the packet's end. A whole header is 32 here. */
	assert_int_equal(from_a(A6_TO_C, SYN_CUT, .next = 44, .ext = "0600000100000001",
				.lie = -24),
			 TSW_DROP_TRUNCATED);
	assert_int_equal(from_a(A_TO_C, SYN_CUT, .frag = 0x2000, .id = 7, .lie = -24),
			 TSW_DROP_TRUNCATED);
	assert_int_equal(from_a(A6_TO_C, SYN_CUT, .lie = -24), TSW_DROP_TRUNCATED);
	assert_int_equal(from_a(A6_TO_C, SYN_CUT, .next = 44, .ext = "0600000100000001",
				.lie = -13),
			 TSW_DROP_TRUNCATED);
	assert_passes(from_a(A6_TO_C, SYN_CUT, .next = 44, .ext = "0600000100000001", .lie = -12));
	assert_passes(from_a(A_TO_C, SYN_CUT, .lie = -12));
	lab_policy_way(&(const struct policy_way){.proto = IPPROTO_UDP, .number = ALL});
	assert_int_equal(from_a(A_TO_C, .lie = -5),
			 TSW_DROP_TRUNCATED); /* a port of three octets */
	assert_passes(from_a(A_TO_C, .lie = -4));
}

#define ICMP(type, id) .kind = KIND_ICMP, .icmp_type = type, .rest = id "0001"

/* Only the reply of the question's own type, and with its identifier, is an answer. */
static void replies(void **state)
{
	static const struct {
		__u8 question, reply;
	} pairs[] = {{8, 0}, {13, 14}, {15, 16}, {17, 18}, {42, 43}};
	static const struct {
		__u8 question, reply;
	} pairs6[] = {{128, 129}, {139, 140}, {160, 161}};

	(void)state;
	allow_ping();
	for (size_t i = 0; i < COUNT(pairs); i++) {
		assert_denied(from_c(C_TO_A, ICMP(pairs[i].reply, "0007")));
		assert_passes(from_a(A_TO_C, ICMP(pairs[i].question, "0007")));
		for (int type = 0; type < 256; type++)
			assert_int_equal(from_c(C_TO_A, ICMP(type, "0007")),
					 type == pairs[i].reply ? 0 : TSW_DROP_POLICY_DENIED);
		assert_denied(from_c(C_TO_A, ICMP(pairs[i].reply, "0008")));
		setup(NULL);
		allow_ping();
	}
	for (size_t i = 0; i < COUNT(pairs6); i++) {
		assert_passes(from_a(A6_TO_C, ICMP(pairs6[i].question, "0007")));
		for (int type = 0; type < 130; type++) /* up to MLD and ND, which are free */
			assert_int_equal(from_c(C6_TO_A, ICMP(type, "0007")),
					 type == pairs6[i].reply ? 0 : TSW_DROP_POLICY_DENIED);
		for (int type = 138; type < 256; type++)
			if (type != 143)
				assert_int_equal(from_c(C6_TO_A, ICMP(type, "0007")),
						 type == pairs6[i].reply ? 0
									 : TSW_DROP_POLICY_DENIED);
		setup(NULL);
		allow_ping();
	}
}

/* Identifiers that look like types, and types that look like identifiers. */
static void like_an_answer(void **state)
{
	(void)state;
	allow_ping();
	assert_passes(from_a(A_TO_C, ICMP(8, "0005")));
	assert_denied(from_c(C_TO_A, ICMP(5, "0008"))); /* a redirect */
	assert_passes(from_a(A_TO_C, ICMP(8, "0008")));
	assert_denied(from_c(C_TO_A, ICMP(8, "0008")));
	assert_passes(from_c(C_TO_A, ICMP(0, "0008")));
	/* An error about a question is of its connection; one about a reply is of it, too. */
#define QUOTE(from, to, octets) \
	"00000000"              \
	"4500001c000040004001"  \
	"0000" from to octets
	assert_passes(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("0a000001", "0a000003", "0800000000080001")));
	assert_denied(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("0a000001", "0a000003", "0d00000000080001")));
	assert_denied(from_c(C_TO_A, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("0a000001", "0a000003", "0800000000090001")));
	assert_passes(from_a(A_TO_C, .kind = KIND_ICMP, .icmp_type = 3, .icmp_code = 1,
			     .rest = QUOTE("0a000003", "0a000001", "0000000000080001")));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(to_all_for_one), TEST(directed_broadcast), TEST(copies),  TEST(audited),
		TEST(other_family),   TEST(in_the_padding),	TEST(replies), TEST(like_an_answer),
	};
	const struct packet_suite suite = {"policy frames", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
