// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/text.h"
#include "check/devices.h"
#include "kernel/address.h"
#include "kernel/conf.h"
#include "kernel/route.h"
#include "kernel/tunnel.h"
#include "record/endpoint_find.h"
#include "store/attach.h"
#include "store/attach_netkit.h"
#include "store/attach_pass.h"
#include "store/pins.h"
#include "wire/mtu.h"
#include "wire/underlay.h"

static const char *mtu_text(__u32 mtu)
{
	static _Thread_local char text[2][32];
	static _Thread_local int next;
	char *out = text[next++ % 2];

	if (!mtu)
		return "the device's MTU";
	snprintf(out, sizeof(text[0]), "MTU %u", mtu);
	return out;
}

/* Not known for a program whose own pin is gone; held_check() reports that. */
static bool is_missing(struct tsw *t, enum prog prog, const struct link *link)
{
	return prog_is_pinned(t, prog) && !attached_tc(t, prog, link->ifindex);
}

static void check_program(struct tsw *t, enum prog prog, const struct link *link, json_t *problems)
{
	if (is_missing(t, prog, link))
		problem(problems, "program", link->name, "%s is not attached", prog_name(prog));
}

/* An older switch has no tsw_to_wire until its upgrade ends; check_upgrade() reports that. */
static void check_underlay_programs(struct tsw *t, const struct link *link, json_t *problems)
{
	check_program(t, PROG_FROM_WIRE, link, problems);
	if (is_missing(t, PROG_TO_WIRE, link) && !pins_has(t->instance, PINS_NEXT))
		problem(problems, "unguarded_underlay", link->name,
			"tsw_to_wire is not attached, so users and containers of this host can "
			"forge tunnel frames; run switch repair");
}

/*
 * A BPF link knows whether its device is gone, even if another device has the index now. The switch
 * must not be put on that one. Without a link, as with clsact, this cannot be known.
 */
static int check_underlay(struct tsw *t, const struct tsw_underlay *u, json_t *problems)
{
	struct link link;
	char object[16];
	int err = link_by_index(u->ifindex, &link);

	if (err && err != -ENODEV)
		return err;
	snprintf(object, sizeof(object), "%u", u->ifindex);
	if (err)
		problem(problems, "underlay_device", object,
			"device %u is gone: name the underlay's devices with switch set dev DEV",
			u->ifindex);
	else if (underlay_is_stale(t, u))
		problem(problems, "underlay_device", object,
			"device %u is gone, and %s has its number: name the underlay's devices "
			"with switch set dev DEV",
			u->ifindex, quoted(link.name));
	else if (!(link.flags & IFF_UP))
		problem(problems, "underlay_device", link.name, "it is down");
	else if (!(link.flags & IFF_RUNNING))
		problem(problems, "underlay_device", link.name, "it has no carrier");
	if (!err && !underlay_is_stale(t, u))
		check_underlay_programs(t, &link, problems);
	if (!err && !underlay_is_stale(t, u) && u->xdp != TSW_XDP_OFF &&
	    !attached_xdp(t, u->ifindex, u->xdp))
		problem(problems, "program", link.name, "its XDP program is not attached");
	return 0;
}

int check_underlays(struct tsw *t, json_t *problems)
{
	unsigned int n = underlay_staying(&t->config), i;
	int err = 0, family;

	for (i = 0; !err && i < n; i++)
		err = check_underlay(t, &t->config.underlay[i], problems);
	for (family = 0; !err && family < TSW_FAMILIES; family++)
		if (!addr_is_none(&t->config.local[family]) &&
		    !address_is_local(&t->config.local[family]))
			problem(problems, "underlay_address", addr_text(&t->config.local[family]),
				"no device has this address: restore it, or choose another with "
				"switch set local IP");
	return err;
}

/*
 * A missing route is reported with its device. A path MTU from an ICMP error is only a warning,
 * because anybody can send one and would make `check` fail.
 */
