/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DHCP (RFC 2131, RFC 2132), answered at the asking port like ARP. No server runs, no request
 * leaves the port, and nobody else can answer. The command gives an endpoint its address, and this
 * answer tells it, as often as it asks. So no leases are stored.
 */
#ifndef TSW_BPF_ANSWER_DHCP_H
#define TSW_BPF_ANSWER_DHCP_H

#include "answer/dhcp_options.h"

struct dhcp_reply {
	__u16 pad; /* so that the IP header is aligned */
	struct eth eth;
	struct iphdr ip;
	struct udphdr udp;
	struct dhcp dhcp;
	struct dhcp_options options;
} __attribute__((packed, aligned(4)));

#define DHCP_FRAME (sizeof(struct dhcp_reply) - offsetof(struct dhcp_reply, eth))
#define DHCP_UDP (sizeof(struct dhcp_reply) - offsetof(struct dhcp_reply, udp))

_Static_assert(sizeof(struct dhcp_reply) <= REPLY_ROOM, "its room");
_Static_assert(DHCP_ID_AT == offsetof(struct dhcp_reply, options.id), "where options are added");
_Static_assert(DHCP_UDP % 4 == 0, "bpf_csum_diff() sums words");
_Static_assert(DHCP_FRAME <= ETH_HLEN + 576, "what every client takes: RFC 2131 section 2");

/* RFC 2131 section 4.3.2: which of its four states a client asks from, and is it right? */
static __always_inline int dhcp_request(const struct dhcp_asked *asked, const struct lease *l)
{
	__be32 ip = asked->wanted ?: asked->ciaddr;

	if (asked->server && asked->server != dhcp_server(l))
		return 0; /* it has taken another server's offer */
	if (!ip)
		return drop(TSW_DROP_TRUNCATED);
	return ip == l->ip.w[3] ? DHCP_ACK : DHCP_NAK;
}

/* The type of the answer. 0: no answer is due; negative: a drop reason. */
static __always_inline int dhcp_answer(const struct dhcp_asked *asked, const struct lease *l)
{
	switch (asked->type) {
	case DHCP_DISCOVER:
		return DHCP_OFFER;
	case DHCP_REQUEST:
		return dhcp_request(asked, l);
	case DHCP_INFORM:
		return DHCP_ACK;
	case DHCP_DECLINE:
	case DHCP_RELEASE:
		return 0; /* the address stays; only the command gives and takes it */
	default:
		return drop(TSW_DROP_TRUNCATED);
	}
}

static __always_inline void dhcp_fill(struct dhcp_reply *r, const struct tsw_port *port,
				      const struct dhcp_asked *asked, const struct lease *l,
				      __u8 type)
{
	r->dhcp = (struct dhcp){.op = BOOT_REPLY,
				.hw_type = 1,
				.hw_len = TSW_MAC_LEN,
				.xid = asked->xid,
				.flags = asked->flags,
				.cookie = bpf_htonl(DHCP_COOKIE)};
	r->options = (struct dhcp_options){.type = {DHCP_O_TYPE, 1, type}, .end = DHCP_O_END};
	dhcp_say(&r->options.server, DHCP_O_SERVER, dhcp_server(l));
	if (type == DHCP_NAK)
		return;
	r->dhcp.ciaddr = asked->ciaddr;
	if (asked->type != DHCP_INFORM)
		r->dhcp.yiaddr = l->ip.w[3];
	dhcp_say_all(&r->options, port, asked, l);
}

/* The address that the answer goes to: RFC 2131 section 4.1. */
static __always_inline __be32 dhcp_to(const struct dhcp_asked *asked, const struct lease *l,
				      __be32 from, __u8 type)
{
	if (type == DHCP_NAK)
		return ~0U;
	if (asked->type == DHCP_INFORM)
		return from ?: ~0U;
	if (asked->ciaddr)
		return asked->ciaddr;
	return asked->flags & bpf_htons(DHCP_BROADCAST) ? ~0U : l->ip.w[3];
}

