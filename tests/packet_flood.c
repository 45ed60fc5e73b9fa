// SPDX-License-Identifier: GPL-2.0-only
/*
 * Broadcast and multicast: a test run really sends the copies, so they are taken at
 * the far ends of all devices and compared, and who gets none is looked at too.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"

enum tap {
	AT_RED_A,
	AT_RED_B,
	AT_RED_N,
	AT_BLUE_A,
	AT_BLUE_B,
	AT_GREEN_A,
	AT_GREEN_B,
	AT_LARGE_A,
	AT_VIOLET_A,
	AT_STRANGE,
	AT_WIRE,
	AT_WIRE2,
	AT_VX,
	AT_GRE4,
	AT_GRE6,
	AT_GNV,
	TAPS
};

static const char *const devs[TAPS] = {"pra1", "prb1",	"prn1",	 "pba1", "pbb1",  "pga1",
				       "pgb1", "pla1",	"pva1",	 "str1", "wire1", "wire21",
				       "vx1",  "gre41", "gre61", "gnv1"};

#define COPIES 4 /* at most, at one tap */

struct flood_case {
	const char *name;
	enum program program;
	__u32 dev;
	__u32 tenant;
	void (*setup)(void);
	const struct spec *heard[TAPS][COPIES]; /* the rest hears nothing */
	__u32 local, tx, slow_tx, rx;		/* packets */
	__u32 hosts;				/* HOST(): whose counter moves, by one */
	enum tsw_drop drop;
	const struct spec *only; /* this frame alone */
};

#define HOST(id) (1U << (id))

static int taps[TAPS];

/* What is sent: each to all of the LAN. */
static const struct spec frames[] = {
	{.dst = MAC_BROADCAST, .to = "10.0.0.255", .payload = 50},
	{.dst = MAC_BROADCAST, .to = "255.255.255.255", .tos = 0xb8, .payload = 51},
	{.dst = "01:00:5e:00:00:fb", .to = "224.0.0.251", .payload = 33},
	{.dst = "33:33:00:00:00:fb", .from = IP6_A, .to = "ff02::fb", .payload = 40, .tos = 3},
	{.kind = KIND_ARP, .to = IP_UNKNOWN},
	{.kind = KIND_RAW, .dst = MAC_BROADCAST, .type = 0x88b5, .payload = 47},
};

/* The longest that goes by each way but the one that takes most, or two. */
#define OF_OCTETS(n)                                                        \
	{                                                                   \
		.dst = MAC_BROADCAST, .to = "10.0.0.255", .payload = (n)-28 \
	}
static const struct spec of_1430 = OF_OCTETS(1430), of_1431 = OF_OCTETS(1431);
static const struct spec of_1450 = OF_OCTETS(1450), of_1451 = OF_OCTETS(1451);
static const struct spec of_1458 = OF_OCTETS(1458), of_1438 = OF_OCTETS(1438);
static const struct spec of_1439 = OF_OCTETS(1439);
static const struct spec raw_of_1431 = {
	.kind = KIND_RAW, .dst = MAC_BROADCAST, .type = 0x88b5, .payload = 1431};

/* A frame, and the forms in which its copies appear: as it was, and on the way to each host. */
static struct spec inner, at[HOSTS];
static struct outer outers[HOSTS];

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static void hosts_are(const __u32 *ids, size_t count)
{
	static const __u32 tenants[] = {RED, BLUE, GREEN, LARGE, VIOLET};
	__u32 members[HOSTS];

	for (size_t i = 0; i < count; i++)
		members[i] = TSW_MEMBER_HOST | ids[i];
	for (size_t i = 0; i < COUNT(tenants); i++)
		lab_ring(tenants[i], TSW_MEMBER_HOSTS, members, count);
}

#define HOSTS_ARE(...) \
	hosts_are((const __u32[]){__VA_ARGS__}, sizeof((__u32[]){__VA_ARGS__}) / sizeof(__u32))

static void all_hosts(void)
{
	HOSTS_ARE(HOST2, HOST4, HOST3, HOST5);
}

static void all_hosts_slow(void)
{
	all_hosts();
	slow_path();
}

static void all_hosts_geneve(void)
{
	all_hosts();
	lab_config_geneve(GNV);
}

static void all_hosts_gre(void)
{
	all_hosts();
	lab_config_gre(GRE4, GRE6);
}

static void all_hosts_gre4(void)
{
	all_hosts();
	lab_config_gre(GRE4, 0);
}

