// SPDX-License-Identifier: GPL-2.0-only
/* Link-local addresses that are not made from the MAC: whose they become, and what they take. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define SHOWN "fe80::1111:2222:3333:4444"
#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define FROM_A(ip) .in = {.from = ip, .to = LL6_B}
#define FROM_N(ip) .dev = RED_N, .in = {.src = MAC_N, .from = ip, .to = LL6_B}
#define ND .kind = KIND_ICMP, .ttl = 255, .rest = "00000000"
#define ASKS(type_, ip) \
	ND, .icmp_type = type_, .from = ip, .dst = "33:33:00:00:00:02", .to = "ff02::2"
#define DAD(ip)                                                                                    \
	ND, .icmp_type = 135, .from = "::", .dst = "33:33:ff:33:44:44", .to = "ff02::1:ff33:4444", \
	    .target = ip
#define ADVERT(ip)                                                                     \
	ND, .icmp_type = 136, .from = ip, .dst = "33:33:00:00:00:01", .to = "ff02::1", \
	    .target = ip, .rest = "20000000"
/* From C, which lives on host 2, to A. */
#define HOST2_SENDS(ip)       \
	.program = FROM_WIRE, \
	.in = {.src = MAC_C, .dst = MAC_A, .from = ip, .to = LL6_A, .outer = &host2}
#define GOT(ip)                                                                                   \
	HOST2_SENDS(ip),                                                                          \
		.out = &(const struct spec){.src = MAC_C, .dst = MAC_A, .from = ip, .to = LL6_A}, \
		.verdict = REDIRECTED, .to = RED_A, .moves = MOVE(RX), .host = HOST2

static const struct outer host2 = {FROM_HOST2};

struct binding_case {
	struct packet_case c;
	const char *ip, *mac; /* whose IP is afterwards; NULL: nobody's */
};

static struct tsw_addr_key key_of(const char *ip)
{
	struct tsw_addr_key key = {.tenant = RED};

	frame_ip((__u8 *)&key.addr, ip);
	return key;
}

/* The endpoint's place number PLACE, last used at USED. */
static void bind_at(const char *ip, const char *mac, unsigned int place, __u64 used)
{
	struct tsw_binding binding = {.used = used};
	const struct tsw_addr_key key = key_of(ip);
	struct tsw_fdb_key who = {.tenant = RED};
	struct tsw_bound bound = {};

	frame_mac(binding.mac.b, mac);
	frame_mac(who.mac.b, mac);
	bpf_map_lookup_elem(lab_map(M_BOUND), &who, &bound);
	memcpy(&bound.id[place], &key.addr.w[2], sizeof(bound.id[place]));
	lab_set(M_BOUND, &who, &bound);
	lab_set(M_BINDINGS, &key, &binding);
}

static void a_has_it(void)
{
	bind_at(SHOWN, MAC_A, 0, 1);
}

static void b_has_it(void)
{
	bind_at(SHOWN, MAC_B, 0, 1);
}

static void c_has_it(void)
{
	bind_at(SHOWN, MAC_C, 0, 1);
}

static void b_lists_it(void)
{
	bind_at(SHOWN, MAC_A, 0, 1);
	lab_addr(RED, SHOWN, MAC_B);
}

static void blues_b_has_it(void)
{
	struct tsw_addr_key key = key_of(SHOWN);
	struct tsw_binding binding = {.used = 1};

	key.tenant = BLUE;
	frame_mac(binding.mac.b, MAC_B);
	lab_set(M_BINDINGS, &key, &binding);
}

/* The third one was not used for the longest time. */
static void a_has_four(void)
{
	bind_at("fe80::1", MAC_A, 0, 40);
	bind_at("fe80::2", MAC_A, 1, 30);
	bind_at("fe80::3", MAC_A, 2, 10);
	bind_at("fe80::4", MAC_A, 3, 20);
}

