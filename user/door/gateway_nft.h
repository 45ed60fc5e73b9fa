/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a gateway with an index has in the nftables table. Its record is written before, and
 * outlives it: so what is in nftables is known, whenever a command was killed.
 */
#ifndef TSW_GATEWAY_NFT_H
#define TSW_GATEWAY_NFT_H

#include <tsw/abi_crypt.h>

#include "kernel/nft.h"
#include "store/tsw.h"

void gateway_nft_put(struct nft_change *c, const struct tsw_gateway *gw);
/* What OLD has and WANT, which may be NULL, has not. */
void gateway_nft_drop(struct nft_change *c, const struct tsw_gateway *old,
		      const struct tsw_gateway *want);

/* WireGuard's ports from FIRST on, 0: none. Tenants that send there leave by none of them. */
void gateway_nft_put_ports(struct nft_change *c, __u32 first);

/* The same of the ones that it has now, in place of all that are there. */
int gateway_nft_mend_ports(const struct tsw *t);

/* As nft_commit(). Where the table is gone, what was to be dropped is gone with it. */
int gateway_nft_commit_put(struct nft_change *c);
int gateway_nft_commit_drop(struct nft_change *c);

#endif
