// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a test run cannot show: the programs attached to the underlay, frames sent to it from the
 * wire, and metadata on their way from XDP to tc.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "store/insns.h"
#include "packet.h"

#define V4 .src = MAC_C, .dst = MAC_A, .from = IP_C, .to = IP_A
#define V6 .src = MAC_C, .dst = MAC_A, .from = IP6_C, .to = IP6_A
#define WAIT_MS 2000
#define META_WORDS 6

static int wire1, ports[2]; /* taps: the wire's far end; what red's A and blue's A hear */

static int set_up(void **state)
{
	wire1 = lab_tap("wire1");
	ports[0] = lab_tap("pra1");
	ports[1] = lab_tap("pba1");
	(void)state;
	return 0;
}

static int tear_down(void **state)
{
	close(wire1);
	close(ports[0]);
	close(ports[1]);
	lab_detach();
	(void)state;
	return 0;
}

static void say(const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	lab_say(wire1, &f);
}

/* The counters come to what is wanted, and no further. */
static void expect_counts(const char *name, const struct counts *want)
{
	struct counts got;

	for (int ms = 0; ms < WAIT_MS; ms++) {
		counts_read(&got);
		if (!memcmp(&got, want, sizeof(got)))
			return;
		usleep(1000);
	}
	assert_true(counts_equal(name, &got, want));
}

static struct counts received(__u32 tenant, __u32 host, __u64 bytes)
{
	const struct tsw_counter size = {.packets = 1, .bytes = bytes};
	struct counts want = {};

	want.stats[lab_slot(tenant)][RX] = size;
	want.hosts[host][1] = size;
	return want;
}

static void expect_heard(int tap, const struct spec *spec)
{
	struct frame got, want;

	frame_build(spec, &want);
	assert_true(lab_heard(tap, WAIT_MS, &got));
	assert_true(frame_equal("delivered", &got, &want));
}

static void expect_nothing(void)
{
	struct frame got;

	for (size_t i = 0; i < COUNT(ports); i++)
		assert_false(lab_heard(ports[i], 0, &got));
}

static const struct spec inners[] = {
	{V4, .payload = 33},
	{V6, .payload = 900},
	{V4, .kind = KIND_TCP, .payload = 1},
	{V4, .kind = KIND_ARP, .op = 2, .payload = 18},
	{V4, .kind = KIND_RAW, .type = 0x88b5, .payload = 40},
	{V4, .dst = MAC_BROADCAST, .payload = 20},
};

static void deliver(const struct outer *outer, const struct spec *inner, const struct spec *out)
{
	struct spec spec = *inner;
	struct counts want = received(RED, HOST2, frame_inner_len(inner));

	spec.outer = outer;
	counts_clear();
	say(&spec);
	expect_heard(ports[0], out);
	expect_counts("delivered", &want);
}

static void refuse(const struct outer *outer, const struct spec *inner, enum tsw_drop reason)
{
	struct spec spec = *inner;
	struct counts want = {};

	spec.outer = outer;
	want.drops[0][reason][TSW_DIR_FROM_TUNNEL] =
		(struct tsw_counter){.packets = 1, .bytes = frame_inner_len(inner)};
	counts_clear();
	say(&spec);
	expect_counts("refused", &want);
	expect_nothing();
}

/* By each wire: as sound frames, which XDP decapsulates, and as odd ones, which tc does. */
static void by_each_wire(void **state)
{
	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	for (size_t w = 0; w < WIRES; w++)
		for (size_t i = 0; i < COUNT(inners); i++) {
			struct outer outer = packet_wires[w].outer;

			deliver(&outer, &inners[i], &inners[i]);
			outer.padding = 5;
			deliver(&outer, &inners[i], &inners[i]);
			outer.csum = CSUM_DONE;
			deliver(&outer, &inners[i], &inners[i]);
		}
	(void)state;
}

