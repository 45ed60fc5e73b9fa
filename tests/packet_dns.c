// SPDX-License-Identifier: GPL-2.0-only
/*
 * DNS at the port: what an endpoint is told of which name and address, what is no answer, and what
 * mutated queries get.
 *
 *	red   a  A, IPv4 and IPv6    b  B, IPv4    c  C, IPv6    db.west  D, IPv4    Up  E, IPv4
 *	blue  secret, b  at B's addresses
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "dns_expect.h"
#include "told.h"

#define ID "\x12\x34"

enum { A = 1, NS = 2, SOA = 6, PTR = 12, MX = 15, AAAA = 28, ANY = 255 };

struct ask {
	const char *name; /* of the case */
	const char *asked;
	__u16 type;
	bool opt;
	const char *from, *to, *dst; /* of the frame; the gateway's */
	__u8 at, set;		     /* this octet of the message is that */
	void (*change)(struct frame *f);
	void (*setup)(void);
	const char *told; /* as told_dns() has it; NULL: no answer */
	enum tsw_drop drop;
	bool passed; /* see struct asked */
	__u16 gso_size;
	__u8 tcp; /* flags: not a query, but such a segment */
};

/* ---- queries ------------------------------------------------------------------------- */

/* Where UDP begins. */
static size_t head_of(const struct frame *f)
{
	return f->b[12] == 0x86 ? 54 : 34;
}

#define MESSAGE(f) ((f)->b + head_of(f) + 8)

static void put_name(struct frame *f, const char *name)
{
	size_t len;
	__u8 octet;

	for (; *name; name += len + (name[len] == '.')) {
		len = strcspn(name, ".");
		octet = (__u8)len;
		frame_put(f, &octet, 1);
		frame_put(f, name, len);
	}
	frame_put(f, "", 1);
}

static void build(const struct ask *a, struct frame *f)
{
	const struct spec spec = {.kind = a->tcp ? KIND_TCP : KIND_UDP,
				  .from = a->from ?: IP_A,
				  .to = a->to ?: IP_G,
				  .dst = a->dst ?: MAC_G,
				  .dport = 53,
				  .tcp_flags = a->tcp};
	const __u8 what[4] = {(__u8)(a->type >> 8), (__u8)a->type, 0, 1};
	const __u8 counts[10] = {1, 0, 0, 1, 0, 0, 0, 0, 0, a->opt}; /* recursion is desired */
	static const __u8 opt[11] = {0, 0, 41, 4, 0xd0};

	frame_build(&spec, f);
	if (a->tcp)
		return;
	frame_put(f, ID, 2);
	frame_put(f, counts, sizeof(counts));
	put_name(f, a->asked);
	frame_put(f, what, sizeof(what));
	if (a->opt)
		frame_put(f, opt, sizeof(opt));
	if (a->at)
		MESSAGE(f)[a->at] = a->set;
	if (a->change)
		a->change(f);
	asked_settle(f);
}

/* ---- the names ------------------------------------------------------------------------ */

/* An address of an endpoint, and the next one. */
static void chain(__u32 tenant, const char *mac, const char *ip, const char *next)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_addr_owner owner = {};

	frame_ip((__u8 *)&key.addr, ip);
	frame_mac(owner.mac.b, mac);
	if (next)
		frame_ip((__u8 *)&owner.next, next);
	lab_set(M_ADDRS, &key, &owner);
}

static void domain(__u32 tenant, const char *name)
{
	lab_domain(tenant, name);
	lab_tenant(tenant, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DNS);
	lab_net(tenant, "10.0.0.0", 96 + 24);
}

static void usual(void)
{
	domain(RED, RED_DOMAIN);
	lab_name(RED, MAC_A, "a", IP_A);
	chain(RED, MAC_A, IP_A, IP6_A);
	lab_name(RED, MAC_B, "b", IP_B);
	lab_name(RED, MAC_C, "c", IP6_C);
	lab_name(RED, MAC_D, "db.west", IP_D);
	lab_name(RED, MAC_E, "Up", IP_E);
	domain(BLUE, "blue.tsw.internal");
	lab_name(BLUE, MAC_B, "secret", IP_B);
	lab_name(BLUE, MAC_A, "b", IP_A);
	lab_addr(BLUE, "10.0.0.77", MAC_B);
	lab_clear(M_GROUPS);
}

