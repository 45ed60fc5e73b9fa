/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DHCPv6 (RFC 8415), answered at the port like DHCP: the endpoint's first IPv6 address, for as long
 * as the command gives it. Its options cannot be padded, so an answer is put together piece by
 * piece.
 */
#ifndef TSW_BPF_ANSWER_DHCP6_H
#define TSW_BPF_ANSWER_DHCP6_H

#include "answer/boot.h"
#include "answer/dhcp6_read.h"
#include "answer/domain.h"
#include "answer/lease.h"
#include "answer/ra.h"
#include "answer/reply.h"
#include "core/inner.h"

#define DHCP6_LEASE 3600 /* seconds */
#define DHCP6_AT (ETH_HLEN + sizeof(struct ipv6hdr) + sizeof(struct udphdr))
#define DHCP6_ROOM 512 /* octets of the answer's message; each piece begins in the first half */

#define DHCP6_SUM 0x1fc /* octets of the datagram that are summed at most */
#define DHCP6_SUMMED (DHCP6_SUM - sizeof(struct udphdr)) /* of its message */

struct dhcp6_status {
	struct dhcp6_head head;
	__be16 code;
} __attribute__((packed, aligned(2)));

struct dhcp6_reply {
	__u16 pad; /* so that the IP header is aligned */
	struct eth eth;
	struct ipv6hdr ip;
	struct udphdr udp;
	__u8 message[DHCP6_ROOM];
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct dhcp6_reply) <= REPLY_ROOM, "its room");

/* The longest message, up to the domain. */
#define DHCP6_MOST                                                                               \
	(4 + sizeof(struct dhcp6_server) + sizeof(struct dhcp6_head) + sizeof(struct dhcp6_ia) + \
	 2 * sizeof(struct dhcp6_addr) + sizeof(struct dhcp6_head) + sizeof(struct tsw_addr) +   \
	 sizeof(struct dhcp6_head) + DHCP6_ID_MAX + sizeof(struct dhcp6_head))

_Static_assert(DHCP6_MOST < DHCP6_ROOM / 2, "the last piece begins there");

/*
 * Adds a piece to the message. Its offset is kept in memory, of which the verifier knows nothing.
 * Otherwise it would go through the rest for each possible length.
 */
static __always_inline void dhcp6_put(struct dhcp6_reply *r, struct dhcp6_asked *asked,
				      const void *piece, __u32 size)
{
	volatile __u32 *at = &asked->at;
	__u64 to = *at & (DHCP6_ROOM / 2 - 1);

	TSW_KEEP(to);
	__builtin_memcpy(r->message + to, piece, size);
	*at += size;
}

static __always_inline struct dhcp6_head dhcp6_head(__u16 code, __u32 len)
{
	return (struct dhcp6_head){bpf_htons(code), bpf_htons(len)};
}

static __always_inline void dhcp6_put_addr(struct dhcp6_reply *r, struct dhcp6_asked *asked,
					   const struct tsw_addr *addr, __u32 seconds)
{
	struct dhcp6_addr it = {.head = dhcp6_head(DHCP6_O_ADDR, sizeof(it) - sizeof(it.head)),
				.addr = *addr,
				.preferred = bpf_htonl(seconds),
				.valid = bpf_htonl(seconds)};

	dhcp6_put(r, asked, &it, sizeof(it));
}

/*
 * Puts in the endpoint's address. An address that the client had before gets a lifetime of 0:
 * section 18.3.4.
 */
static __noinline void dhcp6_put_ia(struct dhcp6_reply *r, struct dhcp6_asked *asked,
				    const struct lease *l)
{
	bool over = asked->type != DHCP6_SOLICIT && !addr_is_zero(&asked->had) &&
		    !addr_equal(&asked->had, &l->ip);
	__u32 addrs = over ? 2 : 1;
	struct dhcp6_ia ia = {.head = dhcp6_head(DHCP6_O_IA_NA,
						 sizeof(ia) - sizeof(ia.head) +
							 addrs * sizeof(struct dhcp6_addr)),
			      .id = asked->iaid,
			      .renew = bpf_htonl(DHCP6_LEASE / 2),
			      .rebind = bpf_htonl(DHCP6_LEASE / 5 * 4)};

	dhcp6_put(r, asked, &ia, sizeof(ia));
	dhcp6_put_addr(r, asked, &l->ip, DHCP6_LEASE);
	if (over)
		dhcp6_put_addr(r, asked, &asked->had, 0);
}