static void check_route(const struct tsw *t, const struct tsw_host *host, __u32 told,
			json_t *problems, json_t *warnings)
{
	const struct tsw_addr *to = &host->addr[host->family & 1];
	struct route route;
	struct link dev;
	__u32 want, here;

	if (route_ask(&t->config.local[host->family & 1], to, &route))
		return;
	want = host_mtu(t, route.mtu, told);
	if (want != host->mtu)
		problem(problems, "host_mtu", host->name,
			"the route to %s has %s, but the switch uses %s; run switch repair",
			addr_text(to), mtu_text(want), mtu_text(host->mtu));
	here = route.mtu || link_by_index(route.ifindex, &dev) ? route.mtu : dev.mtu;
	if (told && told < here)
		problem(warnings, "host_mtu_unequal", host->name,
			"its underlay has MTU %u, and the way to it %u: longer packets to its "
			"endpoints are answered as too big. Give all underlays the same MTU, or "
			"tenants the least",
			told, here);
	if (route.learned)
		problem(warnings, "learned_mtu", host->name,
			"an ICMP error lowered the kernel's MTU to %u octets for %s. The kernel's "
			"tunnel devices obey it, the fast path does not. If it is right, give the "
			"route that MTU",
			route.learned, addr_text(to));
}

void check_routes(struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings)
{
	const struct rows *hosts = &s->rows[MAP_HOSTS];
	size_t i;

	for (i = 0; i < hosts->n; i++) {
		const __u32 *told = snapshot_get(s, MAP_HOST_MTUS, row_key(hosts, i));

		check_route(t, row_value(hosts, i), told ? *told : 0, problems, warnings);
	}
}

static void check_tunnel(struct tsw *t, const struct link *link, json_t *problems)
{
	bool slow = link->ifindex != t->config.tunnel || t->config.flags & TSW_CFG_SLOW_PATH;

	check_program(t, PROG_FROM_TUNNEL, link, problems);
	if (slow && !(link->flags & IFF_UP))
		problem(problems, "tunnel_device", link->name, "it is down");
	if (link->ifindex == t->config.tunnel && !conf_read(TSW_IPV4, link->name, "forwarding"))
		problem(problems, "tunnel_device", link->name,
			"its `forwarding` is 0, so the kernel looks up a route for each frame");
}

void check_tunnels(struct tsw *t, json_t *problems)
{
	const __u32 devices[] = {t->config.tunnel, t->config.gre[TSW_IPV4], t->config.gre[TSW_IPV6],
				 t->config.geneve};
	struct link link;
	unsigned int i;

	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (!devices[i])
			continue;
		if (!tunnel_is_of(devices[i], t->instance) || link_by_index(devices[i], &link))
			problem(problems, "tunnel_device", t->instance,
				"the switch's tunnel device %u is gone", devices[i]);
		else
			check_tunnel(t, &link, problems);
	}
}

static const char *dev_word(const char *name)
{
	return is_plain_word(name) ? name : "DEV";
}

/* Warns of states that lose packets uncounted. They may be intended, or be over in a moment. */
static void warn_of_port(const struct link *link, __u32 mtu, json_t *warnings)
{
	struct link peer;
	const bool is_pair = !link_peer(link, &peer);

	if (!(link->flags & IFF_UP))
		problem(warnings, "port_down", link->name, "it is down, so no frame passes");
	else if (!(link->flags & IFF_RUNNING))
		problem(warnings, "port_down", link->name,
			"its other end%s%s is down, so no frame passes", is_pair ? " " : "",
			is_pair ? quoted(peer.name) : "");
	if (link_is_netkit(link)) /* no end of a pair drops frames longer than its MTU */
		return;
	if (is_pair && peer.mtu > link->mtu)
		problem(warnings, "port_mtu", link->name,
			"its MTU is %u, but %u at its other end %s: longer frames are lost, counted "
			"only in its RX dropped; endpoints of its tenant use %u. %s: ip link set %s "
			"mtu %u",
			link->mtu, peer.mtu, quoted(peer.name), mtu,
			peer.mtu > mtu ? "In the container" : "Here",
			dev_word(peer.mtu > mtu ? peer.name : link->name), mtu);
	else if (link->mtu < mtu)
		problem(warnings, "port_mtu", link->name,
			"its MTU is %u, but endpoints of its tenant use %u: longer packets to it are "
			"lost, and the switch does not count them. Here: ip link set %s mtu %u",
			link->mtu, mtu, dev_word(link->name), mtu);
}

