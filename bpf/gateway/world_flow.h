/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose is a frame from the world to an address of this host? A tenant's goes into the router.
 * Conntrack there is asked by both sides' addresses and ports, so unknown flows stay the host's.
 * For protocols without ports, and for echoes, tenants' frames are noted, and so are connections
 * that helpers expect.
 */
#ifndef TSW_BPF_GATEWAY_WORLD_FLOW_H
#define TSW_BPF_GATEWAY_WORLD_FLOW_H

#include "core/icmp.h"
#include "gateway/ct_whose.h"
#include "gateway/expect.h"
#include "gateway/fast_flow.h"
#include "gateway/home.h"
#include "gateway/uplink.h"

/* Does that namespace's conntrack know the flow of the world's frame? */
static __noinline bool conntrack_has(struct __sk_buff *skb, struct uplink_way *w, __s32 nsid)
{
	const struct tsw_flow_key *k = &w->flow;
	struct ct_opts opts = {.netns_id = nsid, .l4proto = k->proto};
	struct nf_conn *ct;

	if (!tsw_has_conntrack)
		return false;
	if (addr_is_v4mapped(&k->dst)) {
		w->tuple.ipv4.saddr = k->src.w[3];
		w->tuple.ipv4.daddr = k->dst.w[3];
		w->tuple.ipv4.sport = k->sport;
		w->tuple.ipv4.dport = k->dport;
		ct = bpf_skb_ct_lookup(skb, &w->tuple, sizeof(w->tuple.ipv4), &opts, CT_OPTS_LEN);
	} else {
		__builtin_memcpy(w->tuple.ipv6.saddr, &k->src, sizeof(k->src));
		__builtin_memcpy(w->tuple.ipv6.daddr, &k->dst, sizeof(k->dst));
		w->tuple.ipv6.sport = k->sport;
		w->tuple.ipv6.dport = k->dport;
		ct = bpf_skb_ct_lookup(skb, &w->tuple, sizeof(w->tuple.ipv6), &opts, CT_OPTS_LEN);
	}
	if (!ct)
		return false;
	bpf_ct_release(ct);
	return true;
}

/* Does the router know it? If conntrack cannot be asked, the port decides. */
static __always_inline bool router_knows(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct uplink_way *w)
{
	const __u16 port = bpf_ntohs(w->flow.dport);

	if (!tsw_has_conntrack || cfg->nsid < 0)
		return port >= (cfg->nat_low ?: TSW_NAT_PORT_LOW) &&
		       port <= (cfg->nat_high ?: TSW_NAT_PORT_HIGH);
	return conntrack_has(skb, w, cfg->nsid);
}

/*
 * Is the port published here? If another host serves it, this host answers that nobody is there.
 * Conntrack knows the connections that this host still has.
 */
static __always_inline bool world_is_published(const struct tsw_flow_key *k)
{
	const __u8 family = addr_is_v4mapped(&k->dst) ? TSW_IPV4 : TSW_IPV6;
	const struct tsw_publish_key key = {
		.family = family, .proto = k->proto, .port = bpf_ntohs(k->dport)};

	const struct tsw_publish *to = bpf_map_lookup_elem(&tsw_publish, &key);
	const struct tsw_gateway *gw = to ? gateway_get(to->tenant) : NULL;

	return gw && (!gw->host || gw->flags & TSW_GATEWAY_READY ||
		      (!tsw_has_conntrack && gateway_drains(gw, 0)));
}

/* As long as conntrack keeps such a flow by default. Older ones may be the host's own. */
#define ASKED_ECHO 30000000000ULL /* ns */
#define ASKED_OTHER 600000000000ULL

static __always_inline bool asked_has(const struct tsw_asked_key *key)
{
	const __u64 *when = bpf_map_lookup_elem(&tsw_asked, key);
	const bool echo = key->proto == IPPROTO_ICMP || key->proto == IPPROTO_ICMPV6;

	return when && (__s64)(bpf_ktime_get_coarse_ns() - *when) <
			       (__s64)(echo ? ASKED_ECHO : ASKED_OTHER);
}

