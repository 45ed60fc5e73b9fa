/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast way through a gateway. Frames of a flow that the router's rules let pass are translated
 * here and leave without conntrack and nftables. fast_learn.h explains how flows get their leases.
 */
#ifndef TSW_BPF_GATEWAY_FAST_H
#define TSW_BPF_GATEWAY_FAST_H

#include "core/checksum.h"
#include "core/config.h"
#include "core/drop.h"
#include "gateway/maps.h"
#include "core/local_config.h"
#include "core/parse.h"
#include "core/stamp.h"
#include "gateway/uplink.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct tsw_flow_key);
	__type(value, struct tsw_fast);
} tsw_fast TSW_MAP;

/* Set by the command before loading: the kernel's conntrack can be read (kernel_ct.h). */
const volatile bool tsw_has_fast = false;
/* Likewise: ns of one of the kernel's jiffies. */
const volatile __u32 tsw_jiffy = 0;

static __always_inline struct tsw_fast *fast_get(const struct tsw_flow_key *key)
{
	return bpf_map_lookup_elem(&tsw_fast, key);
}

static __always_inline bool fast_is_leased(const struct tsw_fast *fast,
					   const struct tsw_config *cfg)
{
	return fast->until > bpf_ktime_get_coarse_ns() && fast->generation == cfg->generation;
}

/* The first octets of TCP and UDP that are read. */
struct upper {
	__be16 sport, dport;
	__be16 length; /* of UDP */
	__u8 tcp[6];
	__u8 offset, flags; /* of TCP */
} __attribute__((packed, aligned(2)));

/* Does the segment only continue its connection, and is its length right? */
static __always_inline bool upper_goes_on(struct __sk_buff *skb, const struct frame *f,
					  const struct upper *u)
{
	const __u32 header = (u->offset >> 4) * 4U, len = skb->len - f->l4;

	if (f->proto == IPPROTO_TCP)
		return (u->flags & (TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK)) == TCP_ACK &&
		       header >= sizeof(struct tcphdr) && header <= len;
	return skb->gso_size || bpf_ntohs(u->length) == len;
}

/*
 * Does the fast way take the frame: TCP or UDP, no options, a hop left, no padding? Conntrack finds
 * all other errors.
 */
static __always_inline bool fast_reads(struct __sk_buff *skb, const struct frame *f,
				       struct upper *u)
{
	const bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	const __u32 l4 = ETH_HLEN + (v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
	const __u32 want = f->proto == IPPROTO_TCP ? sizeof(*u) : sizeof(struct udphdr);

	if ((f->proto != IPPROTO_TCP && f->proto != IPPROTO_UDP) || f->fragment || f->base ||
	    f->l4 != l4)
		return false;
	*u = (struct upper){};
	if (want == sizeof(*u) ? frame_read(skb, l4, u, sizeof(*u))
			       : frame_read(skb, l4, u, sizeof(struct udphdr)))
		return false;
	return upper_goes_on(skb, f, u);
}

/* Writes from the entry directly if possible, because the stack is short. */
static __always_inline int fast_store(struct __sk_buff *skb, __u32 off, const void *from, __u32 len)
{
	return bpf_skb_store_bytes(skb, off, from, len, 0) ? drop(TSW_DROP_INTERNAL) : REDIRECT;
}

/* The part of an IPv4 header that changes, from its ninth octet on. */
struct ipv4_tail {
	__u8 ttl, protocol;
	__u16 check;
	__be32 saddr, daddr;
} __attribute__((packed, aligned(2)));

#define ONE_HOP bpf_htons(0x0100) /* in the word that begins with the hop limit */

/* NEXT: the router's rules judge a frame with a wrong length, checksum or hop limit. */
static __noinline int fast_write4(struct __sk_buff *skb, const struct tsw_fast *to)
{
	struct iphdr *ip = frame_at(skb, ETH_HLEN, sizeof(*ip));
	struct ipv4_tail tail;

	if (!ip || ip->ttl <= 1 || ipv4_csum(ip) ||
	    (!skb->gso_size && bpf_ntohs(ip->tot_len) + ETH_HLEN != skb->len))
		return NEXT;
	tail.ttl = ip->ttl - 1;
	tail.protocol = ip->protocol;
	tail.saddr = to->src.w[3];
	tail.daddr = to->dst.w[3];
	tail.check = csum_fold((__u16)~ip->check + (to->addrs & 0xffff) + (to->addrs >> 16) +
			       (__u16)~ONE_HOP);
	return fast_store(skb, ETH_HLEN + offsetof(struct iphdr, ttl), &tail, sizeof(tail));
}

static __noinline int fast_write6(struct __sk_buff *skb, const struct frame *f,
				  const struct tsw_fast *to)
{
	__u8 left = f->hop_limit - 1;
	__be16 len;

	if (f->hop_limit <= 1 ||
	    bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, payload_len), &len,
			       sizeof(len)) ||
	    (!skb->gso_size && bpf_ntohs(len) + sizeof(struct ipv6hdr) + ETH_HLEN != skb->len))
		return NEXT;
	/* IPv6 has no header checksum, so nothing balances the changed hop in a device's sum. */
	if (bpf_skb_store_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, hop_limit), &left,
				sizeof(left), BPF_F_RECOMPUTE_CSUM))
		return drop(TSW_DROP_INTERNAL);
	return fast_store(skb, ETH_HLEN + offsetof(struct ipv6hdr, saddr), &to->src,
			  sizeof(to->src) + sizeof(to->dst));
}

