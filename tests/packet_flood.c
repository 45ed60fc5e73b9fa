// SPDX-License-Identifier: GPL-2.0-only
/*
 * Broadcast and multicast: a test run really sends the copies, so they are taken at
 * the far ends of all devices and compared, and who gets none is looked at too.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "packet.h"

enum tap { AT_RED_A, AT_RED_B, AT_RED_N, AT_BLUE_A, AT_BLUE_B, AT_STRANGE, AT_WIRE, AT_VX, TAPS };

#define COPIES 2 /* at most, at one tap */

struct flood_case {
	const char *name;
	enum program program;
	__u32 dev;
	__u32 tenant;
	void (*setup)(void);
	const struct spec *heard[TAPS][COPIES]; /* the rest hears nothing */
	struct counts counts;			/* packets; octets are left to check() */
	enum tsw_drop drop;
};

static int taps[TAPS];

/* What is sent: each to all of the LAN. */
static const struct spec frames[] = {
	{.dst = MAC_BROADCAST, .to = "10.0.0.255", .payload = 50},
	{.dst = MAC_BROADCAST, .to = "255.255.255.255", .tos = 0xb8, .payload = 51},
	{.dst = "01:00:5e:00:00:fb", .to = "224.0.0.251", .payload = 33},
	{.dst = "33:33:00:00:00:fb", .from = IP6_A, .to = "ff02::fb", .payload = 40},
	{.kind = KIND_ARP, .to = IP_UNKNOWN},
	{.kind = KIND_RAW, .dst = MAC_BROADCAST, .type = 0x88b5, .payload = 47},
};

static struct spec inner, at_host2, at_host3;
static struct outer outer2, outer3;

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

/* Rings that hold what they never should; each wrong member is passed over. */
static void wrong_members(void)
{
	const __u32 ports[] = {BLUE_A, RED_B, STRANGE, 9999, BLUE_B, WIRE};
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST_GONE, TSW_MEMBER_HOST | HOST2,
			       TSW_MEMBER_HOST | 77};

	lab_ring(RED, TSW_MEMBER_PORTS, ports, COUNT(ports));
	lab_ring(RED, TSW_MEMBER_HOSTS, hosts, COUNT(hosts));
}

static void silent_host(void)
{
	const __u32 hosts[] = {TSW_MEMBER_HOST | HOST_SILENT, TSW_MEMBER_HOST | HOST3};

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

#define RED_COUNTS(...) .counts = {.stats = {{__VA_ARGS__}}
#define FROM_A .program = FROM_PORT, .dev = RED_A, .tenant = RED

static const struct flood_case cases[] = {
	{"from a port", FROM_A,
	 .heard = {[AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}, [AT_WIRE] = {&at_host2, &at_host3}},
	 RED_COUNTS([LOCAL] = {.packets = 2}, [TX] = {.packets = 2}),
	 .hosts = {[HOST2] = {{.packets = 1}}, [HOST3] = {{.packets = 1}}}}},
{
	"from a port, by the tunnel device", FROM_A,
		.setup = slow_path,
		.heard = {[AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}, [AT_VX] = {&inner, &inner}},
		RED_COUNTS([LOCAL] = {.packets = 2}, [TX] = {.packets = 2},
			   [SLOW_TX] = {.packets = 2}),
		.hosts = {
			[HOST2] = {{.packets = 1}},
			[HOST3] = {{.packets = 1}}
		}
}
}
,
	{"from blue's port",
	 .program = FROM_PORT,
	 .dev = BLUE_A,
	 .tenant = BLUE,
	 .heard = {[AT_BLUE_B] = {&inner}, [AT_WIRE] = {&at_host2, &at_host3}},
	 .counts = {.stats = {{}, {[LOCAL] = {.packets = 1}, [TX] = {.packets = 2}}},
		    .hosts = {[HOST2] = {{.packets = 1}}, [HOST3] = {{.packets = 1}}}}},
{
	"from another host",
		.program = FROM_WIRE, .dev = WIRE, .tenant = RED,
		.heard = {[AT_RED_A] = {&inner}, [AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}},
		RED_COUNTS([RX] = {.packets = 1}), .hosts = {
			[HOST2] = {{}, {.packets = 1}}
		}
}
}
,
{
	"wrong members", FROM_A,
		.setup = wrong_members, .heard = {[AT_RED_B] = {&inner}, [AT_WIRE] = {&at_host2}},
		RED_COUNTS([LOCAL] = {.packets = 1}, [TX] = {.packets = 1}), .hosts = {
			[HOST2] = {{.packets = 1}}
		}
}
}
,
{
	"wrong members, from another host",
		.program = FROM_WIRE, .dev = WIRE, .tenant = RED, .setup = wrong_members,
		.heard = {[AT_RED_B] = {&inner}}, RED_COUNTS([RX] = {.packets = 1}), .hosts = {
			[HOST2] = {{}, {.packets = 1}}
		}
}
}
,
	{"one neighbour not known",
	 FROM_A,
	 .setup = silent_host,
	 .heard = {[AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}, [AT_WIRE] = {&at_host3}},
	 RED_COUNTS([LOCAL] = {.packets = 2}, [TX] = {.packets = 1}),
	 .hosts = {[HOST3] = {{.packets = 1}}}},
	.drop = TSW_DROP_NO_ROUTE
}
,
	{"too long for the tunnel alone", FROM_A, .setup = tenant_mtu,
	 .heard = {[AT_RED_B] = {&inner}, [AT_RED_N] = {&inner}},
	 RED_COUNTS([LOCAL] = {.packets = 2})},
	.drop = TSW_DROP_TOO_BIG
}
,
{
	"a member just taken out", FROM_A,
		.setup = broken_rings, .heard = {[AT_RED_B] = {&inner}, [AT_WIRE] = {&at_host2}},
		RED_COUNTS([LOCAL] = {.packets = 1}, [TX] = {.packets = 1}), .hosts = {
			[HOST2] = {{.packets = 1}}
		}
}
}
,
}
;

