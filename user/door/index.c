// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "door/gateway_nft.h"
#include "door/index.h"
#include "kernel/conntrack.h"
#include "record/gateway_find.h"

/* Goes round, so that conntrack has long forgotten an index before it is used again. */
static int find_free(struct tsw *t, __u32 *index)
{
	struct tsw_mark mark;
	int err, i;

	for (i = 0; i < (int)TSW_GATEWAY_MAX; i++) {
		*index = t->totals.next_index % TSW_GATEWAY_MAX + 1;
		t->totals.next_index = *index;
		err = map_get(&t->maps, MAP_MARKS, index, &mark);
		if (err)
			return err == -ENOENT ? 0 : err;
	}
	return fail(ENOSPC, "no index is free");
}

int index_check(const struct tsw *t)
{
	if (t->totals.indexes < TSW_GATEWAY_MAX)
		return 0;
	return fail(
		ENOSPC,
		"all %u indexes are in use, one for each gateway on this host and each direction "
		"of a peering; let other hosts serve some gateways",
		TSW_GATEWAY_MAX);
}

int index_take(struct tsw *t, const struct tsw_mark *what, __u32 *index)
{
	int err = index_check(t);

	err = err ?: find_free(t, index);
	/* Connections of an earlier switch. */
	if (!err && !t->totals.indexes)
		err = conntrack_forget(TSW_MARK_TENANT, CONNTRACK_ALL);
	err = err ?: map_put(&t->maps, MAP_MARKS, index, what);
	if (!err)
		t->totals.indexes++;
	return err;
}

/* Whoever gets the index next begins with counters of 0. An older table has no such set. */
static int forget_refused(__u32 index)
{
	static const __u32 reasons[] = {TSW_DROP_NOT_PEERED, TSW_DROP_HOST_ADDRESS,
					TSW_DROP_FOREIGN_FLOW, TSW_DROP_BAD_STATE};
	struct nft_change c;
	size_t i;

	nft_begin(&c);
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		nft_drop(&c, "refused", nft_mark(reasons[i] << 16 | index), NULL);
	return gateway_nft_commit_drop(&c);
}

/* Clears conntrack's entries first, which would belong to the next owner of the index. */
int index_drop(struct tsw *t, __u32 index)
{
	int err = conntrack_forget(TSW_MARK_TENANT | index, CONNTRACK_INDEX);

	err = err ?: forget_refused(index);
	err = err ?: map_del(&t->maps, MAP_MARKS, &index);
	if (!err && t->totals.indexes)
		t->totals.indexes--;
	return err;
}

/* Does the gateway, or the half of a peering, that MARK names have this index? */
static int has_owner(const struct tsw *t, __u32 index, const struct tsw_mark *mark, bool *owned)
{
	const struct tsw_peer_key key = {.of = mark->tenant, .with = mark->peer};
	struct tsw_gateway gw = {};
	struct tsw_peer peer = {};
	int err = mark->peer ? map_get(&t->maps, MAP_PEERS, &key, &peer)
			     : gateway_get(t, mark->tenant, &gw);

	*owned = !err && index == (mark->peer ? peer.index : gw.index);
	return err == -ENOENT ? 0 : err;
}

int indexes_settle(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	bool owned;
	size_t i;
	int err = map_rows(&t->maps, MAP_MARKS, &rows);

	t->totals.indexes = (__u32)rows.n;
	for (i = 0; !err && i < rows.n; i++) {
		const __u32 index = *(const __u32 *)row_key(&rows, i);

		err = has_owner(t, index, row_value(&rows, i), &owned);
		if (!err && !owned)
			err = index_drop(t, index);
	}
	return err;
}
