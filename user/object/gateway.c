// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "door/door.h"
#include "door/gateway_nft.h"
#include "door/index.h"
#include "door/routed.h"
#include "door/tracking.h"
#include "kernel/conntrack.h"
#include "object/gateway.h"
#include "object/gateway_check.h"
#include "object/gateway_follow.h"
#include "object/publish.h"
#include "object/snat.h"
#include "record/gateway_find.h"

/* A command sets only these flags of a gateway; programs set the others. */
#define PLACE (TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL | TSW_GATEWAY_READY)
#define ASKED \
	(TSW_GATEWAY_NAT | TSW_GATEWAY_SLOW | TSW_GATEWAY_METADATA | TSW_GATEWAY_HELPERS | PLACE)

static const struct tsw_fdb fdb_gateway = {.place = TSW_PLACE_GATEWAY};

static void serve(struct tsw_gateway *gw, __u32 host, bool all, __u32 drain)
{
	const bool was = gw->flags & TSW_GATEWAY_ALL;

	gw->flip = TSW_FLIP_NONE;
	gw->flipped = 0;
	if (gw->host == host && was == all)
		return;
	gw->flags &= ~(TSW_GATEWAY_ALL | TSW_GATEWAY_WAS_ALL);
	gw->flags |= (all ? TSW_GATEWAY_ALL : 0) | (was ? TSW_GATEWAY_WAS_ALL : 0);
	gw->old = gw->host;
	gw->host = host;
	gw->drain_until = drain ? clock_kernel_ns() + drain * SECOND_NS : 0;
}

static void set_ranks(struct tsw_gateway *gw, const struct ranks *to)
{
	__u32 i;

	gw->n_ranks = to->n;
	memcpy(gw->rank, to->host, sizeof(gw->rank));
	gw->down = 0;
	gw->flags &= ~TSW_GATEWAY_READY;
	for (i = 0; i < to->n; i++)
		gw->flags |= to->host[i] ? 0 : TSW_GATEWAY_READY;
}

void gateway_move(struct tsw_gateway *gw, const struct ranks *to, __u32 drain)
{
	const bool stays = gw->n_ranks && to->n && gw->rank[0] == to->host[0];

	if (gw->n_ranks != to->n || memcmp(gw->rank, to->host, sizeof(gw->rank)))
		set_ranks(gw, to);
	if (!stays || !gateway_has_rank(gw, gw->host))
		serve(gw, to->host[0], !to->n, drain);
}

void gateway_serve_first(struct tsw_gateway *gw, __u32 drain)
{
	gw->down = 0;
	serve(gw, gw->rank[0], !gw->n_ranks, drain);
}

static int put(const struct tsw *t, __u32 tenant, const struct tsw_gateway *gw)
{
	return map_put(&t->maps, MAP_GATEWAYS, &tenant, gw);
}

static int put_entries(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw)
{
	const struct tsw_fdb_key mac = {.tenant = tenant, .mac = gw->mac};
	const struct tsw_addr_owner owner = {.mac = gw->mac};
	struct tsw_addr_key key = {.tenant = tenant};
	struct tsw_addr_owner old;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < gw->n_addrs; i++) {
		key.addr = gw->addr[i].addr;
		err = map_get(&t->maps, MAP_ADDRS, &key, &old);
		if (err == -ENOENT)
			t->totals.addrs++;
		if (!err || err == -ENOENT)
			err = map_put(&t->maps, MAP_ADDRS, &key, &owner);
	}
	return err ?: map_put(&t->maps, MAP_FDB, &mac, &fdb_gateway);
}

static int del_addr(struct tsw *t, const struct tsw_addr_key *key, const struct tsw_mac *mac)
{
	struct tsw_addr_owner owner;
	int err = map_get(&t->maps, MAP_ADDRS, key, &owner);

	if (err || !mac_equal(&owner.mac, mac))
		return err == -ENOENT ? 0 : err;
	err = map_del(&t->maps, MAP_ADDRS, key);
	if (!err)
		t->totals.addrs--;
	return err;
}

/*
 * Deletes the entries of OLD that WANT, which may be NULL, does not have. The MAC's entry goes
 * first, because it leads frames to the gateway.
 */
