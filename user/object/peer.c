// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "door/gateway_nft.h"
#include "door/peering.h"
#include "object/peer.h"
#include "object/peer_check.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

static void free_list(struct tsw_peer_key **all)
{
	free(*all);
}

#define cleanup_list __attribute__((cleanup(free_list)))

/* ---- one half --------------------------------------------------------------------- */

static int put_half(const struct tsw *t, const struct pair *pair, bool pending)
{
	const struct tsw_peer_key key = {.of = pair->side[0].id, .with = pair->side[1].id};
	struct tsw_peer half = pair->side[0].half;

	half.flags = pending ? TSW_PEER_PENDING : 0;
	return map_put(&t->maps, MAP_PEERS, &key, &half);
}

/* Removes the half of the first side, and the way between both tenants. */
static int withdraw(struct tsw *t, struct pair *pair)
{
	const struct tsw_peer_key key = {.of = pair->side[0].id, .with = pair->side[1].id};
	int err;

	pair->side[0].half.flags = TSW_PEER_PENDING;
	err = put_half(t, pair, true);
	err = err ?: peering_close(t, pair);
	return err ?: map_del(&t->maps, MAP_PEERS, &key);
}

/* Removes a pending half: it was never completed, or a killed command had begun to delete it. */
static int check_absent(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with,
			struct pair *pair)
{
	if (pair->side[0].there)
		return rule_is_peer(of->s, with->s);
	return pair->side[0].half.flags & TSW_PEER_PENDING ? withdraw(t, pair) : 0;
}

static int open_way(struct tsw *t, struct pair *pair)
{
	struct nft_change c;
	int err;

	nft_begin(&c);
	err = gateway_nft_commit_put(&c, peering_prepare(t, pair, &c));
	return err ?: peering_open(t, pair);
}

/* Keeps the first error. */
static int undo_add(struct tsw *t, struct pair *pair)
{
	const struct failure why = *failure();

	withdraw(t, pair);
	return fail_again(&why);
}

static void tell_nothing_common(struct tsw *t, const struct pair *pair)
{
	__u16 port;
	__u8 proto;

	if (pair->side[1].there && !peer_common(pair, &proto, &port))
		note(&t->log, "both halves exist now, but they allow nothing in common: nothing "
			      "passes");
}

int peer_add(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with,
	     const struct tsw_peer *half)
{
	struct tsw_gateway unused;
	struct pair pair, want;
	__u32 id, other;
	int err = gateway_find(t, of, &id, &unused);

	err = err ?: gateway_find(t, with, &other, &unused);
	err = err ?: rule_peer_differs(of->s, with->s);
	err = err ?: pair_load(t, id, other, &pair);
	if (err)
		return err;
	want = pair;
	want.side[0].half = *half;
	want.side[0].there = true;
	err = peer_check(t, &want);
	err = err ?: check_absent(t, of, with, &pair);
	/* A pending half may have had indexes. */
	want.side[1] = pair.side[1];
	err = err ?: put_half(t, &want, true);
	if (err)
		return err;
	want.side[0].half.flags = TSW_PEER_PENDING;
	err = open_way(t, &want);
	err = err ?: put_half(t, &want, false);
	if (err)
		return undo_add(t, &want);
	tell_nothing_common(t, &want);
	return 0;
}

int peer_del(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with)
{
	struct tsw_tenant unused;
	struct pair pair;
	__u32 id, other;
	int err = tenant_find(t, of, &id, &unused);

	err = err ?: tenant_find(t, with, &other, &unused);
	err = err ?: pair_load(t, id, other, &pair);
	if (!err && !pair.side[0].there && !(pair.side[0].half.flags & TSW_PEER_PENDING))
		err = rule_no_peer(of->s, with->s);
	return err ?: withdraw(t, &pair);
}

/* ---- with the gateways ------------------------------------------------------------ */

int peer_fill(struct tsw *t, struct nft_change *c)
{
	cleanup_list struct tsw_peer_key *all = NULL;
	struct pair pair;
	size_t n, i;
	int err = peer_list(t, 0, &all, &n);

	for (i = 0; !err && i < n; i++) {
		if (all[i].of > all[i].with)
			continue;
		err = pair_load(t, all[i].of, all[i].with, &pair);
		if (!err && pair.side[0].there && pair.side[1].there && peering_is_here(&pair))
			peering_put(c, &pair);
	}
	return err;
}

/* Writes all indexes and one nftables transaction first, then the routes. */
int peer_refresh(struct tsw *t, __u32 tenant)
{
	cleanup_list struct tsw_peer_key *all = NULL;
	struct nft_change c;
	struct pair pair;
	size_t n, i;
	int err = peer_list(t, tenant, &all, &n);

	if (!err && n)
		err = peering_sweep(t, tenant);
	nft_begin(&c);
	for (i = 0; !err && i < n; i++) {
		err = pair_load(t, all[i].of, all[i].with, &pair);
		err = err ?: peering_prepare(t, &pair, &c);
	}
	err = gateway_nft_commit_put(&c, err);
	for (i = 0; !err && i < n; i++) {
		err = pair_load(t, all[i].of, all[i].with, &pair);
		err = err ?: peering_open(t, &pair);
	}
	return err;
}

int peer_check_prefixes(const struct tsw *t, __u32 tenant, const struct tsw_gateway *want)
{
	cleanup_list struct tsw_peer_key *all = NULL;
	struct pair pair;
	size_t n, i;
	int err = peer_list(t, tenant, &all, &n);

	for (i = 0; !err && i < n; i++) {
		err = pair_load(t, all[i].of, all[i].with, &pair);
		pair.side[all[i].of != tenant].gw = *want;
		err = err ?: peer_check(t, &pair);
	}
	return err;
}

int peer_del_all(struct tsw *t, __u32 tenant)
{
	cleanup_list struct tsw_peer_key *all = NULL;
	struct pair pair;
	size_t n, i;
	int err = peer_list(t, tenant, &all, &n);

	for (i = 0; !err && i < n; i++) {
		err = pair_load(t, all[i].of, all[i].with, &pair);
		err = err ?: withdraw(t, &pair);
	}
	return err;
}
