// SPDX-License-Identifier: GPL-2.0-only
/*
 * DHCP at the port: what a client is told in each of its states, what is no answer, and what
 * mutated requests get.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "told.h"

#define HEAD (14 + 20 + 8) /* where DHCP begins */
#define OPTIONS (HEAD + 240)
#define XID "\x12\x34\x56\x78"

enum { DISCOVER = 1, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE, INFORM };

struct ask {
	const char *name;
	__u8 type;
	const char *ciaddr, *wanted, *server;
	const char *id; /* of the client, hexadecimal */
	__u16 flags;
	const char *from, *to, *dst; /* of the frame; to all */
	void (*change)(struct frame *f);
	void (*setup)(void);
	const char *told; /* as told_dhcp() has it; NULL: no answer */
	enum tsw_drop drop;
	bool passed; /* see struct asked */
	__u16 gso_size;
};

/* ---- requests ---------------------------------------------------------------------- */

static void put(struct frame *f, __u8 code, const void *value, __u8 len)
{
	const __u8 head[2] = {code, len};

	frame_put(f, head, sizeof(head));
	frame_put(f, value, len);
}

static void put_ip(struct frame *f, __u8 code, const char *ip)
{
	struct in_addr addr;

	if (!ip)
		return;
	assert_int_equal(inet_pton(AF_INET, ip, &addr), 1);
	put(f, code, &addr, sizeof(addr));
}

static void build(const struct ask *a, struct frame *f)
{
	const struct spec spec = {.from = a->from ?: "0.0.0.0",
				  .to = a->to ?: "255.255.255.255",
				  .dst = a->dst ?: MAC_BROADCAST,
				  .sport = 68,
				  .dport = 67};
	__u8 boot[240] = {1, 1, 6, 0}, id[256];
	const __u16 flags = htons(a->flags);
	size_t n = asked_hex(a->id, id);

	memcpy(boot + 4, XID, 4);
	memcpy(boot + 10, &flags, 2);
	if (a->ciaddr)
		assert_int_equal(inet_pton(AF_INET, a->ciaddr, boot + 12), 1);
	frame_mac(boot + 28, MAC_A);
	memcpy(boot + 236, "\x63\x82\x53\x63", 4);
	frame_build(&spec, f);
	f->len = HEAD;
	frame_put(f, boot, sizeof(boot));
	put(f, 53, &a->type, 1);
	if (n)
		put(f, 61, id, (__u8)n);
	put_ip(f, 50, a->wanted);
	put(f, 55, "\x01\x03\x06\x1a\x79", 5);
	put_ip(f, 54, a->server);
	frame_put(f, "\xff", 1);
	if (a->change)
		a->change(f);
	asked_settle(f);
}

/* ---- the cases ---------------------------------------------------------------------- */

#define TAIL_OF(mask, rest) \
	" 54:0a0000fe" rest " 1:" mask " 3:0a0000fe 26:0596 121:000a0000fe 12:6131"
#define TIMES " 51:00000e10 58:00000708 59:00000c4e"
#define TOLD TAIL_OF("ffffff00", TIMES)
#define OFFERED "offer to 10.0.0.1 of 10.0.0.254 you 10.0.0.1 ci 0.0.0.0" TOLD
#define ACKED "ack to 10.0.0.1 of 10.0.0.254 you 10.0.0.1 ci 0.0.0.0" TOLD
#define RENEWED "ack to 10.0.0.1 of 10.0.0.254 you 10.0.0.1 ci 10.0.0.1" TOLD
#define REFUSED "nak to 255.255.255.255 for all of 10.0.0.254 you 0.0.0.0 ci 0.0.0.0 54:0a0000fe"
#define ALONE " 54:a9fea9fd" TIMES " 1:ffffff00 26:0596 121:20a9fea9fd00000000 12:6131"
#define UNICAST .dst = MAC_G, .to = IP_G, .from = IP_A
#define TRUNCATED .drop = TSW_DROP_TRUNCATED
/* With dns on. */
#define NAMED_AS(times, more)                                                           \
	" 54:0a0000fe" times " 1:ffffff00 3:0a0000fe 6:0a0000fe 26:0596 121:000a0000fe" \
	" 12:6131" more
#define OFFERED_NAMED "offer to 10.0.0.1 of 10.0.0.254 you 10.0.0.1 ci 0.0.0.0"
#define OFFERED_BY_G OFFERED_NAMED " 54:0a0000fe" TIMES
#define TEXT_TOLD " 15:7265642e7473772e696e7465726e616c"
#define SEARCH_TOLD " 119:037265640374737708696e7465726e616c00"
#define ID43 ID17 ID17 "001122334455667788"
#define ID17 "ff00112233000100012233445566778899"

static void a_is(const char *name, const char *first)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_name(RED, MAC_A, name, first);
	lab_clear(M_GROUPS);
}

