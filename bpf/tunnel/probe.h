/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another host asks whether this host is alive, and the program answers: Seamless BFD (RFC 7880,
 * over UDP RFC 7881) in the tunnel, as RFC 8971 puts BFD into VXLAN. It works over GRE and Geneve
 * likewise. An answer proves that the wire, the programs and their maps work. The asker is not
 * stored. tsw_probes has the answers to this host's own questions.
 *
 * The VNI or key is 0, which is no tenant's. So tenants' frames never come here, no endpoint sends
 * or gets a probe, and to_wire.h lets out only the switch's own. An answer is as long as its
 * question and goes only to the address of a host. It cannot be taken for a question, so two hosts
 * never answer each other's answers.
 */
#ifndef TSW_BPF_TUNNEL_PROBE_H
#define TSW_BPF_TUNNEL_PROBE_H

#include "tunnel/crypt_check.h"
#include "tunnel/encap.h"
#include "core/host.h"
#include "core/kernel_skb.h"
#include "tunnel/outer.h"
#include "tunnel/host_pass.h"
#include "tunnel/probe_packet.h"

static const struct tsw_mac probe_mac = TSW_PROBE_MAC;

/* Notes the answer after the inner IP header, if this host has asked for it. */
static __noinline int probe_hear(struct __sk_buff *skb, const struct tunnel *t, __u32 at,
				 const struct tsw_addr *to)
{
	struct tsw_addr from = t->from;
	__u32 host = host_by_vtep(&from);
	struct tsw_probe *asked = bpf_map_lookup_elem(&tsw_probes, &host);
	struct probe p;

	if (!asked || frame_read(skb, at, &p, sizeof(p)) ||
	    !probe_answers(&p, asked->mine, probe_discriminator(&from, t->family & 1)) ||
	    probe_is_broken(t, &from, to, &p))
		return drop(TSW_DROP_BAD_PROBE);
	asked->diagnostic = p.bfd.version & ~TSW_BFD_VERSION_MASK;
	asked->answered = bpf_ktime_get_ns();
	return CONSUMED;
}

/* Turns the question after the inner IP header into its answer. */
static __noinline int probe_answer(struct __sk_buff *skb, const struct tunnel *t, __u32 at,
				   const struct tsw_addr *to)
{
	struct tsw_config *cfg = config_get();
	struct tsw_addr from = t->from;
	struct tsw_addr local;
	struct probe p;
	__be32 mine;

	if (!cfg || frame_read(skb, at, &p, sizeof(p)))
		return drop(TSW_DROP_BAD_PROBE);
	local = cfg->local[t->family & 1];
	mine = probe_discriminator(&local, t->family & 1);
	if (!probe_asks(&p, mine) || probe_is_broken(t, &from, to, &p))
		return drop(TSW_DROP_BAD_PROBE);
	probe_turn(&p);
	p.bfd.mine = mine;
	p.udp.check = probe_csum(&local, &from, &p) ?: 0xffff;
	return bpf_skb_store_bytes(skb, at, &p, sizeof(p), 0) ? drop(TSW_DROP_INTERNAL) : NEXT;
}

/* Rewrites an IP header, outer or inner, for the answer: from this host to the asker. */
static __always_inline int probe_back_ipv4(struct __sk_buff *skb, const struct tsw_config *cfg,
					   const struct tunnel *t, __u32 at, __u8 ttl)
{
	struct iphdr ip;

	if (bpf_skb_load_bytes(skb, at, &ip, sizeof(ip)))
		return drop(TSW_DROP_INTERNAL);
	ip.ttl = ttl;
	ip.saddr = cfg->local[TSW_IPV4].w[3];
	ip.daddr = t->from.w[3];
	ip.check = 0;
	ip.check = ipv4_csum(&ip);
	return bpf_skb_store_bytes(skb, at, &ip, sizeof(ip), 0) ? drop(TSW_DROP_INTERNAL) : NEXT;
}

