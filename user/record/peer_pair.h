/* SPDX-License-Identifier: GPL-2.0-only */
/* Peerings in the maps: two tenants, and the half that each gave. */
#ifndef TSW_PEER_PAIR_H
#define TSW_PEER_PAIR_H

#include "store/tsw.h"

/* One tenant of two, and the half that it gave. */
struct side {
	__u32 id;
	struct tsw_gateway gw; /* all zero: no gateway */
	struct tsw_peer half;
	bool there; /* the half exists and is not pending */
};

struct pair {
	struct side side[2];
};

/* What both halves allow. PROTO 0: everything. False: nothing. */
bool peer_common(const struct pair *pair, __u8 *proto, __u16 *port);

int pair_load(const struct tsw *t, __u32 of, __u32 with, struct pair *pair);

/* The networks that the other tenant may reach; returns how many. */
__u32 side_networks(const struct side *side, struct tsw_prefix network[TSW_GATEWAY_ADDRS]);

/* All halves of peerings with a tenant; 0: all halves. Free *ALL. */
int peer_list(const struct tsw *t, __u32 tenant, struct tsw_peer_key **all, size_t *n);

#endif
