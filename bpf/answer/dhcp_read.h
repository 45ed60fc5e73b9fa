/* SPDX-License-Identifier: GPL-2.0-only */
/* DHCP (RFC 2131, RFC 2132): what a message is, and reading a client's. */
#ifndef TSW_BPF_ANSWER_DHCP_READ_H
#define TSW_BPF_ANSWER_DHCP_READ_H

#include "port/guard.h"
#include "answer/reply.h"

#define DHCP_COOKIE 0x63825363U
#define DHCP_BROADCAST 0x8000 /* of flags: the client takes no unicast yet */
#define DHCP_OPTIONS 64	      /* options read of one message; a message with more gets no answer */
#define DHCP_ID_MAX 136	      /* octets of a client's id that are sent back: RFC 4361's are 135 */
#define DHCP_LEASE 3600	      /* seconds; renewed after half of it, RFC 2131 section 4.4.5 */
#define DHCP_TTL 64

enum dhcp_op { BOOT_REQUEST = 1, BOOT_REPLY };

enum dhcp_type {
	DHCP_DISCOVER = 1,
	DHCP_OFFER,
	DHCP_REQUEST,
	DHCP_DECLINE,
	DHCP_ACK,
	DHCP_NAK,
	DHCP_RELEASE,
	DHCP_INFORM
};

/* RFC 2132, 119 of RFC 3397, and 121 of RFC 3442. */
enum dhcp_option {
	DHCP_O_PAD = 0,
	DHCP_O_MASK = 1,
	DHCP_O_ROUTER = 3,
	DHCP_O_DNS = 6,
	DHCP_O_NAME = 12,
	DHCP_O_DOMAIN = 15,
	DHCP_O_MTU = 26,
	DHCP_O_WANTED = 50,
	DHCP_O_LEASE = 51,
	DHCP_O_OVERLOAD = 52,
	DHCP_O_TYPE = 53,
	DHCP_O_SERVER = 54,
	DHCP_O_RENEW = 58,
	DHCP_O_REBIND = 59,
	DHCP_O_ID = 61,
	DHCP_O_SEARCH = 119,
	DHCP_O_ROUTES = 121,
	DHCP_O_END = 255
};

struct dhcp {
	__u8 op, hw_type, hw_len, hops;
	__be32 xid;
	__be16 secs, flags;
	__be32 ciaddr, yiaddr, siaddr, giaddr;
	struct tsw_mac mac;
	__u8 mac_rest[10], sname[64], file[128];
	__be32 cookie;
} __attribute__((packed, aligned(2)));

/* The client's request. */
struct dhcp_asked {
	__be32 xid, ciaddr;
	__be32 wanted, server; /* zero: not given */
	__be16 flags;
	__u8 type;   /* enum dhcp_type */
	__u8 id_len; /* 0: none */
	__u32 id;    /* its offset in the frame */
	bool done;   /* all options were read */
};

_Static_assert(sizeof(struct dhcp_asked) <= REPLY_LEASE - REPLY_ASKED, "its room");

/* A walk through the options from off to end, which is the datagram's end. */
struct dhcp_walk {
	struct __sk_buff *skb;
	__u32 off, end;
	struct dhcp_asked *asked;
};

/* One option at off. 0, or an error. */
static __always_inline int dhcp_option(struct dhcp_walk *w, __u8 code, __u8 len)
{
	struct dhcp_asked *asked = w->asked;

	switch (code) {
	case DHCP_O_TYPE:
		return len != 1 || bpf_skb_load_bytes(w->skb, w->off, &asked->type, 1);
	case DHCP_O_WANTED:
		return len != 4 || bpf_skb_load_bytes(w->skb, w->off, &asked->wanted, 4);
	case DHCP_O_SERVER:
		return len != 4 || bpf_skb_load_bytes(w->skb, w->off, &asked->server, 4);
	case DHCP_O_ID:
		asked->id_len = len;
		asked->id = w->off;
		return len < 2 || len > DHCP_ID_MAX;
	}
	return 0;
}

static long dhcp_walk(__u32 i, struct dhcp_walk *w)
{
	__u8 code, len;

	if (w->off >= w->end || bpf_skb_load_bytes(w->skb, w->off++, &code, 1))
		return 1;
	if (code == DHCP_O_PAD)
		return 0;
	w->asked->done = code == DHCP_O_END;
	if (w->asked->done || bpf_skb_load_bytes(w->skb, w->off++, &len, 1) ||
	    w->off + len > w->end || dhcp_option(w, code, len))
		return 1;
	w->off += len;
	return 0;
}

/* A message's fields up to the client's MAC, as in struct dhcp. */
struct dhcp_head {
	__u8 op, hw_type, hw_len, hops;
	__be32 xid;
	__be16 secs, flags;
	__be32 ciaddr, yiaddr, siaddr, giaddr;
	struct tsw_mac mac;
} __attribute__((packed, aligned(4)));

/* Reads what a client's request and an answer have in common. 0, or a drop reason. */
static __always_inline int dhcp_head_read(struct __sk_buff *skb, const struct frame *f,
					  struct dhcp_head *head)
{
	__u32 at = f->l4 + sizeof(struct udphdr);
	__be32 cookie;

	if (f->fragment || skb->gso_size || bpf_skb_load_bytes(skb, at, head, sizeof(*head)) ||
	    bpf_skb_load_bytes(skb, at + offsetof(struct dhcp, cookie), &cookie, sizeof(cookie)))
		return drop(TSW_DROP_TRUNCATED);
	return head->hw_type == 1 && head->hw_len == TSW_MAC_LEN && cookie == bpf_htonl(DHCP_COOKIE)
		       ? 0
		       : drop(TSW_DROP_TRUNCATED);
}

/* For requests without an answer here: drops one from an address that is no longer the port's. */
static __noinline int dhcp_guard(const struct tsw_port *port, const struct frame *f)
{
	bool own = !f->src.w[3] || guard_owns(port, &f->src);

	return own ? NEXT : drop(TSW_DROP_SPOOFED_IP);
}

/* Reads a request of this port's endpoint. 0, or a drop reason. */
static __noinline int dhcp_read(struct __sk_buff *skb, const struct frame *f,
				const struct tsw_port *port, struct dhcp_walk *w)
{
	struct dhcp_head head;
	struct udphdr udp;

	if (dhcp_head_read(skb, f, &head) || bpf_skb_load_bytes(skb, f->l4, &udp, sizeof(udp)))
		return drop(TSW_DROP_TRUNCATED);
	w->end = f->l4 + bpf_ntohs(udp.len);
	if (head.op != BOOT_REQUEST || head.giaddr || w->end > f->end)
		return drop(TSW_DROP_TRUNCATED);
	if (!mac_equal(&head.mac, &port->mac))
		return drop(TSW_DROP_SPOOFED_MAC);
	w->asked->xid = head.xid;
	w->asked->flags = head.flags;
	w->asked->ciaddr = head.ciaddr;
	w->off = f->l4 + sizeof(struct udphdr) + sizeof(struct dhcp);
	bpf_loop(DHCP_OPTIONS, dhcp_walk, w, 0);
	return w->asked->done ? 0 : drop(TSW_DROP_TRUNCATED);
}

#endif
