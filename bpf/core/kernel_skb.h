/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields that only the kernel's own sk_buff has. Their offsets come from its BTF, by name. Programs
 * can reach it from Linux 6.2 on; before, these functions answer as if it held nothing special.
 */
#ifndef TSW_BPF_CORE_KERNEL_SKB_H
#define TSW_BPF_CORE_KERNEL_SKB_H

#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_core_read.h>

#include "core/base.h"

#define NETDEV_ALIGN 32ULL	  /* the kernel's, of include/linux/netdevice.h */
#define CHECKSUM_PARTIAL 3	  /* the kernel's, of include/linux/skbuff.h */
#define GSO_TCP (1 << 0 | 1 << 4) /* likewise: SKB_GSO_TCPV4, SKB_GSO_TCPV6 */

struct ns_common {
	unsigned int inum; /* as of /proc/PID/ns/net */
} __attribute__((preserve_access_index));

struct nf_tcp_net {
	__u8 tcp_be_liberal;
} __attribute__((preserve_access_index));

struct nf_ip_net {
	struct nf_tcp_net tcp;
} __attribute__((preserve_access_index));

struct netns_ct {
	struct nf_ip_net nf_ct_proto;
} __attribute__((preserve_access_index));

typedef struct {
	unsigned long counter; /* the kernel's is signed, but never negative */
} __attribute__((preserve_access_index)) atomic_long_t;

struct fqdir {
	unsigned long high_thresh;
	atomic_long_t mem;
} __attribute__((preserve_access_index));

struct netns_ipv4 {
	struct fqdir *fqdir;
} __attribute__((preserve_access_index));

struct net {
	struct ns_common ns;
	struct netns_ipv4 ipv4;
	struct netns_ct ct;
} __attribute__((preserve_access_index));

typedef struct {
	struct net *net;
} __attribute__((preserve_access_index)) possible_net_t;

struct net_device {
	possible_net_t nd_net;
	unsigned int mtu;
	const unsigned char *dev_addr;
	void *xdp_prog; /* its generic XDP program */
} __attribute__((preserve_access_index));

struct dst_entry {
	unsigned long _metrics;
} __attribute__((preserve_access_index));

struct sk_buff {
	struct net_device *dev;
	unsigned long _skb_refdst;
	unsigned long _nfct;
	__u16 mac_len;
	__u16 mac_header; /* offsets from head, as the others */
	__u16 network_header;
	__u16 transport_header;
	__u16 inner_network_header;
	__u16 inner_transport_header;
	__u16 csum_start;
	__u16 csum_offset;
	__u8 ip_summed : 2;
	__u8 encapsulation : 1;
	unsigned char *head, *data;
	unsigned int end; /* offset from head */
} __attribute__((preserve_access_index));

struct skb_shared_info {
	unsigned int gso_type;
} __attribute__((preserve_access_index));

/* Linux 6.2. Set by the command before loading; without it the code below is compiled away. */
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym __weak;
const volatile bool tsw_has_kern_ctx = false;

/*
 * Offset in the frame where a checksum that is still to be written begins to sum. Only valid where
 * there is such a checksum.
 */
static __always_inline int kernel_skb_csum_start(struct __sk_buff *skb)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return 0;
	kskb = bpf_cast_to_kern_ctx(skb);
	return kskb->csum_start - kskb->mac_header;
}

/*
 * Offset where that checksum is to be written. 0: nothing is to be written; negative: before the
 * frame.
 */
static __always_inline int kernel_skb_csum_at(struct __sk_buff *skb)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return 0;
	kskb = bpf_cast_to_kern_ctx(skb);
	if (BPF_CORE_READ_BITFIELD(kskb, ip_summed) != CHECKSUM_PARTIAL)
		return 0;
	return kskb->csum_start + kskb->csum_offset - kskb->mac_header;
}

/*
 * Is more than three quarters of the memory for incomplete IPv4 packets in use, in the namespace of
 * the frame's device?
 */
static __noinline bool kernel_skb_fragments_fill(struct __sk_buff *skb)
{
	struct sk_buff *kskb;
	struct fqdir *all;

	if (!tsw_has_kern_ctx)
		return false;
	kskb = bpf_cast_to_kern_ctx(skb);
	all = kskb->dev->nd_net.net->ipv4.fqdir;
	return all->mem.counter > all->high_thresh / 4 * 3;
}

/*
 * Does the kernel note a super-frame's headers before l4? A NIC that cuts the super-frame into
 * frames may write lengths, identifiers and checksums there.
 */
static __always_inline bool kernel_skb_cuts_before(struct __sk_buff *skb, __u32 l4)
{
	struct sk_buff *kskb;
	__u32 begin;

	if (!tsw_has_kern_ctx)
		return false;
	kskb = bpf_cast_to_kern_ctx(skb);
	begin = kskb->mac_header + l4;
	if (kskb->transport_header < kskb->mac_header + ETH_HLEN + sizeof(struct iphdr))
		return true;
	return BPF_CORE_READ_BITFIELD(kskb, encapsulation) &&
	       (kskb->inner_network_header < begin || kskb->inner_transport_header < begin);
}

