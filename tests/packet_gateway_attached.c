// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a test run does not show of gateways: that frames come into the router's namespace by its
 * device, for its routing and with their mark, and out of it to ports and hosts. Programs are
 * attached here, and the devices listened to.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/map_update.h"
#include "kernel/system.h"
#include "packet.h"
#include "tc_programs.h"

#define WAIT_MS 2000
#define VXLAN_DEV 120 /* the kernel's own */
#define MAC_DOOR "02:00:00:00:02:01"

#define C_TO_G .src = MAC_C, .from = IP_C, .dst = MAC_G, .to = IP_WORLD, .payload = 40
#define C_TO_G6 .src = MAC_C, .from = IP6_C, .dst = MAC_G, .to = IP6_WORLD, .payload = 40
#define A_TO_G .dst = MAC_G, .to = IP_WORLD, .payload = 40

static int red, door, inner, wire; /* taps: a port's far end, tsw-gw's two ends, the wire's */
static __u32 inner_ifindex;
static int entries; /* map: mark and packet type of what came into the router by tsw-gw */

static int set_up(void **state)
{
	lab_router_make();
	red = lab_tap("pra1");
	door = lab_tap("gw");
	lab_router_enter();
	inner = lab_tap("gw1");
	inner_ifindex = if_nametoindex("gw1");
	lab_router_leave();
	wire = lab_tap("wire1");
	entries = bpf_map_create(BPF_MAP_TYPE_ARRAY, "entries", 4, 8, 1, NULL);
	assert_true(entries >= 0);
	counts_clear(); /* which makes the hosts' counters */
	(void)state;
	return 0;
}

static int tear_down(void **state)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);
	const int fds[] = {red, door, inner, wire, entries};

	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	lab_detach();
	lab_router_enter();
	hook.ifindex = (int)inner_ifindex;
	bpf_tc_hook_destroy(&hook);
	lab_router_leave();
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
	const int taps[] = {red, inner, wire};
	struct frame f;

	for (size_t i = 0; i < COUNT(taps); i++)
		assert_false(lab_heard(taps[i], 0, &f));
}

static void attach_inner(bool egress, int fd)
{
	lab_router_enter();
	lab_attach_tc(inner_ifindex, egress, fd);
	lab_router_leave();
}

/* In the router, behind the program that takes what crosses. */
static void listen_inside(void)
{
	attach_inner(false, tc_recorder(entries));
	attach_inner(false, lab_program(TO_GATEWAY));
}

/* The first datagram of a flow waits in the device's queue, and so is heard twice. */
static void expect_entered(const struct frame *want, __u32 entry[2])
{
	struct frame got;
	__u32 zero = 0;

	for (int ms = 0; !entry[0] && ms < WAIT_MS; ms++) {
		usleep(1000);
		assert_int_equal(bpf_map_lookup_elem(entries, &zero, entry), 0);
	}
	while (lab_heard(inner, 0, &got))
		assert_true(frame_equal("queued", &got, want));
}

/* Into the router's routing, with its mark, as a frame for the router. */
static void expect_entry(const struct spec *spec, __u32 mark)
{
	__u32 entry[2] = {}, zero = 0;
	struct frame got, want;

	frame_build(spec, &want);
	packet_seal(&want, mark, 0);
	assert_true(lab_heard(inner, WAIT_MS, &got));
	assert_true(frame_equal("entered", &got, &want));
	expect_entered(&want, entry);
	assert_int_equal(entry[0], mark);
	assert_int_equal(entry[1], PACKET_HOST);
	memset(entry, 0, sizeof(entry));
	assert_int_equal(map_update(entries, &zero, entry, BPF_ANY), 0);
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
	listen_inside();
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
	listen_inside();
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
	listen_inside();
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
	lab_attach_tc(WIRE, false, tc_marker());
	lab_attach_tc(VXLAN_DEV, false, lab_program(FROM_TUNNEL));
	listen_inside();
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
	listen_inside();
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
	listen_inside();
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

/* Sent to tsw-gw in the host, with a mark. */
static void route(__u32 mark, const struct spec *spec)
{
	assert_int_equal(setsockopt(door, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)), 0);
	say(door, spec);
}

/* The sender is told of a drop at once. */
static void refuse(int tap, __u32 mark, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	assert_int_equal(setsockopt(tap, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)), 0);
	assert_int_equal(send(tap, f.b, f.len, 0), -1);
	assert_int_equal(errno, ENOBUFS);
}

/* Sent by the router, sealed. */
static void cross(__u32 mark, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	packet_seal(&f, mark, 0);
	lab_say(inner, &f);
}

#define OUT_TO_A .from = IP_WORLD, .to = IP_A, .payload = 40
#define OUT_TO_A6 .from = IP6_WORLD, .to = IP6_A

static void expect_not_stamped(__u64 packets)
{
	struct counts counts;

	counts_read(&counts);
	assert_int_equal(counts.drops[TENANTS][TSW_DROP_NOT_STAMPED][TSW_DIR_FROM_GATEWAY].packets,
			 packets);
}

