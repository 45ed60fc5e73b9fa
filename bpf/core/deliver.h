/* SPDX-License-Identifier: GPL-2.0-only */
/* The last step on this host: into the container or VM behind a port. */
#ifndef TSW_BPF_CORE_DELIVER_H
#define TSW_BPF_CORE_DELIVER_H

#include <linux/if_packet.h>

#include "core/drop.h"
#include "core/inner.h"
#include "core/kernel_skb.h"
#include "core/port.h"
#include "core/stamp.h"

/*
 * A port with TSW_PORT_XDP gets its frames by the ingress of its own device, where
 * tsw_xdp_deliver() chooses the last step. Generic XDP skips a frame that was redirected to a
 * device's egress, on its whole way.
 */
static __always_inline __u64 port_way(const struct tsw_port *port)
{
	return port->flags & TSW_PORT_XDP ? BPF_F_INGRESS : 0;
}

/*
 * Sends a stamped frame on into the container so that its XDP program sees it: a driver's program
 * gets what the host's end transmits, a generic one what comes by redirect_peer. A netkit has no
 * XDP in its driver. NEXT: the frame has no stamp, so the container sent it.
 *
 * Global: the verifier goes through it once.
 */
__noinline int tsw_xdp_deliver(struct __sk_buff *skb)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_get();

	if (!port || !cfg || !stamp_has(skb, cfg, port->tenant))
		return NEXT;
	if (!(port->flags & TSW_PORT_NETKIT) && !kernel_skb_peer_has_generic_xdp(skb)) {
		bpf_redirect(skb->ifindex, 0);
		return REDIRECT;
	}
	TSW_KEEP(skb); /* otherwise cb is reached by a computed address, which no kernel allows */
	stamp_forget(skb);
	if (skb->pkt_type == PACKET_OTHERHOST) /* see deliver_to() */
		bpf_skb_change_type(skb, PACKET_HOST);
	bpf_redirect_peer(skb->ifindex, 0);
	return REDIRECT;
}

static __always_inline int deliver_stamped(struct __sk_buff *skb, const struct tsw_config *cfg,
					   const struct tsw_port *port, __u32 ifindex)
{
	stamp_set(skb, cfg, port->tenant, ifindex);
	bpf_redirect(ifindex, port_way(port));
	return REDIRECT;
}

/*
 * Sends a frame to a port with TSW_PORT_MACS. Never by redirect_peer: only the container's device
 * knows whether an inner MAC is its own. Global, like tsw_xdp_deliver().
 */
__noinline int tsw_inner_deliver(struct __sk_buff *skb, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	struct tsw_config *cfg = config_get();

	skb->mark = 0;
	if (!port || !cfg)
		return drop(TSW_DROP_INTERNAL);
	if (tsw_inner_to(skb, ifindex) == INNER_ASK && tsw_macs_ask(skb, ifindex))
		return CONSUMED; /* a copy was sent */
	return deliver_stamped(skb, cfg, port, ifindex);
}

/*
 * Sends a frame to a port of its tenant. exact: skb->protocol is the frame's own ethertype, and the
 * program runs where frames are received. redirect_peer, which puts a frame right into the
 * container, needs both, because it keeps skb->protocol as it is.
 *
 * skb->protocol may still be the outer header's. After a plain redirect a veth's other end reads
 * the type from the octets. A netkit's other end does not; for a frame that is not IP,
 * tunnel/decap.h has told the kernel the type. A frame that a netkit sends is never exact: its
 * program runs where the container transmits.
 */
static __always_inline int deliver_plain(struct __sk_buff *skb, const struct tsw_config *cfg,
					 const struct tsw_port *port, __u32 ifindex, bool exact)
{
	skb->mark = 0;
	if (exact && port->flags & TSW_PORT_PEER) {
		/*
		 * The frame's destination is not the host end's MAC, so the kernel marked it as
		 * another machine's. A frame of the underlay is marked as the host's already.
		 */
		if (skb->pkt_type != PACKET_HOST)
			bpf_skb_change_type(skb, PACKET_HOST);
		bpf_redirect_peer(ifindex, 0);
		return REDIRECT;
	}
	return deliver_stamped(skb, cfg, port, ifindex);
}

static __always_inline int deliver_to(struct __sk_buff *skb, const struct tsw_config *cfg,
				      const struct tsw_port *port, __u32 ifindex, bool exact)
{
	if (port->flags & TSW_PORT_MACS)
		return tsw_inner_deliver(skb, ifindex);
	return deliver_plain(skb, cfg, port, ifindex, exact);
}

/*
 * Delivers an answer of the switch itself. No endpoint sent it, so no limit applies. The asker has
 * just sent a frame, so its MAC behind the port is known.
 */
static __always_inline int deliver_answer(struct __sk_buff *skb, const struct tsw_config *cfg,
					  __u32 tenant, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	int refused = port_check(port, tenant, ifindex);

	if (refused)
		return refused;
	if (port->flags & TSW_PORT_MACS)
		tsw_inner_to(skb, ifindex);
	return deliver_plain(skb, cfg, port, ifindex,
			     !(port->flags & (TSW_PORT_NETKIT | TSW_PORT_MACS)));
}

#endif
