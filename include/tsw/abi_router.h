/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about the router of all gateways and its way to the world: uplinks,
 * and the addresses that tenants leave as. See abi.h, which has this.
 */
#ifndef TSW_ABI_ROUTER_H
#define TSW_ABI_ROUTER_H

#include <tsw/abi.h>

/*
 * tsw_uplinks: ifindex -> a device that did not forward until gateways needed it to, to be put
 * back as it was; or has programs of the fast way. Command alone.
 */
#define TSW_UPLINK(family) (1U << (family)) /* enum tsw_family */
#define TSW_UPLINK_ROUTER (1U << 2)	    /* not turned on: it was, while conf.all is written */
#define TSW_UPLINK_OPENING (1U << 3)	    /* of index 0, which is conf.all of IPv6 */
#define TSW_UPLINK_OPEN (1U << 4)
#define TSW_UPLINK_CLOSING (1U << 5)
#define TSW_UPLINK_FAST (1U << 6)  /* tsw_from_world and tsw_to_world are on it */
#define TSW_UPLINK_QDISC (1U << 7) /* its clsact qdisc is ours */
#define TSW_MAX_UPLINKS 4096

struct tsw_uplink {
	__u32 flags; /* TSW_UPLINK() of what was turned on */
	struct tsw_mac mac;
	__u8 pad[2];
	char name[16]; /* either tells that it is still the same device */
};

/* The ifindexes of tsw-gw and tsw-up in the router's namespace. */
#define TSW_ROUTER_GATEWAY 7450
#define TSW_ROUTER_UPLINK 7451

/*
 * tsw_uplink_slots: a trie, an uplink and a network that contains its next hop -> a slot, from 1 to
 * TSW_SLOTS. By the slot the router knows the way: a routing table, and the addresses as which
 * tenants leave. Of ifindex 0: the ifindex of the uplink that is used where the host's routes
 * cannot be asked.
 *
 * tsw_uplink_addrs: an address of this host -> ifindex of the uplink that has it; 0: another
 * device.
 */
#define TSW_SLOTS 254
#define TSW_SLOT_NONE 255 /* no route leads there: the router says so to the tenant */

struct tsw_uplink_net {
	__u32 len; /* bits of both that follow; TSW_UPLINK_ANY: of the first, for any next hop */
	__u32 ifindex;
	struct tsw_addr addr;
};

#define TSW_UPLINK_ANY 32

/* tsw_routed: a trie, network of a gateway without NAT that this host serves -> tenant id. */
struct tsw_routed_key {
	__u32 len; /* bits of the address */
	struct tsw_addr addr;
};

/*
 * tsw_asked: what tenants sent to the world in this host's name, and is neither TCP nor UDP -> when
 * (CLOCK_MONOTONIC, ns). The answers are theirs. Least recently used go.
 */
struct tsw_asked_key {
	struct tsw_addr peer;
	struct tsw_addr own;
	__u32 proto;
	__u32 id; /* of an echo, the network's byte order; both ports of SCTP and the like; or 0 */
};

/*
 * tsw_expected: what conntrack's helpers expect the world to begin, as FTP's server its data. The
 * key is tsw_asked's, with the port at `own` as its id -> the tenant for whom. Least recently used
 * go.
 */
struct tsw_expected {
	__u64 seen; /* CLOCK_MONOTONIC, ns */
	__u32 index;
	__u32 pad;
};

#define TSW_EXPECTED_IDLE 300000000000ULL /* ns: conntrack expects nothing for longer */

/*
 * tsw_snats: an address that tenants leave as -> how many gateways with it this host serves alone.
 * The programs on uplinks answer ARP and ND for it on the device on whose network it is.
 */
#define TSW_SNAT_DOUBT (1U << 0) /* the agent: this host may be cut off from the others */
#define TSW_SNAT_LEFT (1U << 1)	 /* the program: in doubt, and another host says that it has it */
#define TSW_SNAT_FORGET 3000000000ULL /* ns: behind `heard`; then nothing is left any more */

struct tsw_snat {
	__u64 since; /* CLOCK_MONOTONIC, ns: when the first of them came */
	__u64 heard; /* the same: when another said last that the address is its own; 0: never */
	__u32 gateways;
	__u32 ifindex; /* as the host's routes have it; 0: it is on no network of this host's */
	__u32 state;   /* TSW_SNAT_*; what is left is not answered for */
	__u32 pad;
};

/* tsw_snat_users: the same address -> how many gateways that this host serves leave as it: __u32 */

_Static_assert(sizeof(struct tsw_expected) == 16, "ABI");
_Static_assert(sizeof(struct tsw_snat) == 32, "ABI");
_Static_assert(sizeof(struct tsw_uplink) == 28, "ABI");
_Static_assert(sizeof(struct tsw_uplink_net) == 24, "ABI");
_Static_assert(sizeof(struct tsw_routed_key) == 20, "ABI");
_Static_assert(sizeof(struct tsw_asked_key) == 40, "ABI");

#endif
