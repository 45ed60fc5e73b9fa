// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/text.h"
#include "record/container.h"
#include "record/gateway_find.h"
#include "record/nets.h"

__s32 container_nsid(const struct link *dev)
{
	return dev->netnsid ? dev->nsid : INSIDE_OWN;
}

int container_read(struct container *c, __u32 ifindex)
{
	int err = link_by_index(ifindex, &c->dev);

	return err ?: link_peer(&c->dev, &c->end);
}

bool container_is_passage(const struct container *c)
{
	static const char *const same[] = {"", "bond", "team", "vrf"};
	bool bridged = true;
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		bridged &= strcmp(c->end.master, same[i]) != 0;
	return bridged || c->ep->macs || c->ep->options & TSW_ENDPOINT_XDP;
}

/* A container names its device itself: commands to paste have only a harmless name. */
static const char *word(const char *name)
{
	return is_plain_word(name) ? name : "DEV";
}

static const char *name_word(const char *name)
{
	return is_plain_word(name) ? name : "NAME";
}

static void judge_mac(const struct container *c, json_t *found)
{
	if (container_is_passage(c) || mac_equal(&c->end.mac, &c->ep->mac))
		return;
	problem(found, "container_mac", c->dev.name,
		"endpoint %s has MAC %s, but its container's %s has %s: its frames are dropped as "
		"spoofed_mac. In the container: ip link set %s address %s; or here: tsw endpoint "
		"set %s tenant %s mac %s",
		quoted(c->ep->key.name.s), mac_text(&c->ep->mac), quoted(c->end.name),
		mac_text(&c->end.mac), word(c->end.name), mac_text(&c->ep->mac),
		name_word(c->ep->key.name.s), name_word(c->tenant->name), mac_text(&c->end.mac));
}

/* A device that is down, or whose other end is, has lost routes and IPv6 addresses. */
static bool is_up(const struct container *c)
{
	return c->end.flags & IFF_UP && c->end.flags & IFF_RUNNING;
}

/* A netkit pair drops nothing by its MTU, nor does a veth whose frames skip the host's end. */
static void judge_mtu(const struct container *c, json_t *found)
{
	const bool small = c->end.mtu < c->mtu;
	const bool skips = c->ep->peer && !(c->ep->options & TSW_ENDPOINT_XDP);

	if (!c->mtu || c->end.mtu == c->mtu || (small && (skips || link_is_netkit(&c->dev))))
		return;
	problem(found, "container_mtu", c->dev.name,
		"the container of endpoint %s has MTU %u, but endpoints of its tenant use %u: %s. In "
		"the container: ip link set %s mtu %u",
		quoted(c->ep->key.name.s), c->end.mtu, c->mtu,
		small ? "longer packets to it are lost, and the switch does not count them"
		      : "what is longer does not fit to other hosts, and is answered with an ICMP "
			"error",
		word(c->end.name), c->mtu);
}

/* With DHCP a container without an address has not asked yet. */
static bool lacks(const struct container *c, struct mnl_socket *socket, const struct tsw_addr *ip,
		  struct tsw_prefix *has)
{
	if (addr_is_link_local(ip) || inside_route(socket, ip).local)
		return false;
	*has = inside_address(socket, c->end.ifindex, addr_family(ip));
	return !(c->tenant->flags & TSW_TENANT_DHCP) || !addr_is_none(&has->addr);
}

/* Whether it has the address, but sends to a neighbour as another one, which it has first. */
static bool sends_as_other(const struct container *c, struct mnl_socket *socket,
			   const struct tsw_addr *ip, struct tsw_prefix *has)
{
	struct tsw_addr near = *ip;
	struct inside_route r;

	if (addr_is_link_local(ip) || c->ep->vip.n || c->ep->prefix.n)
		return false;
	near.w[3] ^= htonl(1);
	r = inside_route(socket, &near);
	*has = inside_address(socket, c->end.ifindex, addr_family(ip));
	return !r.err && !r.local && r.ifindex == c->end.ifindex && !addr_is_none(&has->addr) &&
	       addr_equal(&r.src, &has->addr) && !endpoint_has_ip(c->ep, &has->addr);
}

/* ADDRESS/LENGTH, by a network of the tenant or that of the address which is there. */
static const char *with_length(const struct container *c, const struct tsw_addr *ip,
			       const struct tsw_prefix *has)
{
	static _Thread_local char unknown[64];

	struct tsw_prefix out = {*ip, addr_is_none(&has->addr) ? 0 : has->len};
	struct tsw_prefix_list list = {};
	struct tsw_nets nets;
	unsigned int i;

	if (!nets_load(c->t, c->ep->key.tenant, &nets))
		list = nets_list(&nets);
	for (i = 0; i < list.n; i++)
		if (prefix_has(&list.at[i], ip))
			out.len = list.at[i].len;
	for (i = 0; c->gw && i < c->gw->n_addrs; i++)
		if (prefix_has(&c->gw->addr[i], ip))
			out.len = c->gw->addr[i].len;
	snprintf(unknown, sizeof(unknown), "%s/LENGTH", addr_text(ip));
	return out.len ? prefix_text(&out) : unknown;
}

static void tell_address(const struct container *c, const struct tsw_addr *ip,
			 const struct tsw_prefix *has, const char *fault, json_t *found)
{
	const bool wrong = !addr_is_none(&has->addr) && !endpoint_has_ip(c->ep, &has->addr);
	const char *dev = word(c->end.name);
	char del[128] = "";

	if (wrong)
		snprintf(del, sizeof(del), "ip addr del %s dev %s && ", prefix_text(has), dev);
	problem(found, "container_address", c->dev.name,
		"endpoint %s has %s, but its container %s%s. In the container: %sip addr %s %s "
		"dev %s",
		quoted(c->ep->key.name.s), addr_text(ip), fault,
		wrong ? ", and what it sends is dropped as spoofed_ip" : "", del,
		wrong ? "replace" : "add", with_length(c, ip, has), dev);
}

