// SPDX-License-Identifier: GPL-2.0-only
/*
 * Router advertisements and DHCPv6 at the port: what a client is told by each message, what is no
 * answer, and what mutated requests get.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "told.h"

#define HEAD (14 + 40 + 8) /* where DHCPv6 begins */
#define XID "\x12\x34\x56"
#define DUID "000100012233445502000000000a"
#define SERVER_G           \
	"0003000102000000" \
	"00fe"
#define SERVER_NONE        \
	"0003000102747377" \
	"a9fd"

enum {
	SOLICIT = 1,
	ADVERTISE,
	REQUEST,
	CONFIRM,
	RENEW,
	REBIND,
	REPLY,
	RELEASE,
	DECLINE,
	INFORM = 11
};

struct ask {
	const char *name;
	__u8 type;
	const char *id, *server; /* DUIDs, hexadecimal */
	const char *had;	 /* the address in the IA */
	bool no_ia, rapid;
	const char *to, *dst; /* of the frame; to all servers */
	void (*change)(struct frame *f);
	void (*setup)(void);
	const char *told; /* as told_dhcp6() has it; NULL: no answer */
	enum tsw_drop drop;
	bool passed; /* see struct asked */
	__u16 gso_size;
};

/* ---- requests ---------------------------------------------------------------------- */

static void put(struct frame *f, __u16 code, const void *value, size_t len)
{
	const __u16 head[2] = {htons(code), htons((__u16)len)};

	frame_put(f, head, sizeof(head));
	frame_put(f, value, len);
}

static void put_hex(struct frame *f, __u16 code, const char *text)
{
	__u8 octets[256];
	size_t n = asked_hex(text, octets);

	if (text)
		put(f, code, octets, n);
}

static void put_ia(struct frame *f, const struct ask *a)
{
	__u8 ia[12 + 4 + 24] = {0, 0, 0, 7};
	size_t len = 12;

	if (a->no_ia)
		return;
	if (a->had) {
		memcpy(ia + 12, "\0\5\0\30", 4);
		assert_int_equal(inet_pton(AF_INET6, a->had, ia + 16), 1);
		len = sizeof(ia);
	}
	put(f, 3, ia, len);
}

static void build(const struct ask *a, struct frame *f)
{
	const struct spec spec = {.from = LL6_A,
				  .to = a->to ?: "ff02::1:2",
				  .dst = a->dst ?: "33:33:00:01:00:02",
				  .sport = 546,
				  .dport = 547};
	const __u8 head[4] = {a->type, XID[0], XID[1], XID[2]};

	frame_build(&spec, f);
	f->len = HEAD;
	frame_put(f, head, sizeof(head));
	put_hex(f, 1, a->id ?: DUID);
	put_hex(f, 2, a->server);
	put(f, 6, "\0\27\0\30", 4);
	put_ia(f, a);
	if (a->rapid)
		put(f, 14, "", 0);
	if (a->change)
		a->change(f);
	asked_settle(f);
}

/* ---- the cases ---------------------------------------------------------------------- */

#define BY_G " to fe80::ff:fe00:a of fe80::ff:fe00:fe 2:" SERVER_G
#define BY_NONE " to fe80::ff:fe00:a of fe80::74:73ff:fe77:a9fd 2:" SERVER_NONE
#define ITS_ID " 1:" DUID
#define IA " ia 7 1800 2880 fd00::1 3600"
#define OURS .server = SERVER_G
#define TRUNCATED .drop = TSW_DROP_TRUNCATED

#define BY_DNS " dns fd00::fe"
#define WIRE "037265640374737708696e7465726e616c00"
#define SEARCH " 24:" WIRE
/* The longest that a tenant may have, as a name of DNS. */
#define LONGEST "3f" D63_HEX "3e" D59_HEX "78797a00"
#define ID_130 "0002" ID_64 ID_64
#define ID_64 ID_16 ID_16 ID_16 ID_16
#define ID_16 "000102030405060708090a0b0c0d0e0f"

static void usual(void)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_name(RED, MAC_A, "a1", IP6_A);
	lab_clear(M_GROUPS);
	lab_net(RED, "fd00::", 64);
}

static void dhcp_off(void)
{
	usual();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
}

static void no_gateway(void)
{
	usual();
	lab_gateway_unset(RED);
}

static void with_domain(const char *name)
{
	usual();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP | TSW_TENANT_DNS);
	lab_domain(RED, name);
}

static void named(void)
{
	with_domain("red.tsw.internal");
}

static void never_default(void)
{
	named();
	lab_tenant_flag(RED, TSW_TENANT_NEVER_DEFAULT);
}

