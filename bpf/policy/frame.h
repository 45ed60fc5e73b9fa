/* SPDX-License-Identifier: GPL-2.0-only */
/* The connection of a frame, and frames that belong to none. */
#ifndef TSW_BPF_POLICY_FRAME_H
#define TSW_BPF_POLICY_FRAME_H

#include "core/icmp.h"
#include "port/guard.h"
#include "policy/conn.h"

#define TCP_LEAST 20 /* octets of its header */
#define ICMP_HEAD 8
#define ND_FIRST 133 /* RFC 4861: solicitations, advertisements, redirect */
#define ND_LAST 137
#define MLD_FIRST 130 /* RFC 2710: query, report, done */
#define MLD_LAST 132
#define MLD2_REPORT 143 /* RFC 3810 */

/* Replies. Except for echo, the question has the type before: RFC 792, 950, 8335, 4443, 4620. */
#define ICMP_TIMESTAMP_REPLY 14
#define ICMP_INFORMATION_REPLY 16
#define ICMP_MASK_REPLY 18
#define ICMP_EXTENDED_REPLY 43
#define ICMP6_NODE_REPLY 140
#define ICMP6_EXTENDED_REPLY 161

struct policy_ports {
	__be16 src, dst;
};

/* Reads ports and flags of TCP, the identifier of an ICMP question, and ports of others. */
static __noinline void policy_read(struct __sk_buff *skb, const struct frame *f,
				   struct policy_work *w)
{
	w->head_len = 0;
	if (!f->l4)
		return;
	if (f->proto == IPPROTO_TCP) {
		if (!upper_read(skb, f, 0, w->head, POLICY_HEAD))
			w->head_len = POLICY_HEAD;
	} else if (frame_is_icmp(f)) {
		if (!upper_read(skb, f, 0, w->head, ICMP_HEAD))
			w->head_len = ICMP_HEAD;
	} else if (f->proto == IPPROTO_UDP || f->proto == IPPROTO_SCTP) {
		if (!upper_read(skb, f, 0, w->head, sizeof(struct policy_ports)))
			w->head_len = sizeof(struct policy_ports);
	}
}

static __always_inline struct policy_ports policy_head_ports(const struct policy_work *w)
{
	struct policy_ports p;

	__builtin_memcpy(&p, w->head, sizeof(p));
	return p;
}

/*
 * Frames that every LAN needs, within it. To and from the world this would be a way around all
 * rules. DHCP: only between its two ports.
 */
static __noinline bool policy_is_free(const struct frame *f, const struct policy_work *w)
{
	const bool v6 = f->eth.type == bpf_htons(ETH_P_IPV6);
	const __be16 client = bpf_htons(v6 ? DHCP6_CLIENT_PORT : DHCP_CLIENT_PORT);
	const __be16 server = bpf_htons(v6 ? DHCP6_SERVER_PORT : DHCP_SERVER_PORT);
	struct policy_ports p;

	if (f->eth.type == bpf_htons(ETH_P_ARP) || f->eth.type == bpf_htons(ETH_P_RARP))
		return true;
	if (w->from.world || (w->to.world && !w->to.own) || !w->head_len)
		return false;
	if (v6 && f->proto == IPPROTO_ICMPV6) {
		const __u8 type = w->head[0];

		return (type >= ND_FIRST && type <= ND_LAST) || type == MLD2_REPORT ||
		       (type >= MLD_FIRST && type <= MLD_LAST);
	}
	if (f->proto != IPPROTO_UDP)
		return false;
	p = policy_head_ports(w);
	return (p.src == client && p.dst == server) || (p.src == server && p.dst == client);
}

/* Puts a packet's two ends in the order of an entry. */
static __always_inline void policy_ends(struct policy_work *w, const struct tsw_addr *src,
					const struct tsw_addr *dst, struct policy_ports p)
{
	struct tsw_policy_conn *c = &w->conn;
	const bool high = policy_is_high(src, dst);

	w->from_high = high;
	c->low = high ? *dst : *src;
	c->high = high ? *src : *dst;
	c->low_port = high ? p.dst : p.src;
	c->high_port = high ? p.src : p.dst;
	c->low_mac = high ? w->to.mac : w->from.mac;
	c->high_mac = high ? w->from.mac : w->to.mac;
}

