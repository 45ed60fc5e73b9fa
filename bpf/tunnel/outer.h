/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the outer headers, IPv4 or IPv6 with VXLAN, GRE or Geneve, for tc and XDP alike. encap.h
 * puts them on, decap.h takes them off.
 */
#ifndef TSW_BPF_TUNNEL_OUTER_H
#define TSW_BPF_TUNNEL_OUTER_H

#include "core/checksum.h"
#include "core/config.h"
#include "tunnel/geneve.h"
#include "tunnel/gre.h"
#include "core/parse.h"
#include "tunnel/vxlan.h"

#define OUTER_LOOK 76  /* octets after Ethernet: the longest IPv4 header, UDP, VXLAN or Geneve */
#define OUTER_MAX 308  /* without IP options: IPv6, UDP, Geneve with the most options */
#define OUTER_MASK 511 /* all values up to it */

/* The outer headers' content. Offsets are from the outer IP header. */
struct tunnel {
	__u32 tenant;
	__u32 host;  /* index of the sender; 0: no host's address */
	__u32 l4;    /* offset of UDP or GRE */
	__u32 inner; /* of the inner Ethernet header */
	__u32 end;   /* of the packet's end, by its IP header */
	__u8 encap;  /* enum tsw_encap */
	__u8 family; /* enum tsw_family */
	__u8 tos;
	__u8 proto;    /* the protocol after the IP header and its extensions */
	__u8 odd;      /* enum tsw_drop: why a tenant's frame is not let in; 0: no reason */
	bool sound;    /* the tunnel header is as the kernel's device wants it */
	bool has_csum; /* a checksum of UDP or GRE */
	bool udp_fits; /* UDP's length agrees with IP's */
	struct tsw_addr from;
};

/* PASS: not for this host, or not readable. The kernel handles it. */
static __always_inline int outer_ipv4(void *l3, void *end, const struct tsw_config *cfg,
				      struct tunnel *t)
{
	struct iphdr *ip = l3;

	if ((void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5 || !ip->daddr ||
	    ip->daddr != cfg->local[TSW_IPV4].w[3] || ip->frag_off & bpf_htons(IPV4_OFFSET) ||
	    (ip->ihl == 5 && ipv4_csum(ip)))
		return PASS;
	t->family = TSW_IPV4;
	t->l4 = ip->ihl * 4;
	t->end = bpf_ntohs(ip->tot_len);
	t->tos = ip->tos;
	t->proto = ip->protocol;
	t->from = addr_from_v4(ip->saddr);
	if (ip->frag_off & bpf_htons(IPV4_MORE_FRAGMENTS))
		t->odd = TSW_DROP_OUTER_FRAGMENT;
	else if (ip->ihl > 5)
		t->odd = TSW_DROP_OUTER_OPTIONS;
	return NEXT;
}

/* Reads one extension header, to know whose frame is dropped for it. */
static __always_inline int outer_ipv6_extension(void *l3, void *end, struct tunnel *t)
{
	struct ipv6_extension *ext = l3 + sizeof(struct ipv6hdr);

	if ((void *)(ext + 1) > end)
		return PASS;
	t->odd = TSW_DROP_OUTER_OPTIONS;
	t->l4 += (ext->len + 1) * 8;
	if (t->proto == IPPROTO_FRAGMENT) {
		if (ext->fragment & bpf_htons(IPV6_OFFSET))
			return PASS;
		t->odd = TSW_DROP_OUTER_FRAGMENT;
		t->l4 = sizeof(struct ipv6hdr) + 8;
	}
	t->proto = ext->next;
	return NEXT;
}

static __always_inline int outer_ipv6(void *l3, void *end, const struct tsw_config *cfg,
				      struct tunnel *t)
{
	struct ipv6hdr *ip = l3;

