/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a gateway with an index has in the nftables table. Its record is written before, and
 * outlives it: so what is in nftables is known, whenever a command was killed.
 */
#ifndef TSW_GATEWAY_NFT_H
#define TSW_GATEWAY_NFT_H

#include "kernel/nft.h"
#include "store/tsw.h"

void gateway_nft_put(struct nft_change *c, const struct tsw_gateway *gw);
/* Of these alone that it leaves as an address of this host's, which come and go. */
void gateway_nft_put_at_host(struct nft_change *c, const struct tsw_gateway *gw,
			     enum tsw_family family);
/* What OLD has and WANT, which may be NULL, has not. */
void gateway_nft_drop(struct nft_change *c, const struct tsw_gateway *old,
		      const struct tsw_gateway *want);

/* As nft_commit(). Where the table is gone, what was to be dropped is gone with it. */
int gateway_nft_commit_put(struct nft_change *c);
int gateway_nft_commit_drop(struct nft_change *c);

#endif