static void dns_off(void)
{
	usual();
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
}

static void no_domain(void)
{
	const __u32 red = RED;

	usual();
	lab_unset(M_DOMAINS, &red);
}

static void no_gateway(void)
{
	usual();
	lab_gateway_unset(RED);
}

static void busy(void)
{
	usual();
	lab_reply_busy(true);
}

static void no_owner(void)
{
	usual();
	chain(RED, MAC_B, IP_A, NULL);
}

static void link_local(void)
{
	usual();
	chain(RED, MAC_A, IP_A, LL6_A);
	chain(RED, MAC_A, LL6_A, NULL);
}

/* Ten of them, where eight are told. */
static void many(void)
{
	char ip[2][32];
	int i;

	usual();
	lab_name(RED, MAC_A, "a", "fd00::100");
	for (i = 0; i < 10; i++) {
		snprintf(ip[0], sizeof(ip[0]), "fd00::10%d", i);
		snprintf(ip[1], sizeof(ip[1]), "fd00::10%d", i + 1);
		chain(RED, MAC_A, ip[0], i < 9 ? ip[1] : NULL);
	}
}

/* ---- what is odd about a query -------------------------------------------------------- */

static void no_question(struct frame *f)
{
	MESSAGE(f)[5] = 0;
	f->len = head_of(f) + 8 + 12;
}

static void another_class(struct frame *f)
{
	f->b[f->len - 1] = 3;
}

static void cut_in_name(struct frame *f)
{
	f->len -= 8;
}

static void cut_in_type(struct frame *f)
{
	f->len -= 3;
}

static void cut_in_opt(struct frame *f)
{
	f->len--;
}

static void cut_in_head(struct frame *f)
{
	f->len = head_of(f) + 8 + 11;
}

static void opt_of_version_1(struct frame *f)
{
	f->b[f->len - 5] = 1;
}

static void opt_that_is_none(struct frame *f)
{
	f->b[f->len - 9] = 42;
}

static void garbage_behind(struct frame *f)
{
	static const __u8 garbage[500] = {0xff, 0xc0};

	frame_put(f, garbage, sizeof(garbage));
}

static void in_fragments(struct frame *f)
{
	f->b[20] = 0x20;
}

/* ---- the cases ------------------------------------------------------------------------ */

#define L63 "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0"
#define LONGEST                 \
	L63 "." L63 "." L63 "." \
	    "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxy"
#define LONGEST_IN_RED          \
	L63 "." L63 "." L63 "." \
	    "abcdefghijklmnopqrstuvwxyz0123456789abcdefgh." RED_DOMAIN
#define ITS_SOA " ~ SOA " RED_DOMAIN
#define REVERSE4 " ~ SOA 0.0.10.in-addr.arpa"
#define REVERSE6 " ~ SOA 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.f.ip6.arpa"
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
#define EIGHT                                                                                   \
	" | AAAA fd00::100 | AAAA fd00::101 | AAAA fd00::102 | AAAA fd00::103 | AAAA fd00::104" \
	" | AAAA fd00::105 | AAAA fd00::106 | AAAA fd00::107"
#define BY_SERVICE6 .from = IP6_A, .to = IP6_SERVICE, .dst = MAC_SERVICE
#define BY_IP6 .from = IP6_A, .to = IP6_G

