/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs and command share about MACs behind an endpoint's port. Read by abi.h. */
#ifndef TSW_ABI_MACS_H
#define TSW_ABI_MACS_H

#include <tsw/abi.h>

#define TSW_PORT_MACS (1U << 14) /* the endpoint may send from other MACs, too */
#define TSW_MACS 64		 /* behind a port, at most */
#define TSW_INNER_SECONDS 300	 /* after which a silent MAC gives up its place */
#define TSW_INNER_WAYS 8	 /* places that an address may have */
#define TSW_INNER_ADDRS 256

/*
 * tsw_macs: {tenant, MAC} -> how many other MACs this endpoint may send from. The command writes
 * it.
 */

/* A MAC that the endpoint sends from. The programs read and write it as one word. */
struct tsw_inner_mac {
	struct tsw_mac mac; /* zero: a free place */
	__u8 pad[2];
	__u64 seen; /* ns of CLOCK_MONOTONIC, to a second */
};

/* The MAC that has an address: the endpoint's own or an inner one. */
struct tsw_inner_addr {
	struct tsw_addr addr;
	struct tsw_mac mac; /* zero: a free place */
	__u8 pad[2];	    /* not zero while a program writes the address */
	__u64 seen;	    /* ns of CLOCK_MONOTONIC, to a second: when that MAC sent from it */
} __attribute__((aligned(8)));

/* tsw_inner: {tenant, MAC} -> what is behind its port on this host. The programs write it. */
struct tsw_inner {
	struct tsw_inner_mac mac[TSW_MACS]; /* only the first N of `macs N` are in use */
	struct tsw_inner_addr addr[TSW_INNER_ADDRS];
	/* ns of CLOCK_MONOTONIC, of each set of places: when an address was asked for */
	__u64 asked[TSW_INNER_ADDRS / TSW_INNER_WAYS];
};

_Static_assert(sizeof(struct tsw_inner_mac) == 16, "ABI");
_Static_assert(sizeof(struct tsw_inner_addr) == 32, "ABI");

#endif