static __always_inline bool udp_has_no_sum(struct __sk_buff *skb, const struct frame *f)
{
	__u16 check;

	return !bpf_skb_load_bytes(skb, f->l4 + offsetof(struct udphdr, check), &check,
				   sizeof(check)) &&
	       !check;
}

/*
 * Updates TCP's or UDP's checksum. If a device is to complete it, it covers only the pseudo-header,
 * without the ports.
 *
 * In IPv6 a device's sum of all octets stays as it was, because the checksum balances the
 * addresses. Without a checksum nothing balances the ports.
 */
static __always_inline int fast_sum(struct __sk_buff *skb, const struct frame *f,
				    const struct tsw_fast *to)
{
	const bool tcp = f->proto == IPPROTO_TCP, v6 = f->eth.type == bpf_htons(ETH_P_IPV6);
	const __u32 at =
		f->l4 + (tcp ? offsetof(struct tcphdr, check) : offsetof(struct udphdr, check));
	const __u64 flags = tcp ? 0 : BPF_F_MARK_MANGLED_0;

	if (to->addrs && bpf_l4_csum_replace(skb, at, 0, to->addrs, flags | BPF_F_PSEUDO_HDR))
		return drop(TSW_DROP_INTERNAL);
	if (to->addrs && v6)
		bpf_csum_update(skb, to->addrs);
	if (to->ports && bpf_l4_csum_replace(skb, at, 0, to->ports, flags))
		return drop(TSW_DROP_INTERNAL);
	if (!tcp && udp_has_no_sum(skb, f))
		bpf_csum_update(skb, to->ports);
	return REDIRECT;
}

/* If the lease names no device, tsw_from_gateway writes the Ethernet addresses. */
static __always_inline int fast_write(struct __sk_buff *skb, const struct frame *f,
				      const struct tsw_fast *to)
{
	const bool v4 = f->eth.type == bpf_htons(ETH_P_IP);
	int verdict = v4 ? fast_write4(skb, to) : fast_write6(skb, f, to);

	if (verdict == REDIRECT)
		verdict = fast_sum(skb, f, to);
	if (verdict == REDIRECT)
		verdict = fast_store(skb, f->l4, &to->sport, 2 * sizeof(to->sport));
	if (verdict == REDIRECT && to->out)
		verdict = fast_store(skb, 0, &to->hw_dst, 2 * TSW_MAC_LEN);
	return verdict;
}

