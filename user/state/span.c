// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "state/span.h"

void spans_free(struct spans *l)
{
	free(l->all);
}

bool spans_any_behind(const struct state *s)
{
	size_t i;

	for (i = 0; i < s->n_endpoints; i++)
		if (s->endpoint[i].prefix.n)
			return true;
	return false;
}

/* ---- making the list -------------------------------------------------------------- */

/* SPAN has all but its network. */
static int add(struct spans *l, struct span span, enum span_kind kind,
	       const struct tsw_prefix *prefix)
{
	span.kind = (__u8)kind;
	span.at = (struct tsw_prefix){prefix_first(prefix), prefix->len};
	span.given = *prefix;
	if (kind == SPAN_OUTSIDE)
		span.scope = STATE_NONE;
	return list_append(&l->all, &l->n, &span, sizeof(span));
}

static int add_addr(struct spans *l, struct span span, enum span_kind kind,
		    const struct tsw_addr *addr)
{
	return add(l, span, kind, &(struct tsw_prefix){*addr, 128});
}

static bool is_routed(const struct state_tenant *tenant)
{
	return tenant->has_gateway && !tenant->gateway.spec.nat;
}

static int add_endpoint(struct spans *l, const struct state *s, __u32 i, struct span span)
{
	const struct state_endpoint *ep = &s->endpoint[i];
	const bool routed = is_routed(&s->tenant[ep->tenant]);
	__u32 k;
	int err = 0;

	span.owner = i;
	for (k = 0; !err && k < ep->n_ip; k++)
		err = add_addr(l, span, SPAN_IP, &s->ip[ep->first_ip + k]);
	for (k = 0; !err && k < ep->vip.n; k++)
		err = add_addr(l, span, SPAN_VIP, &ep->vip.at[k]);
	for (k = 0; !err && k < ep->prefix.n; k++) {
		err = add(l, span, SPAN_BEHIND, &ep->prefix.at[k]);
		if (!err && routed)
			err = add(l, span, SPAN_OUTSIDE, &ep->prefix.at[k]);
	}
	return err;
}

static int add_gateway(struct spans *l, const struct state *s, __u32 i, struct span span,
		       bool behind)
{
	const struct tsw_prefix_list *ip = &s->tenant[i].gateway.spec.ip;
	__u32 k;
	int err = 0;

	span.owner = OWNER_GATEWAY | i;
	for (k = 0; !err && s->tenant[i].has_gateway && k < ip->n; k++) {
		if (is_routed(&s->tenant[i]))
			err = add(l, span, SPAN_OUTSIDE, &ip->at[k]);
		if (!err && behind)
			err = add_addr(l, span, SPAN_IP, &ip->at[k].addr);
		if (!err && behind)
			err = add(l, span, SPAN_OWN, &ip->at[k]);
	}
	return err;
}

static int add_nets(struct spans *l, const struct state *s, __u32 i, struct span span)
{
	const struct tsw_prefix_list *net = &s->tenant[i].spec.net;
	__u32 k;
	int err = 0;

	span.owner = OWNER_TENANT;
	for (k = 0; !err && k < net->n; k++)
		err = add(l, span, SPAN_OWN, &net->at[k]);
	return err;
}

static struct span begin(const __u32 *scope, __u32 tenant, bool want)
{
	return (struct span){
		.scope = scope ? scope[tenant] : tenant, .tenant = tenant, .want = want};
}

int spans_add(struct spans *l, const struct state *s, const __u32 *scope, bool want, bool behind)
{
	struct span span;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < s->n_tenants; i++) {
		span = begin(scope, i, want);
		if (span.scope == STATE_NONE)
			continue;
		err = add_gateway(l, s, i, span, behind);
		if (!err && behind)
			err = add_nets(l, s, i, span);
	}
	for (i = 0; !err && behind && i < s->n_endpoints; i++) {
		span = begin(scope, s->endpoint[i].tenant, want);
		if (span.scope != STATE_NONE)
			err = add_endpoint(l, s, i, span);
	}
	return err;
}

/* ---- comparing -------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int order;

	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	order = memcmp(&x->at.addr, &y->at.addr, sizeof(x->at.addr));
	if (order)
		return order;
	if (x->at.len != y->at.len)
		return x->at.len < y->at.len ? -1 : 1;
	return (int)x->kind - y->kind;
}

/* An endpoint's own address may be in its own network. A vip may not: it moves. */
static bool may_clash(const struct span *a, const struct span *b)
{
	return a->kind == SPAN_OUTSIDE ? a->tenant != b->tenant || a->want != b->want
				       : b->kind == SPAN_OWN || b->kind == SPAN_VIP ||
						 a->owner != b->owner || a->want != b->want;
}

int spans_clash(struct spans *l, span_clash *fn, void *context)
{
	const struct span **around = calloc(l->n + 1, sizeof(*around)); /* each contains the next */
	size_t depth = 0, i, k;
	int err = around ? 0 : fail_memory();

	if (!err && l->n)
		qsort(l->all, l->n, sizeof(*l->all), compare);
	for (i = 0; !err && i < l->n; i++) {
		const struct span *one = &l->all[i];

		while (depth && (around[depth - 1]->scope != one->scope ||
				 !prefix_has(&around[depth - 1]->at, &one->at.addr)))
			depth--;
		for (k = 0; !err && k < depth; k++)
			if (may_clash(around[k], one))
				err = fn(context, around[k], one);
		if (one->kind == SPAN_BEHIND || one->kind == SPAN_OUTSIDE)
			around[depth++] = one;
	}
	free(around);
	return err;
}
