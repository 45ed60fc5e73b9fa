// SPDX-License-Identifier: GPL-2.0-only
/*
 * The switch's programs at tc. docs/core.md follows one frame through them, docs/architecture.md
 * has all the ways. The programs are at the end of this file; each calls a function with its steps.
 *
 * tsw_from_port    tc ingress of an endpoint's device on the host, and the transmitting side of a
 *                  netkit's other end: takes what the container or VM sends. None of it goes on to
 *                  the host's stack. With TSW_PORT_XDP it also takes stamped frames to the
 *                  endpoint.
 * tsw_to_port      tc egress of the same device: lets a frame out only with the switch's stamp.
 * tsw_from_wire    tc ingress of the underlay: takes tunnel frames for this host's tenants, and
 *                  lets other frames pass.
 * tsw_to_wire      tc egress of the underlay: drops tenants' tunnel frames that the switch did not
 *                  send.
 * tsw_from_tunnel  tc ingress of the kernel's tunnel devices, as tsw-vx: takes the frames that
 *                  tsw_from_wire left to the kernel to decapsulate.
 * tsw_from_gateway tc ingress of tsw-gw on the host: takes what the router sends to tenants.
 * tsw_fast_gateway tc egress of tsw-gw on the host: takes leased frames for tenants, and lets
 *                  frames for the router pass.
 * tsw_from_world   tc ingress of an uplink: takes answers of leased flows (gateway/fast.h) and
 *                  frames for the router (gateway/world_flow.h), and answers ARP and ND for
 *                  tenants' addresses (gateway/proxy_arp.h).
 * tsw_to_world     tc ingress of tsw-up on the host: takes what the router sends to the world.
 *
 * In the router's namespace:
 * tsw_to_gateway    tc ingress of tsw-gw: sees what tenants send, before conntrack does.
 * tsw_leave_gateway tc egress of tsw-gw: proves whose a frame is, and makes leases.
 * tsw_enter_world   tc ingress of tsw-up: sees what the world sends.
 * tsw_leave_world   tc egress of tsw-up: proves that a frame is translated, and makes leases.
 *
 * Their maps: docs/architecture.md, Maps.
 */
#include "answer/dhcp_step.h"
#include "answer/neighbour.h"
#include "answer/own_address.h"
#include "core/finish.h"
#include "core/local_config.h"
#include "core/measure.h"
#include "gateway/fast_learn.h"
#include "gateway/from_tenant.h"
#include "gateway/from_world.h"
#include "gateway/router.h"
#include "gateway/to_gateway.h"
#include "gateway/to_tenant.h"
#include "gateway/to_world.h"
#include "policy/step.h"
#include "port/flood_hosts.h"
#include "port/from_host.h"
#include "port/guard.h"
#include "port/inter_subnet.h"
#include "port/limit.h"
#include "port/macs.h"
#include "port/metadata.h"
#include "port/move.h"
#include "port/offload.h"
#include "port/receive.h"
#include "port/send_to_host.h"
#include "port/vip_ask.h"
#include "tunnel/crypt_guard.h"
#include "tunnel/from_tunnel.h"
#include "tunnel/geneve_options.h"
#include "tunnel/outer_csum.h"
#include "tunnel/path_mtu.h"
#include "tunnel/probe.h"
#include "tunnel/slow.h"
#include "tunnel/to_wire.h"
#include "tunnel/underlay.h"
#include "tunnel/xdp_meta.h"
#include "watch/flow_note.h"
#include "watch/points.h"

char _license[] SEC("license") = "GPL";

/* Looks the destination up and sends the frame there. */
static __always_inline int from_port_forward(struct __sk_buff *skb, struct tsw_config *cfg,
					     const struct tsw_port *port, struct frame_id *id,
					     struct frame *f)
{
	struct tsw_mac owner;
	struct tsw_fdb *to;
	int verdict = NEXT;
	__u32 host;

