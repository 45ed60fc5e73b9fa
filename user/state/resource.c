// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "state/resource.h"

_Static_assert(sizeof(((struct resource *)0)->ip) == IFNAMSIZ, "the union is compared as octets");

int resource_compare(const void *a, const void *b)
{
	const struct resource *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

void resources_free(struct resources *r)
{
	free(r->all);
}

static struct resource *add(struct resources *r, __u32 kind, __u32 scope, __u32 owner)
{
	struct resource *next = &r->all[r->n++];

	*next = (struct resource){.kind = kind, .scope = scope, .owner = owner};
	return next;
}

static void add_endpoint(const struct state *s, const __u32 *scope, __u32 i, struct resources *r)
{
	const struct state_endpoint *ep = &s->endpoint[i];
	const __u32 tenant = scope ? scope[ep->tenant] : ep->tenant;
	__u32 k;

	if (tenant == STATE_NONE)
		return;
	add(r, RESOURCE_MAC, tenant, i)->mac = ep->mac;
	for (k = 0; k < ep->n_ip; k++)
		add(r, RESOURCE_IP, tenant, i)->ip = s->ip[ep->first_ip + k];
	for (k = 0; k < ep->vip.n; k++)
		add(r, RESOURCE_VIP, tenant, i)->ip = ep->vip.at[k];
	/* The own host has scope 0 in both states. A cluster claims no devices. */
	if (ep->dev[0] && !s->whole && (s->own == STATE_NONE || state_is_own(s, ep)))
		memcpy(add(r, RESOURCE_DEV, s->own == STATE_NONE ? ep->host : 0, i)->dev, ep->dev,
		       IFNAMSIZ);
	if (ep->to_dev[0] && !s->whole)
		memcpy(add(r, RESOURCE_DEV, ep->to, i)->dev, ep->to_dev, IFNAMSIZ);
}

static void add_gateway(const struct state *s, const __u32 *scope, __u32 i, struct resources *r)
{
	const struct state_gateway *gw = &s->tenant[i].gateway;
	const __u32 tenant = scope ? scope[i] : i;
	__u32 k;

	if (!s->tenant[i].has_gateway || tenant == STATE_NONE)
		return;
	add(r, RESOURCE_MAC, tenant, OWNER_GATEWAY | i)->mac = gw->spec.mac;
	for (k = 0; k < gw->spec.ip.n; k++)
		add(r, RESOURCE_IP, tenant, OWNER_GATEWAY | i)->ip = gw->spec.ip.at[k].addr;
}

static void add_underlay(const struct state *s, __u32 host, struct resources *r)
{
	const struct tsw_switch_spec *up = &s->host[host].up;
	unsigned int i;

	if (s->whole || (s->own != STATE_NONE && s->own != host))
		return;
	for (i = 0; i < up->dev.n; i++)
		memcpy(add(r, RESOURCE_DEV, s->own == STATE_NONE ? host : 0, OWNER_SWITCH)->dev,
		       up->dev.at[i], IFNAMSIZ);
}

int resources_make(const struct state *s, const __u32 *scope, struct resources *r)
{
	const size_t room = s->n_endpoints * (3 + TSW_VIPS) + s->n_ips +
			    s->n_tenants * (1 + TSW_GATEWAY_ADDRS) + s->n_hosts * TSW_UNDERLAYS;
	__u32 i;

	*r = (struct resources){.all = calloc(room + 1, sizeof(*r->all))};
	if (!r->all)
		return fail_memory();
	for (i = 0; i < s->n_endpoints; i++)
		add_endpoint(s, scope, i, r);
	for (i = 0; i < s->n_tenants; i++)
		add_gateway(s, scope, i, r);
	for (i = 0; i < s->n_hosts; i++)
		add_underlay(s, i, r);
	qsort(r->all, r->n, sizeof(*r->all), resource_compare);
	return 0;
}

const struct resource *resources_find_ip(const struct resources *r, __u32 scope,
					 const struct tsw_addr *ip)
{
	struct resource key = {.kind = RESOURCE_IP, .scope = scope, .ip = *ip};
	const struct resource *found;

	if (!r->n)
		return NULL;
	found = bsearch(&key, r->all, r->n, sizeof(key), resource_compare);
	key.kind = RESOURCE_VIP;
	return found ?: bsearch(&key, r->all, r->n, sizeof(key), resource_compare);
}
