/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_BPF_DHCP_STEP_H
#define TSW_BPF_DHCP_STEP_H

#include <tsw/bpf/dhcp.h>
#include <tsw/bpf/dhcp6.h>

/* UDP to a port of DHCP, of its servers or its clients. */
static __noinline int dhcp_step(struct __sk_buff *skb, const struct tsw_port *port,
				const struct frame *f)
{
	bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	__be16 dport;

	if (frame_read(skb, f->l4 + offsetof(struct udphdr, dest), &dport, sizeof(dport)))
		return NEXT;
	if (dport == bpf_htons(v4 ? DHCP_CLIENT_PORT : DHCP6_CLIENT_PORT))
		return guard_server(port);
	if (dport == bpf_htons(v4 ? DHCP_SERVER_PORT : DHCP6_SERVER_PORT))
		return v4 ? tsw_dhcp(skb, f) : tsw_dhcp6(skb, f);
	return NEXT;
}

#endif
