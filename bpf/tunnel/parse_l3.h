/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a packet that leaves this host or comes to it, as the tunnel frame that it may be.
 *
 * It reads from the network header on, so the device's link header does not matter. It looks only
 * for packets that the other host would take (outer.h). That host drops packets with options or
 * extension headers, and later fragments.
 */
#ifndef TSW_BPF_TUNNEL_PARSE_L3_H
#define TSW_BPF_TUNNEL_PARSE_L3_H

#include "tunnel/geneve.h"
#include "tunnel/gre.h"
#include "core/parse.h"
#include "tunnel/probe.h"
#include "tunnel/vxlan.h"

#define L3_LOOK 128 /* octets of a frame that contain its tunnel header: link, IP, GRE */

/* A packet that might be a tunnel frame: its addresses, and what follows its IP header. */
struct l3_packet {
	struct tsw_addr from, to;
	__u32 l4;    /* offset from the network header */
	__u32 inner; /* offset of the inner frame; 0: not known */
	__u8 proto;
	bool flows;  /* a record of flows between agents */
	bool geneve; /* UDP to Geneve's port */
};

/* Reads len octets at off after the network header. 0, or an error if they are not there. */
static __always_inline int l3_read(struct __sk_buff *skb, __u32 off, void *to, __u32 len)
{
	return bpf_skb_load_bytes_relative(skb, off, to, len, BPF_HDR_START_NET);
}

static __always_inline bool l3_ipv6(struct __sk_buff *skb, struct l3_packet *p)
{
	struct ipv6hdr ip;

	if (l3_read(skb, 0, &ip, sizeof(ip)))
		return false;
	p->proto = ip.nexthdr;
	p->l4 = sizeof(ip);
	__builtin_memcpy(&p->from, &ip.saddr, sizeof(p->from));
	__builtin_memcpy(&p->to, &ip.daddr, sizeof(p->to));
	return true;
}

/* The version decides, not the Ethernet type, which may be a VLAN's. */
static __always_inline bool l3_ip(struct __sk_buff *skb, struct l3_packet *p)
{
	struct iphdr ip;

	if (l3_read(skb, 0, &ip, sizeof(ip)))
		return false;
	if (ip.version == 6)
		return l3_ipv6(skb, p);
	if (ip.version != 4 || ip.frag_off & bpf_htons(IPV4_OFFSET))
		return false;
	p->proto = ip.protocol;
	p->l4 = ip.ihl * 4;
	p->from = addr_from_v4(ip.saddr);
	p->to = addr_from_v4(ip.daddr);
	return true;
}

/* Is it for a tunnel end or an agent? The host is not looked up here. */
static __always_inline bool l3_is_tunnel(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct l3_packet *p)
{
	__be16 dport;

	if (p->proto != IPPROTO_UDP)
		return p->proto == IPPROTO_GRE;
	if (l3_read(skb, p->l4 + offsetof(struct udphdr, dest), &dport, sizeof(dport)))
		return false;
	p->flows = dport == bpf_htons(TSW_FLOWS_PORT);
	p->geneve = dport == bpf_htons(TSW_GENEVE_PORT) && dport != cfg->port;
	return p->flows || p->geneve || dport == cfg->port;
}

/*
 * Its VNI or key; 0: none. A sender that does not copy may leave the header outside the linear
 * part, where it cannot be read. So it is pulled.
 */
static __always_inline __u32 l3_tenant(struct __sk_buff *skb, struct l3_packet *p)
{
	union {
		struct vxlan_header vxlan;
		struct geneve_header geneve;
	} udp;
	struct gre gre;
	__be32 key;

	bpf_skb_pull_data(skb, skb->len < L3_LOOK ? skb->len : L3_LOOK);
	if (p->proto == IPPROTO_UDP) {
		if (l3_read(skb, p->l4, &udp, sizeof(udp)))
			return 0;
		p->inner = p->l4 + sizeof(udp);
		if (!p->geneve)
			return vxlan_vni(&udp.vxlan.vxlan);
		p->inner += geneve_options_len(&udp.geneve.geneve);
		return geneve_vni(&udp.geneve.geneve);
	}
	if (l3_read(skb, p->l4, &gre, sizeof(gre)) || !gre_has_tenant(&gre) ||
	    l3_read(skb, p->l4 + gre_key_offset(&gre), &key, sizeof(key)))
		return 0;
	p->inner = p->l4 + gre_len(&gre);
	return bpf_ntohl(key);
}

/* Is it a probe's question or answer? Another host would believe it. */
static __always_inline bool l3_is_probe(struct __sk_buff *skb, const struct l3_packet *p)
{
	struct tsw_mac dst;

	return p->inner && !l3_read(skb, p->inner, &dst, sizeof(dst)) &&
	       mac_equal(&dst, &probe_mac);
}

#endif
