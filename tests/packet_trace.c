// SPDX-License-Identifier: GPL-2.0-only
/*
 * `trace` explains what becomes of a frame apart from the programs, and both must come to the same
 * end: here for thousands of frames drawn from what makes a difference, in each of many states.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab_macs.h"
#include "lab_vip.h"
#include "packet.h"
#include "trace_lab.h"

/* For each state; an emulated machine (TSW_SLOW) is given few, the programs being the same. */
enum { DRAWS = 500, DRAWS_SLOW = 40 };

#define PEER_NET "10.9.0.0"
#define IN_PEER "10.9.0.1"

struct sender {
	__u32 tenant, ifindex, host;
	const char *mac, *ip, *ip6;
};

/* Further addresses behind A, where it has `macs N`. */
#define IP_J "10.0.0.12"
#define IP6_J "fd00::12"

#define SHOWN_A "fe80::a:1"
#define SHOWN_C "fe80::c:1"

static const struct sender senders[] = {
	{RED, RED_A, 0, MAC_A, IP_A, IP6_A},
	{RED, RED_A, 0, MAC_A, IP_A, IP6_A},
	{RED, RED_N, 0, MAC_N, IP_N, IP6_N},
	{RED, RED_N, 0, MAC_N, IP_N, IP6_N},
	{BLUE, BLUE_A, 0, MAC_A, IP_A, IP6_A},
	{GREEN, GREEN_A, 0, MAC_A, IP_A, IP6_A},
	{RED, RED_N, 0, MAC_N, IP_SERVICE, IP6_SERVICE},
	{VIOLET, VIOLET_A, 0, MAC_A, IP_A, IP6_A},
	{RED, WIRE, HOST2, MAC_C, IP_C, IP6_C},
	{RED, RED_A, 0, MAC_A, IP_A, SHOWN_A},
	{RED, WIRE, HOST2, MAC_C, IP_C, SHOWN_C},
	{RED, WIRE, HOST3, MAC_D, IP_D, IP6_D},
	{GREEN, WIRE, HOST4, MAC_E, IP_E, IP6_E},
	{VIOLET, WIRE, HOST4, MAC_E, IP_E, IP6_E},
};

/* In states in which A has `macs N`, half of the frames are from these. */
static const struct sender inner_senders[] = {
	{RED, RED_A, 0, MAC_I, IP_I, IP6_I}, {RED, RED_A, 0, MAC_I, IP_I, IP6_I},
	{RED, RED_A, 0, MAC_J, IP_J, IP6_J}, {RED, RED_A, 0, MAC_K, IP_J, IP6_I},
	{RED, RED_A, 0, MAC_A, IP_A, IP6_A}, {RED, RED_A, 0, MAC_B, IP_I, IP6_I},
};

static const char *const inner_ips[] = {IP_I, IP_J, IP_A}, *const inner_ips6[] = {IP6_I, IP6_J,
										  IP6_A};

static const char *const macs[] = {
	MAC_A,	      MAC_B,	     MAC_B,	  MAC_C,	   MAC_D,
	MAC_E,	      MAC_F,	     MAC_G,	  MAC_G,	   MAC_G,
	MAC_G,	      MAC_N,	     MAC_UNKNOWN, MAC_ON_NO_ROUTE, MAC_ON_SILENT,
	MAC_ON_STRAY, MAC_ON_ROUTED, MAC_ON_GONE, MAC_SERVICE,	   "01:80:c2:00:00:00"};

static const char *const ips[] = {IP_A,	       IP_B,	    IP_C,	   IP_D,
				  IP_G,	       IP_N,	    IP_WORLD,	   IP_WORLD,
				  IP_WORLD,    IP_UNKNOWN,  IP_HOST2,	   "0.0.0.0",
				  "127.0.0.1", "224.0.0.9", "169.254.1.1", "255.255.255.255",
				  IN_PEER,     IN_PEER,	    IP_SERVICE};

static const char *const ips6[] = {IP6_A,      IP6_B,	   IP6_C,	IP6_D,	   IP6_G,
				   IP6_N,      IP6_WORLD,  IP6_WORLD,	IP6_WORLD, LL6_A,
				   "fd00::99", IP6_HOST2,  "::1",	"::",	   "ff02::9",
				   LL6_C,      "fe80::99", IP6_SERVICE, SHOWN_A,   SHOWN_C};

