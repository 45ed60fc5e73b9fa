// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants with the same MACs and addresses: whatever is wrong in the maps, no
 * frame of red's comes out as another's, neither at a port, nor on the wire, nor in a counter.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "kernel/map_update.h"
#include "promise.h"
#include "wrong_gateways.h"

static const struct outer host2 = {FROM_HOST2}, host2_gre = {FROM_HOST2, .gre = true};
static const struct outer host2_six = {FROM6_HOST2}, host2_six_gre = {FROM6_HOST2, .gre = true};

/* Wrong maps. Each is what a bug, a crash or a race of the command might leave behind. */
static void nothing(void)
{
}

static void fdb_to_blue(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, BLUE_A);
	lab_fdb(RED, MAC_B, TSW_PLACE_PORT, BLUE_B);
}

static void fdb_of_remote_to_blue(void)
{
	lab_fdb(RED, MAC_C, TSW_PLACE_PORT, BLUE_B);
}

static void fdb_to_devices(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, WIRE);
	lab_fdb(RED, MAC_B, TSW_PLACE_PORT, TUNNEL);
	lab_fdb(RED, MAC_D, TSW_PLACE_PORT, STRANGE);
}

/* What is not found in red must not be found in blue. */
static void red_has_nothing(void)
{
	static const char *const macs[] = {MAC_A, MAC_B, MAC_C, MAC_D};
	static const char *const ips[] = {IP_A, IP_B, IP_C, IP6_A, IP6_B, IP6_C};
	struct tsw_addr_key key = {.tenant = RED};

	for (size_t i = 0; i < COUNT(macs); i++)
		lab_fdb_unset(RED, macs[i]);
	for (size_t i = 0; i < COUNT(ips); i++) {
		frame_ip((__u8 *)&key.addr, ips[i]);
		lab_unset(M_ADDRS, &key);
	}
}

static void blue_alone_has_b(void)
{
	struct tsw_addr_key key = {.tenant = RED};

	frame_ip((__u8 *)&key.addr, IP_B);
	lab_unset(M_ADDRS, &key);
	lab_fdb_unset(RED, MAC_B);
	lab_clear(M_GROUPS);
}

static void red_is_gone(void)
{
	__u32 red = RED;

	lab_unset(M_TENANTS, &red);
}

static void ports_move_to_blue(void)
{
	lab_port(RED_B, BLUE, MAC_B, 0);
	lab_port(RED_N, BLUE, MAC_N, 0);
}

static void ports_swap(void)
{
	lab_port(RED_B, BLUE, MAC_B, 0);
	lab_port(BLUE_B, RED, MAC_B, 0);
}

static void ports_gone(void)
{
	__u32 b = RED_B, n = RED_N;

	lab_unset(M_PORTS, &b);
	lab_unset(M_PORTS, &n);
}

static void addrs_of_blue(void)
{
	lab_addr(RED, IP_B, MAC_D);
	lab_addr(BLUE, IP_UNKNOWN, MAC_B);
	lab_addr(BLUE, "fd00::99", MAC_B);
}

static void group_to_blue(void)
{
	const __u32 ports[] = {BLUE_A, BLUE_B};

	lab_ring(RED, TSW_MEMBER_PORTS, ports, COUNT(ports));
}

static void no_groups(void)
{
	lab_clear(M_GROUPS);
}

static void blue_without_guard(void)
{
	lab_port(BLUE_A, BLUE, MAC_A, 0);
	lab_port(BLUE_B, BLUE, MAC_B, 0);
	lab_tenant(BLUE, 9000, 0);
}

static void peers_everywhere(void)
{
	lab_port(RED_B, RED, MAC_B, TSW_PORT_PEER);
	lab_port(BLUE_B, BLUE, MAC_B, TSW_PORT_PEER);
	lab_fdb(RED, MAC_B, TSW_PLACE_PORT, BLUE_B);
}

static void all_is_gre(void)
{
	struct tsw_tenant t = {.encap = TSW_ENCAP_GRE, .flags = TSW_TENANT_BROADCAST};
	__u32 red = RED;

	map_update(lab_map(M_TENANTS), &red, &t, BPF_ANY);
	lab_config_gre(GRE4, GRE6);
}

static void fdb_to_green(void)
{
	lab_fdb(RED, MAC_A, TSW_PLACE_PORT, GREEN_A);
	lab_fdb(RED, MAC_B, TSW_PLACE_PORT, LARGE_A);
}

static void group_to_green(void)
{
	const __u32 ports[] = {GREEN_A, GREEN_B, LARGE_A};

	lab_ring(RED, TSW_MEMBER_PORTS, ports, COUNT(ports));
}

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