static void out_to_a_port(void **state)
{
	const struct spec in = {.src = MAC_DOOR, OUT_TO_A};
	const struct spec out = {.src = MAC_G, .dst = MAC_A, OUT_TO_A};
	const struct spec six = {.src = MAC_DOOR, OUT_TO_A6};
	const struct spec six_out = {.src = MAC_G, .dst = MAC_A, OUT_TO_A6};

	lab_attach_tc(GW, false, lab_program(FROM_GATEWAY));
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	cross(0x74500001, &in);
	expect(red, &out);
	cross(0x74500001, &six);
	expect(red, &six_out);
	cross(0x74500002, &in); /* blue's A is another */
	expect_count(GATEWAY, 2);
	expect_not_stamped(0);
	cross(0, &in);
	cross(0x74540001, &in);
	say(inner, &in); /* no seal */
	expect_not_stamped(3);
	expect_count(GATEWAY, 2);
	assert_false(lab_heard(red, 0, &(struct frame){}));
	assert_false(lab_heard(wire, 0, &(struct frame){}));
	(void)state;
}

/* By a lease, from an uplink. */
static void fast_to_a_port(void **state)
{
	const struct spec in = {.src = MAC_DOOR, OUT_TO_A};
	const struct spec out = {.src = MAC_G, .dst = MAC_A, OUT_TO_A};
	const struct spec six = {.src = MAC_DOOR, OUT_TO_A6};
	const struct spec six_out = {.src = MAC_G, .dst = MAC_A, OUT_TO_A6};

	lab_attach_tc(GW, true, lab_program(FAST_GATEWAY));
	lab_attach_tc(GW, true, tc_stamper());
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	route(0x74500001, &in);
	expect(red, &out);
	route(0x74500001, &six);
	expect(red, &six_out);
	route(0x74500002, &in); /* blue's A is another */
	refuse(door, 0, &in);
	refuse(door, 0x74540001, &in);
	expect_count(GATEWAY, 2);
	expect_nothing();
	(void)state;
}

static void out_to_a_host(void **state)
{
	lab_attach_tc(GW, false, lab_program(FROM_GATEWAY));
	for (size_t i = 0; i < WAYS; i++) {
		const struct packet_way *w = &packet_ways[i];
		struct spec spec = {.src = MAC_DOOR, .from = IP_WORLD, .to = w->ip, .payload = 40};

		cross(0x74500001 + lab_slot(w->tenant), &spec);
		spec.src = MAC_G;
		spec.dst = w->mac;
		spec.outer = &w->outer;
		expect(wire, &spec);
	}
	expect_not_stamped(0);
	(void)state;
}

static const __u32 classes[] = {TSW_MARK_TENANT, TSW_MARK_BOUNCE, TSW_MARK_VOICE};

/* A socket of the host sets each mark that leads to a tenant, or from one. */
static void marks_of_others(void **state)
{
	const struct spec out = {.src = MAC_DOOR, .from = IP_WORLD, .to = IP_A, .payload = 40};

	lab_attach_tc(GW, true, lab_program(FAST_GATEWAY));
	lab_attach_tc(RED_A, true, lab_program(TO_PORT));
	lab_gateway(RED, HOST2, 0, 100); /* where a bounced frame would go */
	for (size_t i = 0; i < COUNT(classes); i++)
		refuse(door, classes[i] | 1, &out);
	expect_count(GATEWAY, 0);
	expect_nothing();
	(void)state;
}

/* And one in the router, for which conntrack has no connection. */
static void marks_in_the_router(void **state)
{
	const struct spec out = {.src = MAC_DOOR, .from = IP_WORLD, .to = IP_A, .payload = 40};

	if (!system_has_conntrack())
		skip();
	attach_inner(true, lab_program(LEAVE_GATEWAY));
	lab_gateway(RED, HOST2, 0, 100);
	for (size_t i = 0; i < COUNT(classes); i++)
		refuse(inner, classes[i] | 1, &out);
	refuse(inner, 0, &out);
	refuse(inner, 0x74540001, &out);
	refuse(inner, 0x74560001, &out);
	assert_false(lab_heard(door, 0, &(struct frame){}));
	expect_count(GATEWAY, 0);
	expect_nothing();
	(void)state;
}

/* What a socket sends into the router: with no seal, and with each mark in its header. */
static void not_sealed(void **state)
{
	const struct spec in = {A_TO_G};
	__u32 entry[2], zero = 0;
	struct frame f, g;

	listen_inside();
	for (size_t i = 0; i < 3; i++) {
		frame_build(&in, &f);
		packet_seal(&f, 0x74500001, 0);
		if (i == 0)
			f.b[TSW_MAC_LEN + 3] ^= 1;
		else if (i == 1)
			frame_mac(f.b + TSW_MAC_LEN, MAC_A);
		else
			packet_seal(&f, 0x74510001, 0); /* a class of the way out */
		lab_say(door, &f);
		assert_true(lab_heard(inner, WAIT_MS, &g));
	}
	assert_int_equal(bpf_map_lookup_elem(entries, &zero, entry), 0);
	assert_int_equal(entry[0] | entry[1], 0);
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
		cmocka_unit_test_setup_teardown(not_sealed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(out_to_a_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fast_to_a_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(out_to_a_host, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_in_the_router, set_up, tear_down),
	};
	const struct packet_suite suite = {"gateway_attached", NULL, 0, tests, COUNT(tests)};

	return packet_main(&suite);
}
