/* SPDX-License-Identifier: GPL-2.0-only */
/* ARP (RFC 826, RFC 5227): what a port may claim, and answers at the port. */
#ifndef TSW_BPF_ANSWER_ARP_H
#define TSW_BPF_ANSWER_ARP_H

#include "core/deliver.h"
#include "port/guard.h"
#include "answer/lease.h"

/* From linux/if_arp.h, which needs the C library's headers. */
#define ARPHRD_ETHER 1
#define ARPOP_REQUEST 1
#define ARPOP_REPLY 2

/* ARP for IPv4 over Ethernet, after the Ethernet header. */
struct arp {
	__be16 hardware, protocol;
	__u8 hardware_len, protocol_len;
	__be16 op;
	struct tsw_mac sender_mac;
	__be32 sender_ip;
	struct tsw_mac target_mac;
	__be32 target_ip;
} __attribute__((packed, aligned(2)));

static __always_inline bool arp_is_ipv4(const struct arp *arp)
{
	return arp->hardware == bpf_htons(ARPHRD_ETHER) && arp->protocol == bpf_htons(ETH_P_IP) &&
	       arp->hardware_len == TSW_MAC_LEN && arp->protocol_len == sizeof(__be32);
}

static __always_inline int arp_guard(const struct tsw_port *port, const struct arp *arp)
{
	struct tsw_addr sender = addr_from_v4(arp->sender_ip);

	if (!arp_is_ipv4(arp) ||
	    (arp->op != bpf_htons(ARPOP_REQUEST) && arp->op != bpf_htons(ARPOP_REPLY)))
		return drop(TSW_DROP_TRUNCATED);
	if (!mac_equal(&arp->sender_mac, &port->mac))
		return drop(TSW_DROP_SPOOFED_MAC);
	/* A probe has no sender yet (RFC 5227 section 1.1). */
	if (!arp->sender_ip && arp->op == bpf_htons(ARPOP_REQUEST))
		return NEXT;
	return guard_owns(port, &sender) ? NEXT : drop(TSW_DROP_SPOOFED_IP);
}

/* Turns the request into its answer to the asker's MAC. */
static __always_inline int arp_write(struct __sk_buff *skb, const struct arp *request,
				     const struct tsw_mac *asker, const struct tsw_mac *owner)
{
	struct {
		struct eth eth;
		struct arp arp;
	} __attribute__((packed, aligned(2))) reply = {
		.eth = {.dst = *asker, .src = *owner, .type = bpf_htons(ETH_P_ARP)},
		.arp = *request,
	};

	reply.arp.op = bpf_htons(ARPOP_REPLY);
	reply.arp.sender_mac = *owner;
	reply.arp.sender_ip = request->target_ip;
	reply.arp.target_mac = *asker;
	reply.arp.target_ip = request->sender_ip;
	if (bpf_skb_store_bytes(skb, 0, &reply, sizeof(reply), BPF_F_INVALIDATE_HASH))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/* Writes the answer and sends it back into the port. */
static __always_inline int arp_reply(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct tsw_port *port, const struct arp *request,
				     const struct tsw_mac *owner)
{
	int verdict = arp_write(skb, request, &port->mac, owner);

	return verdict == NEXT ? deliver_answer(skb, cfg, port->tenant, skb->ifindex) : verdict;
}

/*
 * Guards an ARP frame, and answers a request for a known address. Not for the asker's own address:
 * a node that announces or probes it must not hear that it is taken. Nor is a member's probe for a
 * vip answered here: its holder does that. NEXT: the frame goes on to the others like any frame.
 */
static __noinline int arp_step(struct __sk_buff *skb, const struct tsw_config *cfg,
			       const struct tsw_port *port)
{
	struct tsw_addr target;
	struct tsw_mac owner;
	struct arp arp;
	int verdict;

	if (frame_read(skb, ETH_HLEN, &arp, sizeof(arp)))
		return drop(TSW_DROP_TRUNCATED);
	verdict = arp_guard(port, &arp);
	if (verdict != NEXT || arp.op != bpf_htons(ARPOP_REQUEST))
		return verdict;
	target = addr_from_v4(arp.target_ip);
	if (!addr_owner(port->tenant, &target, &owner) && !service_owner(port, &target, &owner))
		return NEXT;
	if (mac_equal(&owner, &port->mac) || mac_is_zero(&owner))
		return NEXT;
	if (port->flags & TSW_PORT_VIP && !arp.sender_ip && vip_may_probe(port, &target))
		return NEXT;
	return arp_reply(skb, cfg, port, &arp, &owner);
}

#endif
