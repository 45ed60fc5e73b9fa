// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "door/gateway_nft.h"
#include "object/gateway_follow.h"
#include "object/peer.h"
#include "object/publish.h"
#include "record/peer_pair.h"
#include "rules/rules.h"

int gateway_follow(struct tsw *t, __u32 tenant)
{
	int err = publish_refresh(t, tenant);

	return err ?: peer_refresh(t, tenant);
}

/* Refuses to delete the gateway while published ports or peerings need it. */
static int check_unused(const struct tsw *t, __u32 tenant)
{
	struct publish *published = NULL;
	struct tsw_peer_key *peers = NULL;
	size_t n_published = 0, n_peers = 0;
	int err = publish_list(t, tenant, &published, &n_published);

	err = err ?: peer_list(t, tenant, &peers, &n_peers);
	free(published);
	free(peers);
	return err ?: rule_gateway_del(n_published, n_peers);
}

int gateway_leave(struct tsw *t, __u32 tenant, bool force)
{
	int err = force ? publish_del_all(t, tenant) : check_unused(t, tenant);

	return err || !force ? err : peer_del_all(t, tenant);
}

int gateways_fill(struct tsw *t, struct nft_change *c)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++)
		gateway_nft_put(c, row_value(&rows, i));
	err = err ?: publish_fill(t, c);
	return err ?: peer_fill(t, c);
}
