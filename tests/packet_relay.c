// SPDX-License-Identifier: GPL-2.0-only
/* Red's own DHCP server, to which requests are relayed: each message in, and what becomes of it. */
#include <string.h>

#include "asked.h"

#define MESSAGE 244 /* octets: RFC 2131 section 2, with the options' cookie and a type */

struct message {
	__u8 op, hops;
	__u16 flags;
	const char *ci, *you, *relay; /* IPs; NULL: zero */
	const char *mac;	      /* NULL: A's */
};

struct row {
	const char *name;
	struct packet_case c;
	struct message in, out;
	bool no_csum;
};

static const struct row *now;
static const struct outer to_host2 = {};

static void put_ip(__u8 *at, const char *ip)
{
	__u8 mapped[16] = {};

	if (ip)
		frame_ip(mapped, ip);
	memcpy(at, mapped + 12, 4);
}

/* Writes the message over the end of the frame, and the checksum of UDP. */
static void put(struct frame *f, const struct message *m)
{
	__u8 *boot = f->b + f->len - MESSAGE, *udp = boot - 8, *ip = udp - 20;
	__u8 pseudo[4] = {0, 17, (MESSAGE + 8) >> 8, (MESSAGE + 8) & 0xff};
	__u32 sum;
	__u16 csum;

	memset(boot, 0, MESSAGE);
	memcpy(boot, (__u8[]){m->op, 1, 6, m->hops, 0x11, 0x22, 0x33, 0x44}, 8);
	boot[10] = (__u8)(m->flags >> 8);
	put_ip(boot + 12, m->ci);
	put_ip(boot + 16, m->you);
	put_ip(boot + 24, m->relay);
	frame_mac(boot + 28, m->mac ?: MAC_A);
	memcpy(boot + 236, "\x63\x82\x53\x63\x35\x01\x01\xff", 8);
	memset(udp + 6, 0, 2);
	if (now->no_csum)
		return;
	sum = frame_sum(ip + 12, 8, 0);
	sum = frame_sum(pseudo, sizeof(pseudo), sum);
	csum = frame_checksum(udp, MESSAGE + 8, sum);
	csum = csum ?: 0xffff;
	udp[6] = (__u8)(csum >> 8);
	udp[7] = (__u8)csum;
}

static void change(struct frame *in)
{
	put(in, &now->in);
}

static void make(const struct frame *in, struct frame *out)
{
	(void)in;
	frame_build(now->c.out, out);
	put(out, &now->out);
}

static void server(__u32 tenant, const char *ip)
{
	struct tsw_relay relay = {};

	frame_ip((__u8 *)&relay.server[TSW_IPV4], ip);
	lab_set(M_RELAYS, &tenant, &relay);
}

static void set_up(const char *ip)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_name(RED, MAC_A, "a1", IP_A);
	lab_net(RED, "10.0.0.0", 96 + 24);
	server(RED, ip);
	server(BLUE, "10.0.0.77");
}

static void by_b(void)
{
	set_up(IP_B);
}

static void by_c(void)
{
	set_up(IP_C);
}

/* A's address is in the network of the gateway's last address. */
static void second(void)
{
	struct tsw_gateway gw;

	set_up(IP_B);
	lab_gateway_get(RED, &gw);
	gw.n_addrs = 3;
	gw.addr[2].len = 96 + 24;
	frame_ip((__u8 *)&gw.addr[2].addr, "10.0.7.254");
	lab_gateway_set(RED, &gw);
	lab_addr(RED, "10.0.7.254", MAC_G);
	lab_addr(RED, "10.0.7.1", MAC_A);
	lab_name(RED, MAC_A, "a1", "10.0.7.1");
}

static void by_nobody(void)
{
	set_up(IP_UNKNOWN);
}

static void off(void)
{
	set_up(IP_B);
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
	lab_clear(M_GROUPS);
}

static void no_gateway(void)
{
	set_up(IP_B);
	lab_gateway_unset(RED);
	lab_clear(M_GROUPS);
}

