// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames with octets changed, cut and added, the same ones at each run: no program
 * fails, and what it lets through is what the guard promises.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab_world.h"
#include "promise.h"

#define FRAMES 1000000 /* through all programs together; TSW_FUZZ_FRAMES says otherwise */
#define SEED 0x9e3779b97f4a7c15ULL /* of chance; TSW_FUZZ_SEED says otherwise */
#define ADDED 200		   /* octets at most at a frame's end */
#define BASES 48

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
static const struct outer summed = {FROM_HOST2, .csum = CSUM_DONE};
static const struct outer padded = {FROM_HOST2, .padding = 9};
static const struct outer stranger = {TO_US, .from = IP_STRANGER};
static const struct outer six = {FROM6_HOST2, .tos = 2}, six4 = {FROM6_HOST4, .vni = GREEN};
static const struct outer gre = {FROM_HOST2, .gre = true, .vni = GREEN};
static const struct outer gre_large = {FROM_HOST3, .gre = true, .vni = LARGE};
static const struct outer gre_all = {FROM_HOST2, .gre = true, .vni = GREEN, .csum = CSUM_DONE,
				     .sequence = true};
static const struct outer gre6 = {FROM6_HOST2, .gre = true, .sequence = true};
static const struct outer gre6_stranger = {TO_US6, .from = IP6_STRANGER, .gre = true, .vni = GREEN};
static const struct outer geneve = {FROM_HOST2, .geneve = true, .vni = VIOLET};
static const struct outer geneve_options = {FROM_HOST3, .geneve = true, .vni = VIOLET,
					    .tlvs = "0102030100000000ffff7f00"};
static const struct outer geneve6 = {FROM6_HOST2, .geneve = true, .csum = CSUM_DONE,
				     .tlvs = "010203021111111122222222"};
static const struct outer geneve_stranger = {TO_US, .from = IP_STRANGER, .geneve = true,
					     .vni = VIOLET, .flip = 0x00400000};

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
	{.dst = MAC_G, .to = IP_WORLD, .payload = 40},
	{.dst = MAC_G, .from = IP6_A, .to = IP6_WORLD, .kind = KIND_TCP},
	{.dst = MAC_G, .to = "169.254.169.254", .kind = KIND_TCP},
	{.dst = MAC_G, .to = IP_G, .kind = KIND_ICMP, .icmp_type = 8, .rest = "12340001"},
	{.dst = MAC_G,
	 .from = IP6_A,
	 .to = IP6_G,
	 .kind = KIND_ICMP,
	 .icmp_type = 128,
	 .rest = "12340001"},
	{.dst = MAC_G, .to = IP_WORLD, .kind = KIND_TCP, .tcp_flags = 2},
	{.dst = MAC_G, .to = IP_B, .ttl = 2},
	{.dst = MAC_G, .to = IP_C, .kind = KIND_TCP, .ext = "94040000"},
	{.dst = MAC_G, .from = IP6_A, .to = IP6_B, .payload = 40},
	{.dst = MAC_G, .from = IP6_A, .to = IP6_D, .ttl = 2},
};

/* Two MACs behind red's A, as PROMISE_INNER has them, and one too many. */
#define FROM_I .src = "02:00:00:00:11:01"
#define FROM_J .src = "02:00:00:00:11:02"
#define FROM_K .src = "02:00:00:00:11:03"

