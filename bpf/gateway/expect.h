/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections that conntrack's helpers expect the world to begin, because a tenant asked for them
 * in another connection. An example is the data of an FTP server. Conntrack has no entry until such
 * a connection begins. So the expectation is noted where the asking frame leaves.
 *
 * Conntrack finds an expectation only in the zone of the tenant that asked. So the frame enters the
 * router with that tenant's index.
 */
#ifndef TSW_BPF_GATEWAY_EXPECT_H
#define TSW_BPF_GATEWAY_EXPECT_H

#include "gateway/proof.h"
#include "gateway/uplink.h"

#define EXPECT_MOST 8 /* expectations of one connection, as a call has several streams */

static __always_inline bool expect_is_fresh(const struct tsw_expected *is, __u64 now)
{
	return (__s64)(now - is->seen) <= (__s64)TSW_EXPECTED_IDLE;
}

/* Another tenant's expectation at the same place stays: conntrack keeps the two apart by zones. */
static __noinline void expect_one(const struct nf_conntrack_expect *e, __u32 index)
{
	struct tsw_expected now = {.seen = bpf_ktime_get_coarse_ns(), .index = index}, *was;
	struct uplink_way *w = uplink_way();

	if (!w)
		return;
	tuple_key(&e->tuple, &w->flow);
	w->asked.peer = w->flow.src;
	w->asked.own = w->flow.dst;
	w->asked.proto = w->flow.proto;
	w->asked.id = w->flow.dport;
	was = bpf_map_lookup_elem(&tsw_expected, &w->asked);
	if (!was || was->index == index || !expect_is_fresh(was, now.seen))
		bpf_map_update_elem(&tsw_expected, &w->asked, &now, BPF_ANY);
}

/* In the router: a frame that leaves for the world. Global: the verifier goes through it once. */
__noinline int tsw_expect(struct __sk_buff *skb)
{
	const unsigned long nfct = ct_of(skb);
	const struct nf_conn *ct = ct_entry(nfct);
	const struct nf_conn_help *help;
	struct hlist_node *node = NULL;
	const struct nf_ct_ext *ext;
	__u8 offset = 0;
	__u32 index;

	index = nfct && ct_status(ct) & CT_HELPER ? proof_zone(ct) : 0;
	if (!index)
		return 0;
	CT_GET(ext, ct->ext);
	if (!ext)
		return 0;
	CT_GET(offset, ext->offset[0]);
	if (!offset)
		return 0;
	help = (const void *)ext + offset;
	CT_GET(node, help->expectations.first);
	for (__u32 i = 0; i < EXPECT_MOST && node; i++) {
		expect_one((const void *)node -
				   bpf_core_field_offset(struct nf_conntrack_expect, lnode),
			   index);
		CT_GET(node, node->next);
	}
	return 0;
}

/* The index of the tenant whose helper expects w's flow; 0: none. */
static __always_inline __u32 expect_index(struct uplink_way *w)
{
	const __u64 now = bpf_ktime_get_coarse_ns();
	struct tsw_expected *is;

	w->asked.peer = w->flow.src;
	w->asked.own = w->flow.dst;
	w->asked.proto = w->flow.proto;
	w->asked.id = w->flow.dport;
	is = bpf_map_lookup_elem(&tsw_expected, &w->asked);
	if (!is || !expect_is_fresh(is, now))
		return 0;
	is->seen = now;
	return is->index;
}

/*
 * Does a process of the host wait or send at this port? A tenant chooses what it expects, but may
 * not take such a port.
 */
static __noinline bool host_has_socket(struct __sk_buff *skb, struct uplink_way *w)
{
	const bool v4 = addr_is_v4mapped(&w->flow.dst), tcp = w->flow.proto == IPPROTO_TCP;
	const __u32 len = v4 ? sizeof(w->tuple.ipv4) : sizeof(w->tuple.ipv6);
	struct bpf_sock *sk;

	if (v4) {
		w->tuple.ipv4.saddr = w->flow.src.w[3];
		w->tuple.ipv4.daddr = w->flow.dst.w[3];
		w->tuple.ipv4.sport = w->flow.sport;
		w->tuple.ipv4.dport = w->flow.dport;
	} else {
		__builtin_memcpy(w->tuple.ipv6.saddr, &w->flow.src, sizeof(w->flow.src));
		__builtin_memcpy(w->tuple.ipv6.daddr, &w->flow.dst, sizeof(w->flow.dst));
		w->tuple.ipv6.sport = w->flow.sport;
		w->tuple.ipv6.dport = w->flow.dport;
	}
	sk = tcp ? bpf_skc_lookup_tcp(skb, &w->tuple, len, BPF_F_CURRENT_NETNS, 0)
		 : bpf_sk_lookup_udp(skb, &w->tuple, len, BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return false;
	bpf_sk_release(sk);
	return true;
}

#endif