static int del_entries(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		       const struct tsw_gateway *want)
{
	const struct tsw_fdb_key mac = {.tenant = tenant, .mac = old->mac};
	struct tsw_addr_key key = {.tenant = tenant};
	__u32 i;
	int err = 0;

	if (!want || !mac_equal(&old->mac, &want->mac))
		err = map_del(&t->maps, MAP_FDB, &mac);
	for (i = 0; !err && i < old->n_addrs; i++) {
		key.addr = old->addr[i].addr;
		if (!want || !gateway_has(want, &key.addr))
			err = del_addr(t, &key, &old->mac);
	}
	return err;
}

static bool is_same(const struct tsw_gateway *old, const struct tsw_gateway *want)
{
	struct tsw_gateway a = *old, b = *want;

	a.index = b.index = 0;
	b.flags = (b.flags & ASKED) | (a.flags & ~ASKED);
	return !(a.flags & TSW_GATEWAY_PENDING) && !memcmp(&a, &b, sizeof(a));
}

/* Copies the serving hosts of FROM to TO. */
static void place_as(const struct tsw_gateway *from, struct tsw_gateway *to)
{
	to->flags = (to->flags & ~PLACE) | (from->flags & PLACE);
	to->host = from->host;
	to->old = from->old;
	to->drain_until = from->drain_until;
	to->n_ranks = from->n_ranks;
	memcpy(to->rank, from->rank, sizeof(to->rank));
	to->down = from->down;
	to->flip = from->flip;
	to->flipped = from->flipped;
}

/* Tells whether more differs than the serving hosts. */
static bool is_other(const struct tsw_gateway *old, const struct tsw_gateway *want)
{
	struct tsw_gateway moved = *want;

	place_as(old, &moved);
	return !is_same(old, &moved) || old->index != want->index;
}

/*
 * Writes a pending record, until all entries exist. Nobody reaches a new gateway, because no entry
 * leads to its MAC yet. An existing one keeps its serving host meanwhile.
 */
static int put_pending(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		       const struct tsw_gateway *want)
{
	const struct tsw_fdb_key mac = {.tenant = tenant, .mac = want->mac};
	struct tsw_gateway half = *want;
	int err = 0;

	half.flags |= TSW_GATEWAY_PENDING;
	if (old && !(old->flags & TSW_GATEWAY_PENDING)) {
		place_as(old, &half);
		/* A new MAC leads to the gateway before the record has it, so no frame is lost. */
		err = map_put(&t->maps, MAP_FDB, &mac, &fdb_gateway);
	}
	return err ?: put(t, tenant, &half);
}

/*
 * Removes the nftables elements of OLD that WANT does not have, before the record of OLD is
 * overwritten. The record is pending meanwhile: after a kill the next command restores them.
 */
static int drop_former(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		       const struct tsw_gateway *want)
{
	struct tsw_gateway half = *old;
	struct nft_change c;
	int err = 0;

	nft_begin(&c);
	gateway_nft_drop(&c, old, want);
	half.flags |= TSW_GATEWAY_PENDING;
	if (want)
		err = publish_drop_former(t, tenant, old, want, &c);
	if (!err && json_array_size(c.commands))
		err = put(t, tenant, &half);
	if (!err)
		return gateway_nft_commit_drop(&c);
	nft_abandon(&c);
	return err;
}

/* Forgets connections to the old resolver, so that further questions go to the new one. */
static int forget_asking(const struct tsw_gateway *gw)
{
	return gw->index ? conntrack_forget(TSW_CT_NAMES | gw->index, ~0U) : 0;
}

static int put_elements(const struct tsw_gateway *gw)
{
	struct nft_change c;

	nft_begin(&c);
	gateway_nft_put(&c, gw);
	return gateway_nft_commit_put(&c, 0);
}

/*
 * Forgets the connections that this host passed on while another served: they have no NAT, so
 * nftables would drop their frames here. The record is pending until they are gone, for a kill
 * before that. This step is the last, because a frame under way makes such a connection again.
 */
static int hold_again(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw)
{
	int err = conntrack_forget(TSW_CT_BOUNCED | gw->index, ~0U);

	return err ?: put(t, tenant, gw);
}

