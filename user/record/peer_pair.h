/* SPDX-License-Identifier: GPL-2.0-only */
/* Peerings in the maps: who gave which half. */
#ifndef TSW_PEER_PAIR_H
#define TSW_PEER_PAIR_H

#include "store/tsw.h"

/* One tenant of two, and the half that it gave. */
struct side {
	__u32 id;
	struct tsw_gateway gw; /* all zero: it has none */
	struct tsw_peer half;
	bool there; /* the half is, and not pending */
};

struct pair {
	struct side side[2];
};

/* What both halves allow; PROTO 0: all. False: nothing. */
bool peer_common(const struct pair *pair, __u8 *proto, __u16 *port);

int pair_load(const struct tsw *t, __u32 of, __u32 with, struct pair *pair);

/* The networks that a half gives the other tenant; how many. */
__u32 side_networks(const struct side *side, struct tsw_prefix network[TSW_GATEWAY_ADDRS]);

/* All halves with a tenant, whoever gave them; 0: all there are. *ALL is the caller's to free. */
int peer_list(const struct tsw *t, __u32 tenant, struct tsw_peer_key **all, size_t *n);

#endif