static __always_inline void dhcp6_put_status(struct dhcp6_reply *r, struct dhcp6_asked *asked,
					     __u16 code)
{
	struct dhcp6_status it = {.head = dhcp6_head(DHCP6_O_STATUS, sizeof(it.code)),
				  .code = bpf_htons(code)};

	dhcp6_put(r, asked, &it, sizeof(it));
}

/* Puts in the boot file's URL (RFC 5970), if there is room behind the last piece. */
static __always_inline void dhcp6_put_boot(struct dhcp6_asked *asked, __u32 tenant)
{
	struct tsw_boot *boot = boot_get(tenant, TSW_IPV6);
	struct reply_add what = {.at = offsetof(struct dhcp6_reply, message) + asked->at};

	if (!boot || asked->at + boot->len[TSW_IPV6] > DHCP6_SUMMED)
		return;
	what.from = boot->option[TSW_IPV6];
	reply_add(&what, boot->len[TSW_IPV6]);
	asked->at += boot->len[TSW_IPV6];
}

/* Puts in the domain to search for names. It is the last piece, see DHCP6_MOST. */
static __noinline void dhcp6_put_domain(struct dhcp6_reply *r, struct dhcp6_asked *asked,
					__u32 tenant)
{
	struct tsw_domain *domain = dns_domain(tenant);
	struct dhcp6_head head;

	if (!domain)
		return;
	head = dhcp6_head(DHCP6_O_SEARCH, domain->len + 1);
	dhcp6_put(r, asked, &head, sizeof(head));
	dhcp6_put(r, asked, domain->wire, sizeof(domain->wire));
	asked->at += domain->len + 1 - sizeof(domain->wire);
}

/* Fills in everything but the client's id and the domain. The room after it is zero. */
static __always_inline void dhcp6_fill(struct dhcp6_reply *r, struct dhcp6_asked *asked,
				       const struct lease *l)
{
	bool rapid = asked->type == DHCP6_SOLICIT && asked->rapid;
	__u32 type = asked->type == DHCP6_SOLICIT && !rapid ? DHCP6_ADVERTISE : DHCP6_REPLY;
	__be32 head = bpf_htonl(type << 24) | (asked->head & bpf_htonl(0xffffff));
	struct dhcp6_server server = {.head = dhcp6_head(DHCP6_O_SERVER,
							 sizeof(server) - sizeof(server.head)),
				      .type = bpf_htons(3),
				      .hardware = bpf_htons(1),
				      .mac = l->mac};

	__builtin_memset(r->message, 0, sizeof(r->message));
	dhcp6_put(r, asked, &head, sizeof(head));
	dhcp6_put(r, asked, &server, sizeof(server));
	if (rapid) {
		struct dhcp6_head option = dhcp6_head(DHCP6_O_RAPID, 0);

		dhcp6_put(r, asked, &option, sizeof(option));
	}
	if (asked->type == DHCP6_CONFIRM)
		dhcp6_put_status(r, asked, addr_equal(&asked->had, &l->ip) ? 0 : DHCP6_NOT_ON_LINK);
	else if (asked->type == DHCP6_RELEASE || asked->type == DHCP6_DECLINE)
		dhcp6_put_status(r, asked, 0);
	else if (asked->ia)
		dhcp6_put_ia(r, asked, l);
	if (l->dns) {
		struct dhcp6_head option = dhcp6_head(DHCP6_O_DNS, sizeof(l->server));

		dhcp6_put(r, asked, &option, sizeof(option));
		dhcp6_put(r, asked, &l->server, sizeof(l->server));
	}
}

/* Writes the headers and the checksum. len: of the message. */
static __always_inline void dhcp6_wrap(struct dhcp6_reply *r, const struct tsw_port *port,
				       const struct tsw_addr *to, const struct lease *l, __u32 len)
{
	struct tsw_addr from = addr_link_local(&l->mac), dst = *to;
	__u32 udp_len = sizeof(r->udp) + len, sum, octets = (udp_len + 3) & DHCP6_SUM;

	r->eth = (struct eth){.dst = port->mac, .src = l->mac, .type = bpf_htons(ETH_P_IPV6)};
	r->ip = (struct ipv6hdr){.version = 6,
				 .payload_len = bpf_htons(udp_len),
				 .nexthdr = IPPROTO_UDP,
				 .hop_limit = RA_HOP_LIMIT};
	__builtin_memcpy(&r->ip.saddr, &from, sizeof(from));
	__builtin_memcpy(&r->ip.daddr, &dst, sizeof(dst));
	r->udp = (struct udphdr){.source = bpf_htons(DHCP6_SERVER_PORT),
				 .dest = bpf_htons(DHCP6_CLIENT_PORT),
				 .len = bpf_htons(udp_len)};
	sum = ipv6_pseudo_sum(&from, &dst, udp_len, IPPROTO_UDP);
	r->udp.check = csum_fold(bpf_csum_diff(NULL, 0, (void *)&r->udp, octets, sum)) ?: 0xffff;
}

