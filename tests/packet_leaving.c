// SPDX-License-Identifier: GPL-2.0-only
/* What leaves by the underlay: a tunnel's frame needs the switch's pass, which goes no further. */
#include "packet.h"

#define FRAME(header) .program = TO_WIRE, .in = {.dst = MAC_C, .to = IP_C, .outer = &(header)}
#define FOREIGN .drop = TSW_DROP_FOREIGN_TUNNEL

static const struct outer to_host2 = {};
static const struct outer to_nobody = {.to = "192.0.2.99"};
static const struct outer unknown = {.vni = 0xabcdef};
static const struct outer flows = {.dport = 974};
static const struct outer flows6 = {.from = IP6_WIRE, .to = IP6_HOST4, .dport = 974};
static const struct outer flows_to_nobody = {.to = "192.0.2.99", .dport = 974};

static void slow_path(void)
{
	lab_config_flag(TSW_CFG_SLOW_PATH, 0);
}

/* The underlay is a VLAN's device. */
static void in_vlan(void)
{
	lab_config_flag(TSW_CFG_TAGGED, 0);
}

/* And stands on another underlay, by which its frames leave. */
static void above(void)
{
	struct tsw_config cfg;

	in_vlan();
	lab_config(&cfg);
	cfg.underlay[0].flags = TSW_UNDERLAY_ABOVE;
	lab_config_set(&cfg);
}

static const struct packet_case cases[] = {
	{"with the pass", FRAME(to_host2), .priority = PASS_DOWN, .verdict = PASSED},
	{"without", FRAME(to_host2), FOREIGN},
	{"with the pass for the other way", FRAME(to_host2), .priority = PASS_UP, FOREIGN},
	{"with a part of it", FRAME(to_host2), .priority = PASS_DOWN ^ 1, FOREIGN},
	{"to who is no host", FRAME(to_nobody), .verdict = PASSED, .priority = 7,
	 .priority_out = 7},
	{"of no tenant here, where others may send", FRAME(unknown), .verdict = PASSED},
	{"of no tenant here, where the port is the switch's", FRAME(unknown), FOREIGN,
	 .setup = slow_path, .tenant = NOBODY},
	{"in a VLAN: the pass is taken", FRAME(to_host2), .priority = PASS_DOWN, .verdict = PASSED,
	 .setup = in_vlan},
	{"in a VLAN on another underlay: that one wants to see it", FRAME(to_host2),
	 .priority = PASS_DOWN, .verdict = PASSED, .priority_out = PASS_DOWN, .setup = above},
	{"which takes it", FRAME(to_host2), .dev = WIRE2, .priority = PASS_DOWN, .verdict = PASSED,
	 .setup = above},
	{"in a VLAN on another underlay, without", FRAME(to_host2), FOREIGN, .setup = above},
	{"of flows, the agent's", FRAME(flows), .priority = PASS_ASK, .verdict = PASSED},
	{"the same over IPv6", FRAME(flows6), .priority = PASS_ASK, .verdict = PASSED},
	{"of flows, anybody's", FRAME(flows), FOREIGN, .tenant = NOBODY, .size = {1, 92}},
	{"the same over IPv6", FRAME(flows6), FOREIGN, .tenant = NOBODY, .size = {1, 112}},
	{"a bit of its proof is wrong", FRAME(flows), FOREIGN, .priority = PASS_ASK ^ 1 << 18,
	 .tenant = NOBODY, .size = {1, 92}},
	{"of flows, to who is no host", FRAME(flows_to_nobody), .verdict = PASSED},
	{"of flows, by a VLAN device: the one below wants to see it", FRAME(flows),
	 .priority = PASS_ASK, .verdict = PASSED, .priority_out = PASS_ASK, .setup = above},
};

int main(void)
{
	const struct packet_suite suite = {"leaving", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
