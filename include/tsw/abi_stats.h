/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about counters, and the copies beside them. See abi.h, which has
 * this.
 */
#ifndef TSW_ABI_STATS_H
#define TSW_ABI_STATS_H

#include <tsw/abi.h>

/* Packets and octets of frames as they would be on the wire: segments of a super-frame. */
struct tsw_counter {
	__u64 packets;
	__u64 bytes;
};

/* Of a tenant, on one CPU or on all. */
struct tsw_stats {
	struct tsw_counter local;     /* endpoint to endpoint on this host */
	struct tsw_counter tunnel_tx; /* to other hosts; a copy each for broadcast */
	struct tsw_counter tunnel_rx; /* from other hosts; broadcast once */
	struct tsw_counter gateway;
	struct tsw_counter slow_tx;  /* of tunnel_tx, by the kernel's tunnel device */
	struct tsw_counter slow_rx;  /* of tunnel_rx, likewise */
	struct tsw_counter answered; /* at the port: ARP, ND, DHCP, DNS, echo, too-big */
};

/*
 * Copies of what each frame to or from another host needs of its tenant and that host. They lie
 * beside the counters, which are written anyway. A copy is good for a few jiffies, and until a
 * command has ended.
 */
struct tsw_cached {
	__u64 until;	  /* jiffies; 0: not read yet */
	__u32 generation; /* of struct tsw_config, when it was read */
	__u32 mtu;	  /* as in the original */
};

struct tsw_cached_tenant {
	struct tsw_cached cached;
	__u32 encap; /* enum tsw_encap */
	__u32 from;  /* index of the host that sent last; 0: none yet */
	struct tsw_addr from_addr;
};

#define TSW_CACHED_ENCRYPT (1U << 31) /* frames to it must go by a device that encrypts */

struct tsw_cached_host {
	struct tsw_cached cached;
	struct tsw_addr addr; /* the address to send to */
	__u32 family;	      /* enum tsw_family of addr */
	__u32 flags;	      /* TSW_HOST_*, TSW_CACHED_ENCRYPT */
};

/* tsw_stats: tenant -> per CPU. */
struct tsw_tenant_stats {
	struct tsw_stats count;
	struct tsw_cached_tenant tenant;
};

#define TSW_HOP_BARE 0xffU

/* The way to a host by the kernel's FIB, good for a few jiffies. */
struct tsw_hop {
	__u64 until;	/* jiffies; 0: not asked yet */
	__u32 ifindex;	/* of the underlay device */
	__u32 mtu;	/* of the route, at most that device's */
	__u32 family;	/* AF_INET, AF_INET6; AF_UNSPEC: the kernel is asked for each frame;
			   TSW_HOP_BARE: the device has no link header */
	__u32 waits;	/* not 0: its neighbour was not known */
	__be32 addr[4]; /* next hop; the first word alone for AF_INET */
};

/*
 * Where several routes are equally good, flows share them as far as the kernel's
 * fib_multipath_hash_policy looks at ports or IPv6 flow labels: a hop for each value of the
 * lowest bits of the flow's hash.
 */
#define TSW_HOPS 16

/* tsw_host_stats: host index -> per CPU. */
struct tsw_host_stats {
	struct tsw_counter tx;
	struct tsw_counter rx;
	struct tsw_cached_host host;
	struct tsw_hop hop[TSW_HOPS];
};

_Static_assert(sizeof(struct tsw_tenant_stats) == 152, "ABI");
_Static_assert(sizeof(struct tsw_host_stats) == 712, "ABI");

#endif
