/* SPDX-License-Identifier: GPL-2.0-only */
/* DHCPv6 (RFC 8415): what a message is, and reading a client's. */
#ifndef TSW_BPF_ANSWER_DHCP6_READ_H
#define TSW_BPF_ANSWER_DHCP6_READ_H

#include "port/guard.h"
#include "answer/reply.h"

#define DHCP6_OPTIONS 32 /* options read of one message; a message with more gets no answer */
#define DHCP6_ID_MAX 130 /* octets of a client's id: RFC 8415 section 11.1 */

enum dhcp6_type {
	DHCP6_SOLICIT = 1,
	DHCP6_ADVERTISE,
	DHCP6_REQUEST,
	DHCP6_CONFIRM,
	DHCP6_RENEW,
	DHCP6_REBIND,
	DHCP6_REPLY,
	DHCP6_RELEASE,
	DHCP6_DECLINE,
	DHCP6_RECONFIGURE,
	DHCP6_INFORMATION,
	DHCP6_RELAY_FORWARD,
	DHCP6_RELAY_REPLY
};

enum dhcp6_option {
	DHCP6_O_CLIENT = 1,
	DHCP6_O_SERVER,
	DHCP6_O_IA_NA,
	DHCP6_O_ADDR = 5,
	DHCP6_O_RELAYED = 9,
	DHCP6_O_STATUS = 13,
	DHCP6_O_RAPID,
	DHCP6_O_INTERFACE = 18,
	DHCP6_O_DNS = 23, /* RFC 3646 */
	DHCP6_O_SEARCH,
	DHCP6_O_LINK_LAYER = 79 /* RFC 6939 */
};

enum { DHCP6_NOT_ON_LINK = 4 }; /* RFC 8415 section 21.13; 0: success */

struct dhcp6_head {
	__be16 code, len;
};

/* Section 7.1: All_DHCP_Relay_Agents_and_Servers. */
static __always_inline bool dhcp6_is_for_all(const struct tsw_addr *to)
{
	return to->w[0] == bpf_htonl(0xff020000) && !to->w[1] && !to->w[2] &&
	       to->w[3] == bpf_htonl(0x10002);
}

/* Section 11.4: an id made of the server's MAC. */
struct dhcp6_server {
	struct dhcp6_head head;
	__be16 type, hardware;
	struct tsw_mac mac;
} __attribute__((packed, aligned(2)));

struct dhcp6_addr {
	struct dhcp6_head head;
	struct tsw_addr addr;
	__be32 preferred, valid; /* seconds */
} __attribute__((packed, aligned(2)));

struct dhcp6_ia {
	struct dhcp6_head head;
	__be32 id, renew, rebind;
} __attribute__((packed, aligned(2)));

/* The client's request. */
struct dhcp6_asked {
	__be32 head;	       /* type and transaction, as they came */
	__u8 type;	       /* enum dhcp6_type */
	bool ours, of_another; /* the client names a server: this one, or another */
	bool ia, rapid;
	__be32 iaid;
	struct tsw_addr had; /* the address in the client's IA; zero: none */
	__u32 id, id_len;    /* offset and length of the client's id; 0: none given */
	__u32 at;	     /* length of the answer's message so far */
};

_Static_assert(sizeof(struct dhcp6_asked) <= REPLY_LEASE - REPLY_ASKED, "its room");

/* A walk through the options, from off to end. */
struct dhcp6_walk {
	struct __sk_buff *skb;
	__u32 off, end;
	struct tsw_mac server; /* this one's */
	struct dhcp6_asked *asked;
};

static __always_inline void dhcp6_read_server(struct dhcp6_walk *w, __u32 len)
{
	struct dhcp6_server it = {};

	if (len == sizeof(it) - sizeof(it.head))
		bpf_skb_load_bytes(w->skb, w->off, &it.type, sizeof(it) - sizeof(it.head));
	w->asked->ours = it.type == bpf_htons(3) && it.hardware == bpf_htons(1) &&
			 mac_equal(&it.mac, &w->server);
	w->asked->of_another = !w->asked->ours;
}

/* Reads the first IA_NA and the first address in it. */
static __always_inline void dhcp6_read_ia(struct dhcp6_walk *w, __u32 len)
{
	struct {
		__be32 id, renew, rebind;
		struct dhcp6_head head;
		struct tsw_addr addr;
	} ia = {};

	if (w->asked->ia || len < 12 || bpf_skb_load_bytes(w->skb, w->off, &ia, 12))
		return;
	w->asked->ia = true;
	w->asked->iaid = ia.id;
	if (len >= sizeof(ia) && !bpf_skb_load_bytes(w->skb, w->off, &ia, sizeof(ia)) &&
	    ia.head.code == bpf_htons(DHCP6_O_ADDR))
		w->asked->had = ia.addr;
}

static long dhcp6_walk(__u32 i, struct dhcp6_walk *w)
{
	struct dhcp6_head head;
	__u32 len;

	if (w->off + sizeof(head) > w->end ||
	    bpf_skb_load_bytes(w->skb, w->off, &head, sizeof(head)))
		return 1;
	len = bpf_ntohs(head.len);
	if (w->off + sizeof(head) + len > w->end)
		return 1;
	w->off += sizeof(head);
	switch (bpf_ntohs(head.code)) {
	case DHCP6_O_CLIENT:
		w->asked->id = w->off;
		w->asked->id_len = len;
		break;
	case DHCP6_O_SERVER:
		dhcp6_read_server(w, len);
		break;
	case DHCP6_O_IA_NA:
		dhcp6_read_ia(w, len);
		break;
	case DHCP6_O_RAPID:
		w->asked->rapid = true;
		break;
	}
	w->off += len;
	return 0;
}

/* Section 16: which message must name client and server. 0, or a drop reason. */
static __always_inline int dhcp6_check(const struct dhcp6_asked *asked)
{
	bool server = asked->ours || asked->of_another, ok;

	switch (asked->type) {
	case DHCP6_SOLICIT:
	case DHCP6_CONFIRM:
	case DHCP6_REBIND:
		ok = asked->id_len && !server;
		break;
	case DHCP6_REQUEST:
	case DHCP6_RENEW:
	case DHCP6_RELEASE:
	case DHCP6_DECLINE:
		ok = asked->id_len && server;
		break;
	case DHCP6_INFORMATION:
		ok = !asked->ia;
		break;
	default:
		ok = false;
	}
	return ok && (!asked->id_len || (asked->id_len > 2 && asked->id_len <= DHCP6_ID_MAX))
		       ? 0
		       : drop(TSW_DROP_TRUNCATED);
}

static __noinline int dhcp6_read(struct __sk_buff *skb, const struct frame *f, struct dhcp6_walk *w)
{
	__u32 at = f->l4 + sizeof(struct udphdr);
	struct udphdr udp;

	if (f->fragment || skb->gso_size || bpf_skb_load_bytes(skb, f->l4, &udp, sizeof(udp)) ||
	    bpf_skb_load_bytes(skb, at, &w->asked->head, sizeof(w->asked->head)))
		return drop(TSW_DROP_TRUNCATED);
	w->asked->type = bpf_ntohl(w->asked->head) >> 24;
	w->off = at + sizeof(w->asked->head);
	w->end = f->l4 + bpf_ntohs(udp.len);
	if (w->end > f->end)
		return drop(TSW_DROP_TRUNCATED);
	bpf_loop(DHCP6_OPTIONS, dhcp6_walk, w, 0);
	return w->off == w->end ? dhcp6_check(w->asked) : drop(TSW_DROP_TRUNCATED);
}

#endif