static const struct spec from_behind[] = {
	{FROM_I, .payload = 40},
	{FROM_J, .dst = MAC_C, .to = IP_C, .kind = KIND_TCP, .ext = "94040000"},
	{FROM_I, .dst = MAC_D, .from = IP6_A, .to = IP6_D, .payload = 40},
	{FROM_J, .dst = MAC_G, .to = IP_WORLD, .kind = KIND_TCP},
	{FROM_I, .dst = MAC_G, .from = IP6_A, .to = IP6_B, .payload = 40},
	{FROM_I, .kind = KIND_ARP, .payload = 22},
	{FROM_J, .kind = KIND_ARP, .dst = MAC_C, .op = 2, .to = IP_C, .payload = 22},
	{FROM_I, .kind = KIND_ARP, .dst = MAC_C, .op = 2, .to = IP_A, .tha = "02:00:00:00:11:01"},
	{FROM_I, .kind = KIND_ICMP, .ttl = 255, .icmp_type = 135, .rest = "00000000", .from = IP6_A,
	 .target = "fd00::99", .dst = MAC_C, .tail = "0101020000001101"},
	{FROM_J, .kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "20000000", .from = IP6_A,
	 .to = IP6_C, .target = IP6_A, .dst = MAC_C, .tail = "0201020000001102"},
	{FROM_I, .kind = KIND_RAW, .dst = MAC_C, .type = 0x88b5, .payload = 60},
	{FROM_K, .dst = MAC_C, .to = IP_C, .payload = 40},
	{.dst = MAC_C, .to = IP_C, .payload = 40},
};

#define GARP(ip) .kind = KIND_ARP, .dst = MAC_BROADCAST, .from = ip, .to = ip, .payload = 22
#define ADVERT(ip)                                                                            \
	.kind = KIND_ICMP, .ttl = 255, .icmp_type = 136, .rest = "20000000", .to = "ff02::1", \
	.dst = "33:33:00:00:00:01", .target = ip

static const struct spec by_words[] = {
	{.from = "192.168.7.2", .payload = 40},
	{.from = "fd07::2", .to = IP6_C, .dst = MAC_C, .payload = 40},
	{.from = "192.168.7.2", .dst = MAC_G, .to = IP_WORLD, .kind = KIND_TCP},
	{.from = "fd07::2", .dst = MAC_G, .to = "fd08::2", .payload = 40},
	{.dst = MAC_G, .to = PROMISE_VIP, .payload = 40},
	{.dst = MAC_G, .from = IP6_A, .to = PROMISE_VIP6, .payload = 40},
	{.from = PROMISE_VIP, .payload = 40},
	{.from = PROMISE_VIP6, .to = IP6_B, .payload = 40},
	{.from = PROMISE_VIP_B, .payload = 40},
	{GARP(PROMISE_VIP)},
	{GARP(PROMISE_VIP_B)},
	{GARP("192.168.7.1")},
	{ADVERT(PROMISE_VIP6), .from = PROMISE_VIP6},
	{ADVERT(PROMISE_VIP6_B), .from = IP6_A},
};

static const struct spec to_words[] = {
	{.from = IP_WORLD, .to = "192.168.7.2", .payload = 40},
	{.from = IP6_WORLD, .to = "fd08::2", .kind = KIND_TCP},
	{.from = IP_WORLD, .to = PROMISE_VIP, .payload = 40},
	{.from = IP6_WORLD, .to = PROMISE_VIP6, .payload = 40},
};

#define FROM_C .src = MAC_C, .dst = MAC_A
#define FROM_D .src = MAC_D, .dst = MAC_A
#define V4 .from = IP_C, .to = IP_A
#define V6 .from = IP6_C, .to = IP6_A

