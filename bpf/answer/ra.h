/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Router advertisements (RFC 4861), sent to the port that solicits one: the tenant's gateway as
 * router, its MTU, the endpoint's network as on-link, and that addresses come by DHCPv6.
 */
#ifndef TSW_BPF_ANSWER_RA_H
#define TSW_BPF_ANSWER_RA_H

#include "core/checksum.h"
#include "core/deliver.h"
#include "answer/domain.h"
#include "port/guard.h"
#include "answer/lease.h"

#define RA_HOP_LIMIT 64	  /* the hop limit of the endpoint's packets */
#define RA_MANAGED 0x80	  /* addresses by DHCPv6 */
#define RA_ON_LINK 0x80	  /* on-link, but not for making addresses */
#define RA_MTU_LEAST 1280 /* RFC 8200 section 5 */
#define RA_FOR_EVER 0xffffffffU
#define IPV6_LINK_LOCAL 0xfe800000U

/*
 * Lifetimes in seconds, of the router (RFC 8319) and of names (RFC 8106 section 5.1 asks for at
 * least three of a router's intervals). Advertisements are not repeated unasked, see ra_again().
 */
#define RA_LIFETIME 0xffff

/* Lengths of options are in units of 8 octets. */
struct ra_prefix {
	__u8 type, len, bits, flags;
	__be32 valid, preferred, reserved;
	struct tsw_addr addr;
};

struct ra_mtu {
	__u8 type, len;
	__u16 reserved;
	__be32 mtu;
};

struct ra_names { /* RFC 8106: name servers, or domains to search */
	__u8 type, len;
	__u16 reserved;
	__be32 lifetime;
};

#define RA_MORE 256 /* octets of options; each begins in the first half */

struct ra {
	struct eth eth;
	struct ipv6hdr ip;
	__u8 type, code;
	__u16 check;
	__u8 hop_limit, flags;
	__be16 lifetime; /* 0: no router */
	__be32 reachable, retransmit;
	struct {
		__u8 type, len;
		struct tsw_mac mac;
	} source;
	struct ra_prefix prefix;
	__u8 more[RA_MORE];
} __attribute__((packed, aligned(2)));

#define RA_AT REPLY_QUERY_AT /* after an answer of DHCPv6 that waits in the room */
#define RA_ICMP (offsetof(struct ra, more) - offsetof(struct ra, type))

_Static_assert(sizeof(struct ra) <= REPLY_QUERY + REPLY_TEXT, "its room");

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

static __always_inline struct ra_prefix ra_prefix(const struct tsw_addr *net, __u8 bits)
{
	return (struct ra_prefix){.type = 3,
				  .len = sizeof(struct ra_prefix) / 8,
				  .bits = bits,
				  .flags = RA_ON_LINK,
				  .valid = RA_FOR_EVER,
				  .preferred = RA_FOR_EVER,
				  .addr = *net};
}

static __always_inline void ra_fill(struct ra *ra, const struct lease *l)
{
	struct tsw_addr net = addr_network(&l->ip, l->len);

	ra->type = ND_ROUTER_ADVERT;
	ra->hop_limit = RA_HOP_LIMIT;
	ra->flags = RA_MANAGED;
	ra->lifetime = l->router ? bpf_htons(RA_LIFETIME) : 0;
	ra->source.type = 1;
	ra->source.len = 1;
	ra->source.mac = l->mac;
	ra->prefix = ra_prefix(&net, l->len);
}

/* Adds a piece at *at. */
static __always_inline void ra_put(struct ra *ra, __u64 *at, const void *piece, __u32 size)
{
	__u64 to = *at & (RA_MORE / 2 - 1);

	TSW_KEEP(to);
	__builtin_memcpy(ra->more + to, piece, size);
	*at += size;
}

/* DNSSL: the domain, with zeros up to a whole unit. */
static __noinline __u64 ra_put_domain(struct ra *ra, __u64 at, __u32 tenant)
{
	struct tsw_domain *domain = dns_domain(tenant);
	struct ra_names names = {.type = 31, .lifetime = bpf_htonl(RA_LIFETIME)};
	__u32 len;

	if (!domain)
		return at;
	len = (sizeof(names) + domain->len + 1 + 7) / 8;
	names.len = len;
	ra_put(ra, &at, &names, sizeof(names));
	ra_put(ra, &at, domain->wire, sizeof(domain->wire));
	return at + len * 8 - sizeof(names) - sizeof(domain->wire);
}

/*
 * Fills in the optional parts. Returns their length; the room after them is zero.
 *
 * Without a router, the server for names may be in no network of the endpoint. So it is announced
 * as on-link, and each stack makes a route to it. Linux ignores announced routes (RFC 4191) by
 * default. With 128 bits dhcpcd 9 would make an address of its own of it.
 */
#define RA_SERVICE_BITS 127

