/* SPDX-License-Identifier: GPL-2.0-only */
/* What an endpoint asks its LAN before it can send. */
#ifndef TSW_BPF_ANSWER_NEIGHBOUR_H
#define TSW_BPF_ANSWER_NEIGHBOUR_H

#include "answer/arp.h"
#include "answer/dhcp_step.h"
#include "answer/nd.h"

/* ARP, ND and DHCP: guarded, and answered at the port where the answer is known. */
static __always_inline int from_port_neighbour(struct __sk_buff *skb, struct tsw_config *cfg,
					       const struct tsw_port *port, struct frame_id *id,
					       const struct frame *f)
{
	int verdict = NEXT;

	if (f->eth.type == bpf_htons(ETH_P_ARP))
		verdict = arp_step(skb, cfg, port);
	else if (f->eth.type == bpf_htons(ETH_P_IPV6) && f->proto == IPPROTO_ICMPV6)
		verdict = nd_step(skb, cfg, port, f);
	else if (f->proto == IPPROTO_UDP && dhcp_may_be(skb, f))
		verdict = dhcp_step(skb, port, f);
	if (verdict == REDIRECT) {
		id->out = skb->ifindex;
		count_answered(port->tenant, &id->size);
	}
	return verdict;
}

#endif
