/* SPDX-License-Identifier: GPL-2.0-only */
/* ARP and neighbour discovery: what an endpoint asks its LAN before it can send. */
#ifndef TSW_BPF_ANSWER_NEIGHBOUR_H
#define TSW_BPF_ANSWER_NEIGHBOUR_H

#include "answer/arp.h"
#include "answer/nd.h"

/* Guards such a frame, and answers it at the port where the answer is known. */
static __always_inline int neighbour_step(struct __sk_buff *skb, const struct tsw_config *cfg,
					  const struct tsw_port *port, const struct frame *f)
{
	if (f->eth.type == bpf_htons(ETH_P_ARP))
		return arp_step(skb, cfg, port);
	if (f->eth.type == bpf_htons(ETH_P_IPV6) && f->proto == IPPROTO_ICMPV6)
		return nd_step(skb, cfg, port, f);
	return NEXT;
}

#endif
