/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encryption between hosts: the device of the switch that a tunnel frame must go by, and that it
 * came by. The kernel's WireGuard does the rest. Its devices have no link header, no address and no
 * route. See abi_crypt.h; crypt_guard.h checks frames that come and go.
 */
#ifndef TSW_BPF_TUNNEL_CRYPT_H
#define TSW_BPF_TUNNEL_CRYPT_H

#include "core/config.h"
#include "core/kernel_skb.h"

TSW_SINGLE(tsw_crypt, struct tsw_crypt);

/* The command alone uses it. */
TSW_HASH(tsw_host_keys, __u32, struct tsw_host_keys);

/*
 * The devices that encrypt. The kernel removes a deleted device from the map, like one of
 * tsw_devices. So no frame leaves by, or is believed from, a later device with the same index.
 */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} tsw_crypt_devices TSW_MAP;

static const __u32 crypt_entry; /* the stack is short */

static __always_inline struct tsw_crypt *crypt_get(void)
{
	return bpf_map_lookup_elem(&tsw_crypt, &crypt_entry);
}

static __always_inline bool crypt_is_on(const struct tsw_config *cfg)
{
	return cfg->flags & TSW_CFG_ENCRYPT;
}

/* The device that sends to a host with these flags; 0: no device. */
static __always_inline __u32 crypt_device(__u32 host_flags)
{
	struct tsw_crypt *crypt = crypt_get();
	const __u32 *ifindex;

	if (!crypt)
		return 0;
	ifindex = &crypt->ifindex[crypt->own & 1][host_flags & TSW_HOST_ODD ? 1 : 0];
	return bpf_map_lookup_elem(&tsw_crypt_devices, ifindex) ? *ifindex : 0;
}

static __always_inline bool crypt_is(const __u32 *one, __u32 ifindex)
{
	return *one == ifindex && bpf_map_lookup_elem(&tsw_crypt_devices, one);
}

/* Does the device encrypt? Also a device that only receives with the old key. */
static __always_inline bool crypt_has(__u32 ifindex)
{
	struct tsw_crypt *crypt = crypt_get();

	return crypt && (crypt_is(&crypt->ifindex[0][0], ifindex) ||
			 crypt_is(&crypt->ifindex[0][1], ifindex) ||
			 crypt_is(&crypt->ifindex[1][0], ifindex) ||
			 crypt_is(&crypt->ifindex[1][1], ifindex));
}

/* Global, so that the verifier goes through it once. */
__noinline bool tsw_is_bare(__u32 ifindex)
{
	struct tsw_config *cfg = config_get();

	if (!cfg)
		return false;
	for (int i = 0; i < TSW_UNDERLAYS; i++)
		if (cfg->underlay[i].ifindex == ifindex)
			return cfg->underlay[i].flags & TSW_UNDERLAY_BARE;
	return crypt_has(ifindex);
}

static __always_inline bool crypt_may_be_bare(const struct tsw_config *cfg)
{
	return cfg->flags & (TSW_CFG_ENCRYPT | TSW_CFG_BARE);
}

/* Has the device no link header? */
static __always_inline bool device_is_bare(const struct tsw_config *cfg, __u32 ifindex)
{
	return crypt_may_be_bare(cfg) && tsw_is_bare(ifindex);
}

/* Sends the frame out by the device that it came by. The kernel finds the next hop. */
static __always_inline void device_send_back(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	if (device_is_bare(cfg, skb->ifindex))
		bpf_redirect(skb->ifindex, 0);
	else
		bpf_redirect_neigh(skb->ifindex, NULL, 0, 0);
}

/*
 * Global, too. In a test run such a device's frame begins with a link header, and so does a frame
 * that was given one.
 */
__noinline bool tsw_begins_with_ip(struct __sk_buff *skb)
{
	return kernel_skb_begins_with_ip(skb);
}

/* Does the frame begin with its IP header? */
static __always_inline bool frame_is_bare(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	return kernel_skb_lost_eth(skb) || (crypt_may_be_bare(cfg) && tsw_begins_with_ip(skb));
}

#endif
