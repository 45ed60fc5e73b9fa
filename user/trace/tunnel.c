// SPDX-License-Identifier: GPL-2.0-only
/* The way to another host: route, MTU, encapsulation; and what the other host needs. */
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/key.h"
#include "base/text.h"
#include "kernel/conf.h"
#include "kernel/route.h"
#include "kernel/wireguard.h"
#include "record/hosts.h"
#include "record/tenant_find.h"
#include "trace/trace.h"
#include "wire/crypt.h"
#include "wire/mtu.h"
#include "wire/underlay.h"

enum { IP_LEN_MAX = 65535, IPV6_HEADER = 40, COMMAND_LEN = 1024 };

static int no_route(struct trace *tr, const struct tsw_addr *to, const char *why)
{
	trace_drop_at(tr, TSW_DROP_NO_ROUTE, "route", TRACE_LOOK(MAP_COUNT, addr_text(to), NULL),
		      "to %s %s", addr_text(to), why);
	return trace_advise(tr, "ip route get %s; the devices of the underlay: tsw switch show",
			    addr_text(to));
}

/* The FIB answers programs only if tsw-vx forwards; else the kernel routes each frame. */
static bool is_unasked(const struct trace *tr, const struct tsw_addr *to)
{
	char name[IFNAMSIZ];

	return if_indextoname(tr->t->config.tunnel, name) &&
	       !conf_read(addr_family(to), name, "forwarding");
}

/* The MTU of the device, or that of the route if it is smaller. */
static __u32 hop_mtu(const struct link *dev, const struct tsw_host *host)
{
	return host->mtu && host->mtu < dev->mtu ? host->mtu : dev->mtu;
}

static int walk_unasked(struct trace *tr, const struct tsw_host *host, const struct tsw_addr *to)
{
	const __u32 ifindex = tr->t->config.underlay[0].ifindex;
	struct link dev = {};

	link_by_index(ifindex, &dev);
	tr->hop = (struct trace_hop){
		.ifindex = ifindex, .via = *to, .mtu = hop_mtu(&dev, host), .unasked = true};
	trace_step(tr, "route", TRACE_LOOK(MAP_COUNT, addr_text(to), NULL),
		   "forwarding is off on tsw-vx, so the kernel routes each frame");
	return TRACE_NEXT;
}

/* What the host, or an operator, says of its underlay; 0: nothing. */
static __u32 told_mtu(const struct trace *tr, const struct tsw_host *host)
{
	struct tsw_name name;
	__u32 id, told;

	memcpy(name.s, host->name, sizeof(name.s));
	return map_get(&tr->t->maps, MAP_HOST_IDS, &name, &id) || host_mtu_get(tr->t, id, &told)
		       ? 0
		       : told;
}

/* Reports MTUs of the route that the programs do not use. */
static void look_at_mtu(struct trace *tr, const struct tsw_host *host, const struct route *route)
{
	if (host_mtu(tr->t, route->mtu, told_mtu(tr, host)) != host->mtu)
		trace_problem(tr, "host_mtu",
			      "the route to host %s has another MTU now: tsw switch repair",
			      quoted(host->name));
	if (route->learned)
		trace_problem(tr, "learned_mtu",
			      "an ICMP error lowered the kernel's MTU to %u for host %s; the "
			      "programs ignore it. If it is right, give the route that MTU",
			      route->learned, quoted(host->name));
}

/*
 * The kernel chooses the way of WireGuard's packets, so nothing is known of the underlay. The MTU
 * is that of the device, or that of the route if it is smaller.
 */