/* Puts in the client's id as it came. */
static __always_inline int dhcp6_put_id(struct __sk_buff *skb, struct dhcp6_reply *r,
					struct dhcp6_asked *asked)
{
	__u64 at, len = asked->id_len;
	struct dhcp6_head head = dhcp6_head(DHCP6_O_CLIENT, len);

	dhcp6_put(r, asked, &head, sizeof(head));
	at = asked->at & (DHCP6_ROOM / 2 - 1);
	TSW_KEEP(at);
	if (reply_copy(skb, asked->id, r->message + at, len, DHCP6_ID_MAX))
		return drop(TSW_DROP_TRUNCATED);
	asked->at += len & 0xff;
	return NEXT;
}

/* Puts the answer into the room. Returns its length, or a drop reason. */
static __noinline int dhcp6_reply(struct __sk_buff *skb, const struct tsw_port *port,
				  const struct tsw_addr *to, struct dhcp6_asked *asked,
				  const struct lease *l)
{
	struct dhcp6_reply *r = reply_room();

	if (!r)
		return drop(TSW_DROP_INTERNAL);
	dhcp6_fill(r, asked, l);
	if (asked->id_len && dhcp6_put_id(skb, r, asked) != NEXT)
		return drop(TSW_DROP_TRUNCATED);
	if (l->dns)
		dhcp6_put_domain(r, asked, port->tenant);
	dhcp6_put_boot(asked, port->tenant);
	dhcp6_wrap(r, port, to, l, asked->at);
	return DHCP6_AT + asked->at;
}

/* Sends the answer. A client that renews gets the router's advertisement before it. */
static __always_inline int dhcp6_send(struct __sk_buff *skb, const struct tsw_port *port,
				      const struct tsw_addr *to, struct dhcp6_asked *asked,
				      const struct lease *l)
{
	void *reply = reply_at(offsetof(struct dhcp6_reply, eth));
	int len = dhcp6_reply(skb, port, to, asked, l);
	struct tsw_config *cfg = config_get();

	if (len < 0 || !reply || !cfg)
		return len < 0 ? len : drop(TSW_DROP_INTERNAL);
	if (asked->type == DHCP6_RENEW || asked->type == DHCP6_REBIND)
		ra_beside(skb, cfg, port, to, l);
	return reply_send(skb, cfg, port, reply, len);
}

/*
 * Would the answer go to a MAC behind the port? A lease is for the endpoint itself: all behind the
 * port would get the same address. DHCP tells by the MAC in a request, which DHCPv6 does not have.
 */
static __noinline bool dhcp6_is_inner(const struct tsw_port *port, const struct tsw_addr *client)
{
	const struct tsw_fdb_key who = {.tenant = port->tenant, .mac = port->mac};
	struct tsw_inner *inner = inner_get(&who);
	__u64 word;

	return inner && inner_find(inner, client, &word) && word != inner_word(&port->mac);
}

/* Like tsw_dhcp(). */
__noinline int tsw_dhcp6(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct dhcp6_walk w = {.skb = skb, .asked = reply_at(REPLY_ASKED)};
	struct lease *lease = reply_at(REPLY_LEASE);
	struct tsw_addr to;
	int verdict;

	if (!port || !f || !lease || !w.asked)
		return drop(TSW_DROP_INTERNAL);
	if (!tsw_lease(skb, TSW_IPV6, lease))
		return NEXT;
	to = f->dst;
	if (!dhcp6_is_for_all(&to))
		return NEXT;
	if (port->flags & TSW_PORT_MACS && dhcp6_is_inner(port, &f->src))
		return drop(TSW_DROP_SPOOFED_MAC);
	to = f->src;
	w.server = lease->mac;
	*w.asked = (struct dhcp6_asked){};
	verdict = dhcp6_read(skb, f, &w);
	if (verdict)
		return verdict;
	if (w.asked->type == DHCP6_CONFIRM && addr_is_zero(&w.asked->had))
		return CONSUMED; /* section 18.3.3 */
	return w.asked->of_another ? NEXT : dhcp6_send(skb, port, &to, w.asked, lease);
}

#endif
