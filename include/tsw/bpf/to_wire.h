/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What leaves by the underlay as a tunnel frame to another host must be the switch's own: that host
 * believes whatever has this one's address, and any user may send UDP to it, any container behind a
 * masquerade GRE.
 *
 * It is read from the network header on, so that it does not matter what the device puts before it.
 * Only what the other host would take is looked for (outer.h): what has options, extension headers
 * or is a later fragment is dropped there.
 */
#ifndef TSW_BPF_TO_WIRE_H
#define TSW_BPF_TO_WIRE_H

#include <tsw/bpf/drop.h>
#include <tsw/bpf/fast_learn.h>
#include <tsw/bpf/geneve.h>
#include <tsw/bpf/gre.h>
#include <tsw/bpf/here.h>
#include <tsw/bpf/host.h>
#include <tsw/bpf/parse.h>
#include <tsw/bpf/pass.h>
#include <tsw/bpf/probe.h>
#include <tsw/bpf/tenant.h>
#include <tsw/bpf/vxlan.h>

#define TO_WIRE_LOOK 128 /* octets of a frame in which its tunnel header is: link, IP, GRE */

/* A packet that might be one: where to, and what is behind its IP header. */
struct leaving {
	struct tsw_addr to;
	__u32 l4;    /* offset from the network header */
	__u32 inner; /* that of the inner frame; 0: not known */
	__u8 proto;
	bool flows;  /* what agents tell each other of flows */
	bool geneve; /* UDP to its port */
};

/* len octets, off behind the network header; 0, or an error where they are not there. */
static __always_inline int leaving_read(struct __sk_buff *skb, __u32 off, void *to, __u32 len)
{
	return bpf_skb_load_bytes_relative(skb, off, to, len, BPF_HDR_START_NET);
}

static __always_inline bool leaving_ipv6(struct __sk_buff *skb, struct leaving *p)
{
	struct ipv6hdr ip;

	if (leaving_read(skb, 0, &ip, sizeof(ip)))
		return false;
	p->proto = ip.nexthdr;
	p->l4 = sizeof(ip);
	__builtin_memcpy(&p->to, &ip.daddr, sizeof(p->to));
	return true;
}

/* The version tells, not the Ethernet type, which may be a VLAN's. */
static __always_inline bool leaving_ip(struct __sk_buff *skb, struct leaving *p)
{
	struct iphdr ip;

	if (leaving_read(skb, 0, &ip, sizeof(ip)))
		return false;
	if (ip.version == 6)
		return leaving_ipv6(skb, p);
	if (ip.version != 4 || ip.frag_off & bpf_htons(IPV4_OFFSET))
		return false;
	p->proto = ip.protocol;
	p->l4 = ip.ihl * 4;
	p->to = addr_from_v4(ip.daddr);
	return true;
}

/* Is it for a tunnel's end, or its agent, as far as that is seen without its host? */
static __always_inline bool leaving_is_tunnel(struct __sk_buff *skb, const struct tsw_config *cfg,
					      struct leaving *p)
{
	__be16 dport;

	if (p->proto != IPPROTO_UDP)
		return p->proto == IPPROTO_GRE;
	if (leaving_read(skb, p->l4 + offsetof(struct udphdr, dest), &dport, sizeof(dport)))
		return false;
	p->flows = dport == bpf_htons(TSW_FLOWS_PORT);
	p->geneve = dport == bpf_htons(TSW_GENEVE_PORT) && dport != cfg->port;
	return p->flows || p->geneve || dport == cfg->port;
}

/*
 * Its VNI or key; 0: none. A sender without copies may have left the header out of the linear part,
 * beyond which is not read.
 */
