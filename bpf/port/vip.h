/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses that move between endpoints, such as those of VRRP (RFC 5798) or a cluster manager. The
 * command lists who may take an address. Who announced it last has it: by ARP (RFC 5227 section 3)
 * or by an unsolicited neighbour advertisement (RFC 4861 section 7.2.6). An address that nobody has
 * is taken by any such message of a member, so a host that came later learns who has it.
 */
#ifndef TSW_BPF_PORT_VIP_H
#define TSW_BPF_PORT_VIP_H

#include "core/addr.h"
#include "core/parse.h"

TSW_HASH(tsw_vips, struct tsw_fdb_key, struct tsw_vips);
TSW_HASH(tsw_taken, struct tsw_addr_key, struct tsw_taken);

/* What a frame says about a vip of its sender. */
enum vip_says { VIP_NOTHING, VIP_HAS, VIP_ANSWERS, VIP_ANNOUNCES };

static __always_inline bool mac_is_zero(const struct tsw_mac *mac)
{
	const __u16 *w = (const __u16 *)mac;

	return !(w[0] | w[1] | w[2]);
}

static __always_inline bool vip_has(const struct tsw_vips *vips, const struct tsw_addr *addr)
{
	for (__u32 i = 0; i < TSW_VIPS; i++)
		if (addr_equal(&vips->addr[i], addr))
			return true;
	return false;
}

struct vip_arp {
	__u8 head[6];
	__be16 op;
	struct tsw_mac sender_mac;
	__be32 sender_ip;
	struct tsw_mac target_mac;
	__be32 target_ip;
} __attribute__((packed, aligned(2)));

#define VIP_ARP_REQUEST 1
#define VIP_ARP_REPLY 2

/* Both ARP messages claim the sender's address. A sender that asks for itself announces it. */
static __always_inline enum vip_says vip_arp(struct __sk_buff *skb, const struct tsw_mac *mac,
					     struct tsw_addr *addr)
{
	struct vip_arp arp;

	if (frame_read(skb, ETH_HLEN, &arp, sizeof(arp)) || !arp.sender_ip ||
	    !mac_equal(&arp.sender_mac, mac))
		return VIP_NOTHING;
	*addr = addr_from_v4(arp.sender_ip);
	if (arp.sender_ip == arp.target_ip)
		return VIP_ANNOUNCES;
	return arp.op == bpf_htons(VIP_ARP_REPLY) ? VIP_ANSWERS : VIP_HAS;
}

#define VIP_ND_SOLICIT 135
#define VIP_ND_ADVERT 136
#define VIP_ND_SOLICITED 0x40
#define VIP_ND_OVERRIDE 0x20

struct vip_nd {
	__u8 type, code;
	__u16 check;
	__u8 flags, pad[3];
	struct tsw_addr target;
};

/* Reads a valid message of that type. */
static __always_inline bool vip_nd_read(struct __sk_buff *skb, const struct frame *f, __u8 type,
					struct vip_nd *nd)
{
	return f->eth.type == bpf_htons(ETH_P_IPV6) && f->proto == IPPROTO_ICMPV6 &&
	       f->hop_limit == 255 && !upper_read(skb, f, 0, nd, sizeof(*nd)) && nd->type == type;
}

/* Without the override flag neighbours keep whom they know (RFC 4861 section 7.2.5). */
static __always_inline enum vip_says vip_nd(struct __sk_buff *skb, const struct frame *f,
					    struct tsw_addr *addr)
{
	struct vip_nd nd;

	if (!vip_nd_read(skb, f, VIP_ND_ADVERT, &nd))
		return VIP_NOTHING;
	*addr = nd.target;
	return (nd.flags & (VIP_ND_SOLICITED | VIP_ND_OVERRIDE)) == VIP_ND_OVERRIDE ? VIP_ANNOUNCES
										    : VIP_ANSWERS;
}

/* CPUs may write at once: `mac` is one word, and the counters, for people, need not be exact. */
static __always_inline void vip_note(struct tsw_taken *taken, const struct tsw_mac *mac)
{
	const __u64 now = bpf_ktime_get_ns();
	__u64 word = 0;

	__builtin_memcpy(&word, mac, sizeof(*mac));
	if (taken->mac && taken->mac != word) {
		taken->recent = now - taken->at < TSW_TAKEN_CALM ? taken->recent + 1 : 1;
		__sync_fetch_and_add(&taken->changes, 1);
	}
	taken->at = now;
	*(volatile __u64 *)&taken->mac = word;
}

