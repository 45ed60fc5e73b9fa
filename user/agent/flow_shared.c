// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "agent/flow_shared.h"
#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "record/gateway_find.h"

bool flow_is_shared(const struct tsw_gateway *gw, const struct flow *flow)
{
	const struct tsw_addr *snat = &gw->snat[addr_family(&flow->src)];

	if (!(gw->flags & TSW_GATEWAY_NAT))
		return addr_equal(&flow->nat, &flow->src) && flow->nat_port == flow->sport;
	return !addr_is_none(snat) && addr_equal(&flow->nat, snat);
}

const struct shared *shared_of(const struct shared_all *s, __u32 index)
{
	return s->of[index] ? &s->all[s->of[index] - 1] : NULL;
}

struct flow_peer *shared_peer(struct shared_all *s, __u32 host)
{
	return s->peer_of[host] ? &s->peer[s->peer_of[host] - 1] : NULL;
}

/* ---- gateways that another host serves from now on ----------------------------------- */

struct own {
	struct conntrack_entry *all;
	size_t n;
};

static int keep_own(const struct nlmsghdr *message, void *data)
{
	struct own *own = data;
	struct conntrack_entry *next = list_grow(&own->all, &own->n, sizeof(*next));

	if (!next)
		return MNL_CB_ERROR;
	own->n -= !conntrack_read(message, next);
	return MNL_CB_OK;
}

static void hand_over(const struct shared *s)
{
	struct own own = {};
	size_t i;

	conntrack_each(s->gw.index, keep_own, &own);
	for (i = 0; i < own.n; i++)
		if (own.all[i].flow.proto == IPPROTO_TCP &&
		    flow_is_shared(&s->gw, &own.all[i].flow))
			conntrack_renew(s->gw.index, &own.all[i].flow, true);
	free(own.all);
}

static void hand_over_all(const struct shared_all *s, const struct tsw *t)
{
	struct tsw_gateway gw;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (gateway_is_served(&s->all[i].gw) && !gateway_get(t, s->all[i].tenant, &gw) &&
		    gw.index == s->all[i].gw.index && !gateway_is_served(&gw))
			hand_over(&s->all[i]);
}

/* ---- gateways and hosts ------------------------------------------------------------- */

static void add_peers(struct shared_all *s, const struct tsw *t, const struct tsw_gateway *gw)
{
	__u32 i, host;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		host = gw->rank[i];
		if (host && host <= TSW_MAX_HOSTS && !s->peer_of[host] &&
		    !map_get(&t->maps, MAP_HOSTS, &host, &s->peer[s->n_peers].is))
			s->peer_of[host] = (__u16)++s->n_peers;
	}
}

static bool may_be_shared(const struct tsw_gateway *gw)
{
	return gw->n_ranks > 1 && gw->index && gateway_is_ready(gw) &&
	       (!(gw->flags & TSW_GATEWAY_NAT) || !addr_is_none(&gw->snat[TSW_IPV4]) ||
		!addr_is_none(&gw->snat[TSW_IPV6]));
}

void shared_forget(struct shared_all *s)
{
	free(s->all);
	free(s->peer);
	*s = (struct shared_all){};
}

int shared_find(struct shared_all *s, const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i, n = 0;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	if (err)
		return err;
	hand_over_all(s, t);
	shared_forget(s);
	for (i = 0; i < rows.n; i++)
		n += may_be_shared(row_value(&rows, i));
	s->all = calloc(n + 1, sizeof(*s->all));
	s->peer = calloc(n * TSW_GATEWAY_RANKS + 1, sizeof(*s->peer));
	if (!s->all || !s->peer)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_gateway *gw = row_value(&rows, i);

		if (!may_be_shared(gw))
			continue;
		s->all[s->n++] =
			(struct shared){.tenant = *(const __u32 *)row_key(&rows, i), .gw = *gw};
		s->of[gw->index] = (__u16)s->n;
		add_peers(s, t, gw);
	}
	return 0;
}