static void set_bytes(struct tsw_counter *c, size_t n, size_t len)
{
	for (size_t i = 0; i < n; i++)
		c[i].bytes = c[i].packets * len;
}

static bool compare_copy(const char *name, struct frame *got, const struct spec *spec)
{
	struct frame want;

	frame_build(spec, &want);
	if (spec->outer && got->len > 36 && got->b[34] >= 0xc0)
		memcpy(want.b + 34, got->b + 34, 2);
	return frame_equal(name, got, &want);
}

static bool compare_taps(const struct flood_case *c)
{
	struct frame got;
	char name[128];
	bool ok = true;

	for (int tap = 0; tap < TAPS; tap++) {
		snprintf(name, sizeof(name), "%s, tap %d", c->name, tap);
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
	static struct outer from_host2;

	inner = *frame;
	outer2 = (struct outer){.vni = c->tenant, .tos = frame->tos};
	outer3 = outer2;
	outer3.dst = MAC_HOST3;
	outer3.to = IP_HOST3;
	from_host2 = (struct outer){FROM_HOST2, .vni = c->tenant};
	if (c->program == FROM_WIRE) {
		inner.src = MAC_C;
		inner.from = inner.from ? IP6_C : IP_C;
	}
	at_host2 = at_host3 = *in = inner;
	at_host2.outer = &outer2;
	at_host3.outer = &outer3;
	if (c->program == FROM_WIRE)
		in->outer = &from_host2;
}

static void check(const struct flood_case *c, const struct spec *frame)
{
	struct __sk_buff ctx = {.ifindex = c->dev, .mark = 7};
	struct packet_run run = {};
	struct counts got, want = c->counts;
	struct frame in;
	struct spec spec;
	bool ok;

	make_specs(c, frame, &spec);
	frame_build(&spec, &in);
	if (c->setup)
		c->setup();
	counts_clear();
	assert_int_equal(packet_run(c->program, &in, &ctx, &run), 0);
	if (c->drop)
		want.drops[0][c->drop][TSW_DIR_FROM_ENDPOINT].packets = 1;
	set_bytes((void *)&want, sizeof(want) / sizeof(struct tsw_counter), frame_inner_len(&spec));
	counts_read(&got);
	ok = counts_equal(c->name, &got, &want) && run.verdict == TC_ACT_SHOT;
	ok &= compare_taps(c);
	if (c->setup)
		lab_fill();
	assert_true(ok);
}

static void run_case(void **state)
{
	static const char *const devs[TAPS] = {"pra1", "prb1", "prn1",	"pba1",
					       "pbb1", "str1", "wire1", "vx1"};

	for (int i = 0; i < TAPS; i++)
		taps[i] = lab_tap(devs[i]);
	for (size_t i = 0; i < COUNT(frames); i++)
		check(*state, &frames[i]);
	for (int i = 0; i < TAPS; i++)
		close(taps[i]);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(cases)];
	const struct packet_suite suite = {"flood", NULL, 0, tests, COUNT(tests)};

	for (size_t i = 0; i < COUNT(cases); i++)
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = run_case,
			.initial_state = (void *)&cases[i],
		};
	return packet_main(&suite);
}
