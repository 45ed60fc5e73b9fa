/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks what is behind a port which of its MACs has an address. Otherwise nobody could reach what
 * has sent nothing yet: the switch answers its neighbours' ARP and ND, so they ask nothing there.
 */
#ifndef TSW_BPF_PORT_MACS_ASK_H
#define TSW_BPF_PORT_MACS_ASK_H

#include "answer/arp.h"
#include "answer/nd.h"
#include "answer/reply.h"
#include "core/inner.h"
#include "core/note_type.h"

struct macs_ask_arp {
	struct eth eth;
	struct arp arp;
} __attribute__((packed, aligned(2)));

/*
 * An ARP probe (RFC 5227 section 1.1). It has no sender's address, which the receiver might refuse.
 * The switch's MAC is read by a pointer: clang 14 loses stores before a copy of a constant.
 */
static __always_inline void macs_ask_arp(struct macs_ask_arp *q, __be32 target)
{
	const struct tsw_mac *own = &service_mac;

	TSW_KEEP(own);
	__builtin_memset(q, 0, sizeof(*q));
	__builtin_memset(&q->eth.dst, 0xff, sizeof(q->eth.dst));
	q->eth.src = *own;
	q->eth.type = bpf_htons(ETH_P_ARP);
	q->arp.hardware = bpf_htons(ARPHRD_ETHER);
	q->arp.protocol = bpf_htons(ETH_P_IP);
	q->arp.hardware_len = TSW_MAC_LEN;
	q->arp.protocol_len = sizeof(target);
	q->arp.op = bpf_htons(ARPOP_REQUEST);
	q->arp.sender_mac = *own;
	q->arp.target_ip = target;
}

/* A solicitation from the switch's link-local address (RFC 4861 section 7.2.2). */
static __always_inline void macs_ask_nd(struct nd_reply *q, const struct tsw_addr *target)
{
	const __u16 len = sizeof(q->nd) + sizeof(q->lladdr);
	struct tsw_addr *from = (void *)&q->ip.saddr, *group = (void *)&q->ip.daddr;
	const struct tsw_mac *own = &service_mac;

	TSW_KEEP(own);
	__builtin_memset(q, 0, sizeof(*q));
	*from = addr_link_local(own);
	group->w[0] = bpf_htonl(0xff020000);
	group->w[2] = bpf_htonl(1);
	group->w[3] = target->w[3] | bpf_htonl(0xff000000);
	__builtin_memset(&q->eth.dst, 0x33, 2);
	__builtin_memcpy(&q->eth.dst.b[2], &group->w[3], sizeof(group->w[3]));
	q->eth.src = *own;
	q->eth.type = bpf_htons(ETH_P_IPV6);
	q->ip.version = 6;
	q->ip.payload_len = bpf_htons(len);
	q->ip.nexthdr = IPPROTO_ICMPV6;
	q->ip.hop_limit = ND_HOP_LIMIT;
	q->nd.type = ND_NEIGHBOUR_SOLICIT;
	q->nd.target = *target;
	q->lladdr.type = ND_OPT_SOURCE_LLADDR;
	q->lladdr.len = 1;
	q->lladdr.mac = *own;
	q->nd.check = csum_fold(bpf_csum_diff(NULL, 0, (void *)&q->nd, len,
					      ipv6_pseudo_sum(from, group, len, IPPROTO_ICMPV6)));
}

/*
 * Turns the frame into the question. If the kernel cannot change the length of a frame from a
 * tunnel, the rest of that frame is padding.
 */
static __always_inline int macs_ask_write(struct __sk_buff *skb, const struct tsw_addr *target)
{
	const bool v4 = addr_is_v4mapped(target);
	const __u32 len = v4 ? sizeof(struct macs_ask_arp) : sizeof(struct nd_reply);
	void *q = reply_room();
	int err = -1;

	if (!q || !reply_claim())
		return err;
	if (v4)
		macs_ask_arp(q, target->w[3]);
	else
		macs_ask_nd(q, target);
	if (reply_write(skb, q, len) == NEXT)
		err = 0;
	else if (!skb->gso_size && v4)
		err = bpf_skb_store_bytes(skb, 0, q, sizeof(struct macs_ask_arp), 0);
	else if (!skb->gso_size)
		err = bpf_skb_store_bytes(skb, 0, q, sizeof(struct nd_reply), 0);
	reply_release();
	return err;
}

/*
 * Sends a copy of the frame to the port, where the endpoint itself may take it, and turns the frame
 * into the question. The caller sends that to the same port. Not 0: the frame is too short.
 */
__noinline int tsw_macs_ask(struct __sk_buff *skb, __u32 ifindex)
{
	struct tsw_port *port = port_get(ifindex);
	struct tsw_config *cfg = config_get();
	struct tsw_addr target;

	if (!port || !cfg || !inner_target(skb, &target))
		return -1;
	stamp_set(skb, cfg, port->tenant, ifindex);
	bpf_clone_redirect(skb, ifindex, port_way(port));
	if (macs_ask_write(skb, &target))
		return -1;
	return port->flags & TSW_PORT_NETKIT && note_type(skb) != NEXT ? -1 : 0;
}

#endif
