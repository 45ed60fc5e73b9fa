// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/endpoint_find.h"
#include "state/state.h"

void state_free(struct state *s)
{
	free(s->host);
	free(s->tenant);
	free(s->endpoint);
	free(s->ip);
	free(s->publish);
	free(s->peer);
	free(s->group);
	free(s->policy);
	free(s->member);
	*s = (struct state){.own = STATE_NONE};
}

static int compare_hosts(const void *a, const void *b)
{
	const struct state_host *x = a, *y = b;

	return strcmp(x->spec.name.s, y->spec.name.s);
}

static int compare_tenants(const void *a, const void *b)
{
	const struct state_tenant *x = a, *y = b;

	return strcmp(x->spec.name.s, y->spec.name.s);
}

static int compare_endpoints(const void *a, const void *b)
{
	const struct state_endpoint *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return strcmp(x->name.s, y->name.s);
}

int state_order_ports(const struct tsw_publish_spec *a, const struct tsw_publish_spec *b)
{
	const enum tsw_family x = addr_family(&a->to.addr), y = addr_family(&b->to.addr);

	if (a->proto != b->proto)
		return a->proto < b->proto ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int compare_publishes(const void *a, const void *b)
{
	const struct state_publish *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return state_order_ports(&x->spec, &y->spec)
		       ?: (x->host < y->host ? -1 : x->host > y->host);
}

static int compare_peers(const void *a, const void *b)
{
	const struct state_peer *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return x->with < y->with ? -1 : x->with > y->with;
}

int state_compare_groups(const void *a, const void *b)
{
	const struct state_group *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return strcmp(x->name.s, y->name.s);
}

int state_compare_policies(const void *a, const void *b)
{
	const struct state_policy *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return strcmp(x->spec.name.s, y->spec.name.s);
}

static void sort(void *list, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n)
		qsort(list, n, size, compare);
}

void state_sort_hosts(struct state *s)
{
	sort(s->host, s->n_hosts, sizeof(*s->host), compare_hosts);
}

void state_sort_tenants(struct state *s)
{
	sort(s->tenant, s->n_tenants, sizeof(*s->tenant), compare_tenants);
}

void state_sort_rest(struct state *s)
{
	size_t i;

	sort(s->endpoint, s->n_endpoints, sizeof(*s->endpoint), compare_endpoints);
	sort(s->publish, s->n_publishes, sizeof(*s->publish), compare_publishes);
	sort(s->peer, s->n_peers, sizeof(*s->peer), compare_peers);
	sort(s->group, s->n_groups, sizeof(*s->group), state_compare_groups);
	sort(s->policy, s->n_policies, sizeof(*s->policy), state_compare_policies);
	for (i = 0; i < s->n_tenants; i++)
		s->tenant[i].first = s->tenant[i].n = 0;
	for (i = 0; i < s->n_endpoints; i++) {
		struct state_tenant *tenant = &s->tenant[s->endpoint[i].tenant];

		if (!tenant->n++)
			tenant->first = i;
	}
}

static int compare_name(const void *key, const void *element)
{
	const struct tsw_name *name = element; /* `name` is the first member of hosts and tenants */

	return strcmp(key, name->s);
}

_Static_assert(!offsetof(struct state_host, spec.name) && !offsetof(struct state_tenant, spec.name),
	       "names come first");

__u32 state_find_host(const struct state *s, const char *name)
{
	const struct state_host *found =
		s->n_hosts ? bsearch(name, s->host, s->n_hosts, sizeof(*found), compare_name)
			   : NULL;

	return found ? (__u32)(found - s->host) : STATE_NONE;
}

__u32 state_find_tenant(const struct state *s, const char *name)
{
	const struct state_tenant *found =
		s->n_tenants ? bsearch(name, s->tenant, s->n_tenants, sizeof(*found), compare_name)
			     : NULL;

	return found ? (__u32)(found - s->tenant) : STATE_NONE;
}

bool state_has_ip(const struct state *s, const struct state_endpoint *ep, const struct tsw_addr *ip)
{
	__u32 i;

	for (i = 0; i < ep->n_ip; i++)
		if (addr_equal(&s->ip[ep->first_ip + i], ip))
			return true;
	return vips_have(&ep->vip, ip);
}

bool state_comes(const struct state *s, const struct state_endpoint *ep)
{
	return ep->to != STATE_NONE && ep->to == s->own;
}

bool state_is_own(const struct state *s, const struct state_endpoint *ep)
{
	return ep->host == s->own || state_comes(s, ep);
}