static const struct wrong wrongs[] = {
	{"all is well", nothing, 0},
	{"red's fdb points at blue's ports", fdb_to_blue, 0},
	{"red's remote endpoint has blue's port", fdb_of_remote_to_blue, 0},
	{"red's fdb points at no ports", fdb_to_devices, 0},
	{"red knows nobody", red_has_nothing, 0},
	{"red is no tenant", red_is_gone, 0},
	{"red's ports are blue's by now", ports_move_to_blue, 0},
	{"red's and blue's ports changed places", ports_swap, 0},
	{"red's ports are gone", ports_gone, 0},
	{"addresses differ", addrs_of_blue, 0},
	{"red's group has blue's ports", group_to_blue, 0},
	{"no groups", no_groups, 0},
	{"blue has no guard", blue_without_guard, 0},
	{"peers, and red's fdb points at blue", peers_everywhere, 0},
	{"slow path", slow_path, 0},
	{"red speaks GRE", all_is_gre, 0},
	{"red's fdb points at green and large", fdb_to_green, 0},
	{"red's group has green's ports and large's", group_to_green, 0},
};

#define FROM_C .src = MAC_C, .from = IP_C, .outer = &host2
#define BY_G .src = MAC_G, .outer = &host2

/* Every way into the switch that red has. */
static const struct {
	enum program program;
	struct spec spec;
} frames[] = {
	{FROM_PORT, {.dst = MAC_B}},
	{FROM_PORT, {.dst = MAC_B, .from = IP6_A, .to = IP6_B}},
	{FROM_PORT, {.dst = MAC_C, .to = IP_C}},
	{FROM_PORT, {.dst = MAC_C, .to = IP_C, .payload = 1500}},
	{FROM_PORT, {.dst = MAC_D, .to = IP_D}},
	{FROM_PORT, {.dst = MAC_E, .to = IP_E}},
	{FROM_PORT, {.dst = MAC_E, .to = IP_E, .payload = 1500}},
	{FROM_PORT, {.dst = MAC_F, .from = IP6_A, .to = IP6_F}},
	{FROM_PORT, {.kind = KIND_ARP, .op = 2, .dst = MAC_E, .to = IP_E}},
	{FROM_PORT, {.dst = MAC_A, .to = IP_A}},
	{FROM_PORT, {.dst = MAC_N}},
	{FROM_PORT, {.dst = MAC_UNKNOWN}},
	{FROM_PORT, {.dst = MAC_BROADCAST, .to = "10.0.0.255"}},
	{FROM_PORT, {.dst = "33:33:00:00:00:01", .from = IP6_A, .to = "ff02::1"}},
	{FROM_PORT, {.kind = KIND_ARP}},
	{FROM_PORT, {.kind = KIND_ARP, .to = IP_UNKNOWN}},
	{FROM_PORT, {.kind = KIND_ARP, .dst = MAC_B}},
	{FROM_PORT, {.kind = KIND_ARP, .op = 2, .dst = MAC_C, .to = IP_C}},
	{FROM_PORT,
	 {.kind = KIND_ICMP,
	  .icmp_type = 135,
	  .rest = "00000000",
	  .from = IP6_A,
	  .target = IP6_B,
	  .dst = MAC_B}},
	{FROM_PORT,
	 {.kind = KIND_ICMP,
	  .icmp_type = 135,
	  .rest = "00000000",
	  .from = IP6_A,
	  .target = "fd00::99",
	  .dst = "33:33:ff:00:00:99"}},
	{FROM_WIRE, {FROM_C, .dst = MAC_A, .to = IP_A}},
	{FROM_WIRE, {FROM_C, .dst = MAC_B, .to = IP_B}},
	{FROM_WIRE, {FROM_C, .dst = MAC_B, .from = IP6_C, .to = IP6_B}},
	{FROM_WIRE, {FROM_C, .dst = MAC_N}},
	{FROM_WIRE, {FROM_C, .dst = MAC_D}},
	{FROM_WIRE, {FROM_C, .dst = MAC_UNKNOWN}},
	{FROM_WIRE, {FROM_C, .dst = MAC_BROADCAST}},
	{FROM_WIRE, {FROM_C, .kind = KIND_ARP, .op = 2, .dst = MAC_A}},
	{FROM_WIRE, {FROM_C, .dst = MAC_A, .outer = &host2_gre}},
	{FROM_WIRE, {FROM_C, .dst = MAC_B, .outer = &host2_six}},
	{FROM_WIRE, {FROM_C, .dst = MAC_B, .from = IP6_C, .to = IP6_B, .outer = &host2_six_gre}},
	{FROM_WIRE, {FROM_C, .dst = MAC_BROADCAST, .outer = &host2_gre}},
	{FROM_WIRE, {FROM_C, .dst = MAC_BROADCAST, .outer = &host2_six_gre}},
	{FROM_PORT, {.dst = MAC_G, .to = IP_WORLD}},
	{FROM_PORT, {.dst = MAC_G, .from = IP6_A, .to = IP6_WORLD, .kind = KIND_TCP}},
	{FROM_PORT, {.dst = MAC_G, .to = IP_G}},
	{FROM_PORT, {.dst = MAC_G, .to = IP_B}},
	{FROM_PORT, {.dst = MAC_G, .kind = KIND_ICMP, .icmp_type = 8, .rest = "0", .to = IP_G}},
	{FROM_PORT, {.kind = KIND_ARP, .to = IP_G}},
	{FROM_WIRE, {FROM_C, .dst = MAC_G, .to = IP_WORLD}},
	{FROM_WIRE, {FROM_C, .dst = MAC_G, .from = IP6_C, .to = IP6_WORLD, .outer = &host2_gre}},
	{FROM_WIRE, {FROM_C, .dst = MAC_G, .to = IP_G, .outer = &host2_six}},
	{FROM_WIRE, {BY_G, .dst = MAC_A, .from = IP_WORLD, .to = IP_A}},
	{FROM_WIRE, {BY_G, .dst = MAC_B, .from = IP6_WORLD, .to = IP6_B, .outer = &host2_six_gre}},
	{FROM_WIRE, {BY_G, .dst = MAC_BROADCAST, .from = IP_WORLD, .to = IP_A}},
	{FROM_WIRE, {BY_G, .dst = MAC_G, .from = IP_A, .to = IP_WORLD}},
	{FROM_WIRE, {BY_G, .dst = MAC_G, .from = IP_WORLD, .to = IP_A}},
	{FROM_GATEWAY, {.from = IP_WORLD, .to = IP_A}},
	{FROM_GATEWAY, {.from = IP6_WORLD, .to = IP6_B}},
	{FROM_GATEWAY, {.from = IP_WORLD, .to = IP_C}},
	{FROM_GATEWAY, {.from = IP_WORLD, .to = IP_D, .payload = 1500}},
	{FROM_GATEWAY, {.from = IP_WORLD, .to = IP_UNKNOWN}},
	{FROM_GATEWAY, {.from = IP_A, .to = IP_WORLD}},
	{FROM_GATEWAY, {.from = IP6_C, .to = IP6_WORLD}},
	{FROM_GATEWAY, {.kind = KIND_ICMP, .icmp_type = 11, .rest = "0", .from = IP_WIRE}},
};