static void longest_name(void)
{
	with_domain(D63 "." D59 "xyz");
}

static void named_alone(void)
{
	named();
	lab_gateway_unset(RED);
}

static void longest_alone(void)
{
	longest_name();
	lab_gateway_unset(RED);
}

static void no_domain(void)
{
	const __u32 red = RED;

	named();
	lab_unset(M_DOMAINS, &red);
}

static void four_alone(void)
{
	usual();
	lab_name(RED, MAC_A, "a1", IP_A);
}

static void peer_elsewhere(void)
{
	usual();
	lab_port(RED_A, RED, MAC_A, TSW_PORT_GUARD_IP | TSW_PORT_PEER);
}

/* A may send from two more MACs. */
static void with_macs(void)
{
	struct tsw_fdb_key who = {.tenant = RED};
	const __u32 most = 2;

	usual();
	frame_mac(who.mac.b, MAC_A);
	lab_set(M_MACS, &who, &most);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
}

static void with_macs_alone(void)
{
	with_macs();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
}

static void narrow(void)
{
	usual();
	lab_tenant(RED, 1279, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
}

static void busy(void)
{
	usual();
	lab_reply_busy(true);
}

static void cut(struct frame *f)
{
	f->len -= 2;
}

static void empty(struct frame *f)
{
	f->len = HEAD + 2;
}

static void from_inner(struct frame *f)
{
	frame_mac(f->b + 6, "02:00:00:00:11:01");
	assert_int_equal(inet_pton(AF_INET6, "fe80::ff:fe00:1101", f->b + 14 + 8), 1);
}

/* With the endpoint's own address, and its id as it is in all rows. */
static void from_inner_as_own(struct frame *f)
{
	frame_mac(f->b + 6, "02:00:00:00:11:01");
}

static void many_options(struct frame *f)
{
	for (int i = 0; i < 40; i++)
		put(f, 200, "", 0);
}

static void long_id(struct frame *f)
{
	static const __u8 id[131];

	put(f, 1, id, sizeof(id));
}

static const struct ask asks[] = {
	{"solicit", SOLICIT, .told = "advertise" BY_G IA ITS_ID},
	{"solicit, another address hoped for", SOLICIT, .had = IP6_B,
	 .told = "advertise" BY_G IA ITS_ID},
	{"solicit, rapid", SOLICIT, .rapid = true, .told = "reply" BY_G " rapid" IA ITS_ID},
	{"request", REQUEST, OURS, .told = "reply" BY_G IA ITS_ID},
	{"request with rapid commit", REQUEST, OURS, .rapid = true, .told = "reply" BY_G IA ITS_ID},
	{"request to no server", REQUEST, OURS, .no_ia = true, .told = "reply" BY_G ITS_ID},
	{"renew", RENEW, OURS, .had = IP6_A, .told = "reply" BY_G IA ITS_ID},
	{"renew of an old address", RENEW, OURS, .had = "fd00::9",
	 .told = "reply" BY_G IA " fd00::9 0" ITS_ID},
	{"rebind", REBIND, .had = IP6_A, .told = "reply" BY_G IA ITS_ID},
	{"confirm", CONFIRM, .had = IP6_A, .told = "reply" BY_G " status 0" ITS_ID},
	{"confirm of an old address", CONFIRM, .had = IP6_B,
	 .told = "reply" BY_G " status 4" ITS_ID},
	{"confirm of nothing", CONFIRM},
	{"release", RELEASE, OURS, .had = IP6_A, .told = "reply" BY_G " status 0" ITS_ID},
	{"decline", DECLINE, OURS, .had = IP6_A, .told = "reply" BY_G " status 0" ITS_ID},
	{"information", INFORM, .no_ia = true, .told = "reply" BY_G ITS_ID},
	{"an odd id", SOLICIT,
	 .id = "0002000000090102"
	       "03",
	 .told = "advertise" BY_G IA " 1:000200000009010203"},
	{"no gateway", SOLICIT, .setup = no_gateway, .told = "advertise" BY_NONE IA ITS_ID},

	{"a name server, and a domain", SOLICIT, .setup = named,
	 .told = "advertise" BY_G IA BY_DNS ITS_ID SEARCH},
	{"the same, to an information request", INFORM, .setup = named, .no_ia = true,
	 .told = "reply" BY_G BY_DNS ITS_ID SEARCH},
	{"no domain", SOLICIT, .setup = no_domain, .told = "advertise" BY_G IA BY_DNS ITS_ID},
	{"the longest answer", SOLICIT, .setup = longest_name, .rapid = true, .id = ID_130,
	 .told = "reply" BY_G " rapid" IA BY_DNS " 1:" ID_130 " 24:" LONGEST},
	{"the longest to who renews", RENEW, OURS, .setup = longest_name, .had = "fd00::9",
	 .id = ID_130, .told = "reply" BY_G IA " fd00::9 0" BY_DNS " 1:" ID_130 " 24:" LONGEST},

	{"a name server without a gateway", SOLICIT, .setup = named_alone,
	 .told = "advertise" BY_NONE IA " dns fd00:ec2::253" ITS_ID SEARCH},
	{"the same, the longest", RENEW, .server = SERVER_NONE, .setup = longest_alone,
	 .had = "fd00::9", .id = ID_130,
	 .told = "reply" BY_NONE IA " fd00::9 0 dns fd00:ec2::253 1:" ID_130 " 24:" LONGEST},

	{"while another is answered", SOLICIT, .setup = busy, .drop = TSW_DROP_INTERNAL},
	{"more than one datagram", SOLICIT, .gso_size = 1000, TRUNCATED},
	{"dhcp off", SOLICIT, .setup = dhcp_off, .passed = true},
	{"IPv4 alone", SOLICIT, .setup = four_alone, .passed = true},
	{"of another server", REQUEST, .server = "00030001020000000099", .passed = true},
	{"to a neighbour", SOLICIT, .to = IP6_B, .dst = MAC_B, .passed = true},

	{"macs, of the endpoint itself", SOLICIT, .setup = with_macs,
	 .told = "advertise" BY_G IA ITS_ID},
	{"from a MAC behind the port", SOLICIT, .setup = with_macs, .change = from_inner,
	 .drop = TSW_DROP_SPOOFED_MAC},
	{"from there by the endpoint's address", SOLICIT, .setup = with_macs,
	 .change = from_inner_as_own, .drop = TSW_DROP_SPOOFED_MAC},
	{"renewal from there", RENEW, OURS, .had = IP6_A, .setup = with_macs, .change = from_inner,
	 .drop = TSW_DROP_SPOOFED_MAC},
	{"information from there", INFORM, .no_ia = true, .setup = with_macs, .change = from_inner,
	 .drop = TSW_DROP_SPOOFED_MAC},
	{"from there, dhcp off", SOLICIT, .setup = with_macs_alone, .change = from_inner,
	 .passed = true},

	{"solicit of a server", SOLICIT, OURS, TRUNCATED},
	{"request to no server", REQUEST, TRUNCATED},
	{"solicit without an id", SOLICIT, .id = "", TRUNCATED},
	{"an id too long", SOLICIT, .change = long_id, TRUNCATED},
	{"information with an address", INFORM, TRUNCATED},
	{"a server's type", REPLY, TRUNCATED},
	{"a relay's type", 12, TRUNCATED},
	{"cut in an option", SOLICIT, .change = cut, TRUNCATED},
	{"cut in its head", SOLICIT, .change = empty, TRUNCATED},
	{"too many options", SOLICIT, .change = many_options, TRUNCATED},
};

static void one(void **state)
{
	const struct ask *a = *state;
	const struct asked want = {a->name, a->told, a->drop, a->passed, !a->dst, a->gso_size};
	struct packet_run ran;
	struct frame in;

	lab_fill();
	(a->setup ?: usual)();
	if (a->passed)
		lab_broadcast_off(RED);
	build(a, &in);
	asked_check(&want, &in, told_dhcp6, &ran);
	if (a->told)
		assert_memory_equal(ran.out.b + HEAD + 1, XID, 3);
}

/* ---- routers -------------------------------------------------------------------------- */

#define ND .kind = KIND_ICMP, .ttl = 255
#define RS                                                                                     \
	ND, .icmp_type = 133, .rest = "00000000", .dst = "33:33:00:00:00:02", .to = "ff02::2", \
	    .from = LL6_A
#define ADVERT_NET " 0304 40 80 ffffffff ffffffff 00000000 fd000000000000000000000000000000"
#define ADVERT_TAIL ADVERT_NET " 0501 0000 00000596"
#define RDNSS "1903 0000 0000ffff fd0000000000000000000000000000fe"
#define SERVICE_HEX "fd000ec2000000000000000000000253"
#define RDNSS_ALONE                                                               \
	"0304 7f 80 ffffffff ffffffff 00000000 fd000ec2000000000000000000000252 " \
	"1903 0000 0000ffff" SERVICE_HEX
#define DNSSL "1f04 0000 0000ffff" WIRE "000000000000"
#define ADVERT                                                                        \
	ND, .icmp_type = 134, .src = MAC_G, .from = LL6_G, .dst = MAC_A, .to = LL6_A, \
	    .rest = "40 80 ffff 00000000 00000000", .tail = "0101 0200000000fe" ADVERT_TAIL
#define ADVERT_ALONE                                                   \
	ADVERT, .src = MAC_SERVICE, .from = "fe80::74:73ff:fe77:a9fd", \
		.rest = "40 80 0000 00000000 00000000", .tail = "0101 02747377a9fd" ADVERT_TAIL
#define ROUTER_ON_LINK "0304 7f 80 ffffffff ffffffff 00000000 fd0000000000000000000000000000fe "
#define NS_OF_ROUTER                                                                         \
	ND, .icmp_type = 135, .rest = "00000000", .dst = "33:33:ff:00:00:fe", .from = IP6_A, \
	    .to = "ff02::1:ff00:fe", .target = IP6_G
#define NS_OF_SERVICE \
	NS_OF_ROUTER, .dst = "33:33:ff:00:02:53", .to = "ff02::1:ff00:253", .target = IP6_SERVICE
#define NA_OF_ROUTER                                                                         \
	ND, .icmp_type = 136, .rest = "60000000", .src = MAC_G, .from = IP6_G, .dst = MAC_A, \
	    .to = IP6_A, .target = IP6_G, .tail = "0201 0200000000fe"
#define ANSWERED_TO_A .verdict = REDIRECTED, .to = RED_A, .moves = MOVE(ANSWERED)

static const struct packet_case cases[] = {
	{"solicitation", .in = {RS}, ANSWERED_TO_A, .out = &(const struct spec){ADVERT},
	 .setup = usual},
	{"solicitation with an option", .in = {RS, .tail = "0101 02000000000a"}, ANSWERED_TO_A,
	 .out = &(const struct spec){ADVERT}, .setup = usual},
	{"solicitation without an address", .in = {RS, .from = "::"}, ANSWERED_TO_A,
	 .out = &(const struct spec){ADVERT, .dst = "33:33:00:00:00:01", .to = "ff02::1"},
	 .setup = usual},
	{"no gateway", .in = {RS}, ANSWERED_TO_A, .setup = no_gateway,
	 .out = &(const struct spec){ADVERT_ALONE}},
	{"a name server without a gateway", .in = {RS}, ANSWERED_TO_A, .setup = named_alone,
	 .out = &(const struct spec){ADVERT_ALONE RDNSS_ALONE DNSSL}},
	{"the same, the longest", .in = {RS}, ANSWERED_TO_A, .setup = longest_alone,
	 .out = &(const struct spec){ADVERT_ALONE RDNSS_ALONE "1f11 0000 0000ffff" LONGEST}},
	{"a name server, and a domain", .in = {RS}, ANSWERED_TO_A, .setup = named,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS DNSSL}},
	{"never a default route", .in = {RS}, ANSWERED_TO_A, .setup = never_default,
	 .out =
		 &(const struct spec){
			 ADVERT, .rest = "40 80 0000 00000000 00000000",
			 .tail = "0101 0200000000fe" ADVERT_TAIL ROUTER_ON_LINK RDNSS DNSSL}},
	{"no domain", .in = {RS}, ANSWERED_TO_A, .setup = no_domain,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS}},
	{"the longest domain", .in = {RS}, ANSWERED_TO_A, .setup = longest_name,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_TAIL RDNSS
						     "1f11 0000 0000ffff" LONGEST}},
	{"dhcp off", .in = {RS}, .setup = dhcp_off},
	{"IPv4 alone", .in = {RS}, .setup = four_alone},
	/* It gets the advertisement, too; of its stamp nothing may go into the container. */
	{"a router as a neighbour, its peer elsewhere", .in = {NS_OF_ROUTER}, ANSWERED_TO_A,
	 .to = 0, .out = &(const struct spec){NA_OF_ROUTER}, .setup = peer_elsewhere},
	{"a router as a neighbour, unknown who asks", .in = {NS_OF_ROUTER, .from = "::"},
	 ANSWERED_TO_A, .setup = usual,
	 .out = &(const struct spec){NA_OF_ROUTER, .to = "ff02::1", .dst = "33:33:00:00:00:01",
				     .rest = "20000000"}},
	{"a neighbour", .in = {NS_OF_ROUTER, .to = "ff02::1:ff00:2", .target = IP6_B},
	 ANSWERED_TO_A, .setup = usual,
	 .out = &(const struct spec){NA_OF_ROUTER, .src = MAC_B, .from = IP6_B, .target = IP6_B,
				     .tail = "0201 02000000000b"}},
	{"solicitation, an MTU that IPv6 does not have", .in = {RS}, ANSWERED_TO_A, .setup = narrow,
	 .out = &(const struct spec){ADVERT, .tail = "0101 0200000000fe" ADVERT_NET}},
	{"solicitation, while another is answered", .in = {RS}, .setup = busy,
	 .drop = TSW_DROP_INTERNAL},
	{"another hop limit", .in = {RS, .ttl = 64}, .setup = usual},
};

