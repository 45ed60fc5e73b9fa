/* SPDX-License-Identifier: GPL-2.0-only */
/* Red's own DHCPv6 server, B if not said otherwise: messages to it and of it, as octets. */
#ifndef TSW_TESTS_RELAY6_H
#define TSW_TESTS_RELAY6_H

#include "asked.h"

/* A message: octets in hexadecimal, then FILL of a pattern, then more in hexadecimal. */
struct message {
	const char *hex;
	__u16 fill;
	const char *then;
};

struct relay6_row {
	const char *name;
	struct packet_case c;
	struct message in, out;
	__s16 udp_lie; /* added to UDP's length */
	bool no_csum;
};

void relay6_one(void **state); /* its state is the row */

/* Who red's server is, and what else is different. */
void relay6_by_b(void);
void relay6_by_c(void); /* which is on host 2 */
void relay6_set_up(const char *ip);
void relay6_off(void); /* dhcp */

/* ---- messages ----------------------------------------------------------------------- */

#define HEX_MAC_A "02000000000a"
#define HEX_MAC_N "020000000001"
#define HEX_MAC_C "02000000000c"
#define HEX_LL_A               \
	"fe800000000000000000" \
	"00fffe00000a"
#define HEX_LL_N               \
	"fe800000000000000000" \
	"00fffe000001"
#define HEX_LL_C               \
	"fe800000000000000000" \
	"00fffe00000c"
#define HEX_LL_NOBODY          \
	"fe800000000000000000" \
	"00fffe0000ee"
#define HEX_IP(last) "fd0000000000000000000000000000" last
#define HEX_G HEX_IP("fe")
#define HEX_A_GLOBAL HEX_IP("01")
#define HEX_ZERO "00000000000000000000000000000000"

/* Of type `type`, 17 octets long: an odd length, as most have. */
#define SAYS_17(type) \
	type "123456" \
	     "0001"   \
	     "0009"   \
	     "000300010200000000"
#define SOLICIT SAYS_17("01")
#define REPLY SAYS_17("07")
#define INTERFACE(mac) "00120006" mac
#define RELAYED_17(message) \
	"0009"              \
	"0011" message
#define FORWARD(link, peer, mac)               \
	"0c00" link peer INTERFACE(mac) "004f" \
					"0008" \
					"0001" mac
#define BACK(link, peer) "0d00" link peer
#define LONG_LEN "025c" /* a message of 4 octets and these of the pattern */
#define LONG 600

/* ---- frames ------------------------------------------------------------------------- */

#define ALL "ff02::1:2"
#define MAC_ALL "33:33:00:01:00:02"
#define ASK_PORTS .sport = 546, .dport = 547
#define ASKS .in = {.from = LL6_A, .to = ALL, .dst = MAC_ALL, ASK_PORTS}
#define ASKS_G .in = {.to = IP6_G, .dst = MAC_G, ASK_PORTS}
#define B .setup = relay6_by_b
#define TO_B_FROM(via, mac)                                                                   \
	.verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL), .out = &(const struct spec) \
	{                                                                                     \
		.src = mac, .from = via, .to = IP6_B, .dst = MAC_B, ASK_PORTS                 \
	}
#define TO_B TO_B_FROM(IP6_G, MAC_A)
#define SAY_PORTS .sport = 547, .dport = 547
#define SAYS .dev = RED_B, .in = {.src = MAC_B, .from = IP6_B, .to = IP6_G, .dst = MAC_G, SAY_PORTS}
#define TO_A_AT(ip)                                                                             \
	.verdict = REDIRECTED, .to = RED_A, .moves = MOVE(LOCAL), .out = &(const struct spec)   \
	{                                                                                       \
		.src = MAC_B, .from = LL6_G, .to = ip, .dst = MAC_A, .sport = 547, .dport = 546 \
	}
#define TO_A TO_A_AT(LL6_A)
#define ROGUE .drop = TSW_DROP_ROGUE_SERVER
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
#define UNKNOWN .drop = TSW_DROP_UNKNOWN_DESTINATION
#define HOST2_C .verdict = REDIRECTED, .host = HOST2, .moves = MOVE(TX)
#define PLAIN_TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)

#define OK_A FORWARD(HEX_G, HEX_LL_A, HEX_MAC_A)
#define ROW_RELAYED(name, type)                         \
	{                                               \
		name, {ASKS, B, TO_B}, {SAYS_17(type)}, \
		{                                       \
			OK_A RELAYED_17(SAYS_17(type))  \
		}                                       \
	}
#define ROW_ROGUE(name, type)           \
	{                               \
		name, {ASKS, B, ROGUE}, \
		{                       \
			SAYS_17(type)   \
		}                       \
	}
#define BAD(name, what, message)                          \
	{                                                 \
		name, {SAYS, B, .drop = TSW_DROP_##what}, \
		{                                         \
			message                           \
		}                                         \
	}
#define ANSWER BACK(HEX_G, HEX_LL_A) INTERFACE(HEX_MAC_A) RELAYED_17(REPLY)

#endif