/* What XDP does not look at, tc does, the way there notwithstanding. */
static void guarded_and_marked(void **state)
{
	const struct spec ect = {V4, .tos = 2}, ce = {V4, .tos = 3}, ect6 = {V6, .tos = 1};
	const struct spec ce6 = {V6, .tos = 3}, not_ect = {V4};

	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	for (size_t w = 0; w < WIRES; w++) {
		struct outer outer = packet_wires[w].outer;

		refuse(&outer, &(const struct spec){V4, .src = MAC_B}, TSW_DROP_WRONG_HOST);
		refuse(&outer, &(const struct spec){V4, .src = MAC_D}, TSW_DROP_WRONG_HOST);
		refuse(&outer, &(const struct spec){V4, .dst = MAC_UNKNOWN},
		       TSW_DROP_UNKNOWN_DESTINATION);
		refuse(&outer, &(const struct spec){V4, .dst = MAC_D},
		       TSW_DROP_UNKNOWN_DESTINATION);
		refuse(&outer, &(const struct spec){V4, .lie = 1}, TSW_DROP_TRUNCATED);
		refuse(&outer, &(const struct spec){V4, .dst = "01:80:c2:00:00:00"},
		       TSW_DROP_RESERVED_MULTICAST);
		outer.tos = 3;
		refuse(&outer, &not_ect, TSW_DROP_ECN_INVALID);
		deliver(&outer, &ect, &ce);
		deliver(&outer, &ect6, &ce6);
		outer.from = frame_is_v6(&outer) ? IP6_HOST4 : IP_HOST3;
		refuse(&outer, &ect, TSW_DROP_WRONG_HOST);
		outer.from = frame_is_v6(&outer) ? IP6_STRANGER : IP_STRANGER;
		refuse(&outer, &ect, TSW_DROP_UNKNOWN_HOST);
	}
	(void)state;
}

/* The kernel takes the tag out of the frame before tc sees it, and moves the metadata. */
static void tagged_inside(void **state)
{
	const struct spec tagged = {V4, .type = 0x8100, .payload = 60};
	struct spec spec = tagged;
	struct counts want = {};

	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	for (size_t w = 0; w < WIRES; w++) {
		spec.outer = &packet_wires[w].outer;
		want.drops[0][TSW_DROP_VLAN_TAGGED][TSW_DIR_FROM_TUNNEL] =
			(struct tsw_counter){.packets = 1, .bytes = frame_inner_len(&tagged) - 4};
		counts_clear();
		say(&spec);
		expect_counts("tagged", &want);
		expect_nothing();
	}
	(void)state;
}

static int load(enum bpf_prog_type type, const struct bpf_insn *insns, size_t count)
{
	int fd = bpf_prog_load(type, "test", "GPL", insns, count, NULL);

	assert_true(fd >= 0);
	return fd;
}

/* META_WORDS from one place to another, by way of register 5. */
static struct bpf_insn *copy(struct bpf_insn *next, __u8 to, __u8 from)
{
	for (int i = 0; i < META_WORDS; i++) {
		*next++ = LOAD(5, from, 4 * i);
		*next++ = STORE(to, 4 * i, 5);
	}
	return next;
}

/* At XDP: somebody else's metadata, taken from a map. */
static int forger(int map)
{
	const __s16 data = offsetof(struct xdp_md, data);
	const __s16 data_meta = offsetof(struct xdp_md, data_meta);
	struct bpf_insn insns[12 + 2 * META_WORDS] = {
		MOVE_REG(6, 1),
		MOVE_IMM(2, -4 * META_WORDS),
		CALL(BPF_FUNC_xdp_adjust_meta),
		MAP_VALUE(7, map),
		{},
		LOAD(2, 6, data_meta),
		LOAD(3, 6, data),
		MOVE_REG(4, 2),
		ADD_IMM(4, 4 * META_WORDS),
		INSN(BPF_JMP | BPF_JGT | BPF_X, 4, 3, 2 * META_WORDS, 0),
	};
	struct bpf_insn *next = copy(insns + 10, 2, 7);

	*next++ = MOVE_IMM(0, XDP_PASS);
	*next++ = EXIT;
	return load(BPF_PROG_TYPE_XDP, insns, next - insns);
}

