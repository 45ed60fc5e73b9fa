/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames from MACs behind a port (`macs N`), as of a bridge or a macvlan in a container, or of a
 * VRRP router. Each leaves with the endpoint's own MAC, also in what ARP and ND say, so the guards
 * and all other hosts know this one only. core/inner.h leads the answers back.
 */
#ifndef TSW_BPF_PORT_MACS_H
#define TSW_BPF_PORT_MACS_H

#include "answer/arp.h"
#include "answer/nd.h"
#include "core/inner.h"
#include "port/guard.h"
#include "port/macs_ask.h"

#define MACS_SILENT (TSW_INNER_SECONDS * INNER_SECOND)

/* The search for a MAC among the places of its port. */
struct macs_search {
	struct tsw_inner *inner;
	__u64 word, now;
	bool found;
	__u32 free; /* the first place that is free or silent; TSW_MACS: all are in use */
	__u64 had;  /* the word that was in that place */
};

static long macs_look(__u32 i, struct macs_search *s)
{
	struct tsw_inner_mac *entry = &s->inner->mac[i & (TSW_MACS - 1)];
	const __u64 had = *inner_mac_at(entry);

	if (had == s->word) {
		if (s->now - entry->seen > INNER_SECOND)
			entry->seen = s->now;
		s->found = true;
		return 1;
	}
	if (s->free == TSW_MACS && (!had || s->now - entry->seen > MACS_SILENT)) {
		s->free = i;
		s->had = had;
	}
	return 0;
}

/*
 * May the endpoint send from this inner MAC? It gets a place if one is free. `seen` is written
 * before the MAC, so that no other CPU takes the place as a silent one. Two CPUs that want the same
 * place meet in the exchange, and the slower one looks again. Global, like the next ones: the
 * verifier goes through each once.
 */
__noinline int tsw_macs_admit(__u32 tenant, const struct tsw_mac *own, const struct tsw_mac *mac,
			      __u32 ifindex)
{
	struct tsw_fdb_key who = {.tenant = tenant};
	struct macs_search s = {};
	struct tsw_inner_mac *entry;
	__u32 *most;

	if (!own || !mac)
		return false;
	who.mac = *own;
	most = bpf_map_lookup_elem(&tsw_macs, &who);
	if (!most || mac_is_group(mac) || mac_equal(mac, &service_mac) ||
	    (fdb_get(tenant, mac) && !fdb_is_port(tenant, mac, ifindex)))
		return false;
	s.inner = inner_get(&who);
	s.word = inner_word(mac);
	s.now = bpf_ktime_get_ns();
	if (!s.inner || !s.word)
		return false;
	for (int try = 0; try < 2; try++) {
		s.free = TSW_MACS;
		bpf_loop(*most, macs_look, &s, 0);
		if (s.found)
			return true;
		if (s.free >= TSW_MACS)
			return false;
		entry = &s.inner->mac[s.free & (TSW_MACS - 1)];
		entry->seen = s.now;
		if (__sync_bool_compare_and_swap((__u64 *)&entry->mac, s.had, s.word))
			return true;
	}
	return false;
}

/* A frame's claim: this MAC has this address. */
struct macs_claim {
	struct tsw_addr addr; /* zero: nothing */
	struct tsw_mac mac;
	bool sure; /* claimed by ARP or ND */
	bool asks; /* it asks for a service address, which other steps answer */
};

/*
 * Keeps the claim. A frame without ARP or ND takes no address that another MAC has confirmed
 * lately: a VRRP router sends from a virtual MAC with another MAC's address. If all eight places of
 * the address are in use, one is replaced at random. INNER_BUSY keeps other CPUs away while the
 * address is written.
 */
