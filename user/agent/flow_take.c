// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "agent/flow_shared.h"
#include "agent/flow_take.h"
#include "base/clock.h"
#include "base/text.h"
#include "record/gateway_find.h"
#include "record/prefix_find.h"

enum {
	MOST_A_SECOND = 50000, /* reports; the others come again in the next round */
	ROUNDS = 2,	       /* a flow that did not come for longer has ended */
	SLACK = 30,	       /* seconds: smaller changes of a flow's expiry are ignored */
};

/* The tenant of the present report. Most reports of a datagram have the same one. */
struct host_of {
	const struct tsw *t;
	__u32 host, tenant;
	struct tsw_gateway gw; /* index 0: no gateway whose flows HOST may send */
	__u64 now;
};

/* Both hosts must be ranked for the tenant's gateway. */
static void find_tenant(struct host_of *h, __u32 tenant)
{
	if (h->tenant == tenant)
		return;
	h->tenant = tenant;
	if (gateway_get(h->t, tenant, &h->gw) || !gateway_is_ready(&h->gw) ||
	    !gateway_has_rank(&h->gw, 0) || !gateway_has_rank(&h->gw, h->host))
		h->gw = (struct tsw_gateway){};
}

/*
 * Is ADDR an endpoint's address? As for frames to the gateway, any destination is allowed: the
 * programs check it for each frame, also of known flows.
 */
static bool is_endpoint(const struct host_of *h, const struct tsw_addr *addr)
{
	const struct tsw_addr_key key = {.tenant = h->tenant, .addr = *addr};
	struct tsw_mac owner;

	return !addr_owner(h->t, &key, &owner) && !mac_equal(&owner, &h->gw.mac);
}

static __u32 share_of(const struct tsw *t, __u32 tenant)
{
	struct tsw_fair fair;

	if (map_get(&t->maps, MAP_FAIR, &tenant, &fair) || !fair.connections)
		return TSW_FAIR_CONNECTIONS;
	return fair.connections;
}

static bool leaves_the_same(const struct flow *a, const struct flow *b)
{
	return addr_equal(&a->nat, &b->nat) && a->nat_port == b->nat_port;
}

/* ---- putting a flow into conntrack -------------------------------------------------- */

static void remember(struct flow_taker *k, const struct host_of *h, struct guest *g,
		     const struct flow *flow)
{
	g->flow = *flow;
	g->index = h->gw.index;
	g->host = h->host;
	g->round = k->round[h->host];
	table_touch(&k->table, g);
}

/* Renews the kernel's entry if its state or its expiry is too far off. */
static int refresh(struct flow_taker *k, const struct host_of *h, struct guest *g,
		   const struct flow *flow)
{
	const __u64 until = h->now + flow->expiry * SECOND_NS;
	const __u64 slack = (flow->expiry / 4 < SLACK ? flow->expiry / 4 : SLACK) * SECOND_NS;
	int err;

	if (g->flow.state != flow->state || until > g->until + slack || g->until > until + slack) {
		err = conntrack_renew(g->index, flow, false);
		if (err) {
			table_del(&k->table, g);
			return err == -ENOENT ? 0 : err; /* the next report makes it anew */
		}
		g->until = until;
	}
	remember(k, h, g, flow);
	return 0;
}

/* First into the table, because an entry only in the kernel would never be removed. */
static int put(struct flow_taker *k, const struct host_of *h, const struct flow *flow, bool fresh)
{
	struct guest *g = table_find(&k->table, h->tenant, flow);
	int err;

	if (!g && table_count(&k->table, h->tenant) < share_of(h->t, h->tenant))
		g = table_add(&k->table, h->tenant, flow);
	if (!g)
		return -ENOSPC;
	err = fresh ? conntrack_put(h->gw.index, flow) : conntrack_renew(h->gw.index, flow, false);
	if (err) {
		table_del(&k->table, g);
		return err;
	}
	g->until = h->now + flow->expiry * SECOND_NS;
	remember(k, h, g, flow);
	return 0;
}

