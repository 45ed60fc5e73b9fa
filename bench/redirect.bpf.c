// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peer `redirect`: the least that a tc program can do to get a frame from one container to
 * another. It asks nothing, guards nothing, counts nothing and has no tunnel; so what it costs is
 * what the way itself costs, and no program on that way can be faster.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

/* Where what comes in by a device goes, and whose Ethernet addresses it has then. */
struct way {
	__be32 ip;     /* only what is for this address; 0: all of IPv4 */
	__u32 ifindex; /* of the device it goes to */
	__u32 peer;    /* to that device's other end, in its namespace */
	__u8 macs[2 * ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u32); /* ifindex */
	__type(value, struct way);
} ways SEC(".maps");

SEC("tc") int redirect(struct __sk_buff *skb)
{
	struct ethhdr *eth = (void *)(long)skb->data;
	struct iphdr *ip = (void *)(eth + 1);
	__u32 from = skb->ifindex;
	struct way *way = bpf_map_lookup_elem(&ways, &from);

	if (!way || (void *)(ip + 1) > (void *)(long)skb->data_end ||
	    eth->h_proto != bpf_htons(ETH_P_IP) || (way->ip && way->ip != ip->daddr))
		return TC_ACT_UNSPEC;
	__builtin_memcpy(eth, way->macs, sizeof(way->macs));
	if (!way->peer)
		return bpf_redirect(way->ifindex, 0);
	/* Nobody looks at its new address any more: its type is still what the old one made it. */
	bpf_skb_change_type(skb, PACKET_HOST);
	return bpf_redirect_peer(way->ifindex, 0);
}