	if (mac_is_group(&f->eth.dst))
		return flood_from_port(skb, id, f);
	to = fdb_get(id->tenant, &f->eth.dst);
	if (to && to->place == TSW_PLACE_GATEWAY && addr_owner(id->tenant, &f->dst, &owner) &&
	    !mac_equal(&owner, &f->eth.dst)) {
		if (mac_is_zero(&owner))
			return vip_ask(skb, id, f);
		verdict = inter_subnet_route(skb, f, &owner);
		to = fdb_get(id->tenant, &owner);
	}
	if (!to)
		return own_address_service(skb, id, f);
	if (to->place == TSW_PLACE_PORT && to->id == skb->ifindex)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	host = to->id;
	if (verdict == NEXT && to->place == TSW_PLACE_GATEWAY)
		verdict = gateway_from_port(skb, cfg, id, f, &host);
	if (verdict != NEXT)
		return verdict;
	if (to->place != TSW_PLACE_PORT)
		return send_to_host(skb, cfg, id, f, host);
	verdict = port_receive(skb, cfg, id, NULL, to->id, !(port->flags & TSW_PORT_NETKIT));
	if (verdict >= 0)
		count_local(id->tenant, &id->size);
	return verdict;
}

/* Guards what an endpoint asks its LAN, and answers it here where the answer is known. */
static __always_inline int from_port_ask(struct __sk_buff *skb, const struct tsw_config *cfg,
					 const struct tsw_port *port, struct frame_id *id,
					 struct frame *f)
{
	int verdict;

	if (f->proto == IPPROTO_UDP)
		verdict = dhcp_may_be(skb, f) ? dhcp_step(skb, port, id, f) : NEXT;
	else
		verdict = neighbour_step(skb, cfg, port, f);
	if (verdict == REDIRECT) {
		id->out = skb->ifindex;
		count_answered(port->tenant, &id->size);
	}
	return verdict;
}

