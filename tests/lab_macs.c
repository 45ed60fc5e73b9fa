// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <string.h>
#include <time.h>

#include "lab_macs.h"

const struct tsw_fdb_key *lab_macs_key(void)
{
	static struct tsw_fdb_key key = {.tenant = RED};

	frame_mac(key.mac.b, MAC_A);
	return &key;
}

struct tsw_inner lab_macs(void)
{
	struct tsw_inner inner = {};

	bpf_map_lookup_elem(lab_map(M_INNER), lab_macs_key(), &inner);
	return inner;
}

__u64 lab_seconds_ago(__u64 n)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((__u64)now.tv_sec - n) * 1000000000ULL;
}

void lab_macs_may(__u32 n)
{
	lab_set(M_MACS, lab_macs_key(), &n);
	lab_port_flag(RED, MAC_A, TSW_PORT_MACS);
	lab_addr(RED, IP_I, MAC_A);
	lab_addr(RED, IP6_I, MAC_A);
	lab_clear(M_GROUPS);
}

void lab_macs_may_two(void)
{
	lab_macs_may(2);
}

void lab_macs_full(__u64 n)
{
	const __u64 seen = lab_seconds_ago(n);
	struct tsw_inner inner = {.mac = {{.seen = seen}, {.seen = seen}}};

	lab_macs_may_two();
	frame_mac(inner.mac[0].mac.b, MAC_I);
	frame_mac(inner.mac[1].mac.b, MAC_J);
	lab_set(M_INNER, lab_macs_key(), &inner);
}

void lab_macs_send(const char *mac, const struct spec *what)
{
	struct __sk_buff ctx = {.ifindex = RED_A};
	struct spec spec = *what;
	struct packet_run run;
	struct frame in;

	spec.src = mac;
	frame_build(&spec, &in);
	assert_int_equal(packet_run(FROM_PORT, &in, &ctx, &run), 0);
}

void lab_macs_i_has_it(void)
{
	lab_macs_may_two();
	lab_macs_send(MAC_I, &(const struct spec){.from = IP_I});
	lab_macs_send(MAC_I, &(const struct spec){.from = IP6_I, .to = IP6_B});
}

const struct tsw_inner_addr *lab_macs_find(const struct tsw_inner *inner, const char *ip)
{
	static const struct tsw_mac none;
	struct tsw_addr addr;

	frame_ip((__u8 *)&addr, ip);
	for (int i = 0; i < TSW_INNER_ADDRS; i++)
		if (!memcmp(&inner->addr[i].addr, &addr, sizeof(addr)) &&
		    memcmp(&inner->addr[i].mac, &none, sizeof(none)) != 0)
			return &inner->addr[i];
	return NULL;
}
