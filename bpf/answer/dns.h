/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DNS (RFC 1035), answered at the asking port: the names of the tenant's own endpoints and of their
 * addresses. They are looked up in the maps by which frames find their way, so they are always
 * current. An answer's time to live is 0.
 */
#ifndef TSW_BPF_ANSWER_DNS_H
#define TSW_BPF_ANSWER_DNS_H

#include "answer/dns_records.h"

#define DNS_SIZE 1232 /* the largest answer that may be sent here: RFC 9715 */
#define DNS_TTL 64    /* of the packet */

/* Copies the question and clears the room after it. 0, or an error. */
static __noinline int dns_begin(struct __sk_buff *skb, const struct frame *f,
				struct dns_asked *asked)
{
	__u8 *message = reply_at(DNS_AT);
	__u64 *room = reply_room();

	if (!message || !room)
		return -1;
	__builtin_memset(room, 0, REPLY_ROOM);
	asked->at = sizeof(struct dns_head) + (asked->end ? asked->end + 4 : 0);
	return reply_copy(skb, f->l4 + sizeof(struct udphdr), message, asked->at,
			  sizeof(struct dns_head) + DNS_QUESTION);
}

/*
 * Is the question one for the world? An endpoint's name of one label has only addresses. With
 * another type it may be a domain of the world, such as `com`.
 */
static __always_inline bool dns_is_of_world(void)
{
	struct dns_asked *asked = reply_at(REPLY_ASKED);

	if (!asked || asked->rcode == DNS_REFUSED)
		return asked;
	return asked->rcode == DNS_NXDOMAIN && asked->labels == 1 && !asked->odd &&
	       asked->type != DNS_A && asked->type != DNS_AAAA && asked->type != DNS_ANY;
}

/*
 * Ends the answer: the zone's record for names that do not exist, OPT if the question has one (RFC
 * 6891 section 6.1.1), and the head.
 */
static __always_inline void dns_end(struct dns_asked *asked)
{
	bool known = !asked->rcode || asked->rcode == DNS_NXDOMAIN;
	bool soa = known && asked->zone && !asked->answers;
	__u16 flags = DNS_QR | (known ? DNS_AA : 0) | (asked->rcode & 15);
	__be16 copied = asked->head.flags & bpf_htons(DNS_OPCODE | DNS_RD | DNS_CD);
	struct dns_head *head = reply_at(DNS_AT);
	struct {
		__u8 root;
		struct dns_opt opt;
	} __attribute__((packed)) opt = {
		.opt = {.type = bpf_htons(DNS_OPT),
			.size = bpf_htons(DNS_SIZE),
			.rcode = asked->rcode >> 4},
	};

	if (soa)
		dns_put_soa(asked);
	if (asked->opt)
		dns_put(asked, &opt, sizeof(opt));
	if (head)
		*head = (struct dns_head){.id = asked->head.id,
					  .flags = bpf_htons(flags) | copied,
					  .questions = bpf_htons(asked->end ? 1 : 0),
					  .answers = bpf_htons(asked->answers),
					  .authorities = bpf_htons(soa),
					  .additional = bpf_htons(asked->opt)};
}

/* ---- the packet -------------------------------------------------------------------- */

/*
 * Writes the headers below the upper layer, back to the asker. Returns the sum of the
 * pseudo-header.
 */
static __always_inline __u32 dns_wrap(struct dns_reply *r, const struct frame *f, __u32 len)
{
	__u8 proto = f->proto;
	struct eth eth = {.dst = f->eth.src, .src = f->eth.dst, .type = f->eth.type};
	struct tsw_addr from = f->dst, to = f->src;
	__be32 pseudo[3] = {from.w[3], to.w[3], bpf_htonl(proto << 16 | len)};

	if (f->eth.type == bpf_htons(ETH_P_IP)) {
		r->v4.eth = eth;
		r->v4.ip = (struct iphdr){.version = 4,
					  .ihl = sizeof(r->v4.ip) / 4,
					  .tot_len = bpf_htons(sizeof(r->v4.ip) + len),
					  .ttl = DNS_TTL,
					  .protocol = proto,
					  .saddr = from.w[3],
					  .daddr = to.w[3]};
		r->v4.ip.check = ipv4_csum(&r->v4.ip);
		return bpf_csum_diff(NULL, 0, pseudo, sizeof(pseudo), 0);
	}
	r->v6.eth = eth;
	r->v6.ip = (struct ipv6hdr){.version = 6,
				    .payload_len = bpf_htons(len),
				    .nexthdr = proto,
				    .hop_limit = DNS_TTL};
	__builtin_memcpy(&r->v6.ip.saddr, &from, sizeof(from));
	__builtin_memcpy(&r->v6.ip.daddr, &to, sizeof(to));
	return ipv6_pseudo_sum(&from, &to, len, proto);
}