/* One entry: the metadata, and a word that says whether it is. */
static int meta_map(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "meta", 4, 4 * (META_WORDS + 1), 1, NULL);

	assert_true(fd >= 0);
	return fd;
}

/* Where the frame goes, in two words of metadata: MAC, TOS. */
static void meta_dst(__u32 *meta, const char *mac, __u8 tos)
{
	__u8 b[8] = {};

	frame_mac(b, mac);
	b[6] = tos;
	memcpy(meta + 4, b, sizeof(b));
}

/* The secret, and all of it, is what makes metadata the switch's. */
static void forged(void **state)
{
	const struct spec bare = {V4, .dst = NOBODYS_MAC, .tos = 2}, got = {V4, .tos = 3};
	const struct spec marker = {V4, .outer = &packet_wires[0].outer}, plain = {V4};
	const int map = meta_map(), fd = forger(map);

	lab_attach_xdp(WIRE, fd);
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	for (int wrong = -1; wrong < 64; wrong++) {
		struct counts want = received(BLUE, HOST3, frame_inner_len(&bare));
		__u32 meta[META_WORDS + 1] = {(__u32)SECRET, SECRET >> 32, BLUE, HOST3}, zero = 0;

		meta_dst(meta, MAC_A, 3);
		if (wrong >= 0)
			meta[wrong / 32] ^= 1U << wrong % 32;
		assert_int_equal(map_update(map, &zero, meta, 0), 0);
		counts_clear();
		say(&bare);
		if (wrong < 0) {
			expect_heard(ports[1], &got);
		} else {
			/* Frames stay in order: once this one is there, the other is lost. */
			want = received(RED, HOST2, frame_inner_len(&plain));
			say(&marker);
			expect_heard(ports[0], &plain);
		}
		expect_counts("forged", &want);
		expect_nothing();
	}
	close(fd);
	close(map);
	(void)state;
}

/* What the secret vouches for is guarded like all that comes from the wire. */
static void guarded_by_metadata(void **state)
{
	const struct spec bare = {V4, .dst = NOBODYS_MAC};
	const int map = meta_map(), fd = forger(map);
	const struct {
		__u32 tenant, host;
		const char *dst;
		enum tsw_drop drop;
	} cases[] = {
		{BLUE, HOST2, MAC_A, TSW_DROP_WRONG_HOST},
		{BLUE, 0, MAC_A, TSW_DROP_WRONG_HOST},
		{BLUE, HOST3, MAC_D, TSW_DROP_UNKNOWN_DESTINATION},
		{BLUE, HOST3, NOBODYS_MAC, TSW_DROP_UNKNOWN_DESTINATION},
	};

	lab_attach_xdp(WIRE, fd);
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	for (size_t i = 0; i < COUNT(cases); i++) {
		__u32 meta[META_WORDS + 1] = {(__u32)SECRET, SECRET >> 32, cases[i].tenant,
					      cases[i].host};
		struct counts want = {};
		__u32 zero = 0;

		meta_dst(meta, cases[i].dst, 0);
		want.drops[lab_slot(BLUE)][cases[i].drop][TSW_DIR_FROM_TUNNEL] =
			(struct tsw_counter){.packets = 1, .bytes = frame_inner_len(&bare)};
		assert_int_equal(map_update(map, &zero, meta, 0), 0);
		counts_clear();
		say(&bare);
		expect_counts("guarded", &want);
		expect_nothing();
	}
	close(fd);
	close(map);
	(void)state;
}

