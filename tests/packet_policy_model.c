// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random policies and random frames through the programs, beside a model that goes through all
 * rules one after the other and remembers each connection: no verdict may differ. What hangs on
 * time, ICMP errors and fragments are in packet_policy.
 *
 * TSW_SEED=N repeats a run, TSW_POLICY_FRAMES=N makes it longer.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies.h"

enum { FRAMES = 100000, EVERY = 100, RULES = 24, GROUPS = 4, CIDRS = 4, SHARE = 1 << 17 };
enum { PORTS = 12, SYN = 0x02, ACK = 0x10 };

/* Ports are few, and lie about where ranges end. */
static const __u16 ports[PORTS] = {1, 79, 80, 81, 443, 1023, 1024, 5432, 8080, 40000, 65534, 65535};
static const __u8 protos[] = {IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP, IPPROTO_ICMP};

/* Who is there; the last two are the world. */
static const struct place {
	const char *mac, *ip, *ip6;
	bool world;
} places[] = {
	{MAC_A, IP_A, IP6_A, false},	   {MAC_B, IP_B, IP6_B, false},
	{MAC_C, IP_C, IP6_C, false},	   {MAC_D, IP_D, IP6_D, false},
	{NULL, IP_WORLD, IP6_WORLD, true}, {NULL, "198.51.100.200", "2001:db8:99::1", true},
};
#define PLACES COUNT(places)
#define LOCAL 2 /* so many have a port here */
#define ENDPOINTS 4
#define CONNS (COUNT(protos) * 2 * 2 * PLACES * PLACES * PORTS * PORTS)

/* One within the other, of both families. */
static const struct cidr {
	const char *ip;
	__u32 len;
} cidrs[CIDRS] = {{"203.0.113.0", 120}, {"203.0.113.64", 122}, {"::", 0}, {"2001:db8::", 32}};

struct rule {
	bool used;
	__u16 from, to;
	__u8 proto; /* 0: any */
	bool any_port;
	__u16 first, last;
	__u16 priority;
	bool deny;
};

struct conn {
	__u8 proto, from, to;
	bool v6;
	__u16 sport, dport;
};

struct sent {
	struct conn conn; /* as the frame goes */
	__u8 flags;
	bool reply; /* of ICMP */
};

static struct rule rules[RULES];
static __u16 member[ENDPOINTS][2];
static bool denies;
static bool conns[CONNS];
static unsigned int seed;

static __u32 draw(__u32 below)
{
	return (__u32)rand_r(&seed) % below;
}

/* ---- the model ------------------------------------------------------------------------------ */

static bool within(const char *ip, const struct cidr *cidr)
{
	__u8 a[16], b[16];

	frame_ip(a, ip);
	frame_ip(b, cidr->ip);
	for (__u32 bit = 0; bit < cidr->len; bit++)
		if ((a[bit / 8] ^ b[bit / 8]) >> (7 - bit % 8) & 1)
			return false;
	return true;
}

static bool is_who(__u16 who, __u8 place, bool v6)
{
	const struct place *p = &places[place];

	if (who == TSW_POLICY_ANY)
		return true;
	if (who & TSW_POLICY_CIDR)
		return p->world &&
		       within(v6 ? p->ip6 : p->ip, &cidrs[(who & ~TSW_POLICY_CIDR) - 1]);
	return !p->world && (member[place][0] == who || member[place][1] == who);
}

static bool matches(const struct rule *rule, const struct conn *c)
{
	return rule->used && is_who(rule->from, c->from, c->v6) && is_who(rule->to, c->to, c->v6) &&
	       (!rule->proto || rule->proto == c->proto) &&
	       (rule->any_port || (c->dport >= rule->first && c->dport <= rule->last));
}

static bool is_grouped(__u8 place)
{
	return !places[place].world && (member[place][0] || member[place][1]);
}

/* *ruled: a rule says so. */
static bool allows(const struct conn *c, bool *ruled)
{
	const struct rule *best = NULL;

	for (size_t i = 0; i < RULES; i++)
		if (matches(&rules[i], c) &&
		    (!best || rules[i].priority > best->priority ||
		     (rules[i].priority == best->priority && rules[i].deny)))
			best = &rules[i];
	*ruled = best;
	if (best)
		return !best->deny;
	return !is_grouped(c->from) && !is_grouped(c->to) && !denies;
}

static struct conn turned(const struct conn *c)
{
	struct conn t = *c;

	t.from = c->to;
	t.to = c->from;
	t.sport = c->dport;
	t.dport = c->sport;
	return t;
}

/*
 * Whether it was begun, as who begins it sends; of ICMP, by a reply that nobody had asked for. A
 * place for each that there can be.
 */