/* Sends the room's octets up to asked->at. The rest is zero. */
__noinline int tsw_dns_send(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dns_asked *asked = reply_at(REPLY_ASKED);
	struct tsw_config *cfg = config_get();
	struct dns_reply *r = reply_room();
	__u32 sum, half = sizeof(r->words) / 8 * 4;

	if (!f || !port || !cfg || !r || !asked || asked->at > sizeof(r->words))
		return drop(TSW_DROP_INTERNAL);
	sum = dns_wrap(r, f, asked->at);
	sum = bpf_csum_diff(NULL, 0, r->words, half, sum);
	sum = bpf_csum_diff(NULL, 0, r->words + half / 4, sizeof(r->words) - half, sum);
	if (f->proto == IPPROTO_TCP)
		r->tcp.check = csum_fold(sum);
	else
		r->udp.check = csum_fold(sum) ?: 0xffff; /* 0 would mean no checksum: RFC 768 */
	if (f->eth.type == bpf_htons(ETH_P_IP))
		return reply_send(skb, cfg, port, &r->v4.eth,
				  sizeof(r->v4) - sizeof(r->v4.room) + asked->at);
	return reply_send(skb, cfg, port, &r->v6.eth, sizeof(r->v6) + asked->at);
}

/*
 * A datagram to port 53 of the tenant's resolver, in three steps. Each is global, so that the
 * verifier goes through it once. NEXT: it is not answered here. REDIRECT: the room's content is to
 * be sent. Otherwise a drop reason.
 */
__noinline int tsw_dns_read(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dns_asked *asked = reply_at(REPLY_ASKED);
	int verdict;

	if (!port || !f || !asked)
		return drop(TSW_DROP_INTERNAL);
	if (!dns_domain(port->tenant))
		return NEXT;
	verdict = dns_read(skb, f);
	if (verdict)
		return verdict;
	return dns_begin(skb, f, asked) ? drop(TSW_DROP_INTERNAL) : REDIRECT;
}

__noinline int tsw_dns_answer(struct __sk_buff *skb)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dns_asked *asked = reply_at(REPLY_ASKED);
	char *text = reply_at(REPLY_TEXT_AT);
	struct tsw_domain *domain;

	if (!port || !asked || !text)
		return drop(TSW_DROP_INTERNAL);
	domain = dns_domain(port->tenant);
	if (!domain)
		return drop(TSW_DROP_INTERNAL);
	if (asked->rcode)
		return REDIRECT;
	dns_read_addr(asked, text);
	asked->rcode = asked->is_addr ? dns_answer_name(asked, port->tenant, domain)
				      : dns_answer_addrs(asked, text, port->tenant, domain);
	return REDIRECT;
}

__noinline int tsw_dns_end(struct __sk_buff *skb, const struct frame *f)
{
	struct dns_reply *reply = reply_room();
	struct dns_asked *asked = reply_at(REPLY_ASKED);
	__be16 sport = 0;

	if (!f || !reply || !asked)
		return drop(TSW_DROP_INTERNAL);
	dns_end(asked);
	bpf_skb_load_bytes(skb, f->l4, &sport, sizeof(sport));
	asked->at += sizeof(reply->udp);
	reply->udp = (struct udphdr){
		.source = bpf_htons(DNS_PORT), .dest = sport, .len = bpf_htons(asked->at)};
	return REDIRECT;
}

/* Like these. No answer is too long for UDP, so TCP is refused: RFC 9293 section 3.10.7.1. */
__noinline int tsw_dns_reset(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dns_asked *asked = reply_at(REPLY_ASKED);
	struct dns_reply *r = reply_room();
	struct tcphdr tcp;
	__u32 len;

	if (!port || !f || !r || !asked)
		return drop(TSW_DROP_INTERNAL);
	if (!dns_domain(port->tenant))
		return NEXT;
	if (f->fragment || bpf_skb_load_bytes(skb, f->l4, &tcp, sizeof(tcp)))
		return drop(TSW_DROP_TRUNCATED);
	if (tcp.rst)
		return CONSUMED;
	len = f->end - f->l4 - tcp.doff * 4 + tcp.syn + tcp.fin;
	__builtin_memset(r, 0, sizeof(*r));
	r->tcp = (struct tcphdr){.source = tcp.dest,
				 .dest = tcp.source,
				 .seq = tcp.ack ? tcp.ack_seq : 0,
				 .doff = sizeof(r->tcp) / 4,
				 .rst = 1,
				 .ack = !tcp.ack};
	if (!tcp.ack)
		r->tcp.ack_seq = bpf_htonl(bpf_ntohl(tcp.seq) + len);
	asked->at = sizeof(r->tcp);
	return REDIRECT;
}

#endif