/* A gateway that cannot be the relay. */
static void six_alone(void)
{
	struct tsw_gateway gw;

	set_up(IP_B);
	lab_gateway_get(RED, &gw);
	gw.n_addrs = 1;
	frame_ip((__u8 *)&gw.addr[0].addr, IP6_G);
	lab_gateway_set(RED, &gw);
	lab_clear(M_GROUPS);
}

static void one(void **state)
{
	struct packet_case c;

	now = *state;
	c = now->c;
	c.change = change;
	c.make = now->c.out ? make : NULL;
	lab_clear(M_RELAYS);
	packet_check(&c);
}

#define ASKS ASKS_AS("0.0.0.0")
#define ASKS_AS(ip) .in = {.from = ip, .to = "255.255.255.255", .dst = MAC_BROADCAST, ASK_PORTS}
#define ASK_PORTS .sport = 68, .dport = 67, .payload = MESSAGE
#define REBINDS .in = {.to = "255.255.255.255", .dst = MAC_BROADCAST, ASK_PORTS}
#define RELAYED                                                   \
	&(const struct spec)                                      \
	{                                                         \
		.from = IP_G, .to = IP_B, .dst = MAC_B, ASK_PORTS \
	}
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL), .out = RELAYED
#define SAY_PORTS .dport = 67, .sport = 67, .payload = MESSAGE
#define SAYS .dev = RED_B, .in = {.src = MAC_B, .from = IP_B, .to = IP_G, .dst = MAC_G, SAY_PORTS}
#define SAID(ip)                                                                              \
	.out = &(const struct spec)                                                           \
	{                                                                                     \
		.src = MAC_B, .from = IP_G, .to = ip, .dst = MAC_A, .sport = 67, .dport = 68, \
		.payload = MESSAGE                                                            \
	}
#define TO_A .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(LOCAL)
#define B .setup = by_b
#define ANSWER                                      \
	{                                           \
		.op = 2, .you = IP_A, .relay = IP_G \
	}
#define ROGUE .drop = TSW_DROP_ROGUE_SERVER

