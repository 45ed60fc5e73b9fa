// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/text.h"
#include "door/gateway_nft.h"
#include "door/index.h"
#include "door/peering.h"

/* ---- routes ----------------------------------------------------------------------- */

static struct tsw_peer_route_key route_key(__u32 tenant, const struct tsw_prefix *network)
{
	return (struct tsw_peer_route_key){
		.len = 32 + network->len, .tenant = tenant, .addr = network->addr};
}

/* Puts side I's networks into the other tenant's routes. INDEX 0: no frame passes. */
static int put_routes(const struct tsw *t, const struct pair *pair, int i, __u32 index)
{
	const struct side *to = &pair->side[i], *from = &pair->side[!i];
	const struct tsw_peer_route route = {.peer = to->id, .index = index};
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];
	struct tsw_peer_route_key key;
	__u32 n = side_networks(to, network), k;
	int err = 0;

	for (k = 0; !err && k < n; k++) {
		key = route_key(from->id, &network[k]);
		err = map_put(&t->maps, MAP_PEER_ROUTES, &key, &route);
	}
	return err;
}

static int drop_routes(const struct tsw *t, const struct pair *pair, int i)
{
	const struct side *to = &pair->side[i], *from = &pair->side[!i];
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];
	struct tsw_peer_route_key key;
	struct tsw_peer_route route;
	__u32 n = side_networks(to, network), k;
	int err = 0;

	for (k = 0; !err && k < n; k++) {
		key = route_key(from->id, &network[k]);
		/* The look-up may find a wider network, which may be another peer's. */
		err = map_get(&t->maps, MAP_PEER_ROUTES, &key, &route);
		if (!err && route.peer == to->id)
			err = map_del(&t->maps, MAP_PEER_ROUTES, &key);
		if (err == -ENOENT)
			err = 0;
	}
	return err;
}

static bool gives(const struct side *side, const struct tsw_peer_route_key *key)
{
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];
	__u32 n = side->there ? side_networks(side, network) : 0, i;

	for (i = 0; i < n; i++)
		if (network[i].len + 32 == key->len && addr_equal(&network[i].addr, &key->addr))
			return true;
	return false;
}

int peering_sweep(const struct tsw *t, __u32 tenant)
{
	cleanup_rows struct rows rows = {};
	struct pair pair;
	size_t i;
	int err = map_rows(&t->maps, MAP_PEER_ROUTES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_peer_route_key *key = row_key(&rows, i);
		const struct tsw_peer_route *route = row_value(&rows, i);

		if (tenant && key->tenant != tenant && route->peer != tenant)
			continue;
		err = pair_load(t, route->peer, key->tenant, &pair);
		if (!err && !gives(&pair.side[0], key))
			err = map_del(&t->maps, MAP_PEER_ROUTES, key);
	}
	return err;
}

/* ---- nftables --------------------------------------------------------------------- */

typedef void edit(struct nft_change *c, const char *set, json_t *key, json_t *value);

static __u32 mark_of(const struct side *side)
{
	return TSW_MARK_TENANT | side->half.index;
}

/*
 * A direction's mark stands for its flows, and on frames that leave for the tenant at that end.
 * Answers leave with the direction's own mark, and what the flow brings with the other direction's.
 */
static void edit_direction(struct nft_change *c, edit *edit, const struct side *from,
			   const struct side *to)
{
	const __u32 mark = mark_of(from), other = mark_of(to);

	edit(c, "zones", nft_number(from->half.index), nft_number(from->half.index));
	edit(c, "peerings", nft_mark(mark), NULL);
	edit(c, "flows", nft_concat(nft_mark(mark), nft_mark(mark), NULL), NULL);
	edit(c, "flows", nft_concat(nft_mark(mark), nft_mark(other), NULL), NULL);
	edit(c, "initiators", nft_mark(mark), nft_mark(mark));
	edit(c, "responders", nft_mark(mark), nft_mark(other));
}

static void edit_pair(struct nft_change *c, edit *edit, const struct pair *pair)
{
	__u16 port;
	__u8 proto;
	int i;

	if (!peer_common(pair, &proto, &port))
		return;
	for (i = 0; i < 2; i++) {
		edit_direction(c, edit, &pair->side[i], &pair->side[!i]);
		if (proto)
			edit(c, "peer_ports",
			     nft_concat(nft_mark(mark_of(&pair->side[i])),
					nft_word(proto == IPPROTO_UDP ? "udp" : "tcp"),
					nft_number(port), NULL),
			     NULL);
		else
			edit(c, "peer_all", nft_mark(mark_of(&pair->side[i])), NULL);
	}
}

bool peering_is_here(const struct pair *pair)
{
	return pair->side[0].half.index && pair->side[1].half.index;
}

void peering_put(struct nft_change *c, const struct pair *pair)
{
	edit_pair(c, nft_put, pair);
}

/* ---- both ------------------------------------------------------------------------- */

static int put_half(const struct tsw *t, const struct pair *pair, int i)
{
	const struct tsw_peer_key key = {.of = pair->side[i].id, .with = pair->side[!i].id};

	return map_put(&t->maps, MAP_PEERS, &key, &pair->side[i].half);
}

/* Writes an index to the half's record before anything else uses it. */
static int take_indexes(struct tsw *t, struct pair *pair)
{
	int err = 0, i;

	for (i = 0; !err && i < 2; i++) {
		const struct tsw_mark mark = {.tenant = pair->side[i].id,
					      .peer = pair->side[!i].id};

		if (pair->side[i].half.index)
			continue;
		err = index_take(t, &mark, &pair->side[i].half.index);
		err = err ?: put_half(t, pair, i);
	}
	return err;
}

/* Removes the indexes from the records first, because a free index may be taken at once. */
static int drop_indexes(struct tsw *t, struct pair *pair)
{
	__u32 index[2];
	int err = 0, i;

	for (i = 0; !err && i < 2; i++) {
		index[i] = pair->side[i].half.index;
		pair->side[i].half.index = 0;
		if (index[i])
			err = put_half(t, pair, i);
	}
	for (i = 0; !err && i < 2; i++)
		if (index[i])
			err = index_drop(t, index[i]);
	return err;
}

static bool is_wanted(const struct pair *pair)
{
	__u16 port;
	__u8 proto;

	return pair->side[0].there && pair->side[1].there && peer_common(pair, &proto, &port) &&
	       (pair->side[0].gw.index || pair->side[1].gw.index);
}

int peering_prepare(struct tsw *t, struct pair *pair, struct nft_change *c)
{
	int err = is_wanted(pair) ? take_indexes(t, pair) : 0;

	if (!err && is_wanted(pair))
		peering_put(c, pair);
	return err;
}

int peering_open(struct tsw *t, const struct pair *pair)
{
	const bool wanted = is_wanted(pair);
	int err = 0, i;

	for (i = 0; !err && i < 2; i++)
		if (pair->side[i].there)
			err = put_routes(t, pair, i, wanted ? pair->side[!i].half.index : 0);
	return err;
}

int peering_close(struct tsw *t, struct pair *pair)
{
	struct nft_change c;
	int err = drop_routes(t, pair, 0);

	err = err ?: pair->side[1].there ? put_routes(t, pair, 1, 0) : drop_routes(t, pair, 1);
	if (!err && peering_is_here(pair)) {
		nft_begin(&c);
		edit_pair(&c, nft_drop, pair);
		err = gateway_nft_commit_drop(&c);
	}
	return err ?: drop_indexes(t, pair);
}
