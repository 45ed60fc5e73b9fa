/* SPDX-License-Identifier: GPL-2.0-only */
/* Tenants' gateways: which hosts serve them, and where their flows are. */
#ifndef TSW_BPF_GATEWAY_MAPS_H
#define TSW_BPF_GATEWAY_MAPS_H

#include "core/parse.h"

TSW_HASH(tsw_gateways, __u32, struct tsw_gateway);
TSW_HASH(tsw_marks, __u32, struct tsw_mark);
TSW_HASH(tsw_snat_users, struct tsw_addr, __u32);
TSW_HASH(tsw_uplink_addrs, struct tsw_addr, __u32);

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_uplink_net);
	__type(value, __u32);
} tsw_uplink_slots TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_routed_key);
	__type(value, __u32);
} tsw_routed TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tsw_asked_key);
	__type(value, __u64);
} tsw_asked TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tsw_asked_key);
	__type(value, struct tsw_expected);
} tsw_expected TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_peer_route_key);
	__type(value, struct tsw_peer_route);
} tsw_peer_routes TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tsw_closed_key);
	__type(value, __u32);
} tsw_closed TSW_MAP;

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tsw_flow_key);
	__type(value, struct tsw_flow);
} tsw_flows TSW_MAP;

static __always_inline struct tsw_gateway *gateway_get(__u32 tenant)
{
	return bpf_map_lookup_elem(&tsw_gateways, &tenant);
}

static __always_inline bool gateway_is_own(const struct tsw_gateway *gw,
					   const struct tsw_addr *addr)
{
	for (__u32 i = 0; i < TSW_GATEWAY_ADDRS; i++)
		if (i < gw->n_addrs && addr_equal(&gw->addr[i].addr, addr))
			return true;
	return false;
}

/* Do other tenants leave by the same ports? */
static __always_inline bool gateway_shares_ports(const struct tsw_gateway *gw, bool v6)
{
	struct tsw_addr as = gw->snat[v6];
	const __u32 *users;

	if (!(gw->flags & TSW_GATEWAY_NAT))
		return false;
	if (addr_is_zero(&as))
		return true;
	users = bpf_map_lookup_elem(&tsw_snat_users, &as);
	return users && *users > 1;
}

/* The resolver for names that the switch does not know; NULL: none. */
static __always_inline const struct tsw_addr *gateway_resolver(const struct tsw_gateway *gw,
							       bool v6)
{
	const struct tsw_addr *to = &gw->resolver[v6];

	return addr_is_zero(to) ? NULL : to;
}

static __always_inline struct tsw_mark *mark_get(__u32 index)
{
	return bpf_map_lookup_elem(&tsw_marks, &index);
}

/* The tenant with this index; 0: none. */
static __always_inline __u32 mark_tenant(__u32 index)
{
	struct tsw_mark *whose = mark_get(index);

	return whose ? whose->tenant : 0;
}

/* The peer of a tenant in whose networks this address is. */
static __always_inline struct tsw_peer_route *peer_route_get(__u32 tenant,
							     const struct tsw_addr *addr)
{
	struct tsw_peer_route_key key = {.len = 32 + 128, .tenant = tenant, .addr = *addr};

	return bpf_map_lookup_elem(&tsw_peer_routes, &key);
}

/* Is it closed to tenants without `metadata on`? */
static __always_inline bool addr_is_closed(const struct tsw_addr *addr)
{
	struct tsw_closed_key key = {.len = 128, .addr = *addr};

	return bpf_map_lookup_elem(&tsw_closed, &key);
}

/* NULL: the flow is unknown, or so old that it may be another one by now. */
static __always_inline struct tsw_flow *flow_get(const struct tsw_flow_key *key)
{
	struct tsw_flow *flow = bpf_map_lookup_elem(&tsw_flows, key);

	if (flow && key->proto != IPPROTO_TCP && bpf_ktime_get_ns() - flow->seen > TSW_FLOW_IDLE)
		return NULL;
	return flow;
}

static __always_inline void flow_put(const struct tsw_flow_key *key, __u32 host)
{
	struct tsw_flow flow = {.seen = bpf_ktime_get_ns(), .host = host};

	bpf_map_update_elem(&tsw_flows, key, &flow, BPF_ANY);
}

#endif
