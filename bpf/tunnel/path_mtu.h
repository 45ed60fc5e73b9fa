/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ICMP errors about a narrower path to another host (RFC 1191, RFC 8201). The kernel and its tunnel
 * devices believe them for ten minutes. Errors that quote TCP come from a node that saw the packet,
 * since the kernel compares its sequence number. Anybody can forge all others, so they end here.
 */
#ifndef TSW_BPF_TUNNEL_PATH_MTU_H
#define TSW_BPF_TUNNEL_PATH_MTU_H

#include "core/host.h"
#include "core/icmp.h"
#include "core/kernel_skb.h"
#include "core/parse.h"
#include "tunnel/hop.h"

#define IPV6_MORE_FRAGMENTS 1 /* of the fragment header, RFC 8200 section 4.5 */

/* The error and the quoted header. */
struct path_mtu_v4 {
	struct icmp_too_big icmp;
	struct iphdr quoted;
};

struct path_mtu_v6 {
	struct icmp_too_big icmp;
	struct ipv6hdr quoted;
};

/* Place of an IPv6 packet's upper layer. */
struct path_mtu_upper {
	__u32 off;
	__u8 proto;
	bool in_parts;
};

/*
 * Is the error for this host? Other hosts' errors pass. The switch's addresses are not compared,
 * because the kernel believes an error to any address of the host.
 */
static __always_inline bool path_mtu_is_ours(struct __sk_buff *skb, struct bpf_fib_lookup *fib)
{
	long ret;

	fib->ifindex = skb->ifindex;
	fib->tot_len = 1;
	ret = bpf_fib_lookup(skb, fib, sizeof(*fib), 0);
	return ret != BPF_FIB_LKUP_RET_SUCCESS && ret != BPF_FIB_LKUP_RET_NO_NEIGH;
}

/*
 * The first fragment of an error is enough: routers send no fragmented ones, and the quote comes
 * later.
 */
static __always_inline bool path_mtu_v4_is_forged(struct __sk_buff *skb, const struct iphdr *ip,
						  __u32 l4)
{
	struct path_mtu_v4 error;
	struct tsw_addr to;

	if (bpf_skb_load_bytes(skb, l4, &error.icmp, sizeof(error.icmp)) ||
	    error.icmp.type != ICMP_DEST_UNREACH || error.icmp.code != ICMP_FRAG_NEEDED)
		return false;
	if (ip->frag_off & bpf_htons(IPV4_MORE_FRAGMENTS))
		return true;
	if (bpf_skb_load_bytes(skb, l4, &error, sizeof(error)) ||
	    error.quoted.protocol == IPPROTO_TCP)
		return false;
	to = addr_from_v4(error.quoted.daddr);
	return host_by_vtep(&to);
}

static __noinline bool path_mtu_v4(struct __sk_buff *skb, __u32 off)
{
	struct bpf_fib_lookup fib = {.family = AF_INET, .l4_protocol = IPPROTO_ICMP};
	struct iphdr ip;

	if (bpf_skb_load_bytes(skb, off, &ip, sizeof(ip)) || ip.frag_off & bpf_htons(IPV4_OFFSET) ||
	    !path_mtu_v4_is_forged(skb, &ip, off + ip.ihl * 4))
		return false;
	fib.ipv4_src = ip.saddr;
	fib.ipv4_dst = ip.daddr;
	return path_mtu_is_ours(skb, &fib);
}

/*
 * Finds the upper layer after a few extension headers. The kernel accepts an authentication header
 * only from senders whose key it has, so the walk ends there. False: the upper layer is not
 * visible.
 */
static __always_inline bool path_mtu_upper(struct __sk_buff *skb, struct path_mtu_upper *at)
{
	struct ipv6_extension ext;

	for (int i = 0; i < IPV6_EXTENSIONS; i++) {
		if (at->proto == IPPROTO_AH || !ipv6_is_extension(at->proto))
			return true;
		if (bpf_skb_load_bytes(skb, at->off, &ext, sizeof(ext)))
			return false;
		if (at->proto == IPPROTO_FRAGMENT) {
			if (ext.fragment & bpf_htons(IPV6_OFFSET))
				return false;
			at->in_parts |= !!(ext.fragment & bpf_htons(IPV6_MORE_FRAGMENTS));
			ext.len = 0;
		}
		at->off += (ext.len + 1) * 8;
		at->proto = ext.next;
	}
	return true;
}

static __always_inline bool path_mtu_v6_is_forged(struct __sk_buff *skb,
						  const struct path_mtu_upper *at)
{
	struct path_mtu_v6 error;

	if (at->proto != IPPROTO_ICMPV6) /* an extension: more of them than anybody sends */
		return at->proto != IPPROTO_AH && ipv6_is_extension(at->proto);
	if (bpf_skb_load_bytes(skb, at->off, &error.icmp, sizeof(error.icmp)) ||
	    error.icmp.type != ICMPV6_PKT_TOOBIG)
		return false;
	if (at->in_parts)
		return true;
	if (bpf_skb_load_bytes(skb, at->off, &error, sizeof(error)) ||
	    error.quoted.nexthdr == IPPROTO_TCP)
		return false;
	return host_by_vtep((struct tsw_addr *)&error.quoted.daddr);
}

static __noinline bool path_mtu_v6(struct __sk_buff *skb, __u32 off)
{
	struct bpf_fib_lookup fib = {.family = AF_INET6, .l4_protocol = IPPROTO_ICMPV6};
	struct path_mtu_upper at = {.off = off + sizeof(struct ipv6hdr)};
	struct ipv6hdr ip;

	if (bpf_skb_load_bytes(skb, off, &ip, sizeof(ip)))
		return false;
	at.proto = ip.nexthdr;
	if (!path_mtu_upper(skb, &at) || !path_mtu_v6_is_forged(skb, &at))
		return false;
	__builtin_memcpy(fib.ipv6_src, &ip.saddr, sizeof(fib.ipv6_src));
	__builtin_memcpy(fib.ipv6_dst, &ip.daddr, sizeof(fib.ipv6_dst));
	return path_mtu_is_ours(skb, &fib);
}

/* Global, so that the verifier goes through it once. */
__noinline int tsw_path_mtu(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();
	__u32 off = cfg && frame_is_bare(skb, cfg) ? 0 : ETH_HLEN;
	bool forged = skb->protocol == bpf_htons(ETH_P_IP) ? path_mtu_v4(skb, off)
							   : path_mtu_v6(skb, off);

	return forged ? drop(TSW_DROP_UNTRUSTED_MTU) : PASS;
}

/*
 * Checks a frame that is no tunnel frame. Only the protocol is read, unless it may be ICMP.
 * tsw_path_mtu() finds the IP header again, because the stack has no room for its offset.
 */
static __always_inline int path_mtu_guard(struct __sk_buff *skb, __u32 off)
{
	void *l3 = skb_data(skb) + off;
	void *end = skb_data_end(skb);
	struct ipv6hdr *ip6 = l3;
	struct iphdr *ip = l3;

	if (skb->protocol == bpf_htons(ETH_P_IP)) {
		if ((void *)(ip + 1) > end || ip->protocol != IPPROTO_ICMP)
			return PASS;
	} else if ((void *)(ip6 + 1) > end ||
		   (ip6->nexthdr != IPPROTO_ICMPV6 && !ipv6_is_extension(ip6->nexthdr))) {
		return PASS;
	}
	return tsw_path_mtu(skb);
}

#endif
