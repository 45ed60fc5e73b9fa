/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the switch tells an endpoint about itself: its first address of a family, that address's
 * network, and its router. Everything is looked up when it is asked for, so it is always current.
 */
#ifndef TSW_BPF_ANSWER_LEASE_H
#define TSW_BPF_ANSWER_LEASE_H

#include "core/addr.h"
#include "core/config.h"
#include "core/net.h"
#include "core/port.h"
#include "answer/own_server.h"
#include "answer/reply.h"

TSW_HASH(tsw_names, struct tsw_fdb_key, struct tsw_name);
TSW_HASH(tsw_endpoints, struct tsw_endpoint_key, struct tsw_endpoint);

#define LEASE_ADDRS 64 /* addresses of an endpoint among which its first of a family is searched */
#define LEASE_MTU_LEAST 68 /* RFC 791 */

/* The MAC that answers if the tenant has no gateway. */
static const struct tsw_mac service_mac = TSW_SERVICE_MAC;

static __always_inline struct tsw_addr service_addr(bool v4)
{
	if (v4)
		return addr_from_v4(bpf_htonl(TSW_SERVICE_IP));
	return (struct tsw_addr){
		{bpf_htonl(TSW_SERVICE_IP6), 0, 0, bpf_htonl(TSW_SERVICE_IP6_LAST)}};
}

/* Is it the service address, at which the switch answers if the tenant wants it? */
static __always_inline bool service_owner(const struct tsw_port *port, const struct tsw_addr *addr,
					  struct tsw_mac *owner)
{
	struct tsw_tenant *tenant;

	if (!addr_is_service(addr))
		return false;
	tenant = tenant_get(port->tenant);
	*owner = service_mac;
	return tenant && tenant->flags & TSW_TENANT_ANSWERS;
}

struct lease {
	struct tsw_addr ip;
	__u32 len;   /* prefix length of its network, out of 128 bits as in struct tsw_prefix */
	bool routed; /* the tenant has a gateway in that network */
	bool router; /* it is told as default router */
	struct tsw_addr server; /* address that answers: that router's, or the service address */
	struct tsw_mac mac;	/* MAC of the server */
	__u16 mtu;		/* octets of an IP packet; 0: not known */
	bool dns;		/* that server answers DNS, too */
};

/* Link-local addresses are not leased: each stack makes its own. */
static __always_inline bool lease_is(const struct tsw_addr *addr, enum tsw_family family)
{
	return addr_is_v4mapped(addr) ? family == TSW_IPV4
				      : family == TSW_IPV6 && !addr_is_link_local(addr);
}

struct lease_walk {
	struct tsw_addr_key key; /* where in the chain */
	struct tsw_mac mac;
	enum tsw_family family;
	bool found;
};

static long lease_walk(__u32 i, struct lease_walk *w)
{
	struct tsw_addr_owner *owner = bpf_map_lookup_elem(&tsw_addrs, &w->key);

	if (!owner || !mac_equal(&owner->mac, &w->mac))
		return 1;
	w->found = lease_is(&w->key.addr, w->family);
	if (w->found)
		return 1;
	w->key.addr = owner->next;
	return 0;
}

/* The endpoint's first address of that family. */
static __always_inline bool lease_addr(const struct tsw_port *port, const struct tsw_name *name,
				       enum tsw_family family, struct tsw_addr *addr)
{
	struct lease_walk w = {.key.tenant = port->tenant, .mac = port->mac, .family = family};
	struct tsw_endpoint_key *key = reply_room(); /* there is no stack left for it */
	struct tsw_endpoint *ep;

	if (!key)
		return false;
	key->tenant = port->tenant;
	key->name = *name;
	ep = bpf_map_lookup_elem(&tsw_endpoints, key);
	if (!ep)
		return false;
	w.key.addr = ep->first;
	bpf_loop(LEASE_ADDRS, lease_walk, &w, 0);
	*addr = w.key.addr;
	return w.found;
}

/*
 * An endpoint with `ip none` gets its address from the tenant's own DHCPv6 server. It still needs
 * to hear of network and router, which DHCPv6 does not tell.
 */
static __always_inline bool lease_relayed(const struct tsw_port *port, enum tsw_family family,
					  struct lease *l)
{
	if (family != TSW_IPV6 || port->flags & TSW_PORT_GUARD_IP ||
	    !relay_get(port->tenant, TSW_IPV6))
		return false;
	own_server_via(gateway_get(port->tenant), TSW_IPV6, &l->ip);
	return !addr_is_zero(&l->ip);
}

/* A network contains only addresses of its own family. IPv4's begin with ::ffff. */
static __always_inline bool lease_in(const struct tsw_addr *addr, const struct tsw_prefix *net)
{
	return addr_is_v4mapped(addr) == addr_is_v4mapped(&net->addr) && net->len <= 128 &&
	       addr_is_within(addr, net);
}

/* The networks that contain an address: the tenant's own, and its gateway's. NULL: none does. */
struct lease_search {
	const struct tsw_addr *addr;
	struct tsw_nets *nets;
	struct tsw_gateway *gw;
	const struct tsw_prefix *net, *routed;
	bool found; /* one was found; an OR of both pointers is not allowed */
};