/* Writes the headers and all checksums. */
static __always_inline void dhcp_wrap(struct dhcp_reply *r, const struct tsw_port *port,
				      const struct lease *l, __be32 to)
{
	__be32 pseudo[3] = {dhcp_server(l), to, bpf_htonl(IPPROTO_UDP << 16 | DHCP_UDP)};
	void *udp = &r->udp;
	__u32 sum;

	r->dhcp.mac = port->mac;
	r->eth = (struct eth){.dst = port->mac, .src = l->mac, .type = bpf_htons(ETH_P_IP)};
	if (to == ~0U)
		__builtin_memset(&r->eth.dst, 0xff, sizeof(r->eth.dst));
	r->ip = (struct iphdr){.version = 4,
			       .ihl = sizeof(r->ip) / 4,
			       .tot_len = bpf_htons(sizeof(r->ip) + DHCP_UDP),
			       .ttl = DHCP_TTL,
			       .protocol = IPPROTO_UDP,
			       .saddr = dhcp_server(l),
			       .daddr = to};
	r->ip.check = ipv4_csum(&r->ip);
	r->udp = (struct udphdr){.source = bpf_htons(DHCP_SERVER_PORT),
				 .dest = bpf_htons(DHCP_CLIENT_PORT),
				 .len = bpf_htons(DHCP_UDP)};
	sum = bpf_csum_diff(NULL, 0, pseudo, sizeof(pseudo), 0);
	sum = bpf_csum_diff(NULL, 0, udp, DHCP_UDP / 2 / 4 * 4, sum);
	sum = bpf_csum_diff(NULL, 0, udp + DHCP_UDP / 2 / 4 * 4, DHCP_UDP - DHCP_UDP / 2 / 4 * 4,
			    sum);
	r->udp.check = csum_fold(sum) ?: 0xffff; /* 0 would mean no checksum: RFC 768 */
}

/*
 * Puts the domain and the boot file after the client's id, where the fixed options end. Global, so
 * that the verifier goes through the copying once.
 */
__noinline int tsw_dhcp_more(__u32 tenant, __u32 at)
{
	struct tsw_boot *boot = boot_get(tenant, TSW_IPV4);
	struct tsw_domain *domain = dns_domain(tenant);
	struct dhcp_reply *r = reply_room();

	if (!r)
		return 0;
	if (domain)
		at = dhcp_say_text(&r->options, domain, at);
	if (domain && boot)
		at = dhcp_add_search(&r->options, domain, at);
	else if (domain)
		dhcp_say_search(&r->options, (struct dhcp_file *)r->dhcp.file, domain);
	if (boot)
		dhcp_say_boot(&r->dhcp, boot, at);
	return 0;
}

/* Makes the answer to a request, and sends it back. */
static __noinline int dhcp_reply(struct __sk_buff *skb, const struct tsw_config *cfg,
				 const struct tsw_port *port, const struct dhcp_asked *asked,
				 const struct lease *l)
{
	__u64 id_len = asked->id_len;
	__u32 from = 0;
	struct dhcp_reply *reply = reply_room();
	int type = dhcp_answer(asked, l);

	if (type <= 0 || !reply)
		return type ?: CONSUMED;
	bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, saddr), &from, sizeof(from));
	dhcp_fill(reply, port, asked, l, type);
	/* RFC 6842: the client's id comes back unchanged. */
	if (id_len) {
		reply->options.id[0] = DHCP_O_ID;
		reply->options.id[1] = id_len;
		if (reply_copy(skb, asked->id, &reply->options.id[2], id_len, DHCP_ID_MAX))
			return drop(TSW_DROP_TRUNCATED);
	}
	if (type != DHCP_NAK)
		tsw_dhcp_more(port->tenant, id_len ? id_len + 2 : 0);
	dhcp_wrap(reply, port, l, dhcp_to(asked, l, from, type));
	return reply_send(skb, cfg, port, &reply->eth, DHCP_FRAME);
}

/*
 * A datagram to the server's port. NEXT: it goes on to the others like any frame, because the
 * tenant may have a server. Global, so that the verifier goes through it once.
 */
__noinline int tsw_dhcp(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct tsw_config *cfg = config_get();
	struct dhcp_walk w = {.skb = skb, .asked = reply_at(REPLY_ASKED)};
	struct lease *lease = reply_at(REPLY_LEASE);
	int verdict;

	if (!port || !cfg || !f || !lease || !w.asked)
		return drop(TSW_DROP_INTERNAL);
	if (!tsw_lease(skb, TSW_IPV4, lease) ||
	    (f->dst.w[3] != ~0U && f->dst.w[3] != dhcp_server(lease)))
		return dhcp_guard(port, f);
	*w.asked = (struct dhcp_asked){};
	verdict = dhcp_read(skb, f, port, &w);
	verdict = verdict ?: dhcp_reply(skb, cfg, port, w.asked, lease);
	return verdict == NEXT ? dhcp_guard(port, f) : verdict;
}

#endif
