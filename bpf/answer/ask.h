/* SPDX-License-Identifier: GPL-2.0-only */
/* The switch's own questions: ARP requests (RFC 826) and neighbour solicitations (RFC 4861). */
#ifndef TSW_BPF_ANSWER_ASK_H
#define TSW_BPF_ANSWER_ASK_H

#include "answer/arp.h"
#include "answer/nd.h"
#include "answer/reply.h"

struct ask_arp {
	struct eth eth;
	struct arp arp;
} __attribute__((packed, aligned(2)));

/* from: 0 makes it an ARP probe (RFC 5227 section 1.1). */
static __always_inline void ask_arp(struct ask_arp *q, const struct tsw_mac *own, __be32 from,
				    __be32 target)
{
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
	q->arp.sender_ip = from;
	q->arp.target_ip = target;
}

/* A solicitation from the link-local address of the asker's MAC (RFC 4861 section 7.2.2). */
static __always_inline void ask_nd(struct nd_reply *q, const struct tsw_mac *own,
				   const struct tsw_addr *target)
{
	const __u16 len = sizeof(q->nd) + sizeof(q->lladdr);
	struct tsw_addr *from = (void *)&q->ip.saddr, *group = (void *)&q->ip.daddr;

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
 * Turns the frame into the question. from: the asker's IPv4 address. If the kernel cannot change
 * the length of a frame from a tunnel, the rest of that frame is padding. Not 0: it is unchanged,
 * or too short.
 */
static __always_inline int ask_write(struct __sk_buff *skb, const struct tsw_mac *own, __be32 from,
				     const struct tsw_addr *target)
{
	const bool v4 = addr_is_v4mapped(target);
	const __u32 len = v4 ? sizeof(struct ask_arp) : sizeof(struct nd_reply);
	void *q = reply_room();
	int err = -1;

	if (!q || !reply_claim())
		return err;
	if (v4)
		ask_arp(q, own, from, target->w[3]);
	else
		ask_nd(q, own, target);
	if (reply_write(skb, q, len) == NEXT)
		err = 0;
	else if (!skb->gso_size && v4)
		err = bpf_skb_store_bytes(skb, 0, q, sizeof(struct ask_arp), 0);
	else if (!skb->gso_size)
		err = bpf_skb_store_bytes(skb, 0, q, sizeof(struct nd_reply), 0);
	reply_release();
	return err;
}

#endif