/* Gives the address to that member by an update of the map; move_go() says why. */
static __always_inline bool vip_give(const struct tsw_addr_key *key, const struct tsw_mac *mac,
				     enum vip_says says)
{
	const struct tsw_addr_owner owner = {.mac = *mac, .kind = TSW_ADDR_VIP};
	struct tsw_addr_owner *old = bpf_map_lookup_elem(&tsw_addrs, key);
	struct tsw_taken *taken = bpf_map_lookup_elem(&tsw_taken, key);

	if (!old || old->kind != TSW_ADDR_VIP || !taken)
		return false;
	if (mac_equal(&old->mac, mac) || (says != VIP_ANNOUNCES && !mac_is_zero(&old->mac)))
		return true;
	vip_note(taken, mac);
	return !bpf_map_update_elem(&tsw_addrs, key, &owner, BPF_EXIST);
}

/*
 * An answer to the gateway's MAC is one to a question of vip_ask.h. Which host asked is not known,
 * so the answer goes to all of them, as a broadcast.
 */
static __always_inline void vip_spread(struct __sk_buff *skb, __u32 tenant, struct frame *f)
{
	const struct tsw_mac all = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	const struct tsw_fdb *to = fdb_get(tenant, &f->eth.dst);

	if (to && to->place == TSW_PLACE_GATEWAY &&
	    !bpf_skb_store_bytes(skb, f->base, &all, sizeof(all), 0))
		f->eth.dst = all;
}

/*
 * A frame of an endpoint, whose MAC is proved. Takes the address that it announces, if the endpoint
 * may have it. True: the frame is an announcement, or an answer to all, and all of the tenant must
 * hear it. Global, so that the verifier goes through it once.
 */
__noinline int tsw_vip_take(struct __sk_buff *skb, __u32 tenant, const struct tsw_mac *mac,
			    struct frame *f)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_fdb_key who = {.tenant = tenant};
	struct tsw_vips *vips;
	enum vip_says says;

	if (!mac || !f)
		return false;
	who.mac = *mac;
	vips = bpf_map_lookup_elem(&tsw_vips, &who);
	if (!vips)
		return false;
	says = f->eth.type == bpf_htons(ETH_P_ARP) ? vip_arp(skb, &who.mac, &key.addr)
						   : vip_nd(skb, f, &key.addr);
	if (says == VIP_ANNOUNCES && !mac_is_group(&f->eth.dst))
		says = VIP_ANSWERS;
	if (says == VIP_NOTHING || !vip_has(vips, &key.addr) || !vip_give(&key, &who.mac, says))
		return false;
	if (says == VIP_ANSWERS)
		vip_spread(skb, tenant, f);
	return says != VIP_HAS && mac_is_group(&f->eth.dst);
}

/*
 * Does the frame ask who has a vip? All of the tenant must hear it, because a host may have missed
 * the announcement. Global, too.
 */
__noinline int tsw_vip_is_asked(struct __sk_buff *skb, __u32 tenant, const struct frame *f)
{
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_addr_owner *owner;
	union {
		struct vip_arp arp;
		struct vip_nd nd;
	} q;

	if (!f)
		return false;
	if (f->eth.type == bpf_htons(ETH_P_ARP)) {
		if (frame_read(skb, f->base + ETH_HLEN, &q.arp, sizeof(q.arp)) ||
		    q.arp.op != bpf_htons(VIP_ARP_REQUEST))
			return false;
		key.addr = addr_from_v4(q.arp.target_ip);
	} else {
		if (!vip_nd_read(skb, f, VIP_ND_SOLICIT, &q.nd))
			return false;
		key.addr = q.nd.target;
	}
	owner = bpf_map_lookup_elem(&tsw_addrs, &key);
	return owner && owner->kind == TSW_ADDR_VIP;
}

/* Is the address a vip that nobody has, as far as this host has heard? */
static __noinline bool vip_is_free(__u32 tenant, const struct tsw_addr *addr)
{
	const struct tsw_addr_key key = {.tenant = tenant, .addr = *addr};
	struct tsw_addr_owner *owner = bpf_map_lookup_elem(&tsw_addrs, &key);

	return owner && owner->kind == TSW_ADDR_VIP && mac_is_zero(&owner->mac);
}

static __always_inline bool vip_may_speak(const struct frame *f)
{
	return f->eth.type == bpf_htons(ETH_P_ARP) || f->proto == IPPROTO_ICMPV6;
}

/* Whether the address is one of the port's vips, so that it may probe it while another has it. */
static __noinline bool vip_may_probe(const struct tsw_port *port, const struct tsw_addr *addr)
{
	struct tsw_fdb_key who = {.tenant = port->tenant, .mac = port->mac};
	struct tsw_vips *vips = bpf_map_lookup_elem(&tsw_vips, &who);

	return vips && vip_has(vips, addr);
}

#endif