static const __u32 lengths[] = {0,    0,    0,	 INNER_MTU, INNER_MTU + 1, INNER_MTU_V6 + 1,
				1300, 1301, 1600};

static void usual(void)
{
}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, 0, 0);
}

static void moved_here(void)
{
	lab_gateway(RED, 0, HOST2, 100);
}

static void moved_away(void)
{
	lab_gateway(RED, HOST3, 0, 100);
}

static void moved_between(void)
{
	lab_gateway(RED, HOST3, HOST2, 100);
}

static void everywhere(void)
{
	lab_gateway_flags(RED, TSW_GATEWAY_ALL | TSW_GATEWAY_FLOWS);
}

static void was_everywhere(void)
{
	lab_gateway(RED, HOST2, 0, 100);
	lab_gateway_flags(RED, TSW_GATEWAY_WAS_ALL);
}

static void no_gateway(void)
{
	lab_gateway_unset(RED);
}

static void mark_of_blue(void)
{
	lab_mark(1, BLUE, 0);
}

static void small(void)
{
	lab_tenant(RED, 1300, 0);
}

static void b_is_gone(void)
{
	__u32 port = RED_B;

	lab_unset(M_DEVICES, &port);
}

static void b_is_blues(void)
{
	lab_port(RED_B, BLUE, MAC_B, TSW_PORT_GUARD_IP);
}

static void door_is_gone(void)
{
	__u32 door = GW;

	lab_unset(M_DEVICES, &door);
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
	lab_config_gre(GRE4, GRE6);
	lab_config_geneve(GNV);
}

static void half_a_peering(void)
{
	lab_peer(RED, PEER_NET, 16, BLUE, 7);
}

static void peering(void)
{
	lab_peer(RED, PEER_NET, 16, BLUE, 7);
	lab_peer(BLUE, IP_A, 32, RED, 8);
	lab_mark(7, RED, BLUE);
	lab_mark(8, BLUE, RED);
}

static void limited(void)
{
	lab_limit(RED, MAC_A, TSW_RATE_OUT, 8, 0);
}

static void limited_in(void)
{
	lab_limit(RED, MAC_B, TSW_RATE_IN, 8, 0);
}

static void b_is_link_local(void)
{
	lab_addr(RED, "169.254.1.1", MAC_B);
	lab_addr(RED, "fe80::99", MAC_B);
}

static void show(const char *ip, const char *mac)
{
	struct tsw_addr_key key = {.tenant = RED};
	struct tsw_binding binding = {.used = ~0ULL >> 1};

	frame_ip((__u8 *)&key.addr, ip);
	frame_mac(binding.mac.b, mac);
	lab_set(M_BINDINGS, &key, &binding);
}

static void a_and_c_show(void)
{
	show(SHOWN_A, MAC_A);
	show(SHOWN_C, MAC_C);
}

static void c_is_elsewhere(void)
{
	lab_fdb(RED, MAC_C, TSW_PLACE_HOST, HOST3);
}

static void answers(void)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
}

static void has_place(__u32 at, const char *mac)
{
	struct tsw_inner inner = lab_macs();

	inner.mac[at].seen = lab_seconds_ago(1);
	frame_mac(inner.mac[at].mac.b, mac);
	lab_set(M_INNER, lab_macs_key(), &inner);
}