static __always_inline int from_port(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_local(skb);
	struct frame f;
	int verdict;

	if (!port || !cfg)
		return drop(TSW_DROP_UNKNOWN_PORT);
	id->tenant = port->tenant;
	id->egress = port->flags & TSW_PORT_NETKIT;
	if (port->flags & TSW_PORT_XDP && tsw_xdp_deliver(skb) == REDIRECT)
		return REDIRECT;
	if (port->flags & TSW_PORT_MACS && tsw_macs_from(skb) == CONSUMED)
		return CONSUMED;
	metadata_forget(skb);
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	watch_begin(skb, id, &f);
	frame_measure(skb, &f, &id->size);
	if (port->flags & TSW_PORT_FLOWS)
		tsw_flow_note(skb, &f, id, skb->ifindex);
	verdict = metadata_guard(skb, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = offload_guard(skb, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = guard(skb, port, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = from_port_ask(skb, cfg, port, id, &f);
	if (verdict == NEXT && port->flags & TSW_PORT_MOVES)
		verdict = move_step(skb, port, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = limit(port, TSW_RATE_OUT, id->size.bytes);
	if (verdict == NEXT && port->flags & TSW_PORT_POLICY)
		verdict = tsw_policy(skb, &f, id);
	if (verdict != NEXT)
		return verdict;
	return from_port_forward(skb, cfg, port, id, &f);
}

static __always_inline int to_port(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_get();

	if (!port || !cfg)
		return drop(TSW_DROP_UNKNOWN_PORT);
	id->tenant = port->tenant;
	return stamp_take(skb, cfg, port->tenant) ? PASS : drop(TSW_DROP_NOT_STAMPED);
}

/*
 * Frames of other hosts. The next two functions are global: the verifier goes through each once,
 * and not again for every way to read the outer headers. It knows nothing about their arguments, so
 * they check pointers that are never NULL.
 */

/* Guards and delivers a frame whose outer headers XDP or the kernel has taken off. */
__noinline int tsw_from_host(struct __sk_buff *skb, const struct tunnel *t, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	struct frame f;
	int verdict;

	if (!cfg || !t || !id)
		return drop(TSW_DROP_INTERNAL);
	verdict = parse_frame(skb, 0, &f);
	if (verdict != NEXT)
		return verdict;
	watch_begin(skb, id, &f);
	frame_measure(skb, &f, &id->size);
	verdict = from_host_guard(t, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = underlay_ecn(t, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = underlay_congest(skb, t, &f);
	if (verdict != NEXT)
		return verdict;
	return from_host_deliver(skb, cfg, id, &f, t->host, true);
}

/* Guards a frame of a known host, takes its outer headers off, and delivers it. */
__noinline int tsw_decapsulate(struct __sk_buff *skb, const struct tunnel *t, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	struct frame f;
	__u32 inner;
	int verdict;

	if (!cfg || !t || !id || t->inner > OUTER_MAX)
		return drop(TSW_DROP_INTERNAL);
	verdict = crypt_is_on(cfg) ? tsw_crypt_guard(skb, t) : NEXT;
	if (verdict != NEXT)
		return verdict;
	inner = t->inner & OUTER_MASK; /* for the verifier of 6.1 */
	verdict = parse_frame(skb, ETH_HLEN + inner, &f);
	if (verdict != NEXT)
		return verdict;
	watch_begin(skb, id, &f);
	frame_measure(skb, &f, &id->size);
	verdict = from_host_guard(t, &f);
	if (verdict != NEXT)
		return verdict;
	verdict = t->has_csum ? outer_csum(skb, cfg, t, &f) : NEXT;
	if (verdict != NEXT)
		return verdict;
	verdict = underlay_ecn(t, &f);
	if (verdict != NEXT)
		return verdict;
	if (slow_is_needed(skb, cfg, t, &f))
		return slow_send(skb, cfg, t);
	verdict = underlay_decapsulate(skb, cfg, t, &f);
	if (verdict != NEXT)
		return verdict;
	underlay_rebase(&f);
	return from_host_deliver(skb, cfg, id, &f, t->host, decap_is_exact(cfg, t, &f));
}

/*
 * The end of another host's frame: sends it to its gateway if the verdict says so, and counts it if
 * it was taken.
 */
static __always_inline int from_host_done(struct __sk_buff *skb, const struct tunnel *t,
					  struct frame_id *id, int verdict,
					  struct tsw_tenant_stats *whose, bool slow)
{
	if (verdict == GATEWAY)
		verdict = tsw_gateway_from_host(skb, id, t->host);
	if (whose && (verdict == REDIRECT || verdict == CONSUMED))
		count_rx(whose, t->host, &id->size, slow);
	return verdict;
}

/* A frame that is no tunnel frame for this host's tenants. */
static __always_inline int from_wire_other(struct __sk_buff *skb, const struct tsw_config *cfg,
					   struct frame_id *id)
{
	const int verdict = crypt_may_be_bare(cfg) ? tsw_crypt_other(skb) : NEXT;

	return verdict == NEXT ? from_world(skb, cfg, id) : verdict;
}

/* Reads the outer headers. PASS: the frame is no tunnel frame for a tenant of this host. */
static __always_inline int from_wire_parse(struct __sk_buff *skb, const struct tsw_config *cfg,
					   struct tunnel *t, struct tsw_tenant_stats **whose)
{
	__u32 off;
	int verdict;

	if (!underlay_is_ip(skb))
		return PASS;
	off = frame_is_bare(skb, cfg) ? 0 : ETH_HLEN;
	verdict = underlay_parse(skb, cfg, off, t);
	if (verdict == PASS)
		return path_mtu_guard(skb, off);
	if (verdict != NEXT)
		return verdict;
	*whose = tenant_cached(t->tenant, cfg);
	if (*whose)
		return underlay_from(skb, cfg, t, *whose);
	if (!t->tenant)
		return tsw_probe(skb, t);
	t->tenant = 0;
	return outer_of_nobody(cfg, t);
}

static __always_inline int from_wire(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_local(skb);
	struct tsw_tenant_stats *whose = NULL;
	struct tunnel t = {};
	int verdict;

	if (!cfg || crypt_came_up(skb, cfg))
		return PASS;
	if (xdp_meta_take(skb, cfg, &t)) {
		id->tenant = t.tenant;
		if (crypt_is_on(cfg)) /* stripped just before encryption was turned on */
			return drop(TSW_DROP_NOT_ENCRYPTED);
		return from_host_done(skb, &t, id, tsw_from_host(skb, &t, id),
				      tenant_cached(t.tenant, cfg), false);
	}
	verdict = from_wire_parse(skb, cfg, &t, &whose);
	if (verdict == PASS)
		return from_wire_other(skb, cfg, id);
	id->tenant = t.tenant;
	id->size.bytes = outer_inner_len(skb->len, &t);
	if (verdict != NEXT)
		return verdict;
	verdict = underlay_trust(&t);
	if (verdict != NEXT)
		return verdict;
	verdict = underlay_fit(skb, &t);
	if (verdict == NEXT && outer_has_options(&t))
		verdict = tsw_geneve_options(skb, &t);
	if (verdict != NEXT)
		return verdict;
	return from_host_done(skb, &t, id, tsw_decapsulate(skb, &t, id), whose, false);
}

/* A frame that is not the switch's may be the router's, whose flows are learned. */
static __always_inline int to_underlay(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	int verdict = cfg ? to_wire(skb, cfg, id) : PASS;

	if (verdict != NEXT)
		return verdict;
	if (tsw_has_fast && cfg->gateway)
		tsw_learn_world(skb);
	return PASS;
}

static __always_inline int from_tunnel(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_local(skb);
	struct tunnel t = {};
	int verdict;

	if (!cfg)
		return drop(TSW_DROP_INTERNAL);
	verdict = from_tunnel_key(skb, cfg, &t);
	id->tenant = t.tenant;
	if (verdict != NEXT)
		return verdict;
	return from_host_done(skb, &t, id, tsw_from_host(skb, &t, id), tenant_cached(t.tenant, cfg),
			      true);
}

/* The end of each program. The watchers see the frame first, and then a drop is counted. */
static __always_inline int end(struct __sk_buff *skb, const struct frame_id *id, int verdict)
{
	watch_end(skb, id, verdict);
	return finish(id, verdict);
}

/* The same for programs that may have noted the frame's flow. */
static __always_inline int end_flow(struct __sk_buff *skb, struct frame_id *id, int verdict)
{
	flow_end(id, verdict < 0 ? -verdict : 0);
	return end(skb, id, verdict);
}

SEC("tc") int tsw_from_port(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_ENDPOINT);

	return end_flow(skb, &id, from_port(skb, &id));
}

SEC("tc") int tsw_to_port(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_ENDPOINT);

	return end(skb, &id, to_port(skb, &id));
}

SEC("tc") int tsw_from_wire(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_TUNNEL);

	return end_flow(skb, &id, from_wire(skb, &id));
}

SEC("tc") int tsw_to_wire(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_TUNNEL);

	return end(skb, &id, to_underlay(skb, &id));
}

SEC("tc") int tsw_from_tunnel(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_TUNNEL);

	return end_flow(skb, &id, from_tunnel(skb, &id));
}

SEC("tc") int tsw_from_gateway(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_GATEWAY);

	return end_flow(skb, &id, from_router(skb, &id));
}

SEC("tc") int tsw_from_world(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_GATEWAY);

	return end_flow(skb, &id, from_world(skb, config_local(skb), &id));
}

SEC("tc") int tsw_to_world(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_GATEWAY);

	return end(skb, &id, to_world(skb, config_local(skb), &id));
}

SEC("tc") int tsw_leave_gateway(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_GATEWAY);

	id.in_router = true;
	return end(skb, &id, leave_gateway(skb, &id));
}

SEC("tc") int tsw_fast_gateway(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_GATEWAY);

	id.egress = true;
	return end_flow(skb, &id, fast_gateway(skb, &id));
}

SEC("tc") int tsw_enter_world(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_FROM_GATEWAY);

	id.in_router = true;
	return end(skb, &id, enter_world(skb));
}

SEC("tc") int tsw_leave_world(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_GATEWAY);

	id.in_router = true;
	return end(skb, &id, leave_world(skb, &id));
}

SEC("tc") int tsw_to_gateway(struct __sk_buff *skb)
{
	struct frame_id id = frame_id(skb, TSW_DIR_TO_GATEWAY);

	id.in_router = true;
	return end(skb, &id, to_gateway(skb, &id));
}
