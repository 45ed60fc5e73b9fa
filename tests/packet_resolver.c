// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that are not the tenant's: asked of its gateway's resolver, by the gateway. What goes there
 * has a mark of its own; all else is as without a resolver.
 */
#include <arpa/inet.h>
#include <string.h>

#include "asked.h"

#define OF_RED 0x74500001
#define NAMES_OF_RED 0x74520001
#define HELD_OF_RED 0x74540001
#define SELF_OF_RED 0x74550001
#define ANSWERED 0

#define RESOLVER "203.0.113.9"
#define RESOLVER6 "2001:db8:9::9"

#define TO_G .dst = MAC_G, .to = IP_G, .dport = 53
#define TO_G6 .dst = MAC_G, .from = IP6_A, .to = IP6_G, .dport = 53
#define SYN .kind = KIND_TCP, .tcp_flags = 2

/* A question, behind which class IN comes; of a mark that it leads to. */
#define WORLD "\3www\7example\3org\0\0\1"
#define OWN "\1b\3red\3tsw\10internal\0\0\1"

struct row {
	const char *name;
	struct spec in;
	const char *asks; /* NULL: no message of DNS */
	size_t len;
	__u32 mark; /* ANSWERED: back into the port, whatever it says */
	void (*setup)(void);
	bool odd; /* class CH */
};

#define ASKS(text) .asks = (text), .len = sizeof(text) - 1

/* ---- what is there -------------------------------------------------------------------- */

static void resolver(const char *ip, const char *ip6)
{
	struct tsw_gateway gw;

	lab_gateway_get(RED, &gw);
	memset(gw.resolver, 0, sizeof(gw.resolver));
	if (ip)
		frame_ip((__u8 *)&gw.resolver[TSW_IPV4], ip);
	if (ip6)
		frame_ip((__u8 *)&gw.resolver[TSW_IPV6], ip6);
	lab_gateway_set(RED, &gw);
}