static __always_inline void macs_keep(struct tsw_inner *inner, const struct macs_claim *claim)
{
	const __u64 word = inner_word(&claim->mac);
	const __u32 set = inner_set(&claim->addr);
	const __u64 now = bpf_ktime_get_ns();
	struct tsw_inner_addr *at;
	__u64 had;
	__u32 i;

	at = inner_find(inner, &claim->addr, &had);
	if (at) {
		if (had != word && !claim->sure && now - at->seen < INNER_STALE)
			return;
		if (had != word)
			__sync_val_compare_and_swap((__u64 *)&at->mac, had, word);
		if (had != word || now - at->seen > INNER_SECOND)
			at->seen = now;
		return;
	}
	for (i = 0; i < TSW_INNER_WAYS - 1; i++)
		if (!*inner_addr_at(inner_place(inner, set + i)))
			break;
	if (i == TSW_INNER_WAYS - 1)
		i = bpf_get_prandom_u32() & (TSW_INNER_WAYS - 1);
	at = inner_place(inner, set + i);
	had = *inner_addr_at(at);
	if (had == INNER_BUSY || !__sync_bool_compare_and_swap((__u64 *)&at->mac, had, INNER_BUSY))
		return;
	at->addr = claim->addr;
	at->seen = now;
	__sync_lock_test_and_set((__u64 *)&at->mac, word);
}

static __always_inline bool macs_arp(struct __sk_buff *skb, const struct tsw_mac *own,
				     struct macs_claim *claim)
{
	struct arp arp;

	if (frame_read(skb, ETH_HLEN, &arp, sizeof(arp)) || !arp_is_ipv4(&arp))
		return false;
	if (arp.sender_ip)
		claim->addr = addr_from_v4(arp.sender_ip);
	claim->sure = mac_equal(&arp.sender_mac, &claim->mac);
	if (claim->sure)
		arp.sender_mac = *own;
	claim->asks =
		arp.op == bpf_htons(ARPOP_REQUEST) && arp.target_ip == bpf_htonl(TSW_SERVICE_IP);
	if (mac_equal(&arp.target_mac, &claim->mac))
		arp.target_mac = *own;
	return !bpf_skb_store_bytes(skb, ETH_HLEN, &arp, sizeof(arp), 0);
}

static __always_inline void macs_ipv4(struct __sk_buff *skb, struct macs_claim *claim)
{
	__be32 from;

	if (!bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct iphdr, saddr), &from, sizeof(from)))
		claim->addr = addr_from_v4(from);
}

#define MACS_ICMP (ETH_HLEN + sizeof(struct ipv6hdr))

struct macs_options {
	struct __sk_buff *skb;
	const struct tsw_mac *own;
	struct macs_claim *claim;
	__u32 off; /* of the next option */
};

/* Writes the endpoint's own MAC in place of the inner one in one option. */
static long macs_option(__u32 i, struct macs_options *o)
{
	const __u32 off = o->off;
	struct nd_lladdr opt, now;
	__s64 diff;

	if (bpf_skb_load_bytes(o->skb, off, &opt, sizeof(opt)) || !opt.len)
		return 1;
	o->off += opt.len * 8;
	if ((opt.type != ND_OPT_SOURCE_LLADDR && opt.type != ND_OPT_TARGET_LLADDR) ||
	    !mac_equal(&opt.mac, &o->claim->mac))
		return 0;
	o->claim->sure = true;
	now = opt;
	now.mac = *o->own;
	diff = bpf_csum_diff((void *)&opt, sizeof(opt), (void *)&now, sizeof(now), 0);
	return bpf_skb_store_bytes(o->skb, off, &now, sizeof(now), 0) ||
	       bpf_l4_csum_replace(o->skb, MACS_ICMP + offsetof(struct nd, check), 0, diff, 0);
}

/*
 * Goes through the options like nd_guard_options(), which later drops a message that still has an
 * inner MAC. Messages with extension headers are not translated, because nobody sends them.
 */
__noinline int tsw_macs_nd(struct __sk_buff *skb, const struct tsw_mac *own,
			   struct macs_claim *claim)
{
	struct macs_options o = {.skb = skb, .own = own, .claim = claim};
	const __u32 at = MACS_ICMP + offsetof(struct nd, target);
	struct tsw_addr target;
	__u8 type = 0;