static const struct spec from_wire[] = {
	{FROM_C, V4, .outer = &host2},
	{FROM_C, V4, .kind = KIND_TCP, .outer = &congested, .tos = 2},
	{FROM_C, V6, .outer = &congested, .tos = 1},
	{FROM_C, V6, .next = 60, .ext = "1100010400000000", .outer = &host2},
	{FROM_C, .kind = KIND_ARP, .op = 2, .outer = &host2},
	{FROM_C, .kind = KIND_RAW, .type = 0x88b5, .payload = 60, .outer = &host2},
	{FROM_C, V4, .dst = MAC_BROADCAST, .outer = &host2},
	{FROM_D, V4, .dst = MAC_B, .outer = &host3},
	{FROM_C, V4, .outer = &blue},
	{FROM_C, V4, .outer = &summed},
	{FROM_C, V4, .outer = &padded},
	{FROM_C, V4, .outer = &stranger},
	{FROM_C, V6, .payload = 900, .outer = &six},
	{FROM_C, V4, .kind = KIND_TCP, .tos = 1, .outer = &six},
	{FROM_C, V6, .src = MAC_E, .outer = &six4},
	{FROM_C, V4, .outer = &gre},
	{FROM_C, V6, .dst = MAC_B, .outer = &gre},
	{FROM_C, .kind = KIND_ARP, .op = 2, .outer = &gre},
	{FROM_C, V6, .dst = "33:33:00:00:00:fb", .outer = &gre},
	{FROM_D, V4, .outer = &gre_large},
	{FROM_C, V4, .kind = KIND_TCP, .outer = &gre_all},
	{FROM_C, V6, .outer = &gre6},
	{FROM_C, .kind = KIND_RAW, .type = 0x88b5, .payload = 9, .outer = &gre6},
	{FROM_C, V4, .outer = &gre6_stranger},
	{FROM_C, V4, .outer = &geneve},
	{FROM_C, .kind = KIND_ARP, .op = 2, .outer = &geneve},
	{FROM_D, V4, .outer = &geneve_options},
	{FROM_D, V6, .kind = KIND_TCP, .outer = &geneve_options},
	{FROM_C, V6, .outer = &geneve6},
	{FROM_C, V4, .outer = &geneve_stranger},
	{FROM_C, .from = IP_C, .dst = MAC_G, .to = IP_WORLD, .outer = &host2},
	{FROM_C, .from = IP6_C, .dst = MAC_G, .to = IP6_WORLD, .outer = &gre},
	{FROM_C, .from = IP_C, .dst = MAC_G, .to = IP_HOST3, .outer = &six},
	{.src = MAC_G, .dst = MAC_A, .from = IP_WORLD, .to = IP_A, .outer = &host2},
	{.src = MAC_G, .dst = MAC_A, .from = IP6_WORLD, .to = IP6_A, .outer = &gre6},
	{.src = MAC_G, .dst = MAC_G, .from = IP_A, .to = IP_WORLD, .outer = &host3},
};

/* What comes from the host's routing has been read by it already; not so here. */
static const struct spec from_gateway[] = {
	{.from = IP_WORLD, .to = IP_A, .payload = 40},
	{.from = IP_WORLD, .to = IP_B, .kind = KIND_TCP, .ext = "94040000"},
	{.from = IP6_WORLD, .to = IP6_A, .payload = 40},
	{.from = IP6_WORLD, .to = LL6_A, .next = 60, .ext = "1100010400000000"},
	{.from = IP_WORLD, .to = IP_C, .payload = 40},
	{.from = IP6_WORLD, .to = IP6_D, .kind = KIND_TCP},
	{.from = IP_WORLD, .to = IP_E, .frag = 0x2000, .payload = 40},
	{.from = IP_WORLD, .to = IP_C, .payload = 1500},
	{.from = IP6_WORLD, .to = IP6_C, .payload = 1500},
	{.kind = KIND_ARP, .dst = MAC_A, .to = IP_A, .payload = 22},
};

#define FROM_WORLD_TO_US .src = MAC_ROUTER, .dst = MAC_WIRE2, .from = IP_WORLD, .to = IP_WIRE2
#define FROM_WORLD6 .src = MAC_ROUTER, .dst = MAC_WIRE2, .from = IP6_WORLD, .to = IP6_WIRE2

static const struct spec from_world[] = {
	{FROM_WORLD_TO_US, .kind = KIND_TCP, .dport = 443, .payload = 40},
	{FROM_WORLD_TO_US, .kind = KIND_TCP, .dport = 22, .payload = 40},
	{FROM_WORLD_TO_US, .dport = 20000, .payload = 40},
	{FROM_WORLD_TO_US, .to = IP_WORLD, .payload = 40},
	{FROM_WORLD_TO_US, .dport = 20000, .frag = 0x2000, .ext = "94040000", .payload = 40},
	{FROM_WORLD6, .dport = 53, .payload = 40},
	{FROM_WORLD6, .kind = KIND_TCP, .dport = 20000, .next = 60, .ext = "0600010400000000"},
	{FROM_WORLD6, .to = IP6_WORLD, .kind = KIND_TCP},
	{FROM_WORLD_TO_US, .kind = KIND_ICMP, .icmp_type = 3,
	 .rest = "00000000450000300000000040110000cb007101cb00714d4e2007d000100000"},
	{FROM_WORLD6, .kind = KIND_ICMP, .icmp_type = 2,
	 .rest = "00000500600000000010064020010db80003000000000000000000012001"
		 "0db80077000000000000000000014e2007d000100000"},
};