static int walk_crypt(struct trace *tr, const struct tsw_host *host)
{
	const unsigned int odd = !!(host->flags & TSW_HOST_ODD);
	const __u32 zero = 0;
	struct tsw_crypt crypt;
	struct link dev;
	char text[160];

	tr->hop = (struct trace_hop){.resolved = true};
	if (!trace_have(tr, MAP_CRYPT, &zero, &crypt) ||
	    !wg_is_of(crypt.ifindex[crypt.own & 1][odd], tr->t->instance) ||
	    link_by_index(crypt.ifindex[crypt.own & 1][odd], &dev)) {
		trace_step(tr, "encrypt", TRACE_LOOK(MAP_CRYPT, host->name, NULL),
			   "no WireGuard device exists for its key");
		trace_drop(tr, TSW_DROP_NOT_ENCRYPTED, "frames to it must be encrypted");
		return trace_advise(tr, "tsw switch check");
	}
	tr->hop.ifindex = dev.ifindex;
	tr->hop.mtu = hop_mtu(&dev, host);
	snprintf(text, sizeof(text), "dev %s mtu %u", escaped(dev.name), tr->hop.mtu);
	trace_step(tr, "encrypt", TRACE_LOOK(MAP_CRYPT, host->name, text), "WireGuard, by %s",
		   escaped(dev.name));
	if (!(dev.flags & IFF_UP))
		trace_problem(tr, "device_down", "the WireGuard device %s is down",
			      quoted(dev.name));
	return TRACE_NEXT;
}

static bool is_encrypted(const struct trace *tr, const struct tsw_host *host)
{
	return tr->t->config.flags & TSW_CFG_ENCRYPT && !(host->flags & TSW_HOST_CLEAR);
}

/* The kernel's route, the MTU that the programs use, and the neighbour. */
static int walk_route(struct trace *tr, const struct tsw_host *host)
{
	const struct tsw_addr *from = &tr->t->config.local[host->family & 1];
	const struct tsw_addr *to = &host->addr[host->family & 1];
	struct route route;
	struct link dev;
	char text[160];

	tr->hop = (struct trace_hop){};
	if (is_unasked(tr, to))
		return walk_unasked(tr, host, to);
	if (route_ask(from, to, &route) || link_by_index(route.ifindex, &dev))
		return no_route(tr, to, "the host has no route");
	if (!underlay_has(&tr->t->config, route.ifindex))
		return no_route(tr, to, "the host's route leads by a device outside the underlay");
	tr->hop = (struct trace_hop){
		.ifindex = route.ifindex, .via = route.via, .mtu = hop_mtu(&dev, host)};
	tr->hop.resolved = neighbour_known(route.ifindex, &route.via, &tr->hop.mac);
	look_at_mtu(tr, host, &route);
	snprintf(text, sizeof(text), "via %s dev %s mtu %u", addr_text(&route.via),
		 escaped(dev.name), tr->hop.mtu);
	trace_step(tr, "route", TRACE_LOOK(MAP_COUNT, addr_text(to), text), "the host's routing");
	if (!(dev.flags & IFF_RUNNING))
		trace_problem(tr, "device_down", "underlay device %s has no carrier or is down",
			      quoted(dev.name));
	return TRACE_NEXT;
}

/* A too-big answer must quote enough of the packet. */
static bool is_answerable(const struct trace_frame *f)
{
	return trace_is_ip(f) && !trace_is_group(&f->dst) && !trace_is_to_many(&f->dip) &&
	       f->l3_len >= (addr_is_v4(&f->dip) ? TSW_QUOTE4 : TSW_QUOTE6);
}

static int walk_mtu(struct trace *tr, const struct tsw_host *host)
{
	const __u32 overhead = TSW_OVERHEAD(tr->tenant.encap, host->family);
	const __u32 room = tr->hop.mtu > overhead ? tr->hop.mtu - overhead : 0;
	const bool own = tr->tenant.mtu && tr->tenant.mtu < room;
	const __u32 mtu = own ? tr->tenant.mtu : room;
	const __u32 longest = IP_LEN_MAX + (host->family ? IPV6_HEADER : 0) - overhead;
	char text[64];

	snprintf(text, sizeof(text), "mtu %u", mtu);
	trace_step(tr, "mtu",
		   TRACE_LOOK(own ? MAP_TENANTS : MAP_COUNT, own ? tr->tenant.name : NULL, text),
		   "%s: the packet has %u octets, with tunnel %u",
		   tr->frame.l3_len > mtu ? "too_big" : "fits", tr->frame.l3_len,
		   tr->frame.l3_len + overhead);
	if (tr->frame.l3_len <= mtu && tr->frame.l3_len <= longest)
		return TRACE_NEXT;
	trace_drop(tr, TSW_DROP_TOO_BIG, "the packet has %u octets, but only %u fit",
		   tr->frame.l3_len, mtu);
	trace_advise(tr, "give the container's device mtu %u", mtu);
	if (tr->frame.l3_len > mtu && is_answerable(&tr->frame))
		return trace_finish(tr, TRACE_ANSWERED);
	return TRACE_DROPPED;
}

