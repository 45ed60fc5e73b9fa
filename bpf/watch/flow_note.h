/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes a frame's flow while the frame is plain. flows.h counts it. */
#ifndef TSW_BPF_WATCH_FLOW_NOTE_H
#define TSW_BPF_WATCH_FLOW_NOTE_H

#include "watch/flows.h"
#include "core/parse.h"

/*
 * Reads the addresses in the frame. The ones that core/parse.h read may have been translated since.
 */
static __always_inline int flow_addrs(struct __sk_buff *skb, const struct frame *f,
				      struct tsw_flow_tuple *t)
{
	const __u32 l3 = f->base + ETH_HLEN;
	__be32 v4[2];

	if (t->version == 6)
		return bpf_skb_load_bytes(skb, l3 + offsetof(struct ipv6hdr, saddr), &t->src,
					  sizeof(t->src) + sizeof(t->dst));
	if (bpf_skb_load_bytes(skb, l3 + offsetof(struct iphdr, saddr), v4, sizeof(v4)))
		return -1;
	t->src = addr_from_v4(v4[0]);
	t->dst = addr_from_v4(v4[1]);
	return 0;
}

/* The protocol of a later fragment's packet. For IPv6, if the fragment header comes first. */
static __always_inline __u8 flow_fragment_of(struct __sk_buff *skb, const struct frame *f)
{
	const __u32 l3 = f->base + ETH_HLEN;
	__u8 proto = IPPROTO_FRAGMENT, next = 0;

	if (f->eth.type == bpf_htons(ETH_P_IP)) {
		bpf_skb_load_bytes(skb, l3 + offsetof(struct iphdr, protocol), &proto, 1);
		return proto;
	}
	bpf_skb_load_bytes(skb, l3 + offsetof(struct ipv6hdr, nexthdr), &next, 1);
	if (next == IPPROTO_FRAGMENT)
		bpf_skb_load_bytes(skb, l3 + sizeof(struct ipv6hdr), &proto, 1);
	return proto;
}

static __always_inline bool flow_has_ports(__u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP;
}

/* All fragments of a packet are one flow, because only the first has ports. */
static __always_inline void flow_upper(struct __sk_buff *skb, const struct frame *f,
				       struct tsw_flow_record *r)
{
	r->tuple.proto = f->l4 ? f->proto : flow_fragment_of(skb, f);
	if (f->fragment || !f->l4)
		return;
	if (f->proto == IPPROTO_TCP)
		bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &r->tcp_flags, sizeof(r->tcp_flags));
	if (f->proto == IPPROTO_ICMP || f->proto == IPPROTO_ICMPV6)
		bpf_skb_load_bytes(skb, f->l4, &r->tuple.sport, sizeof(r->tuple.sport));
	else if (flow_has_ports(f->proto))
		bpf_skb_load_bytes(skb, f->l4, &r->tuple.sport, 2 * sizeof(r->tuple.sport));
}

/*
 * Global, like the others: the verifier goes through each once. A frame that is not IP has no flow.
 * The note gets a number, so that no other frame's note on this CPU is taken for it. ifindex: of
 * the port here; 0: the frame goes to all.
 */
__noinline int tsw_flow_note(struct __sk_buff *skb, const struct frame *f, struct frame_id *id,
			     __u32 ifindex)
{
	struct flow_work *w = flow_work();
	struct tsw_flow_record *r;

	if (!w || !f || !id)
		return 0;
	id->flow = 0;
	if (!frame_is_ip(f))
		return 0;
	w->note = (w->note + 1) | FLOW_NOTED;
	r = &w->record;
	__builtin_memset(r, 0, sizeof(*r)); /* an assignment would need stack */
	r->src = f->eth.src;
	r->dst = f->eth.dst;
	r->tuple.ifindex = ifindex;
	r->tuple.version = f->eth.type == bpf_htons(ETH_P_IP) ? 4 : 6;
	r->tuple.direction = id->direction == TSW_DIR_FROM_ENDPOINT ? TSW_FLOW_OUT : TSW_FLOW_IN;
	if (flow_addrs(skb, f, &r->tuple))
		return 0;
	flow_upper(skb, f, r);
	id->flow = w->note;
	return 0;
}

#endif
