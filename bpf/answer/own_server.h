/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's own DHCP servers, and by which address of its gateway they are asked. */
#ifndef TSW_BPF_ANSWER_OWN_SERVER_H
#define TSW_BPF_ANSWER_OWN_SERVER_H

#include "core/addr.h"
#include "core/tenant.h"
#include "gateway/maps.h"

TSW_HASH(tsw_relays, __u32, struct tsw_relay);

/* NULL: the tenant has no DHCP server of its own, or its dhcp is off. */
static __always_inline struct tsw_relay *relay_get(__u32 id, enum tsw_family family)
{
	struct tsw_tenant *tenant = tenant_get(id);
	struct tsw_relay *relay;

	if (!tenant || !(tenant->flags & TSW_TENANT_DHCP))
		return NULL;
	relay = bpf_map_lookup_elem(&tsw_relays, &id);
	return relay && !addr_is_zero(&relay->server[family]) ? relay : NULL;
}

struct own_server_via {
	struct tsw_gateway *gw;
	enum tsw_family family;
	struct tsw_addr addr;
};

static long own_server_walk(__u32 i, struct own_server_via *s)
{
	const struct tsw_addr *addr = &s->gw->addr[i & (TSW_GATEWAY_ADDRS - 1)].addr;

	if (i >= s->gw->n_addrs || addr_is_v4mapped(addr) != (s->family == TSW_IPV4))
		return 0;
	s->addr = *addr;
	return 1;
}

/* The gateway's first address of that family. Zero: it has none. */
static __noinline void own_server_via(struct tsw_gateway *gw, enum tsw_family family,
				      struct tsw_addr *addr)
{
	struct own_server_via s = {.gw = gw, .family = family};

	if (gw)
		bpf_loop(TSW_GATEWAY_ADDRS, own_server_walk, &s, 0);
	*addr = s.addr;
}

#endif