/* Notes a tenant's frame to the world, so that its answer is recognised. */
static __always_inline void asked_note(const struct tsw_asked_key *key)
{
	__u64 now = bpf_ktime_get_coarse_ns();
	__u64 *was = bpf_map_lookup_elem(&tsw_asked, key);

	if (was)
		*was = now;
	else
		bpf_map_update_elem(&tsw_asked, key, &now, BPF_ANY);
}

static __always_inline bool has_ports(__u32 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP;
}

/* Their ports are noted, because conntrack is not asked about them. */
static __always_inline bool has_other_ports(__u32 proto)
{
	return proto == IPPROTO_SCTP || proto == IPPROTO_DCCP || proto == IPPROTO_UDPLITE;
}

/* The ports of both ends, in the order of the frame to the world. reply: this frame comes back. */
static __always_inline __u32 asked_ports(struct __sk_buff *skb, __u32 l4, bool reply)
{
	__be16 ports[2] = {};

	bpf_skb_load_bytes(skb, l4, ports, sizeof(ports));
	return reply ? (__u32)ports[1] << 16 | ports[0] : (__u32)ports[0] << 16 | ports[1];
}

/* The first octets of ICMP and ICMPv6: an echo's, or an error's before the quote. */
struct icmp_begin {
	__u8 type, code;
	__sum16 sum;
	__be16 id, seq;
};

static __always_inline bool icmp_is_echo(const struct icmp_begin *icmp, bool v4, bool reply)
{
	if (v4)
		return icmp->type == (reply ? ICMP_ECHOREPLY : ICMP_ECHO);
	return icmp->type == (reply ? ICMPV6_ECHO_REPLY : ICMPV6_ECHO_REQUEST);
}

static __always_inline bool icmp_is_error(const struct icmp_begin *icmp, bool v4)
{
	if (!v4)
		return icmp->type && icmp->type < ICMPV6_ECHO_REQUEST;
	return icmp->type == ICMP_DEST_UNREACH || icmp->type == ICMP_TIME_EXCEEDED ||
	       icmp->type == ICMP_PARAMETERPROB || icmp->type == ICMP_SOURCE_QUENCH;
}

/* Offset after the fragment header of a quoted IPv6 packet. 0: it is no first fragment. */
static __always_inline __u32 quote_fragment(struct __sk_buff *skb, __u32 at, __u32 *proto)
{
	struct ipv6_extension head;

	if (bpf_skb_load_bytes(skb, at, &head, sizeof(head)) ||
	    head.fragment & bpf_htons(IPV6_OFFSET))
		return 0;
	*proto = head.next;
	return at + sizeof(head);
}

/* Reads an error's quote, reversed. Returns the offset of the upper layer, or 0. */
static __always_inline __u32 quote_read(struct __sk_buff *skb, __u32 at, bool v4,
					struct tsw_flow_key *k)
{
	union {
		struct iphdr v4;
		struct ipv6hdr v6;
	} ip;

	if (v4) {
		if (bpf_skb_load_bytes(skb, at, &ip, sizeof(ip.v4)) ||
		    ip.v4.frag_off & bpf_htons(IPV4_OFFSET))
			return 0;
		k->src = addr_from_v4(ip.v4.daddr);
		k->dst = addr_from_v4(ip.v4.saddr);
		k->proto = ip.v4.protocol;
		return at + ip.v4.ihl * 4;
	}
	if (bpf_skb_load_bytes(skb, at, &ip, sizeof(ip.v6)))
		return 0;
	__builtin_memcpy(&k->src, &ip.v6.daddr, sizeof(k->src));
	__builtin_memcpy(&k->dst, &ip.v6.saddr, sizeof(k->dst));
	k->proto = ip.v6.nexthdr;
	at += sizeof(ip.v6);
	return k->proto == IPPROTO_FRAGMENT ? quote_fragment(skb, at, &k->proto) : at;
}

/* Is it an answer to a tenant's frame, with w's addresses? reply: to an echo. */
static __always_inline bool world_answers(struct __sk_buff *skb, struct uplink_way *w, __u32 l4,
					  bool reply)
{
	const bool v4 = addr_is_v4mapped(&w->flow.dst);
	struct icmp_begin icmp;

	w->asked.peer = w->flow.src;
	w->asked.own = w->flow.dst;
	w->asked.proto = w->flow.proto;
	w->asked.id = 0;
	if (w->flow.proto == (v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6)) {
		if (bpf_skb_load_bytes(skb, l4, &icmp, sizeof(icmp)) ||
		    !icmp_is_echo(&icmp, v4, reply))
			return false;
		w->asked.id = icmp.id;
	} else if (has_other_ports(w->flow.proto)) {
		w->asked.id = asked_ports(skb, l4, reply);
	}
	return asked_has(&w->asked);
}