static bool *begun(const struct conn *c, bool reply)
{
	size_t at, i;

	for (i = 0; protos[i] != c->proto; i++)
		;
	at = (i * 2 + c->v6) * 2 + reply;
	at = (at * PLACES + c->from) * PLACES + c->to;
	for (i = 0; ports[i] != c->sport; i++)
		;
	at = at * PORTS + i;
	for (i = 0; ports[i] != c->dport; i++)
		;
	return &conns[at * PORTS + i];
}

static bool model(const struct sent *s)
{
	const struct conn back = turned(&s->conn);
	const bool asks = s->conn.proto == IPPROTO_ICMP && !s->reply;
	bool ruled;

	if (*begun(&back, asks) && s->flags != SYN && !asks && allows(&back, &ruled))
		return true;
	if (!allows(&s->conn, &ruled))
		return false;
	if (ruled) {
		*begun(&back, asks) = false;
		*begun(&s->conn, s->reply) = true;
	}
	return true;
}

/* ---- the programs --------------------------------------------------------------------------- */

static void put_ways(const struct rule *rule, __u32 number, __u32 first, __u32 last);

/* The prefixes that a range is made of, each as long as it can be. */
static void put_range(const struct rule *rule, __u32 number)
{
	__u32 at = rule->first, size;

	while (at <= rule->last) {
		for (size = 1; !(at & size) && at + 2 * size - 1 <= rule->last && size < 65536;)
			size *= 2;
		put_ways(rule, number, at, at + size - 1);
		at += size;
	}
}

/* Of several rules with one way the one that weighs more stays. */
static void put_ways(const struct rule *rule, __u32 number, __u32 first, __u32 last)
{
	const struct policy_way way = {
		.from = rule->from,
		.to = rule->to,
		.proto = rule->proto,
		.length = rule->any_port ? 0 : 16 - __builtin_ctz((last - first + 1) | 1U << 16),
		.port = first,
		.number = number,
		.priority = rule->priority,
		.deny = rule->deny,
	};

	lab_policy_way_add(&way);
}

static void program_rules(void)
{
	lab_clear(M_POLICY_WAYS);
	for (__u32 i = 0; i < RULES; i++)
		if (rules[i].used && rules[i].any_port)
			put_ways(&rules[i], i + 1, 0, 0);
		else if (rules[i].used)
			put_range(&rules[i], i + 1);
	lab_policy_changed(RED);
}

static bool programs(const struct sent *s)
{
	static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3};
	const struct place *from = &places[s->conn.from], *to = &places[s->conn.to];
	__u32 dev = s->conn.from ? RED_B : RED_A;
	enum program program = FROM_PORT;
	struct spec spec = {
		.src = from->world ? MAC_G : from->mac,
		.dst = to->world ? MAC_G : to->mac,
		.from = s->conn.v6 ? from->ip6 : from->ip,
		.to = s->conn.v6 ? to->ip6 : to->ip,
		.sport = s->conn.sport,
		.dport = s->conn.dport,
		.tcp_flags = s->flags,
	};
	char id[9];

	if (from->world) {
		program = FROM_GATEWAY;
		dev = GW;
	} else if (s->conn.from >= LOCAL) {
		program = FROM_WIRE;
		dev = WIRE;
		spec.outer = s->conn.from == LOCAL ? &host2 : &host3;
	}
	if (s->conn.proto == IPPROTO_TCP)
		spec.kind = KIND_TCP;
	else if (s->conn.proto == IPPROTO_SCTP)
		spec.proto = IPPROTO_SCTP;
	if (s->conn.proto == IPPROTO_ICMP) {
		snprintf(id, sizeof(id), "%04x0001", s->conn.sport);
		spec.kind = KIND_ICMP;
		spec.icmp_type = s->conn.v6 ? 128 + s->reply : 8 * !s->reply;
		spec.rest = id;
	}
	return policy_passes(program, dev, &spec);
}

/* ---- chance --------------------------------------------------------------------------------- */

static __u16 draw_who(void)
{
	const __u32 n = draw(10);

	if (n < 2)
		return TSW_POLICY_ANY;
	if (n < 7)
		return 1 + draw(GROUPS);
	return TSW_POLICY_CIDR | (1 + draw(CIDRS));
}

static void draw_rule(struct rule *rule)
{
	__u16 one = ports[draw(PORTS)], two = ports[draw(PORTS)];

	*rule = (struct rule){.used = draw(4),
			      .from = draw_who(),
			      .to = draw_who(),
			      .priority = 1 + draw(3),
			      .deny = !draw(3)};
	rule->proto = draw(5) ? protos[draw(COUNT(protos))] : 0;
	rule->any_port = !rule->proto || rule->proto == IPPROTO_ICMP || !draw(3);
	rule->first = one < two ? one : two;
	rule->last = draw(2) ? rule->first : one < two ? two : one;
	if (rule->any_port)
		rule->first = rule->last = 0;
}

