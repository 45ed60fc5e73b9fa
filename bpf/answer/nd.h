/* SPDX-License-Identifier: GPL-2.0-only */
/* Neighbour discovery (RFC 4861, 4862): what a port may claim, and answers at the port. */
#ifndef TSW_BPF_ANSWER_ND_H
#define TSW_BPF_ANSWER_ND_H

#include "core/checksum.h"
#include "core/deliver.h"
#include "port/guard.h"
#include "answer/ra.h"

#define ND_OPT_SOURCE_LLADDR 1
#define ND_OPT_TARGET_LLADDR 2
#define ND_OPTIONS 12 /* options read of one message; a message with more is dropped */
#define ND_HOP_LIMIT 255

/* Neighbour solicitation and advertisement are alike up to the options. */
struct nd {
	__u8 type, code;
	__be16 check;
	__be32 flags;
	struct tsw_addr target;
};

struct nd_lladdr {
	__u8 type, len; /* len in units of 8 octets */
	struct tsw_mac mac;
};

static __always_inline bool nd_is(__u8 type)
{
	return type >= ND_ROUTER_SOLICIT && type <= ND_REDIRECT;
}

/* Offset of the options from the ICMPv6 header; 0: this type's options are not checked. */
static __always_inline __u32 nd_options_at(__u8 type)
{
	switch (type) {
	case ND_ROUTER_SOLICIT:
		return 8;
	case ND_ROUTER_ADVERT:
		return 16;
	case ND_NEIGHBOUR_SOLICIT:
	case ND_NEIGHBOUR_ADVERT:
		return sizeof(struct nd);
	case ND_REDIRECT:
		return sizeof(struct nd) + sizeof(struct tsw_addr);
	default:
		return 0;
	}
}

/* Every link-layer address in the message must be the port's. */
static __always_inline int nd_guard_options(struct __sk_buff *skb, const struct tsw_port *port,
					    const struct frame *f, __u8 type)
{
	__u32 off = nd_options_at(type);
	struct nd_lladdr opt;

	if (!off)
		return NEXT;
	off += f->l4;
	for (int i = 0; i <= ND_OPTIONS; i++) {
		if (off + sizeof(opt) > f->end || bpf_skb_load_bytes(skb, off, &opt, sizeof(opt)))
			return NEXT; /* the end: an option has at least 8 octets */
		if (!opt.len || i == ND_OPTIONS)
			return drop(TSW_DROP_TRUNCATED);
		if ((opt.type == ND_OPT_SOURCE_LLADDR || opt.type == ND_OPT_TARGET_LLADDR) &&
		    !mac_equal(&opt.mac, &port->mac))
			return drop(TSW_DROP_SPOOFED_MAC);
		off += opt.len * 8;
	}
	return drop(TSW_DROP_TRUNCATED);
}

struct nd_reply {
	struct eth eth;
	struct ipv6hdr ip;
	struct nd nd;
	struct nd_lladdr lladdr;
} __attribute__((packed, aligned(2)));

static __always_inline void nd_reply_fill(struct nd_reply *r, const struct tsw_addr *asker,
					  const struct tsw_mac *asker_mac,
					  const struct tsw_addr *target,
					  const struct tsw_mac *owner)
{
	const __u16 len = sizeof(r->nd) + sizeof(r->lladdr);
	/*
	 * The answer goes to the asker, or to all nodes for duplicate address detection (RFC 4861
	 * 7.2.4).
	 */
	bool solicited = !addr_is_zero(asker);
	struct tsw_addr to = *asker;
	struct tsw_mac to_mac = *asker_mac;
	__u32 sum;

	if (!solicited) {
		to = (struct tsw_addr){{bpf_htonl(0xff020000), 0, 0, bpf_htonl(1)}};
		to_mac = (struct tsw_mac){{0x33, 0x33, 0, 0, 0, 1}};
	}
	r->eth = (struct eth){.dst = to_mac, .src = *owner, .type = bpf_htons(ETH_P_IPV6)};
	r->ip.version = 6;
	r->ip.payload_len = bpf_htons(len);
	r->ip.nexthdr = IPPROTO_ICMPV6;
	r->ip.hop_limit = ND_HOP_LIMIT;
	r->nd.type = ND_NEIGHBOUR_ADVERT;
	r->nd.flags = bpf_htonl(solicited ? 0x60000000 : 0x20000000); /* S, O */
	r->nd.target = *target;
	r->lladdr = (struct nd_lladdr){.type = ND_OPT_TARGET_LLADDR, .len = 1, .mac = *owner};
	sum = ipv6_pseudo_sum(target, &to, len, IPPROTO_ICMPV6);
	__builtin_memcpy(&r->ip.saddr, target, sizeof(*target));
	__builtin_memcpy(&r->ip.daddr, &to, sizeof(to));
	/* The two parts are contiguous; the stack copy is packed, so sum them as bytes. */
	r->nd.check = csum_fold(bpf_csum_diff(NULL, 0, (void *)&r->nd, len, sum));
}