static long lease_by_net(__u32 i, struct lease_search *s)
{
	const struct tsw_prefix *net = &s->nets->at[i & (TSW_NETS - 1)].prefix;

	if (i >= s->nets->n || !lease_in(s->addr, net))
		return 0;
	s->net = net;
	s->found = true;
	return 1;
}

static long lease_by_gateway(__u32 i, struct lease_search *s)
{
	const struct tsw_prefix *net = &s->gw->addr[i & (TSW_GATEWAY_ADDRS - 1)];

	if (i >= s->gw->n_addrs || !lease_in(s->addr, net))
		return 0;
	s->routed = net;
	s->found = true;
	return 1;
}

static __always_inline struct lease_search lease_search(__u32 tenant, const struct tsw_addr *addr)
{
	struct lease_search s = {.addr = addr, .nets = nets_get(tenant), .gw = gateway_get(tenant)};

	if (s.nets)
		bpf_loop(TSW_NETS, lease_by_net, &s, 0);
	if (s.gw)
		bpf_loop(TSW_GATEWAY_ADDRS, lease_by_gateway, &s, 0);
	return s;
}

/* Finds the network among the tenant's nets, or else among the gateway's networks. */
static __noinline bool lease_net(__u32 tenant, struct lease *l)
{
	struct lease_search s = lease_search(tenant, &l->ip);

	l->mac = service_mac;
	l->server = service_addr(addr_is_v4mapped(&l->ip));
	if (s.net)
		l->len = s.net->len;
	if (s.routed) {
		l->server = s.routed->addr;
		l->routed = true;
		l->mac = s.gw->mac;
		l->len = l->len ?: s.routed->len;
	}
	return l->len;
}

#define LEASE_MTU_NONE ~0U

struct lease_mtu {
	struct __sk_buff *skb;
	const struct tsw_config *cfg;
	__u32 overhead;
	__u32 least; /* LEASE_MTU_NONE, which is more than any MTU: none is known */
};

static long lease_mtu_walk(__u32 i, struct lease_mtu *m)
{
	__u32 mtu = 0, ifindex = m->cfg->underlay[i % TSW_UNDERLAYS].ifindex;

	if (!ifindex)
		return 1;
	bpf_check_mtu(m->skb, ifindex, &mtu, 0, 0);
	if (mtu > m->overhead && mtu - m->overhead < m->least)
		m->least = mtu - m->overhead;
	return 0;
}

/*
 * The tenant's own MTU, or what each underlay leaves after the longest header. At most the MTU of
 * the port's device, where longer packets would be lost.
 */
static __always_inline __u16 lease_mtu(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct tsw_tenant *tenant)
{
	enum tsw_family family = addr_is_zero(&cfg->local[TSW_IPV6]) ? TSW_IPV4 : TSW_IPV6;
	struct lease_mtu m = {skb, cfg, TSW_OVERHEAD(tenant->encap, family), LEASE_MTU_NONE};
	__u32 device = 0;

	if (cfg->flags & TSW_CFG_ENCRYPT)
		m.overhead += TSW_CRYPT_OVERHEAD;
	bpf_loop(TSW_UNDERLAYS, lease_mtu_walk, &m, 0);
	if (tenant->mtu && tenant->mtu < m.least)
		m.least = tenant->mtu;
	if (m.least == LEASE_MTU_NONE)
		return 0;
	bpf_check_mtu(skb, 0, &device, 0, 0);
	if (device && device < m.least)
		m.least = device;
	return m.least > 0xffff ? 0xffff : m.least;
}

_Static_assert(sizeof(struct lease) <= REPLY_QUERY_AT - REPLY_LEASE, "its room");

/* The name of the port's endpoint. NULL: its tenant has neither `dhcp on` nor `dns on`. */
static __always_inline struct tsw_name *lease_name(const struct tsw_port *port)
{
	struct tsw_fdb_key key = {.tenant = port->tenant, .mac = port->mac};

	return bpf_map_lookup_elem(&tsw_names, &key);
}

/*
 * False: this port has no lease of that family. Global, so that the verifier goes through it once.
 */
__noinline int tsw_lease(struct __sk_buff *skb, __u32 family, struct lease *l)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_get();
	struct tsw_tenant *tenant;
	struct tsw_name *name;

	if (!cfg || !port || !l)
		return false;
	tenant = tenant_get(port->tenant);
	name = lease_name(port);
	if (!tenant || !(tenant->flags & TSW_TENANT_DHCP) || !name)
		return false;
	*l = (struct lease){};
	if (!lease_addr(port, name, family, &l->ip) && !lease_relayed(port, family, l))
		return false;
	if (!lease_net(port->tenant, l))
		return false;
	l->mtu = lease_mtu(skb, cfg, tenant);
	l->dns = tenant->flags & TSW_TENANT_DNS;
	l->router = l->routed && !(tenant->flags & TSW_TENANT_NEVER_DEFAULT);
	return true;
}

#endif