static const struct row rows[] = {
	{"a client's request is relayed to the server",
	 {ASKS, B, TO_B},
	 {.op = 1},
	 {.op = 1, .hops = 1, .relay = IP_G}},
	{"a request that wants its answer by broadcast keeps that flag",
	 {ASKS, B, TO_B},
	 {.op = 1, .flags = 0x8000},
	 {.op = 1, .hops = 1, .flags = 0x8000, .relay = IP_G}},
	{"a request without a UDP checksum is relayed",
	 {ASKS, B, TO_B},
	 {.op = 1},
	 {.op = 1, .hops = 1, .relay = IP_G},
	 true},
	{"a client that has an address rebinds: relayed",
	 {REBINDS, B, TO_B},
	 {.op = 1, .ci = IP_A},
	 {.op = 1, .hops = 1, .ci = IP_A, .relay = IP_G}},
	{"a renewal at the gateway's address is relayed",
	 {.in = {.to = IP_G, .dst = MAC_G, ASK_PORTS}, B, TO_B},
	 {.op = 1, .ci = IP_A},
	 {.op = 1, .hops = 1, .ci = IP_A, .relay = IP_G}},
	{"a request with 15 hops is relayed with 16",
	 {ASKS, B, TO_B},
	 {.op = 1, .hops = 15},
	 {.op = 1, .hops = 16, .relay = IP_G}},
	{"a request with 16 hops is dropped",
	 {ASKS, B, .drop = TSW_DROP_TTL_EXPIRED},
	 {.op = 1, .hops = 16}},
	{"a request is relayed to a server on another host",
	 {ASKS, .setup = by_c, .verdict = REDIRECTED, .host = HOST2, .moves = MOVE(TX),
	  .out =
		  &(const struct spec){
			  .from = IP_G, .to = IP_C, .dst = MAC_C, ASK_PORTS, .outer = &to_host2}},
	 {.op = 1},
	 {.op = 1, .hops = 1, .relay = IP_G}},
	{"the relay's address is the gateway's in the client's network",
	 {.dev = RED_A,
	  ASKS,
	  .setup = second,
	  .verdict = REDIRECTED,
	  .to = RED_B,
	  .moves = MOVE(LOCAL),
	  .out = &(const struct spec){.from = "10.0.7.254", .to = IP_B, .dst = MAC_B, ASK_PORTS}},
	 {.op = 1},
	 {.op = 1, .hops = 1, .relay = "10.0.7.254"}},
	{"a client whose endpoint lists no address is relayed",
	 {.dev = RED_N,
	  .setup = by_b,
	  TO_B,
	  .out =
		  &(const struct spec){
			  .src = MAC_N, .from = IP_G, .to = IP_B, .dst = MAC_B, ASK_PORTS},
	  .in = {.src = MAC_N,
		 .from = "0.0.0.0",
		 .to = "255.255.255.255",
		 .dst = MAC_BROADCAST,
		 ASK_PORTS}},
	 {.op = 1, .mac = MAC_N},
	 {.op = 1, .hops = 1, .relay = IP_G, .mac = MAC_N}},
	{"a request that another relay has forwarded is refused",
	 {ASKS, B, ROGUE},
	 {.op = 1, .relay = IP_G}},
	{"a request for another endpoint's MAC is refused",
	 {ASKS, B, .drop = TSW_DROP_SPOOFED_MAC},
	 {.op = 1, .mac = MAC_C}},
	{"a client sends a reply to all: refused", {ASKS, B, ROGUE}, {.op = 2}},
	{"a message with op 3 is refused", {ASKS, B, ROGUE}, {.op = 3}},
	{"no endpoint has the server's address: dropped",
	 {ASKS, .setup = by_nobody, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 {.op = 1}},
	{"a request to the server's own address is plain unicast",
	 {.in = {.to = IP_B, .dst = MAC_B, ASK_PORTS},
	  B,
	  .verdict = REDIRECTED,
	  .to = RED_B,
	  .moves = MOVE(LOCAL)},
	 {.op = 1, .ci = IP_A}},
	{"unicast to the server from another's address is refused",
	 {
		 .in = {.from = IP_C, .to = IP_B, .dst = MAC_B, ASK_PORTS},
		 B,
		 .drop = TSW_DROP_SPOOFED_IP,
	 },
	 {.op = 1, .ci = IP_C}},
	{"with dhcp off a request is a plain broadcast", {ASKS, .setup = off}, {.op = 1}},
	{"without a gateway a request is a plain broadcast", {ASKS, .setup = no_gateway}, {.op = 1}},
	{"without a gateway another's source address is refused",
	 {ASKS_AS(IP_C), .setup = no_gateway, .drop = TSW_DROP_SPOOFED_IP},
	 {.op = 1}},
	{"with an IPv6 gateway a request is a plain broadcast",
	 {ASKS, .setup = six_alone},
	 {.op = 1}},
	{"with an IPv6 gateway another's source address is refused",
	 {ASKS_AS(IP_C), .setup = six_alone, .drop = TSW_DROP_SPOOFED_IP},
	 {.op = 1}},

	{"the server's reply goes to the client's address",
	 {SAYS, B, TO_A, SAID(IP_A)},
	 ANSWER,
	 ANSWER},
	{"the reply goes to 255.255.255.255 if the client asked so",
	 {SAYS, B, TO_A, SAID("255.255.255.255")},
	 {.op = 2, .flags = 0x8000, .you = IP_A, .relay = IP_G},
	 {.op = 2, .flags = 0x8000, .you = IP_A, .relay = IP_G}},
	{"a reply that gives no address goes to 255.255.255.255",
	 {SAYS, B, TO_A, SAID("255.255.255.255")},
	 {.op = 2, .relay = IP_G},
	 {.op = 2, .relay = IP_G}},
	{"the reply goes to the address that the client has",
	 {SAYS, B, TO_A, SAID(IP_A)},
	 {.op = 2, .ci = IP_A, .relay = IP_G},
	 {.op = 2, .ci = IP_A, .relay = IP_G}},
	{"another endpoint's reply is refused", {SAYS, .setup = by_c, ROGUE}, ANSWER},
	{"a reply from the server's address by another port is refused",
	 {.dev = RED_A, .in = {.from = IP_B, .to = IP_G, .dst = MAC_G, SAY_PORTS}, B, ROGUE},
	 ANSWER},
	{"a reply is sent to the client's host",
	 {SAYS, B, .verdict = REDIRECTED, .host = HOST2, .moves = MOVE(TX),
	  .out = &(const struct spec){.src = MAC_B,
				      .from = IP_G,
				      .to = IP_C,
				      .dst = MAC_C,
				      .sport = 67,
				      .dport = 68,
				      .payload = MESSAGE,
				      .outer = &to_host2}},
	 {.op = 2, .you = IP_C, .relay = IP_G, .mac = MAC_C},
	 {.op = 2, .you = IP_C, .relay = IP_G, .mac = MAC_C}},
	{"a reply for another relay's address is refused",
	 {SAYS, B, ROGUE},
	 {.op = 2, .you = IP_A, .relay = IP_E}},
	{"a reply without a relay's address is refused", {SAYS, B, ROGUE}, {.op = 2, .you = IP_A}},
	{"a broadcast reply for relay 255.255.255.255 is refused",
	 {.dev = RED_B,
	  .in = {.src = MAC_B,
		 .from = IP_B,
		 .to = "255.255.255.255",
		 .dst = MAC_BROADCAST,
		 SAY_PORTS},
	  B,
	  ROGUE},
	 {.op = 2, .you = IP_A, .relay = "255.255.255.255"}},
	{"a reply for an unknown client's MAC is dropped",
	 {SAYS, B, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 {.op = 2, .relay = IP_G, .mac = MAC_UNKNOWN}},
	{"a reply for the broadcast MAC is dropped",
	 {SAYS, B, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 {.op = 2, .relay = IP_G, .mac = MAC_BROADCAST}},
	{"a reply for the gateway's MAC is dropped",
	 {SAYS, B, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 {.op = 2, .relay = IP_G, .mac = MAC_G}},
	{"a reply for the server's own MAC is dropped",
	 {SAYS, B, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 {.op = 2, .relay = IP_G, .mac = MAC_B}},
};

/* The server's own messages to clients, which ask it to renew. */
static const struct packet_case cases[] = {
	{"the relayed server may send to a client directly", .dev = RED_B, .setup = by_b,
	 .verdict = REDIRECTED, .to = RED_A,
	 .in = {.src = MAC_B, .from = IP_B, .to = IP_A, .dst = MAC_A, .sport = 67, .dport = 68},
	 .moves = MOVE(LOCAL)},
	{"another endpoint may not send to a client as a server", .setup = by_b,
	 .in = {.sport = 67, .dport = 68}, ROGUE},
	{"the server of tenant blue is not one of tenant red", .dev = RED_B, .setup = by_c, ROGUE,
	 .in = {.src = MAC_B, .from = IP_B, .to = IP_A, .dst = MAC_A, .sport = 67, .dport = 68}},
	{"with dhcp off the relay's server is no server", .dev = RED_B, .setup = off, ROGUE,
	 .in = {.src = MAC_B, .from = IP_B, .to = IP_A, .dst = MAC_A, .sport = 67, .dport = 68}},
	{"a fragment of a request is dropped", .setup = by_b, .drop = TSW_DROP_TRUNCATED,
	 .in = {.from = "0.0.0.0",
		.to = "255.255.255.255",
		.dst = MAC_BROADCAST,
		.frag = 0x2000,
		ASK_PORTS}},
	{"a request shorter than its header is dropped", .setup = by_b, .drop = TSW_DROP_TRUNCATED,
	 .in = {.from = "0.0.0.0",
		.to = "255.255.255.255",
		.dst = MAC_BROADCAST,
		.sport = 68,
		.dport = 67,
		.payload = 100}},
};

int main(void)
{
	const struct asked_suite suite = {
		.name = "relay",
		.rows = rows,
		.row_size = sizeof(*rows),
		.row_count = COUNT(rows),
		.one = one,
		.cases = cases,
		.case_count = COUNT(cases),
	};

	return asked_main(&suite);
}