/* clang-format off */
static const struct ask asks[] = {
	{"a name", "a." RED_DOMAIN, A, .told = "0,aa,rd a.red.tsw.internal A | A 10.0.0.1"},
	{"its IPv6", "a." RED_DOMAIN, AAAA, .told = "0,aa,rd a.red.tsw.internal AAAA | AAAA fd00::1"},
	{"a name alone", "b", A, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"another's, of IPv6", "c", AAAA, .told = "0,aa,rd c AAAA | AAAA fd00::3"},
	{"a name of two labels", "db.west." RED_DOMAIN, A, .told = "0,aa,rd db.west.red.tsw.internal A | A 10.0.0.4"},
	{"who has an address", IP4_NAME("1"), PTR, .told = "0,aa,rd 1.0.0.10.in-addr.arpa PTR | PTR a.red.tsw.internal"},
	{"of IPv6", IP6_NAME("3"), PTR, .told = "0,aa,rd " IP6_NAME("3") " PTR | PTR c.red.tsw.internal"},
	{"with EDNS", "b", A, true, .told = "0,aa,rd,opt b A | A 10.0.0.2"},
	{"by IPv6", "b", A, BY_IP6, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"by IPv6 with EDNS", IP4_NAME("2"), PTR, true, BY_IP6, .told = "0,aa,rd,opt 2.0.0.10.in-addr.arpa PTR | PTR b.red.tsw.internal"},
	{"blue's name", "secret", A, .told = "3,aa,rd secret A"},
	{"blue's name in blue's domain", "b.blue.tsw.internal", A, .told = "5,rd b.blue.tsw.internal A"},
	{"an address that blue alone has", IP4_NAME("77"), PTR, .told = "3,aa,rd 77.0.0.10.in-addr.arpa PTR" REVERSE4},
	{"nobody's name in it", "nobody." RED_DOMAIN, A, true, .told = "3,aa,rd,opt nobody.red.tsw.internal A" ITS_SOA},
	{"the authority of its own", RED_DOMAIN, SOA, .told = "0,aa,rd red.tsw.internal SOA | SOA red.tsw.internal"},
	/* Up to here they are what mutated queries are made of. */
	{"all there is", "a", ANY, .told = "0,aa,rd a ANY | A 10.0.0.1 | AAAA fd00::1"},
	{"of a type that nobody has", "a", MX, .told = "0,aa,rd a TYPE15"},
	{"of the family that it lacks", "c", A, .told = "0,aa,rd c A"},
	{"link-local addresses are not told", "a", ANY, .setup = link_local, .told = "0,aa,rd a ANY | A 10.0.0.1"},
	{"eight are told", "a", AAAA, .setup = many, .told = "0,aa,rd a AAAA" EIGHT},
	{"an address that is another's by now", "a", ANY, BY_IP6, .setup = no_owner, .told = "0,aa,rd a ANY"},
	{"as it was written", "A.Red.TSW.Internal", A, .told = "0,aa,rd A.Red.TSW.Internal A | A 10.0.0.1"},
	{"with capital letters", "Up", A, .told = "0,aa,rd Up A | A 10.0.0.5"},
	{"all in capitals: it is another", "UP", A, .told = "3,aa,rd UP A"},
	{"blue's name in red's domain", "secret." RED_DOMAIN, A, .told = "3,aa,rd secret.red.tsw.internal A" ITS_SOA},
	{"nobody's name", "nobody", A, .told = "3,aa,rd nobody A"},
	{"nobody's name in the domain", "a.b." RED_DOMAIN, A, .told = "3,aa,rd a.b.red.tsw.internal A" ITS_SOA},
	{"a name that begins as one", "aa." RED_DOMAIN, A, .told = "3,aa,rd aa.red.tsw.internal A" ITS_SOA},
	{"the domain itself", RED_DOMAIN, A, .told = "0,aa,rd red.tsw.internal A" ITS_SOA},
	{"all of it", RED_DOMAIN, ANY, true, .told = "0,aa,rd,opt red.tsw.internal ANY | SOA red.tsw.internal"},
	{"its name servers", RED_DOMAIN, NS, true, .told = "0,aa,rd,opt red.tsw.internal TYPE2" ITS_SOA},
	{"a name's start of authority", "a." RED_DOMAIN, SOA, .told = "0,aa,rd a.red.tsw.internal SOA" ITS_SOA},
	{"the family that a name lacks", "c." RED_DOMAIN, A, BY_IP6, .told = "0,aa,rd c.red.tsw.internal A" ITS_SOA},
	{"nobody's, as it was written", "Nobody.Red.TSW.internal", A, true,
	 .told = "3,aa,rd,opt Nobody.Red.TSW.internal A ~ SOA Red.TSW.internal"},
	{"nobody's, of the longest name", LONGEST_IN_RED, A, true, BY_IP6,
	 .told = "3,aa,rd,opt " LONGEST_IN_RED " A" ITS_SOA},
	{"what only ends like it", "a.xred.tsw.internal", A, .told = "5,rd a.xred.tsw.internal A"},
	{"the domain above", "tsw.internal", A, .told = "5,rd tsw.internal A"},
	{"the world's", "www.example.org", A, .told = "5,rd www.example.org A"},
	{"the root", "", A, .told = "5,rd . A"},
	{"an address of nobody", IP4_NAME("99"), PTR, .told = "3,aa,rd 99.0.0.10.in-addr.arpa PTR" REVERSE4},
	{"the gateway's", IP4_NAME("254"), PTR, .told = "3,aa,rd 254.0.0.10.in-addr.arpa PTR" REVERSE4},
	{"an address of IPv6 of nobody", IP6_NAME("9"), PTR, .told = "3,aa,rd " IP6_NAME("9") " PTR" REVERSE6},
	{"the world's address", "9.113.0.203.in-addr.arpa", PTR, .told = "5,rd 9.113.0.203.in-addr.arpa PTR"},
	{"an address, not of PTR", IP4_NAME("1"), A, .told = "0,aa,rd 1.0.0.10.in-addr.arpa A" REVERSE4},
	{"a zero in front", IP4_NAME("01"), PTR, .told = "5,rd 01.0.0.10.in-addr.arpa PTR"},
	{"over 255", IP4_NAME("257"), PTR, .told = "5,rd 257.0.0.10.in-addr.arpa PTR"},
	{"five numbers", IP4_NAME("1.1"), PTR, .told = "5,rd 1.1.0.0.10.in-addr.arpa PTR"},
	{"three", "0.0.10.in-addr.arpa", PTR, .told = "5,rd 0.0.10.in-addr.arpa PTR"},
	{"capital digits of IPv6", "3.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.D.F.IP6.Arpa", PTR,
	 .told = "0,aa,rd 3.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.D.F.IP6.Arpa PTR | PTR c.red.tsw.internal"},
	{"no digit", IP6_NAME("g"), PTR, .told = "5,rd " IP6_NAME("g") " PTR"},
	{"IPv4 in IPv6", "1.0.0.0.0.0.a.0.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", PTR,
	 .told = "5,rd 1.0.0.0.0.0.a.0.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa PTR"},
	{"the longest name", LONGEST, A, .told = "5,rd " LONGEST " A"},
	{"the longest label", L63, A, .told = "3,aa,rd " L63 " A"},
	{"a dot in a label", "axb", A, .at = 14, .set = '.', .told = "5,rd a\\046b A"},
	{"a NUL in a label", "axb", A, .at = 14, .set = 0, .told = "5,rd a\\000b A"},
	{"without checking", "b", A, .at = 3, .set = 0x10, .told = "0,aa,rd,cd b A | A 10.0.0.2"},
	{"another class", "b", A, .change = another_class, .told = "5,rd b A CLASS3"},
	{"garbage behind it", "b", A, .change = garbage_behind, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"an update", "b", A, .at = 2, .set = 0x29, .told = "4,rd"},
	{"EDNS of another version", "b", A, true, .change = opt_of_version_1, .told = "16,rd,opt b A"},

	{"two questions", "b", A, .at = 5, .set = 2, .told = "1,rd"},
	{"no question", "b", A, .change = no_question, .told = "1,rd"},
	{"an answer", "b", A, .at = 7, .set = 1, .told = "1,rd"},
	{"an authority", "b", A, .at = 9, .set = 1, .told = "1,rd"},
	{"two more records", "b", A, true, .at = 11, .set = 2, .told = "1,rd"},
	{"a record that is no OPT", "b", A, true, .change = opt_that_is_none, .told = "1,rd"},
	{"a pointer in the name", "b", A, .at = 12, .set = 0xc0, .told = "1,rd"},
	{"a label of 64 octets", L63, A, .at = 12, .set = 64, .told = "1,rd"},
	{"cut in the name", "b." RED_DOMAIN, A, .change = cut_in_name, .told = "1,rd"},
	{"cut in the type", "b", A, .change = cut_in_type, .told = "1,rd"},
	{"cut in OPT", "b", A, true, .change = cut_in_opt, .told = "1,rd"},

	{"a response", "b", A, .at = 2, .set = 0x81, TRUNCATED},
	{"cut in the head", "b", A, .change = cut_in_head, TRUNCATED},
	{"in fragments", "b", A, .change = in_fragments, TRUNCATED},
	{"more than one datagram", "b", A, .gso_size = 30, TRUNCATED},
	{"while another is answered", "b", A, .setup = busy, .drop = TSW_DROP_INTERNAL},

	{"to the service address", "b", A, .to = IP_SERVICE, .dst = MAC_SERVICE, .setup = no_gateway,
	 .told = "0,aa,rd b A | A 10.0.0.2"},
	{"to it without dns", "b", A, .to = IP_SERVICE, .dst = MAC_SERVICE, .setup = dns_off,
	 .drop = TSW_DROP_UNKNOWN_DESTINATION},
	{"to another address there", "b", A, .to = "169.254.169.254", .dst = MAC_SERVICE, .setup = no_gateway,
	 .drop = TSW_DROP_UNKNOWN_DESTINATION},
	{"to the service address of IPv6", "b", A, BY_SERVICE6, .setup = no_gateway,
	 .told = "0,aa,rd b A | A 10.0.0.2"},
	{"to it, where there is a gateway, too", "b", A, BY_SERVICE6, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"to it by the gateway's MAC", "b", A, .from = IP6_A, .to = IP6_SERVICE, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"to that of IPv4 by the gateway's MAC", "b", A, .to = IP_SERVICE, .told = "0,aa,rd b A | A 10.0.0.2"},
	{"to that of IPv6 without dns", "b", A, BY_SERVICE6, .setup = dns_off,
	 .drop = TSW_DROP_UNKNOWN_DESTINATION},
	{"the same by the gateway's MAC", "b", A, .from = IP6_A, .to = IP6_SERVICE, .setup = dns_off,
	 .drop = TSW_DROP_HOST_ADDRESS},
	{"to another address of IPv6 there", "b", A, .from = IP6_A, .to = "fd00:ec2::254", .dst = MAC_SERVICE,
	 .setup = no_gateway, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	{"to IPv4's in IPv6", "b", A, .from = IP6_A, .to = "::ffff:169.254.169.253", .dst = MAC_SERVICE,
	 .setup = no_gateway, .drop = TSW_DROP_UNKNOWN_DESTINATION},
	{"to a neighbour's server", "b", A, .to = IP_B, .dst = MAC_B, .passed = true},
	{"from another's address", "b", A, .from = IP_B, .drop = TSW_DROP_SPOOFED_IP},

	{"TCP begins", .tcp = 0x02, .told = "reset seq 00000000 ack 01020305"},
	{"TCP goes on", .tcp = 0x10, .told = "reset seq 05060708"},
	{"TCP ends", .tcp = 0x11, .told = "reset seq 05060708"},
	{"TCP begins and ends", .tcp = 0x03, .told = "reset seq 00000000 ack 01020306"},
	{"TCP is reset", .tcp = 0x04},
	{"TCP by IPv6", .tcp = 0x02, BY_IP6, .told = "reset seq 00000000 ack 01020305"},
	{"TCP to the service address", .tcp = 0x02, BY_SERVICE6, .setup = no_gateway,
	 .told = "reset seq 00000000 ack 01020305"},
};
/* clang-format on */

#define BASE 15 /* of these are mutated */

static void one(void **state)
{
	const struct ask *a = *state;
	const struct asked want = {a->name, a->told, a->drop, a->passed, false, a->gso_size};
	struct packet_run ran;
	struct frame in;

	lab_fill();
	(a->setup ?: usual)();
	build(a, &in);
	asked_check(&want, &in, told_dns, &ran);
	if (a->told && !a->tcp)
		assert_memory_equal(MESSAGE(&ran.out), ID, 2);
}

/* Without dns the gateway gets it, as everything else; with it, what is for the world. */
static void to_the_gateway(void **state)
{
	static const struct ask rows[] = {
		{"dns off", "b", A, .setup = dns_off},
		{"no domain", "b", A, .setup = no_domain},
		{"to the world", "b", A, .to = IP_WORLD, .setup = usual},
		{"to the world by IPv6", "b", A, .from = IP6_A, .to = IP6_WORLD, .setup = usual},
		{"to the world by TCP", .tcp = 0x02, .to = IP_WORLD, .setup = usual},
	};
	struct packet_run ran;
	struct frame in;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		lab_fill();
		rows[i].setup();
		build(&rows[i], &in);
		asked_run(&in, 0, &ran);
		assert_int_equal(ran.verdict, TC_ACT_REDIRECT);
		packet_seal(&in, rows[i].to ? 0x74500001 : 0x74550001, 0);
		assert_true(frame_equal(rows[i].name, &ran.out, &in));
		assert_false(lab_reply_is_busy());
	}
}

