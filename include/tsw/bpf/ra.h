/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Router advertisements (RFC 4861), given at the port that solicits one: the tenant's gateway as
 * router, its MTU, the endpoint's network as on the link, and that addresses come by DHCPv6.
 */
#ifndef TSW_BPF_RA_H
#define TSW_BPF_RA_H

#include <tsw/bpf/checksum.h>
#include <tsw/bpf/deliver.h>
#include <tsw/bpf/guard.h>
#include <tsw/bpf/lease.h>

#define RA_HOP_LIMIT 64	   /* told, for what the endpoint sends */
#define RA_MANAGED 0x80	   /* addresses by DHCPv6 */
#define RA_LIFETIME 0xffff /* seconds; RFC 8319. Nobody says it again unasked, see ra_again() */
#define RA_ON_LINK 0x80	   /* and not to make addresses of */
#define RA_MTU_LEAST 1280  /* RFC 8200 section 5 */
#define RA_FOR_EVER 0xffffffffU
#define IPV6_LINK_LOCAL 0xfe800000U

struct ra {
	struct eth eth;
	struct ipv6hdr ip;
	__u8 type, code;
	__u16 check;
	__u8 hop_limit, flags;
	__be16 lifetime; /* 0: no router */
	__be32 reachable, retransmit;
	struct {
		__u8 type, len; /* len in units of 8 octets */
		struct tsw_mac mac;
	} source;
	struct {
		__u8 type, len, bits, flags;
		__be32 valid, preferred, reserved;
		struct tsw_addr addr;
	} prefix;
	struct { /* left out where it is not known: all zero then */
		__u8 type, len;
		__u16 reserved;
		__be32 mtu;
	} mtu;
} __attribute__((packed, aligned(2)));

#define RA_AT 384 /* in the room, behind an answer of DHCPv6 that waits there */
#define RA_ICMP (sizeof(struct ra) - offsetof(struct ra, type))

/* RFC 4291 appendix A. */
static __always_inline struct tsw_addr addr_link_local(const struct tsw_mac *mac)
{
	const __u8 *b = mac->b;

	return (struct tsw_addr){
		{bpf_htonl(IPV6_LINK_LOCAL), 0,
		 bpf_htonl((__u32)(b[0] ^ 2) << 24 | b[1] << 16 | b[2] << 8 | 0xff),
		 bpf_htonl(0xfe000000U | b[3] << 16 | b[4] << 8 | b[5])}};
}

/* The first len bits of an address. */
static __always_inline struct tsw_addr addr_network(const struct tsw_addr *addr, __u32 len)
{
	struct tsw_addr net = *addr;

	for (__u32 i = 0; i < 4; i++) {
		__u32 bits = len > i * 32 ? len - i * 32 : 0;

		if (bits < 32)
			net.w[i] &= bpf_htonl(~(~0U >> (bits & 31)));
	}
	return net;
}

static __always_inline void ra_fill(struct ra *ra, const struct lease *l)
{
	ra->type = ND_ROUTER_ADVERT;
	ra->hop_limit = RA_HOP_LIMIT;
	ra->flags = RA_MANAGED;
	ra->lifetime = l->routed ? bpf_htons(RA_LIFETIME) : 0;
	ra->source.type = 1;
	ra->source.len = 1;
	ra->source.mac = l->mac;
	ra->prefix.type = 3;
	ra->prefix.len = 4;
	ra->prefix.bits = l->len;
	ra->prefix.flags = RA_ON_LINK;
	ra->prefix.valid = ra->prefix.preferred = RA_FOR_EVER;
	ra->prefix.addr = addr_network(&l->ip, l->len);
	if (l->mtu < RA_MTU_LEAST)
		return;
	ra->mtu.type = 5;
	ra->mtu.len = 1;
	ra->mtu.mtu = bpf_htonl(l->mtu);
}

/* The frame becomes an advertisement: to who asks, or to all nodes where that has no address. */
static __noinline int ra_write(struct __sk_buff *skb, const struct tsw_port *port,
			       const struct tsw_addr *asker, const struct lease *l)
{
	struct tsw_addr from = addr_link_local(&l->mac), to = *asker;
	struct ra *ra = reply_at(RA_AT);
	__u32 sum, less = l->mtu < RA_MTU_LEAST ? sizeof(ra->mtu) : 0;

	if (!ra)
		return drop(TSW_DROP_INTERNAL);
	*ra = (struct ra){.eth = {.dst = port->mac, .src = l->mac, .type = bpf_htons(ETH_P_IPV6)}};
	if (addr_is_zero(&to)) {
		to = (struct tsw_addr){{bpf_htonl(0xff020000), 0, 0, bpf_htonl(1)}};
		ra->eth.dst = (struct tsw_mac){{0x33, 0x33, 0, 0, 0, 1}};
	}
	ra->ip.version = 6;
	ra->ip.payload_len = bpf_htons(RA_ICMP - less);
	ra->ip.nexthdr = IPPROTO_ICMPV6;
	ra->ip.hop_limit = 255; /* RFC 4861 section 4.2 */
	__builtin_memcpy(&ra->ip.saddr, &from, sizeof(from));
	__builtin_memcpy(&ra->ip.daddr, &to, sizeof(to));
	ra_fill(ra, l);
	sum = ipv6_pseudo_sum(&from, &to, RA_ICMP - less, IPPROTO_ICMPV6);
	ra->check = csum_fold(bpf_csum_diff(NULL, 0, (void *)&ra->type, RA_ICMP, sum));
	return reply_write(skb, ra, sizeof(*ra) - less);
}

/* A solicitation. NEXT: on to the others like any frame, where the tenant's own router may be. */
static __always_inline int ra_step(struct __sk_buff *skb, const struct tsw_config *cfg,
				   const struct tsw_port *port, const struct tsw_addr *asker)
{
	struct lease *lease = reply_at(REPLY_LEASE);
	bool known;
	int verdict;

	if (!lease || !reply_claim())
		return drop(TSW_DROP_INTERNAL);
	known = tsw_lease(skb, TSW_IPV6, lease);
	verdict = known ? ra_write(skb, port, asker, lease) : NEXT;
	reply_release();
	return known && verdict == NEXT ? deliver_answer(skb, cfg, port->tenant, skb->ifindex)
					: verdict;
}

/* A copy of it to the port. The frame is used up by it. */
static __noinline void ra_beside(struct __sk_buff *skb, const struct tsw_config *cfg,
				 const struct tsw_port *port, const struct tsw_addr *asker,
				 const struct lease *lease)
{
	if (!lease->routed || ra_write(skb, port, asker, lease) != NEXT)
		return;
	stamp_set(skb, cfg, port->tenant, skb->ifindex);
	bpf_clone_redirect(skb, skb->ifindex, 0);
	stamp_forget(skb); /* the frame itself may go into the container as it is */
}

/*
 * Nothing runs that would say it again before it expires. But a node that has a router asks for
 * that neighbour now and then, whoever answers it (RFC 4861 section 7.3.3); so it is told of the
 * router, too. One that hears from its router all the time does not ask: it is told when it renews
 * its address, see dhcp6_send().
 */
static __always_inline void ra_again(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct tsw_port *port, const struct tsw_addr *asker,
				     const struct tsw_mac *of)
{
	struct lease *lease = reply_at(REPLY_LEASE);

	if (!lease || addr_is_zero(asker) || !reply_claim())
		return;
	if (tsw_lease(skb, TSW_IPV6, lease) && mac_equal(&lease->mac, of))
		ra_beside(skb, cfg, port, asker, lease);
	reply_release();
}

#endif
