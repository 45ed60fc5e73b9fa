/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint that moves to another place while it runs. It is at the old place until it announces
 * itself at the new one. It does so by RARP (RFC 903), as qemu sends when a migration is complete,
 * by an ARP announcement (RFC 5227 section 3), or by an unsolicited neighbour advertisement (RFC
 * 4861 section 7.2.6). Other endpoints' frames are not checked for these.
 */
#ifndef TSW_BPF_PORT_MOVE_H
#define TSW_BPF_PORT_MOVE_H

#include "answer/arp.h"
#include "core/fdb.h"
#include "port/guard.h"

TSW_HASH(tsw_moves, struct tsw_fdb_key, struct tsw_move);

#define RARP_REQUEST_REVERSE 3
#define ND_FLAG_SOLICITED 0x40

static __always_inline bool place_equal(const struct tsw_fdb *a, const struct tsw_fdb *b)
{
	return !((a->place ^ b->place) | (a->id ^ b->id));
}

/*
 * Moves the endpoint from its old place to its new one. True: it is there. Not by a store into the
 * entry, which may be deleted by now and belong to another endpoint. A command that settles the
 * move waits until all programs that saw the entry of tsw_moves are done.
 */
static __always_inline bool move_go(const struct tsw_fdb_key *key, const struct tsw_move *move,
				    const struct tsw_fdb *at)
{
	if (!place_equal(at, &move->from))
		return place_equal(at, &move->to);
	return !bpf_map_update_elem(&tsw_fdb, key, &move->to, BPF_EXIST);
}

/* A frame with this MAC came from a host where the endpoint is not. True: it is moving there. */
static __noinline bool move_follow(__u32 tenant, const struct tsw_mac *mac, __u32 host)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};
	struct tsw_move *move = bpf_map_lookup_elem(&tsw_moves, &key);
	struct tsw_fdb *at = bpf_map_lookup_elem(&tsw_fdb, &key);

	if (!move || !at || move->to.place != TSW_PLACE_HOST || move->to.id != host)
		return false;
	return move_go(&key, move, at);
}

/*
 * Does the endpoint live at this port? During a move one of its two ports gets a copy of
 * broadcasts.
 */
static __always_inline bool move_has(const struct tsw_port *port, __u32 ifindex)
{
	struct tsw_fdb *at;

	if (!(port->flags & TSW_PORT_MOVES))
		return true;
	at = fdb_get(port->tenant, &port->mac);
	return at && at->place == TSW_PLACE_PORT && at->id == ifindex;
}

/*
 * Is it an announcement by ARP or RARP? arp_step() and nd_step() have checked the sender's
 * addresses.
 */
static __always_inline bool move_is_arp(struct __sk_buff *skb, const struct tsw_port *port,
					bool reverse)
{
	struct arp arp; /* RARP differs only in the values of `op` */

	if (frame_read(skb, ETH_HLEN, &arp, sizeof(arp)))
		return false;
	if (reverse)
		return arp.op == bpf_htons(RARP_REQUEST_REVERSE) &&
		       mac_equal(&arp.sender_mac, &port->mac) &&
		       mac_equal(&arp.target_mac, &port->mac);
	return arp.sender_ip && arp.sender_ip == arp.target_ip;
}

static __always_inline bool move_is_advert(struct __sk_buff *skb, const struct frame *f)
{
	__u8 nd[5]; /* type, code, checksum, flags */

	return addr_is_v6_multicast(&f->dst) && !upper_read(skb, f, 0, nd, sizeof(nd)) &&
	       nd[0] == ND_NEIGHBOUR_ADVERT && !(nd[4] & ND_FLAG_SOLICITED);
}

/*
 * Does the frame announce where the endpoint is? Global, so that the verifier does not go through
 * the following steps for each answer.
 */
__noinline int tsw_is_announced(struct __sk_buff *skb, const struct tsw_port *port,
				const struct frame *f)
{
	if (!port || !f || !mac_is_group(&f->eth.dst))
		return false;
	if (f->eth.type == bpf_htons(ETH_P_RARP) || f->eth.type == bpf_htons(ETH_P_ARP))
		return move_is_arp(skb, port, f->eth.type == bpf_htons(ETH_P_RARP));
	return f->eth.type == bpf_htons(ETH_P_IPV6) && f->proto == IPPROTO_ICMPV6 &&
	       move_is_advert(skb, f);
}

/*
 * A frame of an endpoint that moves. NEXT: the endpoint is here, perhaps because of this frame. An
 * announcement goes to all of the tenant's hosts, even without `broadcast on`.
 */
static __noinline int move_step(struct __sk_buff *skb, const struct tsw_port *port, struct frame *f)
{
	const struct tsw_fdb_key key = {.tenant = port->tenant, .mac = port->mac};
	const struct tsw_fdb here = {.place = TSW_PLACE_PORT, .id = skb->ifindex};
	struct tsw_fdb *at = bpf_map_lookup_elem(&tsw_fdb, &key);
	struct tsw_move *move;

	if (!at)
		return drop(TSW_DROP_NOT_HERE_YET);
	f->announces |= tsw_is_announced(skb, port, f) ? FRAME_MOVES : 0;
	if (place_equal(at, &here))
		return NEXT;
	move = bpf_map_lookup_elem(&tsw_moves, &key);
	if (!f->announces || !move || !place_equal(&move->to, &here) || !move_go(&key, move, at))
		return drop(TSW_DROP_NOT_HERE_YET);
	return NEXT;
}

#endif