#define OF_BLUE 0x74500002 /* what a container might try */

/* With each of these a frame comes from the host's routing: none, and red's of each class. */
static const __u32 marks[] = {0,	  0x74500001, 0x74510001, 0x74520001,
			      0x74530001, 0x74540001, 0x74550001};

/* The ports of the other tenants. */
static const char *const others[] = {"pba1", "pbb1", "pga1", "pgb1", "pla1"};
static int taps[COUNT(others)];

static bool port_is_red(__u32 ifindex)
{
	struct tsw_port port;

	return !bpf_map_lookup_elem(lab_map(M_PORTS), &ifindex, &port) && port.tenant == RED;
}

/* Into the host's routing: as a frame of red's. */
static bool mark_is_red(const struct wrong *wrong, __u32 mark)
{
	const __u32 class = mark >> 16, index = mark & 0xffff;

	return (index == 1 || (wrong->peering && index == wrong->peering)) &&
	       (class == 0x7450 || class == 0x7454 || class == 0x7455);
}

/* Of a frame that goes on: its mark, or the stamp and, where it is encapsulated, the VNI. */
static bool goes_to_red(const struct wrong *wrong, enum program program, const struct frame *in,
			const struct packet_run *run)
{
	const __u32 *cb = run->ctx.cb;

	if (run->verdict == TC_ACT_SHOT)
		return true;
	if (run->verdict == TC_ACT_UNSPEC)
		return program == FROM_WIRE && frame_equal("passed", &run->out, in);
	if (packet_sealed_mark(&run->out))
		return mark_is_red(wrong, packet_sealed_mark(&run->out)) && !run->ctx.mark;
	if (run->ctx.mark)
		return false;
	if (cb[0] || cb[1])
		return cb[0] == (__u32)SECRET && cb[2] == RED && port_is_red(cb[3]);
	if (program != FROM_WIRE && run->out.len > in->len)
		return promise_tenant(&run->out) == RED;
	/* To a peer or to the tunnel device: shown by the cases that are named. */
	return program == FROM_WIRE || run->out.len <= in->len;
}

