/* SPDX-License-Identifier: GPL-2.0-only */
/* DNS: writes the answer after the question, record by record, in the room. */
#ifndef TSW_BPF_ANSWER_DNS_RECORDS_H
#define TSW_BPF_ANSWER_DNS_RECORDS_H

#include <linux/tcp.h>
#include <linux/udp.h>

#include "answer/dns_find.h"
#include "answer/lease.h"

#define DNS_ADDRS 8	    /* addresses of a name in an answer: its first ones */
#define DNS_ROOM 576	    /* octets of the message, after the headers */
#define DNS_POINTER 0xc000U /* to an earlier name: RFC 1035 section 4.1.4 */
#define DNS_SELF (DNS_POINTER | sizeof(struct dns_head)) /* to the name in the question */

/* IPv4's headers begin later, so that the rest is always at the same offset. */
struct dns_reply {
	__u16 pad;
	union {
		struct {
			struct eth eth;
			struct ipv6hdr ip;
		} __attribute__((packed, aligned(2))) v6;
		struct {
			__u8 room[sizeof(struct ipv6hdr) - sizeof(struct iphdr)];
			struct eth eth;
			struct iphdr ip;
		} __attribute__((packed, aligned(2))) v4;
	};
	union {
		struct udphdr udp;
		struct tcphdr tcp;
		__be32 words[(sizeof(struct udphdr) + DNS_ROOM) / 4];
	};
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct dns_reply) <= REPLY_ROOM, "its room");

#define DNS_AT (offsetof(struct dns_reply, words) + sizeof(struct udphdr)) /* the message */

struct dns_answer {
	__be16 name, type, class;
	__be32 ttl;
	__be16 len;
} __attribute__((packed));

/* Adds a piece to the message. */
static __always_inline void dns_put(struct dns_asked *asked, const void *piece, __u32 size)
{
	__u8 *message = reply_at(DNS_AT);
	__u64 at = asked->at & 511;

	TSW_KEEP(at);
	if (message)
		__builtin_memcpy(message + at, piece, size);
	asked->at += size;
}

static __always_inline void dns_put_answer(struct dns_asked *asked, __u16 type, __u16 len)
{
	struct dns_answer answer = {.name = bpf_htons(DNS_SELF),
				    .type = bpf_htons(type),
				    .class = bpf_htons(DNS_IN),
				    .len = bpf_htons(len)};

	dns_put(asked, &answer, sizeof(answer));
	asked->answers++;
}

/*
 * The start of authority (RFC 1035 section 3.3.13) comes with each answer that a name does not
 * exist. It tells for how long this holds (RFC 2308 section 3): for this moment, like all answers.
 * Nobody copies the zone, and mail about it reaches nobody, so both names in it are the root.
 */
struct dns_soa {
	__be16 server;
	__u8 mailbox;
	__be32 serial, refresh, retry, expire, minimum; /* seconds; the last one counts */
} __attribute__((packed));

static __noinline void dns_put_soa(struct dns_asked *asked)
{
	struct {
		struct dns_answer head;
		struct dns_soa soa;
	} __attribute__((packed)) it = {
		.head = {.name = bpf_htons(DNS_POINTER | asked->zone),
			 .type = bpf_htons(DNS_SOA),
			 .class = bpf_htons(DNS_IN),
			 .len = bpf_htons(sizeof(it.soa))},
		.soa = {.server = bpf_htons(DNS_POINTER | asked->zone),
			.serial = bpf_htonl(1),
			.refresh = bpf_htonl(3600),
			.retry = bpf_htonl(600),
			.expire = bpf_htonl(86400)},
	};

	dns_put(asked, &it, sizeof(it));
}

/* An address's zone begins after its first number, since its network has the same zone. */
static __always_inline void dns_zone_of_addr(struct dns_asked *asked)
{
	__u8 *query = reply_at(REPLY_QUERY_AT);

	if (query)
		asked->zone = sizeof(struct dns_head) + 1 + query[sizeof(struct dns_head)];
}

/* The domain is the end of the name in question, or the whole name. */
static __always_inline void dns_zone_of_name(struct dns_asked *asked,
					     const struct tsw_domain *domain)
{
	asked->zone = sizeof(struct dns_head) + asked->end - domain->len - 1;
}

struct dns_addrs {
	struct dns_asked *asked;
	struct tsw_addr_key key; /* where in the chain */
	struct tsw_mac mac;
};

