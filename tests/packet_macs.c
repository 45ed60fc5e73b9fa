// SPDX-License-Identifier: GPL-2.0-only
/* MACs behind a port: what may leave from them, how it leaves, and what finds its way back. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "macs_case.h"

#define MAC_VRRP "00:00:5e:00:01:33"
#define LISTED 64 /* addresses of an endpoint, at most */
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
/* To one MAC, for an address of nobody, so that it goes on to B. */
#define NS ND, .icmp_type = 135, .rest = "00000000", .dst = MAC_B, .to = IP6_B, .target = "fd00::99"

static void full(void)
{
	lab_macs_full(1);
}

static void silent(void)
{
	lab_macs_full(301);
}

static void almost_silent(void)
{
	lab_macs_full(295);
}

static void full_of_three(void)
{
	full();
	lab_macs_may(3);
}

static void fewer(void)
{
	full();
	lab_macs_may(1);
}

/* The endpoint's MAC is being changed: I is its old one, or its new one. */
static void is_a_by_now(void)
{
	lab_macs_may_two();
	lab_fdb(RED, MAC_I, TSW_PLACE_PORT, RED_A);
	lab_addr(RED, IP6_I, MAC_I);
}

static void is_a_and_full(void)
{
	full();
	lab_fdb(RED, MAC_K, TSW_PLACE_PORT, RED_A);
}

/* Of a remote endpoint whose host has the port's number. */
static void is_elsewhere(void)
{
	lab_macs_may_two();
	lab_fdb(RED, MAC_I, TSW_PLACE_HOST, RED_A);
}

static void flag_alone(void)
{
	lab_macs_may_two();
	lab_clear(M_MACS);
}

