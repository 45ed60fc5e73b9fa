// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/spell.h"
#include "base/text.h"
#include "record/plugin.h"
#include "state/check.h"
#include "state/keep.h"
#include "state/policy.h"
#include "state/resource.h"

struct keeping {
	const struct state *have;
	struct state *want;
	const struct state_late *late;
	struct resources have_owns, want_owns; /* as they are before */
	__u32 *have_of;			       /* for each wanted endpoint the kept one, or NONE */
	__u32 *want_of;			       /* for each tenant of HAVE */
};

static bool is_kept(const struct state *have, const struct state_endpoint *ep)
{
	return state_is_own(have, ep) && ep->ifindex && !ep->pending && runtime_device(ep->dev);
}

/* Appends an element before those that may come late. */
static void *insert(void *list, size_t *n, size_t late, size_t size)
{
	char **all = list, *last, *at;
	size_t total = *n + late;

	last = list_grow(list, &total, size);
	if (!last)
		return NULL;
	at = *all + (*n)++ * size;
	memmove(last, at, size);
	memset(at, 0, size);
	return at;
}

/* ---- endpoints -------------------------------------------------------------------- */

static __u32 host_of(const struct keeping *k, __u32 host)
{
	const __u32 found = host == STATE_NONE
				    ? STATE_NONE
				    : state_find_host(k->want, k->have->host[host].spec.name.s);

	return found == STATE_NONE ? k->want->own : found;
}

static int copy_endpoint(const struct keeping *k, const struct state_endpoint *from, __u32 at,
			 struct state_endpoint *to)
{
	const struct tsw_group_list groups = state_members(k->have, from);
	struct state *want = k->want;
	__u32 i;
	int err = 0;

	*to = *from;
	to->at = at;
	to->tenant = k->want_of[from->tenant];
	to->host = host_of(k, from->host);
	if (from->to != STATE_NONE)
		to->to = host_of(k, from->to);
	to->first_ip = want->n_ips;
	for (i = 0; !err && i < from->n_ip; i++)
		err = list_append(&want->ip, &want->n_ips, &k->have->ip[from->first_ip + i],
				  sizeof(*want->ip));
	return err ?: state_add_members(want, &groups, to);
}

/* The wanted endpoint of that name among the sorted ones, or STATE_NONE. */
static __u32 find(const struct state *want, __u32 tenant, const char *name)
{
	size_t low = want->tenant[tenant].first, high = low + want->tenant[tenant].n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(name, want->endpoint[middle].name.s);

		if (!order)
			return (__u32)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return STATE_NONE;
}

static int match(struct keeping *k, size_t *n)
{
	size_t i;
	__u32 at;

	for (i = 0; i < k->have->n_endpoints; i++) {
		const struct state_endpoint *ep = &k->have->endpoint[i];
		const char *tenant = k->have->tenant[ep->tenant].spec.name.s;

		if (!is_kept(k->have, ep))
			continue;
		++*n;
		if (k->want_of[ep->tenant] == STATE_NONE)
			return fail(EBUSY,
				    "the file has no tenant %s, in which the container of endpoint "
				    "%s runs: stop it first",
				    quoted(tenant), quoted(ep->name.s));
		at = find(k->want, k->want_of[ep->tenant], ep->name.s);
		if (at != STATE_NONE)
			k->have_of[at] = (__u32)i;
	}
	return 0;
}

static int put_endpoints(struct keeping *k)
{
	struct state_endpoint *to;
	size_t i;
	__u32 at;
	int err = 0;

	for (i = 0; !err && i < k->have->n_endpoints; i++) {
		const struct state_endpoint *from = &k->have->endpoint[i];

		if (!is_kept(k->have, from))
			continue;
		at = find(k->want, k->want_of[from->tenant], from->name.s);
		to = at != STATE_NONE ? &k->want->endpoint[at]
				      : insert(&k->want->endpoint, &k->want->n_endpoints,
					       k->late->endpoints, sizeof(*to));
		err = to ? copy_endpoint(k, from, at != STATE_NONE ? to->at : STATE_NONE, to)
			 : -ENOMEM;
	}
	return err;
}

/* ---- published ports -------------------------------------------------------------- */

