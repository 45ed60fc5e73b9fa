/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs and command share about networks behind an endpoint. Read by abi.h. */
#ifndef TSW_ABI_PREFIX_H
#define TSW_ABI_PREFIX_H

#include <tsw/abi.h>
#include <tsw/abi_gateway.h>

#define TSW_PREFIXES TSW_GATEWAY_ADDRS /* of an endpoint, at most */

/* tsw_prefixes: {tenant, network} -> the endpoint in front of it. No two networks overlap. */
struct tsw_prefix_key {
	__u32 len; /* bits of what follows: 32 and the network's */
	struct tsw_addr_key of;
};

struct tsw_behind {
	struct tsw_mac mac;
	__u16 len; /* the network's own, as in tsw_prefix */
};

/* tsw_prefix_lists: {tenant, MAC} -> all networks behind this endpoint. Command alone. */
struct tsw_prefix_set {
	__u32 n;
	struct tsw_prefix at[TSW_PREFIXES];
};

_Static_assert(sizeof(struct tsw_prefix_key) == 24, "ABI");
_Static_assert(sizeof(struct tsw_behind) == 8, "ABI");
_Static_assert(sizeof(struct tsw_prefix_set) == 164, "ABI");

#endif