/* The MAC shows that it has the address. */
static void has_address(const char *mac, const char *ip, const char *to)
{
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct packet_run run;
	struct frame in;

	frame_build(&(const struct spec){.src = mac, .from = ip, .to = to}, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
	assert_int_equal(run.verdict, TC_ACT_REDIRECT);
}

static void put_behind(const char *ip, __u32 len, const char *mac)
{
	struct tsw_prefix_key key = {.len = 32 + len, .of.tenant = RED};
	struct tsw_behind behind = {.len = (__u16)len};

	frame_ip((__u8 *)&key.of.addr, ip);
	frame_mac(behind.mac.b, mac);
	lab_set(M_PREFIXES, &key, &behind);
}

/* The longest ones that are here, so most addresses are behind an endpoint. */
static void behind_a_and_c(void)
{
	put_behind("0.0.0.0", 96 + 1, MAC_A);
	put_behind("192.0.0.0", 96 + 2, MAC_C);
	put_behind("fd00::", 16, MAC_A);
	put_behind("ff00::", 8, MAC_A);
	put_behind("2000::", 3, MAC_C);
}

static void macs_are_new(void)
{
	static const char *const listed[] = {IP_I, IP_J, IP6_I, IP6_J};
	const __u32 most = 2;

	lab_set(M_MACS, lab_macs_key(), &most);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
	for (size_t i = 0; i < COUNT(listed); i++)
		lab_addr(RED, listed[i], MAC_A);
}

static void macs_are_known(void)
{
	macs_are_new();
	has_place(0, MAC_I);
	has_place(1, MAC_J);
	has_address(MAC_A, IP_A, IP_B);
	has_address(MAC_A, IP6_A, IP6_B);
	has_address(MAC_I, IP_I, IP_B);
	has_address(MAC_I, IP6_I, IP6_B);
	has_address(MAC_J, IP_J, IP_B);
	has_address(MAC_J, IP6_J, IP6_B);
}

static void mac_changes(void)
{
	macs_are_known();
	lab_fdb(RED, MAC_I, TSW_PLACE_PORT, RED_A);
	lab_fdb(RED, MAC_K, TSW_PLACE_PORT, RED_A);
	lab_addr(RED, IP_I, MAC_I);
	lab_addr(RED, IP6_J, MAC_K);
}

static void macs_and_answers(void)
{
	macs_are_known();
	answers();
}

static void macs_and_a_gateway(void)
{
	macs_are_known();
	at_host2();
}

#define VIP IP_UNKNOWN
#define VIP6 "fd00::99"

/* A and C are members. MAC: who has the vips; NULL: nobody. */
static void vips_of(const char *mac)
{
	lab_vip(RED, VIP, mac);
	lab_vip(RED, VIP6, mac);
	lab_vip_member(RED, MAC_A, VIP, VIP6);
	lab_vip_member(RED, MAC_C, VIP, VIP6);
}

static void vips_of_nobody(void)
{
	vips_of(NULL);
}

static void vips_of_nobody_far(void)
{
	vips_of(NULL);
	at_host2();
	lab_broadcast_off(RED);
}

static void vips_of_a(void)
{
	vips_of(MAC_A);
	lab_broadcast_off(RED);
}

static void vips_of_c(void)
{
	vips_of(MAC_C);
}

static const struct state {
	const char *name;
	void (*make)(void);
	bool inner, vip;
} states[] = {
	{"as in the picture", usual},
	{"gateway at another host", at_host2},
	{"gateway moved here", moved_here},
	{"gateway moved away", moved_away},
	{"gateway moved between others", moved_between},
	{"gateway on every host", everywhere},
	{"gateway was on every host", was_everywhere},
	{"no gateway", no_gateway},
	{"no tsw-gw", lab_no_door},
	{"tsw-gw is gone", door_is_gone},
	{"the index is another's", mark_of_blue},
	{"a tenant's own MTU", small},
	{"a device is gone", b_is_gone},
	{"a port is another's", b_is_blues},
	{"the kernel's tunnel devices", slow_path},
	{"half a peering", half_a_peering},
	{"a peering", peering},
	{"too fast", limited},
	{"too fast for its receiver", limited_in},
	{"link-local addresses are listed", b_is_link_local},
	{"link-local addresses are shown", a_and_c_show},
	{"an endpoint moved", c_is_elsewhere},
	{"the switch answers", answers},
	{"networks behind endpoints", behind_a_and_c},
	{"MACs behind a port", macs_are_known, true},
	{"the switch answers what is behind a port", macs_and_answers, true},
	{"MACs behind a port, the gateway elsewhere", macs_and_a_gateway, true},
	{"MACs behind a port that nobody knows", macs_are_new, true},
	{"an endpoint's MAC is being changed", mac_changes, true},
	{"vips that nobody has", vips_of_nobody, .vip = true},
	{"vips that nobody has, broadcast off", vips_of_nobody_far, .vip = true},
	{"vips of an endpoint here", vips_of_a, .vip = true},
	{"vips of another host's endpoint", vips_of_c, .vip = true},
};

#define DRAW(list) (list)[rand_r(seed) % COUNT(list)]

static struct trace_try draw(const struct state *s, unsigned int *seed)
{
	const bool behind = s->inner && rand_r(seed) % 2, to = s->inner && rand_r(seed) % 4 == 0;
	const struct sender *from = behind ? &DRAW(inner_senders) : &DRAW(senders);
	const bool six = rand_r(seed) % 2;
	const bool honest = rand_r(seed) % 4; /* most frames have their sender's addresses */
	static const enum trace_proto four_all[] = {TRACE_TCP, TRACE_UDP, TRACE_ICMP, TRACE_ARP,
						    TRACE_RAW},
				      six_all[] = {TRACE_TCP, TRACE_UDP, TRACE_ICMP, TRACE_ND};
	struct trace_try try = {
		.tenant = from->tenant,
		.ifindex = from->ifindex,
		.host = from->host,
		.own = from->mac,
		.proto = six ? DRAW(six_all) : DRAW(four_all),
		.src = honest || rand_r(seed) % 2 ? from->mac : DRAW(macs),
		.dst = DRAW(macs),
		.sip = six ? from->ip6 : from->ip,
		.dip = six ? DRAW(ips6) : DRAW(ips),
		.length = DRAW(lengths),
	};

	if (behind && rand_r(seed) % 4 == 0) {
		try.dst = MAC_SERVICE;
		try.dip = six ? IP6_SERVICE : IP_SERVICE;
	} else if (to) {
		try.dst = MAC_A;
		try.dip = six ? DRAW(inner_ips6) : DRAW(inner_ips);
	}
	if (!honest)
		try.sip = six ? DRAW(ips6) : DRAW(ips);
	if (s->vip && rand_r(seed) % 4 == 0)
		try.sip = six ? VIP6 : VIP;
	if (s->vip && rand_r(seed) % 4 == 0)
		try.dip = six ? VIP6 : VIP;
	if (s->vip && rand_r(seed) % 8 == 0)
		try.dst = six ? "33:33:ff:00:00:99" : "ff:ff:ff:ff:ff:ff";
	if (try.proto >= TRACE_ARP)
		try.length = 0;
	return try;
}

/* What a run could change: what is behind A's port, and who has the vips. */
struct changeable {
	struct tsw_inner inner;
	struct tsw_addr_owner owner[2];
	struct tsw_taken taken[2];
};

/* Without the times of what is behind A's port. */
static void look(struct changeable *now)
{
	struct tsw_inner *inner = &now->inner;

	memset(now, 0, sizeof(*now));
	bpf_map_lookup_elem(lab_map(M_INNER), lab_macs_key(), inner);
	for (int i = 0; i < TSW_MACS; i++)
		inner->mac[i].seen = 0;
	for (int i = 0; i < TSW_INNER_ADDRS; i++)
		inner->addr[i].seen = 0;
	memset(inner->asked, 0, sizeof(inner->asked));
	for (int i = 0; i < 2; i++) {
		const struct tsw_addr_key key = lab_vip_key(RED, i ? VIP6 : VIP);

		bpf_map_lookup_elem(lab_map(M_ADDRS), &key, &now->owner[i]);
		bpf_map_lookup_elem(lab_map(M_TAKEN), &key, &now->taken[i]);
	}
}

/* `trace` changes nothing. */
static bool is_as_it_was(const struct changeable *before)
{
	struct changeable now;

	look(&now);
	return !memcmp(&now, before, sizeof(now));
}

static void agree(void **state)
{
	const struct state *s = *state;
	const int draws = getenv("TSW_SLOW") ? DRAWS_SLOW : DRAWS;
	unsigned int seed = 7, wrong = 0;
	struct changeable before;
	struct trace_try try;
	char text[1024];

	trace_lab_open(lab_object(), lab_program(FROM_PORT), lab_program(FROM_WIRE));
	lab_fill();
	counts_clear();
	s->make();
	look(&before);
	/* What is noted in tsw_flows by one of them is there for those that follow. */
	for (int i = 0; i < draws; i++) {
		try = draw(s, &seed);
		if (trace_lab_agrees(&try, text, sizeof(text)) && is_as_it_was(&before))
			continue;
		fprintf(stderr, "# %s: tenant %u, host %u: %s\n", s->name, try.tenant, try.host,
			text);
		wrong++;
	}
	lab_fill();
	trace_lab_close();
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest checks[] = {cmocka_unit_test(agree)};

	return packet_main_matrix(&(const struct packet_matrix){
		"trace", checks, COUNT(checks), states, sizeof(states[0]), COUNT(states)});
}
