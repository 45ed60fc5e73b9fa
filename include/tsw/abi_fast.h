/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of the ABI that is about flows that the programs translate themselves. See abi.h. */
#ifndef TSW_ABI_FAST_H
#define TSW_ABI_FAST_H

#include <tsw/abi_gateway.h>

/*
 * tsw_fast: a flow in one direction, as its frames come to the gateway -> how they leave it. The
 * key's tenant is the sender's; 0: they come from the world. The least recently used entries go.
 * The router's rules judge a frame without an entry.
 *
 * An entry is a lease. A frame that the router's rules, conntrack and routing have let pass gives
 * it. When it ends, they judge the next frame again. It ends after half of the time for which
 * conntrack keeps the flow, after TSW_FAST_LEASE, or at a change of the switch. The host's routes
 * and neighbours, which others change, are asked every TSW_FAST_ASK.
 */
#define TSW_FAST_LEASE 8000000000ULL /* ns */
#define TSW_FAST_ASK 1000000000ULL

struct tsw_fast {
	__u64 until;	     /* CLOCK_MONOTONIC_COARSE, ns; 0: no frame has passed this way */
	struct tsw_addr src; /* the source as it leaves */
	struct tsw_addr dst;
	__be16 sport;
	__be16 dport;
	__u32 generation; /* of struct tsw_config, when it was learned */
	__u32 mark;	  /* to a tenant: the mark for tsw_from_gateway; 0: to the world */
	__u32 in;	  /* ifindex of the uplink that it comes by; 0: from a tenant */
	__u32 out;   /* ifindex of the device that it leaves by, to the world or to a port here */
	__u32 mtu;   /* of the way, octets of layer 3; 0: not known */
	__u32 addrs; /* by how much the sums of addresses and ports change (RFC 1624) */
	__u32 ports;
	struct tsw_mac hw_dst,
		hw_src; /* of the next hop or the endpoint; of the device it leaves by */
	__u64 asked; /* as `until`: when the host's routes are to be asked again; to a tenant: 0 */
};

_Static_assert(sizeof(struct tsw_fast) == 96, "ABI");

/* Each flag of the configuration has a bit of its own, wherever it is defined. */
_Static_assert((TSW_CFG_SLOW_PATH | TSW_CFG_DECAP_L3 | TSW_CFG_TAGGED | TSW_CFG_OLD_WAY |
		TSW_CFG_OLD_LIBERAL | TSW_CFG_BARE | TSW_CFG_ENCRYPT | TSW_CFG_OLD_DOOR) == 0x1ef,
	       "ABI");

#endif
