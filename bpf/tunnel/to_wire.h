/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tunnel frame that leaves by the underlay must be the switch's own. The other host believes any
 * frame from this host's address, and any user may send UDP to it, or a container GRE by a
 * masquerade.
 */
#ifndef TSW_BPF_TUNNEL_TO_WIRE_H
#define TSW_BPF_TUNNEL_TO_WIRE_H

#include "tunnel/crypt_guard.h"
#include "core/drop.h"
#include "core/local_config.h"
#include "core/host.h"
#include "tunnel/parse_l3.h"
#include "tunnel/host_pass.h"
#include "core/tenant.h"

/*
 * Does this device give its frames to another underlay, whose program wants to see the pass, too?
 */
static __always_inline bool to_wire_by_another(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (!(cfg->flags & TSW_CFG_TAGGED))
		return false;
	for (int i = 0; i < TSW_UNDERLAYS; i++)
		if (cfg->underlay[i].ifindex == skb->ifindex)
			return cfg->underlay[i].flags & TSW_UNDERLAY_ABOVE;
	return false;
}

/* Is it the agent's own frame? Its priority is removed where it leaves this host. */
static __always_inline bool to_wire_asks(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (!pass_asks(skb))
		return false;
	if (!to_wire_by_another(skb, cfg))
		skb->priority = 0;
	return true;
}

/* Is the UDP port's socket the switch's own? Then no other device of this host sends by it. */
static __always_inline bool to_wire_by_own_port(const struct tsw_config *cfg,
						const struct l3_packet *p)
{
	if (p->proto != IPPROTO_UDP)
		return false;
	return p->geneve ? cfg->geneve : cfg->flags & TSW_CFG_SLOW_PATH;
}

/*
 * Drops tunnel frames of tenants of this host, probes that are not the agent's, and all UDP to a
 * port whose socket is the switch's own. Other GRE belongs to others, and so do other VNIs if the
 * port is shared.
 */
static __noinline int to_wire_check(struct __sk_buff *skb, const struct tsw_config *cfg,
				    struct l3_packet *p, struct frame_id *id)
{
	__u32 tenant = l3_tenant(skb, p);

	if (cfg->flags & TSW_CFG_OLD_WAY ||
	    (!tenant && l3_is_probe(skb, p) && to_wire_asks(skb, cfg)))
		return PASS;
	if (tenant && tenant_get(tenant))
		id->tenant = tenant;
	else if ((tenant || !l3_is_probe(skb, p)) && !to_wire_by_own_port(cfg, p))
		return PASS;
	if (p->inner && skb->len > ETH_HLEN + p->inner)
		id->size.bytes = skb->len - ETH_HLEN - p->inner;
	return drop(TSW_DROP_FOREIGN_TUNNEL);
}

/*
 * Checks a frame without a pass. Cheap checks come first, since the program sees all that the host
 * sends.
 */
static __always_inline int to_wire_guard(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct frame_id *id)
{
	struct l3_packet p = {};

	if (!l3_ip(skb, &p) || !l3_is_tunnel(skb, cfg, &p) || !host_by_vtep(&p.to))
		return PASS;
	if (!p.flows)
		return to_wire_check(skb, cfg, &p, id);
	return to_wire_asks(skb, cfg) ? PASS : drop(TSW_DROP_FOREIGN_TUNNEL);
}

/* NEXT: the frame is not the switch's. */
static __always_inline int to_wire(struct __sk_buff *skb, const struct tsw_config *cfg,
				   struct frame_id *id)
{
	int verdict;

	if (crypt_is_on(cfg) && kernel_skb_is_in(skb, cfg->netns)) {
		verdict = tsw_encrypt(skb);
		if (verdict != NEXT)
			return verdict;
	}
	if ((pass_has(skb, cfg, PASS_DOWN) && to_wire_by_another(skb, cfg)) ||
	    pass_take(skb, cfg, PASS_DOWN) || !kernel_skb_is_in(skb, cfg->netns))
		return PASS;
	verdict = to_wire_guard(skb, cfg, id);
	return verdict == PASS ? NEXT : verdict;
}

#endif
