// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP programs of a container, compiled by the cases with -DACT=ACTION. XDP_DROP is a firewall that
 * drops each frame. The others take UDP to port 7 and pass the rest: XDP_TX answers as an echo
 * server, XDP_REDIRECT sends it out by the device TO. With -DMAP=TYPE each frame goes to the first
 * entry of a map of that type. A frame passes if the map has no entry yet.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#ifndef ACT
#define ACT XDP_DROP
#endif
#ifndef TO
#define TO 0
#endif
#define ECHO_PORT 7

char _license[] SEC("license") = "GPL";

__u64 broadcasts; /* that it saw, IPv4 */

#ifdef MAP
struct {
	__uint(type, MAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} entries SEC(".maps");

SEC("xdp")
int all(struct xdp_md *frame)
{
	return bpf_redirect_map(&entries, 0, XDP_PASS);
}
#else

struct packet {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
} __attribute__((packed));

static __always_inline void answer(struct packet *p)
{
	const struct ethhdr eth = p->eth;
	const __be32 from = p->ip.saddr;
	const __be16 port = p->udp.source;

	__builtin_memcpy(p->eth.h_dest, eth.h_source, ETH_ALEN);
	__builtin_memcpy(p->eth.h_source, eth.h_dest, ETH_ALEN);
	p->ip.saddr = p->ip.daddr;
	p->ip.daddr = from;
	p->udp.source = p->udp.dest;
	p->udp.dest = port;
}

SEC("xdp")
int act(struct xdp_md *frame)
{
	struct packet *p = (void *)(long)frame->data;

	if ((void *)(p + 1) > (void *)(long)frame->data_end)
		return ACT == XDP_DROP ? XDP_DROP : XDP_PASS;
	if (p->eth.h_proto == bpf_htons(ETH_P_IP) && p->eth.h_dest[0] == 0xff)
		__sync_fetch_and_add(&broadcasts, 1);
	if (ACT == XDP_DROP)
		return XDP_DROP;
	if (p->eth.h_proto != bpf_htons(ETH_P_IP) || p->ip.protocol != IPPROTO_UDP ||
	    p->ip.ihl != 5 || p->udp.dest != bpf_htons(ECHO_PORT))
		return XDP_PASS;
	if (ACT == XDP_REDIRECT)
		return bpf_redirect(TO, 0);
	if (ACT == XDP_TX)
		answer(p);
	return ACT;
}
#endif
