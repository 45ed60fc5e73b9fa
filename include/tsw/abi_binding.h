/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs and command share about addresses that endpoints show. Read by abi.h. */
#ifndef TSW_ABI_BINDING_H
#define TSW_ABI_BINDING_H

#include <tsw/abi.h>

#define TSW_BINDINGS 4 /* of an endpoint, at most */

/*
 * tsw_bindings: {tenant, IP} -> the endpoint that showed this link-local address, while no other
 * one had it (RFC 6620). The programs write it, and the command deletes those of an endpoint that
 * goes.
 */
struct tsw_binding {
	struct tsw_mac mac;
	__u8 pad[2];
	__u64 used; /* ns of CLOCK_MONOTONIC: to a second, when the endpoint last sent from it */
};

/* tsw_bound: {tenant, MAC} -> what this endpoint has in tsw_bindings. */
struct tsw_bound {
	__u64 id[TSW_BINDINGS]; /* interface identifiers, network order; 0: free */
};

_Static_assert(sizeof(struct tsw_binding) == 16, "ABI");
_Static_assert(sizeof(struct tsw_bound) == 32, "ABI");

#endif