static void all_hosts_gre6(void)
{
	all_hosts();
	lab_config_gre(0, GRE6);
}

static void six_alone(void)
{
	HOSTS_ARE(HOST5, HOST4);
}

static void silent_hosts(void)
{
	HOSTS_ARE(HOST_SILENT, HOST3, HOST6_SILENT, HOST4);
}

static void silent_hosts_slow(void)
{
	silent_hosts();
	slow_path();
}

static void silent_hosts_gre6(void)
{
	silent_hosts();
	lab_config_gre(0, GRE6);
}

static void routed_hosts(void)
{
	HOSTS_ARE(HOST_NO_ROUTE, HOST6_ROUTED, HOST6_STRAY, HOST_ROUTED, HOST6_NO_ROUTE);
}

static void routed_hosts_slow(void)
{
	routed_hosts();
	slow_path();
}

/* Rings that hold what they never should; each wrong member is passed over. */
static void wrong_members(void)
{
	const __u32 ports[] = {BLUE_A, RED_B, STRANGE, 9999, BLUE_B, WIRE, GREEN_B, LARGE_A};
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST_GONE, TSW_MEMBER_HOST | HOST2,
			       TSW_MEMBER_HOST | 77};

	lab_ring(RED, TSW_MEMBER_PORTS, ports, COUNT(ports));
	lab_ring(RED, TSW_MEMBER_HOSTS, hosts, COUNT(hosts));
}

static void tenant_mtu(void)
{
	lab_tenant(RED, 20, TSW_TENANT_BROADCAST);
}

/* A member that was taken out while the walk stood on it: the walk ends. */
static void broken_rings(void)
{
	struct tsw_group_key key = {.tenant = RED, .member = RED_B};

	lab_unset(M_GROUPS, &key);
	key.member = TSW_MEMBER_HOST | HOST2;
	lab_unset(M_GROUPS, &key);
}

#define RED_A_SENDS .program = FROM_PORT, .dev = RED_A, .tenant = RED
#define BLUE_A_SENDS .program = FROM_PORT, .dev = BLUE_A, .tenant = BLUE
#define GREEN_A_SENDS .program = FROM_PORT, .dev = GREEN_A, .tenant = GREEN
#define LARGE_A_SENDS .program = FROM_PORT, .dev = LARGE_A, .tenant = LARGE
#define VIOLET_A_SENDS .program = FROM_PORT, .dev = VIOLET_A, .tenant = VIOLET
#define HOST2_SENDS .program = FROM_WIRE, .dev = WIRE
#define REDS_HEAR [AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}
#define GREEN_HEARS [AT_GREEN_B] = {&inner}
#define ALL_HOSTS HOST(HOST2) | HOST(HOST3) | HOST(HOST4) | HOST(HOST5)
#define NO_ROUTE .drop = TSW_DROP_NO_ROUTE
#define TOO_BIG .drop = TSW_DROP_TOO_BIG
#define TWO &inner, &inner
#define AT_ALL &at[HOST2], &at[HOST3], &at[HOST4], &at[HOST5]

