// SPDX-License-Identifier: GPL-2.0-only
/* The bench's gateways: every tenant's has the same MAC and the same addresses. */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab.h"
#include "store/closed.h"

#define NS_PER_S 1000000000LL

static const __u32 tenants[TENANTS] = {RED, BLUE, GREEN, LARGE, VIOLET};

void lab_gateway_get(__u32 tenant, struct tsw_gateway *gw)
{
	if (!bpf_map_lookup_elem(lab_map(M_GATEWAYS), &tenant, gw))
		return;
	fprintf(stderr, "# tenant %u has no gateway\n", tenant);
	abort();
}

void lab_gateway_set(__u32 tenant, const struct tsw_gateway *gw)
{
	lab_set(M_GATEWAYS, &tenant, gw);
}

void lab_gateway_unset(__u32 tenant)
{
	lab_unset(M_GATEWAYS, &tenant);
}

static __u64 in_seconds(int seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec + seconds) * NS_PER_S + now.tv_nsec;
}

void lab_gateway(__u32 tenant, __u32 host, __u32 old, int drain)
{
	struct tsw_gateway gw;

	lab_gateway_get(tenant, &gw);
	gw.host = host;
	gw.old = old;
	gw.drain_until = drain ? in_seconds(drain) : 0;
	gw.flags = 0;
	lab_gateway_set(tenant, &gw);
}

void lab_gateway_flags(__u32 tenant, __u32 flags)
{
	struct tsw_gateway gw;

	lab_gateway_get(tenant, &gw);
	gw.flags = flags;
	lab_gateway_set(tenant, &gw);
}

void lab_no_door(void)
{
	struct tsw_config cfg;

	lab_config(&cfg);
	cfg.gateway = 0;
	lab_config_set(&cfg);
}

void lab_gateway_mac(__u32 tenant, const char *mac)
{
	struct tsw_gateway gw;

	lab_gateway_get(tenant, &gw);
	frame_mac(gw.mac.b, mac);
	lab_gateway_set(tenant, &gw);
	lab_fdb_unset(tenant, MAC_G);
	lab_fdb(tenant, mac, TSW_PLACE_GATEWAY, 0);
	lab_addr(tenant, IP_G, mac);
	lab_addr(tenant, IP6_G, mac);
}

void lab_mark(__u32 index, __u32 tenant, __u32 peer)
{
	const struct tsw_mark mark = {.tenant = tenant, .peer = peer};

	lab_set(M_MARKS, &index, &mark);
}

void lab_peer(__u32 tenant, const char *ip, __u32 len, __u32 peer, __u32 index)
{
	const struct tsw_peer_route route = {.peer = peer, .index = index};
	struct tsw_peer_route_key key = {.tenant = tenant};

	key.len = 32 + len + (frame_ip((__u8 *)&key.addr, ip) ? 0 : 96);
	lab_set(M_PEER_ROUTES, &key, &route);
}

static void flow_key(const struct lab_flow *flow, struct tsw_flow_key *key)
{
	*key = (struct tsw_flow_key){
		.tenant = flow->tenant ?: RED,
		.sport = htons(flow->sport),
		.dport = htons(flow->dport),
		.proto = flow->proto,
	};
	frame_ip((__u8 *)&key->src, flow->src);
	frame_ip((__u8 *)&key->dst, flow->dst);
}

void lab_flow(const struct lab_flow *flow)
{
	const struct tsw_flow value = {.seen = in_seconds(-(int)flow->idle), .host = flow->host};
	struct tsw_flow_key key;

	flow_key(flow, &key);
	lab_set(M_FLOWS, &key, &value);
}

bool lab_flow_is(const struct lab_flow *flow)
{
	struct tsw_flow_key want, got;
	struct tsw_flow value = {};

	if (bpf_map_get_next_key(lab_map(M_FLOWS), NULL, &got))
		return !flow;
	if (!flow || !bpf_map_get_next_key(lab_map(M_FLOWS), &got, &want))
		return false;
	flow_key(flow, &want);
	bpf_map_lookup_elem(lab_map(M_FLOWS), &got, &value);
	return !memcmp(&got, &want, sizeof(got)) && value.host == flow->host;
}

void lab_gateways_fill(void)
{
	const __u32 doors[] = {GW, UP};
	struct tsw_gateway gw = {
		.flags = TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL,
		.n_addrs = 2,
		.addr = {{.len = 96 + 24}, {.len = 64}},
	};

	if (closed_fill(lab_map(M_CLOSED)))
		abort();
	for (size_t i = 0; i < COUNT(doors); i++)
		lab_set(M_DEVICES, &doors[i], &doors[i]);
	frame_mac(gw.mac.b, MAC_G);
	frame_ip((__u8 *)&gw.addr[0].addr, IP_G);
	frame_ip((__u8 *)&gw.addr[1].addr, IP6_G);
	for (int i = 0; i < TENANTS; i++) {
		gw.index = i + 1;
		lab_mark(gw.index, tenants[i], 0);
		lab_gateway_set(tenants[i], &gw);
		lab_gateway_mac(tenants[i], MAC_G);
	}
}