/*
 * Has the frame a tunnel's inner headers? Before Linux 6.2 the check costs a call, so TCP frames
 * skip it: a stack's own TCP frames have no inner headers.
 */
static __always_inline bool kernel_skb_has_inner(struct __sk_buff *skb, bool tcp)
{
	const struct sk_buff *kskb = (const void *)skb;

	if (tsw_has_kern_ctx) {
		kskb = bpf_cast_to_kern_ctx(skb);
		return BPF_CORE_READ_BITFIELD(kskb, encapsulation);
	}
	return !tcp && BPF_CORE_READ_BITFIELD_PROBED(kskb, encapsulation);
}

/* Offset in the frame of the inner transport header. *tcp: the segments are TCP's. */
static __always_inline __u32 kernel_skb_inner_l4(struct __sk_buff *skb, bool *tcp)
{
	const struct sk_buff *kskb = (const void *)skb;
	const struct skb_shared_info *info;
	unsigned int gso_type = 0;

	info = (const void *)(BPF_CORE_READ(kskb, head) + BPF_CORE_READ(kskb, end));
	bpf_core_read(&gso_type, sizeof(gso_type), &info->gso_type);
	*tcp = gso_type & GSO_TCP;
	return BPF_CORE_READ(kskb, inner_transport_header) - BPF_CORE_READ(kskb, mac_header);
}

/* Is the frame's device in the network namespace with that number? */
static __always_inline bool kernel_skb_is_in(struct __sk_buff *skb, __u32 netns)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx || !netns)
		return true;
	kskb = bpf_cast_to_kern_ctx(skb);
	return kskb->dev->nd_net.net->ns.inum == netns;
}

/*
 * Has the other end of the frame's veth a generic XDP program? The pointer to that end comes first
 * in a veth's own data, which follows its net_device at a multiple of NETDEV_ALIGN.
 */
static __always_inline bool kernel_skb_peer_has_generic_xdp(struct __sk_buff *skb)
{
	const __u64 own =
		(bpf_core_type_size(struct net_device) + NETDEV_ALIGN - 1) & ~(NETDEV_ALIGN - 1ULL);
	const struct sk_buff *kskb = (const void *)skb;
	struct net_device *peer = NULL;

	bpf_probe_read_kernel(&peer, sizeof(peer), (void *)BPF_CORE_READ(kskb, dev) + own);
	return peer && BPF_CORE_READ(peer, xdp_prog);
}

/*
 * Does the linear part end exactly n octets after this header? For kernels before Linux 6.2, where
 * the kernel's own fields are out of reach. The helper reads from the named header to the end of
 * the linear part, so octet n - 1 must be readable and octet n must not. n may be 0.
 */
static __always_inline bool skb_linear_is(struct __sk_buff *skb, __u32 header, __u32 n)
{
	__u8 octet;

	if (n && bpf_skb_load_bytes_relative(skb, n - 1, &octet, sizeof(octet), header))
		return false;
	return bpf_skb_load_bytes_relative(skb, n, &octet, sizeof(octet), header);
}

/*
 * Does the kernel see the Ethernet header at the frame's first octet and the packet 14 octets
 * later? By these offsets it makes room for outer headers, and the receiver reads. In a test run
 * mac_len is 0.
 */
static __always_inline bool kernel_skb_is_ethernet(struct __sk_buff *skb)
{
	__u32 linear = skb_data_end(skb) - skb_data(skb);
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return skb_linear_is(skb, BPF_HDR_START_MAC, linear) &&
		       skb_linear_is(skb, BPF_HDR_START_NET, linear - ETH_HLEN);
	kskb = bpf_cast_to_kern_ctx(skb);
	return kskb->data == kskb->head + kskb->mac_header &&
	       kskb->network_header == kskb->mac_header + ETH_HLEN &&
	       (kskb->mac_len == ETH_HLEN || !kskb->mac_len);
}

/* Does the frame begin with its IP header, without a link header? */
static __always_inline bool kernel_skb_begins_with_ip(struct __sk_buff *skb)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return skb_linear_is(skb, BPF_HDR_START_NET, skb_data_end(skb) - skb_data(skb));
	kskb = bpf_cast_to_kern_ctx(skb);
	return kskb->data == kskb->head + kskb->network_header;
}

/* Generic XDP on Linux 6.9 and later gives tc a copy of the frame without its Ethernet header. */
static __always_inline bool kernel_skb_lost_eth(struct __sk_buff *skb)
{
	struct sk_buff *kskb;

	if (!tsw_has_kern_ctx)
		return false;
	kskb = bpf_cast_to_kern_ctx(skb);
	return kskb->data != kskb->head + kskb->mac_header;
}

#endif