static void usual(void)
{
	a_is("a1", IP_A);
	lab_net(RED, "10.0.0.0", 96 + 24);
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

static void no_net(void)
{
	a_is("a1", IP_A);
}

static void wide_net(void)
{
	usual();
	lab_net(RED, "10.0.0.0", 96 + 8);
}

static void other_net(void)
{
	usual();
	lab_net(RED, "10.1.0.0", 96 + 16);
	lab_gateway_unset(RED);
}

static void a_is_first(const char *ip, const char *next)
{
	struct tsw_addr_key key = {.tenant = RED};
	struct tsw_addr_owner owner = {};

	usual();
	lab_name(RED, MAC_A, "a1", ip);
	frame_ip((__u8 *)&key.addr, ip);
	frame_mac(owner.mac.b, MAC_A);
	frame_ip((__u8 *)&owner.next, next);
	lab_set(M_ADDRS, &key, &owner);
}

static void six_first(void)
{
	a_is_first(IP6_A, IP_A);
}

/* The server's own network. */
static void link_local(void)
{
	a_is_first("169.254.7.1", IP_A);
	lab_net(RED, "169.254.0.0", 96 + 16);
	lab_gateway_unset(RED);
}

/* Without the router. */
static void narrow_net(void)
{
	usual();
	lab_net(RED, "10.0.0.0", 96 + 28);
}

static void never_default(void)
{
	narrow_net();
	lab_tenant_flag(RED, TSW_TENANT_NEVER_DEFAULT);
}

static void busy(void)
{
	usual();
	lab_reply_busy(true);
}

static void six_alone(void)
{
	usual();
	lab_name(RED, MAC_A, "a1", IP6_A);
}

static void not_named(void)
{
	usual();
	lab_clear(M_NAMES);
}

static void of_another(void)
{
	usual();
	lab_name(RED, MAC_A, "a1", IP_B);
}

static void underscore(void)
{
	usual();
	a_is("a_1", IP_A);
}

static void own_mtu(void)
{
	usual();
	lab_tenant(RED, 1400, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
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

static void domain_of_123(void)
{
	with_domain(D63 "." D59);
}

static void domain_of_124(void)
{
	with_domain(D63 "." D59 "x");
}

static void domain_of_126(void)
{
	with_domain(D63 "." D59 "xyz");
}

static void no_domain(void)
{
	const __u32 red = RED;

	named();
	lab_unset(M_DOMAINS, &red);
}

static void other_chaddr(struct frame *f)
{
	frame_mac(f->b + HEAD + 28, MAC_B);
}

static void relayed(struct frame *f)
{
	f->b[HEAD + 24] = 10;
}

static void a_reply(struct frame *f)
{
	f->b[HEAD] = 2;
}

static void no_cookie(struct frame *f)
{
	f->b[HEAD + 236] = 0;
}

static void no_end(struct frame *f)
{
	f->len--;
}

static void cut_option(struct frame *f)
{
	f->len -= 3;
}

static void no_type(struct frame *f)
{
	memset(f->b + OPTIONS, 0, 3);
}

static void padded(struct frame *f)
{
	static const __u8 zeros[100];

	frame_put(f, zeros, sizeof(zeros));
}

static void fragment(struct frame *f)
{
	f->b[20] = 0x20;
}

static void many_options(struct frame *f)
{
	f->len--;
	for (int i = 0; i < 70; i++)
		put(f, 200, "", 0);
	frame_put(f, "\xff", 1);
}

static void long_id(struct frame *f)
{
	static const __u8 id[140];

	f->len--;
	put(f, 61, id, sizeof(id));
	frame_put(f, "\xff", 1);
}

static const struct ask asks[] = {
	{"discover", DISCOVER, .told = OFFERED},
	{"discover, by broadcast", DISCOVER, .flags = 0x8000,
	 .told = "offer to 255.255.255.255 for all of 10.0.0.254 you 10.0.0.1 ci 0.0.0.0" TOLD},
	{"discover, an id", DISCOVER, .id = ID17, .told = OFFERED " 61:" ID17},
	{"discover, padded", DISCOVER, .change = padded, .told = OFFERED},
	{"discover, another address wanted", DISCOVER, .wanted = IP_B, .told = OFFERED},
	{"request, selecting", REQUEST, .wanted = IP_A, .server = IP_G, .told = ACKED},
	{"request, selecting what was not offered", REQUEST, .wanted = IP_B, .server = IP_G,
	 .told = REFUSED},
	{"request of another server", REQUEST, .wanted = IP_A, .server = IP_B},
	{"request after a boot", REQUEST, .wanted = IP_A, .told = ACKED},
	{"request after a boot, of an old address", REQUEST, .wanted = "10.9.9.9", .told = REFUSED},
	{"refused with its id", REQUEST, .wanted = IP_B, .id = "010203",
	 .told = REFUSED " 61:010203"},
	{"request, renewing", REQUEST, .ciaddr = IP_A, UNICAST, .told = RENEWED},
	{"request, rebinding", REQUEST, .ciaddr = IP_A, .from = IP_A, .told = RENEWED},
	{"request, rebinding an old address", REQUEST, .ciaddr = IP_B, .told = REFUSED},
	{"request, renewing an old address from that", REQUEST, .ciaddr = "10.0.0.9",
	 .from = "10.0.0.9", .to = IP_G, .dst = MAC_G, .told = REFUSED},
	{"the same to all", REQUEST, .ciaddr = "10.0.0.9", .from = "10.0.0.9", .told = REFUSED},
	{"request of nothing", REQUEST, TRUNCATED},
	{"inform", INFORM, .ciaddr = IP_A, .from = IP_A,
	 .told = "ack to 10.0.0.1 of 10.0.0.254 you 0.0.0.0 ci 10.0.0.1" TAIL_OF("ffffff00", "")},
	{"decline", DECLINE, .wanted = IP_A, .server = IP_G},
	{"release", RELEASE, .ciaddr = IP_A, .server = IP_G, UNICAST},

	{"no gateway", DISCOVER, .setup = no_gateway,
	 .told = "offer to 10.0.0.1 of 169.254.169.253 you 10.0.0.1 ci 0.0.0.0" ALONE},
	{"no net: the gateway's", DISCOVER, .setup = no_net, .told = OFFERED},
	{"a wide net", DISCOVER, .setup = wide_net,
	 .told = OFFERED_NAMED TAIL_OF("ff000000", TIMES)},
	{"a net without the router", DISCOVER, .setup = narrow_net,
	 .told = OFFERED_BY_G
	 " 1:fffffff0 3:0a0000fe 26:0596 121:200a0000fe00000000000a0000fe 12:6131"},
	{"the same, never a default route", DISCOVER, .setup = never_default,
	 .told = OFFERED_BY_G " 1:fffffff0 26:0596 121:200a0000fe00000000 12:6131"},
	{"link-local", DISCOVER, .setup = link_local,
	 .told = "offer to 169.254.7.1 of 169.254.169.253 you 169.254.7.1 ci 0.0.0.0 54:a9fea9fd" TIMES
		 " 1:ffff0000 26:0596 12:6131"},
	{"while another is answered", DISCOVER, .setup = busy, .drop = TSW_DROP_INTERNAL},
	{"IPv6 listed first", DISCOVER, .setup = six_first, .told = OFFERED},
	{"a name that is no host's", DISCOVER, .setup = underscore,
	 .told = OFFERED_BY_G " 1:ffffff00 3:0a0000fe 26:0596 121:000a0000fe"},
	{"the tenant's MTU", DISCOVER, .setup = own_mtu,
	 .told = OFFERED_BY_G " 1:ffffff00 3:0a0000fe 26:0578 121:000a0000fe 12:6131"},

	{"a domain", DISCOVER, .setup = named,
	 .told = OFFERED_NAMED " 52:01" NAMED_AS(TIMES, TEXT_TOLD SEARCH_TOLD)},
	{"a domain, and an id", DISCOVER, .setup = named, .id = ID17,
	 .told = OFFERED_NAMED " 52:01" NAMED_AS(TIMES, " 61:" ID17 TEXT_TOLD SEARCH_TOLD)},
	{"a domain behind as long an id as it has room", DISCOVER, .setup = named, .id = ID43,
	 .told = OFFERED_NAMED " 52:01" NAMED_AS(TIMES, " 61:" ID43 TEXT_TOLD SEARCH_TOLD)},
	{"behind a longer one", DISCOVER, .setup = named, .id = ID43 "99",
	 .told = OFFERED_NAMED " 52:01" NAMED_AS(TIMES, " 61:" ID43 "99" SEARCH_TOLD)},
	{"a domain, to an inform", INFORM, .setup = named, .ciaddr = IP_A, .from = IP_A,
	 .told = "ack to 10.0.0.1 of 10.0.0.254 you 0.0.0.0 ci 10.0.0.1 52:01" NAMED_AS(
		 "", TEXT_TOLD SEARCH_TOLD)},
	{"refused, in a domain", REQUEST, .setup = named, .wanted = IP_B, .told = REFUSED},
	{"as long a domain as can be searched", DISCOVER, .setup = domain_of_123,
	 .told = OFFERED_NAMED
	 " 52:01" NAMED_AS(TIMES, " 15:" D63_HEX "2e" D59_HEX " 119:3f" D63_HEX "3b" D59_HEX "00")},
	{"a longer one", DISCOVER, .setup = domain_of_124,
	 .told = OFFERED_NAMED NAMED_AS(TIMES, " 15:" D63_HEX "2e" D59_HEX "78")},
	{"the longest", DISCOVER, .setup = domain_of_126,
	 .told = OFFERED_NAMED NAMED_AS(TIMES, " 15:" D63_HEX "2e" D59_HEX "78797a")},
	{"no domain", DISCOVER, .setup = no_domain, .told = OFFERED_NAMED NAMED_AS(TIMES, "")},

	{"dhcp off", DISCOVER, .setup = dhcp_off, .passed = true},
	{"in no net", DISCOVER, .setup = other_net, .passed = true},
	{"IPv6 alone", DISCOVER, .setup = six_alone, .passed = true},
	{"not named yet", DISCOVER, .setup = not_named, .passed = true},
	{"an address that is another's", DISCOVER, .setup = of_another, .passed = true},
	{"to a neighbour's server", REQUEST, .ciaddr = IP_A, .from = IP_A, .to = IP_B, .dst = MAC_B,
	 .passed = true},

	{"dhcp off, from an old address", REQUEST, .ciaddr = "10.0.0.9", .from = "10.0.0.9",
	 .setup = dhcp_off, .drop = TSW_DROP_SPOOFED_IP},
	{"from an old address, to a neighbour's server", REQUEST, .ciaddr = "10.0.0.9",
	 .from = "10.0.0.9", .to = IP_B, .dst = MAC_B, .drop = TSW_DROP_SPOOFED_IP},
	{"from a neighbour's address, to its server", REQUEST, .ciaddr = IP_B, .from = IP_B,
	 .to = "10.0.0.3", .dst = MAC_B, .drop = TSW_DROP_SPOOFED_IP},

	{"another's hardware address", DISCOVER, .change = other_chaddr,
	 .drop = TSW_DROP_SPOOFED_MAC},
	{"relayed", DISCOVER, .change = relayed, TRUNCATED},
	{"a reply", DISCOVER, .change = a_reply, TRUNCATED},
	{"without the cookie", DISCOVER, .change = no_cookie, TRUNCATED},
	{"without an end", DISCOVER, .change = no_end, TRUNCATED},
	{"cut in an option", REQUEST, .server = IP_G, .change = cut_option, TRUNCATED},
	{"without a type", DISCOVER, .change = no_type, TRUNCATED},
	{"of no known type", 13, TRUNCATED},
	{"a server's type", OFFER, TRUNCATED},
	{"in fragments", DISCOVER, .change = fragment, TRUNCATED},
	{"more than one datagram", DISCOVER, .gso_size = 1000, TRUNCATED},
	{"too many options", DISCOVER, .change = many_options, TRUNCATED},
	{"an id too long", DISCOVER, .change = long_id, TRUNCATED},
	{"an id too short", DISCOVER, .id = "01", TRUNCATED},
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
	asked_check(&want, &in, told_dhcp, &ran);
	if (!a->told)
		return;
	assert_memory_equal(ran.out.b + HEAD + 4, XID, 4);
	assert_int_equal(ran.ctx.cb[0] != 0, 1);
}

/* ---- mutated requests --------------------------------------------------------------- */

/* What is answered is A's own request, and A is told of its own address and domain. */
static bool is_right(const struct frame *in, const struct packet_run *ran)
{
	static const __u8 none[4];
	char text[TOLD_TEXT] = "";
	__u8 a[16];

	if (ran->verdict == TC_ACT_SHOT)
		return true;
	if (memcmp(ran->out.b + 34, "\0\x43", 2) != 0)
		return true; /* no answer: it went on, which packet_fuzz looks at */
	frame_ip(a, IP_A);
	if (!told_dhcp(&ran->out, text) || (strstr(text, " 15:") && !strstr(text, TEXT_TOLD)) ||
	    !strncmp(text, "nak", 3) == !!strstr(text, " 52:01") ||
	    !strstr(text, SEARCH_TOLD) != !strstr(text, " 52:01"))
		return false;
	return !memcmp(ran->out.b + HEAD + 4, in->b + HEAD + 4, 4) &&
	       (!memcmp(ran->out.b + HEAD + 16, a + 12, 4) ||
		!memcmp(ran->out.b + HEAD + 16, none, 4));
}

static void mutated(void **state)
{
	struct frame base[12];
	const struct asked_mutations m = {base, COUNT(base), 14, HEAD, told_dhcp, is_right};
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
		{"mutated requests", mutated, NULL, NULL, NULL},
	};
	const struct asked_suite suite = {
		.name = "dhcp",
		.rows = asks,
		.row_size = sizeof(*asks),
		.row_count = COUNT(asks),
		.one = one,
		.more = more,
		.more_count = COUNT(more),
	};

	return asked_main(&suite);
}
