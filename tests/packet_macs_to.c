// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames to what is behind a port (bpf/core/inner.h): they get its own MAC, and the switch asks who
 * has an address (bpf/port/macs_ask.h).
 */
#include <string.h>

#include "macs_case.h"

/* An answer to its question. */
#define TELLS_SWITCH \
	.kind = KIND_ARP, .op = 2, .dst = MAC_SERVICE, .to = "0.0.0.0", .tha = MAC_SERVICE
#define LL6_SERVICE "fe80::74:73ff:fe77:a9fd"
#define NS_SWITCH                                                                        \
	ND, .icmp_type = 135, .rest = "00000000", .dst = MAC_SERVICE, .to = IP6_SERVICE, \
	    .target = IP6_SERVICE
/* From B, and from C on host 2, to what is behind A. */
#define FROM_B .dev = RED_B, .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(LOCAL)
#define B_SENDS(ip) .src = MAC_B, .from = ip
#define C_SENDS(to_) .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = to_
#define FROM_C \
	.program = FROM_WIRE, .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(RX), .host = HOST2
/* The switch asks behind the port who has it. */
#define ASKS4(ip) \
	ARP, .src = MAC_SERVICE, .dst = MAC_BROADCAST, .from = "0.0.0.0", .to = ip, .tha = MAC_NONE
#define ASKS6                                                                                     \
	ND, .icmp_type = 135, .rest = "00000000", .src = MAC_SERVICE, .dst = "33:33:ff:00:00:11", \
	    .from = LL6_SERVICE, .to = "ff02::1:ff00:11", .target = IP6_I,                        \
	    .tail = "0101 02747377a9fd"

static const struct outer host2 = {FROM_HOST2};

static void full(void)
{
	lab_macs_full(1);
}

static void a_itself_has_it(void)
{
	lab_macs_may_two();
	lab_macs_send(MAC_A, &(const struct spec){.from = IP_I});
}

static void two_and_answers(void)
{
	lab_macs_may_two();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
}

