// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/gateway_find.h"
#include "record/peer_pair.h"

bool peer_common(const struct pair *pair, __u8 *proto, __u16 *port)
{
	const struct tsw_peer *a = &pair->side[0].half, *b = &pair->side[1].half;
	const struct tsw_peer *narrow = a->proto ? a : b;

	*proto = narrow->proto;
	*port = narrow->port;
	return !a->proto || !b->proto || (a->proto == b->proto && a->port == b->port);
}

__u32 side_networks(const struct side *side, struct tsw_prefix network[TSW_GATEWAY_ADDRS])
{
	__u32 i;

	if (side->half.n_prefixes) {
		memcpy(network, side->half.prefix, sizeof(side->half.prefix));
		return side->half.n_prefixes;
	}
	for (i = 0; i < side->gw.n_addrs; i++)
		network[i] =
			(struct tsw_prefix){prefix_first(&side->gw.addr[i]), side->gw.addr[i].len};
	return i;
}

static int load_side(const struct tsw *t, __u32 id, __u32 with, struct side *side)
{
	const struct tsw_peer_key key = {.of = id, .with = with};
	int err;

	*side = (struct side){.id = id};
	err = gateway_get(t, id, &side->gw);
	if (!err || err == -ENOENT)
		err = map_get(&t->maps, MAP_PEERS, &key, &side->half);
	side->there = !err && !(side->half.flags & TSW_PEER_PENDING);
	return err == -ENOENT ? 0 : err;
}

int pair_load(const struct tsw *t, __u32 of, __u32 with, struct pair *pair)
{
	int err = load_side(t, of, with, &pair->side[0]);

	return err ?: load_side(t, with, of, &pair->side[1]);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct tsw_peer_key));
}

int peer_list(const struct tsw *t, __u32 tenant, struct tsw_peer_key **all, size_t *n)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PEERS, &rows);

	*n = 0;
	*all = err ? NULL : calloc(rows.n + 1, sizeof(**all));
	if (err)
		return err;
	if (!*all)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_peer_key *key = row_key(&rows, i);

		if (!tenant || key->of == tenant || key->with == tenant)
			(*all)[(*n)++] = *key;
	}
	qsort(*all, *n, sizeof(**all), compare);
	return 0;
}