static __always_inline __u32 leaving_tenant(struct __sk_buff *skb, struct leaving *p)
{
	union {
		struct vxlan_header vxlan;
		struct geneve_header geneve;
	} udp;
	struct gre gre;
	__be32 key;

	bpf_skb_pull_data(skb, skb->len < TO_WIRE_LOOK ? skb->len : TO_WIRE_LOOK);
	if (p->proto == IPPROTO_UDP) {
		if (leaving_read(skb, p->l4, &udp, sizeof(udp)))
			return 0;
		p->inner = p->l4 + sizeof(udp);
		if (!p->geneve)
			return vxlan_vni(&udp.vxlan.vxlan);
		p->inner += geneve_options_len(&udp.geneve.geneve);
		return geneve_vni(&udp.geneve.geneve);
	}
	if (leaving_read(skb, p->l4, &gre, sizeof(gre)) || !gre_has_tenant(&gre) ||
	    leaving_read(skb, p->l4 + gre_key_offset(&gre), &key, sizeof(key)))
		return 0;
	p->inner = p->l4 + gre_len(&gre);
	return bpf_ntohl(key);
}

/* A question or an answer of probe.h: another host would believe it to be this one's. */
static __always_inline bool leaving_is_probe(struct __sk_buff *skb, const struct leaving *p)
{
	struct tsw_mac dst;

	return p->inner && !leaving_read(skb, p->inner, &dst, sizeof(dst)) &&
	       mac_equal(&dst, &probe_mac);
}

/* This device gives its frames to another underlay, whose program wants to see the pass, too. */
static __always_inline bool leaving_by_another(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (!(cfg->flags & TSW_CFG_TAGGED))
		return false;
	for (int i = 0; i < TSW_UNDERLAYS; i++)
		if (cfg->underlay[i].ifindex == skb->ifindex)
			return cfg->underlay[i].flags & TSW_UNDERLAY_ABOVE;
	return false;
}

/* The agent's own: the priority goes where the frame leaves this host. */
static __always_inline bool leaving_asks(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (!pass_asks(skb, cfg))
		return false;
	if (!leaving_by_another(skb, cfg))
		skb->priority = 0;
	return true;
}

/* Is the UDP port's socket the switch's own, so that no other device of this host sends by it? */
static __always_inline bool leaving_by_own_port(const struct tsw_config *cfg,
						const struct leaving *p)
{
	if (p->proto != IPPROTO_UDP)
		return false;
	return p->geneve ? cfg->geneve : cfg->flags & TSW_CFG_SLOW_PATH;
}

/*
 * Dropped is what is of a tenant here; what would be a probe, and is not the agent's; and all UDP
 * to a port whose socket is the switch's own. Other GRE, and where a port is shared other VNIs, are
 * somebody else's.
 */
static __noinline int leaving_check(struct __sk_buff *skb, const struct tsw_config *cfg,
				    struct leaving *p, struct frame_id *id)
{
	__u32 tenant = leaving_tenant(skb, p);

	if (cfg->flags & TSW_CFG_OLD_WAY ||
	    (!tenant && leaving_is_probe(skb, p) && leaving_asks(skb, cfg)))
		return PASS;
	if (tenant && tenant_get(tenant))
		id->tenant = tenant;
	else if ((tenant || !leaving_is_probe(skb, p)) && !leaving_by_own_port(cfg, p))
		return PASS;
	if (p->inner && skb->len > ETH_HLEN + p->inner)
		id->size.bytes = skb->len - ETH_HLEN - p->inner;
	return drop(TSW_DROP_FOREIGN_TUNNEL);
}

/* Without a pass. Cheap looks come first: this sees all that the host sends. */
static __always_inline int leaving_guard(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct frame_id *id)
{
	struct leaving p = {};

	if (!leaving_ip(skb, &p) || !leaving_is_tunnel(skb, cfg, &p) || !host_by_vtep(&p.to))
		return PASS;
	if (!p.flows)
		return leaving_check(skb, cfg, &p, id);
	return leaving_asks(skb, cfg) ? PASS : drop(TSW_DROP_FOREIGN_TUNNEL);
}

/* CFG may be NULL. */
static __always_inline void learn_leaving(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (tsw_has_fast && cfg && cfg->gateway)
		tsw_learn_world(skb);
}

static __always_inline int to_wire(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	int verdict;

	if (!cfg || (pass_has(skb, cfg, PASS_DOWN) && leaving_by_another(skb, cfg)) ||
	    pass_take(skb, cfg, PASS_DOWN) || !kernel_skb_is_in(skb, cfg->netns))
		return PASS;
	verdict = leaving_guard(skb, cfg, id);
	if (verdict == PASS)
		learn_leaving(skb, cfg);
	return verdict;
}

#endif
