// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a container's root can put before the switch: programs at the ingress of a veth of his own,
 * from which bpf_redirect_peer() leads straight to the host's end of the container's device. The
 * kernel does not look at such a frame anew; what these programs made of its metadata arrives.
 *
 * The frame's mark says where to: the ifindex of the container's device in its lower half, in the
 * upper one what the program is to use.
 */
#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

#define FRONT 128 /* octets put before the frame: the kernel allows that many without room */

static __always_inline int leave(struct __sk_buff *skb)
{
	return bpf_redirect_peer(skb->mark & 0xffff, 0);
}

/* As it is: what a container may do in good faith. */
SEC("tc/plain") int attack_plain(struct __sk_buff *skb)
{
	return leave(skb);
}

/* Another Ethernet type in the octets than the kernel noted when the frame came. */
SEC("tc/type") int attack_type(struct __sk_buff *skb)
{
	__be16 type = bpf_htons(skb->mark >> 16);

	if (bpf_skb_store_bytes(skb, offsetof(struct ethhdr, h_proto), &type, sizeof(type), 0))
		return TC_ACT_SHOT;
	return leave(skb);
}

/* The frame's own begin once more before it: the kernel takes all of that for the link's header. */
SEC("tc/front") int attack_front(struct __sk_buff *skb)
{
	__u8 part[FRONT / 2];

	if (bpf_skb_change_head(skb, FRONT, 0))
		return TC_ACT_SHOT;
	for (int at = 0; at < FRONT; at += sizeof(part))
		if (bpf_skb_load_bytes(skb, FRONT + at, part, sizeof(part)) ||
		    bpf_skb_store_bytes(skb, at, part, sizeof(part), 0))
			return TC_ACT_SHOT;
	return leave(skb);
}

/*
 * Room for an outer IPv4 header, and that room taken away again: the octets are what they were, and
 * a super-frame's inner headers are noted where its own IP header begins.
 */
SEC("tc/inner") int attack_inner(struct __sk_buff *skb)
{
	const __u64 outer = BPF_F_ADJ_ROOM_FIXED_GSO | BPF_F_ADJ_ROOM_ENCAP_L3_IPV4;
	const int room = sizeof(struct iphdr);

	if (bpf_skb_adjust_room(skb, room, BPF_ADJ_ROOM_MAC, outer) ||
	    bpf_skb_adjust_room(skb, -room, BPF_ADJ_ROOM_MAC, BPF_F_ADJ_ROOM_FIXED_GSO))
		return TC_ACT_SHOT;
	return leave(skb);
}

/* What is guessed of the switch's pass: the frame's last 6 octets. */
SEC("tc/pass") int attack_pass(struct __sk_buff *skb)
{
	struct {
		__u32 priority;
		__u16 tc_index;
	} __attribute__((packed)) guess;

	if (skb->len < sizeof(guess) ||
	    bpf_skb_load_bytes(skb, skb->len - sizeof(guess), &guess, sizeof(guess)))
		return TC_ACT_SHOT;
	skb->priority = guess.priority;
	skb->tc_index = guess.tc_index;
	return leave(skb);
}

/*
 * At the egress of the container's own device. Who is at a veth's other end sees none of it; a
 * netkit's program runs before the kernel looks at the frame anew.
 */
SEC("tc/beside") int attack_beside(struct __sk_buff *skb)
{
	__be16 type = bpf_htons(skb->mark >> 16);

	for (int i = 0; i < 5; i++)
		skb->cb[i] = ~0;
	skb->priority = ~0;
	skb->tc_index = 0xffff;
	if (type &&
	    bpf_skb_store_bytes(skb, offsetof(struct ethhdr, h_proto), &type, sizeof(type), 0))
		return TC_ACT_SHOT;
	return TC_ACT_OK;
}

/* At the same place: the class that is in the mark. */
SEC("tc/class") int attack_class(struct __sk_buff *skb)
{
	skb->tc_classid = skb->mark;
	return TC_ACT_OK;
}

/* What came goes back: as it is, or with Ethernet and IPv4 addresses in each other's place. */
static __always_inline int back(struct xdp_md *xdp, bool swapped)
{
	unsigned char *at = (unsigned char *)(long)xdp->data, mac[ETH_ALEN];
	struct iphdr *ip = (struct iphdr *)(at + ETH_HLEN);
	__be32 addr;

	if ((unsigned char *)(ip + 1) > (unsigned char *)(long)xdp->data_end ||
	    ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	if (!swapped)
		return XDP_TX;
	__builtin_memcpy(mac, at, ETH_ALEN);
	__builtin_memcpy(at, at + ETH_ALEN, ETH_ALEN);
	__builtin_memcpy(at + ETH_ALEN, mac, ETH_ALEN);
	addr = ip->saddr;
	ip->saddr = ip->daddr;
	ip->daddr = addr;
	return XDP_TX;
}

SEC("xdp/back") int attack_back(struct xdp_md *xdp)
{
	return back(xdp, false);
}

SEC("xdp/answer") int attack_answer(struct xdp_md *xdp)
{
	return back(xdp, true);
}
