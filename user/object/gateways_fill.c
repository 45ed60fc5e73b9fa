// SPDX-License-Identifier: GPL-2.0-only
#include "door/gateway_nft.h"
#include "object/gateways_fill.h"
#include "object/peer.h"
#include "object/publish.h"
#include "store/tsw.h"

int gateways_fill(struct tsw *t, struct nft_change *c)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++)
		gateway_nft_put(c, row_value(&rows, i));
	if (!err)
		err = publish_fill(t, c);
	return err ? err : peer_fill(t, c);
}