/* Without metadata a frame to the MAC of nobody is nobody's. */
static void none(void **state)
{
	const struct spec bare = {V4, .dst = NOBODYS_MAC};
	const struct spec marker = {V4, .outer = &packet_wires[0].outer}, plain = {V4};
	struct counts want = received(RED, HOST2, frame_inner_len(&plain));

	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	counts_clear();
	say(&bare);
	say(&marker);
	expect_heard(ports[0], &plain);
	expect_counts("no metadata", &want);
	expect_nothing();
	(void)state;
}

/* At tc: what is before the frame goes to a map, and 1 behind it. */
static int reader(int map)
{
	const __s16 data = offsetof(struct __sk_buff, data);
	const __s16 data_meta = offsetof(struct __sk_buff, data_meta);
	struct bpf_insn insns[10 + 2 * META_WORDS] = {
		MAP_VALUE(7, map),
		{},
		LOAD(2, 1, data_meta),
		LOAD(3, 1, data),
		MOVE_REG(4, 2),
		ADD_IMM(4, 4 * META_WORDS),
		INSN(BPF_JMP | BPF_JGT | BPF_X, 4, 3, 2 * META_WORDS + 1, 0),
		STORE_IMM(7, 4 * META_WORDS, 1),
	};
	struct bpf_insn *next = copy(insns + 8, 7, 2);

	*next++ = MOVE_IMM(0, TC_ACT_UNSPEC);
	*next++ = EXIT;
	return load(BPF_PROG_TYPE_SCHED_CLS, insns, next - insns);
}

/* A container could look before its frame: the secret must not be there any more. */
static void secret_is_erased(void **state)
{
	const int map =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "seen", 4, 4 * (META_WORDS + 1), 1, NULL);
	const int fd = reader(map);
	__u32 seen[META_WORDS + 1] = {}, zero = 0;

	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	lab_attach_tc(RED_A, true, fd);
	deliver(&packet_wires[0].outer, &inners[0], &inners[0]);
	assert_int_equal(bpf_map_lookup_elem(map, &zero, seen), 0);
	assert_int_equal(seen[META_WORDS], 1);
	assert_int_equal(seen[2], RED);
	assert_int_equal(seen[0], 0);
	assert_int_equal(seen[1], 0);
	close(fd);
	close(map);
	(void)state;
}

/* With tsw_from_wire gone, what XDP decapsulates must not be the host's own: no answer. */
static void host_takes_nothing(void **state)
{
	const struct spec inside = {
		.kind = KIND_ARP, .src = MAC_C, .from = "192.0.2.70", .to = IP_WIRE};
	const struct spec to_wire = {.kind = KIND_ARP,
				     .src = MAC_C,
				     .dst = MAC_WIRE,
				     .from = "192.0.2.70",
				     .to = IP_WIRE};
	const struct spec asked = {
		.kind = KIND_ARP, .src = MAC_HOST3, .from = IP_HOST3, .to = IP_WIRE};
	const struct spec answer = {.kind = KIND_ARP,
				    .op = 2,
				    .src = MAC_WIRE,
				    .dst = MAC_HOST3,
				    .from = IP_WIRE,
				    .to = IP_HOST3,
				    .tha = MAC_HOST3};

	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	for (size_t w = 0; w < WIRES; w++) {
		struct spec spec = inside;

		spec.outer = &packet_wires[w].outer;
		say(&spec);
		spec = to_wire;
		spec.outer = &packet_wires[w].outer;
		say(&spec);
		say(&asked);
		expect_heard(wire1, &answer); /* and not one for what was inside */
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_each_wire, set_up, tear_down),
		cmocka_unit_test_setup_teardown(guarded_and_marked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tagged_inside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(forged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(guarded_by_metadata, set_up, tear_down),
		cmocka_unit_test_setup_teardown(none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(secret_is_erased, set_up, tear_down),
		cmocka_unit_test_setup_teardown(host_takes_nothing, set_up, tear_down),
	};
	const struct packet_suite suite = {"attached", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