/*
 * Beside a neighbour's answer the router's own advertisement is sent, to who asks for the router
 * and has it by DHCPv6. It is a copy, which no run shows: it is heard at the endpoint's end.
 */
static void beside(void **state)
{
	static const struct {
		const char *name;
		struct spec in;
		void (*setup)(void);
		int want;
	} rows[] = {
		{"the router", {NS_OF_ROUTER}, usual, 1},
		{"the router, never a default route", {NS_OF_ROUTER}, never_default, 1},
		{"a neighbour", {NS_OF_ROUTER, .to = "ff02::1:ff00:2", .target = IP6_B}, usual, 0},
		{"unknown who asks", {NS_OF_ROUTER, .from = "::"}, usual, 0},
		{"dhcp off", {NS_OF_ROUTER}, dhcp_off, 0},
		{"IPv4 alone", {NS_OF_ROUTER}, four_alone, 0},
		{"who answers for names", {NS_OF_SERVICE}, named_alone, 1},
		{"who answers, and not for names", {NS_OF_SERVICE}, no_gateway, 0},
		{"the same beside a router", {NS_OF_SERVICE}, named, 0},
	};
	const int tap = lab_tap("pra1");
	struct packet_run ran;
	struct frame router, in, got;
	size_t i;
	int n;

	(void)state;
	frame_build(&rows[0].in, &router);
	for (i = 0; i < COUNT(rows); i++) {
		lab_fill();
		/* Before it one whose lease is left in the room; behind it one that is heard. */
		usual();
		asked_run(&router, 0, &ran);
		rows[i].setup();
		frame_build(&rows[i].in, &in);
		asked_run(&in, 0, &ran);
		lab_fill();
		usual();
		asked_run(&router, 0, &ran);
		for (n = -2; lab_heard(tap, n < rows[i].want ? 1000 : 0, &got); n++)
			assert_int_equal(got.b[54], 134);
		if (n != rows[i].want)
			print_error("%s: %d advertisements\n", rows[i].name, n);
		assert_int_equal(n, rows[i].want);
	}
	close(tap);
}