static int apply(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		 struct tsw_gateway *want)
{
	const bool ready = gateway_is_ready(want);
	const bool returns =
		old && old->host && ready && (!gateway_is_ready(old) || gateway_is_served(want));
	int err = ready ? door_open(t) : 0;
	struct tsw_gateway half;

	if (!err && ready && !want->index)
		err = index_take(t, &(struct tsw_mark){.tenant = tenant}, &want->index);
	if (!err && ready)
		err = tracking_check(old, want);
	if (!err && (!old || is_other(old, want))) {
		err = old ? drop_former(t, tenant, old, want) : 0;
		err = err ?: put_pending(t, tenant, old, want);
		err = err ?: put_elements(want);
		if (!err && old && memcmp(old->resolver, want->resolver, sizeof(old->resolver)))
			err = forget_asking(want);
		err = err ?: put_entries(t, tenant, want);
	}
	half = *want; /* after index_take() has set the index */
	half.flags |= returns ? TSW_GATEWAY_PENDING : 0;
	err = err ?: put(t, tenant, &half);
	err = err ?: snat_follow(t, old, want);
	if (!err && old)
		err = gateway_follow(t, tenant);
	err = err ?: routed_change(t, tenant, old, want);
	if (!err && old)
		err = del_entries(t, tenant, old, want);
	if (!err && old && ready && !gateway_is_ready(old))
		err = publish_let_in(t, tenant);
	if (!err && returns)
		err = hold_again(t, tenant, want);
	return err;
}

/* Deletes the record after all except the index, because it tells what is left to remove. */
static int purge(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw)
{
	struct tsw_gateway half = *gw;
	int err;

	half.flags |= TSW_GATEWAY_PENDING;
	err = put(t, tenant, &half);
	err = err ?: snat_follow(t, gw, NULL);
	err = err ?: del_entries(t, tenant, gw, NULL);
	err = err ?: routed_change(t, tenant, gw, NULL);
	err = err ?: drop_former(t, tenant, gw, NULL);
	err = err ?: map_del(&t->maps, MAP_GATEWAYS, &tenant);
	if (!err && gw->index)
		err = index_drop(t, gw->index);
	return err || t->totals.indexes ? err : door_close(t);
}

/* Restores OLD as far as possible; errors are ignored, since the first one is reported. */
static void put_back(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		     const struct tsw_gateway *want)
{
	drop_former(t, tenant, want, old);
	put_elements(old);
	put_entries(t, tenant, old);
	put(t, tenant, old);
	gateway_follow(t, tenant);
	routed_change(t, tenant, want, old);
	del_entries(t, tenant, want, old);
	if (want->index && !old->index)
		index_drop(t, want->index);
	if (!t->totals.indexes)
		door_close(t);
}

/* Reverts a change that failed half-way. The next use of the switch counts everything again. */
static int undo(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		const struct tsw_gateway *want)
{
	const struct failure why = *failure();

	if (old && !(old->flags & TSW_GATEWAY_PENDING))
		put_back(t, tenant, old, want);
	else
		purge(t, tenant, want);
	t->torn = true;
	return fail_again(&why);
}

int gateway_change(struct tsw *t, __u32 tenant, const struct tsw_gateway *old,
		   const struct tsw_gateway *want)
{
	struct tsw_gateway gw = *want;
	int err = gateway_check(t, tenant, old, want);

	if (err || (old && is_same(old, want)))
		return err;
	gw.index = old ? old->index : 0;
	gw.flags &= ~TSW_GATEWAY_PENDING;
	err = apply(t, tenant, old, &gw);
	return err ? undo(t, tenant, old, &gw) : 0;
}

int gateway_del(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw, bool force)
{
	int err = gateway_leave(t, tenant, force);

	if (err)
		return force ? mark_torn(t) : err;
	return purge(t, tenant, gw) ? mark_torn(t) : 0;
}

/* ---- flips: which host serves, as the agent finds out ------------------------------ */

/* A dead host keeps no flows, so its drain ends. */
static void end_drain(struct tsw_gateway *gw)
{
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] == gw->old && gw->down & 1U << i)
			gw->drain_until = 0;
}