static bool others_are_untouched(const char *name)
{
	struct counts counts, want;
	struct frame heard;
	bool ok;

	counts_read(&counts);
	want = counts;
	for (int slot = 1; slot < TENANTS; slot++) {
		memset(want.stats[slot], 0, sizeof(want.stats[slot]));
		memset(want.drops[slot], 0, sizeof(want.drops[slot]));
	}
	ok = counts_equal(name, &counts, &want);
	for (size_t i = 0; i < COUNT(others); i++)
		while (lab_heard(taps[i], 0, &heard)) {
			fprintf(stderr, "# %s: %s heard %zu octets\n", name, others[i], heard.len);
			ok = false;
		}
	return ok;
}

static __u32 device(enum program program)
{
	if (program == FROM_GATEWAY)
		return GW;
	return program == FROM_PORT ? RED_A : WIRE;
}

static bool frame_stays_red(const struct wrong *wrong, size_t i, __u32 mark)
{
	struct __sk_buff ctx = {.ifindex = device(frames[i].program), .mark = mark};
	struct packet_run run = {};
	struct frame in;
	char name[128];
	bool ok;

	snprintf(name, sizeof(name), "%s, frame %zu, mark %#x", wrong->name, i, mark);
	frame_build(&frames[i].spec, &in);
	packet_tell_mark(frames[i].program, &in, &ctx);
	counts_clear();
	ok = !packet_run(frames[i].program, &in, &ctx, &run);
	if (!goes_to_red(wrong, frames[i].program, &in, &run)) {
		fprintf(stderr, "# %s: verdict %d, stamp %u for %u, mark %#x\n", name, run.verdict,
			run.ctx.cb[2], run.ctx.cb[3], run.ctx.mark);
		ok = false;
	}
	return others_are_untouched(name) && ok;
}

static void red_stays_red(void **state)
{
	const struct wrong *wrong = *state;
	bool ok = true;

	/* Once for all: to close one waits for all CPUs. */
	for (size_t i = 0; i < COUNT(others) && !taps[COUNT(others) - 1]; i++)
		taps[i] = lab_tap(others[i]);
	wrong->set();
	for (size_t i = 0; i < COUNT(frames); i++) {
		enum program program = frames[i].program;

		if (program != FROM_GATEWAY)
			ok &= frame_stays_red(wrong, i, program == FROM_PORT ? OF_BLUE : 0);
		for (size_t m = 0; m < COUNT(marks) && program == FROM_GATEWAY; m++)
			ok &= frame_stays_red(wrong, i, marks[m]);
	}
	lab_fill();
	assert_true(ok);
}

#define NOWHERE .drop = TSW_DROP_UNKNOWN_DESTINATION
#define WIRE_IN .program = FROM_WIRE, .in = {FROM_C, .dst = MAC_B, .to = IP_B}

/* The same by name: what exactly becomes of the frame. */
static const struct packet_case cases[] = {
	{"fdb entry of red's at blue's port", .in = {}, NOWHERE, .setup = fdb_to_blue},
	{"the same for a peer", .in = {}, NOWHERE, .setup = peers_everywhere},
	{"the same from the wire", WIRE_IN, NOWHERE, .setup = fdb_to_blue},
	{"fdb entry of red's at the tunnel device", .in = {}, NOWHERE, .setup = fdb_to_devices},
	{"fdb entry of red's at the wire", .program = FROM_WIRE, NOWHERE,
	 .in = {FROM_C, .dst = MAC_A, .to = IP_A}, .setup = fdb_to_devices},
	{"red's port has become blue's", .in = {}, NOWHERE, .setup = ports_move_to_blue},
	{"the same from the wire", WIRE_IN, NOWHERE, .setup = ports_move_to_blue},
	{"destination that blue alone has", .in = {}, NOWHERE, .setup = blue_alone_has_b},
	{"ARP for what blue alone has", .in = {.kind = KIND_ARP}, .setup = blue_alone_has_b},
	{"link-local that blue alone has", .setup = blue_alone_has_b,
	 .in = {.kind = KIND_ICMP,
		.icmp_type = 135,
		.rest = "00000000",
		.from = IP6_A,
		.target = LL6_B,
		.dst = "33:33:ff:00:00:0b"}},
	{"VNI of a tenant that is gone", WIRE_IN, .verdict = PASSED, .setup = red_is_gone},
};

static struct CMUnitTest test_of(const struct wrong *wrong)
{
	return (struct CMUnitTest){
		.name = wrong->name,
		.test_func = red_stays_red,
		.initial_state = (void *)wrong,
	};
}

int main(void)
{
	struct CMUnitTest more[COUNT(wrongs) + WRONG_GATEWAYS];
	const struct packet_suite suite = {"isolation", cases, COUNT(cases), more, COUNT(more)};

	for (size_t i = 0; i < COUNT(wrongs); i++)
		more[i] = test_of(&wrongs[i]);
	for (size_t i = 0; i < WRONG_GATEWAYS; i++)
		more[COUNT(wrongs) + i] = test_of(&wrong_gateways[i]);
	return packet_main(&suite);
}
