// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the programs keep of a tenant and of a host beside their counters follows the maps. It does
 * so at once where a command says that it has changed something, and soon where the command was
 * killed before.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "packet.h"

enum { SOON_MS = 1000, WAIT_MS = 2 };

static const __u32 red = RED, host2 = HOST2;
static const struct outer from_host2 = {FROM_HOST2};

static void other_encapsulation(void)
{
	struct tsw_tenant t;

	assert_int_equal(bpf_map_lookup_elem(lab_map(M_TENANTS), &red, &t), 0);
	t.encap = TSW_ENCAP_GRE;
	lab_set(M_TENANTS, &red, &t);
}

static void less_room(void)
{
	struct tsw_tenant t;

	assert_int_equal(bpf_map_lookup_elem(lab_map(M_TENANTS), &red, &t), 0);
	t.mtu = 600;
	lab_set(M_TENANTS, &red, &t);
}

static void no_tenant(void)
{
	lab_unset(M_TENANTS, &red);
}

static void other_address(void)
{
	struct tsw_host host;

	assert_int_equal(bpf_map_lookup_elem(lab_map(M_HOSTS), &host2, &host), 0);
	frame_ip((__u8 *)&host.addr[TSW_IPV4], IP_HOST3);
	lab_set(M_HOSTS, &host2, &host);
}

static void no_host(void)
{
	lab_unset(M_HOSTS, &host2);
}

static void no_vtep(void)
{
	lab_vtep_unset(IP_HOST2);
}

static void vtep_of_another(void)
{
	const __u32 host3 = HOST3;
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, IP_HOST2);
	lab_set(M_VTEPS, &addr, &host3);
}

#define OUT .program = FROM_PORT, .in = {.dst = MAC_C, .payload = 700}
#define IN \
	.program = FROM_WIRE, .in = {.src = MAC_C, .dst = MAC_A, .from = IP_C, .outer = &from_host2}

static const struct kept {
	const char *name;
	enum program program;
	struct spec in;
	void (*change)(void);
} kept[] = {
	{"out: another encapsulation", OUT, other_encapsulation},
	{"out: a smaller MTU", OUT, less_room},
	{"out: no such tenant", OUT, no_tenant},
	{"out: another address of the host", OUT, other_address},
	{"out: no such host", OUT, no_host},
	{"in: no such tenant", IN, no_tenant},
	{"in: no host has that address", IN, no_vtep},
	{"in: another host has that address", IN, vtep_of_another},
};

static void run(const struct kept *k, struct packet_run *r)
{
	const struct __sk_buff ctx = {.ifindex = k->program == FROM_WIRE ? WIRE : RED_A};
	struct frame in = {};

	memset(r, 0, sizeof(*r));
	frame_build(&k->in, &in);
	assert_int_equal(packet_run(k->program, &in, &ctx, r), 0);
}

static bool same(const struct packet_run *a, const struct packet_run *b)
{
	return a->verdict == b->verdict && a->out.len == b->out.len &&
	       !memcmp(a->out.b, b->out.b, a->out.len);
}

/* What a program that keeps nothing yet makes of it, before the change and after. */
static void begin(const struct kept *k, struct packet_run *old, struct packet_run *now)
{
	k->change();
	counts_clear();
	run(k, now);
	lab_fill();
	counts_clear();
	run(k, old);
	assert_false(same(old, now));
	k->change();
}

static void at_once(void **state)
{
	struct packet_run old, now, r;

	begin(*state, &old, &now);
	lab_changed();
	run(*state, &r);
	lab_fill();
	assert_true(same(&r, &now));
}

static void soon(void **state)
{
	const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000L};
	struct packet_run old, now, r;
	int ms = 0;

	begin(*state, &old, &now);
	for (run(*state, &r); !same(&r, &now) && ms < SOON_MS; ms += WAIT_MS) {
		nanosleep(&wait, NULL);
		run(*state, &r);
	}
	lab_fill();
	assert_true(same(&r, &now));
}

/* What is kept of the host that has sent last is nobody else's. */
static void not_for_others(void **state)
{
	static const struct outer others[] = {{TO_US, .from = "192.0.2.77"}, {FROM_HOST3}};
	struct kept k = *(const struct kept *)*state;
	struct packet_run r;

	for (size_t i = 0; k.program == FROM_WIRE && i < COUNT(others); i++) {
		k.in.outer = &from_host2;
		run(&k, &r);
		assert_int_equal(r.verdict, TC_ACT_REDIRECT);
		k.in.outer = &others[i];
		run(&k, &r);
		assert_int_equal(r.verdict, TC_ACT_SHOT);
	}
}

int main(void)
{
	const struct CMUnitTest checks[] = {cmocka_unit_test(at_once), cmocka_unit_test(soon),
					    cmocka_unit_test(not_for_others)};
	const struct packet_matrix matrix = {"cached", checks,		COUNT(checks),
					     kept,     sizeof(kept[0]), COUNT(kept)};

	return packet_main_matrix(&matrix);
}