/* Whether a tunnel device of the kernel has the tenant's encapsulation. */
static bool kernel_has_encap(const struct trace *tr, const struct tsw_host *host)
{
	const struct tsw_config *c = &tr->t->config;

	if (tr->tenant.encap == TSW_ENCAP_GRE)
		return c->gre[host->family];
	if (tr->tenant.encap == TSW_ENCAP_GENEVE)
		return c->geneve;
	return c->flags & TSW_CFG_SLOW_PATH;
}

/* Or VXLAN's device can be used in its place. */
static bool kernel_stands_in(const struct trace *tr, const struct tsw_host *host)
{
	return kernel_has_encap(tr, host) ||
	       (tr->t->config.flags & TSW_CFG_SLOW_PATH && tr->id <= TSW_VNI_MAX);
}

static void step_encap(struct trace *tr)
{
	trace_step(tr, "encapsulate",
		   TRACE_LOOK(MAP_TENANTS, tr->tenant.name, encap_text(tr->tenant.encap)), "id %u",
		   tr->id);
}

/* The kernel adds the outer headers of frames other than IP, if it can. */
static int walk_other(struct trace *tr, const struct tsw_host *host)
{
	const bool slow =
		kernel_has_encap(tr, host) || (!tr->hop.resolved && kernel_stands_in(tr, host));

	if (slow) {
		trace_step(tr, "encapsulate",
			   TRACE_LOOK(MAP_CONFIG, NULL, "the kernel's tunnel device"),
			   "not IP: the kernel adds the outer headers");
		return trace_finish(tr, TRACE_KERNEL);
	}
	if (!tr->hop.resolved)
		return no_route(tr, &host->addr[host->family],
				"the next hop's MAC is not known, which frames other than IP need");
	step_encap(tr);
	return trace_finish(tr, TRACE_TUNNEL);
}

int trace_send(struct trace *tr, __u32 id)
{
	struct tsw_host host;
	const struct tsw_addr *to;
	int kind;

	if (!trace_have(tr, MAP_HOSTS, &id, &host)) {
		trace_drop_at(tr, TSW_DROP_UNKNOWN_DESTINATION, "host",
			      TRACE_LOOK(MAP_HOSTS, trace_host_text(tr, id), NULL),
			      "its host is not known");
		return trace_advise(tr, "tsw host add");
	}
	tr->end.host = id;
	to = &host.addr[host.family & 1];
	trace_step(tr, "host", TRACE_LOOK(MAP_HOSTS, host.name, addr_text(to)),
		   "its tunnel address");
	kind = is_encrypted(tr, &host) ? walk_crypt(tr, &host) : walk_route(tr, &host);
	if (kind == TRACE_NEXT)
		kind = walk_mtu(tr, &host);
	if (kind != TRACE_NEXT)
		return kind;
	if (!trace_is_ip(&tr->frame))
		return walk_other(tr, &host);
	step_encap(tr);
	return trace_finish(tr, TRACE_TUNNEL);
}

/* ---- commands for the other host */

struct command_line {
	char text[COMMAND_LEN];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct command_line *line, const char *fmt,
						      ...)
{
	va_list args;

	va_start(args, fmt);
	line->used += (size_t)vsnprintf(line->text + line->used, sizeof(line->text) - line->used,
					fmt, args);
	va_end(args);
	if (line->used >= sizeof(line->text))
		line->used = sizeof(line->text) - 1;
}

