/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the switch's namespace and its router's, a frame's Ethernet header carries what no other
 * field can: the frame's mark, and the slot of the uplink that the host's routes choose. Its source
 * is the seal, random for each router. tc_index has 16 bits of the pass, which no socket can set
 * and which listeners on the devices do not see. So neither side believes frames that others send
 * or redirect to these devices.
 */
#ifndef TSW_BPF_GATEWAY_CROSSING_H
#define TSW_BPF_GATEWAY_CROSSING_H

#include <linux/if_packet.h>

#include "core/config.h"
#include "core/drop.h"
#include "core/fdb.h"
#include "core/kernel_skb.h"
#include "core/stamp.h"

struct crossing {
	__u8 local; /* CROSSING_LOCAL: an address of one device; CROSSING_ASKS */
	__u8 slot;  /* of tsw_uplink_slots; 0: not known */
	__be32 mark;
	struct tsw_mac seal;
} __attribute__((packed, aligned(2)));

#define CROSSING_LOCAL 0x02
#define CROSSING_ASKS 0x08 /* the host has to ask: for the next hop's MAC, or who has a vip */
#define SLOT_ASKS 0x100	   /* the same, beside a slot */
#define CROSSING_STAMP 0xffffffffU /* in the stamp, in place of a tenant */

static __always_inline __u16 crossing_index(const struct tsw_config *cfg)
{
	return cfg->pass >> 48;
}

/* 0, or an error where the frame cannot be written. */
static __always_inline int crossing_write(struct __sk_buff *skb, const struct tsw_config *cfg,
					  __u32 mark, __u32 slot)
{
	const struct crossing c = {.local = CROSSING_LOCAL | (slot & SLOT_ASKS ? CROSSING_ASKS : 0),
				   .slot = (__u8)slot,
				   .mark = bpf_htonl(mark),
				   .seal = cfg->seal};

	skb->tc_index = crossing_index(cfg);
	return bpf_skb_store_bytes(skb, 0, &c, sizeof(c), 0);
}

/*
 * Takes a frame that a program of the switch sent over. It gets the mark from its header, and as
 * its priority the slot and SLOT_ASKS. By its Ethernet address the kernel took it for another
 * machine's.
 */
static __noinline bool crossing_take(struct __sk_buff *skb, const struct tsw_config *cfg)
{
	struct crossing c;

	if (bpf_skb_load_bytes(skb, 0, &c, sizeof(c)) ||
	    (c.local & ~CROSSING_ASKS) != CROSSING_LOCAL || !mac_equal(&c.seal, &cfg->seal) ||
	    !c.seal.b[0] || (__u16)skb->tc_index != crossing_index(cfg))
		return false;
	skb->tc_index = 0;
	skb->mark = bpf_ntohl(c.mark);
	skb->priority = c.slot | (c.local & CROSSING_ASKS ? SLOT_ASKS : 0);
	bpf_skb_change_type(skb, PACKET_HOST);
	return true;
}

/*
 * Drops a frame that no program of the switch sent. Multicast that the kernel itself sends by the
 * device, as MLD reports, is dropped without being counted.
 */
static __always_inline int crossing_refuse(struct __sk_buff *skb)
{
	return skb->pkt_type == PACKET_MULTICAST ? CONSUMED : drop(TSW_DROP_NOT_STAMPED);
}

/* Does the kernel's note of the protocol agree with the frame's own header? */
static __always_inline bool crossing_is_exact(struct __sk_buff *skb)
{
	__be16 type;

	return !bpf_skb_load_bytes(skb, offsetof(struct ethhdr, h_proto), &type, sizeof(type)) &&
	       skb->protocol == type;
}

/*
 * Sends the frame to the router by that device. It goes through the device's queue if another
 * protocol is noted, as after an outer header, or if the program is at an egress. After the queue
 * the protocol is read again. The stamp lets the frame through there.
 */
static __always_inline int crossing_enter(struct __sk_buff *skb, const struct tsw_config *cfg,
					  struct frame_id *id, __u32 ifindex)
{
	skb->mark = 0;
	id->out = ifindex;
	if (!id->egress && crossing_is_exact(skb)) {
		if (skb->pkt_type != PACKET_HOST)
			bpf_skb_change_type(skb, PACKET_HOST);
		bpf_redirect_peer(ifindex, 0);
		return REDIRECT;
	}
	stamp_set(skb, cfg, CROSSING_STAMP, ifindex);
	bpf_redirect(ifindex, 0);
	return REDIRECT;
}

/* The configuration. NULL: the frame's device is not in the router's namespace. */
static __always_inline struct tsw_config *config_of_router(struct __sk_buff *skb)
{
	struct tsw_config *cfg = config_get();

	return cfg && cfg->router && kernel_skb_is_in(skb, cfg->router) ? cfg : NULL;
}

#endif
