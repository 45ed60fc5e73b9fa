// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames with octets changed, cut and added, the same ones at each run: no program
 * fails, and what it lets through is what the guard promises.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define FRAMES 200000 /* through each of the two programs */
#define SEED 0x9e3779b97f4a7c15ULL
#define SHORTEST 64 /* a test run refuses frames shorter than their IP header */
#define OUTER 50

static __u64 state_of_chance;

/* xorshift64*, to have the same numbers everywhere. */
static __u32 chance(__u32 below)
{
	state_of_chance ^= state_of_chance >> 12;
	state_of_chance ^= state_of_chance << 25;
	state_of_chance ^= state_of_chance >> 27;
	return (state_of_chance * 0x2545f4914f6cdd1dULL >> 33) % below;
}

static const struct outer host2 = {FROM_HOST2}, host3 = {FROM_HOST3};
static const struct outer blue = {FROM_HOST3, .vni = BLUE}, congested = {FROM_HOST2, .tos = 3};

static const struct spec from_port[] = {
	{.payload = 40},
	{.dst = MAC_C, .to = IP_C, .payload = 40},
	{.dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .ext = "94040000"},
	{.dst = MAC_C, .to = IP_C, .frag = 0x2000, .payload = 1430},
	{.dst = MAC_D, .from = IP6_A, .to = IP6_D, .payload = 40},
	{.dst = MAC_C, .from = LL6_A, .to = LL6_C, .next = 60, .ext = "1100010400000000"},
	{.dst = MAC_C,
	 .from = IP6_A,
	 .to = IP6_C,
	 .next = 44,
	 .ext = "3c000001000000011100010400000000"},
	{.dst = MAC_BROADCAST,
	 .from = "0.0.0.0",
	 .to = "255.255.255.255",
	 .dport = 67,
	 .payload = 40},
	{.kind = KIND_ARP, .payload = 22},
	{.kind = KIND_ARP, .dst = MAC_C, .op = 2, .to = IP_C, .payload = 22},
	{.kind = KIND_ICMP,
	 .icmp_type = 135,
	 .rest = "00000000",
	 .from = IP6_A,
	 .target = IP6_B,
	 .dst = MAC_C,
	 .tail = "010102000000000a"},
	{.kind = KIND_ICMP,
	 .icmp_type = 136,
	 .rest = "20000000",
	 .from = IP6_A,
	 .target = IP6_A,
	 .dst = MAC_C,
	 .tail = "020102000000000a"},
	{.kind = KIND_RAW, .dst = MAC_C, .type = 0x88b5, .payload = 60},
	{.dst = MAC_C, .to = IP_C, .payload = 1500},
	{.dst = MAC_C, .from = IP6_A, .to = IP6_C, .payload = 1500},
};

#define FROM_C .src = MAC_C, .dst = MAC_A

static const struct spec from_wire[] = {
	{FROM_C, .from = IP_C, .to = IP_A, .outer = &host2},
	{FROM_C, .from = IP_C, .to = IP_A, .kind = KIND_TCP, .outer = &congested, .tos = 2},
	{FROM_C, .from = IP6_C, .to = IP6_A, .outer = &congested, .tos = 1},
	{FROM_C, .from = IP6_C, .next = 60, .ext = "1100010400000000", .outer = &host2},
	{FROM_C, .kind = KIND_ARP, .op = 2, .outer = &host2},
	{FROM_C, .kind = KIND_RAW, .type = 0x88b5, .payload = 60, .outer = &host2},
	{FROM_C, .dst = MAC_BROADCAST, .from = IP_C, .outer = &host2},
	{FROM_C, .src = MAC_D, .from = IP_D, .dst = MAC_B, .outer = &host3},
	{FROM_C, .from = IP_C, .to = IP_A, .outer = &blue},
};

/* From none to eight octets are another's, most of them in the headers. */
static void mutate(struct frame *f)
{
	static const __u8 likely[] = {0, 1, 2, 4, 6, 8, 16, 17, 58, 64, 128, 200, 255};

	for (__u32 n = chance(9); n > 0; n--) {
		__u32 at = chance(chance(4) ? f->len < 120 ? f->len : 120 : f->len);

		if (chance(2))
			f->b[at] ^= 1 << chance(8);
		else
			f->b[at] = chance(2) ? likely[chance(COUNT(likely))] : chance(256);
	}
	if (!chance(8) && f->len > SHORTEST)
		f->len -= chance(f->len - SHORTEST + 1);
	if (!chance(8))
		f->len += chance(200);
}

static bool stamp_is(const struct packet_run *run, __u32 tenant, __u32 first, __u32 last)
{
	const __u32 *cb = run->ctx.cb;

	return cb[0] == (__u32)SECRET && cb[1] == SECRET >> 32 && cb[2] == tenant &&
	       cb[3] >= first && cb[3] <= last;
}

