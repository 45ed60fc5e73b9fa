/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks what is behind a port which of its MACs has an address. Otherwise nobody could reach what
 * has sent nothing yet: the switch answers its neighbours' ARP and ND, so they ask nothing there.
 */
#ifndef TSW_BPF_PORT_MACS_ASK_H
#define TSW_BPF_PORT_MACS_ASK_H

#include "answer/ask.h"
#include "core/inner.h"
#include "core/note_type.h"

/*
 * Sends a copy of the frame to the port, where the endpoint itself may take it, and turns the frame
 * into the question. The caller sends that to the same port. Not 0: the frame is too short.
 *
 * The switch asks without an IPv4 address of its own, which the receiver might refuse. Its MAC is
 * read by a pointer: clang 14 loses stores before a copy of a constant.
 */
__noinline int tsw_macs_ask(struct __sk_buff *skb, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	struct tsw_config *cfg = config_get();
	const struct tsw_mac *own = &service_mac;
	struct tsw_addr target;

	TSW_KEEP(own);
	if (!port || !cfg || !inner_target(skb, &target))
		return -1;
	stamp_set(skb, cfg, port->tenant, ifindex);
	bpf_clone_redirect(skb, ifindex, port_way(port));
	if (ask_write(skb, own, 0, &target))
		return -1;
	return port->flags & TSW_PORT_NETKIT && note_type(skb) != NEXT ? -1 : 0;
}

#endif