/* A test run at tc refuses a frame that is shorter than its own IP header. */
static size_t shortest(const struct frame *f)
{
	return f->b[12] == 0x86 ? 14 + 40 : 14 + 20;
}

/* As if the outer header had been sent like that: else its checksum would stop most frames. */
static void mend_checksum(struct frame *f)
{
	__u16 sum;

	if (f->b[12] != 0x08 || f->b[13] || f->b[14] != 0x45)
		return;
	f->b[24] = f->b[25] = 0;
	sum = frame_checksum(f->b + 14, 20, 0);
	f->b[24] = sum >> 8;
	f->b[25] = sum & 0xff;
}

/* From none to four octets are another's, most of them in the headers. */
static void mutate(struct frame *f)
{
	static const __u8 likely[] = {0, 1, 2, 4, 6, 8, 16, 17, 47, 58, 64, 128, 200, 255};

	for (__u32 n = chance(5); n > 0; n--) {
		__u32 at = chance(chance(4) ? f->len < 130 ? f->len : 130 : f->len);

		if (chance(2))
			f->b[at] ^= 1 << chance(8);
		else
			f->b[at] = chance(2) ? likely[chance(COUNT(likely))] : chance(256);
	}
	if (!chance(8) && f->len > shortest(f))
		f->len -= chance(f->len - shortest(f) + 1);
	if (!chance(8))
		f->len += chance(ADDED);
	if (f->len < shortest(f))
		f->len = shortest(f);
	if (chance(8))
		mend_checksum(f);
}

/* One way into the switch, and its share of the frames in percent. */
struct fuzz {
	const char *name;
	enum program program;
	int share;
	__u32 tenant, dev; /* whose port; 0: the underlay */
	const struct spec *specs;
	size_t count;
	__u32 mark;
	__u32 old;  /* the host from which the tenant's gateway comes; 0: none */
	bool macs;  /* A has two MACs behind its port */
	bool words; /* of promise.h */
};

static bool keeps_promise(const struct fuzz *fuzz, const struct frame *in,
			  const struct packet_run *run)
{
	struct frame outer;

	if (fuzz->program == FROM_PORT && !fuzz->macs)
		return promise_from_port(fuzz->tenant, fuzz->old, in, run);
	if (fuzz->program == FROM_PORT) {
		promise_outer(in, &outer);
		return promise_from_port(fuzz->tenant, fuzz->old, &outer, run);
	}
	if (fuzz->program == FROM_GATEWAY || fuzz->program == FAST_GATEWAY)
		return promise_from_gateway(fuzz->tenant, in, run);
	if (fuzz->program == TO_GATEWAY)
		return promise_to_gateway(fuzz->mark, in, run);
	if (fuzz->program == FROM_WORLD)
		return promise_from_world(in, run);
	return packet_is_xdp(fuzz->program) ? promise_xdp(in, run) : promise_from_wire(in, run);
}

static void show(int i, const struct frame *in, const struct packet_run *run)
{
	fprintf(stderr, "# frame %d: verdict %d, stamp %u for %u\n", i, run->verdict,
		run->ctx.cb[2], run->ctx.cb[3]);
	frame_equal("in against out", &run->out, in);
}

/* What became of them; the rest passed untouched. */
struct tally {
	int dropped, through;
};

static struct tally run_frames(const struct fuzz *fuzz, struct frame *bases, int n)
{
	struct __sk_buff ctx = {.ifindex = fuzz->dev ?: WIRE};
	struct tally tally = {};
	struct packet_run run = {};
	struct frame in;

