// SPDX-License-Identifier: GPL-2.0-only
/* Answers of red's own DHCPv6 server: each in, and what becomes of it. */
#include "relay6.h"

static const struct outer to_host2 = {}, host2 = {FROM_HOST2};

static const struct relay6_row rows[] = {
	{"the server's answer goes to the client", {SAYS, B, TO_A}, {ANSWER}, {REPLY}},
	{"its message before the Interface-ID",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) RELAYED_17(REPLY) INTERFACE(HEX_MAC_A)},
	 {REPLY}},
	{"other options, of odd lengths, around both",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) "00c80001aa" INTERFACE(
		 HEX_MAC_A) "00c9000301020300ca0000" RELAYED_17(REPLY) "00cb0005a1a2a3a4a5"},
	 {REPLY}},
	{"a long one, in three pieces",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "0009" LONG_LEN "07123456", LONG},
	 {"07123456", LONG}},
	{"a long one at an odd place",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) "00c80001aa"
				"0009" LONG_LEN "07123456",
	  LONG, INTERFACE(HEX_MAC_A)},
	 {"07123456", LONG}},
	{"one that moves up",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "00090004"
						     "07123456"},
	 {"07123456"}},
	{"behind a header of options",
	 {.dev = RED_B,
	  B,
	  TO_A,
	  .in = {.src = MAC_B,
		 .from = IP6_B,
		 .to = IP6_G,
		 .dst = MAC_G,
		 .next = 60,
		 .ext = "1100010400000000",
		 SAY_PORTS}},
	 {ANSWER},
	 {REPLY}},
	{"to a client's global address",
	 {SAYS, B, TO_A_AT(IP6_A)},
	 {BACK(HEX_G, HEX_A_GLOBAL) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)},
	 {REPLY}},
	{"to an address that no list has",
	 {SAYS, B, TO_A_AT("fe80::1234")},
	 {BACK(HEX_G, "fe800000000000000000000000001234") INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)},
	 {REPLY}},
	{"from the server's link-local address",
	 {.dev = RED_B,
	  B,
	  TO_A,
	  .in = {.src = MAC_B, .from = LL6_B, .to = IP6_G, .dst = MAC_G, SAY_PORTS}},
	 {ANSWER},
	 {REPLY}},
	{"to a client on another host",
	 {SAYS, B, HOST2_C,
	  .out = &(const struct spec){.src = MAC_B,
				      .from = LL6_G,
				      .to = LL6_C,
				      .dst = MAC_C,
				      .sport = 547,
				      .dport = 546,
				      .outer = &to_host2}},
	 {BACK(HEX_G, HEX_LL_C) INTERFACE(HEX_MAC_C) RELAYED_17(REPLY)},
	 {REPLY}},
	{"another endpoint's answer", {SAYS, .setup = relay6_by_c, ROGUE}, {ANSWER}},
	{"an answer from the server's address by another port",
	 {.in = {.from = IP6_B, .to = IP6_G, .dst = MAC_G, SAY_PORTS},
	  B,
	  .drop = TSW_DROP_SPOOFED_IP},
	 {ANSWER}},
	{"the server's answer elsewhere is plain unicast",
	 {.dev = RED_B,
	  B,
	  .verdict = REDIRECTED,
	  .to = RED_A,
	  .moves = MOVE(LOCAL),
	  .in = {.src = MAC_B, .from = IP6_B, .to = IP6_A, .dst = MAC_A, SAY_PORTS}},
	 {ANSWER}},
	BAD("for another relay's address", ROGUE_SERVER,
	    BACK(HEX_IP("fd"), HEX_LL_A) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("an advertise to the gateway", ROGUE_SERVER, SAYS_17("02")),
	BAD("a forward message to the gateway", ROGUE_SERVER, OK_A RELAYED_17(SOLICIT)),
	BAD("shorter than its head", TRUNCATED, "0d00" HEX_G "fe80"),
	BAD("without options", TRUNCATED, BACK(HEX_G, HEX_LL_A)),
	BAD("without an Interface-ID", TRUNCATED, BACK(HEX_G, HEX_LL_A) RELAYED_17(REPLY)),
	BAD("an Interface-ID of 7 octets", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) "00120007" HEX_MAC_A "00" RELAYED_17(REPLY)),
	BAD("an Interface-ID of 5 octets", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) "00120005"
				  "0200000000" RELAYED_17(REPLY)),
	BAD("two Interface-IDs", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("without a message", TRUNCATED, BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A)),
	BAD("an empty message", TRUNCATED, BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "00090000"),
	BAD("a message of 3 octets", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "00090003"
						       "071234"),
	BAD("two messages", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY) RELAYED_17(REPLY)),
	BAD("for a relay behind this one", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) RELAYED_17(SAYS_17("0d"))),
	BAD("a forward message in it", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) RELAYED_17(SAYS_17("0c"))),
	BAD("an option longer than the rest", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "00090012" REPLY),
	BAD("an option of 65,535 octets", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) "0009ffff" REPLY),
	BAD("three octets behind the options", TRUNCATED, ANSWER "00c900"),
	BAD("an option's head at the end", TRUNCATED, ANSWER "00c90001"),
	{"32 options",
	 {SAYS, B, TO_A},
	 {BACK(HEX_G, HEX_LL_A) "00c8"
				"0000",
	  0,
#define EMPTY_5    \
	"00c80000" \
	"00c80000" \
	"00c80000" \
	"00c80000" \
	"00c80000"
#define EMPTY_29                                           \
	EMPTY_5 EMPTY_5 EMPTY_5 EMPTY_5 EMPTY_5 "00c80000" \
						"00c80000" \
						"00c80000" \
						"00c80000"
	  EMPTY_29 INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)},
	 {REPLY}},
	BAD("33 options", TRUNCATED,
	    BACK(HEX_G, HEX_LL_A) "00c80000"
				  "00c80000" EMPTY_29 INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("for an unknown client's MAC", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_LL_A) INTERFACE("0200000000ee") RELAYED_17(REPLY)),
	BAD("for the broadcast MAC", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_LL_A) INTERFACE("ffffffffffff") RELAYED_17(REPLY)),
	BAD("for the gateway's MAC, at an address that nobody has", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_LL_NOBODY) INTERFACE("0200000000fe") RELAYED_17(REPLY)),
	{"for the server's own MAC",
	 {SAYS, B, UNKNOWN, .size = {1, 79}},
	 {BACK(HEX_G, "fe80000000000000000000fffe00000b") INTERFACE("02000000000b")
		  RELAYED_17(REPLY)}},
	BAD("with another client's address", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_LL_C) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("with a listed address of another", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_IP("02")) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("to address ::", UNKNOWN_DESTINATION,
	    BACK(HEX_G, HEX_ZERO) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("to a group", UNKNOWN_DESTINATION,
	    BACK(HEX_G, "ff020000000000000000000000000001") INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
	BAD("to an IPv4-mapped address", UNKNOWN_DESTINATION,
	    BACK(HEX_G, "00000000000000000000ffff0a000001") INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)),
};

