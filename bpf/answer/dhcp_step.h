/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BPF_ANSWER_DHCP_STEP_H
#define TSW_BPF_ANSWER_DHCP_STEP_H

#include "answer/dhcp.h"
#include "answer/dhcp6.h"
#include "answer/relay.h"

#define DHCP_PORT_WITHIN 0x1fff /* largest offset in the frame that the verifier accepts */

/*
 * False: UDP to another port, which is nearly always the case and is seen here without a call. If
 * the port is not in the frame's linear part, dhcp_step() reads it.
 */
static __always_inline bool dhcp_may_be(struct __sk_buff *skb, const struct frame *f)
{
	__u32 off = f->l4 + offsetof(struct udphdr, dest);
	__be16 *dport;

	if (off > DHCP_PORT_WITHIN)
		return true;
	dport = skb_data(skb) + off;
	TSW_KEEP(dport);
	if ((void *)(dport + 1) > skb_data_end(skb))
		return true;
	return *dport == bpf_htons(DHCP_SERVER_PORT) || *dport == bpf_htons(DHCP_CLIENT_PORT) ||
	       *dport == bpf_htons(DHCP6_SERVER_PORT) || *dport == bpf_htons(DHCP6_CLIENT_PORT);
}

/* Handles UDP to a port of DHCP servers or clients. */
static __noinline int dhcp_step(struct __sk_buff *skb, const struct tsw_port *port, struct frame *f)
{
	bool relayed, v4 = f->eth.type == bpf_htons(ETH_P_IP);
	__be16 dport;
	int verdict;

	if (upper_read(skb, f, offsetof(struct udphdr, dest), &dport, sizeof(dport)))
		return NEXT;
	if (dport == bpf_htons(v4 ? DHCP_CLIENT_PORT : DHCP6_CLIENT_PORT))
		return relay_is_server(port, f) ? NEXT : guard_server(port);
	if (dport != bpf_htons(v4 ? DHCP_SERVER_PORT : DHCP6_SERVER_PORT))
		return NEXT;
	if (!reply_claim())
		return drop(TSW_DROP_INTERNAL);
	relayed = v4 && relay_get(port->tenant, TSW_IPV4);
	if (relayed)
		verdict = tsw_relay(skb, f);
	else
		verdict = v4 ? tsw_dhcp(skb, f) : tsw_dhcp6(skb, f);
	reply_release();
	return v4 && !relayed && verdict == NEXT ? dhcp_guard(port, f) : verdict;
}

#endif