static void end(struct command_line *line, json_t *all)
{
	json_array_append_new(all, json_pack("{s:o}", "command", json_text(line->text)));
	*line = (struct command_line){};
}

static void far_tenant(const struct trace *tr, json_t *all)
{
	struct command_line line = {};

	put(&line, "tsw tenant add %s id %u", trace_word(tr->tenant.name), tr->id);
	if (tr->tenant.encap != TSW_ENCAP_VXLAN)
		put(&line, " encap %s", encap_text(tr->tenant.encap));
	if (tr->tenant.mtu)
		put(&line, " mtu %u", tr->tenant.mtu);
	end(&line, all);
}

static void far_host(const struct trace *tr, json_t *all)
{
	const struct tsw_config *c = &tr->t->config;
	struct command_line line = {};
	struct tsw_key_list keys;
	int family;

	put(&line, "tsw host add %s", trace_word(c->name));
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&c->local[family]))
			put(&line, " ip %s", addr_text(&c->local[family]));
	if (!crypt_own_keys(tr->t, &keys) && keys.n)
		put(&line, " key %s", key_text(keys.at[keys.n - 1].octet));
	end(&line, all);
}

/* THERE: the endpoint lives on the host that the command is for. */
static void far_endpoint(const struct trace *tr, const struct endpoint *ep, bool there, json_t *all)
{
	struct command_line line = {};
	unsigned int i;

	put(&line, "tsw endpoint add %s tenant %s mac %s", trace_word(ep->key.name.s),
	    trace_word(tr->tenant.name), mac_text(&ep->mac));
	for (i = 0; i < ep->n_ip; i++)
		put(&line, " ip %s", addr_text(&ep->ip[i]));
	if (there)
		put(&line, " dev DEV");
	else
		put(&line, " host %s", trace_word(tr->t->config.name));
	end(&line, all);
}

/* Without hosts the gateway would be everywhere. This host's name for itself is as good as any. */
static void put_gateway_hosts(struct trace *tr, struct command_line *line)
{
	const struct tsw_gateway *gw = &tr->gw;
	const __u32 ranks = gw->n_ranks > 1 ? gw->n_ranks : 1;
	const char *own = tr->t->config.name;
	struct tsw_host host;
	__u32 i;

	if (gw->flags & TSW_GATEWAY_ALL)
		return;
	for (i = 0; i < ranks && i < TSW_GATEWAY_RANKS; i++) {
		const __u32 id = gw->n_ranks > 1 ? gw->rank[i] : gw->host;
		const bool known = id && trace_have(tr, MAP_HOSTS, &id, &host);

		put(line, " host %s", trace_word(known ? host.name : id ? "HOST" : own));
	}
}

static void far_gateway(struct trace *tr, json_t *all)
{
	struct command_line line = {};
	__u32 i;

	put(&line, "tsw gateway add %s", trace_word(tr->tenant.name));
	for (i = 0; i < tr->gw.n_addrs; i++)
		put(&line, " ip %s", prefix_text(&tr->gw.addr[i]));
	put(&line, " mac %s", mac_text(&tr->gw.mac));
	if (!(tr->gw.flags & TSW_GATEWAY_NAT))
		put(&line, " nat off");
	put_gateway_hosts(tr, &line);
	end(&line, all);
}

json_t *trace_far(struct trace *tr)
{
	json_t *all = json_array();
	const bool gateway = tr->has_gw && mac_equal(&tr->frame.dst, &tr->gw.mac);
	const bool to = tr->to.key.name.s[0] && tr->to.key.tenant == tr->id;

	if (!tr->host && !tr->end.host)
		return all;
	far_tenant(tr, all);
	far_host(tr, all);
	far_endpoint(tr, &tr->from, tr->host, all);
	if (to)
		far_endpoint(tr, &tr->to, !tr->host, all);
	else if (gateway && !tr->host)
		far_gateway(tr, all);
	return all;
}
