// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host sends to tsw-gw: frames that came by a lease, to a tenant; frames on their way into
 * the router; and its own, for networks of tenants that its routes lead there.
 */
#include <string.h>

#include "answer.h"
#include "packet.h"

/* Marks: a class over red's index. */
#define TENANT 0x74500001
#define BOUNCE 0x74510001
#define VOICE 0x74530001
#define HELD 0x74540001

/* What the kernel writes on a frame to the one neighbour of its device, if it is not sealed. */
#define DOOR .src = "02:00:00:00:02:01", .dst = "02:00:00:00:02:02"
#define G_TO_A .src = MAC_G, .dst = MAC_A
#define G_TO_C .src = MAC_G, .dst = MAC_C
#define V4 .from = IP_WORLD, .to = IP_A
#define V6 .from = IP6_WORLD, .to = IP6_A
#define TO_C .from = IP_WORLD, .to = IP_C
#define OUTWARD .from = IP_A, .to = IP_WORLD
#define LOW ((__u32)SECRET)
#define HIGH ((__u32)(SECRET >> 32))
#define RAW .kind = KIND_RAW, .type = 0x88b5, .payload = 50
#define IP_OWN "192.0.2.1"
#define EXPIRED .kind = KIND_ICMP, .icmp_type = 11, .rest = "00000000", .payload = 64

static const struct outer to_host2 = {};

static void a_has_peer(void)
{
	lab_port(RED_A, RED, MAC_A, TSW_PORT_PEER | TSW_PORT_GUARD_IP);
}

static void at_host2(void)
{
	lab_gateway(RED, HOST2, 0, 100);
}

/* Too long for the way to host 2: its sender is told, by the router. */
static void told_of_c(const struct frame *in, struct frame *out)
{
	struct frame f = *in;

	frame_mac(f.b, MAC_C);
	frame_mac(f.b + TSW_MAC_LEN, MAC_G);
	answer_too_big4(&f, out, INNER_MTU);
}

static void seal_of_red(struct frame *f)
{
	packet_seal(f, TENANT, 0);
}

#define STAMPED(...) .program = FAST_GATEWAY, .in = {DOOR, __VA_ARGS__}, .mark = TENANT
/* Counted for nobody: it is the host's, and goes nowhere. */
#define CONSUMED .verdict = DROPPED
#define ROUTED "198.51.100.128" /* in a tenant's network without NAT */
#define SNAT "198.51.100.200"	/* tenants leave as that */
#define IP6_ROUTED_NET "2001:db8:9::100"

static void networks(void)
{
	const __u32 red = RED, users = 1;
	struct tsw_routed_key key = {.len = 96 + 25};
	struct tsw_addr snat;

	frame_ip((__u8 *)&key.addr, ROUTED);
	lab_set(M_ROUTED, &key, &red);
	key.len = 120;
	frame_ip((__u8 *)&key.addr, IP6_ROUTED_NET);
	lab_set(M_ROUTED, &key, &red);
	frame_ip((__u8 *)&snat, SNAT);
	lab_set(M_SNAT_USERS, &snat, &users);
}

static void networks_tsw_up_is_gone(void)
{
	const __u32 up = UP;

	networks();
	lab_unset(M_DEVICES, &up);
}

/* Out of its queue: the program was at an egress already. */
static void sealed_world(const struct frame *in, struct frame *out)
{
	*out = *in;
	packet_seal(out, 0, 0);
}

#define HOSTS(...) .program = FAST_GATEWAY, .in = {DOOR, __VA_ARGS__}
#define ENTERS .verdict = REDIRECTED, .make = sealed_world, .to_router = UP