/* An endpoint with the MAC of that address came after it was shown. */
static void shown_before_b_came(void)
{
	bind_at(LL6_B, MAC_A, 0, 1);
}

static void no_members(void)
{
	lab_clear(M_GROUPS);
}

static void answers_hear(void)
{
	b_has_it();
	no_members();
}

static const struct binding_case cases[] = {
	{{"one of nobody's is bound", FROM_A(SHOWN), TO_B}, SHOWN, MAC_A},
	{{"one's own goes on", FROM_A(SHOWN), TO_B, .setup = a_has_it}, SHOWN, MAC_A},
	{{"a neighbour's, however long it sleeps", FROM_A(SHOWN), SPOOFED_IP, .setup = b_has_it},
	 SHOWN,
	 MAC_B},
	{{"a remote one's", FROM_A(SHOWN), SPOOFED_IP, .setup = c_has_it}, SHOWN, MAC_C},
	{{"one that is listed by now", FROM_A(SHOWN), SPOOFED_IP, .setup = b_lists_it}},
	{{"one made from a neighbour's MAC", FROM_A(LL6_B), SPOOFED_IP,
	  .setup = shown_before_b_came}},
	{{"the gateway's", FROM_A("fe80::ff:fe00:fe"), SPOOFED_IP}, "fe80::ff:fe00:fe", NULL},
	{{"the link-local address of the DNS service", FROM_A("fe80::74:73ff:fe77:a9fd"),
	  SPOOFED_IP},
	 "fe80::74:73ff:fe77:a9fd",
	 NULL},
	{{"one that blue alone has", FROM_A(SHOWN), TO_B, .setup = blues_b_has_it}, SHOWN, MAC_A},
	{{"one made from nobody's MAC", FROM_A("fe80::ff:fe00:77"), TO_B},
	 "fe80::ff:fe00:77",
	 MAC_A},
	{{"no listed addresses, of nobody", FROM_N(SHOWN), TO_B}, SHOWN, MAC_N},
	{{"no listed addresses, a neighbour's", FROM_N(SHOWN), SPOOFED_IP, .setup = b_has_it},
	 SHOWN,
	 MAC_B},
	{{"a fifth one takes the place of the longest unused", FROM_A(SHOWN), TO_B,
	  .setup = a_has_four},
	 SHOWN,
	 MAC_A},
	{{"which is nobody's then", FROM_A(SHOWN), TO_B, .setup = a_has_four}, "fe80::3", NULL},
	{{"and the others stay", FROM_A(SHOWN), TO_B, .setup = a_has_four}, "fe80::4", MAC_A},

	{{"router solicitation", .in = {ASKS(133, SHOWN)}, .setup = no_members}, SHOWN, MAC_A},
	{{"MLD report", .in = {ASKS(143, SHOWN)}, .setup = no_members}, SHOWN, MAC_A},
	{{"MLD report from a neighbour's", .in = {ASKS(143, SHOWN)}, SPOOFED_IP, .setup = b_has_it},
	 SHOWN,
	 MAC_B},
	{{"is it taken? no", .in = {DAD(SHOWN)}, .setup = no_members}, SHOWN, MAC_A},
	{{"is it taken? a global one of nobody", .in = {DAD("fd00::99")}, .setup = no_members},
	 "fd00::99",
	 NULL},
	{{"is it taken? by a neighbour", .in = {DAD(SHOWN)}, .setup = answers_hear,
	  .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED),
	  .out = &(const struct spec){ND, .icmp_type = 136, .src = MAC_B, .dst = "33:33:00:00:00:01",
				      .from = SHOWN, .to = "ff02::1", .target = SHOWN,
				      .rest = "20000000", .tail = "020102000000000b"}},
	 SHOWN,
	 MAC_B},
	{{"advertisement", .in = {ADVERT(SHOWN)}, .setup = no_members}, SHOWN, MAC_A},
	{{"advertisement of a neighbour's, from an own address", SPOOFED_IP, .setup = b_has_it,
	  .in = {ADVERT(SHOWN), .from = LL6_A}},
	 SHOWN,
	 MAC_B},
	{{"advertisement of one more, from an own address", .setup = no_members,
	  .in = {ADVERT(SHOWN), .from = LL6_A}},
	 SHOWN,
	 MAC_A},

	{{"another host's endpoint shows one", GOT(SHOWN)}, SHOWN, MAC_C},
	{{"and goes on", GOT(SHOWN), .setup = c_has_it}, SHOWN, MAC_C},
	{{"one that an endpoint has here", HOST2_SENDS(SHOWN), SPOOFED_IP, .setup = b_has_it},
	 SHOWN,
	 MAC_B},
	{{"one made from a MAC here", HOST2_SENDS(LL6_B), SPOOFED_IP}, LL6_B, NULL},
	{{"its own, made from its MAC", GOT(LL6_C)}, LL6_C, NULL},
};

