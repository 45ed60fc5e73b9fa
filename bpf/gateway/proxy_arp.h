/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host that serves a gateway answers for its `snat` address on the uplink's network: ARP (RFC
 * 826, RFC 5227) and neighbour solicitations (RFC 4861). No device has the address, so the kernel
 * would not answer.
 *
 * An answer is as long as its question and goes only to the asker. Duplicate address detection,
 * whose sender has no address yet, is answered to all nodes.
 */
#ifndef TSW_BPF_GATEWAY_PROXY_ARP_H
#define TSW_BPF_GATEWAY_PROXY_ARP_H

#include <linux/if_packet.h>

#include "answer/arp.h"
#include "core/kernel_skb.h"
#include "answer/nd.h"

TSW_HASH(tsw_snats, struct tsw_addr, struct tsw_snat);

#define ND_OVERRIDE 0x20000000
#define PROXY_OPTIONS 5 /* options of 8 octets each, in a message that is read */

static __always_inline bool proxy_mac(struct __sk_buff *skb, struct tsw_mac *mac)
{
	const struct sk_buff *kskb = (const void *)skb;
	const struct net_device *dev = NULL;
	const unsigned char *at = NULL;

	return !bpf_core_read(&dev, sizeof(dev), &kskb->dev) &&
	       !bpf_core_read(&at, sizeof(at), &dev->dev_addr) &&
	       !bpf_probe_read_kernel(mac, sizeof(*mac), at);
}

/*
 * Another node claims the address. If this host suspects that it is cut off from the others, it
 * leaves the address to that node for as long as the claims go on: two hosts must not answer.
 */
static __noinline int proxy_hear(struct __sk_buff *skb, const struct tsw_addr *addr,
				 const struct tsw_mac *from)
{
	struct tsw_snat *snat = bpf_map_lookup_elem(&tsw_snats, addr);
	struct tsw_mac mac;

	if (!snat || snat->ifindex != skb->ifindex || !proxy_mac(skb, &mac) ||
	    mac_equal(&mac, from))
		return PASS;
	snat->heard = bpf_ktime_get_ns();
	if (snat->state & TSW_SNAT_DOUBT)
		snat->state |= TSW_SNAT_LEFT;
	return PASS;
}

static __always_inline bool proxy_is_left(const struct tsw_snat *snat)
{
	return snat->state & TSW_SNAT_LEFT && bpf_ktime_get_ns() < snat->heard + TSW_SNAT_FORGET;
}

/* Must this host answer for the address there? *mac: its MAC there. */
static __noinline bool proxy_is_asked(struct __sk_buff *skb, const struct tsw_addr *addr,
				      struct tsw_mac *mac)
{
	const struct tsw_snat *snat = bpf_map_lookup_elem(&tsw_snats, addr);

	return snat && snat->ifindex == skb->ifindex && !proxy_is_left(snat) && proxy_mac(skb, mac);
}

/* Reads len octets after the Ethernet header, which generic XDP may have hidden. */
static __always_inline int proxy_read(struct __sk_buff *skb, struct eth *eth, void *to, __u32 len)
{
	const __u32 off = kernel_skb_lost_eth(skb) ? 0 : ETH_HLEN;

	return frame_read(skb, off, to, len) ||
	       bpf_skb_load_bytes_relative(skb, 0, eth, sizeof(*eth), BPF_HDR_START_MAC) ||
	       mac_is_group(&eth->src);
}

static __always_inline bool proxy_show_eth(struct __sk_buff *skb)
{
	return !kernel_skb_lost_eth(skb) || !bpf_skb_change_head(skb, ETH_HLEN, 0);
}

static __always_inline int proxy_send(struct __sk_buff *skb, int written)
{
	if (written != NEXT)
		return written;
	bpf_redirect(skb->ifindex, 0);
	return REDIRECT;
}

/* An announcement asks nothing. */
static __noinline int proxy_arp(struct __sk_buff *skb)
{
	struct tsw_addr target;
	struct tsw_mac mac;
	struct arp arp;
	struct eth eth;

	if (proxy_read(skb, &eth, &arp, sizeof(arp)) || !arp_is_ipv4(&arp))
		return PASS;
	target = addr_from_v4(arp.sender_ip);
	if (arp.sender_ip == arp.target_ip)
		return proxy_hear(skb, &target, &arp.sender_mac);
	if (arp.op != bpf_htons(ARPOP_REQUEST))
		return PASS;
	target = addr_from_v4(arp.target_ip);
	if (!proxy_is_asked(skb, &target, &mac) || !proxy_show_eth(skb))
		return PASS;
	return proxy_send(skb, arp_write(skb, &arp, &eth.src, &mac));
}

