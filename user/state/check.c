// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "state/check.h"
#include "state/policy.h"
#include "state/span.h"

enum { OWNER_LEN = 3 * TSW_NAME_LEN };

/* Writes the owner as a path in the file. */
static void owner_text(const struct state *s, __u32 owner, char text[OWNER_LEN])
{
	const struct state_endpoint *ep;

	if (owner == OWNER_SWITCH) {
		snprintf(text, OWNER_LEN, "the switch");
	} else if (owner & OWNER_GATEWAY) {
		snprintf(text, OWNER_LEN, "tenants[%u].gateway",
			 s->tenant[owner & ~OWNER_GATEWAY].at);
	} else {
		ep = &s->endpoint[owner];
		if (ep->at == STATE_NONE) /* see keep.h */
			snprintf(text, OWNER_LEN, "the container of endpoint %s",
				 quoted(ep->name.s));
		else
			snprintf(text, OWNER_LEN, "tenants[%u].endpoints[%u]",
				 s->tenant[ep->tenant].at, ep->at);
	}
}

/* Whether owner A is behind owner B in the file; gateways are before endpoints. */
static bool is_behind(const struct state *s, __u32 a, __u32 b)
{
	const struct state_endpoint *x, *y;

	if (a & OWNER_GATEWAY || b & OWNER_GATEWAY)
		return b & OWNER_GATEWAY;
	x = &s->endpoint[a];
	y = &s->endpoint[b];
	if (x->tenant != y->tenant)
		return s->tenant[x->tenant].at > s->tenant[y->tenant].at;
	return x->at > y->at;
}

/* The message begins with the later owner, because the earlier one was valid alone. */
static int refuse_resource(const struct state *s, const struct resource *a,
			   const struct resource *b)
{
	static const char *const keys[] = {"mac", "ip", "dev", "vip"};
	const struct resource *second = is_behind(s, a->owner, b->owner) ? a : b;
	char one[OWNER_LEN], other[OWNER_LEN];

	owner_text(s, second->owner, one);
	owner_text(s, second == a ? b->owner : a->owner, other);
	if (a->owner == b->owner)
		misuse("%s.%s: address %s is given twice", one, keys[a->kind], addr_text(&a->ip));
	else
		misuse("%s.%s: %s is used by %s already", one, keys[a->kind],
		       quoted(a->kind == RESOURCE_MAC	? mac_text(&a->mac)
			      : a->kind == RESOURCE_DEV ? a->dev
							: addr_text(&a->ip)),
		       other);
	return -EINVAL;
}

static int check_resources(const struct state *s)
{
	cleanup_resources struct resources r;
	const struct resource *owner;
	size_t i;
	int err = resources_make(s, NULL, &r);

	for (i = 1; !err && i < r.n; i++)
		if (r.all[i].kind != RESOURCE_VIP && !resource_compare(&r.all[i - 1], &r.all[i]))
			err = refuse_resource(s, &r.all[i - 1], &r.all[i]);
	for (i = r.n; !err && i-- > 0 && r.all[i].kind == RESOURCE_VIP;) {
		owner = resources_find_ip(&r, r.all[i].scope, &r.all[i].ip);
		if (owner->kind == RESOURCE_IP)
			err = refuse_resource(s, &r.all[i], owner);
	}
	return err;
}

/* Whose the network or address is, as a path in the file. */
static void span_owner(const struct state *s, const struct span *span, char text[OWNER_LEN])
{
	if (span->owner == OWNER_TENANT)
		snprintf(text, OWNER_LEN, "tenants[%u]", s->tenant[span->tenant].at);
	else
		owner_text(s, span->owner, text);
}

static const char *span_text(const struct span *span)
{
	return span->kind == SPAN_IP || span->kind == SPAN_VIP ? addr_text(&span->given.addr)
							       : prefix_text(&span->given);
}

/* The message begins with a network behind an endpoint, or with the later one of two such. */
static int refuse_span(void *context, const struct span *a, const struct span *b)
{
	const bool outside = a->kind == SPAN_OUTSIDE;
	const struct state *s = context;
	char one[OWNER_LEN], other[OWNER_LEN];

	if (outside ? s->tenant[a->tenant].at < s->tenant[b->tenant].at
		    : b->kind == SPAN_BEHIND && is_behind(s, b->owner, a->owner)) {
		const struct span *swap = a;

		a = b;
		b = swap;
	}
	span_owner(s, a, one);
	span_owner(s, b, other);
	return misuse("%s.%s: %s%s overlaps %s of %s", one,
		      a->owner & OWNER_GATEWAY ? "ip" : "prefix", quoted(span_text(a)),
		      outside ? ", without nat," : "", quoted(span_text(b)), other);
}

/* Fails if a network behind an endpoint, or one that is seen outside, overlaps what it may not. */
static int check_networks(const struct state *s)
{
	cleanup_spans struct spans l = {};
	int err = spans_add(&l, s, NULL, true, spans_any_behind(s));

	return err ?: spans_clash(&l, refuse_span, (void *)s);
}