/* Sends the frame on as if the router had sent it. */
static __always_inline int fast_send(struct __sk_buff *skb, const struct tsw_config *cfg,
				     struct frame_id *id, const struct tsw_fast *to)
{
	id->out = to->mark ? cfg->gateway : to->out;
	skb->mark = to->mark;
	if (to->mark)
		stamp_set(skb, cfg, to->mark, cfg->gateway);
	bpf_redirect(id->out, 0);
	return REDIRECT;
}

static __always_inline bool fast_equal(const struct tsw_fast *a, const struct tsw_fast *b)
{
	const __u64 *x = (const void *)a, *y = (const void *)b;

#pragma unroll
	for (__u32 i = 0; i < sizeof(*a) / sizeof(*x); i++)
		if (x[i] != y[i])
			return false;
	return true;
}

/*
 * Copies a lease. The memory of a removed lease may belong to another flow at once, even during the
 * reading. So the lease is looked up again afterwards: if it is the same flow's, at the same
 * address, the copy is valid. Between the two an atomic operation with a result orders all memory
 * accesses.
 */
static __always_inline struct tsw_fast *fast_read(const struct tsw_flow_key *key,
						  struct tsw_fast *to)
{
	struct tsw_fast *at = fast_get(key);

	if (!at)
		return NULL;
	*to = *at;
	__sync_fetch_and_add(&to->until, 0);
	return fast_get(key) == at && fast_equal(to, at) ? at : NULL;
}

/* Do the host's routes and neighbours still lead to the world the same way? */
static __always_inline bool fast_is_routed(struct __sk_buff *skb, const struct tsw_config *cfg,
					   const struct frame *f, const struct tsw_fast *to)
{
	const struct uplink_way *w = uplink_find(skb, cfg, f, &f->dst);

	return w && w->result == BPF_FIB_LKUP_RET_SUCCESS && w->fib.ifindex == to->out &&
	       mac_equal((const void *)w->fib.dmac, &to->hw_dst) &&
	       mac_equal((const void *)w->fib.smac, &to->hw_src) && uplink_takes(skb, w, to->mtu);
}

/*
 * Asks fast_is_routed() unless it was asked a moment ago. at may be another flow's lease by now,
 * which is just as new.
 */
static __always_inline bool fast_ask(struct __sk_buff *skb, const struct tsw_config *cfg,
				     const struct frame *f, const struct tsw_fast *to,
				     struct tsw_fast *at)
{
	const __u64 now = bpf_ktime_get_coarse_ns();

	if (to->mark || to->asked > now)
		return true;
	if (!fast_is_routed(skb, cfg, f, to))
		return false;
	at->asked = now + TSW_FAST_ASK;
	return true;
}

/* Finds the lease of the frame's flow and copies it. NULL: the router's rules judge the frame. */
static __noinline struct tsw_fast *fast_find(struct __sk_buff *skb, const struct frame *f,
					     __u32 tenant, const struct tsw_config *cfg,
					     struct tsw_fast *to)
{
	struct tsw_fast *at;
	struct tsw_flow_key key = {
		.tenant = tenant, .src = f->src, .dst = f->dst, .proto = f->proto};
	struct upper u;

	if (!fast_reads(skb, f, &u))
		return NULL;
	key.sport = u.sport;
	key.dport = u.dport;
	at = fast_read(&key, to);
	if (!at || !fast_is_leased(to, cfg) || (to->in && to->in != skb->ifindex) ||
	    (to->mtu && f->l3_len > to->mtu))
		return NULL;
	return at;
}

/* A tenant's frame at its gateway. NEXT: the router's rules judge it. */
static __noinline int fast_way(struct __sk_buff *skb, const struct tsw_config *cfg,
			       const struct frame *f, struct frame_id *id, __u32 tenant)
{
	struct uplink_way *w = uplink_way();
	struct tsw_fast *at;
	int verdict;

	if (!cfg->gateway || !w)
		return NEXT;
	at = fast_find(skb, f, tenant, cfg, &w->lease);
	if (!at || !fast_ask(skb, cfg, f, &w->lease, at))
		return NEXT;
	verdict = fast_write(skb, f, &w->lease);
	return verdict == REDIRECT ? fast_send(skb, cfg, id, &w->lease) : verdict;
}

#endif