/* The id of the fragmented packet: RFC 791, RFC 8200 section 4.5. */
static __always_inline int policy_fragment_id(struct __sk_buff *skb, const struct frame *f,
					      __be32 *id)
{
	__be16 id4;

	if (f->eth.type != bpf_htons(ETH_P_IP))
		return bpf_skb_load_bytes(skb, bpf_ntohs(f->fragment) + 4, id, sizeof(*id));
	if (bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, id), &id4, sizeof(id4)))
		return -1;
	*id = id4;
	return 0;
}

/*
 * Does the fragment begin within the first one's TCP header? It might replace the flags (RFC 3128
 * section 1). No link's MTU makes such fragments (RFC 791 section 3.2). IPv6 forbids overlaps (RFC
 * 5722).
 */
static __always_inline bool policy_overlaps(const struct frame *f)
{
	const __u32 offset = bpf_ntohs(f->fragment) & IPV4_OFFSET;

	return f->eth.type == bpf_htons(ETH_P_IP) && offset && offset * 8 < TCP_LEAST;
}

/*
 * A packet's fragments are stored like a connection, in the direction of the first one, which has
 * the ports and is judged. NEXT, or a drop reason.
 */
static __noinline int policy_fragment(struct __sk_buff *skb, const struct frame *f,
				      struct policy_work *w)
{
	struct policy_ports p;
	__be32 id;

	w->proto = w->flags = w->asks = 0;
	if (policy_fragment_id(skb, f, &id) || policy_overlaps(f))
		return drop(TSW_DROP_POLICY_DENIED);
	/* Both orders of the ends are the same here. Only the id matters. */
	p.src = p.dst = 0;
	policy_ends(w, &f->src, &f->dst, p);
	w->conn.low_port = (__u16)id;
	w->conn.high_port = id >> 16;
	w->conn.proto = IPPROTO_FRAGMENT;
	return NEXT;
}

/* The type of the question that a message of this type answers; 0: it is no reply. */
static __always_inline __u8 icmp_question(bool v6, __u8 type)
{
	if (v6)
		return type == ICMPV6_ECHO_REPLY || type == ICMP6_NODE_REPLY ||
				       type == ICMP6_EXTENDED_REPLY
			       ? type - 1
			       : 0;
	if (type == ICMP_ECHOREPLY)
		return ICMP_ECHO;
	return type == ICMP_TIMESTAMP_REPLY || type == ICMP_INFORMATION_REPLY ||
			       type == ICMP_MASK_REPLY || type == ICMP_EXTENDED_REPLY
		       ? type - 1
		       : 0;
}

/*
 * ICMP in place of ports: the asker has the identifier, the answerer the question's type. So only
 * the reply of that type is an answer.
 */
static __noinline void policy_icmp(const __u8 *head, bool v6, struct policy_work *w,
				   struct policy_ports *p)
{
	const __u8 question = icmp_question(v6, head[0]);
	__be16 id;

	__builtin_memcpy(&id, &head[4], sizeof(id));
	w->asks = !question;
	p->src = question ? bpf_htons(question) : id;
	p->dst = question ? id : bpf_htons(head[0]);
}

/* Reads ports, or ICMP's values in their place. Others have none. */
static __noinline int policy_ports(struct __sk_buff *skb, const struct frame *f,
				   struct policy_work *w, struct policy_ports *p)
{
	*p = (struct policy_ports){};
	w->proto = f->proto;
	w->flags = w->asks = 0;
	if (frame_is_icmp(f)) {
		w->proto = IPPROTO_ICMP;
		policy_icmp(w->head, f->eth.type == bpf_htons(ETH_P_IPV6), w, p);
	} else if (f->proto == IPPROTO_ICMP) {
		w->proto = IPPROTO_NONE; /* of IPv6: rules for ICMP do not match it */
		return NEXT;
	} else if (f->proto == IPPROTO_TCP) {
		*p = policy_head_ports(w);
		w->flags = w->head[TCP_FLAGS_AT];
		/* RFC 1858 section 3: the flags must not come in a later fragment. */
		if (f->end < f->l4 + TCP_LEAST)
			return drop(TSW_DROP_TRUNCATED);
	} else if (f->proto == IPPROTO_UDP || f->proto == IPPROTO_SCTP) {
		*p = policy_head_ports(w);
	} else {
		return NEXT;
	}
	return w->head_len ? NEXT : drop(TSW_DROP_TRUNCATED);
}