	for (int i = 0; i < n; i++) {
		const struct frame *base = &bases[i % fuzz->count];

		in.len = base->len;
		memcpy(in.b, base->b, base->len + ADDED);
		ctx.mark = fuzz->mark;
		memset(ctx.cb, 0, sizeof(ctx.cb));
		mutate(&in);
		packet_tell_mark(fuzz->program, &in, &ctx); /* else the seal stops most of them */
		run.meta_len = 0;
		promise_words_hold(i / 64 % 2);
		if (packet_run(fuzz->program, &in, &ctx, &run) || !keeps_promise(fuzz, &in, &run) ||
		    !promise_words_kept(&in)) {
			show(i, &in, &run);
			fail();
		}
		if (packet_is_xdp(fuzz->program)) {
			tally.dropped += run.verdict == XDP_DROP;
			tally.through += run.meta_len > 0;
		} else {
			tally.dropped += run.verdict == TC_ACT_SHOT;
			tally.through +=
				run.verdict ==
				(fuzz->program == TO_GATEWAY ? TC_ACT_UNSPEC : TC_ACT_REDIRECT);
		}
	}
	return tally;
}

static __u64 from_environment(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);
	char *end;
	__u64 number;

	if (!text)
		return otherwise;
	number = strtoull(text, &end, 0);
	if (!number || *end)
		fail_msg("%s=\"%s\" is no number above 0", name, text);
	return number;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Both have their places for as long as the test lasts. */
static void set_macs(const struct fuzz *fuzz)
{
	struct tsw_fdb_key who = {.tenant = fuzz->tenant};
	static const __u8 behind[][sizeof(who.mac) + 1] = {PROMISE_INNER};
	const __u32 most = COUNT(behind);
	struct tsw_inner inner = {};

	frame_mac(who.mac.b, MAC_A);
	for (size_t i = 0; i < COUNT(behind); i++) {
		memcpy(&inner.mac[i].mac, behind[i], sizeof(who.mac));
		inner.mac[i].seen = now() * 1e9;
	}
	lab_set(M_MACS, &who, &most);
	lab_set(M_INNER, &who, &inner);
	lab_port_flag(fuzz->tenant, MAC_A, TSW_PORT_MACS);
}

static void run_fuzz(void **state)
{
	static struct frame bases[BASES];
	const struct fuzz *fuzz = *state;
	const __u64 seed = from_environment("TSW_FUZZ_SEED", SEED);
	const int n = from_environment("TSW_FUZZ_FRAMES", FRAMES) * fuzz->share / 100;
	double begin = now();
	struct tally tally;

	state_of_chance = seed;
	lab_fill(); /* without the flows that were noted before */
	if (fuzz->program == FROM_WORLD)
		promise_world_set();
	if (fuzz->old)
		lab_gateway(fuzz->tenant, 0, fuzz->old, 3600);
	if (fuzz->macs)
		set_macs(fuzz);
	promise_words_set(fuzz->words);
	for (size_t i = 0; i < fuzz->count; i++) {
		memset(&bases[i], 0, sizeof(bases[i]));
		frame_build(&fuzz->specs[i], &bases[i]);
	}
	tally = run_frames(fuzz, bases, n);
	printf("# %s: %d frames, %d dropped, %d through, %.1f s, seed %#llx\n", fuzz->name, n,
	       tally.dropped, tally.through, now() - begin, seed);
	/* Chance that lets nothing through, or all, would prove nothing. */
	if (fuzz->program != FROM_WORLD) /* which drops nothing */
		assert_in_range(tally.dropped, n / 50, n);
	if (fuzz->program != XDP)
		assert_in_range(tally.through, n / 20, n);
}

/*
 * What came from a tenant's port, or by its mark, moved nothing of another's. What is cut off is
 * nobody's yet.
 */