/* A's own, or none where one is allowed to have none. */
static bool source_is_own(const __u8 *eth)
{
	static const char *const own[] = {IP6_A, LL6_A, "::", "::ffff:10.0.0.1"};
	static const __u8 a[] = {10, 0, 0, 1}, none[4];
	__u16 type = eth[12] << 8 | eth[13];
	__u8 mac[6], ip[16];

	frame_mac(mac, MAC_A);
	if (memcmp(eth + 6, mac, sizeof(mac)) || type == 0x8100 || type == 0x88a8)
		return false;
	if (type == 0x0800)
		return !memcmp(eth + 26, a, sizeof(a)) || !memcmp(eth + 26, none, sizeof(none));
	if (type == 0x0806)
		return !memcmp(eth + 22, mac, 6) &&
		       (!memcmp(eth + 28, a, 4) || !memcmp(eth + 28, none, 4));
	for (size_t i = 0; type == 0x86dd && i < COUNT(own); i++) {
		inet_pton(AF_INET6, own[i], ip);
		if (!memcmp(eth + 22, ip, sizeof(ip)))
			return true;
	}
	return type != 0x86dd;
}

static bool port_promise(const struct frame *in, const struct packet_run *run)
{
	const __u8 vni[] = {8, 0, 0, 0, 0, 0, RED, 0};

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict != TC_ACT_REDIRECT)
		return false;
	if (run->ctx.cb[0])
		return stamp_is(run, RED, RED_A, RED_N) &&
		       (run->ctx.cb[3] == RED_A || source_is_own(run->out.b));
	return run->out.len == in->len + OUTER && !memcmp(run->out.b + 42, vni, sizeof(vni)) &&
	       !memcmp(run->out.b + OUTER, in->b, in->len) && source_is_own(in->b);
}

/* Whose endpoint lives where: the picture of lab.h. */
static bool wire_promise(const struct frame *in, const struct packet_run *run)
{
	const __u8 vni = in->b[48], host = in->b[29], mac = in->b[OUTER + 11];
	bool c = mac == 0x0c, red = vni == RED;

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict == TC_ACT_UNSPEC)
		return frame_equal("passed", &run->out, in) && !run->ctx.mark;
	return run->verdict == TC_ACT_REDIRECT && run->out.len == in->len - OUTER &&
	       in->b[42] == 8 && (red || vni == BLUE) && !in->b[49] && (c || mac == 0x0d) &&
	       host == (c == red ? 2 : 3) &&
	       stamp_is(run, vni, red ? RED_A : BLUE_A, red ? RED_N : BLUE_B);
}

struct fuzz {
	enum program program;
	__u32 dev;
	const struct spec *specs;
	size_t count;
	bool (*promise)(const struct frame *in, const struct packet_run *run);
};

static void run_fuzz(void **state)
{
	const struct fuzz *fuzz = *state;
	struct __sk_buff ctx = {.ifindex = fuzz->dev};
	int verdicts[3] = {};
	struct packet_run run;
	struct frame in = {};

	state_of_chance = SEED;
	for (int i = 0; i < FRAMES; i++) {
		memset(in.b, 0, sizeof(in.b));
		memset(&run.ctx, 0, sizeof(run.ctx));
		frame_build(&fuzz->specs[i % fuzz->count], &in);
		mutate(&in);
		if (packet_run(fuzz->program, &in, &ctx, &run) || !fuzz->promise(&in, &run)) {
			fprintf(stderr, "# frame %d: verdict %d, stamp %u for %u\n", i, run.verdict,
				run.ctx.cb[2], run.ctx.cb[3]);
			frame_equal("in against out", &run.out, &in);
			fail();
		}
		verdicts[run.verdict == TC_ACT_SHOT ? 0 : run.verdict == TC_ACT_REDIRECT ? 1 : 2]++;
	}
	/* Chance that lets nothing through would prove nothing. */
	assert_in_range(verdicts[0], FRAMES / 20, FRAMES);
	assert_in_range(verdicts[1], FRAMES / 20, FRAMES);
}

static const struct fuzz port = {FROM_PORT, RED_A, from_port, COUNT(from_port), port_promise};
static const struct fuzz wire = {FROM_WIRE, WIRE, from_wire, COUNT(from_wire), wire_promise};

/* What came from red's port moved nothing of blue's. */
static void port_then_counters(void **state)
{
	struct counts got, want;

	counts_clear();
	run_fuzz(state);
	counts_read(&got);
	want = got;
	memset(want.stats[1], 0, sizeof(want.stats[1]));
	memset(want.drops[1], 0, sizeof(want.drops[1]));
	memset(want.drops[2], 0, sizeof(want.drops[2]));
	assert_true(counts_equal("fuzz", &got, &want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(port_then_counters, (void *)&port),
		cmocka_unit_test_prestate(run_fuzz, (void *)&wire),
	};
	const struct packet_suite suite = {"fuzz", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