#define HOSTS (-1) /* the frame is the host's; otherwise a tenant's: its index, or 0 */

/* Whose is w's flow, which has ports? */
static __noinline int flow_whose(struct __sk_buff *skb, const struct tsw_config *cfg,
				 struct uplink_way *w)
{
	__u32 index;

	if (world_is_published(&w->flow) || router_knows(skb, cfg, w))
		return 0;
	index = expect_index(w);
	return index && !host_has_socket(skb, w) && !conntrack_has(skb, w, BPF_F_CURRENT_NETNS)
		       ? (int)index
		       : HOSTS;
}

/* Whose is an error, by the packet that it quotes? */
static __always_inline int error_whose(struct __sk_buff *skb, const struct tsw_config *cfg,
				       const struct frame *f, struct uplink_way *w)
{
	const bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	const __u32 l4 = quote_read(skb, f->l4 + sizeof(struct icmp_begin), v4, &w->flow);
	__be16 ports[2];

	if (!l4)
		return HOSTS;
	if (!has_ports(w->flow.proto))
		return world_answers(skb, w, l4, false) ? 0 : HOSTS;
	if (bpf_skb_load_bytes(skb, l4, ports, sizeof(ports)))
		return HOSTS;
	w->flow.sport = ports[1];
	w->flow.dport = ports[0];
	return flow_whose(skb, cfg, w);
}

/* Whose is a frame to an address of this host? It is no later fragment. */
static __noinline int world_whose(struct __sk_buff *skb, const struct tsw_config *cfg,
				  const struct frame *f)
{
	struct uplink_way *w = uplink_way();
	struct icmp_begin icmp = {};

	if (!w)
		return HOSTS;
	w->flow.src = f->src;
	w->flow.dst = f->dst;
	w->flow.proto = f->proto;
	if (has_ports(f->proto))
		return bpf_skb_load_bytes(skb, f->l4, &w->flow.sport, 2 * sizeof(__be16))
			       ? HOSTS
			       : flow_whose(skb, cfg, w);
	if (frame_is_icmp(f)) {
		bpf_skb_load_bytes(skb, f->l4, &icmp, sizeof(icmp));
		if (icmp_is_error(&icmp, f->eth.type == bpf_htons(ETH_P_IP)))
			return error_whose(skb, cfg, f, w);
	}
	return world_answers(skb, w, f->l4, true) ? 0 : HOSTS;
}

/* Of a frame that only its address makes the router's: the tenant whose helper expects it. */
static __noinline __u32 routed_index(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct frame *f)
{
	struct uplink_way *w = uplink_way();

	if (!w || !f->l4 || !has_ports(f->proto) ||
	    bpf_skb_load_bytes(skb, f->l4, &w->flow.sport, 2 * sizeof(__be16)))
		return 0;
	w->flow.src = f->src;
	w->flow.dst = f->dst;
	w->flow.proto = f->proto;
	return router_knows(skb, cfg, w) ? 0 : expect_index(w);
}

/* Notes a frame without ports that leaves in this host's name. */
static __noinline void world_note(struct __sk_buff *skb, const struct frame *f)
{
	struct tsw_asked_key key = {.peer = f->dst, .own = f->src, .proto = f->proto};
	struct icmp_begin icmp;

	if (!f->l4 || f->proto == IPPROTO_TCP || f->proto == IPPROTO_UDP || !uplink_of(&f->src))
		return;
	if (frame_is_icmp(f)) {
		if (bpf_skb_load_bytes(skb, f->l4, &icmp, sizeof(icmp)) ||
		    !icmp_is_echo(&icmp, f->eth.type == bpf_htons(ETH_P_IP), false))
			return;
		key.id = icmp.id;
	} else if (has_other_ports(f->proto)) {
		key.id = asked_ports(skb, f->l4, false);
	}
	asked_note(&key);
}

#endif