static __u32 later(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

static int refuse_name(const char *list, __u32 a, __u32 b, const char *name)
{
	return misuse("%s[%u].name: %s is the name of %s[%u] already", list, later(a, b),
		      quoted(name), list, a > b ? b : a);
}

static int check_names(const struct state *s)
{
	char list[OWNER_LEN];
	size_t i;

	for (i = 1; i < s->n_hosts; i++)
		if (!strcmp(s->host[i - 1].spec.name.s, s->host[i].spec.name.s))
			return refuse_name("hosts", s->host[i - 1].at, s->host[i].at,
					   s->host[i].spec.name.s);
	for (i = 1; i < s->n_tenants; i++)
		if (!strcmp(s->tenant[i - 1].spec.name.s, s->tenant[i].spec.name.s))
			return refuse_name("tenants", s->tenant[i - 1].at, s->tenant[i].at,
					   s->tenant[i].spec.name.s);
	for (i = 1; i < s->n_endpoints; i++) {
		const struct state_endpoint *a = &s->endpoint[i - 1], *b = &s->endpoint[i];

		if (a->tenant != b->tenant || strcmp(a->name.s, b->name.s))
			continue;
		snprintf(list, sizeof(list), "tenants[%u].endpoints", s->tenant[a->tenant].at);
		return refuse_name(list, a->at, b->at, a->name.s);
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct state_tenant *const *x = a, *const *y = b;

	if ((*x)->spec.id != (*y)->spec.id)
		return (*x)->spec.id < (*y)->spec.id ? -1 : 1;
	return (*x)->at < (*y)->at ? -1 : 1;
}

static int check_ids(const struct state *s)
{
	const struct state_tenant **all = calloc(s->n_tenants + 1, sizeof(*all));
	size_t i;
	int err = 0;

	if (!all)
		return fail_memory();
	for (i = 0; i < s->n_tenants; i++)
		all[i] = &s->tenant[i];
	qsort(all, s->n_tenants, sizeof(*all), compare_ids);
	for (i = 1; !err && i < s->n_tenants; i++)
		if (all[i - 1]->spec.id == all[i]->spec.id)
			err = misuse("tenants[%u].id: %u is used by tenants[%u] already",
				     all[i]->at, all[i]->spec.id, all[i - 1]->at);
	free(all);
	return err;
}

/* A value that only one host may have: an address, or a key. */
struct used {
	bool is_key;
	union {
		struct tsw_addr addr;
		struct tsw_key key;
	} value;
	__u32 host;
};

static int compare_used(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct used, host));
}

/* Hosts with the same key would receive each other's frames. */
static int check_used(const struct state *s)
{
	struct used *all = calloc(s->n_hosts * (TSW_FAMILIES + TSW_CRYPT_PARITIES) + 1,
				  sizeof(*all)); /* zero also between the members */
	size_t n = 0, i;
	int err = 0, family;
	__u32 k;

	if (!all)
		return fail_memory();
	for (i = 0; i < s->n_hosts; i++) {
		const struct tsw_host_spec *spec = &s->host[i].spec;

		for (family = 0; family < TSW_FAMILIES; family++)
			if (!addr_is_none(&spec->ip.of[family])) {
				all[n].value.addr = spec->ip.of[family];
				all[n++].host = s->host[i].at;
			}
		for (k = 0; k < spec->key.n; k++) {
			all[n].is_key = true;
			all[n].value.key = spec->key.at[k];
			all[n++].host = s->host[i].at;
		}
	}
	qsort(all, n, sizeof(*all), compare_used);
	for (i = 1; !err && i < n; i++)
		if (!compare_used(&all[i - 1], &all[i]))
			err = misuse("hosts[%u].%s: %s is used by hosts[%u] already",
				     later(all[i - 1].host, all[i].host),
				     all[i].is_key ? "key" : "ip",
				     quoted(all[i].is_key ? key_text(all[i].value.key.octet)
							  : addr_text(&all[i].value.addr)),
				     all[i - 1].host < all[i].host ? all[i - 1].host : all[i].host);
	free(all);
	return err;
}

int state_check(const struct state *s)
{
	int err = check_names(s);

	err = err ?: check_ids(s);
	err = err ?: check_used(s);
	err = err ?: check_resources(s);
	err = err ?: check_networks(s);
	err = err ?: state_check_policies(s);
	return err ?: state_check_tenants(s);
}

/* Keeps the device on the own host. For an endpoint that moves here that is to_dev. */
static void take_device(const struct state *s, struct state_endpoint *ep)
{
	if (state_comes(s, ep))
		memcpy(ep->dev, ep->to_dev, sizeof(ep->dev));
	else if (!state_is_own(s, ep))
		memset(ep->dev, 0, sizeof(ep->dev));
	memset(ep->to_dev, 0, sizeof(ep->to_dev));
}

int state_take_own(struct state *s, const char *name)
{
	size_t n = 0, i;

	s->own = state_find_host(s, name);
	if (s->own == STATE_NONE)
		return misuse("hosts: this host, %s, is not in the list; to stand for another "
			      "host, give name HOST",
			      quoted(name));
	for (i = 0; i < s->n_endpoints; i++)
		take_device(s, &s->endpoint[i]);
	for (i = 0; i < s->n_publishes; i++)
		if (s->publish[i].host == STATE_NONE || s->publish[i].host == s->own)
			s->publish[n++] = s->publish[i];
	s->n_publishes = n;
	return 0;
}
