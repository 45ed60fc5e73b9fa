// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to red's own DHCPv6 server: each in, and what becomes of it. packet_relay6_answer has
 * the answers.
 */
#include "lab_macs.h"
#include "relay6.h"

static const struct outer to_host2 = {};

static void by_nobody(void)
{
	relay6_set_up("fd00::99");
}

/* A's address is in the network of the gateway's last address. */
static void second(void)
{
	struct tsw_gateway gw;

	relay6_set_up(IP6_B);
	lab_gateway_get(RED, &gw);
	gw.n_addrs = 3;
	gw.addr[2].len = 64;
	frame_ip((__u8 *)&gw.addr[2].addr, "fd07::fe");
	lab_gateway_set(RED, &gw);
	lab_addr(RED, "fd07::fe", MAC_G);
	lab_addr(RED, "fd07::1", MAC_A);
	lab_name(RED, MAC_A, "a1", "fd07::1");
}

static void no_gateway(void)
{
	relay6_set_up(IP6_B);
	lab_gateway_unset(RED);
	lab_clear(M_GROUPS);
}

/* A gateway that cannot be the relay. */
static void four_alone(void)
{
	struct tsw_gateway gw;

	relay6_set_up(IP6_B);
	lab_gateway_get(RED, &gw);
	gw.n_addrs = 1;
	frame_ip((__u8 *)&gw.addr[0].addr, IP_G);
	lab_gateway_set(RED, &gw);
	lab_clear(M_GROUPS);
}

static void a_serves(void)
{
	relay6_set_up(IP6_B);
	lab_port_flag(RED, MAC_A, TSW_PORT_SERVER);
	lab_clear(M_GROUPS);
}

static void with_macs(void)
{
	const __u32 most = 2;

	relay6_set_up(IP6_B);
	lab_set(M_MACS, lab_macs_key(), &most);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
}

static void busy(void)
{
	relay6_set_up(IP6_B);
	lab_reply_busy(true);
}

#define HOP_BY_HOP                        \
	.in = {.from = LL6_A,             \
	       .to = ALL,                 \
	       .dst = MAC_ALL,            \
	       .next = 0,                 \
	       .ext = "1100010400000000", \
	       ASK_PORTS}