/* *RETURNS: another host served before, this one does now, and the record is pending. */
static int flip(struct tsw *t, const struct gateway_flip *to, bool *returns)
{
	struct tsw_gateway old, gw;
	int err = gateway_get(t, to->tenant, &old);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (!gateway_has_rank(&old, to->host))
		return fail(EINVAL, "the host is not one of the gateway's hosts");
	gw = old;
	if (gw.host != to->host)
		serve(&gw, to->host, false, to->drain);
	gw.down = to->down;
	gw.flip = gw.host == gw.rank[0] ? TSW_FLIP_NONE : to->why;
	gw.flipped =
		gw.flip ? old.flip && old.host == gw.host ? old.flipped : clock_kernel_ns() : 0;
	end_drain(&gw);
	*returns = old.host && gateway_is_served(&gw) && !(old.flags & TSW_GATEWAY_PENDING);
	gw.flags |= *returns ? TSW_GATEWAY_PENDING : 0;
	err = memcmp(&gw, &old, sizeof(gw)) ? put(t, to->tenant, &gw) : 0;
	return err ?: snat_follow(t, &old, &gw);
}

static int end_pending(struct tsw *t, __u32 tenant)
{
	struct tsw_gateway gw;
	int err = gateway_get(t, tenant, &gw);

	gw.flags &= ~TSW_GATEWAY_PENDING;
	return err ?: put(t, tenant, &gw);
}

/*
 * Does for all gateways at once what hold_again() does for one. Connections of gateways that
 * another host serves are forgotten too; their next frame makes them again.
 */
static int hold_all_again(struct tsw *t, const struct gateway_flip *flips, const bool *returns,
			  size_t n)
{
	bool any = false;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		any |= returns[i];
	err = any ? conntrack_forget(TSW_CT_BOUNCED, TSW_MARK_CLASS) : 0;
	for (i = 0; !err && i < n; i++)
		err = returns[i] ? end_pending(t, flips[i].tenant) : 0;
	return err;
}

int gateways_serve(struct tsw *t, const struct gateway_flip *flips, size_t n)
{
	bool *returns = calloc(n + 1, sizeof(*returns));
	struct failure why;
	size_t i;
	int err = 0, held;

	if (!returns)
		return fail_memory();
	for (i = 0; !err && i < n; i++)
		err = flip(t, &flips[i], &returns[i]);
	/* The flips before a failed one are completed; then its error is reported. */
	why = *failure();
	held = hold_all_again(t, flips, returns, n);
	free(returns);
	if (held)
		return mark_torn(t);
	return err ? fail_again(&why) : 0;
}

/* ---- after a kill ------------------------------------------------------------------- */

/* Completes a gateway whose MAC leads to it: the killed command changed an existing gateway. */
static int finish(struct tsw *t, __u32 tenant, const struct tsw_gateway *gw)
{
	const struct tsw_fdb_key mac = {.tenant = tenant, .mac = gw->mac};
	struct tsw_gateway whole = *gw;
	struct tsw_fdb at;
	int err = map_get(&t->maps, MAP_FDB, &mac, &at);

	if (err || at.place != TSW_PLACE_GATEWAY)
		return err == -ENOENT ? 0 : err;
	/* If the nftables table is missing, `switch repair` completes the gateway. */
	if (put_elements(gw))
		return 0;
	err = forget_asking(gw);
	err = err ?: put_entries(t, tenant, gw);
	if (!err && !gateway_follow(t, tenant)) /* gateways_settle() reports the error */
		err = publish_let_in(t, tenant);
	whole.flags &= ~TSW_GATEWAY_PENDING;
	return err ?: hold_again(t, tenant, &whole);
}

int gateways_settle(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_gateway *gw = row_value(&rows, i);

		if (gw->flags & TSW_GATEWAY_PENDING)
			err = finish(t, *(const __u32 *)row_key(&rows, i), gw);
	}
	err = err ?: indexes_settle(t);
	err = err ?: snats_settle(t);
	if (err)
		return err;
	/* An error here, such as a missing nftables table, must not stop the command. */
	if (gateway_follow(t, 0))
		detail(&t->log, "%s", failure()->text);
	if (t->totals.indexes && door_fit(t))
		detail(&t->log, "%s", failure()->text);
	return t->totals.indexes || !t->config.router ? 0 : door_close(t);
}