/* So A was asked who has it. */
static void b_asked_for_it(void)
{
	struct __sk_buff ctx = {.ifindex = RED_B};
	const struct spec spec = {.src = MAC_B, .from = IP_B, .dst = MAC_A, .to = IP_I};
	struct packet_run run;
	struct frame in;

	lab_macs_may_two();
	frame_build(&spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
}

/* A's MAC is being changed to I: neighbours learn I, which the port does not have yet. */
static void a_becomes_i(void)
{
	a_itself_has_it();
	lab_fdb(RED, MAC_I, TSW_PLACE_PORT, RED_A);
	lab_addr(RED, IP_I, MAC_I);
	lab_addr(RED, IP6_I, MAC_I);
}

/* I was silent for so long, and has the address. */
static void i_had_it(__u64 ago)
{
	struct tsw_inner inner;

	lab_macs_i_has_it();
	inner = lab_macs();
	for (int i = 0; i < TSW_INNER_ADDRS; i++)
		inner.addr[i].seen = lab_seconds_ago(ago);
	lab_set(M_INNER, lab_macs_key(), &inner);
}

static void i_had_it_lately(void)
{
	i_had_it(28);
}

static void i_had_it_once(void)
{
	i_had_it(31);
}

/* A may announce IP_I, which B has. */
static void a_vip_of_b(void)
{
	struct tsw_addr_key key = {.tenant = RED};
	struct tsw_addr_owner owner = {.kind = TSW_ADDR_VIP};
	struct tsw_vips vips = {};
	struct tsw_taken taken = {};

	lab_macs_may_two();
	frame_ip((__u8 *)&vips.addr[0], IP_I);
	key.addr = vips.addr[0];
	frame_mac(owner.mac.b, MAC_B);
	frame_mac((__u8 *)&taken.mac, MAC_B);
	lab_set(M_VIPS, lab_macs_key(), &vips);
	lab_set(M_ADDRS, &key, &owner);
	lab_set(M_TAKEN, &key, &taken);
	lab_port_flag(RED, MAC_A, TSW_PORT_VIP);
	lab_gateway(RED, 0, 0, 0);
}

static void another_tenants(void)
{
	lab_macs_i_has_it();
	lab_addr(BLUE, IP_I, MAC_A);
}

static const struct macs_case cases[] = {
	{{"back from a neighbour", .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, FROM_B,
	  .setup = lab_macs_i_has_it, OUT{B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}}},
	{{"back by IPv6", .in = {B_SENDS(IP6_B), .dst = MAC_A, .to = IP6_I}, FROM_B,
	  .setup = lab_macs_i_has_it, OUT{B_SENDS(IP6_B), .dst = MAC_I, .to = IP6_I}}},
	{{"back by ARP", .in = {REPLY, B_SENDS(IP_B), .dst = MAC_A, .to = IP_I, .tha = MAC_A},
	  FROM_B, .setup = lab_macs_i_has_it,
	  OUT{REPLY, B_SENDS(IP_B), .dst = MAC_I, .to = IP_I, .tha = MAC_I}}},
	{{"back to the endpoint itself", .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, FROM_B,
	  .setup = a_itself_has_it}},
	{{"during a change of its MAC", .in = {B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}, FROM_B,
	  .setup = a_becomes_i, OUT{B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
	{{"one that is not known then is asked for", FROM_B, .setup = a_becomes_i,
	  .in = {B_SENDS(IP6_B), .dst = MAC_I, .to = IP6_I}, OUT{ASKS6}}},
	{{"one that is not known is asked for", FROM_B, .setup = lab_macs_may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, OUT{ASKS4(IP_I)}}},
	{{"by IPv6", FROM_B, .setup = lab_macs_may_two,
	  .in = {B_SENDS(IP6_B), .dst = MAC_A, .to = IP6_I}, OUT{ASKS6}}},
	{{"not again for each frame", FROM_B, .setup = b_asked_for_it,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
	{{"one that was silent for less than 30 seconds is not", FROM_B, .setup = i_had_it_lately,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I},
	  OUT{B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}}},
	{{"one that was silent for longer is", FROM_B, .setup = i_had_it_once,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, OUT{ASKS4(IP_I)}}},
	{{"an address that A has not is not asked for", FROM_B, .setup = lab_macs_may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_UNKNOWN}}},
	{{"nor a neighbour's", FROM_B, .setup = lab_macs_may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_C}}},
	{{"the answer is taken", .in = {TELLS_SWITCH, .src = MAC_I, .from = IP_I},
	  .setup = lab_macs_may_two},
	 IP_I,
	 MAC_I},
	{{"a question to the switch's own address is answered", ANSWERED, .setup = two_and_answers,
	  .in = {ARP, .src = MAC_I, .from = IP_I, .dst = MAC_SERVICE, .to = IP_SERVICE},
	  OUT{ARP, .op = 2, .src = MAC_SERVICE, .from = IP_SERVICE, .dst = MAC_I, .to = IP_I,
	      .tha = MAC_I}},
	 IP_I,
	 MAC_I},
	{{"by IPv6, too", ANSWERED, .setup = two_and_answers,
	  .in = {NS_SWITCH, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_I},
	  OUT{ND, .icmp_type = 136, .rest = "60000000", .src = MAC_SERVICE, .dst = MAC_I,
	      .from = IP6_SERVICE, .to = IP6_I, .target = IP6_SERVICE, .tail = "0201 02747377a9fd"}},
	 IP6_I,
	 MAC_I},
	{{"a question for the asker's own address is taken", .setup = lab_macs_may_two,
	  .in = {NS_SWITCH, .target = LL6_SERVICE, .src = MAC_I, .from = IP6_I,
		 .tail = "0101" HEX_I}},
	 IP6_I,
	 MAC_I},
	{{"an advertisement to the switch is taken", .setup = two_and_answers,
	  .in = {NA, .src = MAC_I, .dst = MAC_SERVICE, .from = IP6_I, .tail = "0201" HEX_I}},
	 IP6_I,
	 MAC_I},
	{{"an answer with a neighbour's address is not", SPOOFED_IP, .setup = lab_macs_may_two,
	  .in = {TELLS_SWITCH, .src = MAC_I, .from = IP_B}},
	 IP_B,
	 NULL},
	{{"an answer from a MAC without a place is not", SPOOFED_MAC, .setup = full,
	  .in = {TELLS_SWITCH, .src = MAC_K, .from = IP_I}},
	 IP_I,
	 NULL},
	{{"to the switch's MAC goes nothing else",
	  .in = {.src = MAC_I, .from = IP_I, .dst = MAC_SERVICE}, .setup = lab_macs_may_two,
	  .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 IP_I,
	 MAC_I},
	{{"an announcement of a vip", .setup = a_vip_of_b,
	  .in = {ARP, .src = MAC_I, .from = IP_I, .to = IP_I, .dst = MAC_BROADCAST},
	  OUT{ARP, .from = IP_I, .to = IP_I, .dst = MAC_BROADCAST}},
	 IP_I,
	 MAC_I},
	{{"to an inner MAC", .in = {B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}, .dev = RED_B,
	  .setup = lab_macs_i_has_it, .drop = TSW_DROP_UNKNOWN_DESTINATION}},
	{{"back from another host", FROM_C, .in = {C_SENDS(IP_I), .outer = &host2},
	  .setup = lab_macs_i_has_it, OUT{C_SENDS(IP_I), .dst = MAC_I}}},
	{{"blue's has none behind it", .dev = BLUE_B, .verdict = REDIRECTED, .to = BLUE_A,
	  .moves = MOVE(LOCAL), .tenant = BLUE, .setup = another_tenants,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
};

int main(void)
{
	return macs_main("macs_to", cases, COUNT(cases));
}
