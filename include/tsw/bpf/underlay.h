/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From another host: which frames of the underlay are ours, whom they may come
 * from, and where they go. The same rules for both ways in, the underlay device
 * and the kernel's tunnel device.
 */
#ifndef TSW_BPF_UNDERLAY_H
#define TSW_BPF_UNDERLAY_H

#include <linux/if_packet.h>

#include <tsw/bpf/drop.h>
#include <tsw/bpf/ecn.h>
#include <tsw/bpf/flood.h>
#include <tsw/bpf/guard.h>

/* What the outer header says. */
struct tunnel {
	__u32 tenant;
	__u32 host;    /* index of the sender */
	__be32 flags;  /* the VXLAN header's first word */
	__u8 reserved; /* and its last octet */
	__u8 tos;
	bool whole; /* the outer lengths are the frame's */
	bool csum;  /* an outer UDP checksum is there */
};

/*
 * Generic XDP on Linux 6.9 and later hands tc a copy of the frame of which the
 * Ethernet header is not shown. A frame to this host begins with a unicast MAC, whose
 * first octet is even; an IPv4 header's is odd.
 */
static __always_inline bool underlay_lost_eth(struct __sk_buff *skb)
{
	__u8 *first = frame_at(skb, 0, 1);

	return first && *first & 1;
}

/* Do the outer lengths tell the frame's own? A super-frame's are not binding. */
static __always_inline bool underlay_is_whole(struct __sk_buff *skb, const struct vxlan_outer *v,
					      __u32 len)
{
	return skb->gso_size ||
	       (bpf_ntohs(v->ip.tot_len) == len && bpf_ntohs(v->udp.len) == len - sizeof(v->ip));
}

/*
 * Reads the outer headers. PASS for all that is not a whole tunnel frame to this
 * host for one of its tenants. A fragment or a header with options passes too: the
 * kernel puts it together, and what then comes up at tsw-vx unmarked is dropped.
 */
static __always_inline int underlay_parse(struct __sk_buff *skb, const struct tsw_config *cfg,
					  struct tunnel *t)
{
	struct vxlan_outer *v;
	struct tsw_addr from;
	__u32 off;

	/* Cheap looks first: this program sees all that the host receives. */
	if (skb->protocol != bpf_htons(ETH_P_IP) || skb->pkt_type != PACKET_HOST ||
	    skb->vlan_present)
		return PASS;
	off = underlay_lost_eth(skb) ? 0 : ETH_HLEN;
	v = frame_at(skb, off, sizeof(*v));
	if (!v || !vxlan_is_ours(v, cfg))
		return PASS;
	t->tenant = bpf_ntohl(v->vxlan.vni) >> 8;
	if (!tenant_get(t->tenant)) {
		t->tenant = 0;
		return PASS;
	}
	t->flags = v->vxlan.flags;
	t->reserved = bpf_ntohl(v->vxlan.vni) & 0xff;
	t->tos = v->ip.tos;
	t->csum = v->udp.check;
	from = addr_from_v4(v->ip.saddr);
	t->host = host_by_vtep(&from);
	t->whole = underlay_is_whole(skb, v, skb->len - off);
	if (!off && bpf_skb_change_head(skb, ETH_HLEN, 0))
		return drop(TSW_DROP_INTERNAL);
	return NEXT;
}

/* Is the sender one of the hosts, and the header as the kernel's device wants it? */
static __always_inline int underlay_trust(const struct tunnel *t)
{
	if (!t->host)
		return drop(TSW_DROP_UNKNOWN_HOST);
	if (t->flags != bpf_htonl(VXLAN_FLAGS) || t->reserved)
		return drop(TSW_DROP_BAD_TUNNEL_HEADER);
	return t->whole ? NEXT : drop(TSW_DROP_TRUNCATED);
}

/* The inner source must be an endpoint of the tenant that lives on the sending host. */
static __always_inline int underlay_guard(const struct tunnel *t, const struct frame *f)
{
	struct tsw_fdb *from = fdb_get(t->tenant, &f->eth.src);

	if (!from || from->place != TSW_PLACE_HOST || from->id != t->host)
		return drop(TSW_DROP_WRONG_HOST);
	return mac_is_reserved(&f->eth.dst) ? drop(TSW_DROP_RESERVED_MULTICAST) : NEXT;
}

/*
 * Whether this frame must be decapsulated by the kernel. A super-frame keeps the mark
 * of a tunnel when BPF takes the header off, which TCP over IPv4 alone does not
 * mind; over IPv6 where the kernel can be told the new protocol. And adjust_room leaves no
 * less than an IPv4 header, which a short frame of another protocol may not have.
 */
static __always_inline bool underlay_is_slow(struct __sk_buff *skb, const struct tsw_config *cfg,
					     const struct frame *f)
{
	if (!skb->gso_size)
		return skb->len - f->base < ETH_HLEN + sizeof(struct iphdr);
	if (f->proto != IPPROTO_TCP)
		return true;
	return f->eth.type != bpf_htons(ETH_P_IP) && !(cfg->flags & TSW_CFG_DECAP_IPV6);
}

/* Up to the kernel's tunnel device, with the mark that says that this program saw it. */
static __always_inline int underlay_slow(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (!(cfg->flags & TSW_CFG_SLOW_PATH))
		return drop(TSW_DROP_NO_SLOW_PATH);
	skb->mark = tunnel_mark(cfg);
	return PASS;
}

/* The congestion that the tunnel met, told on or, where the sender cannot be told, dropped. */
static __always_inline int underlay_ecn(const struct tunnel *t, const struct frame *f)
{
	if (frame_is_ip(f) && ecn_decapsulate(t->tos, f->tos) < 0)
		return drop(TSW_DROP_ECN_INVALID);
	return NEXT;
}

static __always_inline int underlay_decapsulate(struct __sk_buff *skb, const struct tsw_config *cfg,
						const struct tunnel *t, struct frame *f)
{
	int verdict = NEXT;

	if (frame_is_ip(f))
		verdict = ecn_combine(skb, f, ecn_decapsulate(t->tos, f->tos));
	if (verdict != NEXT)
		return verdict;
	return vxlan_strip(skb, cfg, f, t->csum && !skb->gso_size);
}

static __always_inline int underlay_flood(struct __sk_buff *skb, struct tsw_config *cfg,
					  __u32 tenant, const struct frame *f)
{
	struct tsw_tenant *of = tenant_get(tenant);
	struct flood flood = {.skb = skb, .cfg = cfg, .frame = f, .tenant = tenant};

	if (!of || !(of->flags & TSW_TENANT_BROADCAST))
		return drop(TSW_DROP_BROADCAST_OFF);
	flood_ports(&flood);
	return CONSUMED;
}

/* To the port where the destination lives; never on to another host. */
static __always_inline int underlay_deliver(struct __sk_buff *skb, struct tsw_config *cfg,
					    __u32 tenant, const struct frame *f, bool exact)
{
	struct tsw_fdb *to;

	if (mac_is_group(&f->eth.dst))
		return underlay_flood(skb, cfg, tenant, f);
	to = fdb_get(tenant, &f->eth.dst);
	if (!to || to->place != TSW_PLACE_PORT)
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	return deliver(skb, cfg, tenant, to->id, exact);
}

#endif
