/* SPDX-License-Identifier: GPL-2.0-only */
/* Peerings in the maps. Each of two tenants gives a half: what the other may reach. */
#ifndef TSW_PEER_PAIR_H
#define TSW_PEER_PAIR_H

#include "store/tsw.h"

/* One of the two tenants, with its gateway and its half. */
struct side {
	__u32 id;
	struct tsw_gateway gw; /* all zero: no gateway */
	struct tsw_peer half;
	bool there; /* the half exists and is not pending */
};

struct pair {
	struct side side[2];
};

/* What both halves allow. *PROTO 0: all protocols. False: nothing. */
bool peer_common(const struct pair *pair, __u8 *proto, __u16 *port);

/* Reads both halves: side[0] is the tenant OF, side[1] the tenant WITH. */
int pair_load(const struct tsw *t, __u32 of, __u32 with, struct pair *pair);

/* Sets NETWORK to those of this side that the other tenant may reach; returns how many. */
__u32 side_networks(const struct side *side, struct tsw_prefix network[TSW_GATEWAY_ADDRS]);

/* Reads the keys of all halves with TENANT in either place; 0: of all. The caller frees *ALL. */
int peer_list(const struct tsw *t, __u32 tenant, struct tsw_peer_key **all, size_t *n);

#endif