/* A neighbour solicitation or advertisement up to its options. */
struct proxy_nd {
	struct ipv6hdr ip;
	struct nd nd;
};

static __always_inline bool proxy_is_solicited_node(const struct tsw_addr *dst,
						    const struct tsw_addr *target)
{
	return dst->w[0] == bpf_htonl(0xff020000) && !dst->w[1] && dst->w[2] == bpf_htonl(1) &&
	       dst->w[3] == (target->w[3] | bpf_htonl(0xff000000));
}

/*
 * Checks the checksum, and that a sender without an address gives no MAC (RFC 4861 section 7.1.1).
 * Only the first option is checked, since the kernel sends no other.
 */
static __noinline bool proxy_options_are_sound(struct __sk_buff *skb, const struct proxy_nd *q)
{
	const struct tsw_addr *src = (const void *)&q->ip.saddr, *dst = (const void *)&q->ip.daddr;
	const __u32 len = bpf_ntohs(q->ip.payload_len);
	const __u32 at = (kernel_skb_lost_eth(skb) ? 0 : ETH_HLEN) + sizeof(*q);
	__u32 sum = ipv6_pseudo_sum(src, dst, len, IPPROTO_ICMPV6);
	__be32 option[2];

	if (len % 8 || len < sizeof(q->nd) || len > sizeof(q->nd) + 8 * PROXY_OPTIONS)
		return false;
	sum = bpf_csum_diff(NULL, 0, (void *)&q->nd, sizeof(q->nd), sum);
	for (__u32 i = 0; i < PROXY_OPTIONS && sizeof(q->nd) + 8 * i < len; i++) {
		if (bpf_skb_load_bytes(skb, at + 8 * i, option, sizeof(option)) ||
		    (!i && addr_is_zero(src) && *(__u8 *)option == ND_OPT_SOURCE_LLADDR))
			return false;
		sum = bpf_csum_diff(NULL, 0, option, sizeof(option), sum);
	}
	return !csum_fold(sum);
}

static __noinline int proxy_nd(struct __sk_buff *skb)
{
	const struct tsw_addr *dst;
	struct tsw_addr target;
	struct tsw_mac mac;
	struct proxy_nd q;
	struct eth eth;
	bool group;

	if (proxy_read(skb, &eth, &q, sizeof(q)) || q.nd.code || q.ip.nexthdr != IPPROTO_ICMPV6 ||
	    q.ip.hop_limit != ND_HOP_LIMIT)
		return PASS;
	target = q.nd.target;
	if (q.nd.type == ND_NEIGHBOUR_ADVERT && q.nd.flags & bpf_htonl(ND_OVERRIDE))
		return proxy_options_are_sound(skb, &q) ? proxy_hear(skb, &target, &eth.src) : PASS;
	if (q.nd.type != ND_NEIGHBOUR_SOLICIT)
		return PASS;
	dst = (const void *)&q.ip.daddr;
	group = proxy_is_solicited_node(dst, &target);
	if (addr_is_zero((const void *)&q.ip.saddr) ? !group : !group && !addr_equal(dst, &target))
		return PASS;
	if (!proxy_is_asked(skb, &target, &mac) || !proxy_options_are_sound(skb, &q) ||
	    !proxy_show_eth(skb))
		return PASS;
	return proxy_send(skb, nd_write(skb, (const void *)&q.ip.saddr, &eth.src, &target, &mac));
}

__noinline int tsw_proxy(struct __sk_buff *skb)
{
	return skb->protocol == bpf_htons(ETH_P_ARP) ? proxy_arp(skb) : proxy_nd(skb);
}

static __always_inline bool proxy_may_be_asked(struct __sk_buff *skb)
{
	struct {
		__u8 nexthdr, hop_limit;
	} ip = {};

	if (skb->protocol == bpf_htons(ETH_P_ARP))
		return true;
	return skb->protocol == bpf_htons(ETH_P_IPV6) &&
	       !bpf_skb_load_bytes_relative(skb, offsetof(struct ipv6hdr, nexthdr), &ip, sizeof(ip),
					    BPF_HDR_START_NET) &&
	       ip.nexthdr == IPPROTO_ICMPV6 && ip.hop_limit == ND_HOP_LIMIT;
}

#endif
