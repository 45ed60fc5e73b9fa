/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How conntrack follows connections of a tenant with timeouts or helpers of its own: nftables
 * objects `ct timeout` and `ct helper`, and the chains that give them to a new connection.
 */
#ifndef TSW_TRACKING_H
#define TSW_TRACKING_H

#include "kernel/nft.h"
#include "store/tsw.h"

/* A helper of conntrack, and which of a tenant's connections it reads. */
struct tracking_helper {
	const char *chain;
	const char *proto;
	__u16 port;
};

/* The chain of the tenant's own timeouts. NULL: it has none. */
const char *tracking_chain(const struct tsw_gateway *gw);
bool tracking_has_helper(const struct tsw_gateway *gw, enum tsw_helper which,
			 struct tracking_helper *helper);

/* Adds the objects and chains of GW, which may have no index. */
void tracking_put(struct nft_change *c, const struct tsw_gateway *gw);
/* Drops those of OLD that WANT, which may be NULL, does not have or has differently. */
void tracking_drop(struct nft_change *c, const struct tsw_gateway *old,
		   const struct tsw_gateway *want);

/* Does this kernel have WANT's helpers? Those of OLD, which may be NULL, are not checked again. */
int tracking_check(const struct tsw_gateway *old, const struct tsw_gateway *want);

/*
 * After settings_follow(): if the host's timeouts have changed, renews the tenants' own timeouts
 * and what their shares are counted by.
 */
int tracking_follow(const struct tsw *t);

#endif
