// SPDX-License-Identifier: GPL-2.0-only
/* MACs behind a port: what may leave from them, how it leaves, and what finds its way back. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "packet.h"

/* Behind A. The first three have places in `full`. */
#define MAC_I "02:00:00:00:11:01"
#define MAC_J "02:00:00:00:11:02"
#define MAC_K "02:00:00:00:11:03"
#define MAC_VRRP "00:00:5e:00:01:33"
#define HEX_A "02000000000a"
#define HEX_B "02000000000b"
#define HEX_I "020000001101"
#define IP_I "10.0.0.11" /* further addresses of A */
#define IP6_I "fd00::11"
#define LISTED 64 /* addresses of an endpoint, at most */

#define SPOOFED_IP .drop = TSW_DROP_SPOOFED_IP
#define SPOOFED_MAC .drop = TSW_DROP_SPOOFED_MAC
#define TO_B .verdict = REDIRECTED, .to = RED_B, .moves = MOVE(LOCAL)
#define ANSWERED .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)
#define OUT .out = &(const struct spec)
#define ARP .kind = KIND_ARP
#define REPLY .kind = KIND_ARP, .op = 2, .dst = MAC_B, .tha = MAC_B
/* An answer to its question. */
#define TELLS_SWITCH \
	.kind = KIND_ARP, .op = 2, .dst = MAC_SERVICE, .to = "0.0.0.0", .tha = MAC_SERVICE
#define LL6_SERVICE "fe80::74:73ff:fe77:a9fd"
#define NS_SWITCH                                                                        \
	ND, .icmp_type = 135, .rest = "00000000", .dst = MAC_SERVICE, .to = IP6_SERVICE, \
	    .target = IP6_SERVICE
#define ND .kind = KIND_ICMP, .ttl = 255
/* To one MAC, for an address of nobody, so that it goes on to B. */
#define NS ND, .icmp_type = 135, .rest = "00000000", .dst = MAC_B, .to = IP6_B, .target = "fd00::99"
#define NA ND, .icmp_type = 136, .rest = "20000000", .dst = MAC_B, .to = IP6_B, .target = IP6_I
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

struct macs_case {
	struct packet_case c;
	const char *ip, *mac; /* behind which MAC IP is afterwards; NULL: it is not known */
};

static const struct tsw_fdb_key *who(void)
{
	static struct tsw_fdb_key key = {.tenant = RED};

	frame_mac(key.mac.b, MAC_A);
	return &key;
}

static struct tsw_inner behind_a(void)
{
	struct tsw_inner inner = {};

	bpf_map_lookup_elem(lab_map(M_INNER), who(), &inner);
	return inner;
}

static __u64 seconds_ago(__u64 n)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((__u64)now.tv_sec - n) * 1000000000ULL;
}

/* `macs N` for A, which has more addresses. */
static void may(__u32 n)
{
	lab_set(M_MACS, who(), &n);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
	lab_addr(RED, IP_I, MAC_A);
	lab_addr(RED, IP6_I, MAC_A);
	lab_clear(M_GROUPS);
}

static void may_two(void)
{
	may(2);
}

/* I and J have the places, and were seen at that time. */
static void has_two(__u64 seen)
{
	struct tsw_inner inner = {.mac = {{.seen = seen}, {.seen = seen}}};

	may_two();
	frame_mac(inner.mac[0].mac.b, MAC_I);
	frame_mac(inner.mac[1].mac.b, MAC_J);
	lab_set(M_INNER, who(), &inner);
}

static void full(void)
{
	has_two(seconds_ago(1));
}

static void silent(void)
{
	has_two(seconds_ago(301));
}

static void almost_silent(void)
{
	has_two(seconds_ago(295));
}

static void full_of_three(void)
{
	full();
	may(3);
}

static void fewer(void)
{
	full();
	may(1);
}

/* The endpoint's MAC is being changed: I is its old one, or its new one. */
static void is_a_by_now(void)
{
	may_two();
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
	may_two();
	lab_fdb(RED, MAC_I, TSW_PLACE_HOST, RED_A);
}

static void flag_alone(void)
{
	may_two();
	lab_clear(M_MACS);
}