	if (!own || !claim || bpf_skb_load_bytes(skb, MACS_ICMP, &type, sizeof(type)))
		return 0;
	o.off = nd_options_at(type);
	if (!o.off || bpf_skb_pull_data(skb, skb->len))
		return 0;
	if (type == ND_NEIGHBOUR_ADVERT)
		bpf_skb_load_bytes(skb, at, &claim->addr, sizeof(claim->addr));
	else if (type == ND_NEIGHBOUR_SOLICIT)
		claim->asks = !bpf_skb_load_bytes(skb, at, &target, sizeof(target)) &&
			      addr_is_service(&target);
	o.off += MACS_ICMP;
	bpf_loop(ND_OPTIONS, macs_option, &o, 0);
	return 0;
}

static __always_inline void macs_ipv6(struct __sk_buff *skb, const struct tsw_mac *own,
				      struct macs_claim *claim)
{
	__u8 next = 0;

	bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, saddr), &claim->addr,
			   sizeof(claim->addr));
	bpf_skb_load_bytes(skb, ETH_HLEN + offsetof(struct ipv6hdr, nexthdr), &next, sizeof(next));
	if (next == IPPROTO_ICMPV6)
		tsw_macs_nd(skb, own, claim);
	if (addr_is_v4mapped(&claim->addr))
		claim->addr = (struct tsw_addr){};
}

/* The port may send from the address, or take it by this frame (port/vip.h). */
static __always_inline bool macs_may_have(const struct tsw_port *port, const struct tsw_addr *addr)
{
	return guard_owns(port, addr) || (port->flags & TSW_PORT_VIP && vip_may_probe(port, addr));
}

/*
 * Takes a frame of a port with TSW_PORT_MACS: translates its source MAC, and keeps which MAC has
 * the source address, if the port may send from it. A MAC without a place stays as it is, and
 * guard() drops the frame. CONSUMED: ARP or ND for the asker of tsw_macs_ask(), such as an answer.
 * Called before the frame is parsed, so the other steps see it as if the endpoint itself had sent
 * it.
 */
__noinline int tsw_macs_from(struct __sk_buff *skb)
{
	struct tsw_port *port = port_get(skb->ifindex);
	struct macs_claim claim = {};
	struct tsw_fdb_key who = {};
	struct tsw_inner *inner;
	struct tsw_mac dst;
	__be16 type;

	if (!port || bpf_skb_load_bytes(skb, 0, &dst, sizeof(dst)) ||
	    bpf_skb_load_bytes(skb, ETH_ALEN, &claim.mac, sizeof(claim.mac)) ||
	    bpf_skb_load_bytes(skb, 2 * ETH_ALEN, &type, sizeof(type)))
		return NEXT;
	who.tenant = port->tenant;
	who.mac = port->mac;
	if (!mac_equal(&claim.mac, &who.mac) &&
	    (!tsw_macs_admit(who.tenant, &who.mac, &claim.mac, skb->ifindex) ||
	     bpf_skb_store_bytes(skb, ETH_ALEN, &who.mac, sizeof(who.mac), 0)))
		return NEXT;
	if (type == bpf_htons(ETH_P_ARP))
		macs_arp(skb, &who.mac, &claim);
	else if (type == bpf_htons(ETH_P_IP))
		macs_ipv4(skb, &claim);
	else if (type == bpf_htons(ETH_P_IPV6))
		macs_ipv6(skb, &who.mac, &claim);
	if (addr_is_zero(&claim.addr) || !macs_may_have(port, &claim.addr))
		return NEXT;
	inner = inner_get(&who);
	if (inner)
		macs_keep(inner, &claim);
	return claim.sure && !claim.asks && mac_equal(&dst, &service_mac) ? CONSUMED : NEXT;
}

#endif