static void udp_beyond_the_frame(void **state)
{
	const struct ask row = {"UDP beyond the frame", "b", A, .change = garbage_behind};
	const struct asked want = {.name = row.name, TRUNCATED};
	struct packet_run ran;
	struct frame in;

	(void)state;
	lab_fill();
	usual();
	build(&row, &in);
	in.b[39]++;
	asked_check(&want, &in, told_dns, &ran);
}

/* ---- mutated queries ------------------------------------------------------------------ */

static bool is_right(const struct frame *in, const struct packet_run *ran)
{
	const size_t head = head_of(&ran->out);
	char text[TOLD_TEXT] = "";
	__u16 questions;

	if (ran->verdict == TC_ACT_SHOT || memcmp(ran->out.b + head, "\0\65", 2) != 0)
		return true; /* no answer: it went on, which packet_fuzz looks at */
	if (!told_dns(&ran->out, text) || head != head_of(in))
		return false;
	if (!strncmp(text, "reset", 5))
		return true;
	memcpy(&questions, MESSAGE(&ran->out) + 4, 2);
	/* Its number, and the question again, octet by octet. */
	if (memcmp(MESSAGE(in), MESSAGE(&ran->out), 2) != 0 ||
	    (questions && memcmp(MESSAGE(in) + 12, MESSAGE(&ran->out) + 12,
				 strlen((const char *)MESSAGE(in) + 12)) != 0))
		return false;
	return dns_is_expected(text);
}

static void mutated(void **state)
{
	static struct frame base[BASE];
	const struct asked_mutations m = {base, COUNT(base), 34, 54, told_dns, is_right};
	size_t i;

	(void)state;
	lab_fill();
	usual();
	for (i = 0; i < COUNT(base); i++)
		build(&asks[i], &base[i]);
	asked_mutated(&m);
}

int main(void)
{
	static const struct CMUnitTest more[] = {
		{"to the gateway", to_the_gateway, NULL, NULL, NULL},
		{"UDP beyond the frame", udp_beyond_the_frame, NULL, NULL, NULL},
		{"mutated queries", mutated, NULL, NULL, NULL},
	};
	const struct asked_suite suite = {
		.name = "dns",
		.rows = asks,
		.row_size = sizeof(*asks),
		.row_count = COUNT(asks),
		.one = one,
		.more = more,
		.more_count = COUNT(more),
	};

	return asked_main(&suite);
}