static void send(const char *mac, const struct spec *what)
{
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct spec spec = *what;
	struct packet_run run;
	struct frame in;

	spec.src = mac;
	frame_build(&spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
}

static void i_has_it(void)
{
	may_two();
	send(MAC_I, &(const struct spec){.from = IP_I});
	send(MAC_I, &(const struct spec){.from = IP6_I, .to = IP6_B});
}

static void a_itself_has_it(void)
{
	may_two();
	send(MAC_A, &(const struct spec){.from = IP_I});
}

static void two_and_answers(void)
{
	may_two();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
}

/* So A was asked who has it. */
static void b_asked_for_it(void)
{
	struct __sk_buff ctx = {.ifindex = RED_B};
	const struct spec spec = {.src = MAC_B, .from = IP_B, .dst = MAC_A, .to = IP_I};
	struct packet_run run;
	struct frame in;

	may_two();
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

	i_has_it();
	inner = behind_a();
	for (int i = 0; i < TSW_INNER_ADDRS; i++)
		inner.addr[i].seen = seconds_ago(ago);
	lab_set(M_INNER, who(), &inner);
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

	may_two();
	frame_ip((__u8 *)&vips.addr[0], IP_I);
	key.addr = vips.addr[0];
	frame_mac(owner.mac.b, MAC_B);
	frame_mac((__u8 *)&taken.mac, MAC_B);
	lab_set(M_VIPS, who(), &vips);
	lab_set(M_ADDRS, &key, &owner);
	lab_set(M_TAKEN, &key, &taken);
	lab_port_flag(RED, MAC_A, TSW_PORT_VIP);
	lab_gateway(RED, 0, 0, 0);
}

static void another_tenants(void)
{
	i_has_it();
	lab_addr(BLUE, IP_I, MAC_A);
}

static const struct macs_case cases[] = {
	{{"without the word", .in = {.src = MAC_I}, SPOOFED_MAC}},
	{{"by the port alone", .in = {.src = MAC_I}, SPOOFED_MAC, .setup = flag_alone}},
	{{"from one behind the port", .in = {.src = MAC_I, .from = IP_I}, TO_B, .setup = may_two,
	  OUT{.from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"by IPv6", .in = {.src = MAC_I, .from = IP6_I, .to = IP6_B}, TO_B, .setup = may_two,
	  OUT{.from = IP6_I, .to = IP6_B}},
	 IP6_I,
	 MAC_I},
	{{"another protocol", .in = {.src = MAC_I, .kind = KIND_RAW, .type = 0x8137, .payload = 40},
	  TO_B, .setup = may_two, OUT{.kind = KIND_RAW, .type = 0x8137, .payload = 40}}},
	{{"from its own", .in = {}, TO_B, .setup = may_two}, IP_A, MAC_A},
	{{"from a virtual router", .in = {.src = MAC_VRRP, .from = IP_I}, TO_B, .setup = may_two,
	  OUT{.from = IP_I}},
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
	{{"a neighbour's", .in = {.src = MAC_B}, SPOOFED_MAC, .setup = may_two}},
	{{"a remote endpoint's", .in = {.src = MAC_C, .from = IP_A}, SPOOFED_MAC,
	  .setup = may_two}},
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
	{{"the gateway's", .in = {.src = MAC_G}, SPOOFED_MAC, .setup = may_two}},
	{{"the service's", .in = {.src = MAC_SERVICE}, SPOOFED_MAC, .setup = may_two}},
	{{"a group", .in = {.src = "03:00:00:00:00:01"}, SPOOFED_MAC, .setup = may_two}},
	{{"all", .in = {.src = MAC_BROADCAST}, SPOOFED_MAC, .setup = may_two}},
	{{"a bridge's group", .in = {.src = "01:80:c2:00:00:00"}, SPOOFED_MAC, .setup = may_two}},
	{{"none", .in = {.src = MAC_NONE}, SPOOFED_MAC, .setup = may_two}},
	{{"to a bridge's group", .in = {.src = MAC_I, .dst = "01:80:c2:00:00:00"},
	  .drop = TSW_DROP_RESERVED_MULTICAST, .setup = may_two}},
	{{"to one behind the port", .in = {.src = MAC_I, .dst = MAC_J}, .setup = may_two,
	  .drop = TSW_DROP_UNKNOWN_DESTINATION}},
	{{"a neighbour's address", .in = {.src = MAC_I, .from = IP_B, .to = IP_C}, SPOOFED_IP,
	  .setup = may_two},
	 IP_B,
	 NULL},
	{{"nobody's address", .in = {.src = MAC_I, .from = IP_UNKNOWN}, SPOOFED_IP,
	  .setup = may_two},
	 IP_UNKNOWN,
	 NULL},
	{{"no address", .in = {.src = MAC_I, .from = "0.0.0.0"}, SPOOFED_IP, .setup = may_two},
	 "0.0.0.0",
	 NULL},
	{{"a mapped address", .in = {.src = MAC_I, .from = "::ffff:10.0.0.1", .to = IP6_B},
	  SPOOFED_IP, .setup = may_two},
	 IP_A,
	 NULL},

	{{"ARP reply", .in = {REPLY, .src = MAC_I, .from = IP_I}, TO_B, .setup = may_two,
	  OUT{REPLY, .from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"announcement to one", .in = {REPLY, .src = MAC_I, .from = IP_I, .tha = MAC_I}, TO_B,
	  .setup = may_two, OUT{REPLY, .from = IP_I, .tha = MAC_A}},
	 IP_I,
	 MAC_I},
	{{"ARP moves an address", .in = {REPLY, .src = MAC_J, .from = IP_I}, TO_B,
	  .setup = i_has_it, OUT{REPLY, .from = IP_I}},
	 IP_I,
	 MAC_J},
	{{"to the endpoint itself, too", .in = {REPLY, .from = IP_I}, TO_B, .setup = i_has_it},
	 IP_I,
	 MAC_A},
	{{"IP alone does not", .in = {.src = MAC_J, .from = IP_I}, TO_B, .setup = i_has_it,
	  OUT{.from = IP_I}},
	 IP_I,
	 MAC_I},
	{{"ARP with the endpoint's MAC in it",
	  .in = {REPLY, .src = MAC_I, .sha = MAC_A, .from = IP_I}, TO_B, .setup = may_two,
	  OUT{REPLY, .from = IP_I}}},
	{{"ARP with a third MAC in it", .in = {REPLY, .src = MAC_I, .sha = MAC_J}, SPOOFED_MAC,
	  .setup = may_two}},
	{{"ARP, a neighbour's address", .in = {REPLY, .src = MAC_I, .from = IP_B, .to = IP_C},
	  SPOOFED_IP, .setup = may_two},
	 IP_B,
	 NULL},
	{{"ARP, cut off", .in = {REPLY, .src = MAC_I, .cut = 1}, .drop = TSW_DROP_TRUNCATED,
	  .setup = may_two}},
	{{"ARP request is answered", .in = {ARP, .src = MAC_I, .from = IP_I}, ANSWERED,
	  .setup = may_two,
	  OUT{ARP, .op = 2, .src = MAC_B, .from = IP_B, .dst = MAC_I, .to = IP_I, .tha = MAC_I}},
	 IP_I,
	 MAC_I},

	{{"NS", .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_I}, TO_B,
	  .setup = may_two, OUT{NS, .from = IP6_I, .tail = "0101" HEX_A}},
	 IP6_I,
	 MAC_I},
	{{"NS with more options", .setup = may_two, TO_B,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0e01 112233445566 0101" HEX_I},
	  OUT{NS, .from = IP6_I, .tail = "0e01 112233445566 0101" HEX_A}}},
	{{"NS with an option of no length", .setup = may_two, .drop = TSW_DROP_TRUNCATED,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0100 112233445566 0101" HEX_I}}},
	{{"NS with a neighbour's MAC in it", .setup = may_two, SPOOFED_MAC,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_B}}},
	{{"NS behind an extension header", .setup = may_two, SPOOFED_MAC,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .tail = "0101" HEX_I, .next = 0,
		 .ext = "3a00010400000000"}}},
	{{"NA", .in = {NA, .src = MAC_I, .from = IP6_A, .tail = "0201" HEX_I}, TO_B,
	  .setup = may_two, OUT{NA, .from = IP6_A, .tail = "0201" HEX_A}},
	 IP6_I,
	 MAC_I},
	{{"NA moves an address",
	  .in = {NA, .src = MAC_J, .from = IP6_I, .tail = "0201 020000001102"}, TO_B,
	  .setup = i_has_it, OUT{NA, .from = IP6_I, .tail = "0201" HEX_A}},
	 IP6_I,
	 MAC_J},
	{{"NA of a neighbour's", .setup = may_two, SPOOFED_IP,
	  .in = {NA, .src = MAC_I, .from = IP6_A, .target = IP6_C, .tail = "0201" HEX_I}},
	 IP6_C,
	 NULL},
	{{"NS is answered", .setup = may_two, ANSWERED,
	  .in = {NS, .src = MAC_I, .from = IP6_I, .target = IP6_B, .tail = "0101" HEX_I},
	  OUT{ND, .icmp_type = 136, .rest = "60000000", .src = MAC_B, .dst = MAC_I, .from = IP6_B,
	      .to = IP6_I, .target = IP6_B, .tail = "0201" HEX_B}}},

	{{"back from a neighbour", .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, FROM_B,
	  .setup = i_has_it, OUT{B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}}},
	{{"back by IPv6", .in = {B_SENDS(IP6_B), .dst = MAC_A, .to = IP6_I}, FROM_B,
	  .setup = i_has_it, OUT{B_SENDS(IP6_B), .dst = MAC_I, .to = IP6_I}}},
	{{"back by ARP", .in = {REPLY, B_SENDS(IP_B), .dst = MAC_A, .to = IP_I, .tha = MAC_A},
	  FROM_B, .setup = i_has_it,
	  OUT{REPLY, B_SENDS(IP_B), .dst = MAC_I, .to = IP_I, .tha = MAC_I}}},
	{{"back to the endpoint itself", .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, FROM_B,
	  .setup = a_itself_has_it}},
	{{"during a change of its MAC", .in = {B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}, FROM_B,
	  .setup = a_becomes_i, OUT{B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
	{{"one that is not known then is asked for", FROM_B, .setup = a_becomes_i,
	  .in = {B_SENDS(IP6_B), .dst = MAC_I, .to = IP6_I}, OUT{ASKS6}}},
	{{"one that is not known is asked for", FROM_B, .setup = may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, OUT{ASKS4(IP_I)}}},
	{{"by IPv6", FROM_B, .setup = may_two, .in = {B_SENDS(IP6_B), .dst = MAC_A, .to = IP6_I},
	  OUT{ASKS6}}},
	{{"not again for each frame", FROM_B, .setup = b_asked_for_it,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
	{{"one that was silent for less than 30 seconds is not", FROM_B, .setup = i_had_it_lately,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I},
	  OUT{B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}}},
	{{"one that was silent for longer is", FROM_B, .setup = i_had_it_once,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}, OUT{ASKS4(IP_I)}}},
	{{"an address that A has not is not asked for", FROM_B, .setup = may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_UNKNOWN}}},
	{{"nor a neighbour's", FROM_B, .setup = may_two,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_C}}},
	{{"the answer is taken", .in = {TELLS_SWITCH, .src = MAC_I, .from = IP_I},
	  .setup = may_two},
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
	{{"a question for the asker's own address is taken", .setup = may_two,
	  .in = {NS_SWITCH, .target = LL6_SERVICE, .src = MAC_I, .from = IP6_I,
		 .tail = "0101" HEX_I}},
	 IP6_I,
	 MAC_I},
	{{"an advertisement to the switch is taken", .setup = two_and_answers,
	  .in = {NA, .src = MAC_I, .dst = MAC_SERVICE, .from = IP6_I, .tail = "0201" HEX_I}},
	 IP6_I,
	 MAC_I},
	{{"an answer with a neighbour's address is not", SPOOFED_IP, .setup = may_two,
	  .in = {TELLS_SWITCH, .src = MAC_I, .from = IP_B}},
	 IP_B,
	 NULL},
	{{"an answer from a MAC without a place is not", SPOOFED_MAC, .setup = full,
	  .in = {TELLS_SWITCH, .src = MAC_K, .from = IP_I}},
	 IP_I,
	 NULL},
	{{"to the switch's MAC goes nothing else",
	  .in = {.src = MAC_I, .from = IP_I, .dst = MAC_SERVICE}, .setup = may_two,
	  .drop = TSW_DROP_UNKNOWN_DESTINATION},
	 IP_I,
	 MAC_I},
	{{"an announcement of a vip", .setup = a_vip_of_b,
	  .in = {ARP, .src = MAC_I, .from = IP_I, .to = IP_I, .dst = MAC_BROADCAST},
	  OUT{ARP, .from = IP_I, .to = IP_I, .dst = MAC_BROADCAST}},
	 IP_I,
	 MAC_I},
	{{"to an inner MAC", .in = {B_SENDS(IP_B), .dst = MAC_I, .to = IP_I}, .dev = RED_B,
	  .setup = i_has_it, .drop = TSW_DROP_UNKNOWN_DESTINATION}},
	{{"back from another host", FROM_C, .in = {C_SENDS(IP_I), .outer = &host2},
	  .setup = i_has_it, OUT{C_SENDS(IP_I), .dst = MAC_I}}},
	{{"blue's has none behind it", .dev = BLUE_B, .verdict = REDIRECTED, .to = BLUE_A,
	  .moves = MOVE(LOCAL), .tenant = BLUE, .setup = another_tenants,
	  .in = {B_SENDS(IP_B), .dst = MAC_A, .to = IP_I}}},
};

static void becomes(void **state)
{
	const struct macs_case *row = *state;

	packet_check(&row->c);
}

/* Where an address is; NULL: it is not known. */
static const struct tsw_inner_addr *find(const struct tsw_inner *inner, const char *ip)
{
	static const struct tsw_mac none;
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	for (int i = 0; i < TSW_INNER_ADDRS; i++)
		if (!memcmp(&inner->addr[i].addr, &addr, sizeof(addr)) &&
		    memcmp(&inner->addr[i].mac, &none, sizeof(none)) != 0)
			return &inner->addr[i];
	return NULL;
}

/* The same once more, for packet_check() puts the maps right. */
static void is_then_behind(void **state)
{
	const struct macs_case *row = *state;
	const struct tsw_inner_addr *found;
	struct tsw_inner inner;
	__u8 mac[6] = {};

	if (!row->ip)
		return;
	row->c.setup();
	send(row->c.in.src ? row->c.in.src : MAC_A, &row->c.in);
	inner = behind_a();
	lab_fill();
	found = find(&inner, row->ip);
	assert_int_equal(!found, !row->mac);
	if (row->mac)
		frame_mac(mac, row->mac);
	if (row->mac)
		assert_memory_equal(found->mac.b, mac, sizeof(mac));
}

/* Whatever a port sends, it has no more places than N, and others have theirs. */
static void takes_its_places(void **state)
{
	struct tsw_fdb_key key, next;
	struct tsw_inner inner;
	char mac[32];
	int used = 0, entries = 0;

	(void)state;
	may_two();
	for (int i = 0; i < 2000; i++) {
		snprintf(mac, sizeof(mac), "02:00:00:01:%02x:%02x", i >> 8, i & 255);
		send(mac, &(const struct spec){});
	}
	inner = behind_a();
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
	may_two();
	for (int i = 1; i <= LISTED; i++) {
		snprintf(ip, sizeof(ip), "10.0.1.%d", i);
		lab_addr(RED, ip, MAC_A);
		send(MAC_I, &(const struct spec){.from = ip});
	}
	inner = behind_a();
	lab_fill();
	for (int i = 1; i <= LISTED; i++) {
		snprintf(ip, sizeof(ip), "10.0.1.%d", i);
		known += !!find(&inner, ip);
	}
	assert_int_equal(known, LISTED);
}

int main(void)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(becomes),
						   cmocka_unit_test(is_then_behind)};
	static const struct CMUnitTest more[] = {cmocka_unit_test(takes_its_places),
						 cmocka_unit_test(knows_all_addresses)};
	const struct packet_matrix matrix = {.name = "macs",
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = COUNT(cases)};
	const struct packet_suite suite = {.name = "macs", .more = more, .more_count = COUNT(more)};

	return packet_main_matrix(&matrix) ?: packet_main(&suite);
}