/* The MTU that endpoints of a tenant must use; 0: unknown. */
static __u32 mtu_of(const struct snapshot *s, __u32 id, const __u32 limit[TSW_ENCAPS])
{
	const struct tsw_tenant *tenant = snapshot_get(s, MAP_TENANTS, &id);

	return tenant ? tenant_mtu(tenant->mtu, limit[tenant->encap % TSW_ENCAPS]) : 0;
}

static int check_port(struct tsw *t, __u32 ifindex, const struct tsw_port *port, __u32 mtu,
		      json_t *problems, json_t *warnings)
{
	struct link link;
	__u32 device;
	int err = map_get(&t->maps, MAP_DEVICES, &ifindex, &device);

	err = err ?: link_by_index(ifindex, &link);
	if (err) /* an orphan, which is reported with its endpoint */
		return err == -ENOENT || err == -ENODEV ? 0 : err;
	check_program(t, PROG_FROM_PORT, &link, problems);
	check_program(t, PROG_TO_PORT, &link, problems);
	if (port->flags & TSW_PORT_NETKIT && prog_is_pinned(t, PROG_FROM_PORT) &&
	    !attached_netkit(t, ifindex))
		problem(problems, "program", link.name,
			"tsw_from_port is not attached to the other end of the netkit pair");
	if (port_has_xdp_pass(port) && prog_is_pinned(t, PROG_XDP_PASS) && !attached_pass(ifindex))
		problem(problems, "program", link.name,
			"tsw_xdp_pass is not attached, so frames that XDP in the container sends "
			"are lost; run switch repair");
	warn_of_port(&link, mtu, warnings);
	if (port->flags & (TSW_PORT_PEER | TSW_PORT_XDP) && !link.netnsid)
		problem(problems, "port_device", link.name,
			"its other end is in this namespace now, so the kernel drops its frames: "
			"move it away, or repeat endpoint replace");
	return 0;
}

int check_port_programs(struct tsw *t, const struct snapshot *s, bool heard, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_PORTS];
	const bool tcx = t->config.attach == TSW_ATTACH_TCX;
	const int from = prog_id(t, PROG_FROM_PORT), to = prog_id(t, PROG_TO_PORT);
	json_t *warnings = json_array();
	size_t i;
	int err = 0;

	for (i = 0; !err && i < rows->n && (tcx || heard); i++) {
		const __u32 ifindex = *(const __u32 *)row_key(rows, i);
		const struct tsw_port *port = row_value(rows, i);

		if (tcx && !(port->flags & (TSW_PORT_NETKIT | TSW_PORT_XDP)) &&
		    tcx_has(ifindex, TCX_INGRESS, from) && tcx_has(ifindex, TCX_EGRESS, to))
			continue;
		err = check_port(t, ifindex, port, 0, problems, warnings);
	}
	json_decref(warnings);
	return err;
}

int check_ports(struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings)
{
	const struct rows *rows = &s->rows[MAP_PORTS];
	__u32 limit[TSW_ENCAPS];
	size_t i;
	int err = tenant_mtu_limits(t, limit);

	for (i = 0; !err && i < rows->n; i++) {
		const struct tsw_port *port = row_value(rows, i);

		err = check_port(t, *(const __u32 *)row_key(rows, i), port,
				 mtu_of(s, port->tenant, limit), problems, warnings);
	}
	return err;
}