static const struct state_endpoint *owner(const struct state *s, const struct resources *owns,
					  const struct state_publish *p)
{
	const struct resource *found = resources_find_ip(owns, p->tenant, &p->spec.to.addr);

	return found && !(found->owner & OWNER_GATEWAY) ? &s->endpoint[found->owner] : NULL;
}

/* Does the file publish to an address that a kept endpoint no longer has? */
static bool is_old(const struct keeping *k, const struct state_publish *p)
{
	const struct state_endpoint *ep = owner(k->want, &k->want_owns, p);
	const __u32 have = ep ? k->have_of[ep - k->want->endpoint] : STATE_NONE;

	return have != STATE_NONE &&
	       !state_has_ip(k->have, &k->have->endpoint[have], &p->spec.to.addr);
}

/* Removes what is old, and keeps the order. */
static void drop_publishes(struct keeping *k)
{
	struct state *want = k->want;
	const size_t all = want->n_publishes + k->late->publishes;
	size_t n = 0, i;

	for (i = 0; i < all; i++)
		if (i >= want->n_publishes || !is_old(k, &want->publish[i]))
			want->publish[n++] = want->publish[i];
	want->n_publishes -= all - n;
}

/* Sets *NEW unless the file has the port, too. Fails if that leads elsewhere. */
static int check_publish(const struct keeping *k, const struct state_publish *p,
			 const struct state_endpoint *to, bool *new)
{
	const struct state *want = k->want;
	const __u32 tenant = k->want_of[p->tenant];
	size_t i;

	*new = state_gateway_serves(&want->tenant[tenant], addr_family(&p->spec.to.addr));
	for (i = 0; *new &&i < want->n_publishes; i++) {
		const struct state_publish *other = &want->publish[i];

		if (state_order_ports(&p->spec, &other->spec))
			continue;
		if (other->tenant != tenant || other->spec.to.port != p->spec.to.port ||
		    !addr_equal(&other->spec.to.addr, &p->spec.to.addr))
			return fail(EBUSY,
				    "tenants[%u].publish[%u].port: %s port %u leads to the "
				    "container of endpoint %s, which runs: stop it first",
				    want->tenant[other->tenant].at, other->at,
				    word_protos[p->spec.proto], p->spec.port, quoted(to->name.s));
		*new = false;
	}
	return 0;
}

static int put_publishes(struct keeping *k)
{
	struct state *want = k->want;
	struct state_publish *to;
	bool new;
	size_t i;
	int err = 0;

	drop_publishes(k);
	for (i = 0; !err && i < k->have->n_publishes; i++) {
		const struct state_publish *p = &k->have->publish[i];
		const struct state_endpoint *ep = owner(k->have, &k->have_owns, p);

		if (!ep || !is_kept(k->have, ep) || p->pending)
			continue;
		err = check_publish(k, p, ep, &new);
		if (err || !new)
			continue;
		to = insert(&want->publish, &want->n_publishes, k->late->publishes, sizeof(*to));
		if (!to)
			return -ENOMEM;
		*to = *p;
		to->tenant = k->want_of[p->tenant];
		to->host = want->own;
	}
	return err;
}

/* ---- the whole -------------------------------------------------------------------- */

static int begin(struct keeping *k)
{
	size_t i;
	int err;

	k->have_of = malloc((k->want->n_endpoints + 1) * sizeof(*k->have_of));
	k->want_of = malloc((k->have->n_tenants + 1) * sizeof(*k->want_of));
	if (!k->have_of || !k->want_of)
		return fail_memory();
	memset(k->have_of, 0xff, k->want->n_endpoints * sizeof(*k->have_of));
	for (i = 0; i < k->have->n_tenants; i++)
		k->want_of[i] = state_find_tenant(k->want, k->have->tenant[i].spec.name.s);
	err = resources_make(k->have, NULL, &k->have_owns);
	return err ?: resources_make(k->want, NULL, &k->want_owns);
}

int state_keep_containers(const struct state *have, struct state *want,
			  const struct state_late *late, size_t *n)
{
	struct keeping k = {.have = have, .want = want, .late = late};
	int err = begin(&k);

	*n = 0;
	err = err ?: match(&k, n);
	if (!err && *n) {
		err = put_publishes(&k);
		err = err ?: put_endpoints(&k);
		state_sort_rest(want);
		err = err ?: state_check(want);
	}
	resources_free(&k.have_owns);
	resources_free(&k.want_owns);
	free(k.have_of);
	free(k.want_of);
	return err;
}