static const struct relay6_row rows[] = {
	ROW_RELAYED("a client's solicit is relayed to the server", "01"),
	ROW_RELAYED("a request", "03"),
	ROW_RELAYED("a confirm", "04"),
	ROW_RELAYED("a renewal", "05"),
	ROW_RELAYED("a rebind", "06"),
	ROW_RELAYED("a release", "08"),
	ROW_RELAYED("a decline", "09"),
	ROW_RELAYED("an information request", "0b"),
	ROW_RELAYED("an unknown message (RFC 7283)", "c8"),
	{"the shortest message",
	 {ASKS, B, TO_B},
	 {"0b123456"},
	 {OK_A "00090004"
	       "0b123456"}},
	{"a long one, in three pieces",
	 {ASKS, B, TO_B},
	 {"01123456", LONG},
	 {OK_A "0009" LONG_LEN "01123456", LONG}},
	ROW_RELAYED("an odd one behind it, whose sum has nothing of it", "01"),
	{"a long renewal",
	 {ASKS, B, TO_B},
	 {"05123456", LONG},
	 {OK_A "0009" LONG_LEN "05123456", LONG}},
	{"the longest that fits",
	 {ASKS, B, TO_B},
	 {"01123456", 1388},
	 {OK_A "00090570"
	       "01123456",
	  1388}},
	{"one octet more", {ASKS, B, .drop = TSW_DROP_TOO_BIG}, {"01123456", 1389}},
	{"a renewal by the address",
	 {.in = {.to = ALL, .dst = MAC_ALL, ASK_PORTS}, B, TO_B},
	 {SAYS_17("05")},
	 {FORWARD(HEX_G, HEX_A_GLOBAL, HEX_MAC_A) RELAYED_17(SAYS_17("05"))}},
	{"a renewal at the gateway's address",
	 {ASKS_G, B, TO_B},
	 {SAYS_17("05")},
	 {FORWARD(HEX_G, HEX_A_GLOBAL, HEX_MAC_A) RELAYED_17(SAYS_17("05"))}},
	{"behind a hop-by-hop header", {HOP_BY_HOP, B, TO_B}, {SOLICIT}, {OK_A RELAYED_17(SOLICIT)}},
	{"a renewal behind a hop-by-hop header",
	 {HOP_BY_HOP, B, TO_B},
	 {SAYS_17("05")},
	 {OK_A RELAYED_17(SAYS_17("05"))}},
	{"with an Interface-ID of a neighbour in it",
	 {ASKS, B, TO_B},
	 {"01123456" INTERFACE(HEX_MAC_C)},
	 {OK_A "0009"
	       "000e"
	       "01123456" INTERFACE(HEX_MAC_C)}},
	{"without a UDP checksum: it gets one",
	 {ASKS, B, TO_B},
	 {SOLICIT},
	 {OK_A RELAYED_17(SOLICIT)},
	 .no_csum = true},
	{"to a server on another host",
	 {ASKS, .setup = relay6_by_c, HOST2_C,
	  .out =
		  &(const struct spec){
			  .from = IP6_G, .to = IP6_C, .dst = MAC_C, ASK_PORTS, .outer = &to_host2}},
	 {SOLICIT},
	 {OK_A RELAYED_17(SOLICIT)}},
	{"the relay's address is the gateway's in the client's network",
	 {.dev = RED_A, ASKS, .setup = second, TO_B_FROM("fd07::fe", MAC_A)},
	 {SOLICIT},
	 {FORWARD("fd0700000000000000000000000000fe", HEX_LL_A, HEX_MAC_A) RELAYED_17(SOLICIT)}},
	{"a client whose endpoint lists no address",
	 {.dev = RED_N,
	  B,
	  TO_B_FROM(IP6_G, MAC_N),
	  .in = {.src = MAC_N, .from = LL6_N, .to = ALL, .dst = MAC_ALL, ASK_PORTS}},
	 {SOLICIT},
	 {FORWARD(HEX_G, HEX_LL_N, HEX_MAC_N) RELAYED_17(SOLICIT)}},
	{"of the endpoint itself, which has macs",
	 {ASKS, .setup = with_macs, TO_B},
	 {SOLICIT},
	 {OK_A RELAYED_17(SOLICIT)}},

	/* ---- what is not relayed ---- */
	{"of a MAC behind the port",
	 {.in = {.src = MAC_I, .from = "fe80::ff:fe00:1101", .to = ALL, .dst = MAC_ALL, ASK_PORTS},
	  .setup = with_macs,
	  .drop = TSW_DROP_SPOOFED_MAC},
	 {SOLICIT}},
	ROW_ROGUE("an advertise of a client", "02"),
	ROW_ROGUE("a reply of a client", "07"),
	ROW_ROGUE("a reconfigure of a client", "0a"),
	ROW_ROGUE("a relay's forward message to all", "0c"),
	ROW_ROGUE("a relay's reply message to all", "0d"),
	{"a relay's forward message to the gateway", {ASKS_G, B, ROGUE}, {OK_A RELAYED_17(SOLICIT)}},
	{"a relay's reply message to the gateway", {ASKS_G, B, ROGUE}, {ANSWER}},
	{"a relay's forward message for a neighbour to the server",
	 {.in = {.from = IP6_A, .to = IP6_B, ASK_PORTS}, B, ROGUE},
	 {FORWARD(HEX_G, HEX_LL_C, HEX_MAC_C) RELAYED_17(SOLICIT)}},
	{"the same of an endpoint with server on",
	 {.in = {.from = IP6_A, .to = IP6_B, ASK_PORTS}, .setup = a_serves, PLAIN_TO_B},
	 {FORWARD(HEX_G, HEX_LL_C, HEX_MAC_C) RELAYED_17(SOLICIT)}},
	{"another's source address",
	 {.in = {.from = LL6_B, .to = ALL, .dst = MAC_ALL, ASK_PORTS},
	  B,
	  .drop = TSW_DROP_SPOOFED_IP},
	 {SOLICIT}},
	{"another's global source address",
	 {.in = {.from = IP6_B, .to = ALL, .dst = MAC_ALL, ASK_PORTS},
	  B,
	  .drop = TSW_DROP_SPOOFED_IP},
	 {SOLICIT}},
	{"no source address",
	 {.in = {.from = "::", .to = ALL, .dst = MAC_ALL, ASK_PORTS},
	  B,
	  .drop = TSW_DROP_SPOOFED_IP},
	 {SOLICIT}},
	{"another's source MAC",
	 {.in = {.src = MAC_B, .from = LL6_A, .to = ALL, .dst = MAC_ALL, ASK_PORTS},
	  B,
	  .drop = TSW_DROP_SPOOFED_MAC},
	 {SOLICIT}},
	{"three octets", {ASKS, B, TRUNCATED}, {"011234"}},
	{"nothing", {ASKS, B, TRUNCATED}, {""}},
	{"longer than its packet", {ASKS, B, TRUNCATED}, {SOLICIT}, .udp_lie = 1},
	{"a UDP length of 0", {ASKS, B, TRUNCATED}, {SOLICIT}, .udp_lie = -25},
	{"a UDP length without its header", {ASKS, B, TRUNCATED}, {SOLICIT}, .udp_lie = -18},
	{"more than one datagram",
	 {ASKS, B, TRUNCATED, .gso_size = 10, .gso_segs = 2, .size = {2, 141}},
	 {SOLICIT}},
	{"the first of two fragments",
	 {.in = {.from = LL6_A,
		 .to = ALL,
		 .dst = MAC_ALL,
		 .next = 44,
		 .ext = "1100000100000001",
		 ASK_PORTS},
	  B,
	  TRUNCATED},
	 {SOLICIT}},
	{"while another is answered", {ASKS, .setup = busy, .drop = TSW_DROP_INTERNAL}, {SOLICIT}},
	{"no endpoint has the server's address", {ASKS, .setup = by_nobody, UNKNOWN}, {SOLICIT}},
	{"the server's own request",
	 {.dev = RED_B,
	  B,
	  UNKNOWN,
	  .size = {1, 139},
	  .in = {.src = MAC_B, .from = LL6_B, .to = ALL, .dst = MAC_ALL, ASK_PORTS}},
	 {SOLICIT}},
	{"a request to the server's own address is plain unicast",
	 {.in = {.from = IP6_A, .to = IP6_B, ASK_PORTS}, B, PLAIN_TO_B},
	 {SAYS_17("05")}},
	{"with dhcp off it goes to all", {ASKS, .setup = relay6_off}, {SOLICIT}},
	{"without a gateway it goes to all", {ASKS, .setup = no_gateway}, {SOLICIT}},
	{"with an IPv4 gateway it goes to all", {ASKS, .setup = four_alone}, {SOLICIT}},
};

int main(void)
{
	const struct asked_suite suite = {
		.name = "relay6",
		.rows = rows,
		.row_size = sizeof(*rows),
		.row_count = COUNT(rows),
		.one = relay6_one,
	};

	return asked_main(&suite);
}