/* Turns the frame into the answer to that address and MAC. */
static __noinline int nd_write(struct __sk_buff *skb, const struct tsw_addr *asker,
			       const struct tsw_mac *asker_mac, const struct tsw_addr *target,
			       const struct tsw_mac *owner)
{
	struct nd_reply reply = {};

	nd_reply_fill(&reply, asker, asker_mac, target, owner);
	if (bpf_skb_change_tail(skb, sizeof(reply), 0) ||
	    bpf_skb_store_bytes(skb, 0, &reply, sizeof(reply), BPF_F_INVALIDATE_HASH))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

static __always_inline int nd_reply(struct __sk_buff *skb, const struct tsw_config *cfg,
				    const struct tsw_port *port, const struct frame *f,
				    const struct nd *nd, const struct tsw_mac *owner)
{
	int verdict = nd_write(skb, &f->src, &port->mac, &nd->target, owner);

	return verdict == NEXT ? deliver_answer(skb, cfg, port->tenant, skb->ifindex) : verdict;
}

/*
 * Nobody has the address that is asked for. Duplicate address detection claims a link-local one, if
 * the port may have it: of two that claim the same, the first one gets it.
 */
static __always_inline int nd_claim(const struct tsw_port *port, const struct frame *f,
				    const struct tsw_addr *target)
{
	if (!addr_is_zero(&f->src) || !binding_may_be(target))
		return NEXT;
	return guard_owns(port, target) ? NEXT : drop(TSW_DROP_SPOOFED_IP);
}

/* Like arp_step(), for IPv6. */
static __noinline int nd_step(struct __sk_buff *skb, const struct tsw_config *cfg,
			      const struct tsw_port *port, const struct frame *f)
{
	struct tsw_mac owner;
	struct nd nd = {};
	int verdict;

	if (upper_read(skb, f, 0, &nd.type, sizeof(nd.type)))
		return drop(TSW_DROP_TRUNCATED);
	if (!nd_is(nd.type))
		return NEXT;
	/* The whole message, with its options, see frame_read(). */
	if (bpf_skb_pull_data(skb, skb->len))
		return drop(TSW_DROP_INTERNAL);
	verdict = nd_guard_options(skb, port, f, nd.type);
	if (verdict == NEXT && (nd.type == ND_ROUTER_ADVERT || nd.type == ND_REDIRECT))
		return guard_server(port);
	if (verdict == NEXT && nd.type == ND_ROUTER_SOLICIT && f->hop_limit == ND_HOP_LIMIT)
		return ra_step(skb, cfg, port, &f->src);
	if (verdict != NEXT || (nd.type != ND_NEIGHBOUR_SOLICIT && nd.type != ND_NEIGHBOUR_ADVERT))
		return verdict;
	if (upper_read(skb, f, 0, &nd, sizeof(nd)))
		return drop(TSW_DROP_TRUNCATED);
	if (addr_is_v4mapped(&nd.target))
		return drop(TSW_DROP_SPOOFED_IP);
	if (nd.type == ND_NEIGHBOUR_ADVERT)
		return guard_owns(port, &nd.target) ? NEXT : drop(TSW_DROP_SPOOFED_IP);
	/*
	 * With a hop limit other than 255 it is invalid (RFC 4861 section 7.1.1). The receiver
	 * drops it.
	 */
	if (f->hop_limit != ND_HOP_LIMIT)
		return NEXT;
	if (!addr_owner(port->tenant, &nd.target, &owner) &&
	    !service_owner(port, &nd.target, &owner) &&
	    !binding_owner(port->tenant, &nd.target, &owner))
		return nd_claim(port, f, &nd.target);
	if (mac_equal(&owner, &port->mac) || mac_is_zero(&owner))
		return NEXT;
	if (port->flags & TSW_PORT_VIP && addr_is_zero(&f->src) && vip_may_probe(port, &nd.target))
		return NEXT;
	ra_again(skb, cfg, port, &f->src, &owner);
	return nd_reply(skb, cfg, port, f, &nd, &owner);
}

#endif