/* The server's own messages to clients, and an answer from another host. */
#define FROM_C(ip)                                 \
	.program = FROM_WIRE, .in = {.src = MAC_C, \
				     .dst = MAC_A, \
				     .from = ip,   \
				     .to = LL6_A,  \
				     .sport = 547, \
				     .dport = 546, \
				     .outer = &host2}
#define B_SAYS        \
	.dev = RED_B, \
	.in = {.src = MAC_B, .from = LL6_B, .to = LL6_A, .dst = MAC_A, .sport = 547, .dport = 546}

static const struct packet_case cases[] = {
	{"the relayed server may send to a client directly", B_SAYS, .setup = relay6_by_b,
	 .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(LOCAL)},
	{"another endpoint may not send to a client as a server", B_SAYS, .setup = relay6_by_c,
	 ROGUE},
	{"with dhcp off the relay's server is no server", B_SAYS, .setup = relay6_off, ROGUE},
	{"an answer of the server's on another host comes in by the gateway's address",
	 FROM_C(LL6_G), .setup = relay6_by_c, .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(RX),
	 .host = HOST2,
	 .out = &(const struct spec){.src = MAC_C,
				     .dst = MAC_A,
				     .from = LL6_G,
				     .to = LL6_A,
				     .sport = 547,
				     .dport = 546}},
	{"but not of another endpoint there", FROM_C(LL6_G), .setup = relay6_by_b,
	 .drop = TSW_DROP_SPOOFED_IP},
	{"nor without a relay", FROM_C(LL6_G), .setup = relay6_off, .drop = TSW_DROP_SPOOFED_IP},
	{"nor by another's address", FROM_C(LL6_B), .setup = relay6_by_c,
	 .drop = TSW_DROP_SPOOFED_IP},
	{"the server's host speaks by that address in no other protocol", .program = FROM_WIRE,
	 .setup = relay6_by_c, .drop = TSW_DROP_SPOOFED_IP,
	 .in = {.kind = KIND_TCP,
		.src = MAC_C,
		.dst = MAC_A,
		.from = LL6_G,
		.to = LL6_A,
		.outer = &host2}},
};

int main(void)
{
	const struct asked_suite suite = {
		.name = "relay6_answer",
		.rows = rows,
		.row_size = sizeof(*rows),
		.row_count = COUNT(rows),
		.one = relay6_one,
		.cases = cases,
		.case_count = COUNT(cases),
	};

	return asked_main(&suite);
}