static __always_inline __u64 ra_fill_more(struct ra *ra, __u32 tenant, const struct lease *l)
{
	struct ra_names names = {.type = 25, .len = 3, .lifetime = bpf_htonl(RA_LIFETIME)};
	__u64 at = 0;

	if (l->mtu >= RA_MTU_LEAST) {
		struct ra_mtu mtu = {.type = 5, .len = 1, .mtu = bpf_htonl(l->mtu)};

		ra_put(ra, &at, &mtu, sizeof(mtu));
	}
	if (!l->dns)
		return at;
	if (!l->router) {
		struct tsw_addr net = addr_network(&l->server, RA_SERVICE_BITS);
		struct ra_prefix service = ra_prefix(&net, RA_SERVICE_BITS);

		ra_put(ra, &at, &service, sizeof(service));
	}
	ra_put(ra, &at, &names, sizeof(names));
	ra_put(ra, &at, &l->server, sizeof(l->server));
	return ra_put_domain(ra, at, tenant);
}

/*
 * Turns the frame into an advertisement of the lease in the room. It goes to the asker, or to all
 * nodes if the asker has no address. Global, so that the verifier goes through it once.
 */
__noinline int tsw_ra_write(struct __sk_buff *skb, const struct tsw_addr *asker)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct lease *l = reply_at(REPLY_LEASE);
	struct ra *ra = reply_at(RA_AT);
	struct tsw_addr from, to;
	__u32 sum, len;

	if (!port || !l || !ra || !asker)
		return drop(TSW_DROP_INTERNAL);
	from = addr_link_local(&l->mac);
	to = *asker;
	*ra = (struct ra){.eth = {.dst = port->mac, .src = l->mac, .type = bpf_htons(ETH_P_IPV6)}};
	if (addr_is_zero(&to)) {
		to = (struct tsw_addr){{bpf_htonl(0xff020000), 0, 0, bpf_htonl(1)}};
		ra->eth.dst = (struct tsw_mac){{0x33, 0x33, 0, 0, 0, 1}};
	}
	ra_fill(ra, l);
	len = (RA_ICMP + ra_fill_more(ra, port->tenant, l)) & 0x1fc;
	ra->ip.version = 6;
	ra->ip.payload_len = bpf_htons(len);
	ra->ip.nexthdr = IPPROTO_ICMPV6;
	ra->ip.hop_limit = 255; /* RFC 4861 section 4.2 */
	__builtin_memcpy(&ra->ip.saddr, &from, sizeof(from));
	__builtin_memcpy(&ra->ip.daddr, &to, sizeof(to));
	sum = ipv6_pseudo_sum(&from, &to, len, IPPROTO_ICMPV6);
	ra->check = csum_fold(bpf_csum_diff(NULL, 0, (void *)&ra->type, len, sum));
	return reply_write(skb, ra, offsetof(struct ra, type) + len);
}

/*
 * Answers a solicitation. NEXT: it goes on to the others like any frame, because the tenant may
 * have a router.
 */
static __always_inline int ra_step(struct __sk_buff *skb, const struct tsw_config *cfg,
				   const struct tsw_port *port, const struct tsw_addr *asker)
{
	struct lease *lease = reply_at(REPLY_LEASE);
	bool known;
	int verdict;

	if (!lease || !reply_claim())
		return drop(TSW_DROP_INTERNAL);
	known = tsw_lease(skb, TSW_IPV6, lease);
	verdict = known ? tsw_ra_write(skb, asker) : NEXT;
	reply_release();
	return known && verdict == NEXT ? deliver_answer(skb, cfg, port->tenant, skb->ifindex)
					: verdict;
}

/*
 * Sends an advertisement as a copy to the port. It uses up the frame's content. With never-default
 * it also withdraws the router that an earlier advertisement gave.
 */
static __noinline void ra_beside(struct __sk_buff *skb, const struct tsw_config *cfg,
				 const struct tsw_port *port, const struct tsw_addr *asker,
				 const struct lease *lease)
{
	if ((!lease->routed && !lease->dns) || tsw_ra_write(skb, asker) != NEXT)
		return;
	if (port->flags & TSW_PORT_MACS)
		tsw_inner_to(skb, skb->ifindex);
	stamp_set(skb, cfg, port->tenant, skb->ifindex);
	bpf_clone_redirect(skb, skb->ifindex, port_way(port));
	stamp_forget(skb); /* the frame itself may go into the container unchanged */
}

/*
 * Repeats the advertisement, because nothing runs that would do so before it expires.
 *
 * A node that has a router asks for that neighbour now and then, whoever answers (RFC 4861 section
 * 7.3.3), and then gets the advertisement, too. A node without a router asks for the DNS server's
 * address instead. A node that hears from its router all the time does not ask. It gets the
 * advertisement when it renews its address, see dhcp6_send().
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
