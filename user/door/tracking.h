/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How conntrack follows a tenant's connections, where that is said: objects `ct timeout` and
 * `ct helper` of nftables' table, and the chains that give them to a new connection.
 */
#ifndef TSW_TRACKING_H
#define TSW_TRACKING_H

#include "kernel/nft.h"
#include "store/tsw.h"

/* One of conntrack's, and which of a tenant's connections it reads. */
struct tracking_helper {
	const char *chain;
	const char *proto;
	__u16 port;
};

/* The chain of its own timeouts; NULL: it has none. */
const char *tracking_chain(const struct tsw_gateway *gw);
bool tracking_has_helper(const struct tsw_gateway *gw, enum tsw_helper which,
			 struct tracking_helper *helper);

/* The objects and chains; GW may be one without an index. */
void tracking_put(struct nft_change *c, const struct tsw_gateway *gw);
/* Those that OLD has, and WANT, which may be NULL, has not or has otherwise. */
void tracking_drop(struct nft_change *c, const struct tsw_gateway *old,
		   const struct tsw_gateway *want);

/* Does this kernel have what it names? OLD, which may be NULL, had it already. */
int tracking_check(const struct tsw_gateway *old, const struct tsw_gateway *want);

/* Tenants' own timeouts, and their shares, go by the host's of today. Behind settings_follow(). */
int tracking_follow(const struct tsw *t);

#endif