static const struct packet_case cases[] = {
	{"by a lease, to a port", STAMPED(V4), .out = &(const struct spec){G_TO_A, V4}, .to = RED_A,
	 .verdict = REDIRECTED, .moves = MOVE(GATEWAY)},
	{"by a lease, to a port, IPv6", STAMPED(V6), .out = &(const struct spec){G_TO_A, V6},
	 .to = RED_A, .verdict = REDIRECTED, .moves = MOVE(GATEWAY)},
	{"by a lease, to a port with its peer elsewhere", STAMPED(V4), .to = RED_A,
	 .out = &(const struct spec){G_TO_A, V4}, .verdict = REDIRECTED, .moves = MOVE(GATEWAY),
	 .setup = a_has_peer},
	{"by a lease, to host 2", STAMPED(TO_C), .verdict = REDIRECTED,
	 .moves = MOVE(TX) | MOVE(GATEWAY), .host = HOST2,
	 .out = &(const struct spec){.outer = &to_host2, G_TO_C, TO_C}},
	{"by a lease, too big", STAMPED(TO_C, .payload = 1500), .verdict = REDIRECTED,
	 .moves = MOVE(ANSWERED), .drop = TSW_DROP_TOO_BIG, .mark_out = TENANT, .make = told_of_c},
	{"a mark without a stamp", STAMPED(V4), .bare = true, CONSUMED},
	{"a mark and nothing else", STAMPED(V4), .cb = {0, 0, TENANT, GW}, CONSUMED},
	{"half the secret", STAMPED(V4), .cb = {LOW, 0, TENANT, GW}, CONSUMED},
	{"the other half", STAMPED(V4), .cb = {0, HIGH, TENANT, GW}, CONSUMED},
	{"a stamp of blue's mark", STAMPED(V4), .cb = {LOW, HIGH, TENANT + 1, GW}, CONSUMED},
	{"a stamp of another class", STAMPED(V4), .cb = {LOW, HIGH, VOICE, GW}, CONSUMED},
	{"a stamp for a port", STAMPED(V4), .cb = {LOW, HIGH, RED, RED_A}, CONSUMED},
	{"a stamp for another device", STAMPED(V4), .cb = {LOW, HIGH, TENANT, UP}, CONSUMED},
	{"a bounce without a stamp", STAMPED(OUTWARD), .mark = BOUNCE, .cb = {0, 0, BOUNCE, GW},
	 .setup = at_host2, CONSUMED},
	{"an error without a stamp", STAMPED(.from = IP_OWN, .to = IP_A, EXPIRED), .mark = VOICE,
	 .cb = {0, 0, VOICE, GW}, CONSUMED},
	{"a stamp of a class of the way in", STAMPED(V4), .mark = HELD, CONSUMED},
	{"a stamp of no mark", STAMPED(V4), .mark = 0, .cb = {LOW, HIGH, 0, GW}, CONSUMED},
	{"a seal, which is none of the host's", STAMPED(V4), .bare = true, .change = seal_of_red,
	 CONSUMED},
	{"on its way into the router", HOSTS(V4), .cb = {LOW, HIGH, CROSSING, GW},
	 .verdict = PASSED},
	{"the same for another device", HOSTS(V4), .cb = {LOW, HIGH, CROSSING, UP}, CONSUMED},
	{"the same with half the secret", HOSTS(V4), .cb = {LOW, 0, CROSSING, GW}, CONSUMED},
	{"the host's own, to nobody", HOSTS(V4, .to = IP_UNKNOWN), CONSUMED, .setup = networks},
	{"the host's own, to a tenant's network", HOSTS(V4, .to = ROUTED), ENTERS,
	 .setup = networks},
	{"to the last address of it", HOSTS(V4, .to = "198.51.100.255"), ENTERS, .setup = networks},
	{"just below it", HOSTS(V4, .to = "198.51.100.127"), CONSUMED, .setup = networks},
	{"to a tenant's network, IPv6", HOSTS(V6, .to = IP6_ROUTED_NET), ENTERS, .setup = networks},
	{"to an address that tenants leave as", HOSTS(V4, .to = SNAT), ENTERS, .setup = networks},
	{"to a tenant's network, with a mark of red's", HOSTS(V4, .to = ROUTED), .mark = TENANT,
	 .bare = true, ENTERS, .setup = networks},
	{"to a tenant's network, tsw-up is gone", HOSTS(V4, .to = ROUTED),
	 .drop = TSW_DROP_DEVICE_GONE, .tenant = NOBODY, .setup = networks_tsw_up_is_gone},
	{"the host's own, not IP", HOSTS(RAW), CONSUMED, .setup = networks},
	{"the host's own, ARP", HOSTS(.kind = KIND_ARP, .to = ROUTED), CONSUMED, .setup = networks},
	{"the device's own chatter, sent", HOSTS(V6, .dst = "33:33:00:00:00:16", .to = "ff02::16"),
	 CONSUMED, .setup = networks},
};

int main(void)
{
	const struct packet_suite suite = {"fast_gateway", cases, COUNT(cases), NULL, 0};

	return packet_main(&suite);
}