static __always_inline int probe_back_ipv6(struct __sk_buff *skb, const struct tsw_config *cfg,
					   const struct tunnel *t, __u32 at, __u8 hop_limit)
{
	struct tsw_addr addrs[2] = {cfg->local[TSW_IPV6], t->from};

	if (bpf_skb_store_bytes(skb, at + offsetof(struct ipv6hdr, hop_limit), &hop_limit,
				sizeof(hop_limit), 0) ||
	    bpf_skb_store_bytes(skb, at + offsetof(struct ipv6hdr, saddr), addrs, sizeof(addrs), 0))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/* off: offset of the outer IP header, at: of the inner one. */
static __noinline int probe_ipv4(struct __sk_buff *skb, const struct tunnel *t, __u32 off, __u32 at)
{
	struct tsw_config *cfg = config_get();
	struct tsw_addr to;
	struct iphdr ip;
	int verdict;

	if (!cfg || frame_read(skb, at, &ip, sizeof(ip)) || !probe_ipv4_is_sound(&ip, t))
		return drop(TSW_DROP_BAD_PROBE);
	to = addr_from_v4(ip.daddr);
	if (addr_equal(&to, &cfg->local[TSW_IPV4]))
		return probe_hear(skb, t, at + sizeof(ip), &to);
	if (!probe_is_to_loopback(&to))
		return drop(TSW_DROP_BAD_PROBE);
	verdict = probe_answer(skb, t, at + sizeof(ip), &to);
	if (verdict == NEXT)
		verdict = probe_back_ipv4(skb, cfg, t, at, 255);
	return verdict == NEXT ? probe_back_ipv4(skb, cfg, t, off, OUTER_TTL) : verdict;
}

static __noinline int probe_ipv6(struct __sk_buff *skb, const struct tunnel *t, __u32 off, __u32 at)
{
	struct tsw_config *cfg = config_get();
	struct ipv6hdr ip;
	struct tsw_addr to;
	int verdict;

	if (!cfg || frame_read(skb, at, &ip, sizeof(ip)) || !probe_ipv6_is_sound(&ip, t))
		return drop(TSW_DROP_BAD_PROBE);
	__builtin_memcpy(&to, &ip.daddr, sizeof(to));
	if (addr_equal(&to, &cfg->local[TSW_IPV6]))
		return probe_hear(skb, t, at + sizeof(ip), &to);
	if (!probe_is_to_loopback(&to))
		return drop(TSW_DROP_BAD_PROBE);
	verdict = probe_answer(skb, t, at + sizeof(ip), &to);
	if (verdict == NEXT)
		verdict = probe_back_ipv6(skb, cfg, t, at, 255);
	return verdict == NEXT ? probe_back_ipv6(skb, cfg, t, off, OUTER_TTL) : verdict;
}

/* Geneve marks it as a frame for the tunnel's end itself (RFC 9521), and has no options. */
static __always_inline bool probe_header_is_sound(struct __sk_buff *skb, const struct tunnel *t,
						  __u32 off)
{
	__be32 first;

	if (t->encap != TSW_ENCAP_GENEVE)
		return t->sound;
	return !frame_read(skb, off + t->l4 + offsetof(struct geneve_header, geneve), &first,
			   sizeof(first)) &&
	       first == bpf_htonl(GENEVE_CONTROL << 16 | ETH_P_TEB);
}

/* Can the tunnel's own headers stay as they are in an answer? */
static __always_inline bool probe_outer_is_sound(struct __sk_buff *skb, const struct tunnel *t,
						 __u32 off)
{
	return !t->odd && !t->has_csum && t->udp_fits && !skb->gso_size && !skb->vlan_present &&
	       skb->len == off + t->end && probe_header_is_sound(skb, t, off);
}

/*
 * A tunnel frame with VNI or key 0. Frames from other senders than hosts, or to another MAC, are
 * not the switch's. Global, so that the verifier goes through it once. The answer leaves by the
 * device that the question came by. The kernel finds the neighbour, as for all frames to a host.
 */
__noinline int tsw_probe(struct __sk_buff *skb, const struct tunnel *t)
{
	struct tsw_config *cfg = config_get();
	bool lost_eth = cfg && frame_is_bare(skb, cfg);
	__u32 off = lost_eth ? 0 : ETH_HLEN;
	struct tsw_addr from;
	struct eth eth;
	__u16 type;
	__u32 at;
	int verdict;

	if (!cfg || !t)
		return drop(TSW_DROP_INTERNAL);
	from = t->from;
	at = off + t->inner;
	if (!host_by_vtep(&from) || frame_read(skb, at, &eth, sizeof(eth)) ||
	    !mac_equal(&eth.dst, &probe_mac))
		return outer_of_nobody(cfg, t);
	if (skb->vlan_present && cfg->flags & TSW_CFG_TAGGED)
		return PASS; /* to the VLAN's own device, where this program sees it again */
	if (crypt_is_on(cfg) && tsw_crypt_guard(skb, t) != NEXT)
		return drop(TSW_DROP_NOT_ENCRYPTED);
	type = t->family == TSW_IPV6 ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP);
	if (!probe_outer_is_sound(skb, t, off) || eth.type != type)
		return drop(TSW_DROP_BAD_PROBE);
	/* redirect_neigh loses a frame whose Ethernet header is not shown. */
	if (lost_eth && bpf_skb_change_head(skb, ETH_HLEN, 0))
		return drop(TSW_DROP_INTERNAL);
	off = ETH_HLEN;
	at = off + t->inner + sizeof(eth);
	verdict = t->family == TSW_IPV6 ? probe_ipv6(skb, t, off, at) : probe_ipv4(skb, t, off, at);
	if (verdict != NEXT)
		return verdict;
	skb->mark = 0;
	pass_give(skb, cfg, PASS_DOWN);
	device_send_back(skb, cfg);
	return REDIRECT;
}

#endif