static long dns_addr_walk(__u32 i, struct dns_addrs *w)
{
	struct tsw_addr_owner *owner = bpf_map_lookup_elem(&tsw_addrs, &w->key);
	bool v4 = addr_is_v4mapped(&w->key.addr);
	__u16 type = w->asked->type;

	if (!owner || !mac_equal(&owner->mac, &w->mac) || w->asked->answers >= DNS_ADDRS)
		return 1;
	if (v4 && (type == DNS_A || type == DNS_ANY)) {
		dns_put_answer(w->asked, DNS_A, sizeof(__be32));
		dns_put(w->asked, &w->key.addr.w[3], sizeof(__be32));
	} else if (!v4 && !addr_is_link_local(&w->key.addr) &&
		   (type == DNS_AAAA || type == DNS_ANY)) {
		dns_put_answer(w->asked, DNS_AAAA, sizeof(struct tsw_addr));
		dns_put(w->asked, &w->key.addr, sizeof(struct tsw_addr));
	}
	w->key.addr = owner->next;
	return 0;
}

/* Puts in the addresses of an endpoint. For other types there are no records. */
static __noinline void dns_put_addrs(struct dns_asked *asked, __u32 tenant,
				     const struct tsw_endpoint *ep)
{
	struct dns_addrs w = {.asked = asked, .key = {tenant, ep->first}, .mac = ep->mac};

	bpf_loop(LEASE_ADDRS, dns_addr_walk, &w, 0);
}

/* Writes an endpoint's name from its end on. A label's length goes where the label begins. */
struct dns_label {
	struct dns_asked *asked;
	const struct tsw_name *name;
	__u8 *message;
};

static long dns_label_walk(__u32 i, struct dns_label *w)
{
	struct dns_asked *asked = w->asked;
	__u32 from = TSW_NAME_LEN - 1 - i;
	char c = w->name->s[from & (TSW_NAME_LEN - 1)];
	__u64 to = (asked->at + sizeof(struct dns_answer) + 1 + from) & 511;

	if (!c)
		return 0;
	TSW_KEEP(to);
	asked->bad |= c == '.' && !asked->left;
	w->message[to] = c == '.' ? asked->left : c;
	asked->left = c == '.' ? 0 : asked->left + 1;
	asked->digits += 1; /* octets of the name */
	return 0;
}

/* Puts in NAME.DOMAIN. False: it would not be a valid DNS name. */
static __noinline bool dns_put_name(struct dns_asked *asked, const struct tsw_name *name,
				    const struct tsw_domain *domain)
{
	struct dns_label w = {asked, name, reply_at(DNS_AT)};
	__u8 first;

	if (!w.message)
		return false;
	asked->left = asked->digits = 0;
	asked->bad = false;
	bpf_loop(TSW_NAME_LEN, dns_label_walk, &w, 0);
	first = asked->left;
	if (!first || asked->bad)
		return false;
	dns_put_answer(asked, DNS_PTR, 1 + asked->digits + domain->len + 1);
	dns_put(asked, &first, sizeof(first));
	asked->at += asked->digits;
	dns_put(asked, domain->wire, sizeof(domain->wire) / 2);
	dns_put(asked, domain->wire + sizeof(domain->wire) / 2, sizeof(domain->wire) / 2);
	asked->at += domain->len + 1 - sizeof(domain->wire);
	return true;
}

/* Answers a question for an address's name. enum dns_rcode. */
static __noinline int dns_answer_name(struct dns_asked *asked, __u32 tenant,
				      const struct tsw_domain *domain)
{
	struct tsw_name *name = dns_owner(tenant, &asked->addr);

	dns_zone_of_addr(asked);
	if (!name)
		return dns_is_own(tenant, &asked->addr) ? DNS_NXDOMAIN : DNS_REFUSED;
	if (asked->type != DNS_PTR && asked->type != DNS_ANY)
		return 0;
	return dns_put_name(asked, name, domain) ? 0 : DNS_NXDOMAIN;
}

/* The domain itself has a start of authority, and nothing else. */
static __always_inline int dns_answer_domain(struct dns_asked *asked)
{
	if (asked->type != DNS_SOA && asked->type != DNS_ANY)
		return 0;
	dns_put_soa(asked);
	asked->answers++;
	return 0;
}

/* Answers a question for a name's addresses. enum dns_rcode. */
static __noinline int dns_answer_addrs(struct dns_asked *asked, const char *text, __u32 tenant,
				       const struct tsw_domain *domain)
{
	bool plain = asked->labels == 1 && !asked->odd;
	__u32 len = asked->name_len;
	struct tsw_endpoint *ep;

	if (dns_is_in(asked, text, domain)) {
		dns_zone_of_name(asked, domain);
		if (len < domain->len)
			return dns_answer_domain(asked);
		len -= domain->len;
	} else if (!plain)
		return DNS_REFUSED;
	ep = dns_endpoint(tenant, text, len);
	if (!ep)
		return DNS_NXDOMAIN;
	dns_put_addrs(asked, tenant, ep);
	return 0;
}

#endif
