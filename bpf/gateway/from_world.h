/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames from an uplink: answers in leased flows, frames for the router, and questions for an
 * address that tenants leave as. All others are the host's.
 */
#ifndef TSW_BPF_GATEWAY_FROM_WORLD_H
#define TSW_BPF_GATEWAY_FROM_WORLD_H

#include "gateway/crossing.h"
#include "gateway/fast_grant.h"
#include "gateway/fast_world.h"
#include "tunnel/parse_l3.h"
#include "gateway/proxy_arp.h"
#include "gateway/world_flow.h"

/*
 * Sends the frame into the router, on the world's side. index: the tenant whose helper expects it;
 * 0: none.
 */
static __always_inline int world_enter(struct __sk_buff *skb, const struct tsw_config *cfg,
				       struct frame_id *id, __u32 index)
{
	struct uplink_way *w = uplink_way();
	__u32 to = cfg->uplink;

	if (!bpf_map_lookup_elem(&tsw_devices, &to)) {
		id->tenant = mark_tenant(index);
		return drop(TSW_DROP_DEVICE_GONE);
	}
	if (w)
		w->came_by = skb->ifindex;
	if (crossing_write(skb, cfg, index ? TSW_MARK_EXPECTED | index : 0, 0))
		return drop(TSW_DROP_INTERNAL);
	return crossing_enter(skb, cfg, id, to);
}

/*
 * A later fragment has no ports, and may come before the first one. So host and router both get a
 * copy. The one without the first fragment forgets the others.
 */
static __always_inline int world_copy(struct __sk_buff *skb, const struct tsw_config *cfg,
				      const struct frame *f)
{
	if (crossing_write(skb, cfg, 0, 0))
		return PASS;
	bpf_clone_redirect(skb, cfg->uplink, 0);
	skb->tc_index = 0;
	return bpf_skb_store_bytes(skb, 0, &f->eth, 2 * TSW_MAC_LEN, 0) ? drop(TSW_DROP_INTERNAL)
									: PASS;
}

/* Is it a tenant's own address, or one that tenants leave as and this host does not have? */
static __always_inline bool world_is_routed(const struct tsw_addr *dst)
{
	struct tsw_routed_key key = {.len = 128, .addr = *dst};

	return bpf_map_lookup_elem(&tsw_snat_users, &key.addr) ||
	       bpf_map_lookup_elem(&tsw_routed, &key);
}

/* A connection of the host begins, with values that may have been a tenant's a moment ago. */
static __noinline void world_evict(struct __sk_buff *skb, const struct frame *f)
{
	struct learning *l;
	__u8 flags = 0;

	bpf_skb_load_bytes(skb, f->l4 + TCP_FLAGS_AT, &flags, sizeof(flags));
	if (!(flags & TCP_SYN))
		return;
	l = learn_begin();
	if (!l)
		return;
	if (flow_read(skb, f, &l->key))
		fast_evict(l);
	learn_end(l);
}

/* PASS: the frame is the host's. Global, like the next one: the verifier goes through each once. */
__noinline int tsw_world_slow(struct __sk_buff *skb, const struct frame *f, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	int whose;

	if (!cfg || !f || !id)
		return PASS;
	if (!uplink_of(&f->dst))
		return world_is_routed(&f->dst)
			       ? world_enter(skb, cfg, id, routed_index(skb, cfg, f))
			       : PASS;
	if (!f->l4)
		return world_copy(skb, cfg, f);
	whose = world_whose(skb, cfg, f);
	if (whose != HOSTS)
		return world_enter(skb, cfg, id, whose);
	if (tsw_has_fast && f->proto == IPPROTO_TCP)
		world_evict(skb, f);
	return PASS;
}

/* A function of its own: its callers have a struct frame on their stack already. */
__noinline int tsw_world(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	struct frame f;
	int verdict = NEXT;

	if (!cfg || !id || parse_frame(skb, 0, &f) != NEXT)
		return PASS;
	frame_measure(skb, &f, &id->size);
	if (tsw_has_fast)
		verdict = fast_world(skb, cfg, &f, id);
	return verdict == NEXT ? tsw_world_slow(skb, &f, id) : verdict;
}

/*
 * A frame that begins with its IP header: from a device without link headers, or with an Ethernet
 * header that generic XDP has hidden. It gets one once it is known to be the router's.
 */
__noinline int tsw_world_bare(struct __sk_buff *skb, struct frame_id *id)
{
	struct tsw_config *cfg = config_get();
	const __be16 type = skb->protocol;
	struct l3_packet p = {};
	struct frame f = {};
	int whose;

	if (!cfg || !id || !l3_ip(skb, &p))
		return PASS;
	f.eth.type = type;
	f.src = p.from;
	f.dst = p.to;
	f.proto = p.proto;
	f.l4 = p.l4;
	if (!uplink_of(&f.dst))
		whose = world_is_routed(&f.dst) ? (int)routed_index(skb, cfg, &f) : HOSTS;
	else
		whose = world_whose(skb, cfg, &f);
	if (whose == HOSTS)
		return PASS;
	if (bpf_skb_change_head(skb, ETH_HLEN, 0) ||
	    bpf_skb_store_bytes(skb, offsetof(struct ethhdr, h_proto), &type, sizeof(type), 0))
		return drop(TSW_DROP_INTERNAL);
	return world_enter(skb, cfg, id, whose);
}

/* All frames to the host itself come by here, so cheap checks come first. */
static __always_inline int from_world(struct __sk_buff *skb, const struct tsw_config *cfg,
				      struct frame_id *id)
{
	int verdict = PASS;

	if (!cfg || !cfg->gateway || skb->pkt_type == PACKET_OTHERHOST || skb->vlan_present)
		return PASS;
	if (proxy_may_be_asked(skb))
		verdict = tsw_proxy(skb);
	if (verdict == REDIRECT)
		id->out = skb->ifindex;
	if (verdict != PASS || skb->pkt_type != PACKET_HOST ||
	    (skb->protocol != bpf_htons(ETH_P_IP) && skb->protocol != bpf_htons(ETH_P_IPV6)))
		return verdict;
	return kernel_skb_begins_with_ip(skb) ? tsw_world_bare(skb, id) : tsw_world(skb, id);
}

#endif
