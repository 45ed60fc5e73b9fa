// SPDX-License-Identifier: GPL-2.0-only
/*
 * DHCPv6 at the port: what a client is told by each message, what is no answer, and what mutated
 * requests get. Router advertisements are in packet_ra.c.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab6.h"
#include "lab_macs.h"
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
#define SEARCH " 24:" WIRE
#define ID_130 "0002" ID_64 ID_64
#define ID_64 ID_16 ID_16 ID_16 ID_16
#define ID_16 "000102030405060708090a0b0c0d0e0f"

/* A may send from two more MACs. */
static void with_macs(void)
{
	const __u32 most = 2;

	lab6_usual();
	lab_set(M_MACS, lab_macs_key(), &most);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
}

static void with_macs_alone(void)
{
	with_macs();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
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
	{"no gateway", SOLICIT, .setup = lab6_no_gateway, .told = "advertise" BY_NONE IA ITS_ID},

	{"a name server, and a domain", SOLICIT, .setup = lab6_named,
	 .told = "advertise" BY_G IA BY_DNS ITS_ID SEARCH},
	{"the same, to an information request", INFORM, .setup = lab6_named, .no_ia = true,
	 .told = "reply" BY_G BY_DNS ITS_ID SEARCH},
	{"no domain", SOLICIT, .setup = lab6_no_domain, .told = "advertise" BY_G IA BY_DNS ITS_ID},
	{"the longest answer", SOLICIT, .setup = lab6_longest_name, .rapid = true, .id = ID_130,
	 .told = "reply" BY_G " rapid" IA BY_DNS " 1:" ID_130 " 24:" LONGEST},
	{"the longest to who renews", RENEW, OURS, .setup = lab6_longest_name, .had = "fd00::9",
	 .id = ID_130, .told = "reply" BY_G IA " fd00::9 0" BY_DNS " 1:" ID_130 " 24:" LONGEST},

	{"a name server without a gateway", SOLICIT, .setup = lab6_named_alone,
	 .told = "advertise" BY_NONE IA " dns fd00:ec2::253" ITS_ID SEARCH},
	{"the same, the longest", RENEW, .server = SERVER_NONE, .setup = lab6_longest_alone,
	 .had = "fd00::9", .id = ID_130,
	 .told = "reply" BY_NONE IA " fd00::9 0 dns fd00:ec2::253 1:" ID_130 " 24:" LONGEST},

	{"while another is answered", SOLICIT, .setup = lab6_busy, .drop = TSW_DROP_INTERNAL},
	{"more than one datagram", SOLICIT, .gso_size = 1000, TRUNCATED},
	{"dhcp off", SOLICIT, .setup = lab6_dhcp_off, .passed = true},
	{"IPv4 alone", SOLICIT, .setup = lab6_four_alone, .passed = true},
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
	(a->setup ?: lab6_usual)();
	if (a->passed)
		lab_broadcast_off(RED);
	build(a, &in);
	asked_check(&want, &in, told_dhcp6, &ran);
	if (a->told)
		assert_memory_equal(ran.out.b + HEAD + 1, XID, 3);
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
	lab6_named();
	for (i = 0; i < COUNT(base); i++)
		build(&asks[i], &base[i]);
	asked_mutated(&m);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
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
	};

	return asked_main(&suite);
}