static void run_port(void **state)
{
	const struct fuzz *fuzz = *state;
	struct counts got, want = {};
	int slot = lab_slot(fuzz->tenant);

	counts_clear();
	run_fuzz(state);
	counts_read(&got);
	memcpy(want.hosts, got.hosts, sizeof(got.hosts));
	memcpy(want.stats[slot], got.stats[slot], sizeof(got.stats[slot]));
	memcpy(want.drops[slot], got.drops[slot], sizeof(got.drops[slot]));
	if (fuzz->program != FROM_PORT)
		memcpy(want.drops[TENANTS], got.drops[TENANTS], sizeof(got.drops[TENANTS]));
	assert_true(counts_equal(fuzz->name, &got, &want));
}

#define PORT_OF(tenant, dev, specs) FROM_PORT, 8, tenant, dev, specs, COUNT(specs), 0, 0
#define PORT(tenant, dev) PORT_OF(tenant, dev, from_port)
#define UNDERLAY 0, 0, from_wire, COUNT(from_wire), 0, 0
#define ROUTING(tenant, mark) \
	FROM_GATEWAY, 8, tenant, GW, from_gateway, COUNT(from_gateway), mark, 0
#define LEASED(tenant, mark) FAST_GATEWAY, 4, tenant, GW, from_gateway, COUNT(from_gateway), mark, 0
#define ENTERS(tenant, mark) TO_GATEWAY, 4, tenant, GW, from_port, COUNT(from_port), mark, 0

static const struct fuzz red = {"red's port", PORT(RED, RED_A)};
static const struct fuzz green = {"green's port", PORT(GREEN, GREEN_A)};
static const struct fuzz violet = {"violet's port", PORT(VIOLET, VIOLET_A)};
static const struct fuzz moves = {"red's port, a gateway comes", PORT(RED, RED_A), .old = HOST5};
static const struct fuzz behind = {"behind red's port", PORT_OF(RED, RED_A, from_behind),
				   .macs = true};
static const struct fuzz words = {"red's port, by its words", PORT_OF(RED, RED_A, by_words),
				  .words = true};
static const struct fuzz wire = {"the underlay", FROM_WIRE, 40, UNDERLAY};
static const struct fuzz routing = {"the router", ROUTING(RED, 0x74500001)};
static const struct fuzz worded = {
	"the router, to words", FROM_GATEWAY, 4, RED, GW, to_words, COUNT(to_words), 0x74500001,
	.words = true};
static const struct fuzz routing_gre = {"the same to green", ROUTING(GREEN, 0x74500003)};
static const struct fuzz leased = {"a lease", LEASED(RED, 0x74500001)};
static const struct fuzz inside = {"into the router", ENTERS(RED, 0x74500001)};
static const struct fuzz uplink = {"an uplink", FROM_WORLD,	   8, 0, WIRE2,
				   from_world,	COUNT(from_world), 0, 0};
static const struct fuzz xdp = {"XDP", XDP, 8, UNDERLAY};
static const struct fuzz native = {"native XDP", XDP_NATIVE, 12, UNDERLAY};

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(run_port, (void *)&red),
		cmocka_unit_test_prestate(run_port, (void *)&green),
		cmocka_unit_test_prestate(run_port, (void *)&violet),
		cmocka_unit_test_prestate(run_port, (void *)&moves),
		cmocka_unit_test_prestate(run_port, (void *)&behind),
		cmocka_unit_test_prestate(run_port, (void *)&words),
		cmocka_unit_test_prestate(run_port, (void *)&worded),
		cmocka_unit_test_prestate(run_port, (void *)&routing),
		cmocka_unit_test_prestate(run_port, (void *)&routing_gre),
		cmocka_unit_test_prestate(run_port, (void *)&leased),
		cmocka_unit_test_prestate(run_port, (void *)&inside),
		cmocka_unit_test_prestate(run_fuzz, (void *)&uplink),
		cmocka_unit_test_prestate(run_fuzz, (void *)&wire),
		cmocka_unit_test_prestate(run_fuzz, (void *)&xdp),
		cmocka_unit_test_prestate(run_fuzz, (void *)&native),
	};
	const struct packet_suite suite = {"fuzz", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