	if ((void *)(ip + 1) > end || ip->version != 6 || addr_is_zero(&cfg->local[TSW_IPV6]) ||
	    !addr_equal((struct tsw_addr *)&ip->daddr, &cfg->local[TSW_IPV6]))
		return PASS;
	t->family = TSW_IPV6;
	t->l4 = sizeof(*ip);
	t->end = sizeof(*ip) + bpf_ntohs(ip->payload_len);
	t->tos = ip->priority << 4 | ip->flow_lbl[0] >> 4;
	t->proto = ip->nexthdr;
	/* An IPv4-mapped address is no host's on the wire: it stays zero. */
	if (!addr_is_v4mapped((struct tsw_addr *)&ip->saddr))
		t->from = *(struct tsw_addr *)&ip->saddr;
	if (!ipv6_is_extension(t->proto))
		return NEXT;
	return t->proto == IPPROTO_AH ? PASS : outer_ipv6_extension(l3, end, t);
}

static __always_inline int outer_vxlan(void *l4, void *end, struct tunnel *t)
{
	struct vxlan_header *h = l4;

	if ((void *)(h + 1) > end)
		return drop(TSW_DROP_TRUNCATED);
	t->encap = TSW_ENCAP_VXLAN;
	t->tenant = vxlan_vni(&h->vxlan);
	t->inner = t->l4 + sizeof(*h);
	t->sound = vxlan_is_sound(&h->vxlan);
	t->has_csum = h->udp.check;
	t->udp_fits = bpf_ntohs(h->udp.len) == t->end - t->l4;
	return NEXT;
}

static __always_inline int outer_geneve(void *l4, void *end, struct tunnel *t)
{
	struct geneve_header *h = l4;

	if ((void *)(h + 1) > end)
		return drop(TSW_DROP_TRUNCATED);
	t->encap = TSW_ENCAP_GENEVE;
	t->tenant = geneve_vni(&h->geneve);
	t->inner = t->l4 + sizeof(*h) + geneve_options_len(&h->geneve);
	t->sound = geneve_is_sound(&h->geneve);
	t->has_csum = h->udp.check;
	t->udp_fits = bpf_ntohs(h->udp.len) == t->end - t->l4;
	if (t->sound && !t->odd && geneve_is_critical(&h->geneve))
		t->odd = TSW_DROP_CRITICAL_OPTION;
	return NEXT;
}

/* The port tells which of the two a datagram may be. */
static __always_inline int outer_udp(void *l4, void *end, const struct tsw_config *cfg,
				     struct tunnel *t)
{
	struct udphdr *udp = l4;

	if ((void *)(udp + 1) > end)
		return PASS;
	if (udp->dest == cfg->port)
		return outer_vxlan(l4, end, t);
	return udp->dest == bpf_htons(TSW_GENEVE_PORT) ? outer_geneve(l4, end, t) : PASS;
}

/* Does the Geneve header have options? tsw_geneve_options() checks them. */
static __always_inline bool outer_has_options(const struct tunnel *t)
{
	return t->encap == TSW_ENCAP_GENEVE && t->inner != t->l4 + sizeof(struct geneve_header);
}

static __always_inline int outer_gre(void *l4, void *end, struct tunnel *t)
{
	struct gre *gre = l4;
	__be32 *key;

	if ((void *)(gre + 1) > end || !gre_has_tenant(gre))
		return PASS;
	key = l4 + gre_key_offset(gre);
	if ((void *)(key + 1) > end)
		return drop(TSW_DROP_TRUNCATED);
	t->encap = TSW_ENCAP_GRE;
	t->tenant = bpf_ntohl(*key);
	t->inner = t->l4 + gre_len(gre);
	t->sound = gre_is_sound(gre);
	t->has_csum = gre->flags & bpf_htons(GRE_CSUM);
	t->udp_fits = true;
	return NEXT;
}

/*
 * A frame of no tenant passes, because another VTEP on this host may want it. If the port's socket
 * is the switch's own, there can be no other VTEP. Then the frame, which would be dropped later, is
 * dropped here.
 */
static __always_inline int outer_of_nobody(const struct tsw_config *cfg, const struct tunnel *t)
{
	if (t->encap == TSW_ENCAP_GENEVE
		    ? cfg->geneve
		    : t->encap == TSW_ENCAP_VXLAN && cfg->flags & TSW_CFG_SLOW_PATH)
		return drop(TSW_DROP_UNKNOWN_TENANT);
	return PASS;
}

/*
 * Octets of the inner frame in a frame of len, for counting; the whole frame if the inner one is
 * not visible.
 */
static __always_inline __u32 outer_inner_len(__u32 len, const struct tunnel *t)
{
	__u32 headers = t->inner ? ETH_HLEN + t->inner : 0;

	return len > headers ? len - headers : 0;
}

/*
 * Reads the outer headers between l3 and end, which are linear octets. NEXT: a tunnel frame to this
 * host, of any tenant. PASS: anything else. Otherwise a drop reason, without a known tenant.
 */
static __always_inline int outer_parse(void *l3, void *end, __be16 ethertype,
				       const struct tsw_config *cfg, struct tunnel *t)
{
	int verdict = PASS;

	if (ethertype == bpf_htons(ETH_P_IP))
		verdict = outer_ipv4(l3, end, cfg, t);
	else if (ethertype == bpf_htons(ETH_P_IPV6))
		verdict = outer_ipv6(l3, end, cfg, t);
	if (verdict != NEXT)
		return verdict;
	if (t->proto == IPPROTO_UDP)
		return outer_udp(l3 + t->l4, end, cfg, t);
	return t->proto == IPPROTO_GRE ? outer_gre(l3 + t->l4, end, t) : PASS;
}

#endif
