// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a test run does not show of gateways: that frames come into the host's routing by its
 * device, as somebody else's and with their mark, and out of it to ports and hosts. Programs are
 * attached here, and the devices listened to.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/insns.h"
#include "packet.h"

#define WAIT_MS 2000
#define VXLAN_DEV 120 /* the kernel's own */
#define MAC_DOOR "02:00:00:00:02:01"

#define C_TO_G .src = MAC_C, .from = IP_C, .dst = MAC_G, .to = IP_WORLD, .payload = 40
#define C_TO_G6 .src = MAC_C, .from = IP6_C, .dst = MAC_G, .to = IP6_WORLD, .payload = 40
#define A_TO_G .dst = MAC_G, .to = IP_WORLD, .payload = 40

static int red, door, wire; /* taps: the port's far end, tsw-gw, the wire's far end */
static int entries;	    /* map: mark and packet type of what came in by tsw-gw */

static int load(const struct bpf_insn *insns, size_t count)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "test", "GPL", insns, count, NULL);

	assert_true(fd >= 0);
	return fd;
}

static int recorder(void)
{
	const struct bpf_insn insns[] = {
		MAP_VALUE(7, entries),
		{},
		LOAD(2, 1, offsetof(struct __sk_buff, mark)),
		STORE(7, 0, 2),
		LOAD(2, 1, offsetof(struct __sk_buff, pkt_type)),
		STORE(7, 4, 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}

/* In place of tsw_from_wire, for frames that it would leave to the kernel. */
static int marker(void)
{
	const struct bpf_insn insns[] = {
		MOVE_IMM(2, PASS_UP),
		STORE(1, offsetof(struct __sk_buff, priority), 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}

/* Ahead of tsw_from_gateway: the frame is one that the programs themselves send there. */
static int stamper(void)
{
	const struct bpf_insn insns[] = {
		MOVE_IMM(2, SECRET),
		STORE(1, offsetof(struct __sk_buff, cb[0]), 2),
		MOVE_IMM(2, SECRET >> 32),
		STORE(1, offsetof(struct __sk_buff, cb[1]), 2),
		LOAD(2, 1, offsetof(struct __sk_buff, mark)),
		STORE(1, offsetof(struct __sk_buff, cb[2]), 2),
		LOAD(2, 1, offsetof(struct __sk_buff, ifindex)),
		STORE(1, offsetof(struct __sk_buff, cb[3]), 2),
		MOVE_IMM(0, TC_ACT_UNSPEC),
		EXIT,
	};

	return load(insns, COUNT(insns));
}

static int set_up(void **state)
{
	red = lab_tap("pra1");
	door = lab_tap("gw");
	wire = lab_tap("wire1");
	entries = bpf_map_create(BPF_MAP_TYPE_ARRAY, "entries", 4, 8, 1, NULL);
	assert_true(entries >= 0);
	counts_clear(); /* which makes the hosts' counters */
	(void)state;
	return 0;
}

static int tear_down(void **state)
{
	const int fds[] = {red, door, wire, entries};

	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	lab_detach();
	lab_fill();
	(void)state;
	return 0;
}

static void say(int tap, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	lab_say(tap, &f);
}

static void expect(int tap, const struct spec *spec)
{
	struct frame got, want;

	frame_build(spec, &want);
	assert_true(lab_heard(tap, WAIT_MS, &got));
	if (spec->outer)
		assert_true(packet_adopt(spec->outer, &got, &want));
	assert_true(frame_equal("heard", &got, &want));
}

static void expect_nothing(void)
{
	const int taps[] = {red, door, wire};
	struct frame f;

	for (size_t i = 0; i < COUNT(taps); i++)
		assert_false(lab_heard(taps[i], 0, &f));
}

/* Into the host's routing: which drops it, unless its ruleset says otherwise. */
static void expect_entry(const struct spec *spec, __u32 mark)
{
	__u32 entry[2] = {}, zero = 0;

	expect(door, spec);
	assert_int_equal(bpf_map_lookup_elem(entries, &zero, entry), 0);
	assert_int_equal(entry[0], mark);
	assert_int_equal(entry[1], PACKET_OTHERHOST);
	memset(entry, 0, sizeof(entry));
	assert_int_equal(bpf_map_update_elem(entries, &zero, entry, BPF_ANY), 0);
}

static void expect_count(int counter, __u64 packets)
{
	struct counts counts;

	counts_read(&counts);
	assert_int_equal(counts.stats[0][counter].packets, packets);
}

static void in_from_a_port(void **state)
{
	const struct spec v4 = {A_TO_G};
	const struct spec v6 = {.dst = MAC_G, .from = IP6_A, .to = IP6_WORLD, .kind = KIND_TCP};

	lab_attach_tc(RED_A, false, lab_program(FROM_PORT));
	lab_attach_tc(GW, false, recorder());
	say(red, &v4);
	expect_entry(&v4, 0x74500001);
	say(red, &v6);
	expect_entry(&v6, 0x74500001);
	lab_gateway(RED, HOST2, 0, 100);
	say(red, &v4);
	expect_entry(&v4, 0x74540001);
	expect_nothing();
	(void)state;
}

static void in_from_the_wire(void **state)
{
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	lab_attach_tc(GW, false, recorder());
	for (size_t i = 0; i < WIRES; i++) {
		struct spec v4 = {C_TO_G, .outer = &packet_wires[i].outer};
		struct spec v6 = {C_TO_G6, .outer = &packet_wires[i].outer};

		say(wire, &v4);
		v4.outer = NULL;
		expect_entry(&v4, 0x74500001);
		say(wire, &v6);
		v6.outer = NULL;
		expect_entry(&v6, 0x74500001);
	}
	expect_count(RX, 2 * WIRES);
	expect_count(GATEWAY, 2 * WIRES);
	expect_nothing();
	(void)state;
}

/* By XDP before: what that told is read once more. */
static void in_by_xdp(void **state)
{
	const struct spec in = {C_TO_G, .outer = &packet_wires[0].outer}, out = {C_TO_G};

	lab_attach_xdp(WIRE, lab_program(XDP_NATIVE));
	lab_attach_tc(WIRE, false, lab_program(FROM_WIRE));
	lab_attach_tc(GW, false, recorder());
	say(wire, &in);
	expect_entry(&out, 0x74500001);
	expect_count(RX, 1);
	expect_nothing();
	(void)state;
}

/* What the kernel has decapsulated. */
static void in_from_the_tunnel_device(void **state)
{
	lab_ip("link add vxr index 120 type vxlan external dstport 4789 nolearning "
	       "udp6zerocsumtx udp6zerocsumrx\n"
	       "link set vxr addrgenmode none\nlink set vxr up\n");
	lab_attach_tc(WIRE, false, marker());
	lab_attach_tc(VXLAN_DEV, false, lab_program(FROM_TUNNEL));
	lab_attach_tc(GW, false, recorder());
	for (size_t i = 0; i < WIRES; i++) {
		const struct outer *outer = &packet_wires[i].outer;
		struct spec spec = {C_TO_G, .outer = outer};

		if (outer->gre || outer->geneve)
			continue;
		counts_clear();
		say(wire, &spec);
		spec.outer = NULL;
		expect_entry(&spec, 0x74500001);
		expect_count(RX, 1);
		expect_count(SLOW_RX, 1);
		expect_count(GATEWAY, 1);
	}
	expect_nothing();
	lab_detach();
	lab_ip("link del vxr\n");
	(void)state;
}

/* Straight to the host that may have the flow, and in here with what begins. */
static void moves(void **state)
{
	const struct outer to_host2 = {};
	const struct spec in = {A_TO_G}, out = {A_TO_G, .outer = &to_host2};
	const struct spec syn = {A_TO_G, .kind = KIND_TCP, .tcp_flags = 2};
	const struct spec ack = {A_TO_G, .kind = KIND_TCP};

	lab_attach_tc(RED_A, false, lab_program(FROM_PORT));
	lab_attach_tc(GW, false, recorder());
	lab_gateway(RED, 0, HOST2, 100);
	say(red, &in);
	expect(wire, &out);
	say(red, &syn);
	expect_entry(&syn, 0x74500001);
	say(red, &ack);
	expect_entry(&ack, 0x74500001);
	expect_count(TX, 1);
	expect_count(GATEWAY, 2);
	expect_nothing();
	(void)state;
}

/* A device that is gone, or another one of its number: nothing goes in. */
static void door_is_gone(void **state)
{
	const __u32 gone = GW;
	const struct spec in = {A_TO_G};

	lab_attach_tc(RED_A, false, lab_program(FROM_PORT));
	lab_attach_tc(GW, false, recorder());
	lab_unset(M_DEVICES, &gone);
	say(red, &in);
	expect_nothing();
	expect_count(GATEWAY, 0);
	(void)state;
}

/* From one network of the tenant to another, at once. */
static void inside(void **state)
{
	const struct spec in = {
		.src = MAC_B, .from = IP_B, .dst = MAC_G, .to = IP_A, .payload = 40};
	const struct spec out = {
		.src = MAC_B, .from = IP_B, .dst = MAC_A, .to = IP_A, .payload = 40, .ttl = 63};
	const int from_b = lab_tap("prb1");

	lab_attach_tc(RED_B, false, lab_program(FROM_PORT));
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	say(from_b, &in);
	expect(red, &out);
	expect_count(LOCAL, 1);
	expect_nothing();
	close(from_b);
	(void)state;
}

static void echo(void **state)
{
	const struct spec ping = {.kind = KIND_ICMP,
				  .icmp_type = 8,
				  .rest = "00010001",
				  .dst = MAC_G,
				  .to = IP_G,
				  .payload = 56};
	const struct spec pong = {.kind = KIND_ICMP,
				  .rest = "00010001",
				  .src = MAC_G,
				  .dst = MAC_A,
				  .from = IP_G,
				  .to = IP_A,
				  .payload = 56};

	lab_attach_tc(RED_A, false, lab_program(FROM_PORT));
	say(red, &ping);
	expect(red, &pong);
	expect_nothing();
	(void)state;
}

/* As the routing sends it, with a mark. */
static void route(__u32 mark, const struct spec *spec)
{
	assert_int_equal(setsockopt(door, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)), 0);
	say(door, spec);
}

/* The sender is told of a drop at once. */
static void refuse(__u32 mark, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	assert_int_equal(setsockopt(door, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)), 0);
	assert_int_equal(send(door, f.b, f.len, 0), -1);
	assert_int_equal(errno, ENOBUFS);
}

static void out_to_a_port(void **state)
{
	const struct spec in = {.src = MAC_DOOR, .from = IP_WORLD, .to = IP_A, .payload = 40};
	const struct spec out = {
		.src = MAC_G, .dst = MAC_A, .from = IP_WORLD, .to = IP_A, .payload = 40};
	const struct spec six = {.src = MAC_DOOR, .from = IP6_WORLD, .to = IP6_A};
	const struct spec six_out = {.src = MAC_G, .dst = MAC_A, .from = IP6_WORLD, .to = IP6_A};

	lab_attach_tc(GW, true, lab_program(FROM_GATEWAY));
	lab_attach_tc(GW, true, stamper());
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	route(0x74500001, &in);
	expect(red, &out);
	route(0x74500001, &six);
	expect(red, &six_out);
	route(0x74500002, &in); /* blue's A is another */
	refuse(0, &in);
	refuse(0x74540001, &in);
	expect_count(GATEWAY, 2);
	expect_nothing();
	(void)state;
}

static void out_to_a_host(void **state)
{
	lab_attach_tc(GW, true, lab_program(FROM_GATEWAY));
	lab_attach_tc(GW, true, stamper());
	for (size_t i = 0; i < WAYS; i++) {
		const struct packet_way *w = &packet_ways[i];
		struct spec spec = {.src = MAC_DOOR, .from = IP_WORLD, .to = w->ip, .payload = 40};

		route(0x74500001 + lab_slot(w->tenant), &spec);
		spec.src = MAC_G;
		spec.dst = w->mac;
		spec.outer = &w->outer;
		expect(wire, &spec);
	}
	expect_nothing();
	(void)state;
}

/* A socket of the host sets each mark that leads to a tenant, or from one. */
static void marks_of_others(void **state)
{
	const struct spec out = {.src = MAC_DOOR, .from = IP_WORLD, .to = IP_A, .payload = 40};
	const __u32 classes[] = {TSW_MARK_TENANT, TSW_MARK_BOUNCE, TSW_MARK_VOICE};

	lab_attach_tc(GW, true, lab_program(FROM_GATEWAY));
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	lab_gateway(RED, HOST2, 0, 100); /* where a bounced frame would go */
	for (size_t i = 0; i < COUNT(classes); i++)
		refuse(classes[i] | 1, &out);
	expect_count(GATEWAY, 0);
	expect_nothing();
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_from_a_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_from_the_wire, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_by_xdp, set_up, tear_down),
		cmocka_unit_test_setup_teardown(in_from_the_tunnel_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(door_is_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(inside, set_up, tear_down),
		cmocka_unit_test_setup_teardown(echo, set_up, tear_down),
		cmocka_unit_test_setup_teardown(out_to_a_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(out_to_a_host, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_of_others, set_up, tear_down),
	};
	const struct packet_suite suite = {"gateway_attached", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
