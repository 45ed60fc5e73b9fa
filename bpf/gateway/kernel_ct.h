/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conntrack entry of a frame, read from the kernel's own structures by their fields' names. The
 * frame holds its entry, so it exists while the program looks.
 */
#ifndef TSW_BPF_GATEWAY_KERNEL_CT_H
#define TSW_BPF_GATEWAY_KERNEL_CT_H

#include "gateway/conntrack.h"
#include "core/kernel_skb.h"

/* The kernel's, of include/uapi/linux/netfilter/nf_conntrack_common.h and nf_conntrack_tcp.h. */
#define CT_INFO 7UL /* bits of _nfct beside the pointer */
#define CT_INFO_ESTABLISHED 0
#define CT_INFO_RELATED 1 /* it begins, as a helper expected */
#define CT_INFO_NEW 2
#define CT_INFO_REPLY 3 /* IP_CT_IS_REPLY: established, in the other direction */
#define CT_CONFIRMED (1U << 3)
#define CT_ASSURED (1U << 2)
#define CT_SEQ_ADJUST (1U << 6)
#define CT_DYING (1U << 9)
#define CT_HELPER (1U << 13)
#define CT_TCP_ESTABLISHED 3
#define CT_TCP_LIBERAL 8 /* IP_CT_TCP_FLAG_BE_LIBERAL */

#define CT_GET(to, field) bpf_core_read(&(to), sizeof(to), &(field))

/* The frame's entry and CT_INFO; 0: none. */
static __always_inline unsigned long ct_of(struct __sk_buff *skb)
{
	const struct sk_buff *kskb = (const void *)skb;
	unsigned long nfct = 0;

	CT_GET(nfct, kskb->_nfct);
	return nfct & ~CT_INFO ? nfct : 0;
}

static __always_inline const struct nf_conn *ct_entry(unsigned long nfct)
{
	return (const void *)(nfct & ~CT_INFO);
}

static __always_inline __u32 ct_mark(const struct nf_conn *ct)
{
	__u32 mark = 0;

	CT_GET(mark, ct->mark);
	return mark;
}

static __always_inline unsigned long ct_status(const struct nf_conn *ct)
{
	unsigned long status = 0;

	CT_GET(status, ct->status);
	return status;
}

/* The flow of that tuple's frames where they come in. Its tenant is 0. */
static __noinline void tuple_key(const struct nf_conntrack_tuple *t, struct tsw_flow_key *key)
{
	__u16 family = 0;
	__u8 proto = 0;

	*key = (struct tsw_flow_key){};
	CT_GET(key->src, t->src.u3);
	CT_GET(key->dst, t->dst.u3);
	CT_GET(key->sport, t->src.u.all);
	CT_GET(key->dport, t->dst.u.all);
	CT_GET(family, t->src.l3num);
	CT_GET(proto, t->dst.protonum);
	key->proto = proto;
	if (family == AF_INET) {
		key->src = addr_from_v4(key->src.w[0]);
		key->dst = addr_from_v4(key->dst.w[0]);
	}
}

/* The flow of one of its directions. */
static __always_inline void ct_key(const struct nf_conn *ct, bool reply, struct tsw_flow_key *key)
{
	tuple_key(reply ? &ct->tuplehash[1].tuple : &ct->tuplehash[0].tuple, key);
}

/*
 * Does conntrack accept TCP segments after a gap that it did not see? By the entry itself
 * (nftables' `flow add` does so), or for the whole host.
 */
static __always_inline bool ct_is_liberal(struct __sk_buff *skb, const struct nf_conn *ct)
{
	const struct sk_buff *kskb = (const void *)skb;
	__u8 one = 0, other = 0, all = 0;
	const struct net_device *dev = NULL;
	const struct net *net = NULL;

	CT_GET(one, ct->proto.tcp.seen[0].flags);
	CT_GET(other, ct->proto.tcp.seen[1].flags);
	if (one & other & CT_TCP_LIBERAL)
		return true;
	CT_GET(dev, kskb->dev);
	CT_GET(net, dev->nd_net.net);
	CT_GET(all, net->ct.nf_ct_proto.tcp.tcp_be_liberal);
	return all;
}

/*
 * May the flow's frames be translated elsewhere? It must be established in conntrack, with nothing
 * changed but addresses and ports.
 */
static __always_inline bool ct_is_plain(struct __sk_buff *skb, const struct nf_conn *ct,
					__u32 proto)
{
	const unsigned long status = ct_status(ct);
	__u8 state = 0;

	if (!(status & CT_CONFIRMED) || status & (CT_SEQ_ADJUST | CT_DYING | CT_HELPER))
		return false;
	if (proto != IPPROTO_TCP)
		return true;
	CT_GET(state, ct->proto.tcp.state);
	return status & CT_ASSURED && state == CT_TCP_ESTABLISHED && ct_is_liberal(skb, ct);
}

#endif