/* Tells the first address of each family that is missing or not used, which then is not WHOLE. */
static void judge_addresses(const struct container *c, struct mnl_socket *socket, bool *whole,
			    json_t *found)
{
	const struct endpoint *ep = c->ep;
	struct tsw_prefix has;
	char fault[128];
	unsigned int i;

	for (i = 0; i < ep->n_ip; i++) {
		const enum tsw_family family = addr_family(&ep->ip[i]);

		if (!whole[family])
			continue;
		if (lacks(c, socket, &ep->ip[i], &has))
			snprintf(fault, sizeof(fault), "has %s%s: nothing reaches it",
				 addr_is_none(&has.addr) ? "no address of " : "only ",
				 addr_is_none(&has.addr) ? family_text(family)
							 : addr_text(&has.addr));
		else if (sends_as_other(c, socket, &ep->ip[i], &has))
			snprintf(fault, sizeof(fault), "sends as %s", addr_text(&has.addr));
		else
			continue;
		whole[family] = false;
		tell_address(c, &ep->ip[i], &has, fault, found);
	}
}

/* The gateway's address in whose network the endpoint has one; NULL: none of that family. */
static const struct tsw_addr *router_of(const struct container *c, enum tsw_family family)
{
	unsigned int i, j;

	for (i = 0; c->gw && i < c->gw->n_addrs; i++)
		for (j = 0; j < c->ep->n_ip; j++)
			if (addr_family(&c->ep->ip[j]) == family &&
			    prefix_has(&c->gw->addr[i], &c->ep->ip[j]))
				return &c->gw->addr[i].addr;
	return NULL;
}

/* An address outside of the gateway's networks: one of those for documents (RFC 5737, RFC 3849). */
static struct tsw_addr far_address(const struct container *c, enum tsw_family family)
{
	static const __u32 v4[] = {0xc6336401, 0xcb007101, 0xc0000201};
	struct tsw_addr addr = {{htonl(0x20010db8), htonl(0xffff0000), 0, htonl(1)}};
	size_t i;
	__u32 j;

	for (i = 0; i < sizeof(v4) / sizeof(v4[0]) && family == TSW_IPV4; i++) {
		addr = addr_from_v4(htonl(v4[i]));
		for (j = 0; j < c->gw->n_addrs && !prefix_has(&c->gw->addr[j], &addr); j++)
			;
		if (j == c->gw->n_addrs)
			break;
	}
	return addr;
}

/* Whether anybody in the tenant has the router's address. IPv6 learns link-local ones by RAs. */
static bool is_somebody(const struct container *c, const struct tsw_addr *via)
{
	const struct tsw_addr_key key = {.tenant = c->ep->key.tenant, .addr = *via};
	struct tsw_addr_owner owner;

	return addr_is_link_local(via) || addr_is_service(via) ||
	       (c->gw && gateway_has(c->gw, via)) || !map_get(&c->t->maps, MAP_ADDRS, &key, &owner);
}

/* NULL: the route is sound. A way by another device is often the container's own affair. */
static const char *route_fault(const struct container *c, const struct inside_route *r,
			       const struct container_way *way)
{
	if (r->local)
		return NULL;
	if (r->err)
		return "no route to";
	if (r->ifindex != c->end.ifindex)
		return way->by_port ? "another device for" : NULL;
	if (addr_is_none(&r->via))
		return way->beyond ? "no router for" : NULL;
	return is_somebody(c, &r->via) ? NULL : "a router that nobody in the tenant is, for";
}

void container_judge_way(const struct container *c, struct mnl_socket *socket,
			 const struct container_way *way, json_t *found)
{
	const struct tsw_addr *router = router_of(c, addr_family(&way->to));
	const struct inside_route r = inside_route(socket, &way->to);
	const char *fault = route_fault(c, &r, way);

	if (!fault || !is_up(c) || container_is_passage(c))
		return;
	problem(found, "container_route", c->dev.name,
		"the container of endpoint %s has %s %s%s%s%s%s", quoted(c->ep->key.name.s), fault,
		way->by_port ? addr_text(&way->to) : "other networks",
		router ? ". In the container: ip route replace default via " : "",
		router ? addr_text(router) : "", router ? " dev " : "",
		router ? word(c->end.name) : "");
}

/* This host's own routes are not a container's. */
static void judge_default(const struct container *c, struct mnl_socket *socket,
			  enum tsw_family family, json_t *found)
{
	struct container_way way = {.beyond = true};

	if (!router_of(c, family) || !c->dev.netnsid || c->tenant->flags & TSW_TENANT_NEVER_DEFAULT)
		return;
	way.to = far_address(c, family);
	container_judge_way(c, socket, &way, found);
}

bool container_judge(const struct container *c, struct mnl_socket *socket, json_t *found)
{
	bool whole[TSW_FAMILIES] = {true, true};

	judge_mac(c, found);
	judge_mtu(c, found);
	if (!is_up(c) || container_is_passage(c))
		return false;
	judge_addresses(c, socket, whole, found);
	return whole[TSW_IPV4] && whole[TSW_IPV6];
}

void container_judge_all(const struct container *c, struct mnl_socket *socket, json_t *found)
{
	const bool whole = container_judge(c, socket, found);
	int family;

	for (family = 0; whole && family < TSW_FAMILIES; family++)
		judge_default(c, socket, (enum tsw_family)family, found);
}
