/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The elements of a gateway with an index in nftables' table. The gateway's record is written
 * before them and removed after them, so that it tells what may be in nftables after a kill.
 */
#ifndef TSW_GATEWAY_NFT_H
#define TSW_GATEWAY_NFT_H

#include "kernel/nft.h"
#include "store/tsw.h"

void gateway_nft_put(struct nft_change *c, const struct tsw_gateway *gw);
/* Adds only the sets of gateways that leave as an address of this host: addresses change. */
void gateway_nft_put_at_host(struct nft_change *c, const struct tsw_gateway *gw,
			     enum tsw_family family);
/* Drops what OLD has and WANT, which may be NULL, does not. */
void gateway_nft_drop(struct nft_change *c, const struct tsw_gateway *old,
		      const struct tsw_gateway *want);

/*
 * As nft_commit(). A drop also succeeds if the whole table is gone. ERR: why the change could not
 * be prepared; it is abandoned then, and ERR is returned.
 */
int gateway_nft_commit_put(struct nft_change *c, int err);
int gateway_nft_commit_drop(struct nft_change *c);

#endif
