/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks the tenant who has a vip. A host that came, or came back, after the last announcement knows
 * no holder. A packet for the vip makes it ask, and port/vip.h learns from the answer. The packet
 * itself is lost, and its sender repeats it.
 */
#ifndef TSW_BPF_PORT_VIP_ASK_H
#define TSW_BPF_PORT_VIP_ASK_H

#include "answer/ask.h"
#include "core/measure.h"
#include "core/note_type.h"
#include "gateway/maps.h"
#include "port/flood_hosts.h"
#include "port/vip.h"

#define VIP_ASK_SHIFT 30 /* one question in 2^30 ns, about a second */

/* One question a second for each vip, whatever comes for it. */
static __always_inline bool vip_may_ask(const struct tsw_addr_key *key)
{
	struct tsw_taken *taken = bpf_map_lookup_elem(&tsw_taken, key);
	const __u32 now = bpf_ktime_get_coarse_ns() >> VIP_ASK_SHIFT;

	if (!taken || taken->asked == now)
		return false;
	taken->asked = now;
	return true;
}

/* The gateway's IPv4 address in the vip's network, otherwise its first one; 0: it has none. */
static __always_inline __be32 vip_gateway_ip(const struct tsw_gateway *gw,
					     const struct tsw_addr *vip)
{
	__be32 first = 0;

	for (__u32 i = 0; i < TSW_GATEWAY_ADDRS; i++) {
		const struct tsw_prefix *net = &gw->addr[i];

		if (i >= gw->n_addrs || !addr_is_v4mapped(&net->addr))
			continue;
		if (addr_is_within(vip, net))
			return net->addr.w[3];
		first = first ?: net->addr.w[3];
	}
	return first;
}

/*
 * Turns the packet into the question, in the name of its sender, an endpoint here, or of the
 * gateway. False: it is for no free vip, or somebody asked a moment ago. Global: the verifier goes
 * through it once.
 */
__noinline int tsw_vip_ask(struct __sk_buff *skb, struct frame_id *id, struct frame *f)
{
	struct tsw_addr_key key = {};
	struct tsw_gateway *gw = NULL;
	struct tsw_mac own;
	__be32 from;

	if (!id || !f)
		return false;
	key.tenant = id->tenant;
	key.addr = f->dst;
	own = f->eth.src;
	from = f->src.w[3];
	if (id->direction == TSW_DIR_FROM_GATEWAY) {
		gw = gateway_get(id->tenant);
		if (!gw)
			return false;
		own = gw->mac;
		from = vip_gateway_ip(gw, &key.addr);
	}
	if (!vip_is_free(key.tenant, &key.addr) || !vip_may_ask(&key))
		return false;
	/* Counted first, because the question takes the packet's place. */
	count_drop(id, TSW_DROP_UNKNOWN_DESTINATION);
	watch_dropped(skb, id, TSW_DROP_UNKNOWN_DESTINATION);
	flow_end(id, TSW_DROP_UNKNOWN_DESTINATION);
	if (ask_write(skb, &own, from, &key.addr) || note_type(skb) != NEXT ||
	    parse_frame(skb, 0, f) != NEXT)
		f->eth.type = 0;
	else
		frame_measure(skb, f, &id->size);
	f->announces = FRAME_TAKES;
	return true;
}

/* The end of a packet whose destination nobody has: a question, if that is a vip. */
static __always_inline int vip_ask(struct __sk_buff *skb, struct frame_id *id, struct frame *f)
{
	if (!tsw_vip_ask(skb, id, f))
		return drop(TSW_DROP_UNKNOWN_DESTINATION);
	return f->eth.type ? flood_from_port(skb, id, f) : CONSUMED;
}

#endif
