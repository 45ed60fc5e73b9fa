/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe's octets: its IP, UDP and BFD headers, what must be in them, and an answer's. */
#ifndef TSW_BPF_TUNNEL_PROBE_PACKET_H
#define TSW_BPF_TUNNEL_PROBE_PACKET_H

#include "tunnel/outer.h"

TSW_HASH(tsw_probes, __u32, struct tsw_probe);

struct probe {
	struct udphdr udp;
	struct tsw_bfd bfd;
};

_Static_assert(sizeof(struct probe) == 32, "summed by words");

/*
 * The discriminator of questions to this host, so that a misrouted question gets no answer. It is
 * the IPv4 address, or the XOR of the four words of the IPv6 address; never 0.
 */
static __always_inline __be32 probe_discriminator(const struct tsw_addr *local,
						  enum tsw_family family)
{
	const __be32 *w = local->w;

	if (family == TSW_IPV4)
		return w[3];
	return (w[0] ^ w[1] ^ w[2] ^ w[3]) ?: bpf_htonl(1);
}

static __always_inline bool probe_ipv4_is_sound(const struct iphdr *ip, const struct tunnel *t)
{
	return ip->version == 4 && ip->ihl == 5 &&
	       ip->tot_len == bpf_htons(sizeof(*ip) + sizeof(struct probe)) &&
	       !(ip->frag_off & bpf_htons(IPV4_OFFSET | IPV4_MORE_FRAGMENTS)) && ip->ttl == 255 &&
	       ip->protocol == IPPROTO_UDP && !ipv4_csum(ip) && ip->saddr == t->from.w[3];
}

static __always_inline bool probe_ipv6_is_sound(const struct ipv6hdr *ip, const struct tunnel *t)
{
	return ip->version == 6 && ip->payload_len == bpf_htons(sizeof(struct probe)) &&
	       ip->hop_limit == 255 && ip->nexthdr == IPPROTO_UDP &&
	       addr_equal((const struct tsw_addr *)&ip->saddr, &t->from);
}

/* Is it a question's destination? This range is reserved, so that no router forwards the packet. */
static __always_inline bool probe_is_to_loopback(const struct tsw_addr *to)
{
	return !to->w[0] && !to->w[1] && to->w[2] == bpf_htonl(TSW_V4MAPPED) &&
	       (to->w[3] & bpf_htonl(0xff000000)) == bpf_htonl(0x7f000000);
}

/* Is it a question by RFC 5880 section 6.8.6 and RFC 7880? */
static __always_inline bool probe_asks(const struct probe *p, __be32 discriminator)
{
	const __u8 flags =
		TSW_BFD_FINAL | TSW_BFD_AUTHENTICATED | TSW_BFD_DEMAND | TSW_BFD_MULTIPOINT;

	return p->udp.dest == bpf_htons(TSW_SBFD_PORT) && p->udp.source &&
	       p->udp.source != bpf_htons(TSW_SBFD_PORT) && p->udp.len == bpf_htons(sizeof(*p)) &&
	       (p->bfd.version & TSW_BFD_VERSION_MASK) == TSW_BFD_VERSION &&
	       p->bfd.length == TSW_BFD_LENGTH && p->bfd.multiplier &&
	       (p->bfd.flags & flags) == TSW_BFD_DEMAND && p->bfd.mine &&
	       p->bfd.yours == discriminator;
}

/* Is it the answer to this host's question mine, by the host with that discriminator? */
static __always_inline bool probe_answers(const struct probe *p, __be32 mine, __be32 discriminator)
{
	const __u8 flags =
		TSW_BFD_STATE | TSW_BFD_AUTHENTICATED | TSW_BFD_DEMAND | TSW_BFD_MULTIPOINT;

	return p->udp.source == bpf_htons(TSW_SBFD_PORT) && p->udp.dest &&
	       p->udp.dest != bpf_htons(TSW_SBFD_PORT) && p->udp.len == bpf_htons(sizeof(*p)) &&
	       (p->bfd.version & TSW_BFD_VERSION_MASK) == TSW_BFD_VERSION &&
	       p->bfd.length == TSW_BFD_LENGTH && p->bfd.multiplier &&
	       (p->bfd.flags & flags) == TSW_BFD_UP && p->bfd.mine == discriminator &&
	       p->bfd.yours == mine;
}

/* The diagnostic that this host's agent sends in answers; 0: none. */
static __always_inline __u8 probe_diagnostic(void)
{
	const __u32 self = 0;
	const struct tsw_probe *own = bpf_map_lookup_elem(&tsw_probes, &self);

	return own && bpf_ktime_get_ns() - own->answered < TSW_TELL
		       ? own->diagnostic & ~TSW_BFD_VERSION_MASK
		       : 0;
}

static __always_inline void probe_turn(struct probe *p)
{
	const __u8 poll = p->bfd.flags & TSW_BFD_POLL;

	p->udp.dest = p->udp.source;
	p->udp.source = bpf_htons(TSW_SBFD_PORT);
	p->udp.check = 0;
	p->bfd.version = TSW_BFD_VERSION | probe_diagnostic();
	p->bfd.flags = TSW_BFD_UP | TSW_BFD_INDEPENDENT | (poll ? TSW_BFD_FINAL : 0);
	p->bfd.yours = p->bfd.mine;
	p->bfd.min_rx = bpf_htonl(TSW_BFD_MIN_RX);
	p->bfd.min_echo = 0;
}

static __always_inline __u16 probe_csum(const struct tsw_addr *from, const struct tsw_addr *to,
					struct probe *p)
{
	__u32 sum = ipv6_pseudo_sum(from, to, sizeof(*p), IPPROTO_UDP);

	return csum_fold(bpf_csum_diff(NULL, 0, (__be32 *)p, sizeof(*p), sum));
}

/* Is the checksum wrong? Only over IPv4 it may be missing. */
static __always_inline bool probe_is_broken(const struct tunnel *t, const struct tsw_addr *from,
					    const struct tsw_addr *to, struct probe *p)
{
	return p->udp.check ? probe_csum(from, to, p) : t->family == TSW_IPV6;
}

#endif
