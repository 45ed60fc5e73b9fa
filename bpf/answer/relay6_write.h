/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a relayed message of DHCPv6 as a frame of its own, where it came in another's frame. */
#ifndef TSW_BPF_ANSWER_RELAY6_WRITE_H
#define TSW_BPF_ANSWER_RELAY6_WRITE_H

#include "answer/dhcp6.h"

/* Section 9: what both messages begin with. */
struct relay6 {
	__u8 type, hops;
	struct tsw_addr link, peer; /* the gateway's address in the client's network; the client */
} __attribute__((packed, aligned(2)));

/* The message, and where it is in the frame. Of a Relay-reply it is the one within. */
struct relay6_asked {
	struct relay6 head;
	struct tsw_mac mac; /* of the client */
	bool has_mac;
	bool to_server;
	__u32 at, len, off;
};

_Static_assert(sizeof(struct relay6_asked) <= REPLY_LEASE - REPLY_ASKED, "its room");

/* The headers of a frame to the client, and with the rest to the server. */
struct relay6_out {
	__u16 pad; /* so that the IP header is aligned */
	struct eth eth;
	struct ipv6hdr ip;
	struct udphdr udp;
	struct relay6 head;
	struct dhcp6_head interface;
	struct tsw_mac mac;
	struct dhcp6_head link_layer; /* it tells servers the MAC, which they know clients by */
	__be16 hardware;
	struct tsw_mac mac_again;
	struct dhcp6_head relayed;
} __attribute__((packed, aligned(4)));

#define RELAY6_MORE (sizeof(struct relay6_out) - offsetof(struct relay6_out, head))

_Static_assert(RELAY6_MORE % 4 == 0 && sizeof(struct relay6_out) <= REPLY_QUERY, "its room");

#define RELAY6_CHUNK 256 /* octets that are moved at once; bpf_csum_diff() takes 512 */

struct relay6_move {
	struct __sk_buff *skb;
	__u32 from, to, len, chunks, moved;
	__u32 sum; /* of the octets moved so far */
};

/* Moves a chunk: the last one first if they go up, since they may overlap. */
static long relay6_move_chunk(__u32 i, struct relay6_move *m)
{
	__u32 off = (m->to > m->from ? m->chunks - 1 - i : i) * RELAY6_CHUNK;
	__u64 len = m->len - off < RELAY6_CHUNK ? m->len - off : RELAY6_CHUNK, whole, more;
	__u8 *room = reply_room();

	whole = len & (RELAY6_CHUNK * 2 - 4);
	more = len - 1; /* it shows the verifier (6.1) that len is not 0 */
	TSW_KEEP(whole);
	TSW_KEEP(more);
	if (!room || more >= RELAY6_CHUNK)
		return 1;
	*(__u32 *)(room + whole) = 0; /* an odd end is summed with zeros behind it */
	if (bpf_skb_load_bytes(m->skb, m->from + off, room, more + 1) ||
	    bpf_skb_store_bytes(m->skb, m->to + off, room, more + 1, 0))
		return 1;
	whole = (more + 4) & (RELAY6_CHUNK * 2 - 4);
	m->sum = bpf_csum_diff(NULL, 0, (void *)room, whole, m->sum);
	m->moved += more + 1;
	return 0;
}

/*
 * Makes the frame the message with OUT's headers before it, to F's addresses. The message goes to
 * its place behind what csum_cut() removes, and its sum is made on the way. NEXT, or a drop reason.
 */
static __noinline int relay6_write(struct __sk_buff *skb, struct frame *f, struct frame_id *id,
				   const struct relay6_asked *asked)
{
	const __u32 more = asked->to_server ? RELAY6_MORE : 0, whole = DHCP6_AT + more + asked->len;
	const __u32 udp_len = sizeof(struct udphdr) + more + asked->len;
	struct relay6_move m = {.skb = skb, .from = asked->at, .len = asked->len};
	struct relay6_out *out = reply_at(REPLY_QUERY_AT);

	m.to = DHCP6_AT + more + CSUM_CUT;
	m.chunks = (asked->len + RELAY6_CHUNK - 1) / RELAY6_CHUNK;
	m.sum = ipv6_pseudo_sum(&f->src, &f->dst, udp_len, IPPROTO_UDP);
	if (!out || (skb->len < whole + CSUM_CUT && bpf_skb_change_tail(skb, whole + CSUM_CUT, 0)))
		return drop(TSW_DROP_INTERNAL);
	bpf_loop(m.chunks, relay6_move_chunk, &m, 0);
	if (m.moved != m.len || bpf_skb_change_tail(skb, whole + CSUM_CUT, 0) || csum_cut(skb))
		return drop(TSW_DROP_INTERNAL);
	out->eth = f->eth;
	out->ip = (struct ipv6hdr){.version = 6,
				   .payload_len = bpf_htons(udp_len),
				   .nexthdr = IPPROTO_UDP,
				   .hop_limit = RA_HOP_LIMIT};
	__builtin_memcpy(&out->ip.saddr, &f->src, sizeof(f->src));
	__builtin_memcpy(&out->ip.daddr, &f->dst, sizeof(f->dst));
	out->udp.dest = bpf_htons(more ? DHCP6_SERVER_PORT : DHCP6_CLIENT_PORT);
	out->udp.len = bpf_htons(udp_len);
	out->udp.check = 0;
	m.sum = bpf_csum_diff(NULL, 0, (void *)&out->udp, sizeof(out->udp), m.sum);
	if (more)
		m.sum = bpf_csum_diff(NULL, 0, (void *)&out->head, RELAY6_MORE, m.sum);
	out->udp.check = csum_fold(m.sum) ?: 0xffff;
	if (bpf_skb_store_bytes(skb, 0, &out->eth, DHCP6_AT, BPF_F_INVALIDATE_HASH) ||
	    (more && bpf_skb_store_bytes(skb, DHCP6_AT, &out->head, RELAY6_MORE, 0)))
		return drop(TSW_DROP_INTERNAL);
	f->tos = 0;
	f->l4 = ETH_HLEN + sizeof(struct ipv6hdr);
	f->end = whole;
	f->l3_len = whole - ETH_HLEN;
	id->size.bytes = whole;
	return NEXT;
}

#endif