static const struct macs_case cases[] = {
	{{"without the word", .in = {.src = MAC_I}, SPOOFED_MAC}},
	{{"by the port alone", .in = {.src = MAC_I}, SPOOFED_MAC, .setup = flag_alone}},
	{{"from one behind the port", .in = {.src = MAC_I, .from = IP_I}, TO_B,
	  .setup = lab_macs_may_two, OUT{.from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"by IPv6", .in = {.src = MAC_I, .from = IP6_I, .to = IP6_B}, TO_B,
	  .setup = lab_macs_may_two, OUT{.from = IP6_I, .to = IP6_B}},
	 IP6_I,
	 MAC_I},
	{{"another protocol", .in = {.src = MAC_I, .kind = KIND_RAW, .type = 0x8137, .payload = 40},
	  TO_B, .setup = lab_macs_may_two, OUT{.kind = KIND_RAW, .type = 0x8137, .payload = 40}}},
	{{"from its own", .in = {}, TO_B, .setup = lab_macs_may_two}, IP_A, MAC_A},
	{{"from a virtual router", .in = {.src = MAC_VRRP, .from = IP_I}, TO_B,
	  .setup = lab_macs_may_two, OUT{.from = IP_I}},
	 IP_I,
	 MAC_VRRP},

	{{"from a place", .in = {.src = MAC_J}, TO_B, .setup = full, OUT{}}, IP_A, MAC_J},
	{{"one too many", .in = {.src = MAC_K}, SPOOFED_MAC, .setup = full}, IP_A, NULL},
	{{"one more is allowed", .in = {.src = MAC_K}, TO_B, .setup = full_of_three, OUT{}},
	 IP_A,
	 MAC_K},
	{{"fewer are allowed by now", .in = {.src = MAC_J}, SPOOFED_MAC, .setup = fewer}},
	{{"a silent one makes room", .in = {.src = MAC_K}, TO_B, .setup = silent, OUT{}},
	 IP_A,
	 MAC_K},
	{{"after 300 seconds only", .in = {.src = MAC_K}, SPOOFED_MAC, .setup = almost_silent}},
	{{"a neighbour's", .in = {.src = MAC_B}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"a remote endpoint's", .in = {.src = MAC_C, .from = IP_A}, SPOOFED_MAC,
	  .setup = lab_macs_may_two}},
	{{"the old MAC during a change", .in = {.src = MAC_I, .from = IP_I}, TO_B,
	  .setup = is_a_by_now, OUT{.from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"an address that has the new MAC", .in = {.from = IP6_I, .to = IP6_B}, TO_B,
	  .setup = is_a_by_now}},
	{{"it needs a place", .in = {.src = MAC_K, .from = IP_I}, SPOOFED_MAC,
	  .setup = is_a_and_full}},
	{{"by the host's number", .in = {.src = MAC_I, .from = IP_I}, SPOOFED_MAC,
	  .setup = is_elsewhere}},
	{{"the gateway's", .in = {.src = MAC_G}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"the service's", .in = {.src = MAC_SERVICE}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"a group", .in = {.src = "03:00:00:00:00:01"}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"all", .in = {.src = MAC_BROADCAST}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"a bridge's group", .in = {.src = "01:80:c2:00:00:00"}, SPOOFED_MAC,
	  .setup = lab_macs_may_two}},
	{{"none", .in = {.src = MAC_NONE}, SPOOFED_MAC, .setup = lab_macs_may_two}},
	{{"to a bridge's group", .in = {.src = MAC_I, .dst = "01:80:c2:00:00:00"},
	  .drop = TSW_DROP_RESERVED_MULTICAST, .setup = lab_macs_may_two}},
	{{"to one behind the port", .in = {.src = MAC_I, .dst = MAC_J}, .setup = lab_macs_may_two,
	  .drop = TSW_DROP_UNKNOWN_DESTINATION}},
	{{"a neighbour's address", .in = {.src = MAC_I, .from = IP_B, .to = IP_C}, SPOOFED_IP,
	  .setup = lab_macs_may_two},
	 IP_B,
	 NULL},
	{{"nobody's address", .in = {.src = MAC_I, .from = IP_UNKNOWN}, SPOOFED_IP,
	  .setup = lab_macs_may_two},
	 IP_UNKNOWN,
	 NULL},
	{{"no address", .in = {.src = MAC_I, .from = "0.0.0.0"}, SPOOFED_IP,
	  .setup = lab_macs_may_two},
	 "0.0.0.0",
	 NULL},
	{{"a mapped address", .in = {.src = MAC_I, .from = "::ffff:10.0.0.1", .to = IP6_B},
	  SPOOFED_IP, .setup = lab_macs_may_two},
	 IP_A,
	 NULL},

	{{"ARP reply", .in = {REPLY, .src = MAC_I, .from = IP_I}, TO_B, .setup = lab_macs_may_two,
	  OUT{REPLY, .from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"announcement to one", .in = {REPLY, .src = MAC_I, .from = IP_I, .tha = MAC_I}, TO_B,
	  .setup = lab_macs_may_two, OUT{REPLY, .from = IP_I, .tha = MAC_A}},
	 IP_I,
	 MAC_I},
	{{"ARP moves an address", .in = {REPLY, .src = MAC_J, .from = IP_I}, TO_B,
	  .setup = lab_macs_i_has_it, OUT{REPLY, .from = IP_I}},
	 IP_I,
	 MAC_J},
	{{"to the endpoint itself, too", .in = {REPLY, .from = IP_I}, TO_B,
	  .setup = lab_macs_i_has_it},
	 IP_I,
	 MAC_A},
	{{"IP alone does not", .in = {.src = MAC_J, .from = IP_I}, TO_B, .setup = lab_macs_i_has_it,
	  OUT{.from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"ARP with the endpoint's MAC in it",
	  .in = {REPLY, .src = MAC_I, .sha = MAC_A, .from = IP_I}, TO_B, .setup = lab_macs_may_two,
	  OUT{REPLY, .from = IP_I}}},
	{{"ARP with a third MAC in it", .in = {REPLY, .src = MAC_I, .sha = MAC_J}, SPOOFED_MAC,
	  .setup = lab_macs_may_two}},
	{{"ARP, a neighbour's address", .in = {REPLY, .src = MAC_I, .from = IP_B, .to = IP_C},
	  SPOOFED_IP, .setup = lab_macs_may_two},
	 IP_B,
	 NULL},
	{{"ARP, cut off", .in = {REPLY, .src = MAC_I, .cut = 1}, .drop = TSW_DROP_TRUNCATED,
	  .setup = lab_macs_may_two}},
	{{"ARP request is answered", .in = {ARP, .src = MAC_I, .from = IP_I}, ANSWERED,
	  .setup = lab_macs_may_two,
	  OUT{ARP, .op = 2, .src = MAC_B, .from = IP_B, .dst = MAC_I, .to = IP_I, .tha = MAC_I}},
	 IP_I,
	 MAC_I},

	{{"NS", .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_I}, TO_B,
	  .setup = lab_macs_may_two, OUT{NS, .from = IP6_I, .tail = "0101" HEX_A}},
	 IP6_I,
	 MAC_I},
	{{"NS with more options", .setup = lab_macs_may_two, TO_B,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0e01 112233445566 0101" HEX_I},
	  OUT{NS, .from = IP6_I, .tail = "0e01 112233445566 0101" HEX_A}}},
	{{"NS with an option of no length", .setup = lab_macs_may_two, .drop = TSW_DROP_TRUNCATED,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0100 112233445566 0101" HEX_I}}},
	{{"NS with a neighbour's MAC in it", .setup = lab_macs_may_two, SPOOFED_MAC,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_B}}},
	{{"NS behind an extension header", .setup = lab_macs_may_two, SPOOFED_MAC,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_I, .next = 0,
		 .ext = "3a00010400000000"}}},
	{{"NA", .in = {NA, .src = MAC_I, .from = IP6_A, .tail = "0201" HEX_I}, TO_B,
	  .setup = lab_macs_may_two, OUT{NA, .from = IP6_A, .tail = "0201" HEX_A}},
	 IP6_I,
	 MAC_I},
	{{"NA moves an address",
	  .in = {NA, .src = MAC_J, .from = IP6_I, .tail = "0201 020000001102"}, TO_B,
	  .setup = lab_macs_i_has_it, OUT{NA, .from = IP6_I, .tail = "0201" HEX_A}},
	 IP6_I,
	 MAC_J},
	{{"NA of a neighbour's", .setup = lab_macs_may_two, SPOOFED_IP,
	  .in = {NA, .src = MAC_I, .from = IP6_A, .target = IP6_C, .tail = "0201" HEX_I}},
	 IP6_C,
	 NULL},
	{{"NS is answered", .setup = lab_macs_may_two, ANSWERED,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .target = IP6_B, .tail = "0101" HEX_I},
	  OUT{ND, .icmp_type = 136, .rest = "60000000", .src = MAC_B, .dst = MAC_I, .from = IP6_B,
	      .to = IP6_I, .target = IP6_B, .tail = "0201" HEX_B}}},
};

/* Whatever a port sends, it has no more places than N, and others have theirs. */
static void takes_its_places(void **state)
{
	struct tsw_fdb_key key, next;
	struct tsw_inner inner;
	char mac[32];
	int used = 0, entries = 0;

	(void)state;
	lab_macs_may_two();
	for (int i = 0; i < 2000; i++) {
		snprintf(mac, sizeof(mac), "02:00:00:01:%02x:%02x", i >> 8, i & 255);
		lab_macs_send(mac, &(const struct spec){});
	}
	inner = lab_macs();
	for (void *from = NULL; !bpf_map_get_next_key(lab_map(M_INNER), from, &next); entries++) {
		key = next;
		from = &key;
	}
	lab_fill();
	for (int i = 0; i < TSW_MACS; i++)
		used += inner.mac[i].seen != 0;
	assert_int_equal(used, 2);
	assert_int_equal(entries, 1);
}

/* All addresses that an endpoint may list are known at once. */
static void knows_all_addresses(void **state)
{
	struct tsw_inner inner;
	char ip[32];
	int known = 0;

	(void)state;
	lab_macs_may_two();
	for (int i = 1; i <= LISTED; i++) {
		snprintf(ip, sizeof(ip), "10.0.1.%d", i);
		lab_addr(RED, ip, MAC_A);
		lab_macs_send(MAC_I, &(const struct spec){.from = ip});
	}
	inner = lab_macs();
	lab_fill();
	for (int i = 1; i <= LISTED; i++) {
		snprintf(ip, sizeof(ip), "10.0.1.%d", i);
		known += !!lab_macs_find(&inner, ip);
	}
	assert_int_equal(known, LISTED);
}

int main(void)
{
	static const struct CMUnitTest more[] = {cmocka_unit_test(takes_its_places),
						 cmocka_unit_test(knows_all_addresses)};
	const struct packet_suite suite = {.name = "macs", .more = more, .more_count = COUNT(more)};

	return macs_main("macs", cases, COUNT(cases)) ?: packet_main(&suite);
}