static void draw_member(__u32 place)
{
	member[place][0] = draw(3) ? 1 + draw(GROUPS) : 0;
	member[place][1] = member[place][0] && !draw(3) ? 1 + draw(GROUPS) : 0;
	lab_policy_member(RED, places[place].mac, member[place][0], member[place][1]);
}

static void draw_change(void)
{
	for (__u32 n = 1 + draw(3); n; n--)
		draw_rule(&rules[draw(RULES)]);
	if (!draw(3))
		draw_member(draw(ENDPOINTS));
	program_rules();
}

/* Half of all are the answer to, or go on with, what came before. */
static void draw_frame(struct sent *s)
{
	static struct conn last[16];
	static __u32 n;
	struct conn *c = &s->conn;

	memset(s, 0, sizeof(*s));
	if (n && draw(2)) {
		*c = last[draw(n < COUNT(last) ? n : COUNT(last))];
		if (draw(2))
			*c = turned(c);
		s->reply = c->proto == IPPROTO_ICMP && draw(2);
	} else {
		c->proto = protos[draw(COUNT(protos))];
		c->v6 = draw(2);
		do {
			c->from = draw(PLACES);
			c->to = draw(PLACES);
		} while (c->from == c->to || (c->from >= LOCAL && c->to >= LOCAL));
		c->sport = ports[draw(PORTS)];
		c->dport = c->proto == IPPROTO_ICMP ? c->sport : ports[draw(PORTS)];
		last[n++ % COUNT(last)] = *c;
	}
	if (c->proto == IPPROTO_TCP)
		s->flags = draw(3) ? ACK : draw(2) ? SYN : SYN | ACK;
}

/* Each has its own CIDRs: they stay. A tenant whose default is deny is one in two. */
static void begin(void)
{
	lab_fill();
	counts_clear(); /* a host is known by its counters */
	memset(conns, 0, sizeof(conns));
	memset(rules, 0, sizeof(rules));
	denies = draw(2);
	lab_policy_begin(RED, TSW_POLICY_ON, denies);
	lab_policy_connections(RED, SHARE);
	for (__u32 i = 0; i < CIDRS; i++)
		lab_policy_cidr(RED, cidrs[i].ip, cidrs[i].len, i + 1);
	for (__u32 i = 0; i < ENDPOINTS; i++)
		draw_member(i);
	for (__u32 i = 0; i < RULES; i++)
		draw_rule(&rules[i]);
	program_rules();
}

static void tell(const struct sent *s, bool want)
{
	fprintf(stderr, "# %s%s proto %u from %u:%u to %u:%u flags %x reply %d: %s by the model\n",
		s->conn.v6 ? "IPv6" : "IPv4", denies ? ", default deny" : "", s->conn.proto,
		s->conn.from, s->conn.sport, s->conn.to, s->conn.dport, s->flags, s->reply,
		want ? "passes" : "is denied");
	for (__u32 i = 0; i < RULES; i++)
		if (matches(&rules[i], &s->conn))
			fprintf(stderr, "#   %x > %x proto %u %u-%u priority %u %s\n",
				rules[i].from, rules[i].to, rules[i].proto, rules[i].first,
				rules[i].last, rules[i].priority, rules[i].deny ? "deny" : "allow");
}

static void no_verdict_differs(void **state)
{
	const char *words = getenv("TSW_SEED"), *longer = getenv("TSW_POLICY_FRAMES");
	const __u32 frames = longer ? strtoul(longer, NULL, 10) : FRAMES;
	__u32 passed = 0;
	struct sent s;
	bool want;

	(void)state;
	seed = words ? strtoul(words, NULL, 10) : (unsigned int)time(NULL);
	print_message("# TSW_SEED=%u TSW_POLICY_FRAMES=%u\n", seed, frames);
	for (__u32 i = 0; i < frames; i++) {
		if (!(i % (EVERY * EVERY)))
			begin();
		else if (!(i % EVERY))
			draw_change();
		draw_frame(&s);
		want = model(&s);
		passed += want;
		if (programs(&s) == want)
			continue;
		fprintf(stderr, "# frame %u\n", i);
		tell(&s, want);
		fail();
	}
	print_message("# %u of %u frames passed\n", passed, frames);
	assert_in_range(passed, frames / 10, frames * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_verdict_differs)};
	const struct packet_suite suite = {"policy_model", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