static void becomes(void **state)
{
	const struct binding_case *row = *state;

	packet_check(&row->c);
}

/* The same once more, for packet_check() puts the maps right. */
static void is_then_of(void **state)
{
	const struct binding_case *row = *state;
	const struct packet_case *c = &row->c;
	struct __sk_buff ctx = {.ifindex = c->dev		     ? c->dev
					   : c->program == FROM_WIRE ? WIRE
								     : RED_A};
	struct tsw_addr_key key;
	struct tsw_binding now = {};
	struct packet_run run = {};
	struct frame in = {};
	__u8 mac[6] = {};
	int err, missing;

	if (!row->ip)
		return;
	key = key_of(row->ip);
	frame_build(&c->in, &in);
	if (c->setup)
		c->setup();
	err = packet_run(c->program, &in, &ctx, &run);
	missing = bpf_map_lookup_elem(lab_map(M_BINDINGS), &key, &now);
	lab_fill();
	assert_int_equal(err, 0);
	if (row->mac)
		frame_mac(mac, row->mac);
	assert_int_equal(!missing, !!row->mac);
	assert_memory_equal(now.mac.b, mac, sizeof(mac));
}

static void send_from(const char *ip)
{
	const struct spec spec = {.from = ip, .to = LL6_B};
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run run;
	struct frame in;

	frame_build(&spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
}

static bool is_bound(const char *ip)
{
	const struct tsw_addr_key key = key_of(ip);
	struct tsw_binding binding;

	return !bpf_map_lookup_elem(lab_map(M_BINDINGS), &key, &binding);
}

/* The oldest one is in use again, so the next oldest makes room. */
static void stays_in_use(void **state)
{
	bool used, unused;

	(void)state;
	a_has_four();
	send_from("fe80::3");
	send_from(SHOWN);
	used = is_bound("fe80::3");
	unused = is_bound("fe80::4");
	lab_fill();
	assert_true(used);
	assert_false(unused);
}

/* Whatever one endpoint shows, it has no more entries than its places. */
static void takes_four(void **state)
{
	struct tsw_addr_key key, next;
	char ip[32];
	int n = 0;

	(void)state;
	for (int i = 1; i <= 1000; i++) {
		snprintf(ip, sizeof(ip), "fe80::%x:1", i);
		send_from(ip);
	}
	for (void *from = NULL; !bpf_map_get_next_key(lab_map(M_BINDINGS), from, &next); n++) {
		key = next;
		from = &key;
	}
	lab_fill();
	assert_int_equal(n, TSW_BINDINGS);
}

int main(void)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(becomes),
						   cmocka_unit_test(is_then_of)};
	static const struct CMUnitTest more[] = {cmocka_unit_test(stays_in_use),
						 cmocka_unit_test(takes_four)};
	const struct packet_matrix matrix = {.name = "binding",
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = COUNT(cases)};
	const struct packet_suite suite = {
		.name = "binding", .more = more, .more_count = COUNT(more)};

	return packet_main_matrix(&matrix) ?: packet_main(&suite);
}