/* An ICMP error, RFC 792 and RFC 4443 section 2.1. */
static __always_inline bool policy_is_error(const struct frame *f, const struct policy_work *w)
{
	const __u8 type = w->head[0];

	if (!w->head_len || !frame_is_icmp(f))
		return false;
	if (f->proto == IPPROTO_ICMPV6)
		return type < ICMPV6_INFORMATIONAL;
	return type == ICMP_DEST_UNREACH || type == ICMP_SOURCE_QUENCH ||
	       type == ICMP_TIME_EXCEEDED || type == ICMP_PARAMETERPROB;
}

static __always_inline int policy_quote_ip(struct __sk_buff *skb, const struct frame *f,
					   struct policy_quote *q)
{
	const __u32 at = f->l4 + 8; /* RFC 792, RFC 4443: behind the error's own header */
	struct iphdr *ip = &q->ip;

	if (f->proto == IPPROTO_ICMPV6) {
		if (bpf_skb_load_bytes(skb, at + offsetof(struct ipv6hdr, nexthdr), &q->proto, 1) ||
		    bpf_skb_load_bytes(skb, at + offsetof(struct ipv6hdr, saddr), &q->src, 16) ||
		    bpf_skb_load_bytes(skb, at + offsetof(struct ipv6hdr, daddr), &q->dst, 16))
			return -1;
		q->l4 = at + sizeof(struct ipv6hdr);
		return 0;
	}
	if (bpf_skb_load_bytes(skb, at, ip, sizeof(*ip)) || ip->version != 4 || ip->ihl < 5 ||
	    ip->frag_off & bpf_htons(IPV4_OFFSET))
		return -1;
	q->src = addr_from_v4(ip->saddr);
	q->dst = addr_from_v4(ip->daddr);
	q->proto = ip->protocol;
	q->l4 = at + ip->ihl * 4;
	return 0;
}

/*
 * Makes w->conn the connection of the packet that an ICMP error quotes. The error goes to that
 * packet's sender. False: no known connection can be found.
 */
static __noinline bool policy_quoted(struct __sk_buff *skb, const struct frame *f,
				     struct policy_work *w)
{
	struct policy_quote *q = &w->quote;
	struct policy_ports p = {};
	__u8 head[ICMP_HEAD];
	struct tsw_mac mac;

	w->proto = w->flags = w->asks = 0; /* not values of an earlier frame */
	if (policy_quote_ip(skb, f, q) || !addr_equal(&q->src, &f->dst))
		return false;
	if (q->proto == IPPROTO_TCP || q->proto == IPPROTO_UDP || q->proto == IPPROTO_SCTP) {
		if (bpf_skb_load_bytes(skb, q->l4, &p, sizeof(p)))
			return false;
	} else if (q->proto == f->proto) { /* ICMP, of the same family */
		if (bpf_skb_load_bytes(skb, q->l4, head, sizeof(head)))
			return false;
		policy_icmp(head, f->proto == IPPROTO_ICMPV6, w, &p);
		w->asks = false;
	}
	/*
	 * In that packet's direction: from the error's receiver. The error may come from a router
	 * on the way.
	 */
	mac = w->from.mac;
	w->from.mac = w->to.mac;
	w->to.mac = mac;
	policy_ends(w, &q->src, &q->dst, p);
	w->to.mac = w->from.mac;
	w->from.mac = mac;
	w->conn.proto = q->proto;
	return true;
}

#endif
