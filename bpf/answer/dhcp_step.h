/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BPF_ANSWER_DHCP_STEP_H
#define TSW_BPF_ANSWER_DHCP_STEP_H

#include "answer/dhcp.h"
#include "answer/dhcp6.h"
#include "answer/relay6.h"

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

/* The destination port; 0: it cannot be read. Not inline, to save stack. */
static __noinline __be16 dhcp_dport(struct __sk_buff *skb, const struct frame *f)
{
	__be16 dport;

	return upper_read(skb, f, offsetof(struct udphdr, dest), &dport, sizeof(dport)) ? 0 : dport;
}

/* Handles UDP to a port of DHCP servers or clients. */
static __noinline int dhcp_step(struct __sk_buff *skb, const struct tsw_port *port,
				struct frame_id *id, struct frame *f)
{
	const bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	const __be16 dport = dhcp_dport(skb, f);
	int verdict;

	if (dport == bpf_htons(v4 ? DHCP_CLIENT_PORT : DHCP6_CLIENT_PORT))
		return relay_is_server(port, f) ? NEXT : guard_server(port);
	if (dport != bpf_htons(v4 ? DHCP_SERVER_PORT : DHCP6_SERVER_PORT))
		return NEXT;
	if (!reply_claim())
		return drop(TSW_DROP_INTERNAL);
	if (!relay_is_on(port->tenant, v4 ? TSW_IPV4 : TSW_IPV6))
		verdict = v4 ? tsw_dhcp(skb, f) : tsw_dhcp6(skb, f);
	else if (v4)
		verdict = tsw_relay(skb, f);
	else
		verdict = tsw_relay6_again(skb, f) == NEXT ? tsw_relay6(skb, f, id)
							   : drop(TSW_DROP_INTERNAL);
	reply_release();
	return verdict;
}

#endif