static const struct flood_case cases[] = {
	{"from a port", RED_A_SENDS, .local = 2, .tx = 2, .hosts = HOST(HOST2) | HOST(HOST3),
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"by the tunnel device", RED_A_SENDS, .setup = slow_path, .local = 2, .tx = 2, .slow_tx = 2,
	 .hosts = HOST(HOST2) | HOST(HOST3), .heard = {REDS_HEAR, [AT_VX] = {TWO}}},
	{"from blue's port", BLUE_A_SENDS, .local = 1, .tx = 2, .hosts = HOST(HOST2) | HOST(HOST3),
	 .heard = {[AT_BLUE_B] = {&inner}, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"from another host", HOST2_SENDS, .tenant = RED, .rx = 1, .hosts = HOST(HOST2),
	 .heard = {[AT_RED_A] = {&inner}, REDS_HEAR}},
	{"from another host, green's", HOST2_SENDS, .tenant = GREEN, .rx = 1, .hosts = HOST(HOST2),
	 .heard = {[AT_GREEN_A] = {&inner}, GREEN_HEARS}},
	{"from another host, never on to others", HOST2_SENDS, .tenant = LARGE, .rx = 1,
	 .hosts = HOST(HOST2), .setup = all_hosts, .heard = {[AT_LARGE_A] = {&inner}}},
	{"wrong members", RED_A_SENDS, .setup = wrong_members, .local = 1, .tx = 1,
	 .hosts = HOST(HOST2), .heard = {[AT_RED_B] = {&inner}, [AT_WIRE] = {&at[HOST2]}}},
	{"wrong members, from another host", HOST2_SENDS, .tenant = RED, .setup = wrong_members,
	 .rx = 1, .hosts = HOST(HOST2), .heard = {[AT_RED_B] = {&inner}}},
	{"too long for the tunnel alone", RED_A_SENDS, .setup = tenant_mtu, .local = 2, TOO_BIG,
	 .heard = {REDS_HEAR}},
	{"a member just taken out", RED_A_SENDS, .setup = broken_rings, .local = 1, .tx = 1,
	 .hosts = HOST(HOST2), .heard = {[AT_RED_B] = {&inner}, [AT_WIRE] = {&at[HOST2]}}},

	{"both families, VXLAN", RED_A_SENDS, .setup = all_hosts, .local = 2, .tx = 4,
	 .hosts = ALL_HOSTS, .heard = {REDS_HEAR, [AT_WIRE] = {AT_ALL}}},
	{"both families, VXLAN, slow", RED_A_SENDS, .setup = all_hosts_slow, .local = 2, .tx = 4,
	 .slow_tx = 4, .hosts = ALL_HOSTS, .heard = {REDS_HEAR, [AT_VX] = {TWO, TWO}}},
	{"both families, VXLAN, GRE devices", RED_A_SENDS, .setup = all_hosts_gre, .local = 2,
	 .tx = 4, .hosts = ALL_HOSTS, .heard = {REDS_HEAR, [AT_WIRE] = {AT_ALL}}},
	{"both families, GRE", GREEN_A_SENDS, .setup = all_hosts, .local = 1, .tx = 4,
	 .hosts = ALL_HOSTS, .heard = {GREEN_HEARS, [AT_WIRE] = {AT_ALL}}},
	{"both families, GRE, its devices", GREEN_A_SENDS, .setup = all_hosts_gre, .local = 1,
	 .tx = 4, .slow_tx = 4, .hosts = ALL_HOSTS,
	 .heard = {GREEN_HEARS, [AT_GRE4] = {TWO}, [AT_GRE6] = {TWO}}},
	{"both families, GRE, one device", GREEN_A_SENDS, .setup = all_hosts_gre4, .local = 1,
	 .tx = 4, .slow_tx = 2, .hosts = ALL_HOSTS,
	 .heard = {GREEN_HEARS, [AT_GRE4] = {TWO}, [AT_WIRE] = {&at[HOST4], &at[HOST5]}}},
	{"both families, GRE, the other device", GREEN_A_SENDS, .setup = all_hosts_gre6, .local = 1,
	 .tx = 4, .slow_tx = 2, .hosts = ALL_HOSTS,
	 .heard = {GREEN_HEARS, [AT_GRE6] = {TWO}, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"GRE with VXLAN's device: not needed", GREEN_A_SENDS, .setup = all_hosts_slow, .local = 1,
	 .tx = 4, .hosts = ALL_HOSTS, .heard = {GREEN_HEARS, [AT_WIRE] = {AT_ALL}}},
	{"a long key", LARGE_A_SENDS, .setup = all_hosts, .tx = 4, .hosts = ALL_HOSTS,
	 .heard = {[AT_WIRE] = {AT_ALL}}},
	{"a long key, its devices", LARGE_A_SENDS, .setup = all_hosts_gre, .tx = 4, .slow_tx = 4,
	 .hosts = ALL_HOSTS, .heard = {[AT_GRE4] = {TWO}, [AT_GRE6] = {TWO}}},
	{"both families, Geneve", VIOLET_A_SENDS, .setup = all_hosts, .tx = 4, .hosts = ALL_HOSTS,
	 .heard = {[AT_WIRE] = {AT_ALL}}},
	{"both families, Geneve, its device", VIOLET_A_SENDS, .setup = all_hosts_geneve, .tx = 4,
	 .slow_tx = 4, .hosts = ALL_HOSTS, .heard = {[AT_GNV] = {TWO, TWO}}},
	{"Geneve with VXLAN's device: not needed", VIOLET_A_SENDS, .setup = all_hosts_slow, .tx = 4,
	 .hosts = ALL_HOSTS, .heard = {[AT_WIRE] = {AT_ALL}}},
	{"Geneve from another host", HOST2_SENDS, .tenant = VIOLET, .rx = 1, .hosts = HOST(HOST2),
	 .setup = all_hosts, .heard = {[AT_VIOLET_A] = {&inner}}},
	{"IPv6 alone", RED_A_SENDS, .setup = six_alone, .local = 2, .tx = 2,
	 .hosts = HOST(HOST4) | HOST(HOST5),
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST5], &at[HOST4]}}},
	{"IPv6 alone, GRE", GREEN_A_SENDS, .setup = six_alone, .local = 1, .tx = 2,
	 .hosts = HOST(HOST4) | HOST(HOST5),
	 .heard = {GREEN_HEARS, [AT_WIRE] = {&at[HOST5], &at[HOST4]}}},

	{"neighbours not known", RED_A_SENDS, .setup = silent_hosts, .local = 2, .tx = 2,
	 .hosts = HOST(HOST3) | HOST(HOST4), NO_ROUTE,
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST3], &at[HOST4]}}},
	{"neighbours not known, slow", RED_A_SENDS, .setup = silent_hosts_slow, .local = 2, .tx = 4,
	 .slow_tx = 4, .hosts = HOST(HOST3) | HOST(HOST4) | HOST(HOST_SILENT) | HOST(HOST6_SILENT),
	 .heard = {REDS_HEAR, [AT_VX] = {TWO, TWO}}},
	{"neighbours not known, GRE", GREEN_A_SENDS, .setup = silent_hosts, .local = 1, .tx = 2,
	 .hosts = HOST(HOST3) | HOST(HOST4), NO_ROUTE,
	 .heard = {GREEN_HEARS, [AT_WIRE] = {&at[HOST3], &at[HOST4]}}},
	{"GRE, VXLAN stands in", GREEN_A_SENDS, .setup = silent_hosts_slow, .local = 1, .tx = 4,
	 .slow_tx = 2, .hosts = HOST(HOST3) | HOST(HOST4) | HOST(HOST_SILENT) | HOST(HOST6_SILENT),
	 .heard = {GREEN_HEARS, [AT_VX] = {TWO}, [AT_WIRE] = {&at[HOST3], &at[HOST4]}}},
	{"Geneve, VXLAN stands in", VIOLET_A_SENDS, .setup = silent_hosts_slow, .tx = 4,
	 .slow_tx = 2, .hosts = HOST(HOST3) | HOST(HOST4) | HOST(HOST_SILENT) | HOST(HOST6_SILENT),
	 .heard = {[AT_VX] = {TWO}, [AT_WIRE] = {&at[HOST3], &at[HOST4]}}},
	{"a key too long for that", LARGE_A_SENDS, .setup = silent_hosts_slow, .tx = 2,
	 .hosts = HOST(HOST3) | HOST(HOST4), NO_ROUTE,
	 .heard = {[AT_WIRE] = {&at[HOST3], &at[HOST4]}}},
	{"GRE, a device of one family", GREEN_A_SENDS, .setup = silent_hosts_gre6, .local = 1,
	 .tx = 3, .slow_tx = 2, .hosts = HOST(HOST3) | HOST(HOST4) | HOST(HOST6_SILENT), NO_ROUTE,
	 .heard = {GREEN_HEARS, [AT_GRE6] = {TWO}, [AT_WIRE] = {&at[HOST3]}}},
	{"routes: some, none, and astray", RED_A_SENDS, .setup = routed_hosts, .local = 2, .tx = 2,
	 .hosts = HOST(HOST_ROUTED) | HOST(HOST6_ROUTED), NO_ROUTE,
	 .heard = {REDS_HEAR, [AT_WIRE2] = {&at[HOST_ROUTED], &at[HOST6_ROUTED]}}},
	{"the same, slow", RED_A_SENDS, .setup = routed_hosts_slow, .local = 2, .tx = 2,
	 .slow_tx = 2, .hosts = HOST(HOST_ROUTED) | HOST(HOST6_ROUTED), NO_ROUTE,
	 .heard = {REDS_HEAR, [AT_VX] = {TWO}}},
	{"the same, GRE", GREEN_A_SENDS, .setup = routed_hosts_slow, .local = 1, .tx = 2,
	 .hosts = HOST(HOST_ROUTED) | HOST(HOST6_ROUTED), NO_ROUTE,
	 .heard = {GREEN_HEARS, [AT_WIRE2] = {&at[HOST_ROUTED], &at[HOST6_ROUTED]}}},

	{"1430 octets fit VXLAN", RED_A_SENDS, .setup = all_hosts, .only = &of_1430, .local = 2,
	 .tx = 4, .hosts = ALL_HOSTS, .heard = {REDS_HEAR, [AT_WIRE] = {AT_ALL}}},
	{"1431 not over IPv6", RED_A_SENDS, .setup = all_hosts, .only = &of_1431, .local = 2,
	 .tx = 2, .hosts = HOST(HOST2) | HOST(HOST3), TOO_BIG,
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"1431 not over IPv6, not IP", RED_A_SENDS, .setup = all_hosts, .only = &raw_of_1431,
	 .local = 2, .tx = 2, .hosts = HOST(HOST2) | HOST(HOST3), TOO_BIG,
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"1431 not over IPv6, slow", RED_A_SENDS, .setup = all_hosts_slow, .only = &of_1431,
	 .local = 2, .tx = 2, .slow_tx = 2, .hosts = HOST(HOST2) | HOST(HOST3), TOO_BIG,
	 .heard = {REDS_HEAR, [AT_VX] = {TWO}}},
	{"1450 over IPv4", RED_A_SENDS, .only = &of_1450, .local = 2, .tx = 2,
	 .hosts = HOST(HOST2) | HOST(HOST3),
	 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"1451 by none", RED_A_SENDS, .setup = all_hosts, .only = &of_1451, .local = 2, TOO_BIG,
	 .heard = {REDS_HEAR}},
	{"1438 fit GRE", GREEN_A_SENDS, .setup = all_hosts, .only = &of_1438, .local = 1, .tx = 4,
	 .hosts = ALL_HOSTS, .heard = {GREEN_HEARS, [AT_WIRE] = {AT_ALL}}},
	{"1439 not over IPv6, GRE", GREEN_A_SENDS, .setup = all_hosts, .only = &of_1439, .local = 1,
	 .tx = 2, .hosts = HOST(HOST2) | HOST(HOST3), TOO_BIG,
	 .heard = {GREEN_HEARS, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
	{"1458 over IPv4, GRE", GREEN_A_SENDS, .only = &of_1458, .local = 1, .tx = 2,
	 .hosts = HOST(HOST2) | HOST(HOST3),
	 .heard = {GREEN_HEARS, [AT_WIRE] = {&at[HOST2], &at[HOST3]}}},
};

/* What must have been counted. */
static void expect(const struct flood_case *c, size_t len, struct counts *want)
{
	const int slot = lab_slot(c->tenant);
	const struct {
		int counter;
		__u32 packets;
	} moves[] = {{LOCAL, c->local}, {TX, c->tx}, {SLOW_TX, c->slow_tx}, {RX, c->rx}};

	memset(want, 0, sizeof(*want));
	for (size_t i = 0; i < COUNT(moves); i++)
		want->stats[slot][moves[i].counter] = (struct tsw_counter){
			.packets = moves[i].packets, .bytes = moves[i].packets * len};
	for (int id = 0; id < HOSTS; id++)
		if (c->hosts & HOST(id))
			want->hosts[id][c->program == FROM_WIRE] =
				(struct tsw_counter){.packets = 1, .bytes = len};
	if (c->drop)
		want->drops[slot][c->drop][TSW_DIR_FROM_ENDPOINT] =
			(struct tsw_counter){.packets = 1, .bytes = len};
}

static bool compare_copy(const char *name, struct frame *got, const struct spec *spec)
{
	struct frame want;
	bool ok = true;

	frame_build(spec, &want);
	if (spec->outer)
		ok = packet_adopt(spec->outer, got, &want);
	return frame_equal(name, got, &want) && ok;
}

static bool compare_taps(const struct flood_case *c)
{
	struct frame got;
	char name[128];
	bool ok = true;

	for (int tap = 0; tap < TAPS; tap++) {
		snprintf(name, sizeof(name), "%s, at %s", c->name, devs[tap]);
		for (int i = 0; i < COPIES && c->heard[tap][i]; i++) {
			if (!lab_heard(taps[tap], 1000, &got)) {
				fprintf(stderr, "# %s: copy %d is missing\n", name, i);
				ok = false;
				continue;
			}
			ok &= compare_copy(name, &got, c->heard[tap][i]);
		}
		while (lab_heard(taps[tap], 0, &got)) {
			fprintf(stderr, "# %s: a copy of %zu octets too many\n", name, got.len);
			ok = false;
		}
	}
	return ok;
}

/* The frame, and the forms in which its copies appear. */
static void make_specs(const struct flood_case *c, const struct spec *frame, struct spec *in)
{
	static const struct {
		__u32 id;
		const char *mac, *src, *ip;
	} hosts[] = {
		{HOST2, MAC_HOST2, MAC_WIRE, IP_HOST2},
		{HOST3, MAC_HOST3, MAC_WIRE, IP_HOST3},
		{HOST4, MAC_HOST4, MAC_WIRE, IP6_HOST4},
		{HOST5, MAC_HOST5, MAC_WIRE, IP6_HOST5},
		{HOST_ROUTED, MAC_ROUTER, MAC_WIRE2, IP_ROUTED},
		{HOST6_ROUTED, MAC_ROUTER, MAC_WIRE2, IP6_ROUTED},
	};
	static struct outer from_host2;
	const bool gre = c->tenant == GREEN || c->tenant == LARGE, geneve = c->tenant == VIOLET;

	inner = *frame;
	if (c->program == FROM_WIRE) {
		inner.src = MAC_C;
		inner.from = inner.from ? IP6_C : IP_C;
	}
	for (size_t i = 0; i < COUNT(hosts); i++) {
		outers[hosts[i].id] = (struct outer){.dst = hosts[i].mac,
						     .src = hosts[i].src,
						     .to = hosts[i].ip,
						     .vni = c->tenant,
						     .gre = gre,
						     .geneve = geneve,
						     .tos = frame->tos};
		at[hosts[i].id] = inner;
		at[hosts[i].id].outer = &outers[hosts[i].id];
	}
	from_host2 = (struct outer){FROM_HOST2, .vni = c->tenant, .gre = gre, .geneve = geneve,
				    .tos = frame->tos};
	*in = inner;
	if (c->program == FROM_WIRE)
		in->outer = &from_host2;
}

static void check(const struct flood_case *c, const struct spec *frame)
{
	struct __sk_buff ctx = {.ifindex = c->dev, .mark = 7};
	struct packet_run run = {};
	struct counts got, want;
	struct frame in;
	struct spec spec;
	bool ok;

	make_specs(c, frame, &spec);
	frame_build(&spec, &in);
	if (c->setup)
		c->setup();
	counts_clear();
	assert_int_equal(packet_run(c->program, &in, &ctx, &run), 0);
	expect(c, frame_inner_len(&spec), &want);
	counts_read(&got);
	ok = counts_equal(c->name, &got, &want) && run.verdict == TC_ACT_SHOT;
	ok &= compare_taps(c);
	if (c->setup)
		lab_fill();
	assert_true(ok);
}

static void run_case(void **state)
{
	const struct flood_case *c = *state;

	/* Once for all: to close one waits for all CPUs. */
	for (int i = 0; i < TAPS && !taps[TAPS - 1]; i++)
		taps[i] = lab_tap(devs[i]);
	if (c->only)
		check(c, c->only);
	for (size_t i = 0; !c->only && i < COUNT(frames); i++)
		check(c, &frames[i]);
}

static void narrow_hosts(void)
{
	all_hosts();
	lab_host_mtu(HOST3, 1400);
	lab_host_mtu(HOST4, 1400);
}

/* One of the ways is narrower than the others of its family: that copy alone is missing. */
static void narrow_ways(void **state)
{
	const struct flood_case narrow[] = {
		{"narrow, VXLAN", RED_A_SENDS, .setup = narrow_hosts, .only = &of_1430, .local = 2,
		 .tx = 2, .hosts = HOST(HOST2) | HOST(HOST5), TOO_BIG,
		 .heard = {REDS_HEAR, [AT_WIRE] = {&at[HOST2], &at[HOST5]}}},
		{"narrow, GRE", GREEN_A_SENDS, .setup = narrow_hosts, .only = &of_1430, .local = 1,
		 .tx = 2, .hosts = HOST(HOST2) | HOST(HOST5), TOO_BIG,
		 .heard = {GREEN_HEARS, [AT_WIRE] = {&at[HOST2], &at[HOST5]}}},
	};

	for (size_t i = 0; i < COUNT(narrow); i++)
		run_case((void *[]){(void *)&narrow[i]});
	(void)state;
}

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + 1] = {[COUNT(cases)] =
							     cmocka_unit_test(narrow_ways)};
	const struct packet_suite suite = {"flood", NULL, 0, tests, COUNT(tests)};

	for (size_t i = 0; i < COUNT(cases); i++)
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = run_case,
			.initial_state = (void *)&cases[i],
		};
	return packet_main(&suite);
}