/* ---- mutated requests --------------------------------------------------------------- */

/* What is answered is A's own request, and A is told of its own address, or of one that is over. */
static bool is_right(const struct frame *in, const struct packet_run *ran)
{
	char text[TOLD_TEXT] = "", *at;
	int leased = 0;

	if (ran->verdict == TC_ACT_SHOT || memcmp(ran->out.b + 54, "\2\43", 2) != 0)
		return true; /* no answer: it went on, which packet_fuzz looks at */
	if (!told_dhcp6(&ran->out, text) || !strstr(text, BY_DNS) || !strstr(text, SEARCH) ||
	    memcmp(ran->out.b + HEAD + 1, in->b + HEAD + 1, 3) != 0)
		return false;
	at = strstr(text, " ia ");
	if (at && !strstr(at, " fd00::1 3600"))
		return false;
	for (at = strtok(text, " "); at; at = strtok(NULL, " "))
		leased += !strcmp(at, "3600");
	return leased <= 1;
}

static void mutated(void **state)
{
	struct frame base[14];
	const struct asked_mutations m = {base, COUNT(base), 54, HEAD, told_dhcp6, is_right};
	size_t i;

	(void)state;
	lab_fill();
	named();
	for (i = 0; i < COUNT(base); i++)
		build(&asks[i], &base[i]);
	asked_mutated(&m);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
		{"a router beside a neighbour", beside, NULL, NULL, NULL},
		{"mutated requests", mutated, NULL, NULL, NULL},
	};
	const struct asked_suite suite = {
		.name = "dhcp6",
		.rows = asks,
		.row_size = sizeof(*asks),
		.row_count = COUNT(asks),
		.one = one,
		.more = more,
		.more_count = COUNT(more),
		.cases = cases,
		.case_count = COUNT(cases),
	};

	return asked_main(&suite);
}
