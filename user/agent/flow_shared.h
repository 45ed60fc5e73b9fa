/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tenants' flows the hosts of their gateways share, and with whom this one does. */
#ifndef TSW_AGENT_FLOW_SHARED_H
#define TSW_AGENT_FLOW_SHARED_H

#include "agent/flow_record.h"
#include "store/tsw.h"

/* A tenant whose gateway this host is to serve, if need be, with others. */
struct shared {
	__u32 tenant;
	struct tsw_gateway gw;
};

/* Another host of theirs, and what it is told next. */
struct flow_peer {
	struct tsw_host is;
	struct flow_datagram next;
	__u32 n; /* records in it */
};

struct shared_all {
	struct shared *all;
	size_t n;
	__u16 of[TSW_GATEWAY_MAX + 1]; /* index -> its place in all, from 1 on */
	struct flow_peer *peer;
	size_t n_peers;
	__u16 peer_of[TSW_MAX_HOSTS + 1]; /* host index -> its place in peer, from 1 on */
};

/*
 * As it is now. Flows of a gateway that this host has served, and another serves now, may come back
 * with a window of TCP that was not seen here: they are followed without it from now on.
 */
int shared_find(struct shared_all *s, const struct tsw *t);
void shared_forget(struct shared_all *s);

/* Of an index; NULL: none of those. */
const struct shared *shared_of(const struct shared_all *s, __u32 index);
struct flow_peer *shared_peer(struct shared_all *s, __u32 host);

/* All of the gateway's hosts see the flow: what it leaves as is no address of one of them. */
bool flow_is_shared(const struct tsw_gateway *gw, const struct flow *flow);

#endif