static void dns(__u32 tenant, const char *text, const char *wire)
{
	struct tsw_domain domain = {.len = (__u32)strlen(text)};

	strcpy(domain.text, text);
	strcpy((char *)domain.wire, wire);
	lab_set(M_DOMAINS, &tenant, &domain);
	lab_tenant(tenant, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
}

static void both(void)
{
	dns(RED, ".red.tsw.internal", "\3red\3tsw\10internal");
	lab_name(RED, MAC_B, "b", IP_B);
	resolver(RESOLVER, RESOLVER6);
}

static void none(void)
{
	both();
	resolver(NULL, NULL);
}

static void four_alone(void)
{
	both();
	resolver(RESOLVER, NULL);
}

static void dns_off(void)
{
	both();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
}

static void moves(void)
{
	both();
	lab_gateway(RED, 0, HOST2, 100);
	lab_gateway_flags(RED, TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL);
	lab_gateway(RED, HOST2, 0, 100);
}

/* ---- the port ------------------------------------------------------------------------- */

static const struct row rows[] = {
	{"the world's name", {TO_G}, ASKS(WORLD), NAMES_OF_RED, both},
	{"by IPv6", {TO_G6}, ASKS(WORLD), NAMES_OF_RED, both},
	{"another class", {TO_G}, ASKS(WORLD), NAMES_OF_RED, both, .odd = true},
	{"an address of the world's",
	 {TO_G},
	 ASKS("\1"
	      "9\3"
	      "113\1"
	      "0\3"
	      "203\7in-addr\4arpa\0\0\14"),
	 NAMES_OF_RED,
	 both},
	{"the root's servers", {TO_G}, ASKS("\0\0\2"), NAMES_OF_RED, both},
	{"a domain of one label", {TO_G}, ASKS("\3com\0\0\2"), NAMES_OF_RED, both},
	{"a dot in a label", {TO_G}, ASKS("\3a.b\0\0\1"), NAMES_OF_RED, both},
	{"without a resolver", {TO_G}, ASKS(WORLD), ANSWERED, none},
	{"none of that family", {TO_G6}, ASKS(WORLD), ANSWERED, four_alone},
	{"a name of the tenant's", {TO_G}, ASKS(OWN), ANSWERED, both},
	{"none in its domain", {TO_G}, ASKS("\1x\3red\3tsw\10internal\0\0\2"), ANSWERED, both},
	{"nobody's, of one label", {TO_G}, ASKS("\3com\0\0\1"), ANSWERED, both},
	{"the same, IPv6's", {TO_G}, ASKS("\3com\0\0\34"), ANSWERED, both},
	{"the same, all", {TO_G}, ASKS("\3com\0\0\377"), ANSWERED, both},
	{"a record that an endpoint has not", {TO_G}, ASKS("\1b\0\0\2"), ANSWERED, both},
	{"an address of nobody in its net",
	 {TO_G},
	 ASKS("\2"
	      "99\1"
	      "0\1"
	      "0\2"
	      "10\7in-addr\4arpa\0\0\14"),
	 ANSWERED,
	 both},
	{"a pointer in the name", {TO_G}, ASKS("\300\14\0\1"), ANSWERED, both},
	{"TCP begins", {TO_G, SYN}, .mark = NAMES_OF_RED, .setup = both},
	{"TCP goes on", {TO_G, .kind = KIND_TCP}, .mark = NAMES_OF_RED, .setup = both},
	{"TCP is reset",
	 {TO_G, .kind = KIND_TCP, .tcp_flags = 4},
	 .mark = NAMES_OF_RED,
	 .setup = both},
	{"TCP by IPv6", {TO_G6, SYN}, .mark = NAMES_OF_RED, .setup = both},
	{"TCP, none of that family", {TO_G6, SYN}, .mark = ANSWERED, .setup = four_alone},
	{"dns off", {TO_G}, ASKS(WORLD), SELF_OF_RED, dns_off},
	{"dns off, TCP", {TO_G, SYN}, .mark = SELF_OF_RED, .setup = dns_off},
	{"another port", {TO_G, .dport = 54}, ASKS(WORLD), SELF_OF_RED, both},
	{"another port, TCP", {TO_G, SYN, .dport = 54}, .mark = SELF_OF_RED, .setup = both},
	{"another protocol", {TO_G, .proto = 132}, .mark = SELF_OF_RED, .setup = both},
	{"the resolver itself", {TO_G, .to = RESOLVER}, ASKS(WORLD), OF_RED, both},
	{"another server", {TO_G, .to = IP_WORLD}, ASKS(OWN), OF_RED, both},
};

/* Class IN or CH comes last. */
static void ask(struct frame *f, const char *asks, size_t len, bool odd)
{
	static const __u8 head[12] = {0x12, 0x34, 1, 0, 0, 1};
	const __u8 class[2] = {0, odd ? 3 : 1};

	frame_put(f, head, sizeof(head));
	frame_put(f, asks, len);
	frame_put(f, class, sizeof(class));
	asked_settle(f);
}

static void one(void **state)
{
	const struct row *r = *state;
	struct packet_run ran;
	struct frame in;

	lab_fill();
	r->setup();
	frame_build(&r->in, &in);
	if (r->asks)
		ask(&in, r->asks, r->len, r->odd);
	asked_run(&in, 0, &ran);
	assert_int_equal(ran.verdict, TC_ACT_REDIRECT);
	assert_int_equal(ran.ctx.mark, 0);
	assert_int_equal(packet_sealed_mark(&ran.out), r->mark);
	if (r->mark != ANSWERED)
		packet_seal(&in, r->mark, 0);
	assert_int_equal(ran.out.len == in.len && !memcmp(ran.out.b, in.b, in.len),
			 r->mark != ANSWERED);
	assert_false(lab_reply_is_busy());
}

/* ---- elsewhere -------------------------------------------------------------------------- */

static const struct outer to_host2 = {}, host2 = {FROM_HOST2};

static void at_host2(void)
{
	both();
	lab_gateway(RED, HOST2, HOST3, 0);
}

#define C_TO_G .src = MAC_C, .from = IP_C, TO_G, SYN
#define CAME(...)                                                                       \
	.program = FROM_WIRE, .in = {__VA_ARGS__, .outer = &host2},                     \
	.out = &(const struct spec){__VA_ARGS__}, .verdict = REDIRECTED, .host = HOST2, \
	.moves = MOVE(RX) | MOVE(GATEWAY), .mark_out

static const struct packet_case cases[] = {
	{"TCP to a gateway elsewhere", .in = {TO_G, SYN}, .setup = at_host2,
	 .out = &(const struct spec){TO_G, SYN, .outer = &to_host2}, .verdict = REDIRECTED,
	 .moves = MOVE(TX), .host = HOST2},
	{"from another host", CAME(C_TO_G) = NAMES_OF_RED, .setup = both},
	{"from another host, no resolver here", CAME(C_TO_G) = SELF_OF_RED, .setup = none},
	{"from another host, dns off here", CAME(C_TO_G) = SELF_OF_RED, .setup = dns_off},
	{"from another host, while it moves", CAME(C_TO_G) = HELD_OF_RED, .setup = moves},
};

int main(void)
{
	const struct asked_suite suite = {"resolver", rows, sizeof(rows[0]), COUNT(rows), one,
					  NULL,	      0,    cases,	     COUNT(cases)};

	return asked_main(&suite);
}
