/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which frames encryption lets in and out. While it is on, no tunnel frame leaves by the underlay's
 * own devices or is taken from them, unless the other host may do without (TSW_HOST_CLEAR). This
 * holds for frames of the programs, of the kernel's tunnel devices, and of this host's agent.
 *
 * The host's stack never sees the devices that encrypt. A frame that it sends by the underlay to
 * another host's tunnel end is taken there and sent by the right device. A frame that it must
 * receive comes to the underlay's ingress with the stamp, whatever the host's rules for sources and
 * ways (rp_filter).
 */
#ifndef TSW_BPF_TUNNEL_CRYPT_GUARD_H
#define TSW_BPF_TUNNEL_CRYPT_GUARD_H

#include <linux/if_packet.h>

#include "tunnel/crypt_check.h"
#include "core/drop.h"
#include "tunnel/parse_l3.h"
#include "tunnel/host_pass.h"
#include "core/stamp.h"

/*
 * Sends a frame to the host's stack, by the underlay. There is room for its Ethernet header,
 * whatever is in it.
 */
__noinline int tsw_crypt_up(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();
	__be16 type = skb->protocol;

	if (!cfg || bpf_skb_store_bytes(skb, offsetof(struct eth, type), &type, sizeof(type), 0))
		return drop(TSW_DROP_INTERNAL);
	stamp_set(skb, cfg, 0, cfg->underlay[0].ifindex);
	bpf_redirect(cfg->underlay[0].ifindex, BPF_F_INGRESS);
	return UP;
}

/*
 * Does the frame come from tsw_crypt_up()? The kernel took its packet type from an Ethernet
 * destination that is not a real one.
 */
__noinline bool tsw_crypt_came_up(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();

	if (!cfg || !stamp_has(skb, cfg, 0))
		return false;
	TSW_KEEP(skb); /* otherwise cb is reached by a computed address, which no kernel allows */
	stamp_forget(skb);
	bpf_skb_change_type(skb, PACKET_HOST);
	pass_give(skb, cfg, PASS_UP);
	return true;
}

static __always_inline bool crypt_came_up(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	return crypt_is_on(cfg) && tsw_crypt_came_up(skb);
}

/*
 * A frame that is no tunnel frame to this host. A device that encrypts brings nothing else but the
 * agents' records of flows, and they come by no other way. NEXT: the frame is not the switch's, and
 * has an Ethernet header.
 */
__noinline int tsw_crypt_other(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();
	const bool encrypted = crypt_has(skb->ifindex);
	struct l3_packet p = {};

	if (!cfg)
		return drop(TSW_DROP_INTERNAL);
	if (!crypt_is_on(cfg))
		return tsw_is_bare(skb->ifindex) ? PASS : NEXT;
	if (!l3_ip(skb, &p) || !l3_is_tunnel(skb, cfg, &p) || !p.flows)
		return encrypted ? drop(TSW_DROP_UNKNOWN_DESTINATION) : NEXT;
	if (!encrypted)
		return crypt_is_required(host_get(host_by_vtep(&p.from)))
			       ? drop(TSW_DROP_NOT_ENCRYPTED)
			       : NEXT;
	return bpf_skb_change_head(skb, ETH_HLEN, 0) ? drop(TSW_DROP_INTERNAL) : tsw_crypt_up(skb);
}

/* A device that encrypts sends what the programs gave it, and nothing else. */
static __always_inline int crypt_leaves(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (pass_take(skb, cfg, PASS_DOWN))
		return PASS;
	if (!pass_asks(skb))
		return drop(TSW_DROP_FOREIGN_TUNNEL);
	skb->priority = 0;
	return PASS;
}

/* Is it a frame of the switch, or of its agent? */
static __always_inline bool crypt_is_own(struct __sk_buff *skb, const struct tsw_config *cfg,
					 struct l3_packet *p)
{
	if (pass_has(skb, cfg, PASS_DOWN))
		return true;
	if (!pass_asks(skb))
		return false;
	return p->flows || (!l3_tenant(skb, p) && l3_is_probe(skb, p));
}

/* At the underlay's egress. NEXT: the frame is not the switch's, or may leave unencrypted. */
__noinline int tsw_encrypt(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();
	const struct tsw_host *host;
	struct l3_packet p = {};
	__u32 device;

	if (!cfg)
		return drop(TSW_DROP_INTERNAL);
	if (crypt_has(skb->ifindex))
		return crypt_leaves(skb, cfg);
	if (!l3_ip(skb, &p) || !l3_is_tunnel(skb, cfg, &p))
		return NEXT;
	host = host_get(host_by_vtep(&p.to));
	if (!crypt_is_required(host) || !crypt_is_own(skb, cfg, &p))
		return NEXT;
	device = crypt_device(host->flags);
	if (!device)
		return drop(TSW_DROP_NOT_ENCRYPTED);
	bpf_redirect(device, 0);
	return REDIRECT;
}

#endif