/*
 * The kernel may have the flow from frames that this host served. Of both the one used last is
 * right, which expires later.
 */
static int compare(struct flow_taker *k, const struct host_of *h, const struct flow *flow)
{
	struct conntrack_entry is;
	int err = conntrack_get(h->gw.index, flow, &is);

	if (err)
		return err == -ENOENT ? put(k, h, flow, true) : err;
	if (is.flow.expiry >= flow->expiry)
		return 0;
	if (leaves_the_same(&is.flow, flow))
		return put(k, h, flow, false);
	err = conntrack_del(h->gw.index, flow);
	return err ?: put(k, h, flow, true);
}

/* ---- reports ------------------------------------------------------------------------ */

static int take_one(struct flow_taker *k, const struct host_of *h, const struct flow *flow)
{
	struct guest *g = table_find(&k->table, h->tenant, flow);

	if (g && g->index == h->gw.index && leaves_the_same(&g->flow, flow) &&
	    !gateway_is_served(&h->gw))
		return refresh(k, h, g, flow);
	return compare(k, h, flow);
}

/* Removes the flow. If this host serves the gateway now, the kernel's entry is its own: kept. */
static void let_go(struct flow_taker *k, const struct host_of *h, struct guest *g)
{
	if (!gateway_is_served(&h->gw))
		conntrack_del(g->index, &g->flow);
	table_del(&k->table, g);
}

static void take_gone(struct flow_taker *k, const struct host_of *h, const struct flow *flow)
{
	struct guest *g = table_find(&k->table, h->tenant, flow);

	if (g && g->host == h->host && leaves_the_same(&g->flow, flow))
		let_go(k, h, g);
}

/* The host has sent all its flows. Removes those that it has not sent for some rounds. */
static void sweep(struct flow_taker *k, struct host_of *h)
{
	struct guest *g, *next;

	k->round[h->host]++;
	for (g = TAILQ_FIRST(&k->table.list); g; g = next) {
		next = TAILQ_NEXT(g, all);
		if (g->host != h->host || k->round[h->host] - g->round <= ROUNDS)
			continue;
		find_tenant(h, g->key.tenant);
		let_go(k, h, g);
	}
}

static bool has_room(struct flow_taker *k, __u64 now)
{
	if (k->second != now / SECOND_NS) {
		k->second = now / SECOND_NS;
		k->reports = 0;
	}
	return ++k->reports <= MOST_A_SECOND;
}

static void take_report(struct flow_taker *k, struct host_of *h, const struct flow_report *r)
{
	int err = has_room(k, h->now) ? 0 : -EAGAIN;

	find_tenant(h, r->tenant);
	if (!err &&
	    (!h->gw.index || !flow_is_shared(&h->gw, &r->flow) || !is_endpoint(h, &r->flow.src)))
		err = -EPERM;
	if (!err && r->gone)
		take_gone(k, h, &r->flow);
	else if (!err)
		err = take_one(k, h, &r->flow);
	k->taken += !err;
	k->refused += !!err;
	if (err && err != -EPERM && err != -EAGAIN && err != -ENOSPC && err != -EEXIST)
		k->why = -err;
}

void take_datagram(struct flow_taker *k, const struct tsw *t, __u32 host, const void *octets,
		   size_t len)
{
	struct host_of h = {.t = t, .host = host, .now = clock_ns(CLOCK_MONOTONIC)};
	struct flow_report reports[FLOW_REPORTS];
	bool end;
	const int n = host <= TSW_MAX_HOSTS ? flow_read(octets, len, reports, &end) : -EBADMSG;
	int i;

	k->refused += n < 0;
	for (i = 0; i < n; i++)
		take_report(k, &h, &reports[i]);
	if (n >= 0 && end)
		sweep(k, &h);
}

void take_end(struct flow_taker *k, __u32 tenant, const struct flow *flow)
{
	struct guest *g = table_find(&k->table, tenant, flow);

	if (g)
		table_del(&k->table, g);
}
