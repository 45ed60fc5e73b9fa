/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tenants' flows this host shares with the other hosts of their gateways. */
#ifndef TSW_AGENT_FLOW_SHARED_H
#define TSW_AGENT_FLOW_SHARED_H

#include "agent/flow_report.h"
#include "store/tsw.h"

/* A tenant whose gateway this host and others are ranked for. */
struct shared {
	__u32 tenant;
	struct tsw_gateway gw;
};

/* Another ranked host, and the datagram that is being filled for it. */
struct flow_peer {
	struct tsw_host is;
	struct flow_datagram next;
	__u32 n; /* reports in NEXT */
};

struct shared_all {
	struct shared *all;
	size_t n;
	__u16 of[TSW_GATEWAY_MAX + 1]; /* gateway's index -> its place in ALL, from 1 on */
	struct flow_peer *peer;
	size_t n_peers;
	__u16 peer_of[TSW_MAX_HOSTS + 1]; /* host's index -> its place in PEER, from 1 on */
};

/*
 * Reads the present state from the maps. If another host serves a gateway now that this host served
 * before, its flows may return later with a TCP window that this host did not see. Conntrack
 * follows them without checking the window from then on.
 */
int shared_find(struct shared_all *s, const struct tsw *t);
void shared_forget(struct shared_all *s);

/* By the gateway's and the host's index. NULL: not shared; not such a host. */
const struct shared *shared_of(const struct shared_all *s, __u32 index);
struct flow_peer *shared_peer(struct shared_all *s, __u32 host);

/*
 * May another host of the gateway go on with FLOW? Only if its address outside belongs to all of
 * them: an address of `snat`, or with `nat off` the tenant's own.
 */
bool flow_is_shared(const struct tsw_gateway *gw, const struct flow *flow);

#endif
