// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which hosts hear that an endpoint has moved: those with endpoints of its tenant, and those that
 * send to them in its gateway's name. Nothing else that is for all goes to the latter.
 */
#include <stdio.h>
#include <string.h>

#include "packet.h"

#define HOST(id) (1U << (id))
#define A "02000000000a"
#define RARP                         \
	.in = {.kind = KIND_RAW,     \
	       .type = 0x8035,       \
	       .dst = MAC_BROADCAST, \
	       .rest = "0001080006040003" A "00000000" A "00000000"}
#define ARP .in = {.kind = KIND_ARP, .dst = MAC_BROADCAST, .to = IP_A}
#define ADVERT                             \
	.in = {.kind = KIND_ICMP,          \
	       .icmp_type = 136,           \
	       .ttl = 255,                 \
	       .dst = "33:33:00:00:00:01", \
	       .from = IP6_A,              \
	       .to = "ff02::1",            \
	       .rest = "20000000",         \
	       .target = IP6_A,            \
	       .tail = "0201" A}
#define DATAGRAM .in = {.dst = MAC_BROADCAST, .to = "10.0.0.255"}
#define ASKS .in = {.kind = KIND_ARP, .dst = MAC_BROADCAST, .to = IP_UNKNOWN}

struct announce_case {
	const char *name;
	struct spec in;
	bool stays; /* it is no endpoint that moves */
	bool quiet; /* its tenant has no broadcast */
	__u32 ring; /* a host with endpoints of the tenant; 0: there is none */
	__u32 host, old, flags;
	int drain;
	__u32 hear; /* HOST() of those that do */
	enum tsw_drop drop;
};

static const struct announce_case cases[] = {
	{"RARP", RARP, .ring = HOST2, .host = HOST4, .hear = HOST(HOST2) | HOST(HOST4)},
	{"ARP", ARP, .ring = HOST2, .host = HOST4, .hear = HOST(HOST2) | HOST(HOST4)},
	{"an advertisement", ADVERT, .ring = HOST2, .host = HOST4,
	 .hear = HOST(HOST2) | HOST(HOST4)},
	{"no other has endpoints", RARP, .host = HOST4, .hear = HOST(HOST4)},
	{"who serves has some: once", RARP, .ring = HOST2, .host = HOST2, .hear = HOST(HOST2)},
	{"without broadcast", RARP, .quiet = true, .ring = HOST2, .host = HOST4,
	 .hear = HOST(HOST2) | HOST(HOST4)},
	{"it is served here", RARP, .ring = HOST2, .hear = HOST(HOST2)},
	{"here, and nobody else is there", RARP},
	{"who has served still holds flows", RARP, .host = HOST2, .old = HOST4, .drain = 60,
	 .hear = HOST(HOST2) | HOST(HOST4)},
	{"the same, and it is served here", RARP, .old = HOST4, .drain = 60, .hear = HOST(HOST4)},
	{"and holds none any more", RARP, .host = HOST2, .old = HOST4, .hear = HOST(HOST2)},
	{"everywhere", RARP, .ring = HOST2, .flags = TSW_GATEWAY_ALL,
	 .hear = HOST(HOST2) | HOST(HOST3) | HOST(HOST4)},
	{"has been everywhere", RARP, .host = HOST2, .flags = TSW_GATEWAY_WAS_ALL, .drain = 60,
	 .hear = HOST(HOST2) | HOST(HOST3) | HOST(HOST4)},
	{"who serves is not known", RARP, .ring = HOST2, .host = HOST_GONE, .hear = HOST(HOST2)},

	{"one that stays", RARP, .stays = true, .ring = HOST2, .host = HOST4, .hear = HOST(HOST2)},
	{"ARP of one that stays", ARP, .stays = true, .host = HOST4},
	{"one that stays, everywhere", ARP, .stays = true, .flags = TSW_GATEWAY_ALL},
	{"one that stays, without broadcast", ARP, .stays = true, .quiet = true, .host = HOST4,
	 .drop = TSW_DROP_BROADCAST_OFF},
	{"no announcement", DATAGRAM, .ring = HOST2, .host = HOST4, .hear = HOST(HOST2)},
	{"no announcement, everywhere", DATAGRAM, .flags = TSW_GATEWAY_ALL},
	{"ARP for another", ASKS, .ring = HOST2, .host = HOST4, .hear = HOST(HOST2)},
	{"no announcement, without broadcast", ASKS, .quiet = true, .host = HOST4,
	 .drop = TSW_DROP_BROADCAST_OFF},
};

static const struct {
	__u32 tenant, dev;
} senders[] = {{RED, RED_A}, {GREEN, GREEN_A}}; /* VXLAN, GRE */

static void set_up(const struct announce_case *c, __u32 tenant, __u32 dev)
{
	const __u32 ring = TSW_MEMBER_HOST | c->ring;

	lab_clear(M_GROUPS);
	lab_clear(M_HOSTS);
	lab_host(HOST2, IP_HOST2);
	lab_host(HOST3, IP_HOST3);
	lab_host(HOST4, IP6_HOST4);
	lab_ring(tenant, TSW_MEMBER_HOSTS, &ring, c->ring != 0);
	lab_ring(tenant, TSW_MEMBER_PORTS, NULL, 0);
	lab_gateway(tenant, c->host, c->old, c->drain);
	lab_gateway_flags(tenant, c->flags);
	lab_port(dev, tenant, MAC_A, TSW_PORT_GUARD_IP | (c->stays ? 0 : TSW_PORT_MOVES));
	if (c->quiet)
		lab_broadcast_off(tenant);
}

static void expect(const struct announce_case *c, __u32 tenant, size_t len, struct counts *want)
{
	const struct tsw_counter one = {.packets = 1, .bytes = len};
	struct tsw_counter *tx = &want->stats[lab_slot(tenant)][TX];

	memset(want, 0, sizeof(*want));
	for (int id = 0; id < HOSTS; id++) {
		if (!(c->hear & HOST(id)))
			continue;
		want->hosts[id][0] = one;
		tx->packets++;
		tx->bytes += len;
	}
	if (c->drop)
		want->drops[lab_slot(tenant)][c->drop][TSW_DIR_FROM_ENDPOINT] = one;
}

static void hear(void **state)
{
	const struct announce_case *c = *state;
	struct packet_run run = {};
	struct counts got, want;
	struct frame in;
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		struct __sk_buff ctx = {.ifindex = senders[i].dev};

		frame_build(&c->in, &in);
		set_up(c, senders[i].tenant, senders[i].dev);
		counts_clear();
		assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
		expect(c, senders[i].tenant, in.len, &want);
		counts_read(&got);
		ok &= counts_equal(c->name, &got, &want) && run.verdict == TC_ACT_SHOT;
		lab_fill();
	}
	assert_true(ok);
}

int main(void)
{
	static const struct CMUnitTest checks[] = {cmocka_unit_test(hear)};
	const struct packet_matrix matrix = {.name = "announce",
					     .checks = checks,
					     .check_count = COUNT(checks),
					     .rows = cases,
					     .row_size = sizeof(cases[0]),
					     .row_count = COUNT(cases)};

	return packet_main_matrix(&matrix);
}
